//! What must hold for each pair: an unchanged declaration asks for nothing, and an update that
//! changes one property sends a document that AWS accepts.

use hangar_schema::{
    Catalog, Class, Holes, Inputs, Outcome, PropertyPointer, Purpose, TypeSchema, findings, patch,
    target,
};
use serde_json::Value;

use super::change;
use super::pairs::Pair;

/// One difference between what must hold and what Hangar computes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Breach {
    pub(super) type_name: String,
    /// RFC 6901 pointer with `*` for elements.
    pub(super) path: String,
    pub(super) kind: Kind,
    /// The name of the recording.
    pub(super) file: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// An unchanged declaration would be written.
    Update,
    /// An unchanged declaration would need a new resource.
    Replace,
    /// AWS would refuse the document that an update produces.
    Refused,
    /// Hangar refuses the declaration that AWS accepted.
    Declaration,
}

impl Kind {
    pub(super) const ALL: [Self; 4] =
        [Self::Update, Self::Replace, Self::Refused, Self::Declaration];

    /// The word in the list of known differences.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Update => "update",
            Self::Replace => "replace",
            Self::Refused => "refused",
            Self::Declaration => "declaration",
        }
    }
}

/// What the pairs were asked.
#[derive(Default)]
pub(super) struct Count {
    pub(super) pairs: usize,
    /// Pairs of types that the catalog does not have.
    pub(super) unknown: usize,
    /// Properties that were changed one at a time.
    pub(super) changes: usize,
}

/// Asks one pair.
pub(super) fn check(pair: &Pair, count: &mut Count) -> Vec<Breach> {
    let Ok(schema) = Catalog::bundled().get(&pair.type_name) else {
        count.unknown += 1;
        return Vec::new();
    };
    count.pairs += 1;
    let mut breaches = unchanged(&schema, pair);
    for desired in change::one_at_a_time(&schema, &pair.declared) {
        count.changes += 1;
        breaches.extend(refusals(&schema, pair, &desired));
    }
    breaches.sort();
    breaches.dedup();
    breaches
}

fn unchanged(schema: &TypeSchema, pair: &Pair) -> Vec<Breach> {
    let breach = |kind, path: &str| Breach {
        type_name: pair.type_name.clone(),
        path: starred(path),
        kind,
        file: pair.file.clone(),
    };
    let inputs =
        Inputs { live: &pair.live, desired: &pair.declared, applied: Some(&pair.declared) };
    match patch(schema, &inputs) {
        Err(problems) => problems
            .iter()
            .map(|one| breach(Kind::Declaration, one.pointer.as_deref().unwrap_or_default()))
            .collect(),
        Ok(made) => match made.outcome {
            Outcome::Noop => Vec::new(),
            Outcome::Update => {
                made.operations.iter().map(|one| breach(Kind::Update, one.path())).collect()
            }
            Outcome::ReplaceRequired => {
                made.reasons.iter().map(|one| breach(Kind::Replace, &one.path)).collect()
            }
        },
    }
}

/// What AWS refuses in the document that the update to `desired` produces.
fn refusals(schema: &TypeSchema, pair: &Pair, desired: &Value) -> Vec<Breach> {
    let inputs = Inputs { live: &pair.live, desired, applied: Some(&pair.declared) };
    let Ok(made) = patch(schema, &inputs) else { return Vec::new() };
    if made.outcome != Outcome::Update {
        return Vec::new();
    }
    let sent = target(&pair.live, &made);
    let found = findings(schema, &sent, Purpose::Merged, Holes::NONE);
    found
        .iter()
        .filter(|one| one.is_error() && !one.is_unknown_name())
        .map(|one| Breach {
            type_name: pair.type_name.clone(),
            path: starred(one.pointer()),
            kind: Kind::Refused,
            file: pair.file.clone(),
        })
        .collect()
}

/// The pointer with `*` in place of the index of an element.
fn starred(pointer: &str) -> String {
    let star = |step: &str| if is_index(step) { "*".to_owned() } else { step.to_owned() };
    pointer.split('/').map(star).collect::<Vec<_>>().join("/")
}

fn is_index(step: &str) -> bool {
    !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether an update can change a property: some place of it is neither create-only nor read-only.
pub(super) fn is_updatable(schema: &TypeSchema, name: &str) -> bool {
    let classes = schema.classes_of(&PropertyPointer::of_member(name));
    !classes.has(Class::CreateOnly) && !classes.has(Class::ReadOnly) && !classes.is_hidden()
}
