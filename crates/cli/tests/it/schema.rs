//! `hangar schema` as a user runs it.

use serde_json::{Value, json};

use crate::{error, files, json_of, run, shown};

#[test]
fn a_list_can_be_narrowed_in_either_spelling() {
    for pattern in ["AWS.EC2/VPC", "aws::ec2::vpc", "*.EC2/VPC"] {
        let listed = json_of(&["schema", "list", pattern, "-o", "json"]);
        let vpc = listed.as_array().unwrap().iter().find(|entry| entry["type"] == "AWS.EC2/VPC");
        assert_eq!(
            vpc,
            Some(&json!({"type": "AWS.EC2/VPC", "cloudFormationType": "AWS::EC2::VPC",
                "identifier": "generated", "handlers": "CRUDL", "source": "aws"})),
            "{pattern}"
        );
    }
    assert_eq!(json_of(&["schema", "list", "no such type", "-o", "json"]), json!([]));
}

#[test]
fn the_statistics_add_up() {
    let stats = json_of(&["schema", "list", "--stats", "-o", "json"]);
    let count = |name: &str| stats[name].as_u64().unwrap();
    assert!(count("types") > 1_800);
    assert_eq!(count("fromAws") + count("fromCfnLint"), count("types"));
    let identified = count("identifierCallerChosen")
        + count("identifierOptional")
        + count("identifierGenerated");
    assert!(identified <= count("types") && count("identifierGenerated") > 1_300);
}

#[test]
fn show_says_who_chooses_the_identifier() {
    let choice = |name: &str| {
        json_of(&["schema", "show", name, "-o", "json"])["identifier"]["choice"].clone()
    };
    assert_eq!(choice("AWS.EC2/VPC"), "generated");
    assert_eq!(choice("AWS::S3::Bucket"), "optional");
    assert_eq!(choice("AWS.MemoryDB/Cluster"), "caller-chosen");
    let text = shown(&["schema", "show", "AWS.EC2/VPC"]);
    assert!(
        text.contains("generated") && text.contains("CidrBlock") && text.contains("create-only")
    );
}

#[test]
fn show_can_print_the_schema_itself() {
    let document = json_of(&["schema", "show", "AWS.EC2/VPC", "--document"]);
    assert_eq!(document["typeName"], "AWS::EC2::VPC");
}

fn check(type_name: &str, document: &Value) -> (Option<i32>, Value, Value) {
    let folder = files(&[("document", document)]);
    let path = folder.path().join("document.json").display().to_string();
    let output = run(&["schema", "check", type_name, &path, "-o", "json"]);
    let read = |bytes: &[u8]| serde_json::from_slice(bytes).unwrap_or(Value::Null);
    (output.status.code(), read(&output.stdout), read(&output.stderr))
}

#[test]
fn a_good_document_is_valid() {
    let (code, stdout, _) = check("AWS.EC2/VPC", &json!({"CidrBlock": "10.0.0.0/16"}));
    assert_eq!(code, Some(0));
    assert_eq!(stdout, json!({"type": "AWS.EC2/VPC", "valid": true, "warnings": 0}));
}

#[test]
fn each_mistake_has_its_pointer_and_a_near_name() {
    let (code, stdout, stderr) = check(
        "AWS.EC2/VPC",
        &json!({"CidrBlok": "10.0.0.0/16", "VpcId": "vpc-1", "EnableDnsSupport": "maybe"}),
    );
    assert_eq!((code, stdout), (Some(1), Value::Null));
    let details = stderr["error"]["details"].as_array().unwrap();
    let pointers: Vec<_> =
        details.iter().map(|detail| detail["pointer"].as_str().unwrap()).collect();
    assert_eq!(pointers, ["/CidrBlok", "/EnableDnsSupport", "/VpcId"]);
    assert!(details[0]["hint"].as_str().unwrap().contains("CidrBlock"));
}

#[test]
fn an_unknown_type_suggests_a_near_one() {
    let problem = error(&["schema", "show", "AWS.EC2/VCP", "-o", "json"]);
    assert!(problem["hint"].as_str().unwrap().contains("AWS.EC2/VPC"));
    assert_eq!(
        error(&["schema", "show", "nonsense", "-o", "json"])["code"].as_str().unwrap().get(..2),
        Some("ID")
    );
}

#[test]
fn show_prints_members_of_items_to_a_depth() {
    let text = shown(&["schema", "show", "AWS.EC2/SecurityGroup", "--depth", "1"]);
    let lines: Vec<&str> = text.lines().collect();
    let at = lines.iter().position(|line| line.starts_with("SecurityGroupIngress ")).unwrap();
    assert!(lines[at].contains("array of Ingress"), "{text}");
    assert!(lines[at + 1].starts_with("  CidrIp "), "{text}");
    assert!(text.contains("  IpProtocol*"), "{text}");
    let shallow = shown(&["schema", "show", "AWS.EC2/SecurityGroup", "--depth", "0"]);
    let (_, properties) = shallow.split_once("\nPROPERTY").unwrap();
    assert!(!properties.contains("IpProtocol"), "{shallow}");
    assert!(properties.contains("array of Ingress …"), "{shallow}");
    let shared = "override     /properties/SecurityGroupIngress: shared (";
    assert!(shallow.contains(shared), "{shallow}");
    // A definition that holds itself ends.
    let recursive = shown(&["schema", "show", "AWS.WAFv2/WebACL", "--depth", "9"]);
    assert!(recursive.contains("(see above)"));
}

#[test]
fn show_prints_one_property_with_all_its_values() {
    let text = shown(&["schema", "show", "AWS.DynamoDB/Table", "BillingMode"]);
    assert!(text.contains(r#""PAY_PER_REQUEST" | "PROVISIONED" (cfn-lint)"#), "{text}");
    let json = json_of(&[
        "schema",
        "show",
        "AWS.EC2/SecurityGroup",
        "/SecurityGroupIngress",
        "-o",
        "json",
    ]);
    assert_eq!(json["property"]["path"], "/SecurityGroupIngress");
    let properties = json["properties"].as_array().unwrap();
    let protocol =
        properties.iter().find(|it| it["path"] == "/SecurityGroupIngress/*/IpProtocol").unwrap();
    assert_eq!(
        (&protocol["types"], &protocol["rules"]),
        (&json!(["string"]), &json!(["required"]))
    );
    let problem =
        error(&["schema", "show", "AWS.EC2/SecurityGroup", "/SecurityGroupIngres", "-o", "json"]);
    assert_eq!(problem["hint"], "did you mean `/SecurityGroupIngress`?");
}

#[test]
fn show_prints_a_template_that_lint_accepts() {
    let output = run(&["schema", "show", "AWS.DynamoDB/Table", "--bicep"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("KeyType: 'HASH'") && text.contains("// BillingMode: 'PAY_PER_REQUEST'"),
        "{text}"
    );
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("main.bicep");
    std::fs::write(&file, &text).unwrap();
    let linted = run(&["lint", &file.display().to_string()]);
    assert!(linted.status.success(), "{}", String::from_utf8_lossy(&linted.stderr));
}
