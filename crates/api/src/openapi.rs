//! What the API is, as an OpenAPI document: made from one table of routes, `table`, and nothing else.
//!
//! `docs/openapi.json` is this document for a server as it is started by default, and a test holds the
//! two together; a server gives out its own with its own URL and base path.

mod entry;
mod parameter;
mod schema;
mod table;
#[cfg(test)]
mod tests;

use http::Method;
use serde_json::{Map, Value, json};

use crate::route::RouteName;
use entry::{Access, Body, Entry, Place, Reply, Shown};

/// The document of a server: what its URLs begin with, and what its paths do.
pub(crate) fn document(server: &str, base_path: &str, version: &str) -> Value {
    let mut paths = Map::new();
    for name in RouteName::ALL {
        let entry = table::of(name);
        let path = match entry.place {
            Place::Base => format!("{base_path}{}", entry.path),
            Place::Root => entry.path.to_owned(),
        };
        // An empty base path leaves the root a path of its own.
        let path = if path.is_empty() { String::from("/") } else { path };
        let methods = paths.entry(path).or_insert_with(|| Value::Object(Map::new()));
        methods[method_key(&entry.method)] = operation(name, &entry);
    }
    json!({
        "openapi": "3.0.3",
        "info": {
            "title": "Hangar",
            "description": "Deploys Bicep templates, AWS resources and Terraform recipes. Each has \
                    a name, so a repeated request creates nothing twice. docs/api.md describes \
                    each route.",
            "version": version,
            "license": { "name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0" },
        },
        "servers": [{ "url": server }],
        "security": [{ "token": [] }],
        "paths": paths,
        "components": {
            "schemas": schema::all(),
            "parameters": parameter::all(),
            "headers": parameter::answer_headers(),
            "responses": refusals(),
            "securitySchemes": {
                "token": { "type": "http", "scheme": "bearer" },
                "terraform": { "type": "http", "scheme": "basic" },
            },
        },
    })
}

/// Where a method is told below its path: those that OpenAPI has no place for are told as extensions.
fn method_key(method: &Method) -> String {
    let word = method.as_str().to_ascii_lowercase();
    let is_known = matches!(word.as_str(), "get" | "head" | "put" | "patch" | "post" | "delete");
    if is_known { word } else { format!("x-{word}") }
}

fn operation(name: RouteName, entry: &Entry) -> Value {
    let in_query = entry.query.iter().map(|query| query.component());
    let in_head = entry.headers.iter().map(|header| header.component());
    let names = parameter::in_path(entry.path).into_iter().chain(in_query).chain(in_head);
    let parameters: Vec<Value> = names.map(|name| link("parameters", name)).collect();
    let mut operation = json!({
        "operationId": format!("{name:?}"),
        "tags": [entry.tag],
        "summary": entry.summary,
        "parameters": parameters,
        "responses": replies(entry),
    });
    if let Some(body) = body(entry.body) {
        operation["requestBody"] = body;
    }
    match entry.access {
        Access::Token => {}
        Access::Anybody => operation["security"] = json!([]),
        Access::TokenOrBasic => {
            operation["security"] = json!([{ "token": [] }, { "terraform": [] }]);
        }
    }
    operation
}

fn body(body: Body) -> Option<Value> {
    let (schema, required) = match body {
        Body::None => return None,
        Body::Optional(schema) => (schema, false),
        Body::Required(schema) => (schema, true),
    };
    let content = json!({ "application/json": { "schema": schema::reference(schema) } });
    Some(json!({ "required": required, "content": content }))
}

fn replies(entry: &Entry) -> Value {
    let mut replies = Map::new();
    for Reply { status, shown, headers } in &entry.replies {
        let mut all = parameter::request_ids();
        all.extend(headers.iter().map(|name| parameter::header_of(name)));
        let mut reply = json!({ "description": parameter::meaning(*status), "headers": all });
        match shown {
            Shown::Nothing => {}
            Shown::Json(schema) => {
                reply["content"]["application/json"]["schema"] = schema::reference(schema);
            }
            Shown::Events(media) => {
                // Each event by its fields; its data is JSON in one line.
                let fields = json!({ "event": { "type": "string", "enum": ["progress", "counts", "end"] },
                    "id": { "type": "string" }, "data": { "type": "string" } });
                let event = json!({ "type": "object", "properties": fields,
                    "required": ["event", "data"] });
                reply["content"][*media]["schema"] = event;
            }
            Shown::Text(media) => {
                reply["content"][*media]["schema"] = json!({ "type": "string" });
            }
        }
        replies.insert(status.to_string(), reply);
    }
    for status in entry.errors {
        let told = if entry.method == Method::HEAD { Told::Silently } else { Told::Plainly };
        replies.insert(status.to_string(), link("responses", &refusal_name(*status, told)));
    }
    Value::Object(replies)
}

/// Whether a refusal says why: an answer to `HEAD` has no body.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    Plainly,
    Silently,
}

fn refusal_name(status: u16, told: Told) -> String {
    match told {
        Told::Plainly => format!("Refused{status}"),
        Told::Silently => format!("Silent{status}"),
    }
}

/// All refusals that a route names.
fn refusals() -> Value {
    let mut refusals = Map::new();
    for entry in RouteName::ALL.map(table::of) {
        let told = if entry.method == Method::HEAD { Told::Silently } else { Told::Plainly };
        for status in entry.errors {
            let mut reply = json!({
                "description": parameter::meaning(*status),
                "headers": parameter::request_ids(),
            });
            if told == Told::Plainly {
                reply["content"]["application/json"]["schema"] = schema::reference("Error");
            }
            refusals.insert(refusal_name(*status, told), reply);
        }
    }
    Value::Object(refusals)
}

/// Where something is told that many routes share.
fn link(kind: &str, name: &str) -> Value {
    json!({ "$ref": format!("#/components/{kind}/{name}") })
}
