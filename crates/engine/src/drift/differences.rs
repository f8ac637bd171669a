//! Which values differ from what was applied, without secrets.

use hangar_plan::change::to_show;
use hangar_plan::record::Difference;
use hangar_schema::{Documents, Leaf, Operation, Patch, TypeSchema, goal, leaves};
use serde_json::Value;

/// What a resource has and what was applied to it.
pub(super) struct Compared<'a> {
    pub(super) schema: &'a TypeSchema,
    pub(super) live: &'a Value,
    pub(super) applied: &'a Value,
    /// What a caller marked secret though the schema does not say so.
    pub(super) secret_paths: &'a [String],
}

/// The values that the patch would put right; a path where only secrets differ has no values.
pub(super) fn differences(compared: &Compared<'_>, patch: &Patch) -> Vec<Difference> {
    let Compared { schema, live, applied, secret_paths } = *compared;
    let goal = goal(live, applied, patch);
    let shown = |document: &Value| to_show(schema, document, secret_paths);
    let (shown_live, shown_goal) = (shown(live), shown(&goal));
    let documents = Documents { live: &shown_live, goal: &shown_goal, applied: Some(applied) };
    let leaves = leaves(schema, &documents);
    let operations = patch.operations.iter().chain(&patch.besides);
    let mut paths: Vec<&str> = patch.reasons.iter().map(|reason| reason.path.as_str()).collect();
    paths.extend(operations.map(Operation::path));
    let is_hidden = |path: &&&str| {
        !leaves
            .iter()
            .any(|leaf| is_at_or_below(&leaf.path, path) || is_at_or_below(path, &leaf.path))
            && live.pointer(path) != goal.pointer(path)
    };
    let hidden: Vec<String> = paths.iter().filter(is_hidden).map(|it| (*it).to_owned()).collect();
    let mut found: Vec<Difference> = leaves.into_iter().map(of_leaf).collect();
    found.extend(hidden.into_iter().map(of_secret));
    found
}

fn of_leaf(leaf: Leaf) -> Difference {
    let Leaf { path, keyed, before, after, .. } = leaf;
    Difference { path, keyed, applied: after, live: before, secret: false }
}

fn of_secret(path: String) -> Difference {
    Difference { path, keyed: None, applied: None, live: None, secret: true }
}

fn is_at_or_below(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
