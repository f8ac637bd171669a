//! How a resource that is there differs from what the template states.

use hangar_plan::change::to_show;
use hangar_plan::operation::{ChangeKind, Finding};
use hangar_schema::{
    Class, Documents, Explanation, Operation, Patch, Rule, TypeSchema, goal, leaves,
};
use hangar_template::value::{Because, Unknown};
use serde_json::{Map, Value, json};

use super::assumed::assumed;
use super::masked::{self, Masks};
use super::part::{Parts, why_new};
use super::property::{Page, classes, is_below, may_replace};
use super::split::split;
use super::told::Deed;
use crate::documents::{Desired, Known, difference_and_patch};
use crate::engine::Shared;

/// What a resource is compared by.
pub(super) struct Differing<'a> {
    pub(super) shared: &'a Shared,
    pub(super) schema: &'a TypeSchema,
    /// What is on record of it.
    pub(super) known: &'a Known,
    pub(super) page: &'a Page<'a>,
    pub(super) live: &'a Value,
    /// Whether a run may replace it.
    pub(super) may_run_replace: bool,
}

impl Differing<'_> {
    /// How it differs, and what would be done about it.
    pub(super) fn deed<'d>(&self) -> Deed<'d> {
        let Self { shared, schema, known, page, live, .. } = self;
        let desired = Desired {
            properties: assumed(&page.stated, live),
            secret_paths: page.stated.secret_paths.clone(),
            marked: None,
            partial: false,
            dropped: Vec::new(),
        };
        let (found, patch) =
            difference_and_patch(&shared.keys, schema, &desired, Some(known), live);
        if let ChangeKind::Invalid(findings) | ChangeKind::SecretsRequired(findings) = &found.kind {
            return refused(findings, page);
        }
        let notes = patch.as_ref().map(notes).unwrap_or_default();
        let changed = patch.map(|patch| self.changed(&desired.properties, known, &patch));
        let mut changed = changed.unwrap_or_default();
        let moved = self.moved();
        let is_replaced = matches!(found.kind, ChangeKind::Replace(_)) || !moved.is_empty();
        let is_update = matches!(found.kind, ChangeKind::Update { .. });
        changed
            .extend(page.stated.unknown.iter().map(|(path, unknown)| self.waiting(path, unknown)));
        // What makes it a new resource is told first.
        changed.sort_by_key(|told| !told.contains_key(REQUIRES));
        let may_replace = !is_replaced && changed.iter().any(|told| told.contains_key(MAY));
        let changed: Vec<Value> = changed.into_iter().map(Value::Object).collect();
        let deed = |action| Deed { may_replace, notes: notes.clone(), ..Deed::of(action) };
        match (is_replaced, is_update) {
            (true, _) => {
                let reason = Some(self.why_replaced(&moved));
                Deed { changed, reason, ..deed("replace") }
            }
            (false, true) => Deed { changed, ..deed("update") },
            (false, false) if changed.is_empty() => deed("no-op"),
            (false, false) => {
                let reason = "the changes are known once its dependencies are deployed".to_owned();
                Deed { changed, reason: Some(reason), ..deed("unknown") }
            }
        }
    }

    /// What an update would write, or what only a new resource can have and what changes besides.
    fn changed(&self, desired: &Value, known: &Known, patch: &Patch) -> Vec<Map<String, Value>> {
        let Self { shared, schema, page, live, .. } = self;
        let goal = goal(live, desired, patch);
        let record = known.record(&shared.keys);
        let mut masks = Masks::of(&masked::Known {
            hidden: &page.hidden,
            stated: &page.stated.properties,
            stated_secrets: &page.stated.secret_paths,
            live,
            recorded: &known.taken_out(),
            record: &record,
        });
        let mut masked = |document: &Value| masks.mask(&to_show(schema, document, &[]));
        let (before, after) = (masked(live), masked(&goal));
        let applied = known.applied().map(|applied| masks.mask(applied));
        let documents = Documents { live: &before, goal: &after, applied: applied.as_ref() };
        let parts = Parts {
            schema,
            page,
            patch,
            record: &record,
            leaves: &split(leaves(schema, &documents)),
            missing: &known.missing(),
            live,
            goal: &goal,
            shown: &after,
        };
        let mut changed = Vec::new();
        for reason in &patch.reasons {
            let path = reason.path.as_str();
            let stated = page.stated.properties.pointer(path);
            let mut told = parts.told(path, before.pointer(path), stated);
            told.insert(REQUIRES.to_owned(), true.into());
            told.insert("reason".to_owned(), why_new(reason.cause).into());
            changed.push(told);
        }
        let is_told = |path: &str| {
            let mut reasons = patch.reasons.iter().map(|reason| reason.path.as_str());
            reasons.any(|it| it == path || is_below(path, it))
        };
        for operation in patch.operations.iter().chain(&patch.besides) {
            let path = operation.path();
            if is_told(path) {
                continue;
            }
            let stated = match operation {
                Operation::Remove { .. } => None,
                // A default that is written is in no document of ours; where only a tag of ours stays, nothing is.
                Operation::Add { .. } => page.stated.properties.pointer(path).or_else(|| {
                    after.pointer(path).filter(|it| it.as_array().is_none_or(|it| !it.is_empty()))
                }),
            };
            let mut told = parts.told(path, before.pointer(path), stated);
            parts.explain(path, &mut told);
            changed.push(told);
        }
        changed
    }

    /// What comes of resources that are made anew, where it can be set at creation only.
    fn moved(&self) -> Vec<&str> {
        let unknown = self.page.stated.unknown.iter();
        let moved = unknown.filter_map(|(path, unknown)| match &unknown.because {
            Because::Resource { address, .. } if self.is_create_only(path) => Some(&**address),
            _ => None,
        });
        moved.collect()
    }

    fn is_create_only(&self, path: &str) -> bool {
        classes(self.schema, path).has(Class::CreateOnly)
    }

    /// Something that is not known yet, and what may come of it.
    fn waiting(&self, path: &str, unknown: &Unknown) -> Map<String, Value> {
        let mut told = self.page.unknown(path, unknown);
        if let Because::Resource { address, .. } = &unknown.because {
            if self.is_create_only(path) {
                told.insert(REQUIRES.to_owned(), true.into());
                let reason =
                    format!("can be set at creation only, and {address} will be a new resource");
                told.insert("reason".to_owned(), reason.into());
            } else if may_replace(self.schema, path) {
                told.insert(MAY.to_owned(), true.into());
            }
        }
        told
    }

    fn why_replaced(&self, moved: &[&str]) -> String {
        let leave = if self.may_run_replace { "" } else { "; deploy with --replace" };
        match moved.first() {
            Some(address) => format!(
                "it depends on {address}, which will be a new resource, so it must be \
                 replaced{leave}"
            ),
            None => format!("these changes require a new resource{leave}"),
        }
    }
}

/// What AWS does with properties that a reader would not expect: a spelling of its own that cannot be changed any more,
/// a removal that it ignores.
fn notes(patch: &Patch) -> Vec<Value> {
    let is_note = |rule| matches!(rule, Rule::CreateOnlyRespelled | Rule::RemovalIgnored);
    let found = patch.explanations.iter().filter(|explanation| is_note(explanation.rule));
    let note = |Explanation { path, rule, .. }: &Explanation| json!({"path": path, "code": rule.name(), "message": rule.text()});
    found.map(note).collect()
}

/// It would fail, for the first of these.
pub(super) fn refused<'a>(findings: &[Finding], page: &Page<'_>) -> Deed<'a> {
    let first = findings.first();
    let said = first.map(|it| format!("{}: {}", it.path, it.message)).unwrap_or_default();
    Deed { place: first.and_then(|it| page.place(&it.path)), ..Deed::refused(said) }
}

/// Says of a property that only a new resource can have it.
const REQUIRES: &str = "requiresReplacement";

/// Says of a property that AWS may make a new resource for it.
pub(super) const MAY: &str = "mayReplace";
