//! The sections of a template, read.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::{Output, Parameter, ParameterKind, Policy, Resource, Template, TemplateError};

/// The sections that CloudFormation knows.
const SECTIONS: [&str; 10] = [
    "AWSTemplateFormatVersion",
    "Conditions",
    "Description",
    "Hooks",
    "Mappings",
    "Metadata",
    "Outputs",
    "Parameters",
    "Resources",
    "Rules",
];

/// Its functions are evaluated here like all others, but for loops, which are refused where they stand.
const LANGUAGE_EXTENSIONS: &str = "AWS::LanguageExtensions";

impl Template {
    /// Reads the tree of a template.
    pub fn read(tree: &Value) -> Result<Self, TemplateError> {
        let Value::Object(sections) = tree else {
            return Err(format_error("unsupported structure."));
        };
        refuse_transforms(sections.get("Transform"))?;
        let unknown: Vec<String> = sections
            .keys()
            .filter(|name| !SECTIONS.contains(&name.as_str()) && *name != "Transform")
            .cloned()
            .collect();
        if !unknown.is_empty() {
            return Err(TemplateError::Sections(unknown));
        }
        let resources = read_each(sections, "Resources", resource)?;
        if resources.is_empty() {
            return Err(format_error("At least one Resources member must be defined."));
        }
        let template = Self {
            description: text(sections.get("Description")),
            parameters: read_each(sections, "Parameters", parameter)?,
            mappings: section(sections, "Mappings")?.cloned().unwrap_or_default(),
            conditions: read_each(sections, "Conditions", |_, it| Ok(it.clone()))?,
            resources,
            outputs: read_each(sections, "Outputs", output)?,
        };
        template.check_names()?;
        Ok(template)
    }

    /// A value of `Mappings`.
    pub fn mapping(&self, map: &str, top: &str, second: &str) -> Option<&Value> {
        self.mappings.get(map)?.get(top)?.get(second)
    }
}

fn format_error(what: impl Into<String>) -> TemplateError {
    TemplateError::Format(what.into())
}

fn refuse_transforms(transform: Option<&Value>) -> Result<(), TemplateError> {
    let named: Vec<&Value> = match transform {
        None => Vec::new(),
        Some(Value::Array(several)) => several.iter().collect(),
        Some(one) => vec![one],
    };
    for transform in named {
        let name = transform.as_str().or_else(|| transform.get("Name")?.as_str());
        match name {
            Some(LANGUAGE_EXTENSIONS) => {}
            Some(name) => return Err(TemplateError::Transform(name.to_owned())),
            None => return Err(format_error("Transform must name a macro.")),
        }
    }
    Ok(())
}

fn section<'t>(
    sections: &'t Map<String, Value>,
    name: &str,
) -> Result<Option<&'t Map<String, Value>>, TemplateError> {
    match sections.get(name) {
        None => Ok(None),
        Some(Value::Object(members)) => Ok(Some(members)),
        Some(_) => Err(format_error(format!("[/{name}] must be an object"))),
    }
}

fn read_each<T>(
    sections: &Map<String, Value>,
    name: &str,
    read: impl Fn(&str, &Value) -> Result<T, TemplateError>,
) -> Result<BTreeMap<String, T>, TemplateError> {
    let members = section(sections, name)?.into_iter().flatten();
    members.map(|(key, member)| Ok((key.clone(), read(key, member)?))).collect()
}

/// A text, a number or a boolean as CloudFormation prints it.
fn text(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) => Some(text.clone()),
        value @ (Value::Number(_) | Value::Bool(_)) => Some(value.to_string()),
        _ => None,
    }
}

fn parameter(name: &str, stated: &Value) -> Result<Parameter, TemplateError> {
    let Some(kind) = stated.get("Type").and_then(Value::as_str) else {
        let message = format!("Every Parameters object must contain a Type member ({name}).");
        return Err(format_error(message));
    };
    let default = match stated.get("Default") {
        Some(Value::Array(items)) => {
            let items: Option<Vec<String>> = items.iter().map(|item| text(Some(item))).collect();
            items.map(|items| items.join(","))
        }
        other => text(other),
    };
    let allowed = stated.get("AllowedValues").and_then(Value::as_array);
    Ok(Parameter {
        kind: ParameterKind::parse(kind),
        description: text(stated.get("Description")),
        default,
        no_echo: matches!(text(stated.get("NoEcho")).as_deref(), Some("true")),
        allowed_values: allowed.into_iter().flatten().filter_map(|it| text(Some(it))).collect(),
    })
}

fn resource(name: &str, stated: &Value) -> Result<Resource, TemplateError> {
    if !name.bytes().all(|byte| byte.is_ascii_alphanumeric()) || name.is_empty() {
        let message = format!("Resource name {name} is non alphanumeric.");
        return Err(format_error(message));
    }
    let malformed = |what: &str| format_error(format!("[/Resources/{name}/{what}] is malformed"));
    let Some(type_name) = stated.get("Type").and_then(Value::as_str) else {
        let message =
            format!("[/Resources/{name}] Every Resources object must contain a Type member.");
        return Err(format_error(message));
    };
    let properties = match stated.get("Properties") {
        None | Some(Value::Null) => Value::Object(Map::new()),
        Some(properties @ Value::Object(_)) => properties.clone(),
        Some(_) => return Err(malformed("Properties")),
    };
    let depends_on = match stated.get("DependsOn") {
        None => BTreeSet::new(),
        Some(Value::String(one)) => BTreeSet::from([one.clone()]),
        Some(Value::Array(several)) => several
            .iter()
            .map(|it| it.as_str().map(str::to_owned).ok_or_else(|| malformed("DependsOn")))
            .collect::<Result<_, _>>()?,
        Some(_) => return Err(malformed("DependsOn")),
    };
    let condition = match stated.get("Condition") {
        None => None,
        Some(Value::String(name)) => Some(name.clone()),
        Some(_) => return Err(malformed("Condition")),
    };
    Ok(Resource {
        type_name: type_name.to_owned(),
        properties,
        depends_on,
        condition,
        deletion_policy: policy(name, "DeletionPolicy", stated)?,
        update_replace_policy: policy(name, "UpdateReplacePolicy", stated)?,
    })
}

fn policy(name: &str, attribute: &str, stated: &Value) -> Result<Policy, TemplateError> {
    match stated.get(attribute) {
        None => Ok(Policy::Delete),
        Some(Value::String(word)) => match word.as_str() {
            "Delete" => Ok(Policy::Delete),
            "Retain" => Ok(Policy::Retain),
            "RetainExceptOnCreate" => Ok(Policy::RetainExceptOnCreate),
            "Snapshot" => Ok(Policy::Snapshot),
            other => {
                let message = format!("Unrecognized {attribute} {other} for resource {name}");
                Err(format_error(message))
            }
        },
        Some(_) => {
            Err(format_error(format!("Every {attribute} member must be a string ({name}).")))
        }
    }
}

fn output(name: &str, stated: &Value) -> Result<Output, TemplateError> {
    let Some(value) = stated.get("Value") else {
        let message = format!("[/Outputs/{name}] Every Outputs member must contain a Value object");
        return Err(format_error(message));
    };
    let export = match stated.get("Export") {
        None => None,
        Some(export) => {
            let named = export
                .get("Name")
                .cloned()
                .ok_or_else(|| format_error(format!("[/Outputs/{name}/Export] Name is missing")))?;
            Some(named)
        }
    };
    Ok(Output {
        value: value.clone(),
        description: text(stated.get("Description")),
        export,
        condition: stated.get("Condition").and_then(Value::as_str).map(str::to_owned),
    })
}
