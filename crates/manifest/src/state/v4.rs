//! State files of version 4, which Terraform and OpenTofu write since Terraform 0.12.

use std::borrow::Cow;

use hangar_ids::{ModulePath, ResourceMode};

use super::instance::{Instance, address};
use super::json::{Members, member};
use super::{
    Attributes, Form, Json, Provider, Sensitive, State, StateError, Warning, head, instance_key,
    list, mode, outputs,
};

pub(super) fn read<'a>(document: &Members<'a>) -> Result<State<'a>, StateError> {
    let mut state = head(Form::Raw4, document);
    state.outputs = outputs(member(document, "outputs"));
    for (at, resource) in list(document, "resources")?.into_iter().enumerate() {
        match Block::read(resource) {
            Ok(block) => block.instances(&mut state),
            Err(odd) => {
                let message = format!("resource {} of the state is skipped: {odd}", at + 1);
                state.warnings.push(Warning::odd(None, message));
            }
        }
    }
    Ok(state)
}

/// What all instances of a block have in common.
struct Block<'a> {
    module: Cow<'a, str>,
    mode: ResourceMode,
    type_name: Cow<'a, str>,
    name: Cow<'a, str>,
    provider: Option<Cow<'a, str>>,
    instances: Option<Json<'a>>,
}

impl<'a> Block<'a> {
    fn read(resource: Json<'a>) -> Result<Self, String> {
        let members = resource.members().ok_or_else(|| format!("it is {}", resource.noun()))?;
        let text = |name: &str| member(&members, name).and_then(Json::text);
        let needed = |name: &str| text(name).ok_or_else(|| format!("it has no `{name}`"));
        let written = needed("mode")?;
        Ok(Self {
            module: text("module").unwrap_or_default(),
            mode: mode(Some(&written)).ok_or_else(|| format!("its mode is `{written}`"))?,
            type_name: needed("type")?,
            name: needed("name")?,
            provider: text("provider").filter(|text| !text.trim().is_empty()),
            instances: member(&members, "instances"),
        })
    }

    fn instances(&self, state: &mut State<'a>) {
        let own = || address(&self.module, self.mode, &self.type_name, &self.name, None);
        if let Err(odd) = ModulePath::parse(&self.module) {
            let message =
                format!("its module path is malformed and is kept unchanged: {}", odd.message);
            state.warnings.push(Warning::odd(Some(own()), message));
        }
        let Some(json) = self.instances else { return };
        let Some(instances) = json.elements() else {
            let message = format!("its instances are skipped: they are {}", json.noun());
            state.warnings.push(Warning::odd(Some(own()), message));
            return;
        };
        for (at, json) in instances.into_iter().enumerate() {
            if let Some(members) = json.members() {
                state.instances.push(self.instance(json, &members));
            } else {
                let message = format!("instance {} is skipped: it is {}", at + 1, json.noun());
                state.warnings.push(Warning::odd(Some(own()), message));
            }
        }
    }

    fn instance(&self, document: Json<'a>, members: &Members<'a>) -> Instance<'a> {
        let key = instance_key(member(members, "index_key"));
        let text = |name: &str| member(members, name).and_then(Json::text);
        // OpenTofu has several of one provider: then its instances tell theirs.
        let provider = text("instance_provider").filter(|text| !text.is_empty());
        Instance {
            address: address(&self.module, self.mode, &self.type_name, &self.name, key.as_ref()),
            module: self.module.clone(),
            mode: self.mode,
            type_name: self.type_name.clone(),
            name: self.name.clone(),
            key,
            provider: match provider.or_else(|| self.provider.clone()) {
                Some(text) => Provider::of_configuration(text),
                None => Provider::of_type(&self.type_name),
            },
            attributes: attributes(members),
            sensitive: match member(members, "sensitive_attributes") {
                None => Sensitive::Nothing,
                Some(paths) if paths.as_str() == "[]" => Sensitive::Nothing,
                Some(paths) => Sensitive::Paths(paths),
            },
            tainted: text("status").as_deref() == Some("tainted"),
            deposed: text("deposed").filter(|key| !key.is_empty()),
            identity: member(members, "identity"),
            document,
        }
    }
}

/// The attributes; those that were carried over from version 3 are flat.
fn attributes<'a>(members: &Members<'a>) -> Attributes<'a> {
    match (member(members, "attributes"), member(members, "attributes_flat")) {
        (Some(json), _) => Attributes::Wrapped(json),
        (None, Some(texts)) => Attributes::Flat { texts, id: None },
        (None, None) => Attributes::Absent,
    }
}
