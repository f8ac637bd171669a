//! What templates come to: text in, text out.

use std::collections::BTreeMap;

use hangar_template::deployment::{
    Deployment, GroupFacts, Inputs, Known, MissingParameter, NothingKnown, Resource, Sight, Target,
};
use hangar_template::program::{Compiled, Started, compile};
use hangar_template::source::{Problem, Sources};
use hangar_template::value::{Data, Value};
use serde_json::{Value as Json, json};

pub(crate) const FILE: &str = "main.bicep";

/// What is told, one line each: severity, code, the text it is about, message, hints.
pub(crate) fn told(text: &str, problems: &[Problem]) -> Vec<String> {
    let lines = problems.iter().map(|problem| {
        let diagnostic = &problem.diagnostic;
        let at: Vec<&str> =
            diagnostic.labels.iter().map(|it| &text[it.span.start..it.span.end]).collect();
        let hints: Vec<String> = diagnostic.hints.iter().map(|it| format!(" ({it})")).collect();
        format!("{diagnostic} @ {}{}", at.join(" / "), hints.concat())
    });
    lines.collect()
}

/// Whether the lines are those that are expected; a hint counts where the expected line has one.
#[track_caller]
pub(crate) fn assert_told(found: &[String], told: &[impl AsRef<str>], text: &str) {
    let is_told = |(found, told): (&String, &str)| {
        found == told || found.strip_prefix(told).is_some_and(|hint| hint.starts_with(" ("))
    };
    let is_same =
        found.len() == told.len() && found.iter().zip(told.iter().map(AsRef::as_ref)).all(is_told);
    let told: Vec<&str> = told.iter().map(AsRef::as_ref).collect();
    assert!(is_same, "{text}\nfound {found:#?}\nexpected {told:#?}");
}

pub(crate) fn inputs(parameters: &Json) -> Inputs {
    let parameters = parameters.as_object().unwrap().clone();
    Inputs {
        parameters: parameters.into_iter().collect(),
        group: GroupFacts {
            id: "/planes/radius/local/resourceGroups/g".to_owned(),
            name: "g".to_owned(),
            ..GroupFacts::default()
        },
        name: "app".to_owned(),
        account: "123456789012".parse().ok(),
        region: "us-east-1".parse().ok(),
        now: Some(1_767_225_600_000_000),
        seed: Some(1),
        ..Inputs::default()
    }
}

pub(crate) fn compiled(text: &str) -> Compiled {
    compile(&Sources::of(FILE, text.as_bytes()), FILE)
}

pub(crate) fn started(text: &str, inputs: &Inputs) -> Started {
    let compiled = compiled(text);
    let Some(program) = compiled.program else {
        panic!("{:#?}", told(text, &compiled.problems));
    };
    program.start(inputs)
}

/// The deployment of a template that is right.
pub(crate) fn deployed(text: &str, parameters: &Json) -> Deployment {
    let started = started(text, &inputs(parameters));
    started.deployment.unwrap_or_else(|| panic!("{:#?}", told(text, &started.problems)))
}

/// What is wrong with a template, at compilation or at the start.
pub(crate) fn problems_with(text: &str, parameters: &Json) -> Vec<String> {
    let compiled = compiled(text);
    let mut lines = told(text, &compiled.problems);
    if let Some(program) = compiled.program {
        lines.extend(told(text, &program.start(&inputs(parameters)).problems));
    }
    lines
}

pub(crate) fn problems(text: &str) -> Vec<String> {
    problems_with(text, &json!({}))
}

/// A value for people: JSON, with `«…»` for what is not known and `*` before what is secret.
pub(crate) fn shown(value: &Value) -> String {
    let star = if value.secret { "*" } else { "" };
    let text = match &value.data {
        Data::Unknown(unknown) => match &unknown.because {
            hangar_template::value::Because::Parameter(name) => format!("«{name}»"),
            hangar_template::value::Because::Resource { address, pointer, .. } => {
                format!("«{address}{pointer}»")
            }
            hangar_template::value::Because::Moment => "«moment»".to_owned(),
        },
        Data::Array(items) => {
            format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(","))
        }
        Data::Object(members) => {
            let members: Vec<_> =
                members.iter().map(|(name, it)| format!("{name}:{}", shown(it))).collect();
            format!("{{{}}}", members.join(","))
        }
        _ => value.to_json().unwrap().to_string(),
    };
    format!("{star}{text}")
}

/// The outputs with nothing known, `name=value` each.
pub(crate) fn outputs(text: &str, parameters: &Json) -> Vec<String> {
    outputs_of(&deployed(text, parameters), &NothingKnown)
}

pub(crate) fn outputs_of(deployment: &Deployment, known: &dyn Known) -> Vec<String> {
    let outputs = deployment.outputs(known).unwrap();
    outputs.iter().map(|it| format!("{}={}", it.name, shown(&it.value))).collect()
}

/// The value of an expression: the output `o` of any type, with nothing known.
pub(crate) fn evaluated(expression: &str) -> String {
    let text = format!("var o = {expression}\nvar l = [o]\noutput l array = l\n");
    let outputs = outputs(&text, &json!({}));
    let value = outputs[0].strip_prefix("l=[").unwrap().strip_suffix(']').unwrap();
    value.to_owned()
}

/// Resources by address that are known.
#[derive(Default)]
pub(crate) struct World(pub(crate) BTreeMap<usize, Option<Resource>>);

impl Known for World {
    fn resource(&self, node: usize) -> Sight<'_> {
        match self.0.get(&node) {
            None => Sight::Unknown,
            Some(None) => Sight::Absent,
            Some(Some(resource)) => Sight::Known(resource),
        }
    }
}

impl World {
    pub(crate) fn with(mut self, node: usize, properties: Json, changing: bool) -> Self {
        let (id, name) = (format!("/id/{node}"), format!("name-{node}"));
        self.0.insert(node, Some(Resource { id, name, properties, changing, secrets: None }));
        self
    }
}

/// The nodes, one line each.
pub(crate) fn nodes(deployment: &Deployment) -> Vec<String> {
    let nodes = deployment.nodes();
    let lines = nodes.iter().map(|node| {
        let target = match &node.target {
            Target::Managed { alias } => alias.to_string(),
            Target::Existing { alias, or_null } => {
                let alias = alias.as_deref().unwrap_or("-");
                let or_null = if *or_null { "?" } else { "" };
                format!("existing{or_null} {alias}")
            }
        };
        let needs: Vec<&str> = node.depends_on.iter().map(|it| &*nodes[*it].address).collect();
        format!("{} {} {target} <- {}", node.address, node.type_text(), needs.join(" "))
            .trim_end()
            .to_owned()
    });
    lines.collect()
}

pub(crate) fn body(deployment: &Deployment, node: usize, known: &dyn Known) -> String {
    shown(&deployment.body(node, known).unwrap().properties)
}

#[test]
fn a_template_with_a_bit_of_everything_comes_to_nodes_bodies_and_outputs() {
    let text = "\
extension aws
param name string
var full = '${name}-x'
resource vpc 'AWS.EC2/VPC@default' = {
  alias: full
  properties: { CidrBlock: '10.0.0.0/16', Name: full }
}
resource subnet 'AWS.EC2/Subnet@default' = {
  alias: 'sub'
  properties: { VpcId: vpc.properties.VpcId, Label: 'of ${vpc.properties.Name}', Zone: null }
}
output id string = vpc.properties.VpcId
output label string = subnet.properties.Label
";
    let deployment = deployed(text, &json!({"name": "net"}));
    assert_eq!(
        nodes(&deployment),
        ["vpc AWS.EC2/VPC net-x <-", "subnet AWS.EC2/Subnet sub <- vpc"]
    );
    assert_eq!(body(&deployment, 0, &NothingKnown), r#"{CidrBlock:"10.0.0.0/16",Name:"net-x"}"#);
    assert_eq!(
        body(&deployment, 1, &NothingKnown),
        r#"{Label:"of net-x",VpcId:«vpc/properties/VpcId»}"#
    );
    assert_eq!(
        outputs_of(&deployment, &NothingKnown),
        ["id=«vpc/properties/VpcId»", r#"label="of net-x""#]
    );
    let world = World::default().with(0, json!({"VpcId": "vpc-1", "Name": "net-x"}), false);
    assert_eq!(body(&deployment, 1, &world), r#"{Label:"of net-x",VpcId:"vpc-1"}"#);
    assert_eq!(outputs_of(&deployment, &world)[0], r#"id="vpc-1""#);
}

#[test]
fn a_template_is_looked_at_without_its_parameters() {
    let text = "\
extension aws
param name string
param on bool
param list array
resource a 'AWS.S3/Bucket@default' = if (on) {
  alias: '${name}-a'
  properties: { BucketName: name }
}
resource b 'AWS.S3/Bucket@default' = [for (x, i) in list: {
  alias: '${x}-${i}'
  properties: { BucketName: x.name }
}]
resource c 'AWS.S3/Bucket@default' = {
  alias: 'c'
  properties: { Third: b[2].id, All: map(b, it => it.id), Count: length(b) }
}
";
    let look = Inputs { missing: MissingParameter::Unknown, ..Inputs::default() };
    let started = started(text, &look);
    let deployment = started.deployment.unwrap();
    assert_eq!(
        nodes(&deployment),
        ["a AWS.S3/Bucket <name> <-", "b[*] AWS.S3/Bucket <list> <-", "c AWS.S3/Bucket c <- b[*]"]
    );
    assert_eq!(body(&deployment, 1, &NothingKnown), "{BucketName:«list»}");
    assert_eq!(body(&deployment, 2, &NothingKnown), "{All:«list»,Count:«list»,Third:«b[*]/id»}");
}

#[test]
fn the_large_template_starts_and_its_bodies_are_known_as_far_as_they_can_be() {
    let deployment = deployed(include_str!("../syntax/evaluated.bicep"), &json!({"name": "n"}));
    assert_eq!(
        nodes(&deployment),
        [
            "vpc AWS.EC2/VPC n-vpc <-",
            "vpc::gateway AWS.EC2/InternetGateway n-vpc-gateway <- vpc",
            "subnets[0] AWS.EC2/Subnet n-a <- vpc vpc::gateway",
            "subnets[1] AWS.EC2/Subnet n-b <- vpc vpc::gateway",
            "subnets[2] AWS.EC2/Subnet n-c <- vpc vpc::gateway subnets[0] subnets[1]",
            "database AWS.RDS/DBInstance db <- subnets[0]",
            "logs AWS.S3/Bucket existing? - <-",
            "copy AWS.S3/Bucket copy <- vpc subnets[0] subnets[1] subnets[2] database logs",
        ]
    );
}

/// The addresses of the resources that can still be checked in a template with an error, with their bodies.
fn checked_beside(error: &str) -> Vec<String> {
    let text = format!(
        "extension aws\n{error}\nresource ok 'AWS.SQS/Queue@default' = {{\n  alias: 'ok'\n  \
         properties: {{ DelaySecond: 1 }}\n}}\n"
    );
    let compiled = compiled(&text);
    assert!(compiled.program.is_none(), "{text}");
    let inputs = Inputs { missing: MissingParameter::Unknown, ..Inputs::default() };
    let Some(partial) = compiled.partial else { return Vec::new() };
    let started = partial.start(&inputs);
    let deployment = started.deployment.or(started.partial).unwrap();
    let nodes = deployment.nodes().iter().enumerate();
    nodes
        .map(|(at, it)| format!("{} {}", it.address, body(&deployment, at, &NothingKnown)))
        .collect()
}

#[test]
fn an_error_leaves_all_other_resources_to_be_checked() {
    for error in [
        "param a int = 'x'",
        "var a = b\nvar b = a",
        "var a = {",
        "var a = [\n  1",
        "var a = {\n  b: [1}\n",
        "var a = {\n  b: 1)\n}",
        "var a = a",
        "module m 'missing.bicep' = {}\noutput o string = m.outputs.o",
        "type t = t",
        "func f() string => f()",
        "var a = 1 + 'x'",
        "output o int = 'x'",
    ] {
        assert_eq!(checked_beside(error), ["ok {DelaySecond:1}"], "{error}");
    }
}

#[test]
fn a_syntax_error_in_a_property_leaves_the_others_of_its_resource_to_be_checked() {
    for (body, expected) in [
        ("properties: { A: ( }", "q {A:«moment»}"),
        ("properties: {\n    A:\n    B: 1\n  }", "q {A:«moment»,B:1}"),
        ("properties: {\n    A: 1 + + 2\n    B: 1\n  }", "q {A:«moment»,B:1}"),
        ("properties: {\n    A 'x'\n    B: 1\n  }", "q {A:«moment»,B:1}"),
        ("properties: {\n    A: [ { C: 1 D: 2 } ]\n    B: 1\n  }", "q {A:«moment»,B:1}"),
        ("properties: {\n    A: 1\n    B: 1\n", "q {A:1,B:1}"),
    ] {
        let error = format!("resource q 'AWS.SQS/Queue@default' = {{\n  alias: 'q'\n  {body}\n}}");
        assert_eq!(checked_beside(&error), [expected, "ok {DelaySecond:1}"], "{error}");
    }
}

#[test]
fn an_error_in_a_property_leaves_the_others_of_its_resource_to_be_checked() {
    let circle = "\
resource a 'AWS.SQS/Queue@default' = {
  alias: 'a'
  properties: { One: 1, Two: b.id }
}
resource b 'AWS.SQS/Queue@default' = {
  alias: 'b'
  properties: { One: 1, Two: a.id }
}";
    let found = checked_beside(circle);
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found[0].starts_with("a {One:1,"), "{found:?}");
}
