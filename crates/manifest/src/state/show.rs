//! What `terraform show -json` prints of a state: the instances inside of their modules.

use std::borrow::Cow;

use hangar_ids::ResourceMode;

use super::instance::{Instance, address};
use super::json::{Members, member};
use super::{
    Attributes, Form, Json, Provider, Sensitive, State, StateError, Warning, head, instance_key,
    mode, outputs,
};

/// Modules inside of each other, of which each is read once more for every level around it.
const DEEPEST: usize = 64;

pub(super) fn read<'a>(document: &Members<'a>) -> Result<State<'a>, StateError> {
    let mut state = head(Form::Show, document);
    // A state that holds nothing has no values.
    let Some(json) = member(document, "values") else { return Ok(state) };
    let malformed = |part, json: Json<'_>| StateError::Malformed {
        part,
        found: json.noun(),
        wanted: "an object",
    };
    let values = json.members().ok_or_else(|| malformed("values", json))?;
    state.outputs = outputs(member(&values, "outputs"));
    let Some(root) = member(&values, "root_module") else { return Ok(state) };
    if !root.is_object() {
        return Err(malformed("values.root_module", root));
    }
    // The last is the next, so that a module comes before those inside of it.
    let mut open = vec![(root, 0)];
    while let Some((module, depth)) = open.pop() {
        let members = module.members().unwrap_or_default();
        let path = member(&members, "address");
        resources(path, member(&members, "resources"), &mut state);
        let inner = member(&members, "child_modules").and_then(Json::elements).unwrap_or_default();
        if depth == DEEPEST && !inner.is_empty() {
            let message = format!("modules more than {DEEPEST} levels deep are skipped");
            state.warnings.push(Warning::odd(path_text(path).map(Cow::into_owned), message));
            continue;
        }
        open.extend(inner.into_iter().rev().map(|module| (module, depth + 1)));
    }
    Ok(state)
}

fn resources<'a>(module: Option<Json<'a>>, resources: Option<Json<'a>>, state: &mut State<'a>) {
    let resources = resources.and_then(Json::elements).unwrap_or_default();
    for (at, document) in resources.into_iter().enumerate() {
        match instance(module, document) {
            Ok(instance) => state.instances.push(instance),
            Err(odd) => {
                let message = format!("resource {} of its module is skipped: {odd}", at + 1);
                state.warnings.push(Warning::odd(path_text(module).map(Cow::into_owned), message));
            }
        }
    }
}

fn instance<'a>(module: Option<Json<'a>>, document: Json<'a>) -> Result<Instance<'a>, String> {
    let module = path_text(module).unwrap_or_default();
    let members = document.members().ok_or_else(|| format!("it is {}", document.noun()))?;
    let text = |name: &str| member(&members, name).and_then(Json::text);
    let needed = |name: &str| text(name).ok_or_else(|| format!("it has no `{name}`"));
    let (type_name, name, written) = (needed("type")?, needed("name")?, needed("mode")?);
    let mode: ResourceMode =
        mode(Some(&written)).ok_or_else(|| format!("its mode is `{written}`"))?;
    let key = instance_key(member(&members, "index"));
    Ok(Instance {
        address: match text("address") {
            Some(address) => address.into_owned(),
            None => address(&module, mode, &type_name, &name, key.as_ref()),
        },
        module,
        mode,
        provider: match text("provider_name") {
            Some(name) => Provider::of_name(name),
            None => Provider::of_type(&type_name),
        },
        attributes: member(&members, "values").map_or(Attributes::Absent, Attributes::Plain),
        sensitive: match member(&members, "sensitive_values") {
            None => Sensitive::Nothing,
            Some(mask) if mask.as_str() == "{}" => Sensitive::Nothing,
            Some(mask) => Sensitive::Mask(mask),
        },
        tainted: member(&members, "tainted").and_then(Json::boolean) == Some(true),
        deposed: text("deposed_key").filter(|key| !key.is_empty()),
        identity: member(&members, "identity"),
        type_name,
        name,
        key,
        document,
    })
}

/// The path of a module; none for the root.
fn path_text(path: Option<Json<'_>>) -> Option<Cow<'_, str>> {
    path?.text().filter(|path| !path.is_empty())
}
