//! `hangar schema show`: all that is known of one type.

use std::fmt::Write as _;

use hangar_plan::skeleton;
use hangar_schema::{
    Handler, IdentifierChoice, PropertyPointer, ReplacementStrategy, TypeSchema, overrides,
};
use serde_json::{Value, json};

use super::tree::Branch;
use super::{place, tree};
use crate::commands::types;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::printer::Printer;

pub(crate) const DESCRIPTION: &str = "\
`*` marks required properties. Values and patterns marked `(cfn-lint)` are not in AWS's schema;
other values lead to a warning only.";

pub(crate) const EXAMPLES: &str = "Examples:
  hangar schema show AWS.EC2/VPC
  hangar schema show AWS.EC2/SecurityGroup /SecurityGroupIngress
  hangar schema show AWS.DynamoDB/Table /BillingMode
  hangar schema show AWS.SQS/Queue --bicep > queue.bicep
  hangar schema show AWS::RDS::DBInstance -o json
  hangar schema show AWS.EC2/VPC --document";

/// How many levels of members are shown below the first unless another number is asked for.
pub(super) const DEFAULT_DEPTH: usize = 2;

pub(crate) fn summary(
    type_name: &str,
    depth: usize,
    printer: &mut Printer,
) -> Result<Exit, Failure> {
    let schema = types::bundled(type_name)?;
    let branches = tree::branches(schema.outline(), "", depth);
    printer.show(|| describe(&schema, &branches), || to_json(&schema, &branches))?;
    Ok(Exit::Success)
}

/// Shows one property and what is in it.
pub(crate) fn property(
    type_name: &str,
    pointer: &str,
    depth: usize,
    printer: &mut Printer,
) -> Result<Exit, Failure> {
    let schema = types::bundled(type_name)?;
    let place = place::find(&schema, pointer)?;
    let trunk = tree::trunk(place.outline, &place.path, place.is_required);
    let branches = tree::branches(place.outline, &place.path, depth);
    let ours = types::our_spelling(schema.name());
    let text = || {
        let own = tree::table(std::slice::from_ref(&trunk), tree::Values::Whole);
        let head = format!("{} of {ours}\n\n{own}", place.path);
        if branches.is_empty() {
            return head;
        }
        format!("{head}\n\n{}", tree::table(&branches, tree::Values::Short))
    };
    let json = || {
        json!({
            "type": ours,
            "property": tree::to_json(&trunk),
            "properties": branches.iter().map(tree::to_json).collect::<Vec<_>>(),
        })
    };
    printer.show(text, json)?;
    Ok(Exit::Success)
}

/// Prints a template to begin with.
pub(crate) fn bicep(type_name: &str, printer: &mut Printer) -> Result<Exit, Failure> {
    let schema = types::bundled(type_name)?;
    types::check_handlers(&schema)?;
    printer.text(skeleton::template(&schema).trim_end())?;
    Ok(Exit::Success)
}

pub(crate) fn document(type_name: &str, printer: &mut Printer) -> Result<Exit, Failure> {
    let document = types::bundled_document(type_name)?;
    printer.text(serde_json::to_string_pretty(&document).map_err(anyhow::Error::from)?)?;
    Ok(Exit::Success)
}

/// What the choice of identifier means for someone who writes a template.
fn meaning(choice: IdentifierChoice) -> &'static str {
    match choice {
        IdentifierChoice::CallerChosen => {
            "you choose it: the same properties identify the same resource"
        }
        IdentifierChoice::Optional => {
            "you can choose it; if you omit it, the service generates it, and each create makes a new resource"
        }
        IdentifierChoice::Generated => {
            "the service generates it: each create makes a new resource, so use an alias"
        }
    }
}

fn describe(schema: &TypeSchema, branches: &[Branch<'_>]) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}  ({})", types::our_spelling(schema.name()), schema.name());
    let _ = writeln!(text, "source       {}", schema.source().as_str());
    let _ = writeln!(text, "identifier   {}", joined(schema.primary_identifier(), " | "));
    if let Some(choice) = schema.identifier_choice() {
        let _ = writeln!(text, "             {}: {}", choice.as_str(), meaning(choice));
    }
    for set in schema.additional_identifiers() {
        let _ = writeln!(text, "or by        {}", joined(set, " | "));
    }
    let _ = writeln!(text, "handlers     {}", handlers_line(schema));
    if let Some(list) = schema.handlers().list.as_ref().filter(|list| !list.parents.is_empty()) {
        let _ = writeln!(text, "list needs   {}", list.parents.join(", "));
    }
    let _ = writeln!(text, "tags         {}", tags_line(schema));
    if let Some(strategy) = schema.replacement_strategy() {
        let _ = writeln!(text, "replacement  {}", strategy_words(strategy));
    }
    if let Some(template) = schema.arn_template() {
        let _ = writeln!(text, "arn          {template}");
    }
    for entry in overrides::of_type(schema.name()) {
        let (pointer, rule) = (entry.pointer, entry.rule.word());
        let _ = writeln!(text, "override     {pointer}: {rule} ({})", entry.source);
    }
    for entry in schema.unresolved() {
        let _ = writeln!(text, "unresolved   {} {}", entry.keyword, entry.text);
    }
    let _ = write!(text, "\n{}", tree::table(branches, tree::Values::Short));
    text
}

fn joined(pointers: &[PropertyPointer], separator: &str) -> String {
    if pointers.is_empty() {
        return "none".to_owned();
    }
    pointers.iter().map(ToString::to_string).collect::<Vec<_>>().join(separator)
}

fn handlers_line(schema: &TypeSchema) -> String {
    let words: Vec<String> = handlers(schema)
        .into_iter()
        .filter_map(|(name, handler)| {
            let minutes = handler?.timeout_in_minutes;
            Some(minutes.map_or_else(|| name.to_owned(), |m| format!("{name} ({m} min)")))
        })
        .collect();
    if words.is_empty() {
        return "none: Cloud Control cannot manage this type".to_owned();
    }
    let immutable = if schema.handlers().update.is_none() { "; immutable" } else { "" };
    format!("{}{immutable}", words.join(", "))
}

fn handlers(schema: &TypeSchema) -> [(&'static str, Option<&Handler>); 5] {
    let handlers = schema.handlers();
    [
        ("create", handlers.create.as_ref()),
        ("read", handlers.read.as_ref()),
        ("update", handlers.update.as_ref()),
        ("delete", handlers.delete.as_ref()),
        ("list", handlers.list.as_ref().map(|list| &list.handler)),
    ]
}

fn tags_line(schema: &TypeSchema) -> String {
    let tagging = schema.tagging();
    match schema.tag_property().filter(|_| tagging.taggable) {
        None => "cannot be tagged".to_owned(),
        Some(property) => {
            let mut line = property.to_string();
            if !tagging.on_create {
                line.push_str(", not at creation");
            }
            if !tagging.updatable {
                line.push_str(", not changed later");
            }
            line
        }
    }
}

const fn strategy_words(strategy: ReplacementStrategy) -> &'static str {
    match strategy {
        ReplacementStrategy::CreateThenDelete => "create_then_delete",
        ReplacementStrategy::DeleteThenCreate => "delete_then_create",
    }
}

fn to_json(schema: &TypeSchema, branches: &[Branch<'_>]) -> Value {
    let texts = |pointers: &[PropertyPointer]| -> Vec<String> {
        pointers.iter().map(ToString::to_string).collect()
    };
    let handlers: serde_json::Map<String, Value> = handlers(schema)
        .into_iter()
        .filter_map(|(name, handler)| {
            let handler = handler?;
            let value = json!({
                "timeoutInMinutes": handler.timeout_in_minutes,
                "permissions": handler.permissions,
            });
            Some((name.to_owned(), value))
        })
        .collect();
    let properties: Vec<Value> = branches.iter().map(tree::to_json).collect();
    let overrides: Vec<Value> = overrides::of_type(schema.name())
        .map(|entry| {
            json!({"pointer": entry.pointer, "rule": entry.rule.word(), "source": entry.source})
        })
        .collect();
    let unresolved: Vec<Value> = schema
        .unresolved()
        .iter()
        .map(|entry| json!({"keyword": entry.keyword, "text": entry.text}))
        .collect();
    let tagging = schema.tagging();
    json!({
        "type": types::our_spelling(schema.name()),
        "cloudFormationType": schema.name(),
        "source": schema.source().as_str(),
        "identifier": {
            "parts": texts(schema.primary_identifier()),
            "choice": schema.identifier_choice().map(IdentifierChoice::as_str),
            "additional": schema.additional_identifiers().iter().map(|set| texts(set)).collect::<Vec<_>>(),
        },
        "handlers": handlers,
        "listParents": schema.handlers().list.as_ref().map(|list| &list.parents),
        "tagging": {
            "property": schema.tag_property().map(ToString::to_string),
            "taggable": tagging.taggable,
            "onCreate": tagging.on_create,
            "updatable": tagging.updatable,
        },
        "replacementStrategy": schema.replacement_strategy().map(strategy_words),
        "arnTemplate": schema.arn_template(),
        "required": schema.required().collect::<Vec<_>>(),
        "properties": properties,
        "overrides": overrides,
        "unresolved": unresolved,
    })
}
