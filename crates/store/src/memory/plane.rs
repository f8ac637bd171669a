//! Planes and credentials in memory, and the proof of the key that those are sealed with.

use std::collections::BTreeMap;
use std::sync::Arc;

use hangar_plan::record::{CredentialName, CredentialRecord, Plane, PlaneKind, PlaneName};

use super::state::State;
use crate::{CredentialError, Expect, PlaneError, Resealed, StaleError, rules};

/// The planes of a new store, by key.
pub(super) fn built_in() -> BTreeMap<String, Arc<Plane>> {
    rules::built_in_planes().map(|plane| (plane.name.key(), Arc::new(plane))).into()
}

impl State {
    pub(super) fn planes_of(&self, kind: Option<PlaneKind>) -> Vec<Plane> {
        let planes = self.planes.values();
        let of_kind = planes.filter(|it| kind.is_none_or(|kind| kind == it.name.kind));
        of_kind.map(|plane| Plane::clone(plane)).collect()
    }

    pub(super) fn put_plane(&mut self, plane: Plane, expect: Expect) -> Result<Plane, StaleError> {
        let key = plane.name.key();
        let present = self.planes.get(&key).map(AsRef::as_ref);
        rules::may_write(present.map(|it| it.version), expect)?;
        let plane = rules::plane_kept(plane, present);
        self.planes.insert(key, Arc::new(plane.clone()));
        Ok(plane)
    }

    pub(super) fn remove_plane(
        &mut self,
        name: &PlaneName,
        expect: Expect,
    ) -> Result<bool, PlaneError> {
        let key = name.key();
        let present = self.planes.get(&key).map(|it| it.version);
        let held = present.and_then(|_| self.held_in(name));
        let mut running = self.operations.values().filter(|kept| kept.record.ended_at.is_none());
        let running = running.find(|kept| rules::is_in_plane(&kept.record, name));
        let running = present.and(running).map(|kept| kept.record.id());
        rules::may_remove_plane(present, expect, held, running)?;
        Ok(self.planes.remove(&key).is_some())
    }

    /// The id of one thing that is in a plane.
    fn held_in(&self, name: &PlaneName) -> Option<String> {
        let is_it = |plane: &str| plane.eq_ignore_ascii_case(&name.name);
        match name.kind {
            PlaneKind::Radius => {
                self.groups.values().find(|it| is_it(&it.name.plane)).map(|it| it.name.id())
            }
            PlaneKind::Aws => {
                let reference = self.references.values().find(|it| is_it(&it.scope.plane));
                let credential = || self.credentials.values().find(|it| is_it(&it.name.plane));
                reference.map(|it| it.name.id()).or_else(|| credential().map(|it| it.name.id()))
            }
        }
    }

    pub(super) fn credentials_of(&self, plane: Option<&str>) -> Vec<CredentialRecord> {
        let of_plane = |it: &&Arc<CredentialRecord>| {
            plane.is_none_or(|plane| it.name.plane.eq_ignore_ascii_case(plane))
        };
        let credentials = self.credentials.values().filter(of_plane);
        credentials.map(|credential| CredentialRecord::clone(credential)).collect()
    }

    pub(super) fn put_credential(
        &mut self,
        credential: CredentialRecord,
        expect: Expect,
    ) -> Result<CredentialRecord, CredentialError> {
        let plane = rules::plane_of_credential(&credential.name);
        if !self.planes.contains_key(&plane.key()) {
            return Err(CredentialError::NoPlane(plane));
        }
        let key = credential.name.key();
        let present = self.credentials.get(&key).map(AsRef::as_ref);
        rules::may_write(present.map(|it| it.version), expect)?;
        let credential = rules::credential_kept(credential, present);
        self.credentials.insert(key, Arc::new(credential.clone()));
        Ok(credential)
    }

    pub(super) fn remove_credential(
        &mut self,
        name: &CredentialName,
        expect: Expect,
    ) -> Result<bool, StaleError> {
        let key = name.key();
        rules::may_write(self.credentials.get(&key).map(|it| it.version), expect)?;
        Ok(self.credentials.remove(&key).is_some())
    }

    /// Keeps `new` in the place of `old`, with every credential sealed anew.
    pub(super) fn rotate_key(
        &mut self,
        old: &str,
        new: &str,
        resealed: &[Resealed],
    ) -> Result<(), StaleError> {
        let present = self.credentials.values().map(AsRef::as_ref);
        rules::may_rotate(self.key_check.as_deref(), old, present, resealed)?;
        self.key_check = Some(new.to_owned());
        for anew in resealed {
            if let Some(credential) = self.credentials.get_mut(&anew.name.key()) {
                Arc::make_mut(credential).sealed.clone_from(&anew.sealed);
            }
        }
        Ok(())
    }
}
