//! What is read: each call is one query, or a few, with a connection of the readers.

use std::time::Duration;

use hangar_plan::Timestamp;
use hangar_plan::operation::OperationId;
use hangar_plan::record::{
    CredentialName, CredentialRecord, DeploymentName, DeploymentRecord, EventRecord, Group,
    GroupName, OperationRecord, Plane, PlaneKind, PlaneName, RecipeName, RecipeRecord, Reference,
    ReferenceName, StateHead, StateVersion,
};

use tokio::sync::broadcast;

use super::{
    Sqlite, count, credential, deployment, event, group, key_check, note, operation, plane, recipe,
    reference, schema, terraform,
};
use crate::{
    Answer, CachedSchema, Counts, Notice, OperationFilter, Reader, ReferenceFilter,
    ReferenceOutline, ReferencePosition, StoredState, rules,
};

/// How long a store that is well takes at most to answer.
const HEALTHY_WITHIN: Duration = Duration::from_secs(2);

impl Reader for Sqlite {
    fn now(&self) -> Answer<'_, Timestamp> {
        Box::pin(async move { Ok(self.time.now()) })
    }

    fn group_find<'a>(&'a self, name: &'a GroupName) -> Answer<'a, Option<Group>> {
        let key = name.key();
        self.read(move |database| group::find(database, &key))
    }

    fn group_list<'a>(
        &'a self,
        plane: &'a str,
        after: Option<&'a str>,
        limit: usize,
    ) -> Answer<'a, Vec<Group>> {
        let plane = plane.to_ascii_lowercase();
        let after = after.unwrap_or_default().to_owned();
        self.read(move |database| group::list(database, &plane, &after, limit))
    }

    fn reference_find<'a>(&'a self, name: &'a ReferenceName) -> Answer<'a, Option<Reference>> {
        let position = rules::position(name);
        self.read(move |database| reference::find(database, &position))
    }

    fn reference_find_by_resource<'a>(
        &'a self,
        resource_key: &'a str,
    ) -> Answer<'a, Option<Reference>> {
        let resource_key = resource_key.to_owned();
        self.read(move |database| reference::find_by_resource(database, &resource_key))
    }

    fn reference_list<'a>(
        &'a self,
        filter: &'a ReferenceFilter,
        after: Option<&'a ReferencePosition>,
        limit: usize,
    ) -> Answer<'a, Vec<Reference>> {
        let (filter, after) = (filter.clone(), after.cloned());
        self.read(move |database| reference::list(database, &filter, after, limit))
    }

    fn reference_outline_list<'a>(
        &'a self,
        filter: &'a ReferenceFilter,
        after: Option<&'a ReferencePosition>,
        limit: usize,
    ) -> Answer<'a, Vec<ReferenceOutline>> {
        let (filter, after) = (filter.clone(), after.cloned());
        self.read(move |database| reference::outline_list(database, &filter, after, limit))
    }

    fn deployment_find<'a>(
        &'a self,
        name: &'a DeploymentName,
    ) -> Answer<'a, Option<DeploymentRecord>> {
        let at = rules::deployment_position(name);
        self.read(move |database| deployment::find(database, &at))
    }

    fn deployment_list<'a>(
        &'a self,
        group: &'a GroupName,
        after: Option<&'a str>,
        limit: usize,
    ) -> Answer<'a, Vec<DeploymentRecord>> {
        let (group, after) = (group.key(), after.unwrap_or_default().to_owned());
        self.read(move |database| deployment::list(database, &group, &after, limit))
    }

    fn recipe_find<'a>(&'a self, name: &'a RecipeName) -> Answer<'a, Option<RecipeRecord>> {
        let at = rules::recipe_position(name);
        self.read(move |database| recipe::find(database, &at))
    }

    fn recipe_list<'a>(
        &'a self,
        group: &'a GroupName,
        after: Option<&'a str>,
        limit: usize,
    ) -> Answer<'a, Vec<RecipeRecord>> {
        let (group, after) = (group.key(), after.unwrap_or_default().to_owned());
        self.read(move |database| recipe::list(database, &group, &after, limit))
    }

    fn state_head<'a>(&'a self, recipe: &'a RecipeName) -> Answer<'a, StateHead> {
        let at = rules::recipe_position(recipe);
        self.read(move |database| terraform::head(database, &at))
    }

    fn state_list<'a>(&'a self, recipe: &'a RecipeName) -> Answer<'a, Vec<StateVersion>> {
        let at = rules::recipe_position(recipe);
        self.read(move |database| terraform::list(database, &at))
    }

    fn state_find<'a>(
        &'a self,
        recipe: &'a RecipeName,
        number: u64,
    ) -> Answer<'a, Option<StoredState>> {
        let at = rules::recipe_position(recipe);
        self.read(move |database| terraform::find(database, &at, number))
    }

    fn operation_find(&self, id: OperationId) -> Answer<'_, Option<OperationRecord>> {
        self.read(move |database| operation::find(database, id))
    }

    fn operation_find_repeated<'a>(
        &'a self,
        request_id: &'a str,
        within: Duration,
    ) -> Answer<'a, Option<OperationRecord>> {
        let request_id = request_id.to_owned();
        Box::pin(async move {
            let since = rules::earlier(self.time.now(), within);
            self.read(move |database| operation::find_repeated(database, &request_id, since)).await
        })
    }

    fn operation_find_by_request<'a>(
        &'a self,
        request_token: &'a str,
    ) -> Answer<'a, Option<OperationId>> {
        let request_token = request_token.to_owned();
        self.read(move |database| operation::find_by_request(database, &request_token))
    }

    fn operation_find_holding<'a>(
        &'a self,
        resource_key: &'a str,
    ) -> Answer<'a, Option<OperationRecord>> {
        let resource_key = resource_key.to_owned();
        self.read(move |database| operation::find_holding(database, &resource_key))
    }

    fn operation_list<'a>(
        &'a self,
        filter: &'a OperationFilter,
        before: Option<OperationId>,
        limit: usize,
    ) -> Answer<'a, Vec<OperationRecord>> {
        let filter = filter.clone();
        self.read(move |database| operation::list(database, &filter, before, limit))
    }

    fn event_list(
        &self,
        operation: OperationId,
        after: u64,
        limit: usize,
    ) -> Answer<'_, Vec<EventRecord>> {
        self.read(move |database| event::list(database, operation, after, limit))
    }

    fn event_list_last(
        &self,
        operation: OperationId,
        limit: usize,
    ) -> Answer<'_, Vec<EventRecord>> {
        self.read(move |database| event::list_last(database, operation, limit))
    }

    fn schema_find<'a>(
        &'a self,
        region: &'a str,
        type_name: &'a str,
    ) -> Answer<'a, Option<CachedSchema>> {
        let (region, type_name) = (region.to_ascii_lowercase(), type_name.to_ascii_lowercase());
        self.read(move |database| schema::find(database, &region, &type_name))
    }

    fn plane_find<'a>(&'a self, name: &'a PlaneName) -> Answer<'a, Option<Plane>> {
        let key = name.key();
        self.read(move |database| plane::find(database, &key))
    }

    fn plane_list(&self, kind: Option<PlaneKind>) -> Answer<'_, Vec<Plane>> {
        self.read(move |database| plane::list(database, kind))
    }

    fn credential_find<'a>(
        &'a self,
        name: &'a CredentialName,
    ) -> Answer<'a, Option<CredentialRecord>> {
        let key = name.key();
        self.read(move |database| credential::find(database, &key))
    }

    fn credential_list<'a>(&'a self, plane: Option<&'a str>) -> Answer<'a, Vec<CredentialRecord>> {
        let plane = plane.map(str::to_ascii_lowercase);
        self.read(move |database| credential::list(database, plane.as_deref()))
    }

    fn note_find<'a>(&'a self, name: &'a str) -> Answer<'a, Option<String>> {
        let name = name.to_owned();
        self.read(move |database| note::find(database, &name))
    }

    fn notices(&self) -> broadcast::Receiver<Notice> {
        self.notices.listen()
    }

    fn key_check(&self) -> Answer<'_, Option<String>> {
        self.read(key_check::find)
    }

    fn health(&self) -> Answer<'_, ()> {
        Box::pin(self.health_within(HEALTHY_WITHIN))
    }

    fn counts(&self) -> Answer<'_, Counts> {
        Box::pin(async move {
            let now = self.time.now();
            self.read(move |database| count::counts(database, now)).await
        })
    }
}
