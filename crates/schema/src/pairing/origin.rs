//! Which applied element each stated one comes from, so that a member dropped inside an element
//! is seen as dropped.

use std::collections::HashMap;

use serde_json::Value;

use super::{MATCHING_BUDGET, identity, pair_by_identity};
use crate::equal::{self, Holders};
use crate::fingerprint;
use crate::spot::Spot;
use crate::type_schema::TypeSchema;

/// For each stated element the applied one it comes from; `live` is what each was paired with.
pub(crate) fn origins<'a>(
    schema: &'a TypeSchema,
    element: Spot,
    holders: Holders<'a>,
    stated: &[&'a Value],
    applied: &[&'a Value],
    live: &[Option<&'a Value>],
) -> Vec<Option<usize>> {
    if applied.is_empty() {
        return vec![None; stated.len()];
    }
    // The usual case by far: nothing was edited since.
    if stated == applied {
        return (0..stated.len()).map(Some).collect();
    }
    if let Some(identity) = identity(schema, element, &[stated, applied]) {
        return pair_by_identity(&identity, stated, applied).of_left;
    }
    let mut taken = vec![false; applied.len()];
    let mut origins = unchanged(schema, element, stated, applied, &mut taken);
    let open = origins.iter().filter(|origin| origin.is_none()).count();
    let left = taken.iter().filter(|taken| !**taken).count();
    if open.saturating_mul(left) > MATCHING_BUDGET {
        return origins;
    }
    let keeps_places = applied.len() == stated.len();
    for (index, origin) in origins.iter_mut().enumerate().filter(|(_, origin)| origin.is_none()) {
        *origin = (0..applied.len()).find(|&at| {
            !taken[at]
                && match live[index] {
                    // What was applied to an element is what that element shows.
                    Some(live) => equal::shows(schema, element, holders, applied[at], Some(live)),
                    None => keeps_places && at == index,
                }
        });
        if let Some(at) = *origin {
            taken[at] = true;
        }
    }
    origins
}

/// Elements that are stated as they were applied.
fn unchanged<'a>(
    schema: &TypeSchema,
    element: Spot,
    stated: &[&'a Value],
    applied: &[&'a Value],
    taken: &mut [bool],
) -> Vec<Option<usize>> {
    let mut by_print: HashMap<u64, Vec<usize>> = HashMap::with_capacity(applied.len());
    for (at, item) in applied.iter().enumerate().rev() {
        let print = fingerprint::of_readable(schema, element, item);
        by_print.entry(print).or_default().push(at);
    }
    stated
        .iter()
        .map(|item| {
            let print = fingerprint::of_readable(schema, element, item);
            let at = by_print.get_mut(&print).and_then(Vec::pop)?;
            taken[at] = true;
            Some(at)
        })
        .collect()
}
