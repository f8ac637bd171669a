//! Removing what is old.

use hangar_plan::Timestamp;
use hangar_plan::record::OperationRecord;

use super::database::Given;
use super::lock::Locks;
use super::row::Row;
use super::writing::{InDoubt, Job, NOW, Writing, given};
use super::{operation, reference};
use crate::{ReferencePosition, StoreError, rules};

/// As many operations as one transaction removes.
const STEP: i64 = 500;

/// As many operations as one transaction looks at, which costs more.
const LOOK: i64 = 100;

// Its attempts, events and whatever else hangs on an operation go with it. Another replica may be at the same.
pub(super) const PRUNE: &str = "DELETE FROM operation WHERE id = ANY(ARRAY(
    SELECT id FROM operation WHERE state = 'ended' AND ended_at < $1
    ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED))";
// Those without a reference stay for good, and are not even looked at.
pub(super) const PARKED: &str = "SELECT * FROM operation
    WHERE state = 'parked' AND reference_key IS NOT NULL
        AND ended_at < $1 AND (ended_at, id) > ($2, $3)
    ORDER BY ended_at, id LIMIT $4 FOR UPDATE SKIP LOCKED";
pub(super) const REMOVE: &str = "DELETE FROM operation WHERE id = ANY($1::text[])";

/// Removes some of the operations that ended before an instant; none when none is left.
pub(super) struct Prune(pub(super) Timestamp);

impl Job for Prune {
    type Output = usize;
    type Error = StoreError;
    const STATEMENTS: &'static [&'static str] = &[NOW, PRUNE];
    const IN_DOUBT: InDoubt = InDoubt::Tell;

    async fn run(&self, writing: &mut Writing<'_>) -> Result<usize, StoreError> {
        let (locks, before) = (Locks::default(), self.0.as_micros());
        let prune = async { writing.database.change(PRUNE, &[&before, &STEP]).await };
        let (begun, removed) = tokio::join!(biased; writing.begin(&locks), prune);
        begun?;
        Ok(usize::try_from(removed?).unwrap_or(usize::MAX))
    }
}

/// How far the look at those that stay until they are settled has come.
#[derive(Debug, Clone, Default)]
pub(super) struct Passed {
    ended_at: Timestamp,
    id: String,
}

/// Looks at some of the operations that stay until they are settled and removes those that are; gives
/// how many, and where to go on.
pub(super) struct PruneSettled {
    pub(super) ended_before: Timestamp,
    pub(super) from: Passed,
}

impl Job for PruneSettled {
    type Output = (usize, Option<Passed>);
    type Error = StoreError;
    const STATEMENTS: &'static [&'static str] = &[NOW, PARKED];
    const IN_DOUBT: InDoubt = InDoubt::Tell;

    async fn run(&self, writing: &mut Writing<'_>) -> Result<(usize, Option<Passed>), StoreError> {
        let locks = Locks::default();
        let (before, after) = (self.ended_before.as_micros(), self.from.ended_at.as_micros());
        let parked = async {
            let given: Given<'_> = &[&before, &after, &self.from.id, &LOOK];
            let list =
                writing.database.list(&operation::OPERATION, PARKED, given, |row: &Row<'_>| {
                    let passed = Passed { ended_at: row.instant("ended_at")?, id: row.get("id")? };
                    Ok((passed, operation::decode(row)))
                });
            list.await
        };
        let (begun, parked) = tokio::join!(biased; writing.begin(&locks), parked);
        begun?;
        let parked = parked?;
        let is_page = i64::try_from(parked.len()).is_ok_and(|count| count == LOOK);
        let next = parked.last().filter(|_| is_page).map(|(passed, _)| passed.clone());
        let going = going(writing, parked).await?;
        let removed = going.len();
        if removed > 0 {
            writing.put(REMOVE, given![going]);
        }
        Ok((removed, next))
    }
}

/// The ids of those that may go.
async fn going(
    writing: &Writing<'_>,
    parked: Vec<(Passed, Result<OperationRecord, StoreError>)>,
) -> Result<Vec<String>, StoreError> {
    let places: Vec<ReferencePosition> = parked
        .iter()
        .filter_map(|(_, record)| record.as_ref().ok()?.reference())
        .map(rules::position)
        .collect();
    let references = reference::find_many(&writing.database, &places).await?;
    let mut going = Vec::new();
    for (Passed { id, .. }, record) in parked {
        let may_go = record.and_then(|record| {
            let at = record.reference().map(rules::position);
            let found = references.iter().find(|(place, _)| Some(place) == at.as_ref());
            let reference = found.map(|(_, found)| found.clone()).transpose()?;
            Ok(rules::may_go(&record, reference.as_ref()))
        });
        match may_go {
            Ok(true) => going.push(id),
            Ok(false) => {}
            Err(error) => {
                let error = error.to_string();
                tracing::error!(
                    operation.id = id,
                    error,
                    "an operation cannot be read and is not removed"
                );
            }
        }
    }
    Ok(going)
}
