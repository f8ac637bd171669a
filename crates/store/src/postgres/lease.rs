//! Leases that last longer, and leases that end.

use std::collections::HashSet;
use std::time::Duration;

use hangar_plan::operation::OperationId;
use hangar_plan::record::Epoch;

use super::lock::Locks;
use super::writing::{InDoubt, Job, NOW, Writing};
use crate::StoreError;
use crate::column::to_integer;

// One that was let go or ended is held by nobody: it is not taken up again without a claim. One that
// somebody is just writing must not keep the others waiting: it is not renewed, and it is not lost as long
// as what was committed last says that it is held. All of it sees the rows as they were before.
pub(super) const RENEW: &str = "WITH free AS (SELECT operation.id FROM operation
        WHERE operation.id = ANY($1::text[])
            AND (operation.id, operation.epoch) IN (SELECT * FROM unnest($1::text[], $2::bigint[]))
            AND operation.lease_until IS NOT NULL
        FOR NO KEY UPDATE SKIP LOCKED),
    renewed AS (UPDATE operation SET lease_until = coalesce($3::bigint,
            (extract(epoch FROM clock_timestamp()) * 1000000)::bigint) + $4::bigint
        WHERE operation.id = ANY(ARRAY(SELECT id FROM free)))
    SELECT operation.id, operation.epoch FROM operation
    WHERE operation.id = ANY($1::text[])
        AND (operation.id, operation.epoch) IN (SELECT * FROM unnest($1::text[], $2::bigint[]))
        AND operation.lease_until IS NOT NULL";
pub(super) const END_ALL: &str =
    "UPDATE operation SET lease_until = NULL, lease_worker = NULL WHERE lease_until IS NOT NULL";

/// Makes leases last longer, but those whose row somebody holds; gives back those that are lost.
pub(super) struct Renew<'l> {
    pub(super) leases: &'l [(OperationId, Epoch)],
    pub(super) lease_for: Duration,
}

impl Job for Renew<'_> {
    type Output = Vec<OperationId>;
    type Error = StoreError;
    const STATEMENTS: &'static [&'static str] = &[NOW, RENEW];
    const IN_DOUBT: InDoubt = InDoubt::Again;

    async fn run(&self, writing: &mut Writing<'_>) -> Result<Vec<OperationId>, StoreError> {
        let locks = Locks::default();
        let held: Vec<(String, i64)> =
            self.leases.iter().map(|(id, epoch)| (id.to_string(), to_integer(epoch.0))).collect();
        let (ids, epochs): (Vec<&str>, Vec<i64>) =
            held.iter().map(|(id, epoch)| (id.as_str(), *epoch)).unzip();
        let (now, lease_for) = (writing.own_time(), super::micros(self.lease_for));
        let renew =
            async { writing.database.query(RENEW, &[&ids, &epochs, &now, &lease_for]).await };
        let (begun, held_still) = tokio::join!(biased; writing.begin(&locks), renew);
        begun?;
        let mut kept = HashSet::new();
        for row in &held_still? {
            let (Ok(id), Ok(epoch)) = (row.try_get::<_, String>(0), row.try_get::<_, i64>(1))
            else {
                return Err(StoreError::Unavailable("a lease has no name".to_owned()));
            };
            kept.insert((id, epoch));
        }
        let lost = self.leases.iter().zip(&held).filter(|(_, row)| !kept.contains(*row));
        Ok(lost.map(|((id, _), _)| *id).collect())
    }
}

/// Ends every lease; gives how many.
pub(super) struct EndAll;

impl Job for EndAll {
    type Output = usize;
    type Error = StoreError;
    const STATEMENTS: &'static [&'static str] = &[NOW, END_ALL];
    const IN_DOUBT: InDoubt = InDoubt::Tell;

    async fn run(&self, writing: &mut Writing<'_>) -> Result<usize, StoreError> {
        let locks = Locks::default();
        let end = writing.database.change(END_ALL, &[]);
        let (begun, ended) = tokio::join!(biased; writing.begin(&locks), end);
        begun?;
        Ok(usize::try_from(ended?).unwrap_or(usize::MAX))
    }
}
