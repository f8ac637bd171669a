//! How the resource of a reference stands to what was applied: read, compared, and kept.
//!
//! What was applied is not touched, and a reference that an operation works on is left alone.

mod differences;

use std::time::Duration;

use hangar_plan::Timestamp;
use hangar_plan::change::to_show;
use hangar_plan::group::{Sight, unlooked, verdict};
use hangar_plan::normal_form::drop_refuted;
use hangar_plan::operation::{
    ChangeKind, Ending, EntryState, Failure, FailureKind, Operation, Verb,
};
use hangar_plan::record::{
    Difference, Drift, DriftState, NormalForm, Reference, ReferenceName, Subject,
};
use hangar_provider::{ErrorClass, Observation, ProviderError};
use hangar_schema::{TypeSchema, without_hollow};
use hangar_store::{ReferenceError, ReferenceWrite};
use serde_json::Value;
use tokio::time::Instant;

use self::differences::{Compared, differences};
use crate::cloud::Errand;
use crate::documents::{self, Desired, Known};
use crate::engine::Shared;
use crate::forms::KeyedForms;
use crate::read::{PATIENCE, unavailable};
use crate::submit::{conflict, reference_not_found};
use crate::{ours, translate};

/// How often it is looked anew because the reference moved meanwhile.
const TRIES: usize = 8;

/// What is not there is read once more after this, before it is called gone.
const READ_AGAIN_AFTER: Duration = Duration::from_millis(300);

/// A reference after a look at its resource.
pub(crate) enum Looked {
    /// How it stands was kept.
    Kept(Reference),
    /// It is being worked on, or its group goes: it is as it was.
    LeftAlone(Reference),
}

/// What is still told of a look before an operation: how a resource stood before a write tells nothing of how
/// it stands after. One that asks the cloud for nothing and fails leaves what was found.
pub(crate) fn after_write(found: Option<Drift>, operation: &Operation) -> Option<Drift> {
    let writes = [Verb::Create, Verb::Update, Verb::Delete];
    let sent = writes.into_iter().any(|verb| operation.sent(verb) > 0);
    let done = matches!(operation.ending, Some(Ending::Succeeded(_)));
    found.filter(|_| !sent && !done)
}

/// What a look found, and what may be kept of it.
struct Found {
    sight: Sight,
    observed: Option<Value>,
    /// The forms that the read did not refute.
    learned: Option<Vec<NormalForm>>,
    differences: Vec<Difference>,
}

impl From<Sight> for Found {
    fn from(sight: Sight) -> Self {
        Self { sight, observed: None, learned: None, differences: Vec::new() }
    }
}

/// Reads the resource of a reference and keeps how it stands to what was applied.
pub(crate) async fn check(shared: &Shared, name: &ReferenceName) -> Result<Reference, Failure> {
    match look(shared, name, Some(Instant::now() + PATIENCE)).await? {
        Looked::Kept(reference) | Looked::LeftAlone(reference) => Ok(reference),
    }
}

/// Reads the resource of a reference and keeps how it stands to what was applied. A cloud that is asked too
/// often, or cannot be reached, tells nothing: what was found before stays, and that is a failure.
/// It waits for the turn of its call until `until`.
pub(crate) async fn look(
    shared: &Shared,
    name: &ReferenceName,
    until: Option<Instant>,
) -> Result<Looked, Failure> {
    for _ in 0..TRIES {
        let found = shared.store.reference_find(name).await;
        let Some(reference) = found.map_err(|error| unavailable(&error.to_string()))? else {
            return Err(reference_not_found(name));
        };
        if reference.entry.operation.is_some() {
            return Ok(Looked::LeftAlone(reference));
        }
        let found = find(shared, &reference, until).await?;
        let now = shared.store.now().await.map_err(|error| unavailable(&error.to_string()))?;
        let mut after = seen(&reference, found, now);
        let write = ReferenceWrite { reference: after.clone(), seen: Some(reference.version) };
        match shared.store.reference_save(write).await {
            Ok(version) => {
                after.version = version;
                return Ok(Looked::Kept(after));
            }
            Err(ReferenceError::Stale | ReferenceError::Busy(_)) => {}
            Err(ReferenceError::Absent) => return Err(reference_not_found(name)),
            Err(ReferenceError::GroupDeleting) => return Ok(Looked::LeftAlone(reference)),
            Err(ReferenceError::Store(error)) => return Err(unavailable(&error.to_string())),
            Err(error @ (ReferenceError::Unsettled | ReferenceError::Taken(_))) => {
                return Err(conflict("Conflict", &error.to_string()));
            }
        }
    }
    Err(conflict("Conflict", "the reference is being changed by other requests; try again"))
}

/// Whether the resource of a reference is gone, by a look that keeps nothing.
pub(crate) async fn is_gone(shared: &Shared, reference: &Reference) -> Result<bool, Failure> {
    let found = find(shared, reference, None).await?;
    let now = shared.store.now().await.map_err(|error| unavailable(&error.to_string()))?;
    Ok(verdict(&reference.entry, &found.sight, now).state == DriftState::Missing)
}

/// The reference with what was found.
fn seen(reference: &Reference, found: Found, now: Timestamp) -> Reference {
    let mut drift = verdict(&reference.entry, &found.sight, now);
    if drift.state == DriftState::Drifted {
        drift.differences = found.differences;
    }
    let mut after = reference.clone();
    let is_there = matches!(found.sight, Sight::Unapplied | Sight::Present(_));
    if drift.state == DriftState::Missing {
        after.entry.state = EntryState::Missing;
        after.entry.failed_at = None;
    } else if is_there && after.entry.state == EntryState::Missing {
        after.entry.state = EntryState::Ready;
    }
    if let Some(observed) = found.observed {
        after.documents.observed = Some(observed);
        after.documents.observed_at = Some(now);
    }
    if let Some(learned) = found.learned {
        after.documents.learned = learned;
    }
    after.drift = Some(drift);
    after
}

/// Looks at the resource of a reference, where that can tell anything.
async fn find(
    shared: &Shared,
    reference: &Reference,
    until: Option<Instant>,
) -> Result<Found, Failure> {
    let type_name = &reference.name.type_name;
    let Shared { store, cloud, schemas, .. } = shared;
    let schema = schemas.get(&**store, cloud, &reference.scope, type_name).await;
    let schema = match schema {
        Ok(schema) => schema.compiled,
        Err(failure) => return Ok(Sight::Nothing(failure.message).into()),
    };
    if let Some(why) = unlooked(&reference.entry, schema.handlers().read.is_some()) {
        return Ok(Sight::Nothing(why.to_owned()).into());
    }
    let live = match read(shared, &schema, reference, until).await {
        Ok(Some(live)) => live,
        Ok(None) => {
            tokio::time::sleep(READ_AGAIN_AFTER).await;
            match read(shared, &schema, reference, until).await {
                Ok(Some(live)) => live,
                Ok(None) => return Ok(Sight::Absent.into()),
                Err(error) => return untold(error),
            }
        }
        Err(error) => return untold(error),
    };
    let observed = to_show(&schema, &live, &reference.documents.secret_paths);
    let (sight, differences) = match &reference.documents.applied {
        Some(applied) => {
            let (kind, differences) = difference(shared, &schema, reference, applied, &live);
            (Sight::Present(kind), differences)
        }
        None => (Sight::Unapplied, Vec::new()),
    };
    let mut learned = reference.documents.learned.clone();
    let hashes = KeyedForms { keys: &shared.keys, salt: &reference.first_key() };
    drop_refuted(&mut learned, &schema, &live, &hashes);
    Ok(Found { sight, observed: Some(observed), learned: Some(learned), differences })
}

/// What would make live what was applied. The write-only values that are not at hand are no difference,
/// and not asked for: that is for who mends it.
fn difference(
    shared: &Shared,
    schema: &TypeSchema,
    reference: &Reference,
    applied: &Value,
    live: &Value,
) -> (ChangeKind, Vec<Difference>) {
    // Where all that was stated of an object is write-only, AWS need not return it.
    let applied = without_hollow(schema, applied);
    let desired = Desired {
        properties: applied.clone(),
        secret_paths: reference.documents.secret_paths.clone(),
        marked: None,
        partial: true,
        dropped: Vec::new(),
    };
    let known = Known::of(reference).having(applied);
    let (change, patch) =
        documents::difference_and_patch(&shared.keys, schema, &desired, Some(&known), live);
    let Desired { properties: applied, secret_paths, .. } = &desired;
    let compared = Compared { schema, live, applied, secret_paths };
    let found = patch.map(|patch| differences(&compared, &patch));
    (change.kind, found.unwrap_or_default())
}

/// What a read shows; nothing where there is no resource of ours.
async fn read(
    shared: &Shared,
    schema: &TypeSchema,
    reference: &Reference,
    until: Option<Instant>,
) -> Result<Option<Value>, ProviderError> {
    let identifier = reference.entry.identifier.as_deref().unwrap_or_default();
    let type_name = reference.name.type_name.clone();
    let subject = Subject::new(reference.scope.clone(), type_name, None);
    let errand = Errand { looks: true, until, ..Errand::default() };
    let answer = shared.cloud.on(errand).observe(&translate::target(&subject), identifier).await;
    match answer? {
        Observation::Absent => Ok(None),
        Observation::Present { properties, .. } => {
            let foreign = ours::is_foreign(shared, schema, reference, &properties).await;
            Ok(Some(properties).filter(|_| !foreign))
        }
    }
}

/// A read that failed: told as it is where the cloud refused it, a failure where it may answer later.
fn untold(error: ProviderError) -> Result<Found, Failure> {
    let later = matches!(
        error.class,
        ErrorClass::Throttled | ErrorClass::Unreachable | ErrorClass::Unanswered
    );
    if later {
        return Err(translate::read_failure(error));
    }
    Ok(Sight::Nothing(format!("AWS did not return it: {}: {}", error.code, error.message)).into())
}

/// Whether a look failed only for now.
pub(crate) fn is_passing(failure: &Failure) -> bool {
    matches!(failure.kind, FailureKind::Throttled | FailureKind::Unavailable)
}
