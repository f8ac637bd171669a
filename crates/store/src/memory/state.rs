//! The rows of a store in memory, and what can be read from them. Rows are shared between the state
//! that is committed and the one that is synced, so that a sync copies no document.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use hangar_plan::Timestamp;
use hangar_plan::operation::{Attempt, EntryState, OperationId};
use hangar_plan::record::{
    CredentialRecord, DeploymentRecord, EventRecord, Group, GroupName, OperationRecord, Plane,
    RecipeRecord, Reference, StateLock,
};

use super::{Check, plane};
use crate::rules::{DeploymentPosition, RecipePosition};
use crate::{
    CachedSchema, Counts, OperationFilter, ReferenceFilter, ReferenceOutline, ReferencePosition,
    StoredState, WorkerId, rules,
};

#[derive(Debug, Clone, Default)]
pub(super) struct State {
    /// By key.
    pub(super) planes: BTreeMap<String, Arc<Plane>>,
    /// By key.
    pub(super) credentials: BTreeMap<String, Arc<CredentialRecord>>,
    /// By key.
    pub(super) groups: BTreeMap<String, Arc<Group>>,
    pub(super) deployments: BTreeMap<DeploymentPosition, Arc<DeploymentRecord>>,
    pub(super) recipes: BTreeMap<RecipePosition, Arc<RecipeRecord>>,
    /// Who holds the Terraform state of a recipe.
    pub(super) terraform_locks: BTreeMap<RecipePosition, Arc<StateLock>>,
    /// The versions of that state, by their number.
    pub(super) terraform_states: BTreeMap<(RecipePosition, u64), Arc<StoredState>>,
    pub(super) references: BTreeMap<ReferencePosition, Arc<Reference>>,
    /// The reference of each resource that one stands for or is going to delete.
    pub(super) mapped: BTreeMap<String, ReferencePosition>,
    pub(super) operations: BTreeMap<OperationId, Kept>,
    /// Attempts by their operation and number.
    pub(super) attempts: BTreeMap<(OperationId, u32), Arc<Attempt>>,
    pub(super) envelopes: BTreeMap<OperationId, Arc<Vec<u8>>>,
    /// Which operation holds a resource.
    pub(super) locks: BTreeMap<String, OperationId>,
    pub(super) events: BTreeMap<(OperationId, u64), Arc<EventRecord>>,
    /// By region and type, in lower case.
    pub(super) schemas: BTreeMap<(String, String), Arc<CachedSchema>>,
    pub(super) notes: BTreeMap<String, String>,
    pub(super) key_check: Option<String>,
    /// What is not looked at, in tests of the tests.
    pub(super) unchecked: Option<Check>,
}

/// An operation and who works on it.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    /// Its cancel flag is the truth.
    pub(super) record: Arc<OperationRecord>,
    pub(super) lease: Option<Held>,
    /// Whether a part of it has ended since it was claimed.
    pub(super) woken: bool,
}

/// A lease.
#[derive(Debug, Clone)]
pub(super) struct Held {
    /// For people who look at a simulation's trace.
    #[expect(dead_code, reason = "read by Debug")]
    pub(super) worker: WorkerId,
    pub(super) until: Timestamp,
}

impl Kept {
    pub(super) fn is_leased(&self, now: Timestamp) -> bool {
        self.lease.as_ref().is_some_and(|lease| lease.until > now)
    }

    /// Since when it has been due.
    pub(super) fn due_since(&self, now: Timestamp) -> Option<Timestamp> {
        self.record.due_at.filter(|due_at| *due_at <= now && !self.is_leased(now))
    }
}

impl State {
    /// The rows of a new store.
    pub(super) fn new() -> Self {
        Self { planes: plane::built_in(), ..Self::default() }
    }

    pub(super) fn group(&self, key: &str) -> Option<Group> {
        self.groups.get(key).map(|group| Group::clone(group))
    }

    pub(super) fn groups_after(
        &self,
        plane: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Vec<Group> {
        let start = after.map_or(Bound::Unbounded, Bound::Excluded);
        let groups = self.groups.range::<str, _>((start, Bound::Unbounded));
        let of_plane = groups.filter(|(_, it)| it.name.plane.eq_ignore_ascii_case(plane));
        of_plane.take(limit).map(|(_, group)| Group::clone(group)).collect()
    }

    /// The references of a group, in order.
    pub(super) fn references_in(&self, group_key: &str) -> impl Iterator<Item = &Arc<Reference>> {
        let (group, nothing) = (group_key.to_owned(), String::new);
        let start = ReferencePosition { group, type_key: nothing(), alias: nothing() };
        let from = self.references.range(start..);
        from.take_while(move |(at, _)| at.group == group_key).map(|(_, reference)| reference)
    }

    pub(super) fn reference(&self, at: &ReferencePosition) -> Option<Reference> {
        self.references.get(at).map(|reference| Reference::clone(reference))
    }

    pub(super) fn reference_of_resource(&self, resource_key: &str) -> Option<Reference> {
        self.reference(self.mapped.get(resource_key)?)
    }

    pub(super) fn references_after(
        &self,
        filter: &ReferenceFilter,
        after: Option<&ReferencePosition>,
        limit: usize,
    ) -> Vec<Reference> {
        let found = self.find_references(filter, after, limit);
        found.map(|reference| Reference::clone(reference)).collect()
    }

    pub(super) fn outlines_after(
        &self,
        filter: &ReferenceFilter,
        after: Option<&ReferencePosition>,
        limit: usize,
    ) -> Vec<ReferenceOutline> {
        let found = self.find_references(filter, after, limit);
        let outline = |it: &Arc<Reference>| ReferenceOutline {
            name: it.name.clone(),
            scope: it.scope.clone(),
            entry: it.entry.clone(),
            depends_on: it.depends_on.clone(),
            last_operation: it.last_operation.clone(),
            version: it.version,
        };
        found.map(outline).collect()
    }

    fn find_references(
        &self,
        filter: &ReferenceFilter,
        after: Option<&ReferencePosition>,
        limit: usize,
    ) -> impl Iterator<Item = &Arc<Reference>> {
        let group = filter.group.as_ref().map(GroupName::key);
        let type_key = filter.type_key.as_ref().map(|key| key.to_ascii_lowercase());
        let state = filter.state;
        let start = after.map_or(Bound::Unbounded, Bound::Excluded);
        self.references
            .range((start, Bound::Unbounded))
            .filter(move |(at, _)| group.as_ref().is_none_or(|group| *group == at.group))
            .filter(move |(at, _)| type_key.as_ref().is_none_or(|key| *key == at.type_key))
            .filter(move |(_, it)| state.is_none_or(|state| state == it.entry.state))
            .take(limit)
            .map(|(_, reference)| reference)
    }

    pub(super) fn operation(&self, id: OperationId) -> Option<OperationRecord> {
        self.operations.get(&id).map(|kept| OperationRecord::clone(&kept.record))
    }

    /// Whether an operation is there and has not ended.
    pub(super) fn is_running(&self, id: OperationId) -> bool {
        self.operations.get(&id).is_some_and(|kept| kept.record.ended_at.is_none())
    }

    /// The newest operation of a request id that was accepted after `since`.
    pub(super) fn repeated(&self, request_id: &str, since: Timestamp) -> Option<&OperationRecord> {
        self.operations
            .values()
            .map(|kept| kept.record.as_ref())
            .filter(|it| it.created_at > since)
            .filter(|it| it.repeatability.as_ref().is_some_and(|it| it.request_id == request_id))
            .max_by_key(|it| it.created_at)
    }

    pub(super) fn operation_of_request(&self, request_token: &str) -> Option<OperationId> {
        let asked = Some(request_token);
        self.attempts
            .values()
            .find(|it| it.request_token.as_deref() == asked)
            .map(|it| it.operation)
    }

    pub(super) fn operations_before(
        &self,
        filter: &OperationFilter,
        before: Option<OperationId>,
        limit: usize,
    ) -> Vec<OperationRecord> {
        let end = before.map_or(Bound::Unbounded, Bound::Excluded);
        let reference = filter.reference.as_ref().map(rules::position);
        let group = filter.group.as_ref().map(GroupName::key);
        self.operations
            .range((Bound::Unbounded, end))
            .rev()
            .map(|(_, kept)| kept.record.as_ref())
            .filter(|it| !filter.running || it.ended_at.is_none())
            .filter(|it| reference.is_none() || reference == it.reference().map(rules::position))
            .filter(|it| filter.parent.is_none() || filter.parent == it.parent)
            .filter(|it| group.is_none() || group == it.group().map(GroupName::key))
            .take(limit)
            .cloned()
            .collect()
    }

    pub(super) fn events_after(
        &self,
        operation: OperationId,
        after: u64,
        limit: usize,
    ) -> Vec<EventRecord> {
        let events = (Bound::Excluded((operation, after)), Bound::Included((operation, u64::MAX)));
        self.events.range(events).take(limit).map(|(_, event)| EventRecord::clone(event)).collect()
    }

    pub(super) fn last_events(&self, operation: OperationId, limit: usize) -> Vec<EventRecord> {
        let events = self.events.range((operation, 0)..=(operation, u64::MAX));
        let mut last: Vec<EventRecord> =
            events.rev().take(limit).map(|(_, event)| EventRecord::clone(event)).collect();
        last.reverse();
        last
    }

    pub(super) fn schema(&self, region: &str, type_name: &str) -> Option<CachedSchema> {
        let key = (region.to_ascii_lowercase(), type_name.to_ascii_lowercase());
        self.schemas.get(&key).map(|schema| CachedSchema::clone(schema))
    }

    pub(super) fn counts(&self, now: Timestamp) -> Counts {
        let count = |number: usize| number as u64;
        let unknown = |it: &&Arc<Reference>| it.entry.state == EntryState::Unknown;
        let operations = || self.operations.values();
        // It waits for a worker since it was due, or since its last worker's lease ran out.
        let waiting_since = operations().filter_map(|kept| {
            let due = kept.due_since(now)?;
            Some(kept.lease.as_ref().map_or(due, |lease| due.max(lease.until)))
        });
        Counts {
            groups: count(self.groups.len()),
            references: count(self.references.len()),
            unknown: count(self.references.values().filter(unknown).count()),
            running: count(operations().filter(|it| it.record.ended_at.is_none()).count()),
            overdue_for: waiting_since.min().map(|since| now.since(since)).unwrap_or_default(),
            leased: count(operations().filter(|it| it.is_leased(now)).count()),
        }
    }
}
