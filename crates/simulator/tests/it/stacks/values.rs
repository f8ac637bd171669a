//! What values of a template come to: from SSM, from secrets, from other stacks, from models.

use hangar_simulator::core::place::Place;
use serde_json::{Value, json};

use super::{create, outputs, physical_id, status};
use crate::caller::Caller;

fn make(caller: &mut Caller, type_name: &str, desired: &Value) -> String {
    let body = json!({"TypeName": type_name, "DesiredState": desired.to_string()});
    caller.succeed("CreateResource", &body).unwrap()
}

fn parameter(value: &Value) -> Value {
    json!({"Type": "AWS::SSM::Parameter", "Properties": {"Type": "String", "Value": value}})
}

fn value_of(caller: &mut Caller, stack: &str, logical_id: &str) -> Value {
    let name = physical_id(caller, stack, logical_id);
    caller.read("AWS::SSM::Parameter", &name).unwrap()["Value"].clone()
}

#[test]
fn parameters_of_ssm_and_lists_are_resolved() {
    let mut caller = Caller::new();
    make(
        &mut caller,
        "AWS::SSM::Parameter",
        &json!({"Name": "/zones", "Type": "StringList", "Value": "a, b"}),
    );
    let template = |name: &str| {
        json!({
            "Parameters": {
                "Zones": {"Type": "AWS::SSM::Parameter::Value<List<String>>", "Default": name},
                "Names": {"Type": "CommaDelimitedList", "Default": "x,y"},
            },
            "Resources": {"P": parameter(&json!({"Fn::Join": ["+", {"Ref": "Zones"}]}))},
            "Outputs": {"Second": {"Value": {"Fn::Select": [1, {"Ref": "Names"}]}}},
        })
        .to_string()
    };
    create(&mut caller, "S", &template("/zones")).unwrap();
    assert_eq!(value_of(&mut caller, "S", "P"), "a+b");
    assert_eq!(outputs(&mut caller, "S")["Second"], "y");
    let (_, message) = create(&mut caller, "T", &template("/nowhere")).unwrap_err();
    assert!(message.contains("Unable to fetch parameters [/nowhere]"), "{message}");
}

#[test]
fn dynamic_references_are_taken_from_what_is_there() {
    let mut caller = Caller::new();
    make(
        &mut caller,
        "AWS::SSM::Parameter",
        &json!({"Name": "/a", "Type": "String", "Value": "one"}),
    );
    let secret = json!({"Name": "db", "SecretString": "{\"user\": \"me\", \"password\": \"p\"}"});
    let arn = make(&mut caller, "AWS::SecretsManager::Secret", &secret);
    let template = json!({"Resources": {
        "Plain": parameter(&json!("<{{resolve:ssm:/a}}|{{resolve:ssm:/a:3}}>")),
        "Key": parameter(&json!("{{resolve:secretsmanager:db:SecretString:user}}")),
        "Arn": parameter(&json!({"Fn::Join": ["", ["{{resolve:secretsmanager:", arn, ":SecretString:password::}}"]]})),
        "Whole": parameter(&json!("{{resolve:secretsmanager:db}}")),
        "MadeUp": parameter(&json!("{{resolve:secretsmanager:other:SecretString:x}}")),
    }});
    create(&mut caller, "S", &template.to_string()).unwrap();
    assert_eq!(status(&mut caller, "S").0, "CREATE_COMPLETE");
    assert_eq!(value_of(&mut caller, "S", "Plain"), "<one|one>");
    assert_eq!(value_of(&mut caller, "S", "Key"), "me");
    assert_eq!(value_of(&mut caller, "S", "Arn"), "p");
    assert_eq!(value_of(&mut caller, "S", "Whole"), secret["SecretString"]);
    assert_eq!(value_of(&mut caller, "S", "MadeUp").as_str().unwrap().len(), 32);
    let missing = json!({"Resources": {"P": parameter(&json!("{{resolve:ssm:/none}}"))}});
    create(&mut caller, "T", &missing.to_string()).unwrap();
    assert_eq!(status(&mut caller, "T").0, "ROLLBACK_COMPLETE");
}

#[test]
fn an_output_of_a_stack_elsewhere_is_found() {
    let mut caller = Caller::new();
    let maker = json!({
        "Resources": {"T": {"Type": "AWS::SNS::Topic"}},
        "Outputs": {"Out": {"Value": {"Fn::Sub": "${AWS::AccountId}/${AWS::Region}"}}},
    });
    let here = caller.place.clone();
    for (account, region) in [("123456789012", "us-east-1"), ("210987654321", "eu-west-1")] {
        caller.place = Place::of_caller(account, region);
        create(&mut caller, "Maker", &maker.to_string()).unwrap();
    }
    caller.place = here;
    let ask = |extra: Value| {
        let mut ask = json!({"StackName": "Maker", "OutputName": "Out"});
        ask.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        json!({"Fn::GetStackOutput": ask})
    };
    let role = "arn:aws:iam::210987654321:role/reader";
    let template = json!({"Resources": {
        "Region": parameter(&ask(json!({"Region": "us-east-1"}))),
        "Account": parameter(&ask(json!({"RoleArn": role}))),
    }});
    create(&mut caller, "User", &template.to_string()).unwrap();
    assert_eq!(value_of(&mut caller, "User", "Region"), "123456789012/us-east-1");
    assert_eq!(value_of(&mut caller, "User", "Account"), "210987654321/eu-west-1");
    let missing = json!({"Resources": {"P": parameter(&ask(json!({})))}});
    create(&mut caller, "T", &missing.to_string()).unwrap();
    assert_eq!(status(&mut caller, "T").0, "ROLLBACK_COMPLETE");
}

#[test]
fn a_stack_in_an_endless_row_of_stacks_stops() {
    let mut caller = Caller::new();
    let template = json!({"Resources": {"N": {"Type": "AWS::CloudFormation::Stack", "Properties": {
        "TemplateURL": "s3://b/self.json",
    }}}})
    .to_string();
    caller.world.put_asset("b", "self.json", Some(&template));
    create(&mut caller, "S", &template).unwrap();
    assert_eq!(status(&mut caller, "S").0, "ROLLBACK_COMPLETE");
    let xml = caller.stacks("DescribeStackEvents", &[("StackName", "S")]).unwrap();
    assert!(xml.contains("nested more than 8 levels deep"), "{xml}");
    assert_eq!(caller.world.state().regions[&caller.place].stacks.len(), 1);
}

#[test]
fn an_attribute_that_is_made_up_is_what_cloud_control_shows() {
    let mut caller = Caller::new();
    let catalog = hangar_schema::Catalog::bundled();
    let [mut asked, mut types] = [0, 0];
    for name in [
        "AWS::EC2::VPC",
        "AWS::RDS::DBCluster",
        "AWS::EC2::Instance",
        "AWS::SQS::Queue",
        "AWS::EKS::Cluster",
        "AWS::Lambda::Function",
    ] {
        let schema = catalog.get(name).unwrap();
        let desired = hangar_schema::sample::Sampler::new(&schema)
            .desired(0, hangar_schema::sample::Size::Medium);
        let attributes: Vec<String> = schema
            .lists()
            .read_only
            .iter()
            .filter_map(|pointer| pointer.member_names().map(|names| names.join(".")))
            .collect();
        let outputs = attributes.iter().enumerate().map(|(at, attribute)| {
            let value = json!({"Fn::ToJsonString": [{"Fn::GetAtt": ["It", attribute]}]});
            (format!("O{at:03}"), json!({"Value": value}))
        });
        let template = json!({
            "Resources": {"It": {"Type": name, "Properties": desired}},
            "Outputs": outputs.collect::<serde_json::Map<_, _>>(),
        });
        let stack = name.rsplit("::").next().unwrap();
        create(&mut caller, stack, &template.to_string()).unwrap();
        assert_eq!(status(&mut caller, stack).0, "CREATE_COMPLETE", "{name}");
        let told = super::outputs(&mut caller, stack);
        let region = &caller.world.state().regions[&caller.place];
        let identifier = region.resources[name].keys().next().unwrap().to_string();
        let read = caller.read(name, &identifier).unwrap();
        for (at, attribute) in attributes.iter().enumerate() {
            let text = told[format!("O{at:03}")].as_str().unwrap();
            let value: Value = serde_json::from_str(text).unwrap();
            let shown = attribute.split('.').try_fold(&read, |at, name| at.get(name));
            // An object is made of what is asked for in it.
            if let Some(shown) = shown.filter(|it| !it.is_object()) {
                assert_eq!(&value[0], shown, "{name} {attribute}");
                asked += 1;
            }
        }
        types += 1;
    }
    println!(
        "counted: attributes that Cloud Control shows as the stack used them: {asked} of {types} types"
    );
    assert!(asked > 30, "{asked}");
}
