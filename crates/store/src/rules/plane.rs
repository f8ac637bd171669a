//! Planes and their credentials: those that are there from the start, and what a write makes of one.

use std::collections::{BTreeMap, BTreeSet};

use hangar_plan::Timestamp;
use hangar_plan::operation::OperationId;
use hangar_plan::record::{
    CredentialName, CredentialRecord, GroupName, OperationRecord, Plane, PlaneKind, PlaneName,
    Version,
};

use super::{FIRST, is_expected, version_after};
use crate::error::{PlaneError, StaleError};
use crate::write::{Expect, Resealed, Reservation};

/// The planes of a new store. The third migration of SQLite has the same.
pub(crate) fn built_in_planes() -> [Plane; 2] {
    [(PlaneKind::Aws, "aws"), (PlaneKind::Radius, "local")].map(|(kind, name)| Plane {
        name: PlaneName { kind, name: name.to_owned() },
        location: Some("global".to_owned()),
        tags: BTreeMap::new(),
        properties: BTreeMap::new(),
        created_at: Timestamp::default(),
        updated_at: Timestamp::default(),
        version: FIRST,
    })
}

/// Whether a row that is at this version may be written.
pub(crate) fn may_write(present: Option<Version>, expect: Expect) -> Result<(), StaleError> {
    if is_expected(expect, present) { Ok(()) } else { Err(StaleError::Stale) }
}

/// Whether a plane that is at this version may be removed, while it holds `held` and `running` works in it.
pub(crate) fn may_remove_plane(
    present: Option<Version>,
    expect: Expect,
    held: Option<String>,
    running: Option<OperationId>,
) -> Result<(), PlaneError> {
    if !is_expected(expect, present) {
        return Err(PlaneError::Stale);
    }
    if let Some(id) = held {
        return Err(PlaneError::NotEmpty(id));
    }
    running.map_or(Ok(()), |id| Err(PlaneError::Busy(id)))
}

/// The plane that a group is in.
pub(crate) fn plane_of_group(group: &GroupName) -> PlaneName {
    PlaneName { kind: PlaneKind::Radius, name: group.plane.clone() }
}

/// The plane that a credential is for.
pub(crate) fn plane_of_credential(credential: &CredentialName) -> PlaneName {
    PlaneName { kind: PlaneKind::Aws, name: credential.plane.clone() }
}

/// The plane that must be there for a new operation: that of its resource, unless it has a reference which
/// was there before. That keeps its plane.
pub(crate) fn plane_of_resource(reservation: &Reservation) -> Option<PlaneName> {
    let scope = match &reservation.reference {
        Some(write) if write.seen.is_some() => return None,
        Some(write) => &write.reference.scope,
        None => &reservation.record.resource()?.subject.scope,
    };
    Some(PlaneName { kind: PlaneKind::Aws, name: scope.plane.clone() })
}

/// Whether an operation works in a plane.
pub(crate) fn is_in_plane(record: &OperationRecord, plane: &PlaneName) -> bool {
    let own = match plane.kind {
        PlaneKind::Aws => record.resource().map(|work| work.subject.scope.plane.as_str()),
        PlaneKind::Radius => record.group().map(|group| group.plane.as_str()),
    };
    own.is_some_and(|own| own.eq_ignore_ascii_case(&plane.name))
}

/// A plane as it is kept.
pub(crate) fn plane_kept(plane: Plane, present: Option<&Plane>) -> Plane {
    Plane {
        name: present.map_or(plane.name, |it| it.name.clone()),
        created_at: present.map_or(plane.created_at, |it| it.created_at),
        version: version_after(present.map(|it| it.version)),
        ..plane
    }
}

/// A credential as it is kept.
pub(crate) fn credential_kept(
    credential: CredentialRecord,
    present: Option<&CredentialRecord>,
) -> CredentialRecord {
    CredentialRecord {
        name: present.map_or(credential.name, |it| it.name.clone()),
        created_at: present.map_or(credential.created_at, |it| it.created_at),
        version: version_after(present.map(|it| it.version)),
        ..credential
    }
}

/// Whether another key may be taken by one who saw the proof `old` and sealed these credentials anew: it
/// is all of them, as they are, so that none is left that only the old key opens.
pub(crate) fn may_rotate<'a>(
    check: Option<&str>,
    old: &str,
    present: impl IntoIterator<Item = &'a CredentialRecord>,
    resealed: &[Resealed],
) -> Result<(), StaleError> {
    let present: BTreeSet<(String, &[u8])> =
        present.into_iter().map(|it| (it.name.key(), it.sealed.as_slice())).collect();
    let opened: BTreeSet<(String, &[u8])> =
        resealed.iter().map(|it| (it.name.key(), it.before.as_slice())).collect();
    if check == Some(old) && present == opened { Ok(()) } else { Err(StaleError::Stale) }
}
