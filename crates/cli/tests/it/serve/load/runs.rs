//! What must be true of deployments when a load has ended: every run has, what it tells of its resources is so, and
//! what stays of a deployment is what its last run came to.

use std::collections::{BTreeMap, BTreeSet};

use hangar_plan::Timestamp;
use hangar_plan::deployment::{DeploymentTask, DeploymentWork, Row, RowState, RowTarget, Stated};
use hangar_plan::operation::{Ending, EntryState, OperationId};
use hangar_plan::record::{DeploymentRecord, OperationRecord, ReferenceName, Work};
use hangar_simulation::history::History;

use super::deeds::GROUP;

/// How many runs there were, by how they ended.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Runs {
    pub(crate) succeeded: usize,
    pub(crate) failed: usize,
    pub(crate) stopped: usize,
}

impl Runs {
    pub(super) fn of(history: &History) -> Self {
        let mut runs = Self::default();
        for (record, _) in all(history) {
            match record.ending() {
                Some(Ending::Succeeded(_)) => runs.succeeded += 1,
                Some(Ending::Failed(_)) => runs.failed += 1,
                Some(Ending::Canceled(_)) => runs.stopped += 1,
                None => {}
            }
        }
        runs
    }

    pub(crate) const fn count(self) -> usize {
        self.succeeded + self.failed + self.stopped
    }
}

/// What is not as it must be.
pub(super) fn complaints(history: &History, kept: &[DeploymentRecord]) -> Vec<String> {
    let look = Look::at(history);
    let mut found = Vec::new();
    let mut by_name: BTreeMap<String, Vec<(&OperationRecord, &DeploymentWork)>> = BTreeMap::new();
    for (record, work) in all(history) {
        by_name.entry(work.deployment.key()).or_default().push((record, work));
        // That it has not ended is told by I4.
        if record.is_ended() {
            look.run(record, work, &mut found);
        }
    }
    for (key, runs) in &mut by_name {
        runs.sort_by_key(|(record, _)| look.began(record));
        for pair in runs.windows(2) {
            let (first, second) = (pair[0].0, pair[1].0);
            if first.ended_at.is_none_or(|ended_at| ended_at > look.began(second)) {
                let (first, second) = (first.id(), second.id());
                found.push(format!("{key}: the run {second} began before {first} ended"));
            }
        }
        // Those of a group that was deleted went with it.
        let (last, work) = runs[runs.len() - 1];
        let record = kept.iter().find(|it| it.name.key() == *key);
        match record {
            Some(record) if last.is_ended() => {
                let same = record.operation == last.id()
                    && record.ending.as_ref() == last.ending()
                    && record.ended_at == last.ended_at
                    && record.rows == work.rows
                    && record.outputs == work.result;
                if !same {
                    found.push(format!(
                        "{key} is kept as {record:#?}, and its last run is {last:#?}"
                    ));
                }
            }
            None if work.deployment.group.group == GROUP => {
                found.push(format!("{key} was deployed, and is not kept"));
            }
            _ => {}
        }
    }
    for record in kept.iter().filter(|it| !by_name.contains_key(&it.name.key())) {
        found.push(format!("{} is kept, and no run of it is", record.name.key()));
    }
    found
}

/// Every run of a template that deploys.
fn all(history: &History) -> impl Iterator<Item = (&OperationRecord, &DeploymentWork)> {
    history.operations.iter().filter_map(|record| match &record.work {
        Work::Deployment(work) if work.task == DeploymentTask::Deploy => Some((record, &**work)),
        _ => None,
    })
}

/// A history, and what is looked up in it.
struct Look<'h> {
    history: &'h History,
    operations: BTreeMap<OperationId, &'h OperationRecord>,
    children: BTreeMap<OperationId, BTreeSet<OperationId>>,
    /// When the store wrote the first event of each operation: it was accepted then.
    accepted: BTreeMap<OperationId, Timestamp>,
    /// The last operation on each alias.
    last: BTreeMap<String, OperationId>,
}

impl<'h> Look<'h> {
    fn at(history: &'h History) -> Self {
        let firsts = history.events.iter().filter(|event| event.sequence == 1);
        let mut look = Self {
            history,
            operations: history.operations.iter().map(|record| (record.id(), record)).collect(),
            children: BTreeMap::new(),
            accepted: firsts.map(|event| (event.operation, event.at)).collect(),
            last: BTreeMap::new(),
        };
        let mut in_order: Vec<_> = history.operations.iter().collect();
        in_order.sort_by_key(|record| (look.began(record), record.ended_at));
        for record in in_order {
            if let Some(parent) = record.parent {
                look.children.entry(parent).or_default().insert(record.id());
            }
            if let Some(name) = record.reference() {
                look.last.insert(name.key(), record.id());
            }
        }
        look
    }

    fn began(&self, record: &OperationRecord) -> Timestamp {
        let accepted = self.accepted.get(&record.id()).copied();
        accepted.map_or(record.created_at, |at| at.max(record.created_at))
    }

    fn run(&self, record: &OperationRecord, work: &DeploymentWork, found: &mut Vec<String>) {
        let id = record.id();
        let mut complain = |row: &Row, what: &str| {
            found.push(format!("run {id} of {}: {}: {what}", work.deployment.key(), row.address));
        };
        for row in &work.rows {
            for complaint in self.row(record, work, row) {
                complain(row, &complaint);
            }
        }
        let succeeded = matches!(record.ending(), Some(Ending::Succeeded(_)));
        if let Some(row) = work.rows.iter().find(|row| succeeded && !row.is_done()) {
            complain(row, "it is not done, and the run succeeded");
        }
        let named: BTreeSet<_> = work.rows.iter().map(|row| row.operation).collect();
        // A run ends with another try at what its rows replaced: operations on the same aliases.
        let untidy = work.rows.iter().filter(|row| row.retires && row.is_done());
        let untidy: BTreeSet<String> = untidy
            .filter_map(|row| row.reference(&work.deployment.group))
            .map(|name| name.key())
            .collect();
        let is_tidying = |it: &OperationId| {
            let name = self.operations.get(it).and_then(|record| record.reference());
            name.is_some_and(|name| untidy.contains(&name.key()))
        };
        let children = self.children.get(&id).into_iter().flatten();
        for stranger in children.filter(|it| !named.contains(it) && !is_tidying(it)) {
            found.push(format!("run {id}: its operation {stranger} is of no row"));
        }
    }

    fn row(&self, run: &OperationRecord, work: &DeploymentWork, row: &Row) -> Vec<String> {
        let mut found = Vec::new();
        let child = self.operations.get(&row.operation).copied();
        if child.is_some_and(|it| it.parent != Some(run.id())) {
            found.push("its operation is of another run".to_owned());
        }
        if child.is_some_and(|it| it.ended_at.is_none_or(|at| Some(at) > run.ended_at)) {
            found.push("its operation went on after the run had ended".to_owned());
        }
        let begun_at = match &row.state {
            RowState::Done { begun_at, stated, .. } => {
                if matches!(row.target, RowTarget::Managed(_)) {
                    found.extend(self.done(work, row, child, *stated));
                }
                Some(*begun_at)
            }
            RowState::Failed { begun_at, .. } => {
                if matches!(child.and_then(OperationRecord::ending), Some(Ending::Succeeded(_))) {
                    found.push("it failed, and its operation succeeded".to_owned());
                }
                Some(*begun_at)
            }
            RowState::Skipped { .. } | RowState::Canceled if child.is_some() => {
                found.push("it was not begun, and has an operation".to_owned());
                None
            }
            RowState::Skipped { .. } | RowState::Canceled => None,
            RowState::Waiting | RowState::Begun { .. } => {
                found.push(format!("it is {:?} though the run has ended", row.state));
                None
            }
        };
        let before = row.depends_on.iter().filter_map(|it| work.rows.get(*it));
        for before in before.filter(|_| begun_at.is_some()) {
            let done = matches!(before.state, RowState::Done { at, .. } if Some(at) <= begun_at);
            if !done {
                found.push(format!("it was begun before {} was done", before.address));
            }
        }
        found
    }

    /// Whether a later operation worked on what a row made: under another alias, where it was renamed meanwhile.
    fn is_touched_after(&self, child: &OperationRecord, row: &Row) -> bool {
        let began = self.began(child);
        let is_of = |record: &OperationRecord| {
            let identifier = record.resource().and_then(|it| it.operation.identifier.as_ref());
            let mut replaced = record.attempts().iter().filter_map(|it| it.replaces.as_ref());
            identifier == row.identifier.as_ref()
                || replaced.any(|it| Some(it) == row.identifier.as_ref())
        };
        let mut all = self.history.operations.iter();
        all.any(|record| record.id() != child.id() && self.began(record) >= began && is_of(record))
    }

    /// What a row that is done came to is what its operation did, and what its reference stands for, unless
    /// somebody has written there since.
    fn done(
        &self,
        work: &DeploymentWork,
        row: &Row,
        child: Option<&OperationRecord>,
        stated: Stated,
    ) -> Vec<String> {
        let Some(child) = child else { return vec!["it is done by nobody".to_owned()] };
        let mut found = Vec::new();
        let kind = match child.ending() {
            Some(Ending::Succeeded(success)) => Some(Stated::Put(success.kind)),
            _ => None,
        };
        if kind != Some(stated) {
            found.push(format!("it is {stated:?}, and its operation {kind:?}"));
        }
        let made = child.resource().and_then(|it| it.operation.identifier.as_ref());
        if row.identifier.is_none() || made != row.identifier.as_ref() {
            found.push(format!("it is {:?}, and its operation's {made:?}", row.identifier));
        }
        let key = row.reference(&work.deployment.group).as_ref().map(ReferenceName::key);
        let key = key.unwrap_or_default();
        let is_last =
            self.last.get(&key) == Some(&child.id()) && !self.is_touched_after(child, row);
        // A group takes its references with it, under its own operation.
        if is_last && work.deployment.group.group == GROUP {
            let mut references = self.history.references.iter();
            let stands = references.any(|it| {
                it.is_known_as(&key)
                    && it.entry.identifier == row.identifier
                    && it.entry.state == EntryState::Ready
            });
            if !stands {
                found.push(format!("{key} does not stand for {:?}", row.identifier));
            }
        }
        found
    }
}
