//! State files of version 3, which Terraform 0.7 to 0.11 wrote: modules of resources with flat attributes.

use std::borrow::Cow;

use hangar_ids::{InstanceKey, ResourceMode};

use super::instance::Instance;
use super::json::{Members, member};
use super::{
    Attributes, Form, Json, Provider, Sensitive, State, StateError, Warning, head, list, outputs,
};

pub(super) fn read<'a>(document: &Members<'a>) -> Result<State<'a>, StateError> {
    let mut state = head(Form::Raw3, document);
    for (at, module) in list(document, "modules")?.into_iter().enumerate() {
        let Some(members) = module.members() else {
            let message =
                format!("module {} of the state is skipped: it is {}", at + 1, module.noun());
            state.warnings.push(Warning::odd(None, message));
            continue;
        };
        let path = module_path(&members);
        if path.is_empty() {
            state.outputs = outputs(member(&members, "outputs"));
        }
        let resources = member(&members, "resources").and_then(Json::members).unwrap_or_default();
        for (name, resource) in resources {
            read_resource(&path, &name, resource, &mut state);
        }
    }
    Ok(state)
}

/// The path as later versions write it: `module.a.module.b`.
fn module_path(members: &Members<'_>) -> String {
    let path = member(members, "path").and_then(Json::elements).unwrap_or_default();
    // The first is always `root`.
    let names = path.into_iter().skip(1).filter_map(Json::text);
    names.map(|name| format!("module.{name}")).collect::<Vec<_>>().join(".")
}

/// Adds the current object of a resource, and those that were replaced and not deleted.
fn read_resource<'a>(module: &str, written: &str, resource: Json<'a>, state: &mut State<'a>) {
    let dot = if module.is_empty() { "" } else { "." };
    let whole = format!("{module}{dot}{written}");
    let odd = |message: String| Warning::odd(Some(whole.clone()), message);
    let Some(members) = resource.members() else {
        state.warnings.push(odd(format!("the resource is skipped: it is {}", resource.noun())));
        return;
    };
    let name = Parts::read(written, member(&members, "type").and_then(Json::text));
    let provider = member(&members, "provider").and_then(Json::text);
    let provider = provider.filter(|text| !text.trim().is_empty());
    let provider = match provider {
        Some(text) => Provider::of_configuration(text),
        None => Provider::of_type(&name.type_name),
    };
    let instance = |document: Json<'a>, deposed: Option<String>| {
        let members = document.members()?;
        let texts = member(&members, "attributes");
        let id = member(&members, "id").filter(|id| id.as_str() != "\"\"");
        Some(Instance {
            address: whole.clone(),
            module: Cow::Owned(module.to_owned()),
            mode: name.mode,
            type_name: name.type_name.clone(),
            name: Cow::Owned(name.name.to_owned()),
            key: name.index.map(InstanceKey::Index),
            provider: provider.clone(),
            attributes: match (texts, id) {
                (None, None) => Attributes::Absent,
                (texts, id) => Attributes::Flat { texts: texts.unwrap_or(Json::EMPTY), id },
            },
            sensitive: Sensitive::Nothing,
            tainted: member(&members, "tainted").and_then(Json::boolean) == Some(true),
            deposed: deposed.map(Cow::Owned),
            identity: None,
            document,
        })
    };
    if let Some(primary) = member(&members, "primary") {
        match instance(primary, None) {
            Some(instance) => state.instances.push(instance),
            None => state
                .warnings
                .push(odd("its current object is malformed and is skipped".to_owned())),
        }
    }
    let deposed = member(&members, "deposed").and_then(Json::elements).unwrap_or_default();
    for (at, object) in deposed.into_iter().enumerate() {
        match instance(object, Some(at.to_string())) {
            Some(instance) => state.instances.push(instance),
            None => state
                .warnings
                .push(odd(format!("its deposed object {at} is malformed and is skipped"))),
        }
    }
}

/// The name of a resource: `data.type.name.0`.
struct Parts<'n, 'a> {
    mode: ResourceMode,
    type_name: Cow<'a, str>,
    name: &'n str,
    index: Option<u64>,
}

impl<'n, 'a> Parts<'n, 'a> {
    /// The type is stated beside the name, too, and is believed there.
    fn read(written: &'n str, stated: Option<Cow<'a, str>>) -> Self {
        let (mode, rest) = match written.strip_prefix("data.") {
            Some(rest) => (ResourceMode::Data, rest),
            None => (ResourceMode::Managed, written),
        };
        let (type_name, rest) = rest.split_once('.').unwrap_or((rest, ""));
        let (name, index) = match rest.rsplit_once('.') {
            Some((name, index)) if index.parse::<u64>().is_ok() => (name, index.parse().ok()),
            _ => (rest, None),
        };
        let type_name = stated.unwrap_or_else(|| Cow::Owned(type_name.to_owned()));
        Self { mode, type_name, name, index }
    }
}
