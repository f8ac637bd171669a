//! Which references may go next: those that nothing left depends on.

use std::collections::{HashMap, HashSet};

use super::sweep::{Member, Standing};

/// The members whose deletion may begin now, by index.
///
/// Where everything that is left waits for something that will not go, those go that wait only for what
/// was refused; and where they wait for each other, a circle of them that nothing else waits for.
pub(super) fn next(members: &[Member]) -> Vec<usize> {
    let above = dependants(members);
    let free: Vec<usize> =
        (0..members.len()).filter(|it| members[*it].standing == Standing::Free).collect();
    let ready: Vec<usize> = free.iter().copied().filter(|it| above[*it].is_empty()).collect();
    let busy = members.iter().any(|it| it.standing == Standing::Busy);
    if busy || !ready.is_empty() {
        return ready;
    }
    let mut best: Option<Vec<usize>> = None;
    let mut unblocked = Vec::new();
    for start in free {
        let fewer_than = best.as_ref().map_or(usize::MAX, Vec::len);
        match waited_for(members, &above, start, fewer_than) {
            Some(waited_for) if waited_for.is_empty() => unblocked.push(start),
            Some(mut circle) => {
                if !circle.contains(&start) {
                    circle.push(start);
                }
                circle.sort_unstable();
                best = Some(circle);
            }
            None => {}
        }
    }
    if unblocked.is_empty() { best.unwrap_or_default() } else { unblocked }
}

/// By member, those that depend on it.
fn dependants(members: &[Member]) -> Vec<Vec<usize>> {
    let indexes: HashMap<String, usize> =
        members.iter().enumerate().map(|(index, it)| (it.id.to_ascii_lowercase(), index)).collect();
    let mut above = vec![Vec::new(); members.len()];
    for (index, member) in members.iter().enumerate() {
        for id in &member.depends_on {
            match indexes.get(&id.to_ascii_lowercase()) {
                Some(below) if *below != index => above[*below].push(index),
                _ => {}
            }
        }
    }
    above
}

/// All that `start` waits for and that was not refused; nothing where that is not fewer than so many.
///
/// Who waits for the fewest waits only for those that wait for it in turn.
fn waited_for(
    members: &[Member],
    above: &[Vec<usize>],
    start: usize,
    fewer_than: usize,
) -> Option<Vec<usize>> {
    let mut found = HashSet::new();
    let mut open = vec![start];
    while let Some(at) = open.pop() {
        for other in &above[at] {
            if members[*other].standing == Standing::Free && found.insert(*other) {
                if found.len() >= fewer_than {
                    return None;
                }
                open.push(*other);
            }
        }
    }
    Some(found.into_iter().collect())
}
