//! `hangar diff` as a user runs it.

use serde_json::{Value, json};

use crate::{error, files, json_of, run, shown};

fn diff(type_name: &str, live: &Value, desired: &Value, applied: Option<&Value>) -> Value {
    let mut documents = vec![("live", live), ("desired", desired)];
    documents.extend(applied.map(|document| ("applied", document)));
    let folder = files(&documents);
    let mut arguments = vec![
        "diff".to_owned(),
        "--type".to_owned(),
        type_name.to_owned(),
        "-o".to_owned(),
        "json".to_owned(),
    ];
    for (name, _) in &documents {
        arguments.push(format!("--{name}"));
        arguments.push(folder.path().join(format!("{name}.json")).display().to_string());
    }
    json_of(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn an_unchanged_resource_is_a_noop_in_the_documented_shape() {
    let live = json!({"VpcId": "vpc-1", "CidrBlock": "10.0.0.0/16"});
    let answer = diff("AWS.EC2/VPC", &live, &json!({"CidrBlock": "10.0.0.0/16"}), None);
    assert_eq!(answer["outcome"], "noop");
    assert_eq!(answer["patch"], json!([]));
    assert_eq!(answer["reasons"], json!([]));
    assert_eq!(answer["explain"][0]["path"], "/VpcId");
    assert_eq!(answer["explain"][0]["operation"], Value::Null);
}

#[test]
fn a_create_only_change_gives_reasons_and_no_patch() {
    let live = json!({"VpcId": "vpc-1", "CidrBlock": "10.0.0.0/16"});
    let answer = diff("aws::ec2::vpc", &live, &json!({"CidrBlock": "10.1.0.0/16"}), Some(&live));
    assert_eq!(answer["outcome"], "replace-required");
    assert_eq!(answer["patch"], json!([]));
    assert_eq!(answer["reasons"][0]["path"], "/CidrBlock");
    assert!(answer["reasons"][0]["reason"].is_string());
}

#[test]
fn numbers_pass_through_unchanged() {
    let folder = files(&[("live", &json!({}))]);
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("desired.json"), r#"{"NumShards": 123456789012345678901234567890}"#)
        .unwrap();
    let output = run(&[
        "diff",
        "--type",
        "AWS.MemoryDB/Cluster",
        "--live",
        &path("live.json"),
        "--desired",
        &path("desired.json"),
        "-o",
        "json",
    ]);
    assert!(String::from_utf8(output.stdout).unwrap().contains("123456789012345678901234567890"));
}

#[test]
fn a_secret_is_in_the_patch_but_not_on_the_terminal() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/listener");
    let file = |name: &str| format!("{root}/{name}.json");
    let arguments = |output: &'static str| {
        ["diff", "--type", "AWS.ElasticLoadBalancingV2/Listener", "--live"]
            .map(str::to_owned)
            .into_iter()
            .chain([
                file("live"),
                "--desired".into(),
                file("desired"),
                "--applied".into(),
                file("applied"),
                "-o".into(),
                output.into(),
            ])
            .collect::<Vec<String>>()
    };
    let text = |output: &'static str| {
        let arguments = arguments(output);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        String::from_utf8(run(&arguments).stdout).unwrap()
    };
    assert!(text("json").contains("not-a-real-secret"));
    assert!(!text("table").contains("not-a-real-secret"));
}

#[test]
fn exit_code_2_says_that_there_is_something_to_do() {
    let folder = files(&[("a", &json!({"NumShards": 1})), ("b", &json!({"NumShards": 2}))]);
    let path = |name: &str| folder.path().join(name).display().to_string();
    let code = |desired: &str| {
        run(&[
            "diff",
            "--type",
            "AWS.MemoryDB/Cluster",
            "--live",
            &path("a.json"),
            "--desired",
            &path(desired),
            "--exit-code",
        ])
        .status
        .code()
    };
    assert_eq!(code("a.json"), Some(0));
    assert_eq!(code("b.json"), Some(2));
}

#[test]
fn a_schema_file_may_take_the_place_of_a_type() {
    let schema = json!({"typeName": "My::Own::Type", "properties": {"A": {"type": "string"}}, "createOnlyProperties": ["/properties/A"]});
    let folder = files(&[
        ("schema", &schema),
        ("live", &json!({"A": "1"})),
        ("desired", &json!({"A": "2"})),
    ]);
    let path = |name: &str| folder.path().join(name).display().to_string();
    let answer = json_of(&[
        "diff",
        "--schema",
        &path("schema.json"),
        "--live",
        &path("live.json"),
        "--desired",
        &path("desired.json"),
        "-o",
        "json",
    ]);
    assert_eq!(answer["outcome"], "replace-required");
}

#[test]
fn what_is_wrong_with_a_document_is_shown_where_it_stands() {
    let folder = files(&[("live", &json!({"VpcId": "vpc-1"}))]);
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("desired.json"), "{\n  \"VpcId\": \"vpc-2\"\n}\n").unwrap();
    std::fs::write(path("twice.json"), r#"{"A": 1, "A": 2}"#).unwrap();
    std::fs::write(path("list.json"), "[]").unwrap();
    let with = |desired: &str, type_name: &str| {
        error(&[
            "diff",
            "--type",
            type_name,
            "--live",
            &path("live.json"),
            "--desired",
            &path(desired),
            "-o",
            "json",
        ])
    };
    let read_only = with("desired.json", "AWS.EC2/VPC");
    assert_eq!(
        (&read_only["code"], &read_only["pointer"]),
        (&json!("PATCH0003"), &json!("/VpcId"))
    );
    assert_eq!((&read_only["line"], &read_only["column"]), (&json!(2), &json!(3)));
    assert_eq!(with("twice.json", "AWS.EC2/VPC")["code"], "JSON0002");
    assert_eq!(with("list.json", "AWS.EC2/VPC")["code"], "CLI0010");
    assert_eq!(with("none.json", "AWS.EC2/VPC")["code"], "CLI0002");
    let unknown = with("desired.json", "AWS.EC2/VCP");
    assert_eq!(unknown["code"], "SCHEMA0001");
    assert!(unknown["hint"].as_str().unwrap().contains("AWS.EC2/VPC"));
    assert_eq!(with("desired.json", "AMZN.SDC/Deployment")["code"], "SCHEMA0002");
}

#[test]
fn neither_type_nor_schema_is_a_usage_error() {
    assert!(shown(&["diff", "--live", "a", "--desired", "b"]).starts_with("exit: 1"));
}

#[test]
fn what_aws_may_refuse_is_a_warning_and_lives_own_spelling_is_not_blamed_on_the_user() {
    let folder = files(&[
        ("live", &json!({"NumShards": "1"})),
        ("same", &json!({"NumShards": 1})),
        ("odd", &json!({"NumShards": 1, "NumShrads": 2})),
    ]);
    let path = |name: &str| folder.path().join(name).display().to_string();
    let warnings = |desired: &str| {
        let output = run(&[
            "diff",
            "--type",
            "AWS.MemoryDB/Cluster",
            "--live",
            &path("live.json"),
            "--desired",
            &path(desired),
            "-o",
            "json",
        ]);
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stderr).unwrap()
    };
    assert_eq!(warnings("same.json"), "");
    assert!(warnings("odd.json").contains("/NumShrads"));
}
