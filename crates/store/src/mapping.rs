//! The reference that maps a resource, also if AWS spells the identifier in another way than the reference.

use hangar_ids::Identifier;
use hangar_plan::record::{Reference, Subject};

use crate::{Reader, ReferenceFilter, ReferencePosition, StoreError};

/// References that are read at once.
const PAGE: usize = 500;

/// Finds the reference that maps the resource of this identifier: by the identifier itself, else the only reference of
/// the type in the same place whose identifier has an ARN for a name of it, or a name for an ARN.
///
/// # Errors
///
/// The store cannot be read.
pub async fn find_mapping(
    store: &dyn Reader,
    subject: &Subject,
    identifier: &str,
) -> Result<Option<Reference>, StoreError> {
    let found = store.reference_find_by_resource(&subject.resource_key(identifier)).await?;
    let named = Identifier::parse(identifier).ok().filter(Identifier::has_other_spellings);
    let (None, Some(named)) = (&found, named) else { return Ok(found) };
    let type_key = Some(subject.type_name.ucp().to_ascii_lowercase());
    let filter = ReferenceFilter { type_key, ..ReferenceFilter::default() };
    let is_same = |reference: &Reference| {
        let mapped = reference.entry.identifier.as_deref().map(Identifier::parse);
        reference.scope.is_same_place(&subject.scope)
            && mapped.is_some_and(|mapped| mapped.is_ok_and(|mapped| mapped.can_be(&named)))
    };
    let mut same = None;
    let mut after: Option<ReferencePosition> = None;
    loop {
        let page = store.reference_list(&filter, after.as_ref(), PAGE).await?;
        after = page.last().map(|last| ReferencePosition {
            group: last.name.group.key(),
            type_key: last.name.type_key(),
            alias: last.name.alias_key(),
        });
        let is_last = page.len() < PAGE;
        for reference in page.into_iter().filter(|reference| is_same(reference)) {
            // Of two nobody knows which one it is.
            if same.replace(reference).is_some() {
                return Ok(None);
            }
        }
        if is_last {
            return Ok(same);
        }
    }
}
