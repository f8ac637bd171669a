//! The way in: checks what is asked, decides the first state, and reserves all of it in one transaction.

mod check;
mod decide;
mod deployment;
mod group;
mod hold;
mod leaving;
mod recipe;
mod refuse;

use hangar_plan::change::with_identifier;
use hangar_plan::operation::{Failure, FailureKind, Kind, Request, Verb, open};
use hangar_plan::record::{OperationRecord, Reference, Repeatability, ResourceWork, Subject, Work};
use hangar_schema::TypeSchema;
use hangar_store::{GroupHold, REPEATABLE_FOR, Reservation, ReserveError, StoreError};

pub(crate) use check::check_reference;
use check::{check_create, check_handlers, check_mapping};
use decide::{
    chosen_name, desired_of, kind_of, named_by, policy_of, reference_write, secret_paths_of,
};
pub(crate) use deployment::{child as child_of, submit as submit_deployment};
pub(crate) use group::submit as submit_group;
use hold::Present;
pub(crate) use hold::{MANAGED_ELSEWHERE, other as other_manager};
pub(crate) use leaving::managed_with;
pub(crate) use recipe::submit as submit_recipe;
pub(crate) use refuse::{about, subject_id};
pub(crate) use refuse::{busy, conflict, reference_not_found};
use refuse::{invalid, not_opened, not_reserved, stopping};

use crate::ask::{Accepted, Ask, DeleteMode, Parent, Submission};
use crate::engine::Shared;
use crate::ours;
use crate::read::{unavailable, unsupported};

/// How often a decision is made anew because the reference moved meanwhile.
const DECISIONS: usize = 8;

/// Accepts a write, or says why not.
pub(crate) async fn submit(shared: &Shared, submission: Submission) -> Result<Accepted, Failure> {
    if shared.is_stopping() {
        return Err(stopping());
    }
    if let Some(repeated) = find_repeated(shared, submission.repeatability.as_ref()).await? {
        return Ok(repeated);
    }
    let Shared { store, cloud, schemas, .. } = shared;
    let subject = &submission.subject;
    let schema = schemas.get(&**store, cloud, &subject.scope, &subject.type_name).await?.compiled;
    let mut submission = submission;
    if let Ask::Put { identifier: Some(identifier), properties, .. }
    | Ask::Patch { identifier: Some(identifier), properties, .. } = &mut submission.ask
    {
        *properties = with_identifier(&schema, properties, identifier).map_err(invalid)?;
    }
    check_handlers(&schema, &submission.ask)?;
    for _ in 0..DECISIONS {
        // Found anew each time: what a reference stands for moves.
        let by_id = submission.subject.reference.is_none();
        let resolved = as_the_reference(shared, submission.clone()).await?;
        match reserve(shared, &schema, &resolved, by_id).await {
            Err(Refused::Stale) => {}
            Err(Refused::Repeated) => {
                if let Some(repeated) =
                    find_repeated(shared, submission.repeatability.as_ref()).await?
                {
                    return Ok(repeated);
                }
            }
            Err(Refused::For(failure)) => return Err(failure),
            Ok(accepted) => {
                tracing::info!(
                    operation.id = %accepted.record.id(),
                    resource.id = about(&accepted.record),
                    operation.kind = accepted.record.kind(),
                    request.correlation = accepted.record.correlation_id,
                    "accepted"
                );
                return Ok(accepted);
            }
        }
    }
    Err(conflict("Conflict", "the reference is being changed by other requests; try again"))
}

/// What stopped a reservation.
enum Refused {
    /// The reference moved: decide again.
    Stale,
    /// A request of this name was accepted in this instant.
    Repeated,
    /// It is refused.
    For(Failure),
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        Self::For(failure)
    }
}

impl From<StoreError> for Refused {
    fn from(error: StoreError) -> Self {
        Self::For(unavailable(&error.to_string()))
    }
}

/// The same request again gives the same operation.
async fn find_repeated(
    shared: &Shared,
    repeatability: Option<&Repeatability>,
) -> Result<Option<Accepted>, Failure> {
    let Some(asked) = repeatability else { return Ok(None) };
    let found = shared.store.operation_find_repeated(&asked.request_id, REPEATABLE_FOR).await;
    let Some(record) = found.map_err(|error| unavailable(&error.to_string()))? else {
        return Ok(None);
    };
    let same = record.repeatability.as_ref().is_some_and(|it| it.body_hash == asked.body_hash);
    if !same {
        return Err(Failure {
            kind: FailureKind::Invalid,
            code: "RepeatabilityMismatch".to_owned(),
            message: format!(
                "the request id {} was used for another request within 24 hours",
                asked.request_id
            ),
            findings: Vec::new(),
        });
    }
    // A create that was opened with its operation is of what did not exist.
    let existed = !record.attempts().iter().any(|attempt| {
        attempt.verb == Verb::Create
            && attempt.operation == record.id()
            && attempt.born_at == record.created_at
    });
    Ok(Some(Accepted { record, existed, reference: None }))
}

/// The resource that a write by id names.
fn named_in(ask: &Ask) -> Option<&String> {
    match ask {
        Ask::Put { identifier, .. }
        | Ask::Patch { identifier, .. }
        | Ask::Delete { identifier, .. } => identifier.as_ref(),
        Ask::Import { .. } | Ask::Repair | Ask::Tidy => None,
    }
}

/// A write by id on a mapped resource runs as its reference's operation.
async fn as_the_reference(
    shared: &Shared,
    mut submission: Submission,
) -> Result<Submission, Failure> {
    let identifier = named_in(&submission.ask).cloned();
    if submission.subject.reference.is_none()
        && let Some(identifier) = identifier
    {
        let key = submission.subject.resource_key(&identifier);
        let found = shared.store.reference_find_by_resource(&key).await;
        let found = found.map_err(|error| unavailable(&error.to_string()))?;
        // What a reference is going to delete it does not stand for: a write by id is of that alone.
        let stands = found.filter(|it| it.entry.identifier.as_ref() == Some(&identifier));
        submission.subject.reference = stands.map(|reference| reference.name);
        // What is deleted by id is deleted, whoever owns it.
        if submission.subject.reference.is_some()
            && let Ask::Delete { mode, .. } = &mut submission.ask
        {
            *mode = DeleteMode::Delete;
        }
    }
    Ok(submission)
}

/// Whether the reference still stands for the resource by whose id it was found.
fn is_of_that(ask: &Ask, before: Option<&Reference>) -> bool {
    before.is_some_and(|reference| reference.entry.identifier.as_ref() == named_in(ask))
}

/// Decides on what the reference is now, and reserves it; `by_id` where the caller named a resource and the
/// reference was found by it.
async fn reserve(
    shared: &Shared,
    schema: &TypeSchema,
    submission: &Submission,
    by_id: bool,
) -> Result<Accepted, Refused> {
    let Submission { subject, ask, condition, .. } = submission;
    let now = shared.store.now_about().await?;
    let before = match &subject.reference {
        Some(name) => shared.store.reference_find(name).await?,
        None => None,
    };
    let before = before.as_ref();
    if by_id && subject.reference.is_some() && !is_of_that(ask, before) {
        return Err(Refused::Stale);
    }
    check_reference(subject, condition, before)?;
    let present = Present::of(before, |it| it.managed_by.as_ref());
    let managed_by =
        hold::manager(shared, submission.hold.as_ref(), present, &subject_id(subject)).await?;
    check_mapping(shared, schema, subject, ask, before).await?;
    let mut kind = kind_of(ask, before)?;
    if let (Kind::Delete, Some(reference)) = (&kind, before)
        && ours::stands_for_foreign(shared, schema, reference).await
    {
        kind = Kind::Unlink;
    }
    if kind == Kind::Delete && schema.handlers().delete.is_none() {
        return Err(Refused::For(unsupported(schema, "delete")));
    }
    let identifier = named_by(subject, ask, before);
    let id = submission.id.unwrap_or_else(|| shared.config.dice.new_id(now));
    let desired = desired_of(schema, ask, before, id, shared.config.marker_tags)?;
    if before.is_none() && identifier.is_none() && kind == Kind::Put {
        check_create(schema, desired.as_ref())?;
    }
    let held = submission.held.as_ref();
    let policy = policy_of(schema, subject, ask, desired.as_ref(), before, held);
    let request = Request { id, kind, policy, identifier };
    let mut opened = open(request, before.map(|it| &it.entry), now)
        .map_err(|error| Refused::For(not_opened(subject, error)))?;
    opened.operation.doubtful_reads = before.is_some_and(|it| it.is_unsettled(now));
    let existed = before.is_some_and(|it| it.entry.identifier.is_some())
        || (before.is_none() && opened.operation.identifier.is_some());
    let told = Subject { secret_paths: secret_paths_of(ask).to_vec(), ..subject.clone() };
    // What it works on, and what it may make: writes by either name wait.
    let mut named: Vec<String> = opened.operation.identifier.iter().cloned().collect();
    named.extend(chosen_name(schema, ask).filter(|name| !named.contains(name)));
    let mut reference =
        reference_write(&told, &opened, before, submission.depends_on.as_deref(), now);
    if let Some(write) = &mut reference {
        write.reference.managed_by = managed_by;
    }
    let work = ResourceWork { operation: opened.operation, subject: told };
    let record = OperationRecord {
        parent: submission.parent.map(Parent::id),
        repeatability: submission.repeatability.clone(),
        correlation_id: submission.correlation_id.clone(),
        ..OperationRecord::new(Work::Resource(Box::new(work)), now)
    };
    // Any operation may delete what was replaced before it. What it replaces itself no other takes: its
    // reference maps it.
    let retiring = before.map(|it| it.entry.retiring.as_slice()).unwrap_or_default();
    let reservation = Reservation {
        record: record.clone(),
        resource_keys: named.iter().chain(retiring).map(|it| subject.resource_key(it)).collect(),
        reference,
        deployment: None,
        recipe: None,
        group: subject.reference.as_ref().map(|name| match submission.parent {
            Some(Parent::Deletion(_)) => GroupHold::Within(name.group.clone()),
            Some(Parent::Drift(_) | Parent::Deployment(_)) | None => {
                GroupHold::Open(name.group.clone())
            }
        }),
        envelope: desired.map(|desired| desired.seal(&shared.keys, id)),
        message: "accepted".to_owned(),
    };
    let written = reservation.reference.as_ref().map(|write| Box::new(write.written()));
    match shared.store.operation_reserve(reservation).await {
        Ok(()) => Ok(Accepted { record, existed, reference: written }),
        Err(ReserveError::Stale) => Err(Refused::Stale),
        Err(ReserveError::Repeated(_)) => Err(Refused::Repeated),
        Err(error) => Err(Refused::For(not_reserved(subject, error))),
    }
}

#[cfg(test)]
mod tests {
    use hangar_ids::TypeName;
    use hangar_plan::Timestamp;
    use hangar_plan::operation::{Entry, EntryState};
    use hangar_plan::record::{AwsScope, Documents, GroupName, ReferenceName, Version};

    use super::*;

    fn standing_for(identifier: Option<&str>) -> Reference {
        let group = GroupName { plane: "local".to_owned(), group: "team".to_owned() };
        let type_name = TypeName::parse("AWS.EC2/VPC").unwrap();
        let now = Timestamp::from_micros(1);
        Reference {
            name: ReferenceName { group, type_name, alias: "net".to_owned() },
            scope: AwsScope {
                plane: "aws".to_owned(),
                account: "42".parse().unwrap(),
                region: "eu-central-1".parse().unwrap(),
            },
            entry: Entry {
                identifier: identifier.map(str::to_owned),
                owned: true,
                state: EntryState::Ready,
                operation: None,
                unsettled: Vec::new(),
                retiring: Vec::new(),
                failed_at: None,
            },
            documents: Documents::default(),
            depends_on: Vec::new(),
            drift: None,
            former_keys: Vec::new(),
            managed_by: None,
            last_operation: None,
            created_at: now,
            updated_at: now,
            version: Version(1),
        }
    }

    #[test]
    fn a_write_by_id_is_for_the_resource_that_it_names_and_no_other() {
        let identifier = Some("vpc-1".to_owned());
        let delete = Ask::Delete { identifier, mode: DeleteMode::Delete };
        assert!(is_of_that(&delete, Some(&standing_for(Some("vpc-1")))));
        assert!(!is_of_that(&delete, Some(&standing_for(Some("vpc-2")))));
        assert!(!is_of_that(&delete, Some(&standing_for(None))));
        assert!(!is_of_that(&delete, None));
    }
}
