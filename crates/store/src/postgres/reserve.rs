//! Taking an alias, or a resource, for a new operation: everything is looked at before anything is
//! written.

use std::collections::BTreeSet;

use hangar_plan::Timestamp;
use hangar_plan::operation::OperationId;
use hangar_plan::record::{DeploymentRecord, GroupState, RecipeRecord, Version};

use super::database::{Database, Given};
use super::lock::{Alone, Locks, TAKE};
use super::reference::Found;
use super::row::Table;
use super::writing::{Doubt, InDoubt, Job, NOW, Writing, given};
use super::{deployment, group, operation, recipe, reference};
use crate::rules::PresentGroup;
use crate::{GroupHold, ReferencePosition, Reservation, ReserveError, StoreError, rules};

// All that nearly every reservation looks at, in one statement: a statement costs more than what it does. Each
// part is looked for by itself.
pub(super) const LOOK: &str = "SELECT
        EXISTS (SELECT FROM operation WHERE id = $1) AS known,
        EXISTS (SELECT FROM plane WHERE plane_key = $2) AS has_plane,
        held.version AS group_version, held.state AS group_state,
        present.version AS version, present.locked_by, present.retires,
        $3::text AS group_key, $5::text AS type_key, $6::text AS alias_key
    FROM (SELECT) AS once
    LEFT JOIN LATERAL (SELECT version, state FROM resource_group
        WHERE resource_group.group_key = $3 OFFSET 0) AS held ON true
    LEFT JOIN LATERAL (SELECT reference.version,
            (SELECT operation.id FROM operation
                WHERE operation.id = reference.operation AND operation.ended_at IS NULL) AS locked_by,
            EXISTS (SELECT FROM retiring_resource WHERE retiring_resource.group_key = $4
                AND retiring_resource.type_key = $5 AND retiring_resource.alias_key = $6) AS retires
        FROM reference WHERE reference.group_key = $4
            AND reference.type_key = $5 AND reference.alias_key = $6
        OFFSET 0) AS present ON true";

const LOCK: Table = Table { name: "resource_lock", key: &["resource_key"] };

pub(super) const LOCKS_FIND: &str = "SELECT * FROM resource_lock
    WHERE resource_key = ANY($1::text[]) ORDER BY resource_key LIMIT 1";
const LOCKS_TAKE: &str = "INSERT INTO resource_lock (resource_key, operation)
    SELECT resource_key, $2 FROM unnest($1::text[]) AS resource_key";

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
    deployment: Option<DeploymentRecord>,
    recipe: Option<RecipeRecord>,
    held_by: Option<OperationId>,
}

/// What the one statement tells of it.
struct Looked {
    exists: bool,
    has_plane: bool,
    group: Option<(Version, GroupState)>,
    reference: Option<Found>,
}

impl Job for Reserve<'_> {
    type Output = ();
    type Error = ReserveError;
    const STATEMENTS: &'static [&'static str] = &[
        TAKE,
        NOW,
        LOOK,
        operation::NEWEST_OF_REQUEST,
        reference::MAPPERS,
        deployment::FIND,
        recipe::PRESENT,
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
        let Reservation { record, reference, deployment, recipe, group, resource_keys, .. } =
            self.0;
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
        if let Some(write) = deployment {
            locks = locks.deployment(&write.record.name);
        }
        if let Some(write) = recipe {
            locks = locks.recipe(&write.record.name);
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
        let Reservation { record, reference, deployment, recipe, .. } = self.0;
        let locks = self.locks();
        let database = &writing.database;
        let of_request = async {
            match &record.repeatability {
                Some(it) => operation::newest_of_request(database, &it.request_id).await,
                None => Ok(None),
            }
        };
        let at = reference.as_ref().map(|write| rules::position(&write.reference.name));
        let mapped_by = async {
            match (&at, reference) {
                (Some(at), Some(write)) => {
                    let held = rules::held_keys(&write.reference);
                    reference::mapped_elsewhere(database, at, &held).await
                }
                _ => Ok(None),
            }
        };
        let wanted = deployment.as_ref().map(|write| &write.record.name);
        let recipe = recipe.as_ref().map(|write| &write.record.name);
        let (now, looked, of_request, mapped_by, deployment, recipe, held_by) = tokio::join!(
            biased;
            writing.begin(&locks),
            self.look_at_all(database, at.as_ref()),
            of_request,
            mapped_by,
            deployment::present(database, wanted),
            recipe::present(database, recipe),
            self.held_by(database),
        );
        let now = now?;
        let Looked { exists, has_plane, group, reference } = looked?;
        let group = match (group, &self.0.group) {
            (Some((version, GroupState::Ready)), _) => Some(PresentGroup {
                version,
                state: GroupState::Ready,
                operation: None,
                runs: false,
            }),
            (Some(_), Some(hold)) => group::present(database, &group::key_of(hold)).await?,
            _ => None,
        };
        let (of_request, mapped_by) = (of_request?, mapped_by?);
        let (deployment, recipe, held_by) = (deployment?, recipe?, held_by?);
        let seen = Seen {
            exists,
            of_request,
            group,
            has_plane,
            reference,
            mapped_by,
            deployment,
            recipe,
            held_by,
        };
        Ok((now, seen))
    }

    /// What the one statement tells.
    async fn look_at_all(
        &self,
        database: &Database<'_>,
        at: Option<&ReferencePosition>,
    ) -> Result<Looked, StoreError> {
        let Reservation { record, group, .. } = self.0;
        let plane = rules::plane_of_resource(self.0).map(|plane| plane.key());
        let group = group.as_ref().map(group::key_of);
        let given: Given<'_> = &[
            &record.id().to_string(),
            &plane,
            &group,
            &at.map(|at| &at.group),
            &at.map(|at| &at.type_key),
            &at.map(|at| &at.alias),
        ];
        let looked = database.find(&reference::REFERENCE, LOOK, given, |row| {
            let reference = match row.get::<Option<i64>>("version")? {
                Some(_) => Some(reference::found(row)?),
                None => None,
            };
            let group = match row.get::<Option<&str>>("group_state")? {
                Some(word) => Some((Version(row.count("group_version")?), group::state(word))),
                None => None,
            };
            let has_plane = plane.is_none() || row.get("has_plane")?;
            Ok(Looked { exists: row.get("known")?, has_plane, group, reference })
        });
        let nothing = || StoreError::Unavailable("PostgreSQL returned no row".to_owned());
        looked.await?.ok_or_else(nothing)
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
        if let Some(write) = &reservation.deployment {
            rules::may_deploy(write.seen, seen.deployment.as_ref().map(|it| it.version))?;
        }
        if let Some(write) = &reservation.recipe {
            rules::may_run(write.seen, seen.recipe.as_ref().map(|it| it.version))?;
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
        let Reservation { record, envelope, message, .. } = reservation;
        operation::insert(writing, record, envelope.as_deref(), message, now);
        if let Some(hold @ GroupHold::Close(..)) = &reservation.group {
            group::close(writing, &group::key_of(hold), id).await?;
        }
        if let Some(write) = &reservation.reference {
            let retires = seen.reference.is_some_and(|it| it.retires);
            reference::save(writing, &write.reference, write.seen, retires);
        }
        if let Some(write) = &reservation.deployment {
            let begun = rules::deployment_begun(write, seen.deployment.as_ref());
            deployment::put(writing, &begun);
        }
        if let Some(write) = &reservation.recipe {
            recipe::put(writing, rules::recipe_begun(write, seen.recipe.as_ref()));
        }
        let keys: BTreeSet<&String> = reservation.resource_keys.iter().collect();
        if !keys.is_empty() {
            let keys: Vec<String> = keys.into_iter().cloned().collect();
            writing.put(LOCKS_TAKE, given![keys, id.to_string()]);
        }
        Ok(())
    }
}
