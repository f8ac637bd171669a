//! What a state does to ids: keys, tainted and deposed objects, what is sensitive.

use serde_json::json;

use super::*;

const AWS: &str = "hashicorp/aws";
const TOPIC: &str = "/planes/aws/aws/accounts/1/regions/r/providers/AWS.sns/topic/";

fn topic(name: &str) -> Value {
    json!({"arn": format!("arn:aws:sns:r:1:{name}")})
}

#[test]
fn case_26_any_key_is_part_of_the_address() {
    let keys = ["a.b", "a/b", "a\"b", "a]b", "${x}"];
    let instances: Vec<Value> = keys
        .iter()
        .enumerate()
        .map(|(at, key)| json!({"index_key": key, "attributes": topic(&at.to_string())}))
        .collect();
    let mut resource = resource_of(AWS, "aws_sns_topic", &json!(instances));
    resource["module"] = r#"module.a["x.y"].module.b[2]"#.into();
    let report = reported(&[resource]);
    assert!(report.warnings.is_empty(), "{:?}", report.warnings);
    assert_eq!(report.resources.len(), keys.len());
    for (instance, key) in report.instances.iter().zip(keys) {
        let address = hangar_ids::TerraformAddress::parse(&instance.address).unwrap();
        assert_eq!(address.key(), Some(&hangar_ids::InstanceKey::Text(key.to_owned())));
        assert_eq!(address.module().calls().len(), 2);
    }
}

#[test]
fn case_27_tainted_objects_count_and_deposed_ones_are_told_aside() {
    let instances = json!([
        {"attributes": topic("new"), "status": "tainted"},
        {"attributes": topic("old"), "deposed": "1a2b3c4d"},
        {"attributes": topic("older"), "deposed": "5e6f7a8b", "status": "tainted"}]);
    let report = reported(&[resource_of(AWS, "aws_sns_topic", &instances)]);
    assert_eq!(report.resources, [format!("{TOPIC}new")]);
    assert!(report.instances[0].tainted);
    assert!(reason(&report.instances[1]).starts_with("deposed object"));
    assert_eq!(report.instances[2].deposed.as_deref(), Some("5e6f7a8b"));
    assert_eq!(report.warnings.iter().filter(|warning| warning.code == "TF0106").count(), 2);
}

#[test]
fn case_27_a_state_of_an_apply_that_failed_halfway_gives_what_it_holds() {
    let half = resource_of(AWS, "aws_vpc", &json!([]));
    let report = reported(&[
        half,
        resource(AWS, "aws_sns_topic", &topic("t")),
        resource_of(AWS, "aws_y", &json!([{"schema_version": 0}])),
    ]);
    assert_eq!(report.resources, [format!("{TOPIC}t")]);
}

#[test]
fn case_28_what_is_sensitive_is_in_no_id_no_reason_and_no_link() {
    let mark = |path: &[&str]| {
        let step = |name: &&str| match name.parse::<u64>() {
            Ok(index) => json!({"type": "index", "value": {"value": index, "type": "number"}}),
            Err(_) => json!({"type": "get_attr", "value": name}),
        };
        json!([path.iter().map(step).collect::<Vec<_>>()])
    };
    let azure_id = "/subscriptions/s/providers/A.B/secret-cs/hush";
    for (provider, type_name, attributes, path) in [
        (
            AWS,
            "aws_sns_topic",
            json!({"arn": "arn:aws:sns:r:1:hush", "id": "arn:aws:sns:r:1:hush"}),
            &["arn"][..],
        ),
        ("hashicorp/azurerm", "azurerm_x", json!({"id": azure_id}), &["id"]),
        (
            "hashicorp/kubernetes",
            "kubernetes_secret",
            json!({"metadata": [{"name": "hush", "namespace": "s"}]}),
            &["metadata", "0", "name"],
        ),
        (
            "hashicorp/kubernetes",
            "kubernetes_secret",
            json!({"metadata": [{"name": "n", "namespace": "hush"}]}),
            &["metadata"],
        ),
        (
            "hashicorp/kubernetes",
            "kubernetes_manifest",
            json!({"manifest": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "hush"}}}),
            &["manifest", "metadata"],
        ),
    ] {
        let instances = json!([{"attributes": attributes, "sensitive_attributes": mark(path)}]);
        let report = reported(&[resource_of(provider, type_name, &instances)]);
        assert_eq!(
            report.warnings.iter().map(|it| it.code).collect::<Vec<_>>(),
            ["TF0103"],
            "{type_name}"
        );
        let told = serde_json::to_string(&report).unwrap();
        assert!(report.resources.is_empty() && !told.contains("hush"), "{told}");
    }
    let masked = json!({"format_version": "1.0", "values": {"root_module": {"resources": [{
        "address": "aws_sns_topic.x", "mode": "managed", "type": "aws_sns_topic", "name": "x",
        "provider_name": "registry.terraform.io/hashicorp/aws", "values": topic("hush"), "sensitive_values": {"arn": true}}]}}}).to_string();
    let report = report(&read(masked.as_bytes()).unwrap(), &Ask::default());
    assert_eq!((report.resources.len(), report.warnings[0].code), (0, "TF0103"));
}

#[test]
fn ids_that_the_author_declared_come_first_and_count_once() {
    let declared = [
        "/planes/x/y/z/1".to_owned(),
        format!("{}T", TOPIC.to_uppercase()),
        "/planes/x/y/z/1".to_owned(),
    ];
    let ask = Ask { declared: &declared, ..Ask::default() };
    let state =
        state_of(&[resource(AWS, "aws_a", &topic("t")), resource(AWS, "aws_b", &topic("u"))]);
    let report = report(&read(state.as_bytes()).unwrap(), &ask);
    assert_eq!(report.resources, [declared[0].clone(), declared[1].clone(), format!("{TOPIC}u")]);
    assert_eq!(report.instances[0].duplicate_of, None);
}

#[test]
fn the_report_is_told_in_the_words_of_the_interface() {
    let vpc = resource(
        "provider[\"registry.terraform.io/hashicorp/aws\"].west",
        "aws_vpc",
        &json!({"id": "vpc-1", "arn": "arn:aws:ec2:us-east-1:1:vpc/vpc-1"}),
    );
    let told = serde_json::to_value(reported(&[vpc])).unwrap();
    assert_eq!(
        told,
        json!({
            "resources": ["/planes/aws/aws/accounts/1/regions/us-east-1/providers/AWS.ec2/vpc/vpc-1"],
            "instances": [{
                "address": "aws_vpc.x",
                "provider": "registry.terraform.io/hashicorp/aws",
                "providerAlias": "west",
                "type": "aws_vpc",
                "id": "/planes/aws/aws/accounts/1/regions/us-east-1/providers/AWS.ec2/vpc/vpc-1",
                "arn": "arn:aws:ec2:us-east-1:1:vpc/vpc-1",
                "cloudControl": {
                    "typeName": "AWS.EC2/VPC",
                    "identifier": "vpc-1",
                    "confidence": "high",
                    "id": "/planes/aws/aws/accounts/1/regions/us-east-1/providers/AWS.EC2/VPC/vpc-1",
                },
            }],
            "warnings": [],
        })
    );
}
