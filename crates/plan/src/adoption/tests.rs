//! What a template for what exists says, and that nothing is said against it.

use std::sync::Arc;

use hangar_ids::TypeName;
use hangar_schema::Catalog;
use hangar_schema::sample::{Sampler, Size};
use serde_json::{Value, json};

use super::*;

fn existing(type_name: &str, alias: &str, live: Value) -> Existing {
    let schema = Arc::new(Catalog::bundled().get(type_name).unwrap());
    let identifier = hangar_schema::identifier_of(&schema, &live).map(|it| it.to_string());
    Existing {
        type_name: TypeName::parse(type_name).unwrap(),
        schema,
        identifier: identifier.unwrap_or_default(),
        alias: alias.to_owned(),
        live,
        applied: None,
        hidden: Vec::new(),
    }
}

fn written_template(
    found: &[Existing],
    references: References,
    head: &str,
    apart: &str,
) -> Template {
    template(found, references, &Frame { head: &|_| head.to_owned(), apart, place: None })
}

fn net() -> Vec<Existing> {
    let (vpc, subnet) = ("vpc-0123456789abcdef0", "subnet-0123456789abcdef0");
    vec![
        existing(
            "AWS::EC2::Subnet",
            "web-a",
            json!({"SubnetId": subnet, "VpcId": vpc, "CidrBlock": "10.0.1.0/24",
                "AvailabilityZone": "us-east-1a"}),
        ),
        existing("AWS::EC2::VPC", "net", json!({"VpcId": vpc, "CidrBlock": "10.0.0.0/16"})),
        existing(
            "AWS::S3::Bucket",
            "logs",
            json!({"BucketName": "acme-logs", "Arn": "arn:aws:s3:::acme-logs"}),
        ),
        existing(
            "AWS::S3::BucketPolicy",
            "acme-logs",
            json!({"Bucket": "acme-logs", "PolicyDocument": {"Version": "2012-10-17", "Statement": [
                {"Effect": "Allow", "Principal": "*", "Action": "s3:GetObject",
                 "Resource": ["arn:aws:s3:::acme-logs", "arn:aws:s3:::acme-logs/*"]}]}}),
        ),
    ]
}

#[test]
fn a_template_reads_what_is_elsewhere_and_states_the_rest() {
    let written = written_template(&net(), References::Written, "From account 1.", "");
    insta::assert_snapshot!(written.text, @r"
    // From account 1.
    extension aws

    resource net 'AWS.EC2/VPC@default' = {
      alias: 'net'
      properties: {
        CidrBlock: '10.0.0.0/16'
      }
    }

    resource webA 'AWS.EC2/Subnet@default' = {
      alias: 'web-a'
      properties: {
        AvailabilityZone: 'us-east-1a'
        CidrBlock: '10.0.1.0/24'
        VpcId: net.properties.VpcId
      }
    }

    resource logs 'AWS.S3/Bucket@default' = {
      alias: 'logs'
      properties: {
        BucketName: 'acme-logs'
      }
    }

    resource acmeLogs 'AWS.S3/BucketPolicy@default' = {
      alias: 'acme-logs'
      properties: {
        Bucket: logs.properties.BucketName
        PolicyDocument: {
          Statement: [
            {
              Action: 's3:GetObject'
              Effect: 'Allow'
              Principal: '*'
              Resource: [
                logs.properties.Arn
                '${logs.properties.Arn}/*'
              ]
            }
          ]
          Version: '2012-10-17'
        }
      }
    }
    ");
    assert_eq!((written.resources, written.types, written.references), (4, 4, 4));
    assert_eq!(silence::problems(&written.text, &net()), []);
}

#[test]
fn without_references_every_value_stands_for_itself() {
    let written = written_template(&net(), References::Never, "", "");
    assert!(written.text.contains("VpcId: 'vpc-0123456789abcdef0'"), "{}", written.text);
    assert_eq!(written.references, 0);
    assert_eq!(silence::problems(&written.text, &net()), []);
}

#[test]
fn two_that_name_each_other_do_not_wait_for_each_other() {
    let (one, other) = ("sg-0123456789abcdef0", "sg-0123456789abcdef1");
    let group = |alias: &str, id: &str, source: &str| {
        existing(
            "AWS::EC2::SecurityGroup",
            alias,
            json!({"Id": id, "GroupId": id, "GroupName": alias, "GroupDescription": "d",
                "SecurityGroupIngress": [{"IpProtocol": "tcp", "FromPort": 1, "ToPort": 2,
                    "SourceSecurityGroupId": source}]}),
        )
    };
    let found = [
        group("a", one, other),
        group("b", other, one),
        group("c", "sg-0123456789abcdef2", "sg-0123456789abcdef2"),
    ];
    let written = written_template(&found, References::Written, "", "");
    assert_eq!(written.references, 1, "{}", written.text);
    assert_eq!(silence::problems(&written.text, &found), []);
}

#[test]
fn a_required_value_that_aws_never_returns_is_a_parameter() {
    let function = existing(
        "AWS::Lambda::Function",
        "web-fn",
        json!({"FunctionName": "web", "Role": "arn:aws:iam::123456789012:role/r",
            "Arn": "arn:aws:lambda:us-east-1:123456789012:function:web"}),
    );
    let written = written_template(std::slice::from_ref(&function), References::Written, "", "");
    insta::assert_snapshot!(written.text, @r"
    #disable-diagnostics aws-hardcoded-arn
    extension aws

    // Code of AWS.Lambda/Function `web-fn`: required, but AWS never returns it. Without a value, the deployed value stays; a value that you pass is sent to AWS.
    @secure()
    param webFnCode object?

    #disable-next-line BCP035
    resource webFn 'AWS.Lambda/Function@default' = {
      alias: 'web-fn'
      properties: {
        Code: webFnCode
        FunctionName: 'web'
        Role: 'arn:aws:iam::123456789012:role/r'
      }
    }
    ");
    assert_eq!(silence::problems(&written.text, &[function]), []);
}

#[test]
fn a_value_that_the_schema_would_not_take_is_silenced_and_stays() {
    let vpc = existing("AWS::EC2::VPC", "net", json!({"VpcId": "vpc-1", "InstanceTenancy": 5}));
    let subscription = existing(
        "AWS::SNS::Subscription",
        "s",
        json!({"Arn": "arn:aws:sns:us-east-1:123456789012:t:1", "Protocol": "carrier-pigeon'",
            "TopicArn": 17}),
    );
    let found = [vpc, subscription];
    let written = written_template(&found, References::Written, "", "one\nresource x");
    assert_eq!(silence::problems(&written.text, &found), [], "{}", written.text);
    assert!(written.silenced > 0);
}

#[test]
fn the_samples_of_every_type_lint_clean() {
    let catalog = Catalog::bundled();
    let mut found = Vec::new();
    for name in catalog.names() {
        let schema = Arc::new(catalog.get(name).unwrap());
        if schema.handlers().read.is_none() || schema.handlers().list.is_none() {
            continue;
        }
        let mut sampler = Sampler::new(&schema);
        let desired = sampler.desired(5, Size::Medium);
        let live = sampler.live(&desired, 5);
        let type_name = TypeName::parse(name).unwrap();
        let alias = format!("a{}", found.len());
        let identifier = String::new();
        let (applied, hidden) = (None, Vec::new());
        found.push(Existing { type_name, schema, identifier, alias, live, applied, hidden });
    }
    let written = written_template(&found, References::Written, "", "");
    println!(
        "{} resources, {} references, {} parameters, {} silenced, {} bytes",
        written.resources,
        written.references,
        written.parameters,
        written.silenced,
        written.text.len()
    );
    assert!(written.resources > 1_000);
    assert!(written.silenced < 200, "{}", written.silenced);
    let told = silence::problems(&written.text, &found);
    assert_eq!(told.len(), 0, "{:#?}", &told[..told.len().min(5)]);
    assert_eq!(written.differs, []);
}

#[test]
fn a_hidden_secret_is_a_secure_parameter_that_needs_a_value() {
    let live = json!({"FunctionName": "f", "Role": "arn:aws:iam::123456789012:role/r",
        "Arn": "arn:aws:lambda:us-east-1:123456789012:function:f"});
    let mut function = existing("AWS::Lambda::Function", "api", live);
    function.hidden = ["/Code/ZipFile", "/Environment/Variables/API_KEY"].map(str::to_owned).into();
    let head = |secrets: &[String]| format!("needs {}", secrets.join(" "));
    let place = Some(("123456789012", "eu-west-1"));
    let frame = Frame { head: &head, apart: "", place };
    let written = template(&[function], References::Written, &frame);
    assert_eq!(written.secrets.len(), 1);
    let name = &written.secrets[0];
    let text = &written.text;
    assert!(text.starts_with(&format!("// needs {name}\n")), "{text}");
    let extension = "extension aws with { account: '123456789012', region: 'eu-west-1' }\n";
    assert!(text.contains(extension), "{text}");
    assert!(text.contains(&format!("@secure()\nparam {name} string\n")), "{text}");
    assert!(text.contains(&format!("API_KEY: {name}\n")), "{text}");
    assert_eq!(text.matches("Code of ").count(), 1, "{text}");
}
