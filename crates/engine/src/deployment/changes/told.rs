//! A change as callers read it: what would be done with one resource, where it is declared, and why.

use hangar_plan::deployment::{Fate, Left, Removal, Row, RowKind, RowTarget, SourcePlace};
use hangar_plan::record::GroupName;
use hangar_template::recipe::RECIPE_TYPE;
use serde_json::{Value, json};

/// What is told of one resource.
pub(super) struct Deed<'a> {
    pub(super) action: &'static str,
    pub(super) identifier: Option<&'a str>,
    pub(super) changed: Vec<Value>,
    pub(super) reason: Option<String>,
    /// Where the reason lies in the template; else the resource is told.
    pub(super) place: Option<SourcePlace>,
    /// Whether AWS may make a new resource of what is an update for us.
    pub(super) may_replace: bool,
    /// What a reader should know of properties, beside the changes.
    pub(super) notes: Vec<Value>,
}

impl Deed<'_> {
    pub(super) const fn of(action: &'static str) -> Self {
        Self {
            action,
            identifier: None,
            changed: Vec::new(),
            reason: None,
            place: None,
            may_replace: false,
            notes: Vec::new(),
        }
    }

    /// It would fail.
    pub(super) fn refused(reason: String) -> Self {
        Self { reason: Some(reason), ..Self::of("refused") }
    }
}

/// What would become of something that the template does not name any more.
pub(in crate::deployment) fn left_change(left: &Left, group: &GroupName) -> Value {
    let Left { member, identifier, fate } = left;
    let (action, reason) = match fate {
        Fate::Kept { because } => ("keep", because.clone()),
        Fate::Removed { how: Removal::Delete, because } => ("delete", because.clone()),
        Fate::Removed { how: Removal::Detach, because } => ("detach", because.clone()),
        Fate::TakenOver { by } => {
            ("taken-over", Some(format!("the deployment `{}` manages it now", by.name)))
        }
    };
    let mut told = json!({
        "address": member.address,
        "existing": false,
        "action": action,
        "changed": [],
        "id": member.id(group),
    });
    match &member.kind {
        RowKind::Aws(aws) => {
            told["type"] = aws.type_name.ucp().into();
            told["scope"] = aws.scope.to_string().into();
            told["alias"] = member.name.clone().into();
        }
        RowKind::Recipe => {
            told["type"] = RECIPE_TYPE.into();
            told["name"] = member.name.clone().into();
        }
    }
    if let Some(identifier) = identifier {
        told["identifier"] = identifier.as_str().into();
    }
    if let Some(reason) = reason {
        told["reason"] = reason.into();
    }
    told
}

/// One change, as it is told.
pub(super) fn change(row: &Row, group: &GroupName, deed: Deed<'_>) -> Value {
    let mut told = json!({
        "address": row.address,
        "type": row.type_text(),
        "existing": matches!(row.target, RowTarget::Existing { .. }),
        "action": deed.action,
        "changed": deed.changed,
    });
    if let Some(place) = deed.place.as_ref().or(row.place.as_ref()) {
        told["source"] = source(place);
    }
    if let Some(aws) = row.aws() {
        told["scope"] = aws.scope.to_string().into();
    }
    if let Some(name) = row.reference(group) {
        told["alias"] = name.alias.clone().into();
        told["id"] = name.id().into();
    }
    if let Some(name) = row.recipe(group) {
        told["name"] = name.name.clone().into();
        told["id"] = name.id().into();
    }
    if !deed.notes.is_empty() {
        told["notes"] = deed.notes.into();
    }
    if deed.may_replace {
        told["mayReplace"] = true.into();
    }
    if let Some(identifier) = deed.identifier {
        told["identifier"] = identifier.into();
    }
    if let Some(reason) = deed.reason {
        told["reason"] = reason.into();
    }
    told
}

/// A place in the template.
pub(in crate::deployment) fn source(place: &SourcePlace) -> Value {
    let SourcePlace { file, line, column, start, end } = place;
    json!({ "file": file, "line": line, "column": column, "start": start, "end": end })
}
