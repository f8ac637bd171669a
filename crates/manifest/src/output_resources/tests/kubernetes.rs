//! Kubernetes: group, kind, namespace and name.

use serde_json::json;

use super::*;

const KUBERNETES: &str = "hashicorp/kubernetes";

/// The id below the plane.
fn found(type_name: &str, attributes: &Value) -> String {
    let found = one(KUBERNETES, type_name, attributes);
    let id = found.id.unwrap_or_else(|| panic!("{type_name}: {:?}", found.reason));
    id.strip_prefix("/planes/kubernetes/local/").unwrap().to_owned()
}

fn named(name: &str, namespace: &str) -> Value {
    json!({"metadata": [{"name": name, "namespace": namespace}]})
}

const DAPR: &str =
    "/planes/kubernetes/local/namespaces/test-dapr/providers/dapr.io/Component/test-dapr-pubsub";

fn dapr() -> Value {
    json!({"apiVersion": "dapr.io/v1alpha1", "kind": "Component", "metadata": {"name": "test-dapr-pubsub", "namespace": "test-dapr"}})
}

#[test]
fn the_deployment_of_the_seed_has_the_id_of_the_seed() {
    let deployment =
        one(KUBERNETES, "kubernetes_deployment", &named("redis-deployment", "default"));
    assert_eq!(
        deployment.id.as_deref(),
        Some(
            "/planes/kubernetes/local/namespaces/default/providers/apps/Deployment/redis-deployment"
        )
    );
}

#[test]
fn the_manifest_of_the_seed_has_the_id_of_the_seed_wrapped_and_in_show() {
    let types = json!(["object", {"apiVersion": "string", "kind": "string", "metadata": ["object", {"name": "string"}]}]);
    let wrapped = json!({"manifest": {"value": dapr(), "type": types}, "object": {"value": dapr(), "type": types}});
    assert_eq!(one(KUBERNETES, "kubernetes_manifest", &wrapped).id.as_deref(), Some(DAPR));
    let show = json!({"format_version": "1.0", "values": {"root_module": {"resources": [{
        "address": "kubernetes_manifest.x", "mode": "managed", "type": "kubernetes_manifest", "name": "x",
        "provider_name": "registry.terraform.io/hashicorp/kubernetes", "values": {"manifest": dapr(), "object": null}}]}}});
    let show = show.to_string();
    let report = report(&read(show.as_bytes()).unwrap(), &Ask::default());
    assert_eq!(report.resources, [DAPR]);
}

#[test]
fn case_20_cluster_scoped_kinds_have_no_namespace_and_others_the_default_one() {
    assert_eq!(found("kubernetes_namespace", &named("n", "ignored")), "providers/core/Namespace/n");
    assert_eq!(
        found("kubernetes_cluster_role", &named("n", "")),
        "providers/rbac.authorization.k8s.io/ClusterRole/n"
    );
    assert_eq!(found("kubernetes_pod", &named("n", "")), "namespaces/default/providers/core/Pod/n");
    assert_eq!(
        found("kubernetes_pod", &named("n", "default")),
        "namespaces/default/providers/core/Pod/n"
    );
}

#[test]
fn case_21_versions_in_names_of_types_are_one_kind() {
    let autoscaler = "namespaces/s/providers/autoscaling/HorizontalPodAutoscaler/n";
    for version in ["", "_v1", "_v2", "_v2beta2"] {
        assert_eq!(
            found(&format!("kubernetes_horizontal_pod_autoscaler{version}"), &named("n", "s")),
            autoscaler
        );
    }
    for daemon_set in ["kubernetes_daemonset", "kubernetes_daemon_set_v1"] {
        assert_eq!(found(daemon_set, &named("n", "s")), "namespaces/s/providers/apps/DaemonSet/n");
    }
}

#[test]
fn case_22_a_manifest_names_its_own_kind_and_the_server_fills_in() {
    let manifest = |manifest: Value, object: Value| json!({"manifest": manifest, "object": object});
    let core = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "s"}});
    assert_eq!(
        found("kubernetes_manifest", &manifest(core.clone(), json!(null))),
        "namespaces/s/providers/core/ConfigMap/c"
    );
    let crd = json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "a.b.c"}});
    assert_eq!(
        found("kubernetes_manifest", &manifest(crd, json!(null))),
        "providers/apiextensions.k8s.io/CustomResourceDefinition/a.b.c"
    );
    let generated =
        json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"generateName": "j-"}});
    let filled = json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j-x1", "namespace": "filled"}});
    assert_eq!(
        found("kubernetes_manifest", &manifest(generated.clone(), filled)),
        "namespaces/filled/providers/batch/Job/j-x1"
    );
    assert_eq!(
        found("kubernetes_manifest", &manifest(json!(null), core)),
        "namespaces/s/providers/core/ConfigMap/c"
    );
    let without = json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"}});
    assert_eq!(
        found("kubernetes_manifest", &manifest(without, json!(null))),
        "namespaces/default/providers/batch/Job/j"
    );
    let many = json!({"apiVersion": "v1", "kind": "List", "items": [], "metadata": {"name": "l"}});
    for (odd, word) in
        [(many, "is a list of objects"), (json!(null), "has no apiVersion"), (generated, "no name")]
    {
        let odd = one(KUBERNETES, "kubernetes_manifest", &manifest(odd, json!(null)));
        assert!(reason(&odd).contains(word), "{odd:?}");
    }
}

#[test]
fn case_23_metadata_is_a_list_or_an_object_and_may_be_missing() {
    let object = json!({"metadata": {"name": "n", "namespace": "s"}});
    assert_eq!(found("kubernetes_secret_v1", &object), "namespaces/s/providers/core/Secret/n");
    let generated = json!({"metadata": [{"generate_name": "n-", "name": "n-7", "namespace": "s"}]});
    assert_eq!(found("kubernetes_secret", &generated), "namespaces/s/providers/core/Secret/n-7");
    for odd in [
        json!({"metadata": []}),
        json!({}),
        json!({"metadata": [{"name": null}]}),
        json!({"metadata": "x"}),
        json!({"metadata": [{"name": 7}]}),
    ] {
        assert_eq!(
            reason(&one(KUBERNETES, "kubernetes_secret", &odd)),
            "the object has no name",
            "{odd}"
        );
    }
}

#[test]
fn case_24_patches_are_none_and_clusters_are_told_apart_by_alias() {
    for patch in [
        "kubernetes_annotations",
        "kubernetes_labels",
        "kubernetes_env",
        "kubernetes_config_map_v1_data",
        "kubernetes_node_taint",
    ] {
        assert_eq!(
            reason(&one(KUBERNETES, patch, &named("n", "s"))),
            "it changes an object that it does not own"
        );
    }
    assert_eq!(
        found("kubernetes_namespace", &named("namespaces", "")),
        "providers/core/Namespace/namespaces"
    );
    let west = resource(
        "provider[\"registry.terraform.io/hashicorp/kubernetes\"].west",
        "kubernetes_namespace",
        &named("n", ""),
    );
    assert_eq!(reported(&[west]).instances[0].provider_alias.as_deref(), Some("west"));
    let new = reported(&[resource(KUBERNETES, "kubernetes_new_thing_v9", &named("n", "s"))]);
    assert_eq!((new.resources.len(), new.warnings[0].code), (0, "TF0105"));
}

#[test]
fn case_25_names_with_colons_and_dots_are_names() {
    let role = found("kubernetes_cluster_role", &named("system:node", ""));
    assert_eq!(role, "providers/rbac.authorization.k8s.io/ClusterRole/system:node");
    assert_eq!(
        found("kubernetes_api_service", &named("v1.apps", "")),
        "providers/apiregistration.k8s.io/APIService/v1.apps"
    );
    let odd = one(KUBERNETES, "kubernetes_secret", &named("a/b", "s"));
    assert!(reason(&odd).contains("slash"));
}

#[test]
fn other_ways_to_make_kubernetes_objects_have_proposals() {
    let manifest = json!({"api_version": "argoproj.io/v1alpha1", "kind": "Application", "name": "root", "namespace": "argocd", "id": "/apis/x"});
    let kubectl = one("alekc/kubectl", "kubectl_manifest", &manifest);
    assert_eq!(
        kubectl.beyond_id.as_deref(),
        Some("/planes/kubernetes/local/namespaces/argocd/providers/argoproj.io/Application/root")
    );
    let release =
        resource("hashicorp/helm", "helm_release", &json!({"name": "r", "namespace": "s"}));
    let ask = Ask { all_providers: true, ..Ask::default() };
    let all = reported_with(std::slice::from_ref(&release), &ask);
    assert_eq!(
        all.resources,
        ["/planes/kubernetes/local/namespaces/s/providers/helm.sh/Release/r"]
    );
    assert!(reported(&[release]).resources.is_empty());
}
