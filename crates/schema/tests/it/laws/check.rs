//! The laws, each on one case. A law that is broken is told with what was got.

use hangar_schema::sample::{Change, Edit, Reach, Sampler};
use hangar_schema::{
    Inputs, Outcome, Patch, Rule, Subject, TypeSchema, patch, secrets, target, without_secrets,
};
use serde_json::Value;

use super::inspect;

/// A user's step from one document to the next, and what the service showed before it.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) live: Value,
    /// What was applied.
    pub(crate) before: Value,
    /// What is asked next.
    pub(crate) after: Value,
    pub(crate) changes: Vec<Change>,
    pub(crate) seed: u64,
}

/// A law that does not hold.
#[derive(Debug, Clone)]
pub(crate) struct Violation {
    pub(crate) law: &'static str,
    pub(crate) what: String,
}

/// What a case came to.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) outcome: Option<Outcome>,
    pub(crate) operations: usize,
    /// Array elements that could not be told apart, and so were not compared one by one.
    pub(crate) ambiguous: usize,
    pub(crate) violations: Vec<Violation>,
}

impl Report {
    pub(crate) fn breaks(&mut self, law: &'static str, what: String) {
        self.violations.push(Violation { law, what });
    }
}

/// A type without handlers is refused by its name.
pub(crate) fn refused(schema: &TypeSchema) -> Option<Violation> {
    let document = Value::Object(serde_json::Map::new());
    let inputs = Inputs { live: &document, desired: &document, applied: None };
    let is_refused = patch(schema, &inputs)
        .is_err_and(|found| found.iter().any(|one| one.message.contains(schema.name())));
    (!is_refused).then(|| Violation { law: "refused", what: "is not refused by name".into() })
}

/// Holds a case to every law.
pub(crate) fn check(schema: &TypeSchema, case: &Case) -> Report {
    let mut report = Report::default();
    let Case { live, before, after, .. } = case;
    expect_noop(schema, &mut report, "L1 no false difference", live, before, before);

    let patch = match diff(schema, live, after, Some(before)) {
        Ok(patch) => patch,
        Err(problem) => {
            report.breaks("L2 never an error", problem);
            return report;
        }
    };
    report.outcome = Some(patch.outcome);
    report.operations = patch.operations.len();
    outcome_fits(schema, case, &patch, &mut report);
    explained(&patch, &mut report);
    deterministic(schema, case, &patch, &mut report);
    if patch.outcome == Outcome::ReplaceRequired {
        return report;
    }

    let reached = target(live, &patch);
    applied_by_another(live, &patch, &reached, &mut report);
    let shown = without_secrets(schema, &reached);
    expect_noop(schema, &mut report, "L4 convergence", &shown, after, after);
    expect_noop(schema, &mut report, "L4 target against itself", &reached, &reached, &reached);
    inspect::protected(schema, case, &patch, &reached, &mut report);
    inspect::stated(schema, after, &patch, &reached, &mut report);
    inspect::unowned(case, &patch, &reached, &mut report);
    if patch.outcome == Outcome::Update {
        repeated(schema, case, &patch, &reached, &mut report);
    }
    report
}

pub(crate) fn diff(
    schema: &TypeSchema,
    live: &Value,
    desired: &Value,
    applied: Option<&Value>,
) -> Result<Patch, String> {
    patch(schema, &Inputs { live, desired, applied })
        .map_err(|found| found.iter().map(|one| one.message.clone()).collect::<Vec<_>>().join("; "))
}

fn expect_noop(
    schema: &TypeSchema,
    report: &mut Report,
    law: &'static str,
    live: &Value,
    desired: &Value,
    applied: &Value,
) {
    match diff(schema, live, desired, Some(applied)) {
        Ok(patch) if patch.outcome == Outcome::Noop => {}
        Ok(patch) => report.breaks(law, format!("got {}", told(&patch))),
        Err(problem) => report.breaks(law, format!("got an error: {problem}")),
    }
}

/// A patch in one line.
pub(crate) fn told(patch: &Patch) -> String {
    let reasons: Vec<String> =
        patch.reasons.iter().map(|one| format!("{} ({:?})", one.path, one.cause)).collect();
    format!("{} {} {}", patch.outcome.as_str(), patch.to_json(), reasons.join(", "))
}

fn outcome_fits(schema: &TypeSchema, case: &Case, patch: &Patch, report: &mut Report) {
    let is_immutable = schema.handlers().update.is_none();
    let is_replacement = patch.outcome == Outcome::ReplaceRequired;
    if is_replacement == patch.reasons.is_empty() {
        report.breaks("L2 reasons come with a replacement", told(patch));
    }
    if (patch.outcome == Outcome::Update) == patch.operations.is_empty() {
        report.breaks("L2 operations come with an update", told(patch));
    }
    let reach = case.changes.iter().map(|change| change.reach).max();
    if is_replacement && !is_immutable && reach == Some(Reach::Updatable) {
        report.breaks("L2 an updatable edit is not a replacement", told(patch));
    }
    if is_immutable && patch.outcome == Outcome::Update {
        report.breaks("L2 an immutable type is not updated", told(patch));
    }
    let [change] = case.changes.as_slice() else { return };
    let sets = match change.edit {
        Edit::Set | Edit::SetSecret => case.before != case.after,
        // An element of which a read returns nothing may not have been shown at all.
        Edit::RemoveElement => without_secrets(schema, &case.before)
            .pointer(&change.path)
            .is_some_and(|element| !inspect::is_hollow(element)),
        _ => false,
    };
    // The service would rewrite the one value to the other: the schema says so.
    if patch.explanations.iter().any(|one| one.rule == Rule::SameByTransform) {
        return;
    }
    if change.reach == Reach::CreateOnly && sets && !is_replacement {
        report.breaks("L2 a create-only edit is a replacement", told(patch));
    }
    let readable = without_secrets(schema, &case.after);
    let is_shown = change.edit != Edit::SetSecret && inspect::shows(&case.live, &readable);
    if change.reach == Reach::Updatable && sets && patch.outcome == Outcome::Noop && !is_shown {
        report.breaks("L2 an edit is seen", told(patch));
    }
}

/// The patch read by a library that knows nothing of ours.
fn applied_by_another(live: &Value, patch: &Patch, reached: &Value, report: &mut Report) {
    let law = "L3 another library reaches the target";
    let operations: json_patch::Patch = match serde_json::from_value(patch.to_json()) {
        Ok(operations) => operations,
        Err(problem) => return report.breaks(law, problem.to_string()),
    };
    let mut document = live.clone();
    match json_patch::patch(&mut document, &operations) {
        Ok(()) if document == *reached => {}
        Ok(()) => report.breaks(law, format!("{} against {document}", told(patch))),
        Err(problem) => report.breaks(law, format!("{}: {problem}", told(patch))),
    }
}

fn deterministic(schema: &TypeSchema, case: &Case, patch: &Patch, report: &mut Report) {
    let Case { live, before, after, seed, .. } = case;
    if diff(schema, live, after, Some(before)).as_ref() != Ok(patch) {
        report.breaks("L6 the same input gives the same patch", told(patch));
    }
    let other = Sampler::new(schema).reordered(after, *seed);
    match diff(schema, live, &other, Some(before)) {
        Ok(again) if again.outcome == patch.outcome && paths(&again) == paths(patch) => {}
        Ok(again) => {
            report.breaks(
                "L7 order of unordered arrays means nothing",
                format!("{} against {} for {other}", told(patch), told(&again)),
            );
        }
        Err(problem) => report.breaks("L7 order of unordered arrays means nothing", problem),
    }
}

fn paths(patch: &Patch) -> Vec<(&str, &str)> {
    patch.operations.iter().map(|operation| (operation.verb(), operation.path())).collect()
}

fn explained(patch: &Patch, report: &mut Report) {
    let mut of_explanations: Vec<(&str, &str)> = patch
        .explanations
        .iter()
        .filter_map(|explanation| match explanation.subject {
            Subject::Add => Some(("add", explanation.path.as_str())),
            Subject::Remove => Some(("remove", explanation.path.as_str())),
            Subject::Suppressed | Subject::Within => None,
        })
        .collect();
    let mut of_operations = paths(patch);
    of_explanations.sort_unstable();
    of_operations.sort_unstable();
    if of_explanations != of_operations {
        let what = format!("{} explained as {of_explanations:?}", told(patch));
        report.breaks("L8 every operation has one explanation", what);
    }
}

/// AWS loses a write-only value that an update does not repeat.
fn repeated(schema: &TypeSchema, case: &Case, patch: &Patch, reached: &Value, report: &mut Report) {
    let mut sent: Vec<Value> =
        secrets(schema, reached).into_iter().map(|secret| secret.value.into_owned()).collect();
    for secret in secrets(schema, &case.after) {
        if inspect::is_create_only_path(schema, &secret.path) {
            continue;
        }
        match sent.iter().position(|value| *value == *secret.value) {
            Some(at) => drop(sent.swap_remove(at)),
            None => report.breaks(
                "L10 an update carries every write-only value",
                format!("{} is not in {}", secret.path, told(patch)),
            ),
        }
    }
}
