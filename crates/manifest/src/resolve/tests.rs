//! What references come to, over answers that are written down here.

mod identify;

use serde_json::{Value, json};

use super::*;
use crate::reference::{Place, Reference};

struct Table(Vec<(&'static str, TypeFacts)>);

impl Types for Table {
    fn facts(&self, type_name: &str) -> Option<TypeFacts> {
        self.0.iter().find(|(name, _)| *name == type_name).map(|(_, facts)| facts.clone())
    }
}

fn facts(identifier: &[&str]) -> TypeFacts {
    TypeFacts {
        identifier: identifier.iter().map(|part| (*part).to_owned()).collect(),
        is_readable: true,
        is_listable: true,
        permissions: vec!["x:Read".to_owned()],
        ..TypeFacts::default()
    }
}

fn types() -> Table {
    let stage = TypeFacts {
        listed_under: vec!["RestApiId".to_owned()],
        ..facts(&["RestApiId", "StageName"])
    };
    let rule = TypeFacts {
        arn_template: Some("arn:${Partition}:events:${Region}:${Account}:rule/${Name}".to_owned()),
        ..facts(&["Arn"])
    };
    let unit = TypeFacts {
        listed_under: vec!["DomainIdentifier".to_owned()],
        ..facts(&["DomainId", "Id"])
    };
    let job = TypeFacts {
        arn_template: Some(
            "arn:${Partition}:batch:${Region}:${Account}:job-definition/${JobDefinitionName}"
                .to_owned(),
        ),
        ..facts(&["JobDefinitionName"])
    };
    Table(vec![
        ("AWS::DataZone::DomainUnit", unit),
        ("AWS::Wisdom::AIAgent", facts(&["AIAgentId", "AssistantId"])),
        ("AWS::Batch::JobDefinition", job),
        ("AWS::S3::Bucket", facts(&["BucketName"])),
        ("AWS::ApiGateway::Stage", stage),
        ("AWS::Events::Rule", rule),
        ("AWS::EC2::EIP", facts(&["PublicIp", "AllocationId"])),
        ("AWS::DAX::Cluster", TypeFacts { is_readable: false, ..facts(&["Id"]) }),
    ])
}

const ARN: &str = "arn:aws:cloudformation:eu-west-1:111122223333:stack/App/0a1b";

const STATE: &[u8] = br#"{"version": 4, "serial": 1, "lineage": "x", "resources": [{"mode": "managed", "type": "x_y", "name": "d",
    "provider": "provider[\"registry.terraform.io/x/x\"]", "instances": [{"attributes": {"password": "S3CRET"},
    "sensitive_attributes": [[{"type": "get_attr", "value": "password"}]]}]}], "outputs":
    {"open": {"value": "o", "type": "string"}, "closed": {"value": "S3CRET", "type": "string", "sensitive": true}}}"#;

/// Answers by what is asked; whatever is not written down is an error of the test.
struct World<'a> {
    status: &'static str,
    outputs: Vec<(&'static str, &'static str)>,
    resources: Vec<(&'static str, &'static str, &'static str)>,
    template: Value,
    models: Vec<(&'a str, Value)>,
    list: Vec<ListEntry>,
    asked: Vec<Need>,
}

impl Default for World<'_> {
    fn default() -> Self {
        Self {
            status: "CREATE_COMPLETE",
            outputs: Vec::new(),
            resources: Vec::new(),
            template: json!({}),
            models: Vec::new(),
            list: Vec::new(),
            asked: Vec::new(),
        }
    }
}

impl World<'_> {
    fn answer(&self, need: &Need) -> Result<Fact, Trouble> {
        Ok(match need {
            Need::Stack { stack, .. } if stack == "Gone" => Fact::Stack(None),
            Need::Stack { stack, .. } if stack == "Closed" => {
                return Err(Trouble::Denied { message: "AccessDenied: no".to_owned() });
            }
            Need::Stack { stack, .. } => {
                let output = |(key, value): &(&str, &str)| StackOutput {
                    key: (*key).to_owned(),
                    value: (*value).to_owned(),
                };
                let parameters = vec![
                    StackParameter { key: "Replicas".to_owned(), value: "2".to_owned() },
                    StackParameter { key: "Password".to_owned(), value: "****".to_owned() },
                ];
                Fact::Stack(Some(StackDescription {
                    id: if stack.starts_with("arn:") { stack.clone() } else { ARN.to_owned() },
                    name: "App".to_owned(),
                    status: self.status.to_owned(),
                    outputs: self.outputs.iter().map(output).collect(),
                    parameters,
                    ..StackDescription::default()
                }))
            }
            Need::Resources { .. } => Fact::Resources(
                self.resources
                    .iter()
                    .map(|(logical_id, type_name, physical_id)| StackResource {
                        logical_id: (*logical_id).to_owned(),
                        physical_id: Some((*physical_id).to_owned()),
                        type_name: (*type_name).to_owned(),
                        status: "CREATE_COMPLETE".to_owned(),
                    })
                    .collect(),
            ),
            Need::Template { .. } => Fact::Template(self.template.clone()),
            Need::Exports(_) => {
                Fact::Exports(vec![Export { name: "endpoint".to_owned(), value: "e".to_owned() }])
            }
            Need::Resource { identifier, .. } => {
                let model = self.models.iter().find(|(known, _)| known == identifier);
                Fact::Resource(model.map(|(_, model)| model.clone()))
            }
            Need::List { .. } => Fact::List(self.list.clone()),
            Need::Caller(_) => Fact::Caller(Caller {
                account: "999".to_owned(),
                region: Some("us-east-1".to_owned()),
                origin: Origin {
                    account: Some("of AWS_ACCESS_KEY_ID".to_owned()),
                    region: Some("of AWS_REGION".to_owned()),
                },
            }),
            Need::State(_) => Fact::State(STATE.to_vec()),
            Need::Ucp(_) => panic!("not asked in these tests: {need:?}"),
        })
    }

    fn resolve(&mut self, text: &str) -> Result<Value, Problem> {
        self.resolve_with(text, &Rules::default())
    }

    fn resolve_with(&mut self, text: &str, rules: &Rules) -> Result<Value, Problem> {
        let reference = Reference::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let (mut known, types) = (Known::default(), types());
        for _ in 0..20 {
            let states = States::of(&known);
            match Evaluator::new(&known, &states, &types, rules).evaluate(&reference).outcome {
                Ok(resolved) => return Ok(resolved.value),
                Err(Stop::Problem(problem)) => return Err(*problem),
                Err(Stop::Needs(needs)) => {
                    for need in known.open(needs) {
                        known.learn(need.clone(), self.answer(&need));
                        self.asked.push(need);
                    }
                }
            }
        }
        panic!("{text} never ends");
    }

    fn refused(&mut self, text: &str) -> (&'static str, String) {
        let problem = self.resolve(text).unwrap_err();
        (problem.code.as_str(), format!("{}\n{}", problem.message, problem.hints.join("\n")))
    }
}

fn bucket() -> World<'static> {
    World {
        resources: vec![
            ("Bucket1", "AWS::S3::Bucket", "app-bucket1-x"),
            ("Queue0A1B2C3D", "X::Y::Z", "q"),
        ],
        models: vec![("app-bucket1-x", json!({"BucketName": "app-bucket1-x", "Arn": "arn:b"}))],
        ..World::default()
    }
}

#[test]
fn an_output_costs_one_question_and_an_attribute_three() {
    let mut world = World { outputs: vec![("Name", "n")], ..bucket() };
    assert_eq!(world.resolve("${cfn:App/Name}").unwrap(), "n");
    assert_eq!(world.asked.len(), 1);
    world.asked.clear();
    assert_eq!(world.resolve("${cfn:App/Bucket1}").unwrap(), "app-bucket1-x");
    assert_eq!(world.asked.len(), 2);
    world.asked.clear();
    // One more where there are outputs, which may have the value.
    assert_eq!(world.resolve("${cfn:App/Bucket1#Arn}").unwrap(), "arn:b");
    assert_eq!(world.asked.len(), 4);
    let mut world = bucket();
    assert_eq!(world.resolve("${cfn:App/Bucket1#Arn}").unwrap(), "arn:b");
    assert_eq!(world.asked.len(), 3);
}

#[test]
fn a_declared_output_stands_for_a_read_unless_it_could_change_the_type() {
    let template = json!({"Outputs": {
        "BucketArn": {"Value": {"Fn::GetAtt": ["Bucket1", "Arn"]}},
        "BucketPort": {"Value": {"Fn::GetAtt": ["Bucket1", "Port"]}},
    }});
    let model = json!({"Arn": "arn:b", "Port": 5432});
    let mut world = World {
        outputs: vec![("BucketArn", "arn:of-the-output"), ("BucketPort", "5432")],
        template,
        models: vec![("app-bucket1-x", model)],
        ..bucket()
    };
    assert_eq!(world.resolve("${cfn:App/Bucket1#Arn}").unwrap(), "arn:of-the-output");
    assert!(!world.asked.iter().any(|need| matches!(need, Need::Resource { .. })));
    assert_eq!(world.resolve("${cfn:App/Bucket1#Port}").unwrap(), 5432);
}

#[test]
fn a_missing_stack_is_told_with_where_it_was_asked_for() {
    let said = |text: &str| bucket().refused(text).1;
    let all = "`Gone` does not exist in account 999 (of AWS_ACCESS_KEY_ID), region us-east-1 (of AWS_REGION)";
    assert!(said("${cfn:Gone/X}").contains(all), "{}", said("${cfn:Gone/X}"));
    let stated = said("${cfn:Gone/X?account=111122223333&region=eu-west-1}");
    assert!(
        stated.contains("`Gone` does not exist in account 111122223333, region eu-west-1\n"),
        "{stated}"
    );
}

#[test]
fn what_only_a_template_knows_is_refused_with_what_to_write() {
    let (code, told) = bucket().refused(&expression(&json!({"Ref": "AWS::StackName"})));
    assert_eq!(code, "REF0011");
    assert!(told.contains("no stack is named") && told.contains("stack.stackName"), "{told}");
    assert!(told.contains("${cfn:STACK/AWS::StackName}"), "{told}");
    let (code, told) = bucket().refused(&expression(&json!({"Fn::GetAZs": ""})));
    assert_eq!(code, "REF0011");
    assert!(told.contains("Fn::GetAZs") && told.contains("new CfnOutput("), "{told}");
}

#[test]
fn troubles_with_one_reason_share_it_whatever_was_asked() {
    let need = |stack: &str| Need::Stack { place: Place::default(), stack: stack.to_owned() };
    let reason = |stack: &str, trouble: Trouble| {
        let mut known = Known::default();
        known.learn(need(stack), Err(trouble));
        let (states, types, rules) = (States::of(&known), types(), Rules::default());
        let reference = Reference::parse(&format!("${{cfn:{stack}/X}}")).unwrap();
        let evaluation = Evaluator::new(&known, &states, &types, &rules).evaluate(&reference);
        let Err(Stop::Problem(problem)) = evaluation.outcome else { panic!("{evaluation:?}") };
        problem.reason.unwrap()
    };
    let throttled = || Trouble::Failed { message: "Throttling: slow".to_owned(), hint: None };
    let (a, b) = (reason("A", throttled()), reason("B", throttled()));
    assert_eq!((&a.key, &a.general), (&b.key, &b.general));
    assert_eq!(a.general, "cannot call AWS: Throttling: slow");
    assert_ne!(a.message, b.message);
    let denied = |action: &str, stack: &str| {
        let on = format!("on resource: arn:aws:cloudformation:eu-west-1:1:stack/{stack}/*");
        let message = format!("AccessDenied: x is not authorized to perform: {action} {on}");
        reason(stack, Trouble::Denied { message }).key
    };
    let describe = "cloudformation:DescribeStacks";
    assert_eq!(denied(describe, "A"), denied(describe, "B"));
    assert_ne!(denied(describe, "A"), denied("sts:AssumeRole", "B"));
}

#[test]
fn a_type_that_cannot_be_read_has_its_declared_outputs() {
    let declared =
        json!({"Outputs": {"Host": {"Value": {"Fn::GetAtt": ["Dax", "Endpoint.Address"]}}}});
    let mut world = World {
        outputs: vec![("Host", "h:1")],
        resources: vec![("Dax", "AWS::DAX::Cluster", "dax-1")],
        template: declared,
        ..World::default()
    };
    assert_eq!(world.resolve("${cfn:App/Dax#Endpoint.Address}").unwrap(), "h:1");
    let (code, told) = world.refused("${cfn:App/Dax#Arn}");
    assert_eq!(code, "REF0007");
    assert!(
        told.contains(r#"{"Outputs":{"DaxArn":{"Value":{"Fn::GetAtt":["Dax","Arn"]}}}}"#),
        "{told}"
    );
    assert!(told.contains("new CfnOutput(this, 'DaxArn'"), "{told}");
}

#[test]
fn what_is_missing_is_told_with_the_stack_and_what_to_do() {
    let (code, told) = bucket().refused("${cfn:Gone/X}");
    assert_eq!(code, "REF0002");
    assert!(
        told.contains("`Gone`") && told.contains("Are you sure you deployed the CDK stack?"),
        "{told}"
    );
    let (code, told) = bucket().refused("${cfn:App/Bucket}");
    assert_eq!(code, "REF0005");
    assert!(told.contains("did you mean `Bucket1`?"), "{told}");
    let (_, told) = bucket().refused("${cfn:App/Queue#Arn}");
    assert!(told.contains("did you mean `Queue0A1B2C3D`?"), "{told}");
    let (code, told) = bucket().refused("${cfn:App/Bucket1#Arm}");
    assert_eq!(code, "REF0006");
    assert!(
        told.contains("did you mean `Arn`?") && told.contains("Fn::GetAtt Bucket1.Arm"),
        "{told}"
    );
    let (code, told) = bucket().refused("${cfn:Closed/X}");
    assert_eq!(code, "REF0009");
    assert!(told.contains("cloudformation:DescribeStacks"), "{told}");
}

#[test]
fn a_stack_is_looked_for_where_its_assembly_says() {
    let home = Place { region: Some("eu-west-1".to_owned()), ..Place::default() };
    let homes = [("App".to_owned(), home.clone())].into();
    let mut world = bucket();
    let rules = Rules { homes, ..Rules::default() };
    assert!(world.resolve_with("${cfn:App/Bucket1}", &rules).is_ok());
    let stack = Need::Stack { place: home, stack: "App".to_owned() };
    assert_eq!(world.asked[0], stack);
    world.asked.clear();
    assert!(world.resolve_with("${cfn:App/Bucket1?region=us-east-1}", &rules).is_ok());
    assert_ne!(world.asked[0], stack);
}

#[test]
fn what_stands_for_nothing_does_not_stand_for_what_is_forbidden() {
    assert_eq!(bucket().resolve("${cfn:Gone/X?default=d}").unwrap(), "d");
    assert_eq!(bucket().resolve("${cfn:App/Nope?optional}").unwrap(), Value::Null);
    assert_eq!(bucket().refused("${cfn:Closed/X?default=d}").0, "REF0009");
}

#[test]
fn a_stack_that_is_not_deployed_is_refused() {
    for (status, code) in [
        ("UPDATE_IN_PROGRESS", "REF0003"),
        ("UPDATE_COMPLETE_CLEANUP_IN_PROGRESS", "REF0003"),
        ("ROLLBACK_COMPLETE", "REF0004"),
        ("UPDATE_ROLLBACK_COMPLETE", "REF0004"),
        ("DELETE_FAILED", "REF0004"),
    ] {
        assert_eq!(World { status, ..bucket() }.refused("${cfn:App/Bucket1}").0, code, "{status}");
    }
    let rules = Rules { rolled_back: RolledBack::Accepted, ..Rules::default() };
    let mut world = World { status: "UPDATE_ROLLBACK_COMPLETE", ..bucket() };
    assert!(world.resolve_with("${cfn:App/Bucket1}", &rules).is_ok());
    let mut world = World { status: "ROLLBACK_COMPLETE", ..bucket() };
    assert!(world.resolve_with("${cfn:App/Bucket1}", &rules).is_err());
}

#[test]
fn parameters_and_pseudo_parameters_have_their_values() {
    assert_eq!(bucket().resolve("${cfn:App/Replicas|int}").unwrap(), json!(2));
    assert_eq!(bucket().resolve("${cfn:App/AWS::Region}").unwrap(), "eu-west-1");
    assert_eq!(bucket().resolve("${cfn:App/AWS::AccountId}").unwrap(), "111122223333");
    assert_eq!(bucket().refused("${cfn:App/Password}").0, "REF0012");
}

#[test]
fn a_nested_stack_is_gone_down_to() {
    const CHILD: &str = "arn:aws:cloudformation:eu-west-1:111122223333:stack/App-Nested/0c";
    let mut world = bucket();
    world.resources.push(("Nested", "AWS::CloudFormation::Stack", CHILD));
    assert_eq!(world.resolve("${cfn:App/Nested/Bucket1#Arn}").unwrap(), "arn:b");
    let child = |need: &Need| matches!(need, Need::Stack { stack, .. } if stack == CHILD);
    assert!(world.asked.iter().any(child));
    assert!(world.refused("${cfn:App/Bucket1/X#Arn}").1.contains("not a nested stack"));
}

fn expression(tree: &Value) -> String {
    let encoded = crate::reference::base64(tree.to_string().as_bytes());
    format!("${{expr:{}}}", encoded.replace('+', "-").replace('/', "_"))
}

fn reference_tree() -> Value {
    json!({"$ref": {"stack": "App", "logicalId": "Bucket1", "attr": "Arn"}})
}

#[test]
fn a_tree_is_evaluated_and_its_questions_are_asked_at_one_time() {
    let tree = json!({"Fn::Join": ["-", ["a", reference_tree(), {"Ref": "AWS::Region"}, {"Fn::ImportValue": "endpoint"}]]});
    let mut world = bucket();
    assert_eq!(world.resolve(&expression(&tree)).unwrap(), "a-arn:b-eu-west-1-e");
    assert_eq!(world.asked.len(), 4, "{:?}", world.asked);
    let alone = json!({"Ref": "AWS::Region"});
    assert_eq!(bucket().resolve(&expression(&alone)).unwrap(), "us-east-1");
    let (code, told) = bucket().refused(&expression(&json!({"Fn::ImportValue": "some-export"})));
    assert_eq!(code, "REF0016");
    assert!(told.contains("Fn::ImportValue some-export"), "{told}");
    assert_eq!(bucket().refused(&expression(&json!({"Fn::GetAtt": ["A", "B"]}))).0, "REF0011");
}

#[test]
fn a_dynamic_reference_to_a_secret_is_refused() {
    let tree = json!({"Fn::Join": ["", ["{{resolve:secretsmanager:", reference_tree(), ":SecretString:::}}"]]});
    let (code, told) = bucket().refused(&expression(&tree));
    assert_eq!(code, "REF0012");
    assert!(told.contains("{{resolve:secretsmanager:arn:b"), "{told}");
    let mut world = World { models: vec![("/a/b", json!({"Value": "v"}))], ..bucket() };
    assert_eq!(world.resolve(&expression(&json!("x={{resolve:ssm:/a/b}}"))).unwrap(), "x=v");
}

#[test]
fn what_is_wrong_with_a_secret_is_not_told_with_it() {
    assert_eq!(bucket().resolve("${tf:s/output.open}").unwrap(), "o");
    assert_eq!(bucket().resolve("${tf:s/output.closed}").unwrap(), "S3CRET");
    let (code, told) = bucket().refused("${tf:s/output.closed|int}");
    assert_eq!(code, "REF0013");
    assert!(!told.contains("S3CRET"), "{told}");
    let secret = json!({"$tf": {"stack": "s", "expression": "${x_y.d.password}"}});
    for tree in [json!({"Fn::Select": [secret, ["a"]]}), json!({"Fn::ImportValue": secret})] {
        let (_, told) = bucket().refused(&expression(&tree));
        assert!(
            told.contains("the expression contains a secret") && !told.contains("S3CRET"),
            "{told}"
        );
    }
    let (code, told) = bucket().refused("${tf:s/output.closed.part}");
    assert_eq!(code, "REF0006");
    assert!(!told.contains("S3CRET"), "{told}");
}

#[test]
fn a_resource_that_carries_the_mark_of_another_stack_is_refused() {
    let tags = json!([{"Key": "aws:cloudformation:stack-id", "Value": "arn:another"}]);
    let mut world = World {
        models: vec![("app-bucket1-x", json!({"Arn": "arn:b", "Tags": tags}))],
        ..bucket()
    };
    assert_eq!(world.refused("${cfn:App/Bucket1#Arn}").0, "REF0008");
}

#[test]
fn the_policy_names_what_was_asked_and_no_more() {
    let mut known = Known::default();
    let place =
        Place { region: Some("eu-west-1".to_owned()), account: Some("1".to_owned()), role: None };
    let stack = Need::Stack { place: place.clone(), stack: "App".to_owned() };
    known.learn(stack, Ok(Fact::Stack(None)));
    let (type_name, identifier) = ("AWS::S3::Bucket".to_owned(), "b".to_owned());
    let read = Need::Resource { place, type_name, identifier };
    known.learn(read, Err(Trouble::Denied { message: String::new() }));
    assert_eq!(
        policy(&known, &types()),
        json!({"Version": "2012-10-17", "Statement": [
            {"Effect": "Allow", "Action": ["cloudformation:DescribeStacks"],
             "Resource": ["arn:aws:cloudformation:eu-west-1:1:stack/App/*"]},
            {"Effect": "Allow", "Action": ["cloudformation:GetResource", "x:Read"], "Resource": ["*"]},
        ]})
    );
}
