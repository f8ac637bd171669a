//! How the rows of a store in memory change: everything is looked at before anything is written.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use hangar_plan::operation::OperationId;
use hangar_plan::record::{Epoch, EventRecord, OperationRecord, Reference, Version};
use hangar_plan::{Timestamp, Waiting};

use super::Check;
use super::state::{Held, Kept, State};
use crate::rules::{self, Meanwhile, Present};
use crate::{
    CachedSchema, CancelAnswer, Claim, Commit, CommitError, Committed, Lease, ReferenceChange,
    ReferencePosition, Reservation, ReserveError, WorkerId,
};

impl State {
    pub(super) fn reserve(
        &mut self,
        reservation: Reservation,
        now: Timestamp,
    ) -> Result<(), ReserveError> {
        let id = reservation.record.id();
        let resource_keys: BTreeSet<String> = reservation.resource_keys.iter().cloned().collect();
        self.check_reservation(&reservation, now)?;
        for key in &resource_keys {
            if let Some(holder) = self.locks.get(key) {
                return Err(ReserveError::Busy(*holder));
            }
        }

        let mut record = reservation.record;
        record.epoch = rules::NEVER_LEASED;
        record.version = rules::FIRST;
        self.save_attempts(&record);
        self.operations.insert(id, Kept { record: Arc::new(record), lease: None, woken: false });
        self.close_group(reservation.group.as_ref(), id);
        if let Some(write) = reservation.reference {
            self.save_reference(write.reference, write.seen);
        }
        self.begin_deployment(reservation.deployment);
        self.begin_recipe(reservation.recipe);
        self.locks.extend(resource_keys.into_iter().map(|key| (key, id)));
        if let Some(sealed) = reservation.envelope {
            self.envelopes.insert(id, Arc::new(sealed));
        }
        self.add_event(id, now, reservation.message, None);
        Ok(())
    }

    fn check_reservation(
        &self,
        reservation: &Reservation,
        now: Timestamp,
    ) -> Result<(), ReserveError> {
        let id = reservation.record.id();
        if self.operations.contains_key(&id) {
            return Err(ReserveError::Repeated(id));
        }
        if let Some(repeatability) = &reservation.record.repeatability {
            let since = rules::earlier(now, rules::REPEATABLE_FOR);
            if let Some(before) = self.repeated(&repeatability.request_id, since) {
                return Err(ReserveError::Repeated(before.id()));
            }
        }
        self.check_group(reservation)?;
        if let Some(plane) = rules::plane_of_resource(reservation)
            && !self.planes.contains_key(&plane.key())
        {
            return Err(ReserveError::NoPlane(plane));
        }
        if let Some(write) = &reservation.reference {
            if self.unchecked != Some(Check::Reservation) {
                rules::may_take(write.seen, self.present(&rules::position(&write.reference.name)))?;
            }
            if let Some(holder) = self.mapped_elsewhere(&write.reference) {
                return Err(ReserveError::Mapped(holder));
            }
        }
        self.check_deployment(reservation.deployment.as_ref())?;
        self.check_recipe(reservation.recipe.as_ref())
    }

    pub(super) fn claim(
        &mut self,
        worker: &WorkerId,
        now: Timestamp,
        lease_for: Duration,
        limit: usize,
    ) -> Vec<Claim> {
        let due = self.operations.iter().filter_map(|(id, it)| Some((it.due_since(now)?, *id)));
        let mut due: Vec<(Timestamp, OperationId)> = due.collect();
        due.sort_unstable();
        due.truncate(limit);
        let until = now.after(lease_for);
        due.into_iter().filter_map(|(_, id)| self.lease(id, worker, until)).collect()
    }

    fn lease(&mut self, id: OperationId, worker: &WorkerId, until: Timestamp) -> Option<Claim> {
        let kept = self.operations.get_mut(&id)?;
        kept.lease = Some(Held { worker: worker.clone(), until });
        // Whoever claims it looks at its parts after this.
        kept.woken = false;
        let record = Arc::make_mut(&mut kept.record);
        record.epoch = Epoch(record.epoch.0 + 1);
        let record = record.clone();
        let at = record.reference().map(rules::position);
        let reference = at.and_then(|at| self.reference(&at));
        let envelope = self.envelopes.get(&id).map(|sealed| Vec::clone(sealed));
        Some(Claim { record, reference, envelope })
    }

    pub(super) fn renew(
        &mut self,
        leases: &[(OperationId, Epoch)],
        until: Timestamp,
    ) -> Vec<OperationId> {
        let mut lost = Vec::new();
        for (id, epoch) in leases {
            let kept = self.operations.get_mut(id).filter(|it| it.record.epoch == *epoch);
            match kept.and_then(|kept| kept.lease.as_mut()) {
                Some(lease) => lease.until = until,
                None => lost.push(*id),
            }
        }
        lost
    }

    pub(super) fn commit(
        &mut self,
        commit: Commit,
        now: Timestamp,
    ) -> Result<Committed, CommitError> {
        let Commit { mut record, reference, deployment, recipe, group, lease, message } = commit;
        let id = record.id();
        let woken = self.operations.get(&id).is_some_and(|kept| kept.woken);
        let present = self.operations.get(&id).map(|kept| Arc::clone(&kept.record));
        let fence = present.as_ref().map(|present| (present.epoch, present.version));
        if self.unchecked != Some(Check::Lease) {
            rules::may_step(fence, (record.epoch, record.version))?;
        }
        let present = present.ok_or(CommitError::LeaseLost)?;
        if self.unchecked != Some(Check::Lease) {
            self.check_reference_change(&reference)?;
        }
        let recipe_step = self.recipe_step(&recipe, id);
        self.check_group_change(&record, group, &reference, &recipe_step)?;
        let reference_version = self.change_reference(reference);
        self.step_deployment(&deployment, id);
        self.step_recipe(recipe_step);
        self.change_group(&record, group);

        let stop_wanted = present.is_stop_wanted() || record.is_stop_wanted();
        let due_at = rules::due_after_step(&record, Meanwhile { stop_wanted, woken }, lease, now);
        let hastened = rules::is_hastened(&record, due_at);
        record.due_at = due_at;
        if stop_wanted {
            record.want_stop();
        }
        record.version = record.version.next();
        if let (Some(work), Some(before)) = (record.resource_mut(), present.resource()) {
            work.subject = before.subject.clone();
        }
        record.parent = present.parent;
        record.repeatability.clone_from(&present.repeatability);
        record.correlation_id.clone_from(&present.correlation_id);
        record.created_at = present.created_at;
        let version = record.version;
        let ends = rules::is_end(present.ended_at.is_some(), &record);
        let wakes = record.parent.filter(|_| ends);

        let waiting = record.waiting();
        self.save_attempts(&record);
        if record.ended_at.is_some() {
            self.envelopes.remove(&id);
            self.locks.retain(|_, holder| *holder != id);
        }
        if let Some(kept) = self.operations.get_mut(&id) {
            kept.record = Arc::new(record);
            if lease == Lease::Release {
                kept.lease = None;
                kept.woken = false;
            }
        }
        if let Some(whole) = wakes {
            self.wake(whole, now);
        }
        let last = self.last_events(id, 1).pop().map(|event| event.message);
        if let Some(message) = message.filter(|it| rules::is_news(last.as_deref(), it)) {
            self.add_event(id, now, message, waiting);
        }
        Ok(Committed { version, reference_version, cancel_requested: stop_wanted, hastened })
    }

    fn check_reference_change(&self, change: &ReferenceChange) -> Result<(), CommitError> {
        let version_at = |at| self.references.get(at).map(|it| it.version);
        match change {
            ReferenceChange::Keep => Ok(()),
            ReferenceChange::Save(write) => {
                let at = rules::position(&write.reference.name);
                rules::may_change(write.seen, version_at(&at))?;
                match self.mapped_elsewhere(&write.reference) {
                    Some(holder) => Err(CommitError::Mapped(holder)),
                    None => Ok(()),
                }
            }
            ReferenceChange::Remove { name, seen } => {
                rules::may_change(Some(*seen), version_at(&rules::position(name)))
            }
        }
    }

    fn change_reference(&mut self, change: ReferenceChange) -> Option<Version> {
        match change {
            ReferenceChange::Keep => None,
            ReferenceChange::Save(write) => Some(self.save_reference(write.reference, write.seen)),
            ReferenceChange::Remove { name, .. } => {
                self.remove_reference(&rules::position(&name));
                None
            }
        }
    }

    pub(super) fn cancel(&mut self, id: OperationId, now: Timestamp) -> CancelAnswer {
        let Some(kept) = self.operations.get_mut(&id) else { return CancelAnswer::NotFound };
        if kept.record.ended_at.is_some() {
            return CancelAnswer::Ended(Box::new(OperationRecord::clone(&kept.record)));
        }
        let leased = kept.is_leased(now);
        let record = Arc::make_mut(&mut kept.record);
        record.want_stop();
        if !leased {
            record.due_at = Some(rules::hastened(record.due_at, now));
        }
        CancelAnswer::Noted(Box::new(record.clone()))
    }

    pub(super) fn end_leases(&mut self) -> usize {
        self.operations.values_mut().filter_map(|kept| kept.lease.take()).count()
    }

    pub(super) fn prune(&mut self, ended_before: Timestamp) -> usize {
        let references = &self.references;
        let goes = |record: &OperationRecord| {
            let at = record.reference().map(rules::position);
            let reference = at.and_then(|at| references.get(&at)).map(AsRef::as_ref);
            record.ended_at.is_some_and(|ended_at| ended_at < ended_before)
                && rules::may_go(record, reference)
        };
        let before = self.operations.len();
        self.operations.retain(|_, kept| !goes(&kept.record));
        let operations = &self.operations;
        self.attempts.retain(|(operation, _), _| operations.contains_key(operation));
        self.events.retain(|(operation, _), _| operations.contains_key(operation));
        before - operations.len()
    }

    pub(super) fn put_schema(&mut self, mut schema: CachedSchema) {
        let key = (schema.region.to_ascii_lowercase(), schema.type_name.to_ascii_lowercase());
        if let Some(present) = self.schemas.get(&key) {
            schema.region.clone_from(&present.region);
            schema.type_name.clone_from(&present.type_name);
        }
        self.schemas.insert(key, Arc::new(schema));
    }

    pub(super) fn present(&self, at: &ReferencePosition) -> Option<Present> {
        let reference = self.references.get(at)?;
        let locked_by = reference.entry.operation.filter(|id| self.is_running(*id));
        Some(Present { version: reference.version, locked_by })
    }

    /// The id of another reference that has one of the resources which this one has.
    fn mapped_elsewhere(&self, reference: &Reference) -> Option<String> {
        let own = rules::position(&reference.name);
        let keys = rules::held_keys(reference);
        let mut holders = keys.iter().filter_map(|key| self.mapped.get(key));
        let other = holders.find(|holder| **holder != own)?;
        self.references.get(other).map(|it| it.name.id())
    }

    /// Writes a reference over version `seen`, which the caller has checked; gives its version.
    pub(super) fn save_reference(
        &mut self,
        mut reference: Reference,
        seen: Option<Version>,
    ) -> Version {
        let at = rules::position(&reference.name);
        reference.version = rules::reference_version(seen, &reference);
        if let Some(present) = self.references.get(&at) {
            reference.name = present.name.clone();
        }
        self.forget_mapping(&at);
        for resource_key in rules::held_keys(&reference) {
            self.mapped.insert(resource_key, at.clone());
        }
        let version = reference.version;
        self.references.insert(at, Arc::new(reference));
        version
    }

    pub(super) fn remove_reference(&mut self, at: &ReferencePosition) {
        self.forget_mapping(at);
        self.references.remove(at);
    }

    fn forget_mapping(&mut self, at: &ReferencePosition) {
        let Some(present) = self.references.get(at) else { return };
        for resource_key in rules::held_keys(present) {
            self.mapped.remove(&resource_key);
        }
    }

    /// Keeps an operation's own attempts, and what it learnt of those of an operation before it.
    fn save_attempts(&mut self, record: &OperationRecord) {
        for attempt in record.attempts() {
            let key = (attempt.operation, attempt.number);
            if attempt.operation == record.id() || self.attempts.contains_key(&key) {
                self.attempts.insert(key, Arc::new(attempt.clone()));
            }
        }
    }

    fn add_event(
        &mut self,
        operation: OperationId,
        at: Timestamp,
        message: String,
        waiting: Option<Waiting>,
    ) {
        let sequence = self.last_events(operation, 1).pop().map_or(0, |last| last.sequence) + 1;
        let event = EventRecord { operation, sequence, at, message, waiting };
        self.events.insert((operation, sequence), Arc::new(event));
    }
}
