//! Older compilers write `resources` as a list, without symbolic names. Both forms are put into a third one in which
//! they can be compared.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::expression::{Tree, map_calls, parse};

/// Whether the resources of a template are a list.
pub(super) fn is_list_form(template: &Value) -> bool {
    template.get("resources").is_some_and(Value::is_array)
}

/// Puts a template into the form that both have in common: a list of resources without the existing ones, whose
/// `dependsOn` is a sorted list of types, and `reference` and `list*` without the resource that they read.
pub(super) fn put_into_common_form(template: &mut Value) {
    if let Value::Object(members) = template {
        members.remove("languageVersion");
    }
    let resources = template.get("resources").cloned().unwrap_or_default();
    let list = match &resources {
        Value::Object(by_symbol) => {
            let of_symbol: HashMap<&str, &Value> =
                by_symbol.iter().map(|(name, it)| (name.as_str(), it)).collect();
            let real = by_symbol.values().filter(|it| it.get("existing").is_none());
            real.map(|it| with_order(it, order_of_symbols(it, &of_symbol))).collect()
        }
        Value::Array(list) => {
            list.iter().map(|it| with_order(it, order_of_ids(it, list))).collect()
        }
        _ => Vec::new(),
    };
    if let Value::Object(members) = template {
        members.insert("resources".to_owned(), Value::Array(list));
    }
    rewrite(template);
    // The order of the list has no meaning, and the compilers differ in it.
    if let Some(Value::Array(list)) = template.get_mut("resources") {
        let text = |it: &Value, name: &str| it.get(name).map(Value::to_string).unwrap_or_default();
        list.sort_by_cached_key(|it| {
            ["type", "name", "condition", "scope"].map(|name| text(it, name).to_ascii_lowercase())
        });
    }
}

fn with_order(resource: &Value, mut order: Vec<String>) -> Value {
    let mut members = resource.as_object().cloned().unwrap_or_default();
    members.remove("dependsOn");
    order.sort();
    order.dedup();
    if !order.is_empty() {
        members.insert("dependsOn".to_owned(), order.into());
    }
    // A loop in a nested resource has no name of its own in the list.
    if let Some(Value::String(name)) = members.get_mut("copy").and_then(|it| it.get_mut("name")) {
        *name = name.rsplit("::").next().unwrap_or_default().to_owned();
    }
    if let Some(Value::String(scope)) = members.get_mut("scope")
        && let Some(id) = parse(scope).and_then(id_of_path)
    {
        *scope = format!("[{id}]");
    }
    Value::Object(members)
}

/// `format('Microsoft.Web/sites/{0}/slots/{1}', a, b)`, a relative id, as `resourceId('Microsoft.Web/sites/slots', a, b)`.
fn id_of_path(path: Tree) -> Option<Tree> {
    let Tree::Call { name, mut arguments } = path else { return None };
    let Some(Tree::Text(pattern)) = arguments.first().filter(|_| name == "format") else {
        return None;
    };
    let words: Vec<&str> = pattern.split('/').filter(|it| !it.starts_with('{')).collect();
    arguments[0] = Tree::Text(words.join("/"));
    Some(Tree::Call { name: "resourceId".to_owned(), arguments })
}

fn type_of(resource: &Value) -> String {
    let name = resource.get("type").and_then(Value::as_str).unwrap_or_default();
    format!("after {}", name.to_ascii_lowercase())
}

fn texts(resource: &Value) -> impl Iterator<Item = &str> {
    resource
        .get("dependsOn")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}

/// The types of the resources that a resource waits for, given by their symbolic names. One that exists stands for
/// those that it waits for itself.
fn order_of_symbols(resource: &Value, of_symbol: &HashMap<&str, &Value>) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Vec<&str> = texts(resource).collect();
    let mut seen: Vec<String> = Vec::new();
    while let Some(text) = open.pop() {
        let symbol = symbol_of(text);
        if seen.contains(&symbol) {
            continue;
        }
        seen.push(symbol.clone());
        let Some(other) = of_symbol.get(symbol.as_str()) else { continue };
        if other.get("existing").is_some() {
            open.extend(texts(other));
        } else {
            found.push(type_of(other));
        }
    }
    found
}

/// `vm`, and `[format('vm[{0}]', …)]` which is one of a loop.
fn symbol_of(text: &str) -> String {
    match parse(text) {
        Some(Tree::Call { arguments, .. }) => match arguments.first() {
            Some(Tree::Text(pattern)) => {
                pattern.split("[{0}]").next().unwrap_or_default().to_owned()
            }
            _ => String::new(),
        },
        _ => text.to_owned(),
    }
}

fn copy_name(resource: &Value) -> Option<&str> {
    resource.get("copy")?.get("name")?.as_str()
}

/// The types in the ids of the resources that a resource waits for.
fn order_of_ids(resource: &Value, all: &[Value]) -> Vec<String> {
    let mut found = Vec::new();
    for text in texts(resource) {
        match parse(text) {
            Some(Tree::Call { name, arguments }) => {
                let mut types = arguments.iter().filter_map(|it| match it {
                    Tree::Text(text) if text.contains('/') && !text.contains('{') => Some(text),
                    _ => None,
                });
                let found_type = types.next_back().cloned().unwrap_or(name);
                found.push(format!("after {}", found_type.to_ascii_lowercase()));
            }
            // The name of a loop.
            _ => found.extend(all.iter().filter(|it| copy_name(it) == Some(text)).map(type_of)),
        }
    }
    found
}

fn rewrite(value: &mut Value) {
    match value {
        Value::String(text) => {
            // Old compilers kept the line ends of their file, and wrote `secureString`.
            *text = text.replace("\r\n", "\n").replace("secureString", "securestring");
            if let Some(tree) = parse(text) {
                *text = format!("[{}]", map_calls(tree, &without_target));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(rewrite),
        Value::Object(members) => {
            let all = std::mem::take(members);
            *members = all
                .into_iter()
                .map(|(name, mut it)| {
                    rewrite(&mut it);
                    (name, it)
                })
                .collect::<Map<_, _>>();
        }
        _ => {}
    }
}

/// `reference(…)` keeps whether it reads the whole, `list*(…)` what follows the version.
fn without_target(name: String, arguments: Vec<Tree>) -> Tree {
    let is_list = name.len() > 4 && name.starts_with("list");
    let arguments = match name.as_str() {
        "reference" => {
            arguments.into_iter().skip(1).filter(|it| *it == Tree::Text("full".into())).collect()
        }
        _ if is_list => arguments.into_iter().skip(1).collect(),
        _ => arguments,
    };
    // Types are the same in upper and lower case.
    let is_type = |text: &str| {
        text.split_once('/').is_some_and(|(it, _)| it.contains('.')) && !text.contains(' ')
    };
    let arguments = arguments.into_iter().map(|it| match it {
        Tree::Text(text) if is_type(&text) => Tree::Text(text.to_ascii_lowercase()),
        other => other,
    });
    Tree::Call { name, arguments: arguments.collect() }
}
