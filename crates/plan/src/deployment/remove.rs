//! The rows of a run that take away what left its template, and what the deployment manages after it.

use std::collections::{HashMap, HashSet};

use super::{
    DeploymentWork, Detached, Fate, Holdings, Left, Member, Row, RowState, RowTarget, Stated,
    members_of,
};
use crate::operation::{OperationId, SuccessKind};
use crate::record::GroupName;

/// So many of what was detached stay listed, the latest.
const MOST_DETACHED: usize = 200;

/// The rows that take away what is to go; they stand behind the `first` rows of the template. What rests on
/// another goes before it, and where a circle of them does, one of it is the first.
pub fn removal_rows(
    leaving: &[Left],
    group: &GroupName,
    template: &[Row],
    operation_of: impl Fn(&str) -> OperationId,
) -> Vec<Row> {
    let first = template.len();
    let mut taken: HashSet<String> = template.iter().map(|row| row.address.clone()).collect();
    let going: Vec<(&Left, super::Removal)> = leaving
        .iter()
        .filter_map(|left| match left.fate {
            Fate::Removed { how, .. } => Some((left, how)),
            Fate::Kept { .. } | Fate::TakenOver { .. } => None,
        })
        .collect();
    let before =
        gone_before(&going.iter().map(|(left, _)| &left.member).collect::<Vec<_>>(), group);
    let rows = going.iter().zip(before).map(|((left, how), before)| {
        let Left { member, identifier, .. } = left;
        let id = member.id(group);
        // A symbol may be another's by now.
        let address = if taken.insert(member.address.clone()) {
            member.address.clone()
        } else {
            taken.insert(id.clone());
            id.clone()
        };
        Row {
            operation: operation_of(&id),
            address,
            kind: member.kind.clone(),
            target: RowTarget::Removed {
                alias: member.name.clone(),
                how: *how,
                depends_on: member.depends_on.clone(),
            },
            depends_on: before.into_iter().map(|index| first + index).collect(),
            place: None,
            identifier: identifier.clone(),
            changed: Vec::new(),
            made: Vec::new(),
            retires: false,
            plan: None,
            waiting: None,
            verb: None,
            state: RowState::Waiting,
        }
    });
    rows.collect()
}

/// By member, those that go before it because they rest on it; never a circle.
fn gone_before(members: &[&Member], group: &GroupName) -> Vec<Vec<usize>> {
    let places: HashMap<String, usize> =
        members.iter().enumerate().map(|(index, it)| (it.key(group), index)).collect();
    let mut above: Vec<Vec<usize>> = vec![Vec::new(); members.len()];
    let mut rests_on: Vec<Vec<usize>> = vec![Vec::new(); members.len()];
    for (index, member) in members.iter().enumerate() {
        for id in &member.depends_on {
            match places.get(&id.to_ascii_lowercase()) {
                Some(below) if *below != index && !above[*below].contains(&index) => {
                    above[*below].push(index);
                    rests_on[index].push(*below);
                }
                _ => {}
            }
        }
    }
    let mut waits_for: Vec<usize> = above.iter().map(Vec::len).collect();
    let mut is_placed = vec![false; members.len()];
    let mut ready: Vec<usize> = (0..members.len()).filter(|it| waits_for[*it] == 0).collect();
    let mut before = vec![Vec::new(); members.len()];
    let mut next_of_circle = 0;
    loop {
        let next = ready.pop().or_else(|| {
            next_of_circle = (next_of_circle..members.len()).find(|it| !is_placed[*it])?;
            Some(next_of_circle)
        });
        let Some(next) = next else { return before };
        if std::mem::replace(&mut is_placed[next], true) {
            continue;
        }
        before[next] =
            above[next].iter().copied().filter(|it| *it != next && is_placed[*it]).collect();
        for &below in &rests_on[next] {
            waits_for[below] = waits_for[below].saturating_sub(1);
            if waits_for[below] == 0 && !is_placed[below] {
                ready.push(below);
            }
        }
    }
}

/// What a deployment manages when a run of it is over.
pub fn holdings_after(work: &DeploymentWork) -> Holdings {
    let group = &work.deployment.group;
    let Holdings { left, mut detached, retiring, .. } = work.holdings.clone();
    let mut managed = members_of(&work.rows, group);
    let kept = left.iter().filter(|left| matches!(left.fate, Fate::Kept { .. }));
    managed.extend(kept.map(|left| left.member.clone()));
    let here: HashSet<String> = managed.iter().map(|member| member.key(group)).collect();
    detached.retain(|it| !here.contains(&it.member.key(group)));
    for row in &work.rows {
        if let RowTarget::Removed { alias, depends_on, .. } = &row.target
            && let RowState::Done { stated: Stated::Put(SuccessKind::Unlinked), .. } = row.state
        {
            let member = Member {
                kind: row.kind.clone(),
                name: alias.clone(),
                address: row.address.clone(),
                depends_on: depends_on.clone(),
            };
            detached.retain(|it| it.member.key(group) != member.key(group));
            detached.push(Detached { member, identifier: row.identifier.clone() });
        }
    }
    let surplus = detached.len().saturating_sub(MOST_DETACHED);
    detached.drain(..surplus);
    Holdings { managed: Some(managed), left, detached, retiring }
}
