//! The ids of Kubernetes objects: their group, kind, namespace and name.

use std::collections::HashMap;

use hangar_ids::ResourceId;

use super::Found;
use super::subject::{Reading, Subject, hidden};
use crate::state::codes;

/// Terraform's types, and what they make.
pub(super) struct Kinds {
    by_type: HashMap<&'static str, Made>,
}

#[derive(Clone, Copy)]
struct Made {
    group: &'static str,
    kind: &'static str,
    scope: Scope,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    Cluster,
    Namespaced,
    /// It edits what it does not own.
    Patch,
}

/// The plane of the cluster; several clusters are told apart by the alias of their provider.
const PLANE: &str = "local";
/// What the provider and the API take where none is stated.
const DEFAULT_NAMESPACE: &str = "default";

impl Kinds {
    pub(super) fn read() -> Self {
        let lines = include_str!("../../data/kubernetes-types.tsv").lines();
        let lines = lines.filter(|line| !line.starts_with('#'));
        let by_type = lines.filter_map(|line| {
            let mut columns = line.split('\t');
            let (name, group, kind) = (columns.next()?, columns.next()?, columns.next()?);
            let scope = match columns.next()? {
                "Cluster" => Scope::Cluster,
                "Namespaced" => Scope::Namespaced,
                _ => Scope::Patch,
            };
            Some((name, Made { group, kind, scope }))
        });
        Self { by_type: by_type.collect() }
    }

    /// The scope of a kind, where it is one of the table.
    fn scope_of(&self, group: &str, kind: &str) -> Option<Scope> {
        let known = self.by_type.values().filter(|known| known.scope != Scope::Patch);
        known
            .into_iter()
            .find(|known| (known.group, known.kind) == (group, kind))
            .map(|known| known.scope)
    }
}

pub(super) fn find(subject: &Subject<'_, '_>, kinds: &Kinds) -> Found {
    let type_name = subject.instance.type_name.as_ref();
    if type_name == "kubernetes_manifest" {
        return of_manifest(subject, kinds);
    }
    let Some(kind) = kinds.by_type.get(type_name) else {
        let reason = format!("the type `{type_name}` is unknown, so its kind cannot be determined");
        return Found::warned(codes::UNKNOWN_TYPE, reason);
    };
    if kind.scope == Scope::Patch {
        return Found::nothing("it changes an object that it does not own");
    }
    // A list with one block, or an object in newer types.
    let name = subject.first(&[&["metadata", "0", "name"], &["metadata", "name"]]);
    let namespace = subject.first(&[&["metadata", "0", "namespace"], &["metadata", "namespace"]]);
    let namespaced = match kind.scope {
        Scope::Namespaced => Namespace::OrDefault(namespace),
        Scope::Cluster | Scope::Patch => Namespace::None,
    };
    of_object(kind.group, kind.kind, namespaced, name)
}

/// The id of a `kubernetes_manifest`: what was stated, and what the server filled in (`object`).
fn of_manifest(subject: &Subject<'_, '_>, kinds: &Kinds) -> Found {
    let read = |path: &[&str]| {
        let stated: Vec<&str> = [&["manifest"], path].concat();
        let filled: Vec<&str> = [&["object"], path].concat();
        subject.first(&[&stated, &filled])
    };
    let (version, kind) = match (read(&["apiVersion"]), read(&["kind"])) {
        (Reading::Text(version), Reading::Text(kind)) => (version, kind),
        (Reading::Sensitive, _) | (_, Reading::Sensitive) => {
            return hidden("the kind of the manifest");
        }
        _ => return Found::warned(codes::NO_ID, "the manifest has no apiVersion and kind"),
    };
    let is_list = kind == "List" || (kind.ends_with("List") && subject.has(&["manifest", "items"]));
    if is_list {
        return Found::warned(
            codes::NO_ID,
            format!("a manifest of kind `{kind}` is a list of objects, not one object"),
        );
    }
    let name = read(&["metadata", "name"]);
    let namespace = read(&["metadata", "namespace"]);
    of_version(&version, &kind, namespace, name, kinds)
}

/// The id of an object that names its own group and kind.
pub(super) fn of_version(
    version: &str,
    kind: &str,
    namespace: Reading<'_>,
    name: Reading<'_>,
    kinds: &Kinds,
) -> Found {
    let group = version.split_once('/').map_or("core", |(group, _)| group);
    let namespace = match kinds.scope_of(group, kind) {
        Some(Scope::Namespaced) => Namespace::OrDefault(namespace),
        Some(Scope::Cluster | Scope::Patch) => Namespace::None,
        // Whether others have a namespace, only they know.
        None => Namespace::IfStated(namespace),
    };
    of_object(group, kind, namespace, name)
}

/// Which namespace an object is in.
pub(super) enum Namespace<'a> {
    None,
    IfStated(Reading<'a>),
    OrDefault(Reading<'a>),
}

pub(super) fn of_object(
    group: &str,
    kind: &str,
    namespace: Namespace<'_>,
    name: Reading<'_>,
) -> Found {
    let name = match name {
        Reading::Text(name) => name,
        Reading::Sensitive => return hidden("the name"),
        Reading::Absent => return Found::warned(codes::NO_ID, "the object has no name"),
    };
    let namespace = match namespace {
        Namespace::IfStated(Reading::Sensitive) | Namespace::OrDefault(Reading::Sensitive) => {
            return hidden("the namespace");
        }
        Namespace::IfStated(Reading::Text(text)) | Namespace::OrDefault(Reading::Text(text)) => {
            Some(text)
        }
        Namespace::OrDefault(Reading::Absent) => Some(DEFAULT_NAMESPACE.into()),
        Namespace::IfStated(Reading::Absent) | Namespace::None => None,
    };
    let id = ResourceId::planes().append_scope("kubernetes", PLANE).and_then(|plane| {
        let scope = match &namespace {
            Some(namespace) => plane.append_scope("namespaces", namespace)?,
            None => plane,
        };
        scope.append_type(&format!("{group}/{kind}"))?.append_name(&name)
    });
    match id {
        Ok(id) => Found::Id(id.to_string()),
        Err(refused) => Found::warned(codes::NO_ID, refused.message),
    }
}
