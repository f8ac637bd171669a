//! The three ways to values end with the same bytes.

use super::app::App;

const APP: [&str; 2] = ["node", "app.js"];

#[test]
fn values_put_in_afterwards_at_once_and_by_hand_are_the_same_bytes() {
    let Some(app) = App::own("values_put_in_afterwards_at_once_and_by_hand_are_the_same_bytes")
    else {
        return;
    };
    let aws = ["--aws", app.rig.url()];
    app.synthesize(&[], &APP);
    app.deploy("cdk.out");
    let deferred = app.files("dist");
    assert!(deferred.contains_key("cloud-references.json"), "{:?}", deferred.keys());
    app.resolved("dist", "by-hand");
    assert_eq!(app.files("dist"), deferred, "--out changes nothing");

    app.synthesize(&[&["--resolve", "--out", "aside"], &aws[..]].concat(), &APP);
    assert_eq!(app.files("dist"), deferred, "--out changes nothing");

    let said = app.synthesize(&[&["--resolve", "--lock", "values.lock"], &aws[..]].concat(), &APP);
    let afterwards = app.files("dist");
    assert!(said.stderr.contains("dist/names.k8s.yaml"), "{}", said.stderr);
    std::fs::remove_dir_all(app.path("dist")).unwrap();

    app.synthesize(&[&["--eager"], &aws[..]].concat(), &APP);
    let at_once = app.files("dist");
    assert_eq!(afterwards, at_once, "the whole folder");

    // The list of constructs, which the app asked for, is no manifest.
    let mut manifests = at_once;
    assert!(manifests.remove("construct-metadata.json").is_some());
    assert_eq!(manifests.len(), 3);
    assert_eq!(manifests, app.files("by-hand"));
    assert_eq!(manifests, app.files("aside"), "what needs no value is there, too");

    // The lock that was written has all of it, so that nobody need be asked.
    app.rig.forget_calls();
    app.synthesize(&["--resolve", "--offline", "--lock", "values.lock"], &APP);
    assert_eq!(app.files("dist"), afterwards);
    assert!(app.rig.calls().is_empty(), "{:?}", app.rig.calls());
}
