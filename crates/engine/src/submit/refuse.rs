//! Why a write is not accepted, in words for its caller.

use hangar_plan::operation::{Failure, FailureKind, Finding, OpenError, OperationId, PLAN_MOVED};
use hangar_plan::record::{GroupName, OperationRecord, PlaneName, ReferenceName, Subject};
use hangar_store::ReserveError;

use crate::read::unavailable;

/// Nothing new is begun while the engine stops.
pub(super) fn stopping() -> Failure {
    Failure {
        kind: FailureKind::Unavailable,
        code: "Stopping".to_owned(),
        message: "the control plane is stopping; nothing was changed".to_owned(),
        findings: Vec::new(),
    }
}

pub(super) fn invalid(findings: Vec<Finding>) -> Failure {
    Failure {
        kind: FailureKind::Invalid,
        code: "InvalidProperties".to_owned(),
        message: "the properties are not valid; nothing was changed".to_owned(),
        findings,
    }
}

pub(super) fn not_opened(subject: &Subject, error: OpenError) -> Failure {
    match error {
        OpenError::Busy(id) => busy(subject, id),
        OpenError::Absent | OpenError::Nameless => Failure {
            kind: FailureKind::NotFound,
            code: "ResourceNotFound".to_owned(),
            message: format!("there is no {}", subject_id(subject)),
            findings: Vec::new(),
        },
        OpenError::Moved => conflict(
            PLAN_MOVED,
            &format!(
                "{} no longer maps to the planned resource; it was not changed; plan again",
                subject_id(subject)
            ),
        ),
        OpenError::MappedTo { identifier } => conflict(
            "AliasMapped",
            &format!("{} already maps to {identifier}", subject_id(subject)),
        ),
    }
}

pub(super) fn not_reserved(subject: &Subject, error: ReserveError) -> Failure {
    match error {
        ReserveError::Busy(id) => busy(subject, id),
        ReserveError::NoGroup => Failure {
            kind: FailureKind::NotFound,
            code: "ResourceGroupNotFound".to_owned(),
            message: format!(
                "the group of {} does not exist; create it first",
                subject_id(subject)
            ),
            findings: Vec::new(),
        },
        ReserveError::GroupDeleting(_) => {
            conflict("GroupDeleting", "the group is being deleted and accepts no writes")
        }
        ReserveError::GroupReopened => conflict(
            "GroupReopened",
            "the deletion of the group has ended; nothing more is deleted",
        ),
        ReserveError::NoPlane(plane) => plane_not_found(&plane),
        ReserveError::Mapped(reference) => {
            conflict("ResourceMapped", &format!("the resource is already mapped by {reference}"))
        }
        ReserveError::Store(error) => unavailable(&error.to_string()),
        ReserveError::Stale | ReserveError::Repeated(_) => {
            conflict("Conflict", "the reference is being changed by other requests; try again")
        }
    }
}

pub(crate) fn busy(subject: &Subject, id: OperationId) -> Failure {
    conflict(
        "Conflict",
        &format!("operation {id} is running on {}; wait for it to end", subject_id(subject)),
    )
}

pub(crate) fn conflict(code: &str, message: &str) -> Failure {
    Failure {
        kind: FailureKind::Conflict,
        code: code.to_owned(),
        message: message.to_owned(),
        findings: Vec::new(),
    }
}

pub(super) fn plane_not_found(plane: &PlaneName) -> Failure {
    Failure {
        kind: FailureKind::NotFound,
        code: "PlaneNotFound".to_owned(),
        message: format!("there is no {}; create it first", plane.id()),
        findings: Vec::new(),
    }
}

pub(crate) fn reference_not_found(name: &ReferenceName) -> Failure {
    Failure {
        kind: FailureKind::NotFound,
        code: "ResourceNotFound".to_owned(),
        message: format!("there is no {}", name.id()),
        findings: Vec::new(),
    }
}

/// What an operation is about, for people: the reference, else the collection.
pub(crate) fn subject_id(subject: &Subject) -> String {
    subject.reference.as_ref().map_or_else(|| subject.collection(), ReferenceName::id)
}

/// What an operation is about, for people.
pub(crate) fn about(record: &OperationRecord) -> String {
    match record.resource() {
        Some(work) => subject_id(&work.subject),
        None => record.group().map(GroupName::id).unwrap_or_default(),
    }
}
