//! Tells which form of a state a text is, or what else it is.

use super::error::StateError;
use super::json::{Json, Members, member};

/// A state by its form; its members are read, what is in them is not.
pub(super) enum Recognized<'a> {
    Raw4(Members<'a>),
    Raw3(Members<'a>),
    Show(Members<'a>),
}

pub(super) fn recognize(bytes: &[u8]) -> Result<Recognized<'_>, StateError> {
    let text = text_of(bytes)?;
    let json = Json::parse(text).map_err(|error| not_json(text, &error))?;
    let Some(members) = json.members() else {
        return Err(StateError::NotState { found: json.noun() });
    };
    let has = |name: &str| member(&members, name).is_some();
    if has("encrypted_data") {
        return Err(StateError::Encrypted);
    }
    if has("planned_values") || has("resource_changes") || has("prior_state") {
        return Err(StateError::PlanJson);
    }
    if let Some(version) = member(&members, "version") {
        return raw(version, members);
    }
    let Some(format) = member(&members, "format_version") else {
        return Err(StateError::NotState { found: other_json(&members) });
    };
    if !has("values") && (has("provider_schemas") || has("valid") || has("function_signatures")) {
        return Err(StateError::NotState { found: "the output of another Terraform command" });
    }
    let version = format.text().unwrap_or(format.as_str().into());
    match version.split('.').next() {
        Some("0" | "1") => Ok(Recognized::Show(members)),
        _ => Err(StateError::UnknownVersion { version: format!("{version} of `show -json`") }),
    }
}

fn raw<'a>(version: Json<'a>, members: Members<'a>) -> Result<Recognized<'a>, StateError> {
    match version.number() {
        Some(version @ (1 | 2)) => Err(StateError::TooOld { version }),
        Some(3) => match member(&members, "backend") {
            Some(backend) if !holds_resources(&members) => Err(backend_only(backend)),
            _ => Ok(Recognized::Raw3(members)),
        },
        Some(4) => Ok(Recognized::Raw4(members)),
        _ if !looks_like_state(&members) => {
            Err(StateError::NotState { found: other_json(&members) })
        }
        _ => Err(StateError::UnknownVersion { version: brief(version) }),
    }
}

/// Many files have a `version`; a state has these beside it.
fn looks_like_state(members: &Members<'_>) -> bool {
    ["terraform_version", "serial", "lineage"].iter().any(|name| member(members, name).is_some())
}

fn holds_resources(members: &Members<'_>) -> bool {
    let modules = member(members, "modules").and_then(Json::elements).unwrap_or_default();
    modules.into_iter().any(|module| {
        let members = module.members().unwrap_or_default();
        let resources = member(&members, "resources").and_then(Json::members);
        resources.is_some_and(|resources| !resources.is_empty())
    })
}

fn backend_only(backend: Json<'_>) -> StateError {
    let members = backend.members().unwrap_or_default();
    let kind = member(&members, "type").and_then(Json::text).unwrap_or_default();
    StateError::BackendOnly { kind: kind.into_owned() }
}

fn other_json(members: &Members<'_>) -> &'static str {
    if member(members, "@level").is_some() {
        "a Terraform log (`-json` of apply or plan)"
    } else if member(members, "terraform").is_some() || member(members, "resource").is_some() {
        "a Terraform configuration"
    } else {
        "another JSON document"
    }
}

/// What stands where a number should, cut where it is long.
fn brief(json: Json<'_>) -> String {
    const LONGEST: usize = 20;
    json.as_str().chars().take(LONGEST).collect()
}

fn text_of(bytes: &[u8]) -> Result<&str, StateError> {
    match bytes {
        [0x1f, 0x8b, ..] => return Err(StateError::Gzip),
        [b'P', b'K', 3, 4, ..] => return Err(StateError::PlanFile),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => return Err(StateError::Utf16),
        _ => {}
    }
    let text =
        str::from_utf8(bytes).map_err(|error| StateError::NotText { at: error.valid_up_to() })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(StateError::Empty);
    }
    Ok(text)
}

fn not_json(text: &str, error: &serde_json::Error) -> StateError {
    if text.trim_start().starts_with("{\"@level\"") {
        return StateError::NotState { found: "a Terraform log (`-json` of apply or plan)" };
    }
    // The place is told apart; the words end with it.
    let reason = error.to_string();
    let reason = reason.split(" at line ").next().unwrap_or_default().to_owned();
    let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1));
    let before: usize = lines.map(str::len).sum();
    let at = (before + error.column().saturating_sub(1)).min(text.len());
    StateError::NotJson { reason, at }
}
