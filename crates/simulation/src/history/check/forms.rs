//! I15: what is learned of AWS's forms is what AWS does, and hides no change that others made.

use hangar_plan::operation::LEARN_WITHIN;
use hangar_plan::record::{DriftState, FormValue, NormalForm, Reference};
use serde_json::Value;

use super::super::{Deed, Spelling};
use super::index::Index;

pub(super) fn what_is_learned_is_true(index: &Index<'_>, found: &mut Vec<String>) {
    for (key, reference) in &index.references {
        for form in &reference.documents.learned {
            if !is_spelling(index, reference, form) && !is_changed_in_time(index, reference, form) {
                found.push(format!(
                    "{key} has learned that {} is {:?} if {:?} is sent",
                    form.path, form.seen, form.sent
                ));
            }
        }
    }
}

/// Whether AWS writes the value so.
fn is_spelling(index: &Index<'_>, reference: &Reference, form: &NormalForm) -> bool {
    let (FormValue::Plain(Value::String(sent)), FormValue::Plain(Value::String(seen))) =
        (&form.sent, &form.seen)
    else {
        return false;
    };
    spellings(index, reference).any(|it| {
        (it.path.as_str(), it.sent.as_str(), it.seen.as_str())
            == (form.path.as_str(), sent.as_str(), seen.as_str())
    })
}

/// Whether somebody changed the resource between the write and the read: no read can tell that from AWS's work.
fn is_changed_in_time(index: &Index<'_>, reference: &Reference, form: &NormalForm) -> bool {
    let Some(identifier) = reference.entry.identifier.as_deref() else { return false };
    let mut hands = index.history.hands.iter();
    hands.any(|hand| {
        hand.deed != Deed::Deleted
            && hand.identifier == identifier
            && hand.at <= form.learned_at
            // The write may be as old as the last attention to it, and the read may come as late after its end.
            && form.learned_at.since(hand.at) <= LEARN_WITHIN * 2
    })
}

pub(super) fn no_form_hides_a_change(index: &Index<'_>, found: &mut Vec<String>) {
    for existing in &index.history.resources {
        let (Some(reference), Some(live)) = (index.namer(existing), &existing.properties) else {
            continue;
        };
        let is_in_sync =
            reference.drift.as_ref().is_some_and(|drift| drift.state == DriftState::InSync);
        let Some(applied) = reference.documents.applied.as_ref().filter(|_| is_in_sync) else {
            continue;
        };
        for path in paths(index, reference) {
            let (Some(sent), Some(seen)) = (applied.pointer(path), live.pointer(path)) else {
                continue;
            };
            let is_form = spellings(index, reference).any(|it| {
                it.path == path && *sent == it.sent.as_str() && *seen == it.seen.as_str()
            });
            let is_learned = reference.documents.learned.iter().any(|form| {
                form.path == path
                    && form.seen == FormValue::Plain(seen.clone())
                    && is_changed_in_time(index, reference, form)
            });
            if sent != seen && !is_form && !is_learned {
                found.push(format!(
                    "{} counts as in sync, but {path} is {seen} and {sent} was applied",
                    reference.name.key()
                ));
            }
        }
    }
}

fn spellings<'i>(
    index: &'i Index<'_>,
    reference: &Reference,
) -> impl Iterator<Item = &'i Spelling> {
    let type_name = reference.name.type_name.cloud_formation();
    index.history.spellings.iter().filter(move |it| it.type_name == type_name)
}

fn paths<'i>(index: &'i Index<'_>, reference: &Reference) -> Vec<&'i str> {
    let mut paths: Vec<&str> = spellings(index, reference).map(|it| it.path.as_str()).collect();
    paths.dedup();
    paths
}
