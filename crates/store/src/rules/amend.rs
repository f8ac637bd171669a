//! What may be written of a reference outside of any operation, and what becomes of it and of those that
//! depend on it when it is renamed.

use hangar_ids::ResourceId;
use hangar_plan::operation::{Entry, EntryState};
use hangar_plan::record::{GroupState, Reference, ReferenceName, Version};

use super::Present;
use crate::error::ReferenceError;

/// Whether a reference may be written by one who saw it at version `seen`; `group` is that of its group.
pub(crate) fn may_amend(
    present: Option<Present>,
    group: Option<GroupState>,
    seen: Option<Version>,
) -> Result<(), ReferenceError> {
    let present = present.ok_or(ReferenceError::Absent)?;
    if group == Some(GroupState::Deleting) {
        return Err(ReferenceError::GroupDeleting);
    }
    if let Some(holder) = present.locked_by {
        return Err(ReferenceError::Busy(holder));
    }
    if seen == Some(present.version) { Ok(()) } else { Err(ReferenceError::Stale) }
}

/// A reference as it is kept when it is written outside of an operation: what only operations move is
/// as it was.
pub(crate) fn amended(write: Reference, present: &Reference) -> Reference {
    let Entry { state, failed_at, .. } = write.entry;
    Reference {
        name: present.name.clone(),
        scope: present.scope.clone(),
        entry: Entry { state, failed_at, ..present.entry.clone() },
        former_keys: present.former_keys.clone(),
        managed_by: present.managed_by.clone(),
        last_operation: present.last_operation.clone(),
        created_at: present.created_at,
        version: present.version.next(),
        ..write
    }
}

/// Whether a reference may have another name: what looks for a create that is not settled knows the
/// old one.
pub(crate) fn may_rename(entry: &Entry) -> Result<(), ReferenceError> {
    let settled = entry.unsettled.is_empty() && entry.state != EntryState::Unknown;
    if settled { Ok(()) } else { Err(ReferenceError::Unsettled) }
}

/// A reference by another alias. A key that it had before is noted once.
pub(crate) fn renamed(present: &Reference, alias: &str) -> Reference {
    let mut renamed = present.clone();
    alias.clone_into(&mut renamed.name.alias);
    renamed.version = present.version.next();
    let old = present.name.key();
    if renamed.name.key() != old && !renamed.former_keys.contains(&old) {
        renamed.former_keys.push(old);
    }
    if let Some(depends_on) = followed(&present.depends_on, &present.name, &renamed.name) {
        renamed.depends_on = depends_on;
    }
    renamed
}

/// What a reference depends on when one was renamed; none where it does not depend on that. An id that
/// only a spelling tells from the old one is the old one.
pub(crate) fn followed(
    depends_on: &[String],
    old: &ReferenceName,
    new: &ReferenceName,
) -> Option<Vec<String>> {
    let (old, new) = (old.id(), new.id());
    let key = ResourceId::parse(&old).ok();
    let names_it = |text: &String| match (&key, ResourceId::parse(text)) {
        (Some(key), Ok(id)) => *key == id,
        _ => text.eq_ignore_ascii_case(&old),
    };
    if !depends_on.iter().any(names_it) {
        return None;
    }
    let follow = |text: &String| if names_it(text) { new.clone() } else { text.clone() };
    Some(depends_on.iter().map(follow).collect())
}

#[cfg(test)]
mod tests {
    use hangar_ids::TypeName;
    use hangar_plan::operation::OperationId;
    use hangar_plan::record::GroupName;

    use super::*;

    const HOLDER: OperationId = OperationId::from_u128(7);

    #[test]
    fn a_reference_is_amended_only_when_it_is_there_free_and_as_it_was_seen() {
        let at = |version| Some(Version(version));
        let free = Some(Present { version: Version(2), locked_by: None });
        let held = Some(Present { version: Version(2), locked_by: Some(HOLDER) });
        let (ready, deleting) = (Some(GroupState::Ready), Some(GroupState::Deleting));
        let cases = [
            (None, ready, at(2), Err(ReferenceError::Absent)),
            (None, deleting, None, Err(ReferenceError::Absent)),
            (free, ready, at(2), Ok(())),
            (free, ready, at(1), Err(ReferenceError::Stale)),
            (free, ready, None, Err(ReferenceError::Stale)),
            (free, deleting, at(2), Err(ReferenceError::GroupDeleting)),
            (held, deleting, at(2), Err(ReferenceError::GroupDeleting)),
            (held, ready, at(2), Err(ReferenceError::Busy(HOLDER))),
            (held, ready, at(1), Err(ReferenceError::Busy(HOLDER))),
        ];
        for (present, group, seen, expected) in cases {
            assert_eq!(may_amend(present, group, seen), expected, "{present:?} {group:?} {seen:?}");
        }
    }

    fn name(alias: &str) -> ReferenceName {
        let group = GroupName { plane: "local".to_owned(), group: "prod".to_owned() };
        let type_name = TypeName::parse("AWS::EC2::VPC").unwrap();
        ReferenceName { group, type_name, alias: alias.to_owned() }
    }

    #[test]
    fn an_id_follows_however_it_is_spelt_and_no_other_does() {
        let (old, new) = (name("a 1"), name("b"));
        let others = [name("a 2").id(), "nonsense".to_owned(), format!("{}x", old.id())];
        assert_eq!(followed(&others, &old, &new), None);
        let spelt = [old.id(), old.id().to_uppercase(), old.id().replace(' ', "%20")];
        for spelt in spelt {
            let depends_on = [others[0].clone(), spelt.clone(), others[1].clone()];
            let expected = vec![others[0].clone(), new.id(), others[1].clone()];
            assert_eq!(followed(&depends_on, &old, &new), Some(expected), "{spelt}");
        }
    }
}
