//! I10: the deletion of a group deletes what the group owns, and leaves alone what was only taken in.
//! I14: a deployment takes away only what it manages: what its own run was the last to put by the alias.

use std::collections::BTreeMap;

use hangar_plan::Timestamp;
use hangar_plan::group::GroupTask;
use hangar_plan::operation::{Ending, Kind, Verb};
use hangar_plan::record::Work;

use super::super::Deed;
use super::index::Index;

pub(super) fn a_group_takes_only_what_it_owns(index: &Index<'_>, found: &mut Vec<String>) {
    let titles = titles(index);
    for called in index.history.calls.iter().filter(|it| it.name == "DeleteResource") {
        let Some(record) = index.sender(called) else { continue };
        let (Some(identifier), Some(name)) = (called.identifier.as_deref(), record.reference())
        else {
            continue;
        };
        let parent = record.parent.and_then(|id| index.operations.get(&id));
        let by_group = parent.is_some_and(
            |it| matches!(&it.work, Work::Group(work) if work.task == GroupTask::Delete),
        );
        let titles = titles.get(identifier).map(Vec::as_slice).unwrap_or_default();
        if by_group && is_foreign(index, titles, index.began(record), identifier) {
            let key = name.key();
            found
                .push(format!("{identifier}, which {key} did not own, was deleted with its group"));
        }
    }
}

pub(super) fn a_deployment_takes_away_only_what_it_manages(
    index: &Index<'_>,
    found: &mut Vec<String>,
) {
    // By alias, which deployment's run put it when.
    let mut put: BTreeMap<String, Vec<(Timestamp, String)>> = BTreeMap::new();
    let mut taken = Vec::new();
    for record in &index.history.operations {
        let (Some(work), Some(name)) = (record.resource(), record.reference()) else { continue };
        let parent = record.parent.and_then(|id| index.operations.get(&id));
        let Some(Work::Deployment(run)) = parent.map(|it| &it.work) else { continue };
        let (key, by) = (name.key(), run.deployment.key());
        let is_row = run.rows.iter().any(|row| row.operation == record.id());
        match work.operation.kind {
            Kind::Put if is_row => put.entry(key).or_default().push((record.created_at, by)),
            Kind::Delete | Kind::Unlink => taken.push((key, record.created_at, by)),
            Kind::Put | Kind::Import { .. } => {}
        }
    }
    for (key, at, by) in taken {
        let before = put.get(&key).into_iter().flatten().filter(|(put_at, _)| *put_at <= at);
        let last = before.max_by_key(|(put_at, _)| *put_at).map(|(_, by)| by.as_str());
        let is_forgotten = last.is_none() && index.history.pruned_before.is_some();
        if last != Some(by.as_str()) && !is_forgotten {
            let whose = last.unwrap_or("no deployment");
            found.push(format!("{by} removed {key}, which {whose} had put last"));
        }
    }
}

/// When each resource was brought in, and whether as the alias's own.
fn titles<'h>(index: &Index<'h>) -> BTreeMap<&'h str, Vec<(Timestamp, bool)>> {
    let mut titles: BTreeMap<&str, Vec<(Timestamp, bool)>> = BTreeMap::new();
    for record in &index.history.operations {
        let Some(work) = record.resource() else { continue };
        let creates: Vec<_> =
            record.attempts().iter().filter(|it| it.verb == Verb::Create).collect();
        for identifier in creates.iter().filter_map(|it| it.identifier.as_deref()) {
            titles.entry(identifier).or_default().push((index.began(record), true));
        }
        // One that failed has brought in nothing.
        let done = matches!(record.ending(), Some(Ending::Succeeded(_)));
        if let (true, Kind::Import { owned, .. }, Some(identifier)) =
            (done, &work.operation.kind, work.operation.identifier.as_deref())
        {
            titles.entry(identifier).or_default().push((index.began(record), *owned));
        }
        // One that was to apply properties, too, may have failed over those alone: then it is brought in all the same.
        if let (false, Kind::Import { apply: true, .. }, Some(identifier)) =
            (done, &work.operation.kind, work.operation.identifier.as_deref())
        {
            titles.entry(identifier).or_default().push((index.began(record), true));
        }
        // A put that found its name taken, and was allowed to, has taken that in, whatever became of it then.
        let adoption = work.operation.policy.adopt.as_ref().filter(|_| !creates.is_empty());
        if let (Some(adoption), Some(identifier)) = (adoption, work.operation.identifier.as_deref())
        {
            titles.entry(identifier).or_default().push((index.began(record), adoption.owned));
        }
    }
    titles
}

/// Whether what is deleted is not its alias's: who brought it in last before did not take it over, or hands made
/// it and nobody brought it in.
fn is_foreign(
    index: &Index<'_>,
    titles: &[(Timestamp, bool)],
    deleted_at: Timestamp,
    identifier: &str,
) -> bool {
    let before = titles.iter().filter(|(at, _)| *at <= deleted_at);
    let by_hand = || {
        index.history.hands.iter().any(|it| it.deed == Deed::Made && it.identifier == identifier)
    };
    let before: Vec<_> = before.collect();
    match before.iter().map(|(at, _)| *at).max() {
        None => by_hand(),
        // Of those of one instant nobody knows which came last.
        Some(last) => !before.iter().any(|(at, owned)| *at == last && *owned),
    }
}
