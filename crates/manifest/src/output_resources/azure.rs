//! The ids of Azure resources: as they are, where they name a resource of Azure Resource Manager.

use hangar_ids::{Kind, ResourceId};

use super::Found;
use super::subject::{Reading, Subject, hidden};
use crate::state::codes;

pub(super) fn find(subject: &Subject<'_, '_>) -> Found {
    match subject.read(&["id"]) {
        Reading::Text(id) => of_id(&id),
        Reading::Sensitive => hidden("the id"),
        Reading::Absent => Found::nothing("no id attribute"),
    }
}

fn of_id(text: &str) -> Found {
    if !text.starts_with('/') {
        return Found::nothing("data-plane or non-ARM id");
    }
    if text.contains('|') {
        return Found::nothing("association id (two ARM ids joined by |), not a resource");
    }
    let id = match ResourceId::parse(text) {
        Ok(id) if id.plane().is_none() => id,
        Ok(_) => return Found::nothing("data-plane or non-ARM id"),
        Err(refused) => return Found::warned(codes::NO_ID, refused.message),
    };
    match id.kind() {
        // As it is written, but for the slash that names nothing.
        Kind::Resource | Kind::Extension => {
            Found::Id(text.strip_suffix('/').unwrap_or(text).to_owned())
        }
        Kind::Scope | Kind::ScopeCollection => {
            Found::nothing("ARM scope id (e.g. resource group), not a resource")
        }
        Kind::ResourceCollection | Kind::ExtensionCollection => {
            Found::nothing("ARM id of a collection, not of a resource")
        }
    }
}
