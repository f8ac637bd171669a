//! What an operation is to do, from what is asked and what the reference is now: nothing here acts.

use hangar_plan::Timestamp;
use hangar_plan::change::marked_document;
use hangar_plan::operation::{
    Adoption, Failure, FailureKind, Held, Kind, Opened, OperationId, Policy,
};
use hangar_plan::record::{Documents, Reference, ReferenceName, Subject, Version};
use hangar_plan::wanted::{merged, strategy};
use hangar_schema::{IdentifierChoice, TypeSchema, identifier_of};
use hangar_store::ReferenceWrite;

use super::refuse::conflict;
use crate::ask::{Ask, DeleteMode};
use crate::documents::{Desired, dropped_by, union};
use crate::translate;

/// What the operation is for.
pub(super) fn kind_of(ask: &Ask, before: Option<&Reference>) -> Result<Kind, Failure> {
    match ask {
        Ask::Put { .. } => Ok(Kind::Put),
        Ask::Patch { identifier, .. } if before.is_some() || identifier.is_some() => Ok(Kind::Put),
        Ask::Repair | Ask::Tidy if before.is_some() => Ok(Kind::Put),
        Ask::Patch { .. } | Ask::Repair | Ask::Tidy => Err(Failure {
            kind: FailureKind::NotFound,
            code: "ResourceNotFound".to_owned(),
            message: "the reference does not exist; create it first".to_owned(),
            findings: Vec::new(),
        }),
        Ask::Import { owned, properties, .. } => {
            Ok(Kind::Import { owned: *owned, apply: properties.is_some() })
        }
        Ask::Delete { mode: DeleteMode::Delete, .. } => Ok(Kind::Delete),
        Ask::Delete { mode: DeleteMode::Detach, .. } => Ok(Kind::Unlink),
        Ask::Delete { mode: DeleteMode::ByOwnership, .. } => {
            // A create of ours that is not settled is ours to delete.
            let foreign = |it: &Reference| !it.entry.owned && it.entry.unsettled.is_empty();
            Ok(if before.is_some_and(foreign) { Kind::Unlink } else { Kind::Delete })
        }
    }
}

/// The resource that the caller names.
pub(super) fn named_by(subject: &Subject, ask: &Ask, before: Option<&Reference>) -> Option<String> {
    match ask {
        // A free alias is never given to what exists already: that is an import.
        Ask::Put { .. } if subject.reference.is_some() && before.is_none() => None,
        Ask::Put { identifier, .. }
        | Ask::Patch { identifier, .. }
        | Ask::Delete { identifier, .. } => identifier.clone(),
        Ask::Import { identifier, .. } => Some(identifier.clone()),
        Ask::Repair | Ask::Tidy => None,
    }
}

/// The name that the properties give a resource which is to be made: writes by that name wait.
pub(super) fn chosen_name(schema: &TypeSchema, ask: &Ask) -> Option<String> {
    match ask {
        Ask::Put { properties, .. } => {
            identifier_of(schema, properties).ok().map(|identifier| identifier.to_string())
        }
        Ask::Import { .. } | Ask::Delete { .. } | Ask::Patch { .. } | Ask::Repair | Ask::Tidy => {
            None
        }
    }
}

/// What is wanted, with the document that a create of it sends.
pub(super) fn desired_of(
    schema: &TypeSchema,
    ask: &Ask,
    before: Option<&Reference>,
    id: OperationId,
    marker_tags: bool,
) -> Result<Option<Desired>, Failure> {
    let applied = before.and_then(|reference| reference.documents.applied.as_ref());
    let (properties, partial) = match ask {
        Ask::Put { properties, .. } | Ask::Import { properties: Some(properties), .. } => {
            (properties.clone(), false)
        }
        Ask::Patch { properties, .. } => (merged(applied, properties), true),
        Ask::Repair | Ask::Tidy => match applied {
            Some(applied) => (applied.clone(), true),
            None => {
                return Err(conflict(
                    "NothingApplied",
                    "no properties were ever applied through this reference, so there is nothing \
                     to repair",
                ));
            }
        },
        Ask::Import { .. } | Ask::Delete { .. } => return Ok(None),
    };
    let creates = matches!(ask, Ask::Put { .. }) || recreates(ask, before);
    let marked =
        if marker_tags && creates { marked_document(schema, &properties, id) } else { None };
    // Once secret, always secret: what is remembered is not quoted either.
    let remembered = before.map(|reference| reference.documents.secret_paths.as_slice());
    let secret_paths = union(remembered.unwrap_or_default(), secret_paths_of(ask));
    let dropped = match (ask, before) {
        (Ask::Patch { properties, .. }, Some(reference)) => {
            dropped_by(properties, reference.documents.secrets.keys().cloned())
        }
        _ => Vec::new(),
    };
    Ok(Some(Desired { properties, secret_paths, marked, partial, dropped }))
}

/// What of type and request the machine has to know.
pub(super) fn policy_of(
    schema: &TypeSchema,
    subject: &Subject,
    ask: &Ask,
    desired: Option<&Desired>,
    before: Option<&Reference>,
    held: Option<&Held>,
) -> Policy {
    let creates = matches!(ask, Ask::Put { .. } | Ask::Import { .. }) || recreates(ask, before);
    let nameable = subject.reference.is_some()
        || schema.identifier_choice() != Some(IdentifierChoice::Generated);
    let (replace, adopt) = match ask {
        Ask::Put { replace, adopt, .. } => (*replace, *adopt),
        _ => (false, None),
    };
    Policy {
        tracked: subject.reference.is_some(),
        readable: schema.handlers().read.is_some(),
        may_create: schema.handlers().create.is_some() && nameable && creates,
        marker: desired.is_some_and(|desired| desired.marked.is_some()),
        handler_timeout: translate::handler_timeout(schema),
        // What cannot be deleted cannot be replaced.
        replace: desired
            .filter(|_| replace && schema.handlers().delete.is_some())
            .map(|desired| strategy(schema, &desired.properties)),
        adopt: adopt.map(|owned| Adoption { identifier: chosen_name(schema, ask), owned }),
        held: held.cloned(),
        unstored: unstored(ask, before),
    }
}

/// Whether a repair may create the resource again. It goes the way of a put: the alias keeps its one resource.
fn recreates(ask: &Ask, before: Option<&Reference>) -> bool {
    matches!(ask, Ask::Repair) && before.is_some_and(|reference| reference.entry.owned)
}

/// The applied values that a repair cannot state again, because only their hashes are stored.
fn unstored(ask: &Ask, before: Option<&Reference>) -> Vec<String> {
    let reference = before.filter(|_| recreates(ask, before));
    reference.map(|it| it.documents.secrets.keys().cloned().collect()).unwrap_or_default()
}

pub(super) fn secret_paths_of(ask: &Ask) -> &[String] {
    match ask {
        Ask::Put { secret_paths, .. }
        | Ask::Patch { secret_paths, .. }
        | Ask::Import { secret_paths, .. } => secret_paths,
        Ask::Delete { .. } | Ask::Repair | Ask::Tidy => &[],
    }
}

/// The reference as the operation locks it.
pub(super) fn reference_write(
    subject: &Subject,
    opened: &Opened,
    before: Option<&Reference>,
    depends_on: Option<&[ReferenceName]>,
    now: Timestamp,
) -> Option<ReferenceWrite> {
    let entry = opened.entry.clone()?;
    let name: ReferenceName = subject.reference.clone()?;
    let seen = before.map(|reference| reference.version);
    let mut reference = match before {
        Some(reference) => Reference { entry, updated_at: now, ..reference.clone() },
        None => Reference {
            name,
            scope: subject.scope.clone(),
            entry,
            documents: Documents::default(),
            depends_on: Vec::new(),
            drift: None,
            former_keys: Vec::new(),
            managed_by: None,
            last_operation: None,
            created_at: now,
            updated_at: now,
            version: Version(0),
        },
    };
    // What is secret is so from the first moment: a read may show live before anything is applied.
    let documents = &mut reference.documents;
    documents.secret_paths = union(&documents.secret_paths, &subject.secret_paths);
    if let Some(names) = depends_on {
        reference.depends_on = names.iter().map(ReferenceName::id).collect();
    }
    Some(ReferenceWrite { reference, seen })
}
