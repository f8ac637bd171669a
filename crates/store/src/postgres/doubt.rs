//! Steps that may have been committed without our knowing: one that is asked for again is not refused
//! for itself.

use std::collections::HashMap;

use hangar_plan::operation::OperationId;
use hangar_plan::record::{Epoch, Version};
use sha2::{Digest as _, Sha256};

use crate::column::to_json;
use crate::{Commit, RecipeChange};

/// As many as are remembered. One whose caller never asks again stays until newer ones need its place.
const KEPT: usize = 10_000;

/// An operation, a lease on it, and the version that a step was made on.
type StepKey = (OperationId, Epoch, Version);

/// A step whose commit nobody answered.
struct Doubted {
    fingerprint: [u8; 32],
    /// Marks are counted up: the least is the oldest.
    mark: i64,
}

/// The steps that are in doubt.
#[derive(Default)]
pub(super) struct Doubts(HashMap<StepKey, Doubted>);

impl Doubts {
    /// The mark of a step that may have been committed without our knowing, if this is one.
    pub(super) fn find(&self, commit: &Commit) -> Option<i64> {
        let doubted = self.0.get(&key(commit))?;
        (doubted.fingerprint == fingerprint(commit)).then_some(doubted.mark)
    }

    /// Remembers a step; the oldest is forgotten where there are too many.
    pub(super) fn note(&mut self, commit: &Commit, mark: i64) {
        self.0.insert(key(commit), Doubted { fingerprint: fingerprint(commit), mark });
        if self.0.len() > KEPT {
            let oldest = self.0.iter().min_by_key(|(_, it)| it.mark).map(|(key, _)| *key);
            oldest.and_then(|key| self.0.remove(&key));
        }
    }

    /// What became of a step is known.
    pub(super) fn forget(&mut self, commit: &Commit) {
        self.0.remove(&key(commit));
    }
}

fn key(commit: &Commit) -> StepKey {
    let record = &commit.record;
    (record.id(), record.epoch, record.version)
}

/// Tells a step from another of the same version.
fn fingerprint(commit: &Commit) -> [u8; 32] {
    let mut digest = Sha256::new();
    digest.update(format!("{commit:?}"));
    // What is printed of a recipe does not tell what is in it.
    if let RecipeChange::Save(record) = &commit.recipe {
        digest.update(to_json(record));
        digest.update(&record.sealed);
    }
    digest.finalize().into()
}

#[cfg(test)]
mod tests {
    use hangar_plan::Timestamp;
    use hangar_plan::group::{GroupTask, GroupWork};
    use hangar_plan::recipe::RecipeTask;
    use hangar_plan::record::{
        GroupName, OperationRecord, RecipeName, RecipeRecord, RecipeStatus, Work,
    };

    use super::*;
    use crate::{DeploymentChange, GroupChange, Lease, RecipeChange, ReferenceChange};

    fn step(bits: u128) -> Commit {
        let group = GroupName { plane: "local".to_owned(), group: "prod".to_owned() };
        let (id, now) = (OperationId::from_u128(bits), Timestamp::default());
        let work = GroupWork::new(id, group, GroupTask::Delete, now);
        Commit {
            record: OperationRecord::new(Work::Group(Box::new(work)), now),
            reference: ReferenceChange::Keep,
            deployment: DeploymentChange::Keep,
            recipe: RecipeChange::Keep,
            group: GroupChange::Keep,
            lease: Lease::Keep,
            message: None,
        }
    }

    #[test]
    fn steps_that_differ_only_in_their_recipe_are_two() {
        let now = Timestamp::default();
        let group = GroupName { plane: "local".to_owned(), group: "prod".to_owned() };
        let record = RecipeRecord {
            name: RecipeName { group, name: "net".to_owned() },
            operation: OperationId::from_u128(1),
            task: RecipeTask::Deploy,
            started_at: now,
            ended_at: None,
            ending: None,
            source: String::new(),
            source_version: None,
            parameters: serde_json::json!({}),
            secret_parameters: Vec::new(),
            status: RecipeStatus::default(),
            managed_by: None,
            sealed: b"sealed".to_vec(),
            created_at: now,
            version: Version(1),
        };
        let saving = |record: &RecipeRecord| {
            let recipe = RecipeChange::Save(Box::new(record.clone()));
            Commit { recipe, ..step(1) }
        };
        let mut doubts = Doubts::default();
        doubts.note(&saving(&record), 7);
        assert_eq!(doubts.find(&saving(&record)), Some(7));
        let other = RecipeRecord { source: "./other".to_owned(), ..record.clone() };
        assert_eq!(doubts.find(&saving(&other)), None);
        let other = RecipeRecord { sealed: b"other".to_vec(), ..record };
        assert_eq!(doubts.find(&saving(&other)), None);
        assert_eq!(doubts.find(&step(1)), None);
    }

    #[test]
    fn the_newest_are_remembered_however_many_were_never_asked_for_again() {
        let mut doubts = Doubts::default();
        let steps: Vec<Commit> = (0..=KEPT).map(|number| step(number as u128)).collect();
        for (mark, step) in (0..).zip(&steps) {
            doubts.note(step, mark);
        }
        assert_eq!(doubts.find(&steps[0]), None);
        assert_eq!(doubts.find(&steps[1]), Some(1));
        assert_eq!(doubts.find(&steps[KEPT]), i64::try_from(KEPT).ok());
        // One that is still in doubt keeps its mark, and its place.
        doubts.note(&steps[1], 1);
        assert_eq!(doubts.find(&steps[2]), Some(2));
        doubts.forget(&steps[2]);
        assert_eq!(doubts.find(&steps[2]), None);
    }
}
