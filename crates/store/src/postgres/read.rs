//! What is read: each call is one query, or a few, on one session; a session that broke is replaced once.

use std::time::Duration;

use hangar_plan::Timestamp;
use hangar_plan::operation::OperationId;
use hangar_plan::record::{
    CredentialName, CredentialRecord, DeploymentName, DeploymentRecord, EventRecord, Group,
    GroupName, OperationRecord, Plane, PlaneKind, PlaneName, RecipeName, RecipeRecord, Reference,
    ReferenceName, StateHead, StateVersion,
};
use tokio::sync::broadcast;

use super::database::Database;
use super::fault::Trouble;
use super::{
    Postgres, attempt, count, credential, deployment, event, group, key_check, note, operation,
    plane, recipe, reference, schema, terraform, writing,
};
use crate::{
    Answer, CachedSchema, Counts, Notice, OperationFilter, Reader, ReferenceFilter,
    ReferenceOutline, ReferencePosition, StoreError, StoredState, rules,
};

/// How long a store that is well takes at most to answer.
const HEALTHY_WITHIN: Duration = Duration::from_secs(2);

/// How long a read may take, whatever the server does.
const READ_WITHIN: Duration = Duration::from_secs(12);

// It must be the primary still, and take writes; the table must be there.
const HEALTH: &str = "SELECT NOT pg_is_in_recovery()
        AND current_setting('transaction_read_only') = 'off' AS well,
    (SELECT count(*) FROM key_check) AS kept";

impl Postgres {
    /// Asks on a session; once more on a fresh one where the first was broken.
    async fn read<T>(
        &self,
        ask: impl AsyncFn(&Database<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let session = self.sessions.get().await?;
        let database = Database::new(&session);
        let answer = within(ask(&database)).await;
        if answer.is_ok() || database.trouble() != Some(Trouble::Gone) {
            return answer;
        }
        drop(deadpool_postgres::Object::take(session));
        let session = self.sessions.get_fresh().await?;
        let database = Database::new(&session);
        within(ask(&database)).await
    }

    fn own_time(&self) -> Option<i64> {
        self.time.own()
    }

    async fn health_within(&self, patience: Duration) -> Result<(), StoreError> {
        let check = self.read(async |database| {
            let rows = database.query(HEALTH, &[]).await?;
            match rows.first().map(|row| row.try_get::<_, bool>("well")) {
                Some(Ok(true)) => Ok(()),
                _ => Err(StoreError::Unavailable("it is read-only".to_owned())),
            }
        });
        tokio::time::timeout(patience, check).await.unwrap_or_else(|_| {
            let patience = patience.as_millis();
            Err(StoreError::Unavailable(format!("it did not answer within {patience} ms")))
        })
    }
}

async fn within<T>(reading: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
    tokio::time::timeout(READ_WITHIN, reading).await.unwrap_or_else(|_| {
        let within = READ_WITHIN.as_secs();
        Err(StoreError::Unavailable(format!("it did not answer within {within} s")))
    })
}

impl Reader for Postgres {
    fn now(&self) -> Answer<'_, Timestamp> {
        Box::pin(async move {
            if let Some(now) = self.time.own() {
                return Ok(Timestamp::from_micros(now));
            }
            let rows = self.read(async |database| database.query(writing::NOW, &[]).await).await?;
            self.time.of(&rows)
        })
    }

    fn now_about(&self) -> Answer<'_, Timestamp> {
        match self.time.recent() {
            Some(now) => Box::pin(std::future::ready(Ok(now))),
            None => self.now(),
        }
    }

    fn group_find<'a>(&'a self, name: &'a GroupName) -> Answer<'a, Option<Group>> {
        let key = name.key();
        Box::pin(self.read(async move |database| group::find(database, &key).await))
    }

    fn group_list<'a>(
        &'a self,
        plane: &'a str,
        after: Option<&'a str>,
        limit: usize,
    ) -> Answer<'a, Vec<Group>> {
        let plane = plane.to_ascii_lowercase();
        let after = after.unwrap_or_default().to_owned();
        Box::pin(
            self.read(async move |database| group::list(database, &plane, &after, limit).await),
        )
    }

    fn reference_find<'a>(&'a self, name: &'a ReferenceName) -> Answer<'a, Option<Reference>> {
        let at = rules::position(name);
        Box::pin(self.read(async move |database| reference::find(database, &at).await))
    }

    fn reference_find_by_resource<'a>(
        &'a self,
        resource_key: &'a str,
    ) -> Answer<'a, Option<Reference>> {
        let resource_key = resource_key.to_owned();
        Box::pin(
            self.read(async move |database| {
                reference::find_by_resource(database, &resource_key).await
            }),
        )
    }

    fn reference_list<'a>(
        &'a self,
        filter: &'a ReferenceFilter,
        after: Option<&'a ReferencePosition>,
        limit: usize,
    ) -> Answer<'a, Vec<Reference>> {
        let (filter, after) = (filter.clone(), after.cloned());
        Box::pin(self.read(async move |database| {
            reference::list(database, &filter, after.clone(), limit).await
        }))
    }

    fn reference_outline_list<'a>(
        &'a self,
        filter: &'a ReferenceFilter,
        after: Option<&'a ReferencePosition>,
        limit: usize,
    ) -> Answer<'a, Vec<ReferenceOutline>> {
        let (filter, after) = (filter.clone(), after.cloned());
        Box::pin(self.read(async move |database| {
            reference::outline_list(database, &filter, after.clone(), limit).await
        }))
    }

    fn deployment_find<'a>(
        &'a self,
        name: &'a DeploymentName,
    ) -> Answer<'a, Option<DeploymentRecord>> {
        let at = rules::deployment_position(name);
        Box::pin(self.read(async move |database| deployment::find(database, &at).await))
    }

    fn deployment_list<'a>(
        &'a self,
        group: &'a GroupName,
        after: Option<&'a str>,
        limit: usize,
    ) -> Answer<'a, Vec<DeploymentRecord>> {
        let (group, after) = (group.key(), after.unwrap_or_default().to_owned());
        Box::pin(
            self.read(async move |database| {
                deployment::list(database, &group, &after, limit).await
            }),
        )
    }

    fn recipe_find<'a>(&'a self, name: &'a RecipeName) -> Answer<'a, Option<RecipeRecord>> {
        let at = rules::recipe_position(name);
        Box::pin(self.read(async move |database| recipe::find(database, &at).await))
    }

    fn recipe_list<'a>(
        &'a self,
        group: &'a GroupName,
        after: Option<&'a str>,
        limit: usize,
    ) -> Answer<'a, Vec<RecipeRecord>> {
        let (group, after) = (group.key(), after.unwrap_or_default().to_owned());
        Box::pin(
            self.read(async move |database| recipe::list(database, &group, &after, limit).await),
        )
    }

    fn state_head<'a>(&'a self, recipe: &'a RecipeName) -> Answer<'a, StateHead> {
        let at = rules::recipe_position(recipe);
        Box::pin(self.read(async move |database| terraform::head(database, &at).await))
    }

    fn state_list<'a>(&'a self, recipe: &'a RecipeName) -> Answer<'a, Vec<StateVersion>> {
        let at = rules::recipe_position(recipe);
        Box::pin(self.read(async move |database| terraform::list(database, &at).await))
    }

    fn state_find<'a>(
        &'a self,
        recipe: &'a RecipeName,
        number: u64,
    ) -> Answer<'a, Option<StoredState>> {
        let at = rules::recipe_position(recipe);
        Box::pin(self.read(async move |database| terraform::find(database, &at, number).await))
    }

    fn operation_find(&self, id: OperationId) -> Answer<'_, Option<OperationRecord>> {
        Box::pin(self.read(async move |database| operation::find(database, id).await))
    }

    fn operation_find_repeated<'a>(
        &'a self,
        request_id: &'a str,
        within: Duration,
    ) -> Answer<'a, Option<OperationRecord>> {
        let request_id = request_id.to_owned();
        let (now, within) = (self.own_time(), super::micros(within));
        Box::pin(self.read(async move |database| {
            operation::find_repeated(database, &request_id, now, within).await
        }))
    }

    fn operation_find_by_request<'a>(
        &'a self,
        request_token: &'a str,
    ) -> Answer<'a, Option<OperationId>> {
        let request_token = request_token.to_owned();
        Box::pin(
            self.read(async move |database| {
                attempt::find_by_request(database, &request_token).await
            }),
        )
    }

    fn operation_find_holding<'a>(
        &'a self,
        resource_key: &'a str,
    ) -> Answer<'a, Option<OperationRecord>> {
        let resource_key = resource_key.to_owned();
        Box::pin(
            self.read(async move |database| operation::find_holding(database, &resource_key).await),
        )
    }

    fn operation_list<'a>(
        &'a self,
        filter: &'a OperationFilter,
        before: Option<OperationId>,
        limit: usize,
    ) -> Answer<'a, Vec<OperationRecord>> {
        let filter = filter.clone();
        Box::pin(
            self.read(async move |database| {
                operation::list(database, &filter, before, limit).await
            }),
        )
    }

    fn event_list(
        &self,
        operation: OperationId,
        after: u64,
        limit: usize,
    ) -> Answer<'_, Vec<EventRecord>> {
        Box::pin(
            self.read(async move |database| event::list(database, operation, after, limit).await),
        )
    }

    fn event_list_last(
        &self,
        operation: OperationId,
        limit: usize,
    ) -> Answer<'_, Vec<EventRecord>> {
        Box::pin(
            self.read(async move |database| event::list_last(database, operation, limit).await),
        )
    }

    fn schema_find<'a>(
        &'a self,
        region: &'a str,
        type_name: &'a str,
    ) -> Answer<'a, Option<CachedSchema>> {
        let (region, type_name) = (region.to_ascii_lowercase(), type_name.to_ascii_lowercase());
        Box::pin(self.read(async move |database| schema::find(database, &region, &type_name).await))
    }

    fn plane_find<'a>(&'a self, name: &'a PlaneName) -> Answer<'a, Option<Plane>> {
        let key = name.key();
        Box::pin(self.read(async move |database| plane::find(database, &key).await))
    }

    fn plane_list(&self, kind: Option<PlaneKind>) -> Answer<'_, Vec<Plane>> {
        Box::pin(self.read(async move |database| plane::list(database, kind).await))
    }

    fn credential_find<'a>(
        &'a self,
        name: &'a CredentialName,
    ) -> Answer<'a, Option<CredentialRecord>> {
        let key = name.key();
        Box::pin(self.read(async move |database| credential::find(database, &key).await))
    }

    fn credential_list<'a>(&'a self, plane: Option<&'a str>) -> Answer<'a, Vec<CredentialRecord>> {
        let plane = plane.map(str::to_ascii_lowercase);
        Box::pin(
            self.read(async move |database| credential::list(database, plane.as_deref()).await),
        )
    }

    fn note_find<'a>(&'a self, name: &'a str) -> Answer<'a, Option<String>> {
        let name = name.to_owned();
        Box::pin(self.read(async move |database| note::find(database, &name).await))
    }

    fn notices(&self) -> broadcast::Receiver<Notice> {
        self.wire.notices().listen()
    }

    fn key_check(&self) -> Answer<'_, Option<String>> {
        Box::pin(self.read(async |database| key_check::find(database).await))
    }

    fn health(&self) -> Answer<'_, ()> {
        Box::pin(self.health_within(HEALTHY_WITHIN))
    }

    fn counts(&self) -> Answer<'_, Counts> {
        let now = self.own_time();
        Box::pin(self.read(async move |database| count::counts(database, now).await))
    }
}
