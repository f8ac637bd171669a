use std::collections::{BTreeMap, BTreeSet};

use http::Method;

use super::*;
use crate::query::Query;
use crate::route::{methods_of, route};
use crate::settings::DEFAULT_BASE_PATH;

const COMMITTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json");

fn by_default() -> Value {
    document("http://127.0.0.1:7700", DEFAULT_BASE_PATH, env!("CARGO_PKG_VERSION"))
}

/// A path that can be asked for.
fn sample(path: &str) -> String {
    [
        ("{kind}", "aws"),
        ("{plane}", "local"),
        ("{credential}", "default"),
        ("{group}", "rg"),
        ("{namespace}", "AWS.EC2"),
        ("{type}", "VPC"),
        ("{alias}", "net"),
        ("{deployment}", "app"),
        ("{recipe}", "net"),
        ("{account}", "1"),
        ("{region}", "us-east-1"),
        ("{identifier}", "vpc-1"),
        ("{operation}", "0191f3a8-7c2e-7abc-8def-0123456789ab"),
    ]
    .iter()
    .fold(path.to_owned(), |path, (name, value)| path.replace(name, value))
}

#[test]
fn the_committed_document_is_the_one_that_the_routes_give() {
    let text = serde_json::to_string_pretty(&by_default()).unwrap() + "\n";
    if std::env::var_os("HANGAR_WRITE_OPENAPI").is_some() {
        std::fs::write(COMMITTED, &text).unwrap();
    }
    let committed = std::fs::read_to_string(COMMITTED).unwrap_or_default();
    assert!(
        committed == text,
        "docs/openapi.json is not what the routes give; HANGAR_WRITE_OPENAPI=1 writes it"
    );
}

#[test]
fn every_documented_route_is_taken_and_no_other_method_is() {
    let version = Query::parse(Some("api-version=2023-10-01")).unwrap();
    let mut documented: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for name in RouteName::ALL {
        let entry = table::of(name);
        if entry.place == Place::Root {
            continue;
        }
        let taken = route(&entry.method, &sample(entry.path), &version).unwrap();
        assert_eq!(taken.name(), name, "{} {}", entry.method, entry.path);
        documented.entry(entry.path).or_default().insert(entry.method.to_string());
    }
    for (path, methods) in documented {
        let allowed = methods_of(&sample(path)).unwrap().iter().map(Method::to_string);
        assert_eq!(allowed.collect::<BTreeSet<_>>(), methods, "{path}");
    }
}

#[test]
fn what_a_route_needs_the_document_says() {
    let none = Query::default();
    for name in RouteName::ALL.into_iter().filter(|name| table::of(*name).place == Place::Base) {
        let entry = table::of(name);
        let needs = route(&entry.method, &sample(entry.path), &none).is_err();
        let says = entry.query.iter().any(|query| matches!(query, parameter::Query::NeededVersion));
        assert_eq!(says, needs, "{} {}", entry.method, entry.path);
    }
}

#[test]
fn every_route_is_in_the_list_of_all() {
    let source = include_str!("../route/name.rs");
    let written = source.lines().filter(|line| line.contains("=> \"")).count();
    let names: BTreeSet<&str> = RouteName::ALL.iter().map(|name| name.as_str()).collect();
    assert_eq!((names.len(), RouteName::ALL.len()), (written, written));
}

#[test]
fn every_reference_of_the_document_leads_somewhere() {
    fn find<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
        match value {
            Value::Array(items) => items.iter().for_each(|it| find(it, found)),
            Value::Object(members) => {
                found.extend(members.get("$ref").and_then(Value::as_str));
                members.values().for_each(|it| find(it, found));
            }
            _ => {}
        }
    }
    let document = by_default();
    let mut found = Vec::new();
    find(&document, &mut found);
    assert!(found.len() > 100);
    for reference in found {
        let place = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(place).is_some(), "{reference}");
    }
    let used: BTreeSet<String> = document["components"]["schemas"]
        .as_object()
        .unwrap()
        .keys()
        .map(|name| format!("\"#/components/schemas/{name}\""))
        .filter(|reference| !document.to_string().contains(reference))
        .collect();
    assert!(used.is_empty(), "nobody uses {used:?}");
}

#[test]
fn a_server_tells_its_own_url_and_base_path() {
    let own = document("https://h.example/up", "", "1");
    assert_eq!(own["servers"][0]["url"], "https://h.example/up");
    assert!(own["paths"]["/planes"].is_object() && own["paths"]["/"].is_object());
}
