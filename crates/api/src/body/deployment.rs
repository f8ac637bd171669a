//! The body of a deployment's `PUT` and of its `whatIf`: the files of a template, the values of its
//! parameters, where it deploys to, and what may be done besides.

use std::collections::BTreeMap;
use std::fmt;

use hangar_diag::nearest;
use hangar_engine::{DefaultValues, Leave, Reach};
use hangar_plan::deployment::{OnRemove, Planned};
use hangar_plan::record::AwsScope;
use hangar_template::source::Sources;
use serde_json::{Map, Value};

use super::{Members, Permits, base64};
use crate::error::{ApiError, Code};
use crate::names;

/// What a caller wants to be deployed.
#[derive(Clone, PartialEq)]
pub(crate) struct DeploymentBody {
    pub(crate) sources: Sources,
    pub(crate) entry: String,
    /// The path of the template in its project.
    pub(crate) template_path: Option<String>,
    pub(crate) parameters: BTreeMap<String, Value>,
    pub(crate) scope: Option<AwsScope>,
    pub(crate) leave: Leave,
    /// The plan that the run is held to.
    pub(crate) plan: Option<Planned>,
}

impl fmt::Debug for DeploymentBody {
    /// Without sources and parameters: they can hold passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeploymentBody({}, «sources»)", self.entry)
    }
}

/// Where the body says which account and region it deploys to.
pub(crate) const SCOPE: &str = "/properties/providerConfig/aws/value/scope";

/// What a template in ARM JSON is called among the sources: mistakes are told by this name.
const COMPILED: &str = "template.json";

/// No file of a template has a longer path.
const LONGEST_PATH: usize = 1024;

impl DeploymentBody {
    pub(crate) fn of(body: Option<Value>) -> Result<Self, ApiError> {
        let mut body = Members::of(body.unwrap_or_else(|| Value::Object(Map::new())))?;
        let Some(mut members) = body.take_members("properties")? else {
            return Err(body.refuse("properties", "is missing; it contains `sources` and `entry`"));
        };
        body.end()?;
        if members.has("templateLink") {
            return Err(not_supported("templateLink"));
        }
        let (sources, entry) = match members.take_object("template")? {
            Some(template) => compiled(template, &mut members)?,
            None => files(&mut members)?,
        };
        let parameters = match members.take_object("parameters")? {
            None => BTreeMap::new(),
            Some(given) => parameters_of(given, &members.place("parameters"))?,
        };
        let scope = take_scope(&mut members)?;
        let template_path = members.take_text(TEMPLATE_PATH)?;
        if template_path.as_ref().is_some_and(|path| path.is_empty() || path.len() > LONGEST_PATH) {
            return Err(members.refuse(TEMPLATE_PATH, "is empty or longer than 1,024 bytes"));
        }
        let Permits { replace, adopt } = Permits::take(&mut members)?;
        let skip_unsupported = members.take_flag("skipUnsupported")?.unwrap_or(false);
        let reach = match members.take_flag(TAKE_OVER)? {
            Some(true) => Reach::TakeOver,
            Some(false) | None => Reach::Free,
        };
        let on_remove = match members.take_text(ON_REMOVE)? {
            None => OnRemove::Keep,
            Some(word) => names::on_remove(&word)
                .ok_or_else(|| members.refuse(ON_REMOVE, "is not `keep`, `detach` or `delete`"))?,
        };
        let defaults = match members.take_flag("refreshDefaults")? {
            Some(true) => DefaultValues::Refreshed,
            Some(false) | None => DefaultValues::Kept,
        };
        let plan = members.take_members(PLAN)?.map(plan_of).transpose()?;
        members.end()?;
        let leave = Leave { replace, adopt, skip_unsupported, reach, on_remove, defaults };
        Ok(Self { sources, entry, template_path, parameters, scope, leave, plan })
    }
}

/// Whether aliases may change hands, and what becomes of what the template does not name any more.
const TAKE_OVER: &str = "takeOver";
const ON_REMOVE: &str = "onRemove";

/// The path of the template in its project.
const TEMPLATE_PATH: &str = "templatePath";

/// The plan that is to be applied.
const PLAN: &str = "plan";

/// Where a body has its plan.
pub(crate) const PLAN_PLACE: &str = "/properties/plan";

/// What `whatIf` answered: its seal, and what it told of each resource.
fn plan_of(mut members: Members) -> Result<Planned, ApiError> {
    let seal = members.take_text("seal")?;
    let fresh_seal = members.take_text("freshSeal")?;
    let Some(Value::Array(changes)) = members.take_stated("changes") else {
        let why = "is missing or not a list; send `properties.changes` as `whatIf` returns it";
        return Err(members.refuse("changes", why));
    };
    let is_one = |change: &Value| {
        ["address", "action"].iter().all(|name| change.get(*name).is_some_and(Value::is_string))
    };
    if !changes.iter().all(is_one) {
        let why = "has an item that is not a change: each is an object with `address` and `action`";
        return Err(members.refuse("changes", why));
    }
    let scope = match members.take_text("scope")? {
        None => None,
        Some(text) => Some(scope_of(&text, &members.place("scope"))?),
    };
    let outputs = members.take_object("outputs")?;
    let kept_defaults = members.take_text("keptDefaults")?;
    members.end()?;
    Ok(Planned { seal, fresh_seal, changes, scope, outputs, kept_defaults })
}

/// The files of a template in Bicep, and the one to begin with.
fn files(members: &mut Members) -> Result<(Sources, String), ApiError> {
    let Some(files) = members.take_object("sources")? else {
        let why = "is missing; it contains the text of each file of the template by its path; send \
                   ARM JSON in `template`";
        return Err(members.refuse("sources", why));
    };
    let sources = sources_of(files, &members.place("sources"))?;
    let Some(entry) = members.take_text("entry")? else {
        return Err(members.refuse("entry", "is missing; it names the file to deploy"));
    };
    if sources.get(&entry).is_none() {
        let hint = nearest(&entry, sources.iter().map(|(path, _)| path))
            .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        let why = format!("is not the path of a file in `/properties/sources`{hint}");
        return Err(members.refuse("entry", &why));
    }
    Ok((sources, entry))
}

/// What ARM's own clients send: a template in ARM JSON, and the mode, of which there is one.
fn compiled(
    template: Map<String, Value>,
    members: &mut Members,
) -> Result<(Sources, String), ApiError> {
    for name in ["sources", "entry"] {
        if members.has(name) {
            let why = "cannot be combined with `template`; send only one of them";
            return Err(members.refuse(name, why));
        }
    }
    if let Some(mode) = members.take_text("mode")?
        && !mode.eq_ignore_ascii_case("Incremental")
    {
        let why = "is not `Incremental`, which is the only supported mode";
        return Err(members.refuse("mode", why));
    }
    // Mistakes are told by line and column: of one line nobody reads the column.
    let text = format!("{:#}\n", Value::Object(template));
    Ok((Sources::of(COMPILED, text.into_bytes()), COMPILED.to_owned()))
}

/// What is not followed.
fn not_supported(name: &str) -> ApiError {
    let message = format!(
        "`/properties/{name}` is not supported; send the template itself: ARM JSON in \
         `properties.template` or Bicep in `properties.sources`"
    );
    ApiError::new(Code::NotSupported, message).with_target(format!("/properties/{name}"))
}

fn sources_of(files: Map<String, Value>, at: &str) -> Result<Sources, ApiError> {
    let mut sources = Sources::default();
    for (path, content) in files {
        let place = super::members::below(at, &path);
        if let Some(fault) = fault_of(&path) {
            let why = format!(
                "is not a path of a file in the project: it {fault}; write a path such as \
                 `modules/net.bicep`"
            );
            return Err(super::members::wrong(&place, &why));
        }
        sources.insert(path, content_of(content, place)?);
    }
    Ok(sources)
}

/// What is in a file: text, or base64 of what is none.
pub(super) fn content_of(content: Value, place: String) -> Result<Vec<u8>, ApiError> {
    match content {
        Value::String(text) => Ok(text.into_bytes()),
        Value::Object(_) => binary_of(content, place),
        _ => {
            let why = "is neither a string nor `{\"base64\": \"…\"}`";
            Err(super::members::wrong(&place, why))
        }
    }
}

fn binary_of(content: Value, place: String) -> Result<Vec<u8>, ApiError> {
    let mut members = Members::at(place, content)?;
    let Some(text) = members.take_text(BASE64)? else {
        return Err(members.refuse(BASE64, "is missing; send a text file as a plain string"));
    };
    let decoded = base64::decode(&text);
    let decoded = decoded
        .map_err(|fault| members.refuse(BASE64, &format!("is not valid base64: {fault}")))?;
    members.end()?;
    Ok(decoded)
}

const BASE64: &str = "base64";

/// Why no file of a project has such a path: all of them are below its root, by one spelling.
pub(super) fn fault_of(path: &str) -> Option<&'static str> {
    let has_drive = path.as_bytes().get(1) == Some(&b':');
    if path.is_empty() {
        Some("is empty")
    } else if path.len() > LONGEST_PATH {
        Some("is longer than 1024 bytes")
    } else if path.starts_with('/') || has_drive {
        Some("is absolute")
    } else if path.contains('\\') {
        Some("uses `\\` instead of `/`")
    } else if path.split('/').any(|part| part == "..") {
        Some("has `..`")
    } else if path.split('/').any(|part| part.is_empty() || part == ".") {
        Some("has a part that is empty or `.`")
    } else if path.contains(char::is_control) {
        Some("has a control character")
    } else {
        None
    }
}

/// The values of parameters. A null is a value: it is not the same as to say nothing.
fn parameters_of(given: Map<String, Value>, at: &str) -> Result<BTreeMap<String, Value>, ApiError> {
    let mut parameters = BTreeMap::new();
    for (name, given) in given {
        let mut members = Members::at(super::members::below(at, &name), given)?;
        let Some(value) = members.take_stated("value") else {
            members.end()?;
            return Err(super::members::wrong(
                &super::members::below(at, &name),
                "has no `value`; write it as `{\"value\": …}`",
            ));
        };
        members.end()?;
        parameters.insert(name, value);
    }
    Ok(parameters)
}

/// Takes `providerConfig` out of the properties: the account and the region.
fn take_scope(members: &mut Members) -> Result<Option<AwsScope>, ApiError> {
    let Some(mut providers) = members.take_members("providerConfig")? else { return Ok(None) };
    let scope = match providers.take_members("aws")? {
        None => None,
        Some(mut aws) => {
            let value = aws.take_members("value")?;
            aws.end()?;
            match value {
                None => None,
                Some(mut value) => {
                    let scope = value.take_text("scope")?;
                    value.end()?;
                    scope
                }
            }
        }
    };
    providers.end()?;
    scope.map(|text| scope_of(&text, SCOPE)).transpose()
}

fn scope_of(text: &str, place: &str) -> Result<AwsScope, ApiError> {
    let id = names::parse_id(text).map_err(|error| error.with_target(place))?;
    if !id.types().is_empty() {
        let message =
            format!("`{text}` names a type; the scope of a deployment must end with its region");
        return Err(ApiError::new(Code::InvalidScope, message).with_target(place));
    }
    names::aws_scope(&id).map_err(|error| error.with_target(place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(properties: &Value) -> Result<DeploymentBody, ApiError> {
        DeploymentBody::of(Some(json!({ "properties": properties })))
    }

    /// A body that is right, with one member of its properties changed.
    fn with(name: &str, value: Value) -> Result<DeploymentBody, ApiError> {
        let mut properties = json!({"sources": {"main.bicep": ""}, "entry": "main.bicep"});
        properties[name] = value;
        of(&properties)
    }

    #[test]
    fn a_body_may_say_all_or_only_what_is_needed() {
        let all = of(&json!({
            "sources": {"main.bicep": "param k string", "m/logo.bin": {"base64": "/w=="}},
            "entry": "main.bicep",
            "parameters": {"k": {"value": "v"}, "none": {"value": null}},
            "providerConfig": {"aws": {"value":
                {"scope": "/planes/aws/aws/accounts/1/regions/us-east-1"}}},
            "replace": "allow", "adopt": true, "skipUnsupported": true,
            "takeOver": true, "onRemove": "delete", "refreshDefaults": true,
            "plan": {"seal": "k:1", "changes": [{"address": "a", "action": "create", "more": 1}]},
        }))
        .unwrap();
        assert_eq!(all.sources.text("main.bicep"), Some("param k string"));
        assert_eq!(all.sources.get("m/logo.bin").map(|it| it.to_vec()), Some(vec![0xff]));
        assert_eq!(all.parameters["none"], Value::Null, "a null is a value");
        assert_eq!(all.scope.unwrap().to_string(), "/planes/aws/aws/accounts/1/regions/us-east-1");
        let leave = Leave {
            replace: true,
            adopt: true,
            skip_unsupported: true,
            reach: Reach::TakeOver,
            on_remove: OnRemove::Delete,
            defaults: DefaultValues::Refreshed,
        };
        assert_eq!(all.leave, leave);
        let plan = all.plan.unwrap();
        assert_eq!((plan.seal.as_deref(), plan.changes.len()), (Some("k:1"), 1));

        let least = with("parameters", Value::Null).unwrap();
        assert_eq!((least.leave, least.scope), (Leave::default(), None));
        assert!(least.parameters.is_empty());
    }

    #[test]
    fn what_cannot_be_used_is_refused_where_it_stands() {
        let scope = |scope: &str| json!({"aws": {"value": {"scope": scope}}});
        let of_type = "/planes/aws/aws/accounts/1/regions/us-east-1/providers/AWS.EC2/VPC";
        for (name, value, target) in [
            ("sources", json!("text"), "/properties/sources"),
            ("sources", Value::Null, "/properties/sources"),
            ("sources", json!({"main.bicep": 1}), "/properties/sources/main.bicep"),
            ("sources", json!({"a/b": []}), "/properties/sources/a~1b"),
            ("sources", json!({"x": {"base64": "*"}}), "/properties/sources/x/base64"),
            ("sources", json!({"x": {"base64": 1}}), "/properties/sources/x/base64"),
            ("sources", json!({"x": {}}), "/properties/sources/x/base64"),
            ("sources", json!({"x": {"base64": "", "a": 1}}), "/properties/sources/x/a"),
            ("entry", json!("other.bicep"), "/properties/entry"),
            ("entry", json!(1), "/properties/entry"),
            ("entry", Value::Null, "/properties/entry"),
            ("parameters", json!([]), "/properties/parameters"),
            ("parameters", json!({"k": 1}), "/properties/parameters/k"),
            ("parameters", json!({"k": {}}), "/properties/parameters/k"),
            ("parameters", json!({"k": {"reference": {}}}), "/properties/parameters/k/reference"),
            ("parameters", json!({"k": {"value": 1, "a": 1}}), "/properties/parameters/k/a"),
            ("providerConfig", json!({"radius": {}}), "/properties/providerConfig/radius"),
            (
                "providerConfig",
                json!({"aws": {"scope": ""}}),
                "/properties/providerConfig/aws/scope",
            ),
            ("providerConfig", json!({"aws": 1}), "/properties/providerConfig/aws"),
            ("providerConfig", scope("/planes/aws/aws"), SCOPE),
            ("providerConfig", scope("x"), SCOPE),
            ("providerConfig", scope(of_type), SCOPE),
            ("replace", json!("yes"), "/properties/replace"),
            ("replace", json!(true), "/properties/replace"),
            ("adopt", json!("yes"), "/properties/adopt"),
            ("skipUnsupported", json!(1), "/properties/skipUnsupported"),
            ("plan", json!("x"), "/properties/plan"),
            ("plan", json!({"seal": "x"}), "/properties/plan/changes"),
            ("plan", json!({"changes": [{"address": "a"}]}), "/properties/plan/changes"),
            ("plan", json!({"seal": 1, "changes": []}), "/properties/plan/seal"),
            ("plan", json!({"changes": [], "digest": 1}), "/properties/plan/digest"),
            ("mode", json!("Incremental"), "/properties/mode"),
        ] {
            let error = with(name, value.clone()).unwrap_err();
            assert_eq!(error.status(), 400, "{name} {value}");
            assert_eq!(error.value()["target"], target, "{name} {value}: {}", error.message());
        }
        for (body, target) in [
            (None, json!("/properties")),
            (Some(json!({})), json!("/properties")),
            (Some(json!({"properties": 1})), json!("/properties")),
            (Some(json!({"properties": {}, "location": "x"})), json!("/location")),
            (Some(json!([])), Value::Null),
        ] {
            let error = DeploymentBody::of(body).unwrap_err();
            assert_eq!(error.value().get("target").unwrap_or(&Value::Null), &target);
        }
    }

    #[test]
    fn a_near_name_is_proposed() {
        let error = with("entry", json!("main.bicpe")).unwrap_err();
        assert!(error.message().contains("did you mean `main.bicep`?"), "{}", error.message());
        let error = with("paramters", json!({})).unwrap_err();
        assert!(error.message().contains("did you mean `parameters`?"), "{}", error.message());
    }

    #[test]
    fn a_compiled_template_is_a_file_of_its_own() {
        let template = json!({"resources": {}, "outputs": {}});
        let body = of(&json!({"template": template, "mode": "incremental"})).unwrap();
        assert_eq!(body.entry, "template.json");
        let text = body.sources.text("template.json").unwrap();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), template);
        for (wrong, target) in [
            (json!({"template": {}, "mode": "Complete"}), "/properties/mode"),
            (json!({"template": {}, "entry": "main.bicep"}), "/properties/entry"),
            (json!({"template": {}, "sources": {}}), "/properties/sources"),
            (json!({"template": "text"}), "/properties/template"),
        ] {
            let error = of(&wrong).unwrap_err();
            assert_eq!(error.value().get("target"), Some(&json!(target)), "{wrong}");
        }
    }

    #[test]
    fn a_link_to_a_template_is_told_what_to_send_instead() {
        let error = of(&json!({"templateLink": {}, "mode": "Incremental"})).unwrap_err();
        assert_eq!((error.status().as_u16(), error.code()), (400, "NotSupported"));
        assert!(error.message().contains("`properties.template`"), "{}", error.message());
    }

    #[test]
    fn no_path_leads_out_of_the_project_and_each_file_has_one() {
        for path in ["main.bicep", "a/b c/é.bicep", "..a/b..", ".hidden", "ab:c", "%2e%2e/x"] {
            assert_eq!(fault_of(path), None, "{path}");
        }
        for path in [
            "",
            "/etc/passwd",
            "..",
            "../x",
            "a/../x",
            "a/..",
            "a//b",
            "a/",
            "./a",
            "a/./b",
            "a\\b",
            "C:/x",
            "c:x",
            "a\nb",
            "a\0b",
            &"x".repeat(1025),
        ] {
            assert!(fault_of(path).is_some(), "{path}");
            let error = with("sources", json!({path: ""})).unwrap_err();
            assert_eq!(error.code(), "InvalidRequestContent", "{path}");
            assert!(error.message().len() < 1000, "a refusal is short");
        }
    }
}
