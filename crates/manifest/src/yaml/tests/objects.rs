//! Which object a scalar belongs to.

use crate::yaml::read;

/// Every object of a text as messages name it.
fn objects(text: &str) -> Vec<String> {
    read(text).unwrap().objects().map(ToString::to_string).collect()
}

#[test]
fn a_document_is_told_by_kind_namespace_and_name() {
    let text = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  namespace: default\n---\n\
                metadata: {name: nightly}\nkind: CronJob\n---\n- just\n- a list\n---\nkind: Job\n\
                metadata: {generateName: x-}\n---\nscalar\n";
    assert_eq!(
        objects(text),
        [
            "Deployment default/web",
            "CronJob nightly",
            "document 3",
            "Job in document 4",
            "document 5"
        ]
    );
    let stream = read(text).unwrap();
    assert_eq!(stream.documents().len(), 5);
    let web = stream.objects().next().unwrap();
    assert_eq!(web.api_version.as_deref(), Some("apps/v1"));
    assert!(text[web.span.start..web.span.end].ends_with("namespace: default"));
}

#[test]
fn items_of_a_list_are_objects_wherever_its_kind_stands() {
    let text = "items:\n- kind: Service\n  metadata: {name: a}\n  spec: {x: 1}\n- metadata: {name: b}\n\
                - other: thing\nkind: ServiceList\nmetadata: {resourceVersion: '1'}\n";
    let stream = read(text).unwrap();
    assert_eq!(objects(text), ["ServiceList in document 1", "Service a", "Service b"]);
    let one = stream.scalars().iter().find(|scalar| scalar.text == "1").unwrap();
    assert_eq!(stream.object(one).to_string(), "Service a");
    assert_eq!(stream.key(one).pointer(), "/spec/x");
    let thing = stream.scalars().iter().find(|scalar| scalar.text == "thing").unwrap();
    assert_eq!(stream.object(thing).to_string(), "ServiceList in document 1");
    assert_eq!(stream.key(thing).pointer(), "/items/2/other");
}

#[test]
fn lists_within_lists_and_of_functions_hold_objects() {
    let text = "kind: ResourceList\nitems:\n- kind: List\n  items:\n  - kind: Pod\n    metadata: {name: p}\n";
    assert_eq!(objects(text), ["ResourceList in document 1", "List in document 1", "Pod p"]);
    let stream = read(text).unwrap();
    let p = stream.scalars().iter().find(|scalar| scalar.text == "p").unwrap();
    assert_eq!(stream.key(p).pointer(), "/metadata/name");
}

#[test]
fn items_of_what_is_no_list_are_a_part_of_it() {
    let text = "kind: Thing\nmetadata: {name: t}\nitems:\n- kind: Pod\n  metadata: {name: p}\n";
    assert_eq!(objects(text), ["Thing t"]);
    let stream = read(text).unwrap();
    let p = stream.scalars().iter().find(|scalar| scalar.text == "p").unwrap();
    assert_eq!(stream.key(p).pointer(), "/items/0/metadata/name");
}

#[test]
fn a_name_may_be_an_alias_and_null_is_none() {
    let text = "kind: Pod\nx: &n web\nmetadata: {name: *n, namespace: ~}\n";
    assert_eq!(objects(text), ["Pod web"]);
    // Names of pods inside a template are not the object's.
    let text = "kind: Job\nspec: {template: {metadata: {name: inner}}}\n";
    assert_eq!(objects(text), ["Job in document 1"]);
}

#[test]
fn a_value_in_a_list_is_known_by_the_name_of_its_item() {
    let text = "spec:\n  name: no-item\n  env:\n    - value: a\n      name: FIRST\n    - {name: SECOND, valueFrom: {key: b}}\n  args: [c]\n";
    let stream = read(text).unwrap();
    let named = |wanted: &str| {
        let scalar = stream.scalars().iter().find(|it| it.text == wanted).unwrap();
        stream.item_name(scalar)
    };
    assert_eq!(named("a"), Some("FIRST"));
    assert_eq!(named("b"), Some("SECOND"));
    assert_eq!([named("FIRST"), named("c"), named("no-item")], [None, None, None]);
}
