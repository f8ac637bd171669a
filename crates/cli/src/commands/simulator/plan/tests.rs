//! What is made of files, in folders of their own.

use std::fs;

use serde_json::json;

use super::*;

const ENV: Env<'static> = Env { account: "000000000000", region: "us-east-1" };

fn nested(key: &str) -> Value {
    json!({"Type": "AWS::CloudFormation::Stack",
           "Properties": {"TemplateURL": format!("https://s3.us-east-1.amazonaws.com/b/{key}")}})
}

fn template(resources: &Value) -> String {
    json!({"Resources": resources}).to_string()
}

fn wish(path: &Path) -> Wish {
    wishes(&[path.to_owned()], &[], &mut Inputs::default()).unwrap().remove(0)
}

#[test]
fn a_stack_is_named_after_its_file_unless_that_is_no_name() {
    for (file, name) in [
        ("a/storage.template.json", "storage"),
        ("Storage.yaml", "Storage"),
        ("a-b.yml", "a-b"),
        ("x.template", "x"),
    ] {
        assert_eq!(name_of(Path::new(file)).unwrap(), name);
    }
    for file in ["my_stack.json", "1.json", "-", ".json", "a b.yaml"] {
        assert!(name_of(Path::new(file)).is_err(), "{file}");
    }
}

#[test]
fn parameters_go_to_the_stacks_that_have_them() {
    let folder = tempfile::tempdir().unwrap();
    let mut paths = Vec::new();
    for (name, parameters) in [("a", json!({"P": {}, "Q": {}})), ("b", json!({"Q": {}}))] {
        let path = folder.path().join(format!("{name}.json"));
        fs::write(&path, json!({"Parameters": parameters, "Resources": {}}).to_string()).unwrap();
        paths.push(path);
    }
    let mut all = wishes(&paths, &[], &mut Inputs::default()).unwrap();
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    all[0].parameters = vec![pair("P", "of the assembly")];
    give(&mut all, &[pair("P", "1"), pair("Q", "a=b")]).unwrap();
    assert_eq!(all[0].parameters, [pair("P", "1"), pair("Q", "a=b")]);
    assert_eq!(all[1].parameters, [pair("Q", "a=b")]);
    let told = format!("{:?}", give(&mut all, &[pair("R", "")]).unwrap_err());
    assert!(told.contains("CLI0025") && told.contains("P, Q"), "{told}");
}

#[test]
fn the_templates_of_nested_stacks_are_found_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let mut named = nested("named.json");
    named["Metadata"] = json!({"aws:asset:path": "named.json"});
    write("top.json", &template(&json!({"N": named})));
    // A nested stack's own nested stack has a file by which nobody calls it: the only one left.
    write("named.json", &template(&json!({"M": nested("inner.json")})));
    write("Inner.nested.template.json", &template(&json!({})));
    let wish = wish(&folder.path().join("top.json"));
    let found = wish.assets(ENV, &mut Inputs::default());
    let keys: Vec<&str> = found.keys().map(|object| object.key.as_str()).collect();
    assert_eq!(keys, ["inner.json", "named.json"]);
    assert_eq!(found.values().next().unwrap(), &template(&json!({})));
    // Of two nobody can tell which is meant.
    write("Other.nested.template.json", &template(&json!({})));
    assert_eq!(wish.assets(ENV, &mut Inputs::default()).len(), 1);
}

#[test]
fn an_assembly_lists_where_its_templates_go() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, value: &Value| {
        fs::write(folder.path().join(name), value.to_string()).unwrap();
    };
    write(
        "manifest.json",
        &json!({"artifacts": {
            "S": {"type": "aws:cloudformation:stack", "environment": "aws://1/eu-west-1",
                  "properties": {"templateFile": "S.template.json"}, "dependencies": ["S.assets"]},
            "S.assets": {"type": "cdk:asset-manifest", "properties": {"file": "S.assets.json"}},
        }}),
    );
    let file = |path: &str| {
        json!({"source": {"path": path, "packaging": "file"}, "destinations": {
            "x": {"bucketName": "b-${AWS::AccountId}", "objectKey": path}}})
    };
    let files =
        json!({"1": file("S.template.json"), "2": file("data.json"), "3": file("gone.json")});
    write("S.assets.json", &json!({"files": files}));
    write("S.template.json", &json!({"Resources": {}}));
    write("data.json", &json!([1]));
    let wish = wish(folder.path());
    let told = (wish.name.as_str(), wish.account.as_deref(), wish.region.as_deref());
    assert_eq!(told, ("S", Some("1"), Some("eu-west-1")));
    let found = wish.assets(ENV, &mut Inputs::default());
    let objects: Vec<_> = found.keys().map(|it| (it.bucket.as_str(), it.key.as_str())).collect();
    assert_eq!(objects, [("b-000000000000", "S.template.json")]);
}

#[test]
fn a_folder_without_a_manifest_and_a_name_for_two_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let told = |paths: &[PathBuf], names: &[String]| {
        format!("{:?}", wishes(paths, names, &mut Inputs::default()).unwrap_err())
    };
    assert!(told(&[folder.path().to_owned()], &[]).contains("SIM0010"));
    let two = [PathBuf::from("a.json"), PathBuf::from("b.json")];
    assert!(told(&two, &["n".to_owned()]).contains("CLI0001"));
    assert!(told(&two, &[]).contains("CLI0002"));
}
