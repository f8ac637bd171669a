//! The way in: checks what is asked, decides the first state, and reserves all of it in one transaction.

mod check;
mod refuse;

use hangar_plan::Timestamp;
use hangar_plan::change::{marked_document, with_identifier};
use hangar_plan::operation::{
    Failure, FailureKind, Kind, Opened, OperationId, Policy, Request, Verb, open,
};
use hangar_plan::record::{
    Documents, Epoch, OperationRecord, Reference, ReferenceName, Repeatability, Subject, Version,
};
use hangar_schema::{IdentifierChoice, TypeSchema, identifier_of};
use hangar_store::{REPEATABLE_FOR, ReferenceWrite, Reservation, ReserveError, StoreError};

use check::{check_create, check_handlers, check_not_mapped, check_reference};
pub(crate) use refuse::subject_id;
use refuse::{conflict, invalid, not_opened, not_reserved};

use crate::ask::{Accepted, Ask, DeleteMode, Submission};
use crate::documents::{Desired, union};
use crate::engine::Shared;
use crate::read::{unavailable, unsupported};
use crate::{ours, translate};

/// How often a decision is made anew because the reference moved meanwhile.
const DECISIONS: usize = 8;

/// Accepts a write, or says why not.
pub(crate) async fn submit(shared: &Shared, submission: Submission) -> Result<Accepted, Failure> {
    if shared.is_stopping() {
        return Err(Failure {
            kind: FailureKind::Unavailable,
            code: "Stopping".to_owned(),
            message: "the control plane is stopping; nothing was changed".to_owned(),
            findings: Vec::new(),
        });
    }
    if let Some(repeated) = find_repeated(shared, submission.repeatability.as_ref()).await? {
        return Ok(repeated);
    }
    let Shared { store, provider, schemas, .. } = shared;
    let subject = &submission.subject;
    let schema =
        schemas.get(&**store, &**provider, &subject.scope, &subject.type_name).await?.compiled;
    let mut submission = as_the_reference(shared, submission).await?;
    if let Ask::Put { identifier: Some(identifier), properties, .. } = &mut submission.ask {
        *properties = with_identifier(&schema, properties, identifier).map_err(invalid)?;
    }
    check_handlers(&schema, &submission.ask)?;
    for _ in 0..DECISIONS {
        match reserve(shared, &schema, &submission).await {
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
                    operation.id = %accepted.record.operation.id,
                    resource.id = subject_id(&accepted.record.subject),
                    operation.kind = accepted.record.operation.kind.as_str(),
                    request.correlation = accepted.record.correlation_id,
                    "accepted"
                );
                shared.wake.notify_one();
                return Ok(accepted);
            }
        }
    }
    Err(conflict("Conflict", "the reference is being changed by others; try again"))
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
    let operation = &record.operation;
    // A create that was opened with its operation is of what did not exist.
    let existed = !operation.attempts.iter().any(|attempt| {
        attempt.verb == Verb::Create
            && attempt.operation == operation.id
            && attempt.born_at == operation.started_at
    });
    Ok(Some(Accepted { record, existed }))
}

/// A write by id on a mapped resource runs as its reference's operation.
async fn as_the_reference(
    shared: &Shared,
    mut submission: Submission,
) -> Result<Submission, Failure> {
    let identifier = match &submission.ask {
        Ask::Put { identifier, .. } | Ask::Delete { identifier, .. } => identifier.clone(),
        Ask::Import { .. } => None,
    };
    if submission.subject.reference.is_none()
        && let Some(identifier) = identifier
    {
        let key = submission.subject.resource_key(&identifier);
        let found = shared.store.reference_find_by_resource(&key).await;
        let found = found.map_err(|error| unavailable(&error.to_string()))?;
        submission.subject.reference = found.map(|reference| reference.name);
        // What is deleted by id is deleted, whoever owns it.
        if submission.subject.reference.is_some()
            && let Ask::Delete { mode, .. } = &mut submission.ask
        {
            *mode = DeleteMode::Delete;
        }
    }
    Ok(submission)
}

async fn reserve(
    shared: &Shared,
    schema: &TypeSchema,
    submission: &Submission,
) -> Result<Accepted, Refused> {
    let Submission { subject, ask, condition, repeatability, correlation_id } = submission;
    let now = shared.store.now().await?;
    let before = match &subject.reference {
        Some(name) => shared.store.reference_find(name).await?,
        None => None,
    };
    check_reference(subject, condition, before.as_ref())?;
    match ask {
        Ask::Import { identifier, .. } => check_not_mapped(shared, subject, identifier).await?,
        // A new alias for a name that the caller chose, and that another alias has.
        Ask::Put { properties, .. } if before.is_none() => {
            if let Ok(identifier) = identifier_of(schema, properties) {
                check_not_mapped(shared, subject, identifier.as_str()).await?;
            }
        }
        Ask::Put { .. } | Ask::Delete { .. } => {}
    }
    let mut kind = kind_of(ask, before.as_ref());
    if let (Kind::Delete, Some(reference)) = (&kind, &before)
        && ours::stands_for_foreign(shared, schema, reference).await
    {
        kind = Kind::Unlink;
    }
    if kind == Kind::Delete && schema.handlers().delete.is_none() {
        return Err(Refused::For(unsupported(schema, "delete")));
    }
    let identifier = match ask {
        // A free alias is never given to what exists already: that is an import.
        Ask::Put { .. } if subject.reference.is_some() && before.is_none() => None,
        Ask::Put { identifier, .. } | Ask::Delete { identifier, .. } => identifier.clone(),
        Ask::Import { identifier, .. } => Some(identifier.clone()),
    };
    let id = new_id(now);
    let desired = desired_of(schema, ask, id, shared.config.marker_tags);
    let creates = before.is_none() && identifier.is_none() && kind == Kind::Put;
    if creates {
        check_create(schema, desired.as_ref())?;
    }
    let marker = desired.as_ref().is_some_and(|desired| desired.marked.is_some());
    let policy = Policy {
        tracked: subject.reference.is_some(),
        readable: schema.handlers().read.is_some(),
        may_create: schema.handlers().create.is_some()
            && (subject.reference.is_some()
                || schema.identifier_choice() != Some(IdentifierChoice::Generated)),
        marker,
        handler_timeout: translate::handler_timeout(schema),
        replace: None,
        adopt: None,
    };
    let request = Request { id, kind, policy, identifier };
    let opened = open(request, before.as_ref().map(|it| &it.entry), now)
        .map_err(|error| Refused::For(not_opened(subject, error)))?;
    let existed = before.as_ref().is_some_and(|it| it.entry.identifier.is_some())
        || (before.is_none() && opened.operation.identifier.is_some());
    let record = OperationRecord {
        operation: opened.operation.clone(),
        subject: Subject { secret_paths: secret_paths_of(ask).to_vec(), ..subject.clone() },
        repeatability: repeatability.clone(),
        correlation_id: correlation_id.clone(),
        warnings: Vec::new(),
        created_at: now,
        updated_at: now,
        ended_at: None,
        due_at: Some(now),
        epoch: Epoch(0),
        version: Version(0),
    };
    let named = opened.operation.identifier.clone().or_else(|| chosen_name(schema, ask));
    let reservation = Reservation {
        record: record.clone(),
        resource_keys: named.iter().map(|it| subject.resource_key(it)).collect(),
        reference: reference_write(&record.subject, &opened, before, now),
        group: subject.reference.as_ref().map(|name| name.group.clone()),
        envelope: desired.map(|desired| desired.seal(&shared.keys, id)),
        message: "accepted".to_owned(),
    };
    match shared.store.operation_reserve(reservation).await {
        Ok(()) => Ok(Accepted { record, existed }),
        Err(ReserveError::Stale) => Err(Refused::Stale),
        Err(ReserveError::Repeated(_)) => Err(Refused::Repeated),
        Err(error) => Err(Refused::For(not_reserved(subject, error))),
    }
}

fn kind_of(ask: &Ask, before: Option<&Reference>) -> Kind {
    match ask {
        Ask::Put { .. } => Kind::Put,
        Ask::Import { owned, properties, .. } => {
            Kind::Import { owned: *owned, apply: properties.is_some() }
        }
        Ask::Delete { mode: DeleteMode::Delete, .. } => Kind::Delete,
        Ask::Delete { mode: DeleteMode::Detach, .. } => Kind::Unlink,
        Ask::Delete { mode: DeleteMode::ByOwnership, .. } => {
            // A create of ours that is not settled is ours to delete.
            let foreign = |it: &Reference| !it.entry.owned && it.entry.unsettled.is_empty();
            if before.is_some_and(foreign) { Kind::Unlink } else { Kind::Delete }
        }
    }
}

/// The name that the properties give a resource which is to be made: writes by that name wait.
fn chosen_name(schema: &TypeSchema, ask: &Ask) -> Option<String> {
    match ask {
        Ask::Put { properties, .. } => {
            identifier_of(schema, properties).ok().map(|identifier| identifier.to_string())
        }
        Ask::Import { .. } | Ask::Delete { .. } => None,
    }
}

/// What is wanted, with the document that a create of it sends.
fn desired_of(
    schema: &TypeSchema,
    ask: &Ask,
    id: OperationId,
    marker_tags: bool,
) -> Option<Desired> {
    let properties = match ask {
        Ask::Put { properties, .. } | Ask::Import { properties: Some(properties), .. } => {
            properties
        }
        Ask::Import { .. } | Ask::Delete { .. } => return None,
    };
    let marked = if marker_tags { marked_document(schema, properties, id) } else { None };
    Some(Desired {
        properties: properties.clone(),
        secret_paths: secret_paths_of(ask).to_vec(),
        marked,
    })
}

fn secret_paths_of(ask: &Ask) -> &[String] {
    match ask {
        Ask::Put { secret_paths, .. } | Ask::Import { secret_paths, .. } => secret_paths,
        Ask::Delete { .. } => &[],
    }
}

fn reference_write(
    subject: &Subject,
    opened: &Opened,
    before: Option<Reference>,
    now: Timestamp,
) -> Option<ReferenceWrite> {
    let entry = opened.entry.clone()?;
    let name: ReferenceName = subject.reference.clone()?;
    let seen = before.as_ref().map(|reference| reference.version);
    let mut reference = match before {
        Some(reference) => Reference { entry, updated_at: now, ..reference },
        None => Reference {
            name,
            scope: subject.scope.clone(),
            entry,
            documents: Documents::default(),
            last_operation: None,
            created_at: now,
            updated_at: now,
            version: Version(0),
        },
    };
    // What is secret is so from the first moment: a read may show live before anything is applied.
    let documents = &mut reference.documents;
    documents.secret_paths = union(&documents.secret_paths, &subject.secret_paths);
    Some(ReferenceWrite { reference, seen })
}

/// A UUID of version 7: ids sort by the store's time.
fn new_id(now: Timestamp) -> OperationId {
    let micros = u64::try_from(now.as_micros()).unwrap_or(0);
    let nanos = u32::try_from(micros % 1_000_000 * 1000).unwrap_or(0);
    let at = uuid::Timestamp::from_unix(uuid::NoContext, micros / 1_000_000, nanos);
    OperationId::from_u128(uuid::Uuid::new_v7(at).as_u128())
}
