//! Proposals for providers that have no ids by contract: azapi, kubectl and Helm.

use super::kubernetes::{self, Kinds, Namespace};
use super::subject::{Reading, Subject};
use super::{Found, azure};

/// What the id would be, of a type that is known to make things that have one.
pub(super) fn find(subject: &Subject<'_, '_>, kinds: &Kinds) -> Option<Found> {
    let instance = subject.instance;
    let provider = &instance.provider;
    match (provider.kind.as_ref(), instance.type_name.as_ref()) {
        // Its other types act on resources that they do not own.
        ("azapi", "azapi_resource") => Some(azure::find(subject)),
        ("kubectl", "kubectl_manifest") => {
            let (Reading::Text(version), Reading::Text(kind)) =
                (subject.read(&["api_version"]), subject.read(&["kind"]))
            else {
                return None;
            };
            let (namespace, name) = (subject.read(&["namespace"]), subject.read(&["name"]));
            Some(kubernetes::of_version(&version, &kind, namespace, name, kinds))
        }
        // Not an object of the API: a group of its own that no API serves.
        ("helm", "helm_release") => {
            let namespace = Namespace::OrDefault(subject.read(&["namespace"]));
            Some(kubernetes::of_object("helm.sh", "Release", namespace, subject.read(&["name"])))
        }
        _ => None,
    }
}
