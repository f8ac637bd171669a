//! The first draft of a template: a resource of a type with what it requires, and its other properties as comments.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use hangar_ids::TypeName;
use hangar_schema::outline::{Member, Outline};
use hangar_schema::{Class, Kind, TypeSchema, skeleton};
use hangar_template::lint::is_secret_property;
use hangar_template::write::{Replacements, ResourceText, key, resource, string, symbol_for};
use serde_json::Value;

/// Longer lists of values are shortened in a comment.
const MAX_VALUES: usize = 6;

/// Returns a template with one resource of a type.
///
/// Required properties have placeholders that the schema accepts, secrets are parameters. Each other property that can be stated is a comment
/// with its type.
///
/// ```
/// use hangar_plan::skeleton::template;
/// use hangar_schema::Catalog;
///
/// let stream = Catalog::bundled().get("AWS::Logs::LogStream")?;
/// assert_eq!(template(&stream), "extension aws
///
/// resource logStream 'AWS.Logs/LogStream@default' = {
///   alias: 'logStream'
///   properties: {
///     LogGroupName: 'log-group-name'
///     // LogStreamName: string
///   }
/// }
/// ");
/// # Ok::<(), hangar_schema::CatalogError>(())
/// ```
pub fn template(schema: &TypeSchema) -> String {
    let type_name =
        TypeName::parse(schema.name()).map_or_else(|_| schema.name().to_owned(), |name| name.ucp());
    let resource_name = type_name.rsplit('/').next().unwrap_or_default();
    let mut symbols = BTreeSet::new();
    let symbol = symbol_for(&small_first(resource_name), &mut symbols);
    let properties = skeleton(schema);
    let (parameters, replacements) = expressions(&properties, &mut symbols);
    let comments: String = schema
        .outline()
        .members()
        .filter(|member| properties.get(member.name).is_none() && !member.outline.is_read_only())
        .filter(|member| !member.outline.classes().has(Class::Deprecated))
        .fold(String::new(), |mut text, member| {
            let _ = writeln!(text, "    // {}: {}", key(member.name), describe(member.outline));
            text
        });
    let is_empty = properties.as_object().is_none_or(serde_json::Map::is_empty);
    let statement = resource(&ResourceText {
        alias: symbol.clone(),
        symbol,
        type_name,
        replacements,
        properties,
        ..ResourceText::default()
    });
    let end = if is_empty { "}\n" } else { "  }\n}\n" };
    let head = statement.strip_suffix(end).unwrap_or(&statement);
    let start = if is_empty { "  properties: {\n" } else { "" };
    format!("extension aws\n\n{parameters}{head}{start}{comments}  }}\n}}\n")
}

/// Expressions for texts of a document, and the declarations that they need: secrets are parameters, and ARNs name the
/// account and the region of the deployment.
fn expressions(document: &Value, symbols: &mut BTreeSet<String>) -> (String, Replacements) {
    let (mut parameters, mut replacements) = (String::new(), Replacements::new());
    let mut open = vec![(String::new(), "", document)];
    while let Some((pointer, name, value)) = open.pop() {
        match value {
            Value::Object(members) => open.extend(members.iter().map(|(name, member)| {
                let step = name.replace('~', "~0").replace('/', "~1");
                (format!("{pointer}/{step}"), name.as_str(), member)
            })),
            Value::Array(items) => {
                let items = items.iter().enumerate();
                open.extend(items.map(|(at, item)| (format!("{pointer}/{at}"), name, item)));
            }
            Value::String(_) if is_secret_property(name) => {
                let symbol = symbol_for(&small_first(name), symbols);
                let _ = writeln!(parameters, "@secure()\nparam {symbol} string\n");
                replacements.insert(pointer, symbol);
            }
            Value::String(text) => {
                if let Some(expression) = portable_arn(text) {
                    replacements.insert(pointer, expression);
                }
            }
            _ => {}
        }
    }
    (parameters, replacements)
}

/// An ARN as an interpolated string, unless it names neither an account nor a region.
fn portable_arn(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.splitn(6, ':').collect();
    let ["arn", partition, service, region, account, rest] = parts[..] else { return None };
    if region.is_empty() && account.is_empty() {
        return None;
    }
    // One quoted text, so that its parts need no escapes of their own.
    let marked = |part: &str, mark: char| if part.is_empty() { String::new() } else { mark.into() };
    let (region, account) = (marked(region, REGION), marked(account, ACCOUNT));
    let quoted = string(&format!("arn:{partition}:{service}:{region}:{account}:{rest}"));
    let text = quoted.replace(REGION, "${aws.region()}").replace(ACCOUNT, "${aws.accountId()}");
    (!text.starts_with("'''")).then_some(text)
}

/// Characters of no ARN that mark where its region and its account were.
const REGION: char = '\u{2190}';
const ACCOUNT: char = '\u{2191}';

/// `DBInstance` as `dbInstance`.
fn small_first(name: &str) -> String {
    let capitals = name.chars().take_while(char::is_ascii_uppercase).count();
    let is_whole = capitals == name.chars().count();
    let small = if is_whole { capitals } else { capitals.saturating_sub(1).max(1) };
    let lower = |(at, letter): (usize, char)| {
        if at < small { letter.to_ascii_lowercase() } else { letter }
    };
    name.chars().enumerate().map(lower).collect()
}

/// What a property takes, in a few words: `'A' | 'B'`, `[{ Key, Value }]`.
pub(crate) fn describe(outline: Outline<'_>) -> String {
    let limits = outline.limits();
    let values = if limits.allowed.is_empty() { limits.advised } else { limits.allowed };
    if !values.is_empty() {
        let mut words: Vec<String> = values
            .iter()
            .take(MAX_VALUES)
            .map(|value| value.as_str().map_or_else(|| value.to_string(), |it| format!("'{it}'")))
            .collect();
        if values.len() > MAX_VALUES {
            words.push("…".to_owned());
        }
        return words.join(" | ").replace(['\n', '\r'], " ");
    }
    let words: Vec<String> = outline
        .kinds()
        .iter()
        .map(|kind| match kind {
            Kind::Array => match outline.element() {
                Some(element) => format!("[{}]", shallow(element)),
                None => "array".to_owned(),
            },
            Kind::Object => members_of(outline),
            other => scalar(other).to_owned(),
        })
        .collect();
    if words.is_empty() { "any".to_owned() } else { words.join(" | ") }
}

/// The same of an item, whose own items are not described.
fn shallow(outline: Outline<'_>) -> String {
    let word = |kind| match kind {
        Kind::Object => members_of(outline),
        other => scalar(other).to_owned(),
    };
    let words: Vec<String> = outline.kinds().iter().map(word).collect();
    if words.is_empty() { "any".to_owned() } else { words.join(" | ") }
}

const fn scalar(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Boolean => "bool",
        Kind::Integer => "int",
        Kind::Number => "number",
        Kind::String => "string",
        Kind::Array => "array",
        Kind::Object => "object",
    }
}

/// The names of an object's members that can be stated: `{ Key, Value }`.
pub(crate) fn members_of(outline: Outline<'_>) -> String {
    let mut members: Vec<Member<'_>> =
        outline.members().filter(|member| !member.outline.is_read_only()).collect();
    members.sort_by_key(|member| !member.is_required);
    let mut names: Vec<String> =
        members.iter().take(MAX_VALUES).map(|member| key(member.name)).collect();
    if members.len() > MAX_VALUES {
        names.push("…".to_owned());
    }
    if names.is_empty() { "object".to_owned() } else { format!("{{ {} }}", names.join(", ")) }
}

#[cfg(test)]
mod tests;
