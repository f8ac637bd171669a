//! `hangar terraform ids` as a user runs it.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::place::Place;
use crate::{error, hangar, json_of, run, shown_output};

const OWN: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../manifest/tests/fixtures/own-aws-moto/terraform.tfstate"
);
const SHOW: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../manifest/tests/fixtures/own-aws-moto/show.json");

/// What is shown for a state that comes on standard input.
fn piped(arguments: &[&str], state: impl AsRef<[u8]>) -> String {
    let mut command = hangar(arguments);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(state.as_ref()).unwrap();
    shown_output(child.wait_with_output().unwrap())
}

fn state(resources: &Value) -> String {
    json!({"version": 4, "serial": 1, "lineage": "l", "resources": resources}).to_string()
}

#[test]
fn raw_state_and_show_print_the_same_ids_and_links() {
    let account = ["--aws-account", "123456789012", "--aws-region", "eu-west-1", "-o", "json"];
    let of = |file: &str| json_of(&[&["terraform", "ids", file], &account[..]].concat());
    let raw = of(OWN);
    assert_eq!(raw, of(SHOW));
    assert_eq!(raw["resources"].as_array().unwrap().len(), 16);
    assert_eq!(raw["warnings"], json!([]));
    let instances = raw["instances"].as_array().unwrap();
    let find = |address: &str| instances.iter().find(|it| it["address"] == address).unwrap();
    assert_eq!(
        find("aws_vpc.v")["cloudControl"],
        json!({
            "typeName": "AWS.EC2/VPC",
            "identifier": "vpc-41f27e01e52a3e169",
            "confidence": "high",
            "id": "/planes/aws/aws/accounts/123456789012/regions/us-east-2/providers/AWS.EC2/VPC/vpc-41f27e01e52a3e169",
        })
    );
    let without = find("null_resource.n");
    assert_eq!(
        (&without["id"], &without["reason"]),
        (&Value::Null, &json!("provider outside aws/azurerm/kubernetes"))
    );
}

#[test]
fn people_see_ids_then_what_has_none_and_are_warned() {
    let provider = "provider[\"registry.terraform.io/hashicorp/aws\"]";
    let state = state(&json!([
        {"mode": "managed", "type": "aws_vpc", "name": "net", "provider": provider, "instances": [
            {"attributes": {"id": "vpc-1", "arn": "arn:aws:ec2:us-east-1:1:vpc/vpc-1"}, "status": "tainted"}]},
        {"mode": "managed", "type": "aws_s3_bucket", "name": "logs", "provider": provider, "instances": [
            {"attributes": {"id": "logs", "arn": "arn:aws:s3:::logs"}}]}]));
    insta::assert_snapshot!(piped(&["terraform", "ids", "-"], &state), @"
    exit: 0
    --- stdout
    ID                                                                        ADDRESS                CLOUD CONTROL
    /planes/aws/aws/accounts/1/regions/us-east-1/providers/AWS.ec2/vpc/vpc-1  aws_vpc.net (tainted)  AWS.EC2/VPC vpc-1

    NO ID               REASON
    aws_s3_bucket.logs  the ARN `arn:aws:s3:::logs` contains no account, and its account is unknown
    --- stderr
    warning[TF0104]: aws_s3_bucket.logs: the ARN `arn:aws:s3:::logs` contains no account, and its account is unknown
    hint: pass the account of the environment with `--aws-account`
    ");
    let all = piped(&["terraform", "ids", "-", "--aws-account", "1"], &state);
    assert!(all.contains("/planes/aws/aws/accounts/1/regions/global/providers/AWS.s3/bucket/logs"));
    assert!(!all.contains("warning"), "{all}");
}

#[test]
fn all_providers_adds_what_is_proposed() {
    let release = state(&json!([{"mode": "managed", "type": "helm_release", "name": "r",
        "provider": "provider[\"registry.terraform.io/hashicorp/helm\"]",
        "instances": [{"attributes": {"name": "r", "namespace": "s"}}]}]));
    let id = "/planes/kubernetes/local/namespaces/s/providers/helm.sh/Release/r";
    let some: String = piped(&["terraform", "ids", "-", "-o", "json"], &release);
    let all = piped(&["terraform", "ids", "-", "-o", "json", "--all-providers"], &release);
    assert!(
        some.contains(&format!("\"beyondId\": \"{id}\"")) && some.contains("\"resources\": []"),
        "{some}"
    );
    assert!(all.contains(&format!("\"resources\": [\n    \"{id}\"")), "{all}");
}

#[test]
fn what_is_not_a_state_says_what_it_is_and_shows_nothing_of_it() {
    let cut = "{\"version\": 4, \"outputs\": {\"password\": {\"value\": \"hush\"";
    insta::assert_snapshot!(piped(&["terraform", "ids", "-"], cut), @"
    exit: 1
    --- stdout
    --- stderr
    error[TF0003]: the state is not JSON: EOF while parsing an object
     --> <stdin>:1:55
      |
    1 | *******************************************************
      |                                                       ^ here
    hint: pass the complete, unchanged output of `terraform state pull` or `terraform show -json`
    ");
    for (text, code) in [
        (&b""[..], "TF0001"),
        (b"\x1f\x8b\x08", "TF0002"),
        (b"PK\x03\x04", "TF0005"),
        (br#"{"version": 3, "backend": {"type": "s3"}}"#, "TF0006"),
        (br#"{"encrypted_data": "x"}"#, "TF0007"),
        (br#"{"version": 2, "serial": 1}"#, "TF0008"),
    ] {
        let told = piped(&["terraform", "ids", "-"], text);
        assert!(
            told.starts_with("exit: 1\n--- stdout\n--- stderr\n") && told.contains(code),
            "{told}"
        );
        assert!(told.contains("hint: "), "{told}");
    }
}

#[test]
fn wrong_arguments_are_refused_before_anything_is_read() {
    let code = |arguments: &[&str]| {
        error(&[&["terraform", "ids", "/nowhere/x"], arguments, &["-o", "json"]].concat())["code"]
            .clone()
    };
    assert_eq!(code(&["--aws-account", "x"]), "ID0040");
    assert_eq!(code(&["--aws-region", "global"]), "ID0041");
    assert_eq!(code(&[]), "CLI0002");
    assert_eq!(run(&["terraform", "ids"]).status.code(), Some(1));
}

#[test]
fn a_link_leads_to_the_resource_in_the_aws_plane() {
    let place = Place::new();
    let put = [
        "resource",
        "put",
        "AWS.EC2/VPC",
        "--alias",
        "net",
        "--properties",
        "CidrBlock=10.0.0.0/16",
    ];
    let vpc = place.json(&put)["mapsTo"]["primaryIdentifier"].as_str().unwrap().to_owned();
    let arn = format!("arn:aws:ec2:us-east-1:000000000000:vpc/{vpc}");
    let state = state(&json!([{
        "mode": "managed", "type": "aws_vpc", "name": "n", "provider": "provider[\"registry.terraform.io/hashicorp/aws\"]",
        "instances": [{"attributes": {"id": vpc, "arn": arn}}],
    }]));
    std::fs::write(place.path().join("made.tfstate"), state).unwrap();
    let ids = place.json(&["terraform", "ids", "made.tfstate"]);
    let link = ids["instances"][0]["cloudControl"]["id"].as_str().unwrap();
    let shown = place.json(&["resource", "show", link]);
    assert_eq!(shown["properties"]["VpcId"], vpc.as_str());
    assert_eq!(shown["id"], link);
}
