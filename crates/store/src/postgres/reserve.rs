//! Taking an alias, or a resource, for a new operation: everything is looked at before anything is
//! written.

use std::collections::BTreeSet;

use hangar_plan::Timestamp;
use hangar_plan::operation::OperationId;

use super::database::{Database, Given};
use super::lock::{Alone, Locks, TAKE};
use super::reference::Found;
use super::row::Table;
use super::writing::{Doubt, InDoubt, Job, NOW, Writing, given};
use super::{event, group, operation, plane, reference};
use crate::rules::PresentGroup;
use crate::{GroupHold, Reservation, ReserveError, StoreError, rules};

const LOCK: Table = Table { name: "resource_lock", key: &["resource_key"] };

pub(super) const LOCKS_FIND: &str = "SELECT * FROM resource_lock
    WHERE resource_key = ANY($1::text[]) ORDER BY resource_key LIMIT 1";
const LOCKS_TAKE: &str = "INSERT INTO resource_lock (resource_key, operation)
    SELECT resource_key, $2 FROM unnest($1::text[]) AS resource_key";
const ENVELOPE_PUT: &str = "INSERT INTO envelope (operation, sealed) VALUES ($1, $2)";

/// Takes what a new operation needs.
pub(super) struct Reserve<'r>(pub(super) &'r Reservation);

/// What was found of all that it needs.
struct Seen {
    exists: bool,
    of_request: Option<(OperationId, Timestamp)>,
    group: Option<PresentGroup>,
    has_plane: bool,
    reference: Option<Found>,
    mapped_by: Option<String>,
    held_by: Option<OperationId>,
}

impl Job for Reserve<'_> {
    type Output = ();
    type Error = ReserveError;
    const STATEMENTS: &'static [&'static str] = &[
        TAKE,
        NOW,
        operation::EXISTS,
        operation::NEWEST_OF_REQUEST,
        group::FIND,
        plane::EXISTS,
        reference::PRESENT,
        reference::MAPPERS,
        LOCKS_FIND,
    ];
    // It is known by its id.
    const IN_DOUBT: InDoubt = InDoubt::Again;

    async fn run(&self, writing: &mut Writing<'_>) -> Result<(), ReserveError> {
        let (now, seen) = self.look(writing).await?;
        match self.check(now, &seen) {
            // Nobody else has this id: it was us, when the answer was lost.
            Err(ReserveError::Repeated(id))
                if writing.doubt == Doubt::Yes && id == self.0.record.id() =>
            {
                // A transaction that writes nothing would not wait for a standby to have it.
                let hold: Given<'_> = &[&id.to_string()];
                writing.database.query(operation::HOLD, hold).await?;
                return Ok(());
            }
            checked => checked?,
        }
        self.write(writing, now, &seen).await?;
        Ok(())
    }
}

impl Reserve<'_> {
    fn locks(&self) -> Locks {
        let Reservation { record, reference, group, resource_keys, .. } = self.0;
        let mut locks = Locks::default();
        if let Some(plane) = rules::plane_of_resource(self.0) {
            locks = locks.plane(&plane, Alone::No);
        }
        if let Some(hold) = group {
            let closes = matches!(hold, GroupHold::Close(..));
            locks = locks.group(&group::key_of(hold), if closes { Alone::Yes } else { Alone::No });
        }
        if let Some(write) = reference {
            // A group is not removed while something comes into it.
            let group = write.reference.name.group.key();
            locks = locks.group(&group, Alone::No).held(&write.reference);
        }
        for key in resource_keys {
            locks = locks.resource(key);
        }
        match &record.repeatability {
            Some(repeatability) => locks.request(&repeatability.request_id),
            None => locks,
        }
    }

    async fn look(&self, writing: &Writing<'_>) -> Result<(Timestamp, Seen), StoreError> {
        let Reservation { record, reference, group, .. } = self.0;
        let locks = self.locks();
        let database = &writing.database;
        let of_request = async {
            match &record.repeatability {
                Some(it) => operation::newest_of_request(database, &it.request_id).await,
                None => Ok(None),
            }
        };
        let group = async {
            match group {
                Some(hold) => group::present(database, &group::key_of(hold)).await,
                None => Ok(None),
            }
        };
        let has_plane = async {
            match rules::plane_of_resource(self.0) {
                Some(plane) => plane::exists(database, &plane).await,
                None => Ok(true),
            }
        };
        let at = reference.as_ref().map(|write| rules::position(&write.reference.name));
        let present = async {
            match &at {
                Some(at) => reference::present(database, at).await,
                None => Ok(None),
            }
        };
        let mapped_by = async {
            match (&at, reference) {
                (Some(at), Some(write)) => {
                    let held = rules::held_keys(&write.reference);
                    reference::mapped_elsewhere(database, at, &held).await
                }
                _ => Ok(None),
            }
        };
        let (now, exists, of_request, group, has_plane, reference, mapped_by, held_by) = tokio::join!(
            biased;
            writing.begin(&locks),
            operation::exists(database, record.id()),
            of_request,
            group,
            has_plane,
            present,
            mapped_by,
            self.held_by(database),
        );
        let now = now?;
        let seen = Seen {
            exists: exists?,
            of_request: of_request?,
            group: group?,
            has_plane: has_plane?,
            reference: reference?,
            mapped_by: mapped_by?,
            held_by: held_by?,
        };
        Ok((now, seen))
    }

    async fn held_by(&self, database: &Database<'_>) -> Result<Option<OperationId>, StoreError> {
        let keys = &self.0.resource_keys;
        if keys.is_empty() {
            return Ok(None);
        }
        database.find(&LOCK, LOCKS_FIND, &[keys], |row| row.operation("operation")).await
    }

    /// In the order that the trait promises.
    fn check(&self, now: Timestamp, seen: &Seen) -> Result<(), ReserveError> {
        let reservation = self.0;
        // A request that was accepted is answered with its operation, whatever has become of the rest.
        if seen.exists {
            return Err(ReserveError::Repeated(reservation.record.id()));
        }
        let since = rules::earlier(now, rules::REPEATABLE_FOR);
        if let Some((before, _)) = seen.of_request.filter(|(_, at)| *at > since) {
            return Err(ReserveError::Repeated(before));
        }
        match &reservation.group {
            None => {}
            Some(GroupHold::Open(_)) => rules::may_enter(seen.group)?,
            Some(GroupHold::Within(_)) => {
                rules::may_enter_within(seen.group, reservation.record.parent)?;
            }
            Some(GroupHold::Close(_, version)) => rules::may_close(seen.group, *version)?,
        }
        if let Some(plane) = rules::plane_of_resource(reservation).filter(|_| !seen.has_plane) {
            return Err(ReserveError::NoPlane(plane));
        }
        if let Some(write) = &reservation.reference {
            rules::may_take(write.seen, seen.reference.map(|it| it.present))?;
            if let Some(holder) = &seen.mapped_by {
                return Err(ReserveError::Mapped(holder.clone()));
            }
        }
        seen.held_by.map_or(Ok(()), |holder| Err(ReserveError::Busy(holder)))
    }

    async fn write(
        &self,
        writing: &mut Writing<'_>,
        now: Timestamp,
        seen: &Seen,
    ) -> Result<(), StoreError> {
        let reservation = self.0;
        let id = reservation.record.id();
        operation::insert(writing, &reservation.record);
        if let Some(hold @ GroupHold::Close(..)) = &reservation.group {
            group::close(writing, &group::key_of(hold), id).await?;
        }
        if let Some(write) = &reservation.reference {
            let retires = seen.reference.is_some_and(|it| it.retires);
            reference::save(writing, &write.reference, write.seen, retires);
        }
        let keys: BTreeSet<&String> = reservation.resource_keys.iter().collect();
        if !keys.is_empty() {
            let keys: Vec<String> = keys.into_iter().cloned().collect();
            writing.put(LOCKS_TAKE, given![keys, id.to_string()]);
        }
        if let Some(sealed) = &reservation.envelope {
            writing.put(ENVELOPE_PUT, given![id.to_string(), sealed.clone()]);
        }
        event::add(writing, id, 0, &reservation.message, now);
        Ok(())
    }
}
