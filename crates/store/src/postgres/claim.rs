//! Leasing what is due: one worker gets an operation, with all that is needed to go on.

use std::time::Duration;

use hangar_plan::Timestamp;
use hangar_plan::record::OperationRecord;

use super::database::Given;
use super::lock::Locks;
use super::row::{Row, Table};
use super::writing::{InDoubt, Job, NOW, Writing};
use super::{operation, reference};
use crate::column::to_limit;
use crate::{Claim, ReferencePosition, StoreError, WorkerId, rules};

const ENVELOPE: Table = Table { name: "envelope", key: &["operation"] };

/// When one that cannot be read is tried again: somebody may have mended it.
const DAMAGED_WAITS_FOR: Duration = Duration::from_hours(1);

/// How much longer than a lease one may seem to last, before it is none: replicas that lease for longer.
const LONGER_BY: Duration = Duration::from_mins(1);

// The time is a parameter, or the database's. What another is just leasing or writing is passed over.
// Leases are in the database's time, which all replicas share: one that ends too far from now was given
// before that was set back. What is due is in the time that this process has come to. Whoever claims one
// looks at its parts after this: what ended before is no news.
pub(super) const LEASE: &str = "WITH clock AS MATERIALIZED (SELECT
        coalesce($1::bigint, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint) AS now),
    due AS (SELECT id FROM operation
        WHERE due_at <= (SELECT greatest(now, $5::bigint) FROM clock)
            AND (lease_until IS NULL OR lease_until <= (SELECT now FROM clock)
                OR lease_until > (SELECT now + $3::bigint + $6::bigint FROM clock))
        ORDER BY due_at, id LIMIT $2::bigint FOR UPDATE SKIP LOCKED)
    UPDATE operation SET epoch = operation.epoch + 1,
        lease_until = (SELECT now FROM clock) + $3::bigint, lease_worker = $4, woken = false
    WHERE operation.id = ANY(ARRAY(SELECT id FROM due))
    RETURNING operation.*, (SELECT now FROM clock) AS now";
pub(super) const PUT_OFF: &str = "UPDATE operation
    SET due_at = $2, lease_until = NULL, lease_worker = NULL WHERE id = $1";
pub(super) const ENVELOPES: &str = "SELECT * FROM envelope WHERE operation = ANY($1::text[])";

/// Leases what is due. An operation that cannot be read is told and put off, so that it stops no other.
pub(super) struct Due {
    pub(super) worker: WorkerId,
    pub(super) lease_for: Duration,
    pub(super) limit: usize,
}

/// One that was leased, as it is stored.
struct Leased {
    /// One that is no id must not hide the others.
    id: String,
    due_at: Option<i64>,
    record: Result<OperationRecord, StoreError>,
    now: Timestamp,
}

impl Job for Due {
    type Output = Vec<Claim>;
    type Error = StoreError;
    const STATEMENTS: &'static [&'static str] = &[NOW, LEASE, reference::FIND_MANY, ENVELOPES];
    // Leases that nobody knows of run out.
    const IN_DOUBT: InDoubt = InDoubt::Tell;

    async fn run(&self, writing: &mut Writing<'_>) -> Result<Vec<Claim>, StoreError> {
        let locks = Locks::default();
        let (begun, leased) =
            tokio::join!(biased; writing.begin(&locks), self.lease(writing, self.limit));
        begun?;
        let mut leased = leased?;
        let mut claims = Vec::with_capacity(leased.len());
        loop {
            let (damaged, found) = self.read(writing, leased).await?;
            claims.extend(found);
            for (id, why, now) in &damaged {
                put_off(writing, id, why, *now).await?;
            }
            // Whose place a damaged one took is due as well.
            if damaged.is_empty() {
                return Ok(claims);
            }
            leased = self.lease(writing, self.limit - claims.len()).await?;
        }
    }
}

impl Due {
    async fn lease(&self, writing: &Writing<'_>, limit: usize) -> Result<Vec<Leased>, StoreError> {
        let (now, lease_for) = (writing.own_time(), super::micros(self.lease_for));
        let (ahead, longer) = (writing.time_ahead(), super::micros(LONGER_BY));
        let given: Given<'_> =
            &[&now, &to_limit(limit), &lease_for, &self.worker.0, &ahead, &longer];
        let mut leased = writing
            .database
            .list(&operation::OPERATION, LEASE, given, |row: &Row<'_>| {
                Ok(Leased {
                    id: row.get("id")?,
                    due_at: row.get("due_at")?,
                    record: operation::decode(row),
                    now: row.instant("now")?,
                })
            })
            .await?;
        leased.sort_by(|one, other| (one.due_at, &one.id).cmp(&(other.due_at, &other.id)));
        Ok(leased)
    }

    /// What a worker needs of each, and those of which it cannot be read, with why and when.
    async fn read(
        &self,
        writing: &Writing<'_>,
        leased: Vec<Leased>,
    ) -> Result<(Vec<(String, String, Timestamp)>, Vec<Claim>), StoreError> {
        if leased.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        let places: Vec<ReferencePosition> = leased
            .iter()
            .filter_map(|it| it.record.as_ref().ok()?.reference())
            .map(rules::position)
            .collect();
        let ids: Vec<&str> = leased.iter().map(|it| it.id.as_str()).collect();
        let ids: Given<'_> = &[&ids];
        let envelopes = writing.database.list(&ENVELOPE, ENVELOPES, ids, |row| {
            Ok((row.get::<String>("operation")?, row.get::<Vec<u8>>("sealed")?))
        });
        let references = async {
            if places.is_empty() {
                return Ok(Vec::new());
            }
            reference::find_many(&writing.database, &places).await
        };
        let (references, envelopes) = tokio::join!(biased; references, envelopes);
        let (references, mut envelopes) = (references?, envelopes?);
        let (mut damaged, mut claims) = (Vec::new(), Vec::new());
        for Leased { id, record, now, .. } in leased {
            let envelope = envelopes
                .iter()
                .position(|(operation, _)| *operation == id)
                .map(|at| envelopes.swap_remove(at).1);
            let whole = record.and_then(|record| {
                let at = record.reference().map(rules::position);
                let found = references.iter().find(|(place, _)| Some(place) == at.as_ref());
                let reference = found.map(|(_, found)| found.clone()).transpose()?;
                Ok(Claim { record, reference, envelope })
            });
            match whole {
                Ok(claim) => claims.push(claim),
                Err(StoreError::Damaged(why)) => damaged.push((id, why, now)),
                Err(error) => return Err(error),
            }
        }
        Ok((damaged, claims))
    }
}

async fn put_off(
    writing: &Writing<'_>,
    id: &str,
    why: &str,
    now: Timestamp,
) -> Result<(), StoreError> {
    tracing::error!(operation.id = id, error = why, "an operation cannot be read and is postponed");
    let later = now.after(DAMAGED_WAITS_FOR).as_micros();
    writing.database.change(PUT_OFF, &[&id, &later]).await.map(drop)
}
