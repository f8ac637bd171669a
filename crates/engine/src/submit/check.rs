//! What must be true before anything is decided.

use hangar_plan::change::mistakes;
use hangar_plan::operation::{Failure, FailureKind};
use hangar_plan::record::{Reference, ReferenceName, Subject, Version};
use hangar_schema::TypeSchema;
use hangar_store::mapping::find_mapping;

use super::Refused;
use super::decide::chosen_name;
use super::refuse::{conflict, invalid};
use crate::ask::{Ask, Condition, DeleteMode};
use crate::documents::Desired;
use crate::engine::Shared;
use crate::etag::etag_of_reference;
use crate::read::unsupported;

pub(super) fn check_handlers(schema: &TypeSchema, ask: &Ask) -> Result<(), Failure> {
    let handlers = schema.handlers();
    match ask {
        _ if handlers.is_empty() => Err(unsupported(schema, "manage")),
        Ask::Delete { mode: DeleteMode::Delete, .. } if handlers.delete.is_none() => {
            Err(unsupported(schema, "delete"))
        }
        Ask::Import { .. } if handlers.read.is_none() => Err(unsupported(schema, "read")),
        Ask::Patch { .. } if handlers.update.is_none() => Err(unsupported(schema, "update")),
        _ => Ok(()),
    }
}

/// What must be true of the reference before anything is decided.
pub(crate) fn check_reference(
    subject: &Subject,
    condition: &Condition,
    before: Option<&Reference>,
) -> Result<(), Failure> {
    if let Some(reference) = before
        && !reference.scope.is_same_place(&subject.scope)
    {
        return Err(conflict(
            "ScopeMismatch",
            &format!(
                "the reference {} is in {} and cannot move to {}; use another alias there",
                reference.name.id(),
                reference.scope,
                subject.scope
            ),
        ));
    }
    let found = before.map(|it| (etag_of_reference(it), it.version));
    check_condition(condition, "reference", found)
}

/// Whether what was found, with its etag and version, is as the request wants it.
pub(super) fn check_condition(
    condition: &Condition,
    what: &str,
    found: Option<(String, Version)>,
) -> Result<(), Failure> {
    let met = match (condition, found) {
        (Condition::None, _) | (Condition::Absent, None) => true,
        (Condition::Absent, Some(_)) | (Condition::Matches(_) | Condition::Unmoved(_), None) => {
            false
        }
        (Condition::Matches(etags), Some((etag, _))) => etags.is_empty() || etags.contains(&etag),
        (Condition::Unmoved(seen), Some((_, version))) => *seen == version,
    };
    if met {
        return Ok(());
    }
    Err(Failure {
        kind: FailureKind::Conflict,
        code: "PreconditionFailed".to_owned(),
        message: format!("the {what} does not meet the request's condition"),
        findings: Vec::new(),
    })
}

/// What is taken in, or made by a name that its caller chose, must not be another alias's.
pub(super) async fn check_mapping(
    shared: &Shared,
    schema: &TypeSchema,
    subject: &Subject,
    ask: &Ask,
    before: Option<&Reference>,
) -> Result<(), Refused> {
    match ask {
        Ask::Import { identifier, .. } => check_not_mapped(shared, subject, identifier).await,
        // Also of one that stands for another resource: that one may be deleted before this is made.
        Ask::Put { .. } if subject.reference.is_some() => {
            match chosen_name(schema, ask).filter(|name| !stands_for(before, name)) {
                Some(name) => check_not_mapped(shared, subject, &name).await,
                None => Ok(()),
            }
        }
        Ask::Put { .. } | Ask::Patch { .. } | Ask::Repair | Ask::Tidy | Ask::Delete { .. } => {
            Ok(())
        }
    }
}

fn stands_for(reference: Option<&Reference>, identifier: &str) -> bool {
    reference.is_some_and(|it| it.entry.identifier.as_deref() == Some(identifier))
}

/// What another reference maps is not taken in a second time. Two imports at once are told apart when
/// the second one is written.
async fn check_not_mapped(
    shared: &Shared,
    subject: &Subject,
    identifier: &str,
) -> Result<(), Refused> {
    let mapped = find_mapping(&*shared.store, subject, identifier).await?;
    let own = subject.reference.as_ref().map(ReferenceName::key);
    match mapped.filter(|reference| Some(reference.name.key()) != own) {
        Some(reference) => Err(Refused::For(conflict(
            "ResourceMapped",
            &format!("{identifier} is already mapped by {}", reference.name.id()),
        ))),
        None => Ok(()),
    }
}

pub(super) fn check_create(schema: &TypeSchema, desired: Option<&Desired>) -> Result<(), Failure> {
    if schema.handlers().create.is_none() {
        return Err(unsupported(schema, "create"));
    }
    let wrong = |it: &Desired| mistakes(schema, &it.properties, &it.secret_paths);
    let findings = desired.map(wrong).unwrap_or_default();
    if findings.is_empty() { Ok(()) } else { Err(invalid(findings)) }
}
