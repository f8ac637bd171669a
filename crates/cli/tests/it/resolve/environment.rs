//! Which AWS is asked when the environment and a data directory on the disk disagree, and values that were refused
//! although they are known.

use serde_json::{Value, json};

use super::rig::Rig;
use crate::fake_api::{self, FakeApi};

const MANIFEST: &str = "kind: ConfigMap\ndata:\n  topic: ${cfn:Shop/Name}\n";

/// A stack in the rig's simulator, and one of the same name in the simulator of `.hangar`.
fn two_shops() -> Rig {
    let rig = Rig::new();
    let shop = |name: &str| {
        json!({
            "Resources": {"Topic": {"Type": "AWS::SNS::Topic"}},
            "Outputs": {"Name": {"Value": name}},
        })
    };
    rig.deploy(&[("Shop", &shop("of-the-environment"))]);
    let template = rig.write("templates/Shop.json", shop("of-the-directory").to_string());
    let template = template.display().to_string();
    let output = rig.run(&["simulator", "deploy", &template, "--data-dir", ".hangar"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    rig.write("manifest.yaml", MANIFEST);
    rig
}

fn resolved(rig: &Rig, flags: &[&str], environment: &[(&str, &str)]) -> String {
    let mut command = rig.command(&[&["resolve", "-f", "manifest.yaml"], flags].concat());
    for name in ["AWS_ACCESS_KEY_ID", "AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"] {
        command.env_remove(name);
    }
    command.env("HOME", "/nonexistent").envs(environment.iter().copied());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_environment_wins_over_a_directory_that_was_only_found() {
    let rig = two_shops();
    let endpoint = [("AWS_ENDPOINT_URL", rig.url())];
    assert!(resolved(&rig, &[], &[]).contains("of-the-directory"));
    assert!(resolved(&rig, &[], &endpoint).contains("of-the-environment"));
    assert!(resolved(&rig, &["--data-dir", ".hangar"], &endpoint).contains("of-the-directory"));
    let named = [endpoint[0], ("HANGAR_DATA_DIR", ".hangar")];
    assert!(resolved(&rig, &[], &named).contains("of-the-directory"));
}

#[test]
fn credentials_of_the_environment_mean_aws_and_not_a_directory_that_was_only_found() {
    let rig = two_shops();
    let mut command = rig.command(&["resolve", "-f", "manifest.yaml"]);
    // Both services of "AWS" are the rig's simulator, so that nothing leaves this machine.
    command
        .env("AWS_ACCESS_KEY_ID", "000000000000")
        .env("AWS_SECRET_ACCESS_KEY", "secret")
        .env("AWS_REGION", "us-east-1")
        .env("AWS_ENDPOINT_URL_STS", rig.url())
        .env("AWS_ENDPOINT_URL_CLOUDFORMATION", rig.url());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8(output.stdout).unwrap().contains("of-the-environment"));
}

#[test]
fn the_aws_files_and_the_endpoint_of_a_service_come_before_a_directory_that_was_only_found() {
    let rig = two_shops();
    let keys = "aws_access_key_id = 000000000000\naws_secret_access_key = simulator\n";
    let plain = rig.write("plain", format!("[default]\n{keys}"));
    let named = rig.write("named", format!("[default]\nregion = us-east-1\n[work]\n{keys}"));
    let home = rig.write("home/.aws/credentials", format!("[default]\n{keys}"));
    let home = home.parent().and_then(|aws| aws.parent()).unwrap().to_str().unwrap();
    let (plain, named) = (plain.to_str().unwrap(), named.to_str().unwrap());
    // Both services of "AWS" are the rig's simulator, so that nothing leaves this machine.
    let services = [
        ("AWS_ENDPOINT_URL_STS", rig.url()),
        ("AWS_ENDPOINT_URL_CLOUDFORMATION", rig.url()),
        ("AWS_REGION", "us-east-1"),
        ("AWS_EC2_METADATA_DISABLED", "true"),
    ];
    for variables in [
        &[("AWS_SHARED_CREDENTIALS_FILE", plain)][..],
        &[("AWS_CONFIG_FILE", plain)],
        &[("AWS_SHARED_CREDENTIALS_FILE", named), ("AWS_PROFILE", "work")],
        &[("HOME", home)],
    ] {
        let environment = [&services[..], variables].concat();
        let found = resolved(&rig, &[], &environment);
        assert!(found.contains("of-the-environment"), "{variables:?}: {found}");
        let flag = resolved(&rig, &["--data-dir", ".hangar"], &environment);
        assert!(flag.contains("of-the-directory"), "{variables:?}: {flag}");
    }
    let mut alone = rig.command(&["resolve", "-f", "manifest.yaml"]);
    alone.env_remove("AWS_ACCESS_KEY_ID").env("HOME", "/nonexistent").envs(services);
    let output = alone.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("error[CLI0100]"), "{said}");
}

/// A session of somebody.
const SESSION: [(&str, &str); 4] = [
    ("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE"),
    ("AWS_SECRET_ACCESS_KEY", "secret"),
    ("AWS_SESSION_TOKEN", "the-token"),
    ("AWS_REGION", "eu-west-1"),
];

#[test]
fn an_endpoint_gets_the_callers_signature_and_session_token_also_without_sts() {
    let rig = Rig::new();
    rig.write("manifest.yaml", MANIFEST);
    // It knows no operation, STS's neither.
    let listener =
        FakeApi::start(|_, _| fake_api::json(400, json!({"__type": "UnknownOperation"})));
    let url = listener.url();
    let by_flag = ["resolve", "-f", "manifest.yaml", "--aws", &url];
    for (arguments, variable) in [(&by_flag[..], None), (&by_flag[..3], Some(&url))] {
        let mut command = rig.command(arguments);
        command.envs(SESSION).envs(variable.map(|url| ("AWS_ENDPOINT_URL", url)));
        assert_eq!(command.output().unwrap().status.code(), Some(1));
    }
    let received = listener.received();
    assert!(received.len() >= 4, "{received:?}");
    for request in received {
        let signature = request.header("authorization").unwrap();
        assert!(signature.contains("Credential=AKIAEXAMPLE/"), "{signature}");
        assert_eq!(request.header("x-amz-security-token"), Some("the-token"));
    }
}

#[test]
fn a_service_is_asked_at_its_own_endpoint_of_the_environment() {
    let rig = two_shops();
    // Nothing listens at the first one.
    let endpoints = [
        ("AWS_ENDPOINT_URL", "http://127.0.0.1:9"),
        ("AWS_ENDPOINT_URL_CLOUDFORMATION", rig.url()),
    ];
    assert!(resolved(&rig, &[], &endpoints).contains("of-the-environment"));
}

#[test]
fn an_empty_endpoint_of_the_environment_is_none() {
    let rig = two_shops();
    let empty = [("AWS_ENDPOINT_URL", ""), ("AWS_ENDPOINT_URL_CLOUDFORMATION", "")];
    assert!(resolved(&rig, &[], &empty).contains("of-the-directory"));
}

#[test]
fn the_arn_of_a_rule_is_read_however_its_bus_is_stated() {
    let rig = Rig::new();
    let rule = |bus: Value| {
        let properties = json!({
            "Name": "placed",
            "EventBusName": bus,
            "EventPattern": {"source": ["shop"]},
        });
        json!({"Type": "AWS::Events::Rule", "Properties": properties})
    };
    let bus = |name: &str| json!({"Type": "AWS::Events::EventBus", "Properties": {"Name": name}});
    let template = json!({
        "Resources": {
            "Orders": bus("orders"),
            "Returns": bus("returns"),
            "ByName": rule(json!({"Ref": "Orders"})),
            "ByArn": rule(json!({"Fn::GetAtt": ["Returns", "Arn"]})),
            "Default": rule(json!("default")),
        },
        // What CloudFormation itself gives.
        "Outputs": {
            "ByNameRef": {"Value": {"Ref": "ByName"}},
            "ByArnRef": {"Value": {"Ref": "ByArn"}},
            "DefaultRef": {"Value": {"Ref": "Default"}},
        },
    });
    rig.deploy(&[("Events", &template)]);
    for (rule, name) in
        [("ByName", "orders/placed"), ("ByArn", "returns/placed"), ("Default", "placed")]
    {
        let arn = rig.value(&format!("${{cfn:Events/{rule}#Arn}}"));
        assert_eq!(arn, format!("arn:aws:events:us-east-1:000000000000:rule/{name}"));
        let output = rig.value(&format!("${{cfn:Events/{rule}Ref}}"));
        assert_eq!(rig.value(&format!("${{cfn:Events/{rule}#Ref}}")), output);
    }
}

#[test]
fn an_expression_that_is_base64_as_a_whole_may_stand_in_data_of_a_secret() {
    let rig = Rig::new();
    let outputs = json!({"Name": {"Value": "hello"}});
    let resources = json!({"Topic": {"Type": "AWS::SNS::Topic"}});
    rig.deploy(&[("S", &json!({"Resources": resources, "Outputs": outputs}))]);
    let output = json!({"$output": {"stack": "S", "key": "Name"}});
    let encoded = super::assembly::expression(&json!({"Fn::Base64": output}));
    let secret = |value: &str| format!("kind: Secret\ndata:\n  a: {value}\n");
    assert!(rig.resolved(&secret(&encoded), &[]).contains("a: aGVsbG8="));
    let plain = super::assembly::expression(&json!({"Fn::Join": ["", [output, "!"]]}));
    assert!(rig.refused(&secret(&plain), &[]).contains("where values must be base64"));
    assert!(
        rig.refused(&secret(&format!("x{encoded}")), &[]).contains("where values must be base64")
    );
    // The hint names what an app can write, also for Terraform.
    assert!(rig.refused(&secret(&plain), &[]).contains("`Fn.base64(value)` of the AWS CDK"));
    rig.write("db.tfstate", DATABASE);
    let state = ["--state", "db=db.tfstate"];
    let of_state = |expression: &str| {
        let leaf = json!({"$tf": {"stack": "db", "expression": expression}});
        let written = super::assembly::expression(&leaf);
        secret(&written.replace('}', "|text}"))
    };
    let encoded = of_state("${base64encode(terraform_data.d.id)}");
    assert!(rig.resolved(&encoded, &state).contains("a: aGVsbG8="));
    for plain in [
        "${terraform_data.d.id}",
        "${base64encode(terraform_data.d.id)}-${upper(terraform_data.d.id)}",
    ] {
        let said = rig.refused(&of_state(plain), &state);
        assert!(said.contains("where values must be base64"), "{plain}: {said}");
    }
}

const DATABASE: &str = r#"{"version": 4, "serial": 1, "lineage": "x", "outputs": {}, "resources": [{"mode": "managed",
    "type": "terraform_data", "name": "d", "provider": "provider[\"terraform.io/builtin/terraform\"]",
    "instances": [{"schema_version": 0, "attributes": {"id": "hello"}}]}]}"#;
