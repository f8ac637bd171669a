//! Assemblies as texts, and the one that CDK wrote for the fixtures.

#![allow(clippy::print_stdout, reason = "a test tells what it skipped")]

use std::collections::HashMap;

use serde_json::json;

use super::*;

fn read_from(files: &[(&str, Value)], folder: &str) -> Result<Vec<AssemblyStack>, String> {
    let files: HashMap<PathBuf, String> =
        files.iter().map(|(path, text)| (PathBuf::from(path), text.to_string())).collect();
    let mut read = |path: &Path| match files.get(path) {
        Some(text) => Ok(text.clone()),
        None => Err(wrong(path, "it is not there")),
    };
    stacks(Path::new(folder), &mut read).map_err(|failure| format!("{failure:?}"))
}

fn artifact(after: &[&str], environment: &str) -> Value {
    json!({"type": "aws:cloudformation:stack", "environment": environment,
           "properties": {"templateFile": "T.template.json"}, "dependencies": after})
}

fn names(stacks: &[AssemblyStack]) -> Vec<&str> {
    stacks.iter().map(|stack| stack.name.as_str()).collect()
}

#[test]
fn stacks_come_after_what_they_need_in_their_own_assembly_and_in_those_inside() {
    let unknown = "aws://unknown-account/unknown-region";
    let known = "aws://111122223333/eu-west-1";
    let outer = json!({"artifacts": {
        "App": artifact(&["Base", "App.assets"], unknown),
        "Base": artifact(&["assembly-Net"], unknown),
        "assembly-Net": {"type": "cdk:cloud-assembly", "properties": {"directoryName": "assembly-Net"}},
        "App.assets": {"type": "cdk:asset-manifest", "properties": {"file": "App.assets.json"}},
        "Tree": {"type": "cdk:tree", "properties": {"file": "tree.json"}},
    }});
    let mut named = artifact(&["NetZ"], known);
    named["properties"]["stackName"] = json!("Net-A");
    named["properties"]["parameters"] = json!({"P": "1", "Q": 2});
    named["properties"]["tags"] = json!({"team": "net"});
    named["displayName"] = json!("Net/A");
    let inner = json!({"artifacts": {"NetA": named, "NetZ": artifact(&[], known)}});
    let files = [("o/manifest.json", outer), ("o/assembly-Net/manifest.json", inner)];
    let all = read_from(&files, "o").unwrap();
    assert_eq!(names(&all), ["NetZ", "Net-A", "Base", "App"]);
    let net = &all[1];
    assert_eq!(net.template, Path::new("o/assembly-Net/T.template.json"));
    assert_eq!(net.account.as_deref(), Some("111122223333"));
    assert_eq!(net.region.as_deref(), Some("eu-west-1"));
    assert_eq!(net.parameters, [("P".to_owned(), "1".to_owned())]);
    assert_eq!(net.tags, [("team".to_owned(), "net".to_owned())]);
    assert!(["Net-A", "NetA", "Net/A"].iter().all(|name| net.is_called(name)));
    assert_eq!((all[2].account.as_ref(), all[2].region.as_ref()), (None, None));
    // What is asked for by name brings what it needs, across assemblies too.
    let some = |wanted: &str| chosen(all.clone(), &[wanted.to_owned()]).map(|it| it.len());
    assert_eq!(some("Base").unwrap(), 3);
    assert_eq!(some("NetZ").unwrap(), 1);
    assert!(format!("{:?}", some("Other").unwrap_err()).contains("NetZ, Net-A, Base, App"));
}

#[test]
fn what_is_no_assembly_is_told_with_its_file() {
    let circle = json!({"artifacts": {"A": artifact(&["B"], ""), "B": artifact(&["A"], "")}});
    let inside = json!({"artifacts": {
        "assembly-X": {"type": "cdk:cloud-assembly", "properties": {"directoryName": "."}}}});
    let nameless = json!({"artifacts": {"A": {"type": "aws:cloudformation:stack"}}});
    for (text, why) in [
        (json!([]), "manifest.json"),
        (circle, "depends on itself"),
        (inside, "nested too deeply"),
        (nameless, "templateFile"),
    ] {
        let files = [("o/manifest.json", text.clone()), ("o/./manifest.json", text)];
        let told = read_from(&files, "o").unwrap_err();
        assert!(told.contains(why), "{told}");
    }
    assert!(read_from(&[], "o").unwrap_err().contains("o/manifest.json"));
}

#[test]
fn an_assembly_that_cdk_wrote_is_read_whole() {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/fixtures/cdk8s/aws/cdk.out");
    if !folder.is_dir() {
        println!("skipped: 1 assembly of CDK, for the fixtures are not here");
        return;
    }
    let mut read = |path: &Path| {
        std::fs::read_to_string(path).map_err(|error| wrong(path, &error.to_string()))
    };
    let all = stacks(&folder, &mut read).unwrap();
    assert_eq!(names(&all), ["Storage", "Prod-App", "Compute"]);
    assert_eq!(all[1].region.as_deref(), Some("eu-west-1"));
    assert_eq!(all[2].after, [0]);
    let template: Value = serde_json::from_str(&read(&all[1].template).unwrap()).unwrap();
    let env = asset::Env { account: "111122223333", region: "eu-west-1" };
    let nested = asset::nested(&template, env);
    assert_eq!(nested.len(), 1);
    assert_eq!(nested[0].object.bucket, "cdk-hnb659fds-assets-111122223333-eu-west-1");
}
