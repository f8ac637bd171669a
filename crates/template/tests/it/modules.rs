//! Modules: nodes of other files in one deployment.

use std::fmt::Write as _;

use hangar_template::deployment::{Inputs, MissingParameter, NothingKnown};
use serde_json::json;

use crate::language::{World, body, nodes, outputs_of};
use crate::project::Project;

const NETWORK: &str = "\
extension aws
param name string
param cidr string = '10.0.0.0/16'
resource vpc 'AWS.EC2/VPC@default' = {
  alias: '${name}-vpc'
  properties: { CidrBlock: cidr }
}
resource logs 'AWS.S3/Bucket@default' = {
  alias: '${name}-logs'
  properties: { BucketName: '${name}-logs' }
}
output vpcId string = vpc.properties.VpcId
output cidr string = cidr
";

#[test]
fn the_nodes_of_a_module_stand_under_its_name_and_only_what_an_output_needs_is_waited_for() {
    let main = "\
extension aws
module net './net.bicep' = {
  params: { name: 'a' }
}
resource subnet 'AWS.EC2/Subnet@default' = {
  alias: 'subnet'
  properties: { VpcId: net.outputs.vpcId, Block: net.outputs.cidr }
}
resource free 'AWS.S3/Bucket@default' = {
  alias: 'free'
  properties: { Name: net.name, Cidr: net.outputs.cidr }
}
output id string = net.outputs.vpcId
";
    let project = Project::of(&[("main.bicep", main), ("net.bicep", NETWORK)]);
    let deployment = project.deployed(&json!({}));
    assert_eq!(
        nodes(&deployment),
        [
            "subnet AWS.EC2/Subnet subnet <- net/vpc",
            "free AWS.S3/Bucket free <-",
            "net/vpc AWS.EC2/VPC a-vpc <-",
            "net/logs AWS.S3/Bucket a-logs <-",
        ]
    );
    assert_eq!(
        body(&deployment, 0, &NothingKnown),
        r#"{Block:"10.0.0.0/16",VpcId:«net/vpc/properties/VpcId»}"#
    );
    let world = World::default().with(2, json!({"VpcId": "vpc-1"}), false);
    assert_eq!(body(&deployment, 0, &world), r#"{Block:"10.0.0.0/16",VpcId:"vpc-1"}"#);
    assert_eq!(outputs_of(&deployment, &world), [r#"id="vpc-1""#]);
    assert_eq!(&*deployment.nodes()[2].place.file, "net.bicep");
}

#[test]
fn a_module_is_given_what_is_known_only_later_and_its_nodes_wait_for_just_that() {
    let main = "\
extension aws
resource a 'AWS.S3/Bucket@default' = { alias: 'a' }
resource b 'AWS.S3/Bucket@default' = { alias: 'b' }
module m 'm.bicep' = { params: { one: a.properties.Arn, two: b.properties.Arn } }
module n 'm.bicep' = { params: { one: m.outputs.x, two: 'x', prefix: 'n' } }
";
    let inner = "\
extension aws
param one string
param two string
param prefix string = 'm'
var both = '${one}-${two}'
resource x 'AWS.S3/Bucket@default' = { alias: '${prefix}-x', properties: { A: one } }
resource y 'AWS.S3/Bucket@default' = { alias: '${prefix}-y', properties: { B: both } }
output x string = x.properties.Arn
";
    let deployment = Project::of(&[("main.bicep", main), ("m.bicep", inner)]).deployed(&json!({}));
    assert_eq!(
        nodes(&deployment),
        [
            "a AWS.S3/Bucket a <-",
            "b AWS.S3/Bucket b <-",
            "m/x AWS.S3/Bucket m-x <- a",
            "m/y AWS.S3/Bucket m-y <- a b",
            "n/x AWS.S3/Bucket n-x <- m/x",
            "n/y AWS.S3/Bucket n-y <- m/x",
        ]
    );
    let world = World::default().with(0, json!({"Arn": "arn:a"}), false);
    assert_eq!(body(&deployment, 2, &world), r#"{A:"arn:a"}"#);
    assert_eq!(body(&deployment, 3, &world), "{B:«b/properties/Arn»}");
    let world = world.with(1, json!({"Arn": "arn:b"}), false);
    assert_eq!(body(&deployment, 3, &world), r#"{B:"arn:a-arn:b"}"#);
}

#[test]
fn loops_and_conditions_make_modules_and_those_left_out_are_not_looked_at() {
    let main = "\
extension aws
param on bool = false
module nets './net.bicep' = [for (name, i) in ['a', 'b']: {
  name: 'net-${i}'
  params: { name: name, cidr: '10.${i}.0.0/16' }
}]
module off './net.bicep' = if (on) {
  params: { name: fail('never evaluated') }
}
resource all 'AWS.S3/Bucket@default' = {
  alias: 'all'
  properties: { First: nets[0].outputs.vpcId, Names: map(nets, it => it.name), Off: off.?outputs.vpcId ?? 'none' }
  dependsOn: [nets[1]]
}
";
    let project = Project::of(&[("main.bicep", main), ("net.bicep", NETWORK)]);
    let deployment = project.deployed(&json!({}));
    assert_eq!(
        nodes(&deployment),
        [
            "all AWS.S3/Bucket all <- nets[0]/vpc nets[0]/logs nets[1]/vpc nets[1]/logs",
            "nets[0]/vpc AWS.EC2/VPC a-vpc <-",
            "nets[0]/logs AWS.S3/Bucket a-logs <-",
            "nets[1]/vpc AWS.EC2/VPC b-vpc <-",
            "nets[1]/logs AWS.S3/Bucket b-logs <-",
        ]
    );
    assert_eq!(
        body(&deployment, 0, &NothingKnown),
        r#"{First:«nets[0]/vpc/properties/VpcId»,Names:["net-0","net-1"],Off:"none"}"#
    );
    assert_eq!(
        project.problems_with(&json!({"on": true})),
        ["main.bicep: error[TMPL0006]: never evaluated @ fail('never evaluated')"]
    );
}

#[test]
fn everything_of_a_module_waits_for_what_the_module_depends_on() {
    let main = "\
extension aws
resource first 'AWS.S3/Bucket@default' = { alias: 'first' }
@batchSize(1)
module nets './net.bicep' = [for name in ['a', 'b']: {
  params: { name: name }
  dependsOn: [first]
}]
";
    let project = Project::of(&[("main.bicep", main), ("net.bicep", NETWORK)]);
    assert_eq!(
        nodes(&project.deployed(&json!({}))),
        [
            "first AWS.S3/Bucket first <-",
            "nets[0]/vpc AWS.EC2/VPC a-vpc <- first",
            "nets[0]/logs AWS.S3/Bucket a-logs <- first",
            "nets[1]/vpc AWS.EC2/VPC b-vpc <- first nets[0]/vpc nets[0]/logs",
            "nets[1]/logs AWS.S3/Bucket b-logs <- first nets[0]/vpc nets[0]/logs",
        ]
    );
}

#[test]
fn modules_stand_in_modules_and_paths_are_those_of_their_files() {
    let main = "\
module a 'sub/a.bicep' = { params: { x: 'one' } }
output o string = a.outputs.o
output u string = uniqueString('a', deployment().name)\n";
    let a = "\
param x string
module b '../b.bicep' = { name: 'inner', params: { y: '${x}-two' } }
output o string = '${b.outputs.o} ${deployment().name} ${loadTextContent('t.txt')}'
";
    let b = "param y string\noutput o string = '${y} ${deployment().name}'\n";
    let project = Project::of(&[
        ("main.bicep", main),
        ("sub/a.bicep", a),
        ("b.bicep", b),
        ("sub/t.txt", "text"),
    ]);
    let deployment = project.deployed(&json!({}));
    // The name of a module that states none is made as Bicep makes it.
    let outputs = outputs_of(&deployment, &NothingKnown);
    let unique = outputs[1].strip_prefix("u=\"").unwrap().strip_suffix('"').unwrap();
    assert_eq!(outputs[0], format!("o=\"one-two inner a-{unique} text\""));
}

#[test]
fn secrets_stay_secrets_through_modules() {
    let main = "\
extension aws
@secure()
param password string
module m 'm.bicep' = { params: { given: password, plain: 'x' } }
resource r 'AWS.S3/Bucket@default' = {
  alias: 'r'
  properties: { A: m.outputs.secret, B: m.outputs.plain, C: m.outputs.made }
}
";
    let inner = "\
param given string
param plain string
@secure()
param own string = 'made'
@secure()
output secret string = '${given}!'
output plain string = plain
@secure()
output made string = own
";
    let project = Project::of(&[("main.bicep", main), ("m.bicep", inner)]);
    let deployment = project.deployed(&json!({"password": "hunter2"}));
    assert_eq!(body(&deployment, 0, &NothingKnown), r#"{A:*"hunter2!",B:"x",C:*"made"}"#);
    let leaking = inner.replace("@secure()\noutput secret", "output secret");
    let project = Project::of(&[("main.bicep", main), ("m.bicep", &leaking)]);
    assert_eq!(
        project.problems_with(&json!({"password": "hunter2"})),
        [
            "m.bicep: warning[outputs-should-not-contain-secrets]: the output `secret` contains a secret @ secret \
          (write `@secure()` before it; Hangar shows its value as `«secret»` in both cases)"
        ]
    );
}

#[test]
fn one_alias_in_two_files_is_told_with_both_places() {
    let main = "\
extension aws
resource logs 'AWS.S3/Bucket@default' = { alias: 'a-logs' }
module net './net.bicep' = { params: { name: 'a' } }
module again './net.bicep' = { params: { name: 'b' } }
module twice './net.bicep' = { params: { name: 'b' } }
";
    let project = Project::of(&[("main.bicep", main), ("net.bicep", NETWORK)]);
    assert_eq!(
        project.problems(),
        [
            "net.bicep: error[TMPL0014]: `again/vpc` and `twice/vpc` have the same type and \
             the same alias `b-vpc` @ '${name}-vpc' (use a parameter of the module in the alias)",
            "net.bicep: error[TMPL0014]: `again/logs` and `twice/logs` have the same type \
             and the same alias `b-logs` @ '${name}-logs' (use a parameter of the module in the alias)",
            "net.bicep: error[TMPL0014]: `logs` and `net/logs` have the same type and the same \
             alias `a-logs` @ '${name}-logs' (`logs` has this alias in main.bicep:2:50) (change the alias of one of them)",
        ]
    );
}

#[test]
fn extensions_of_a_module_are_its_own() {
    let main = "\
extension aws with { region: 'eu-west-1' }
module m 'm.bicep' = { params: { region: 'eu-central-1' } }
module n 'n.bicep' = {}
output o string = '${aws.region()} ${m.outputs.o} ${n.outputs.o}'
";
    let inner = "\
param region string
extension aws with { region: region }
resource b 'AWS.S3/Bucket@default' = { alias: 'm' }
output o string = aws.region()
";
    let plain = "\
extension aws
resource b 'AWS.S3/Bucket@default' = { alias: 'n' }
output o string = aws.region()
";
    let deployment = Project::of(&[("main.bicep", main), ("m.bicep", inner), ("n.bicep", plain)])
        .deployed(&json!({}));
    let regions: Vec<Option<String>> = deployment
        .nodes()
        .iter()
        .map(|node| node.aws().unwrap().region.as_ref().map(ToString::to_string))
        .collect();
    assert_eq!(regions, [Some("eu-central-1".to_owned()), None]);
    assert_eq!(outputs_of(&deployment, &NothingKnown), [r#"o="eu-west-1 eu-central-1 us-east-1""#]);
}

#[test]
fn a_template_with_modules_is_looked_at_without_its_parameters() {
    let main = "\
extension aws
param names array
param on bool
module nets './net.bicep' = [for name in names: if (on) { params: { name: name } }]
resource r 'AWS.S3/Bucket@default' = { alias: 'r', properties: { Id: nets[3].outputs.vpcId } }
";
    let look = Inputs { missing: MissingParameter::Unknown, ..Inputs::default() };
    let project = Project::of(&[("main.bicep", main), ("net.bicep", NETWORK)]);
    let deployment = project.started(&look).unwrap();
    assert_eq!(
        nodes(&deployment),
        [
            "r AWS.S3/Bucket r <- nets[*]/vpc",
            "nets[*]/vpc AWS.EC2/VPC <names> <-",
            "nets[*]/logs AWS.S3/Bucket <names> <-",
        ]
    );
}

#[test]
fn what_is_new_each_time_is_the_same_in_all_of_a_deployment_and_another_in_each_module() {
    let main = "\
module m 'm.bicep' = [for i in range(0, 2): { params: { i: i } }]
output ids array = [m[0].outputs.id, m[1].outputs.id]
";
    let inner = "\
extension aws
param i int
param id string = newGuid()
param other string = '${id} ${newGuid()}'
resource r 'AWS.S3/Bucket@default' = { alias: 'r${i}', properties: { Id: id, Other: other } }
output id string = id
";
    let deployment = Project::of(&[("main.bicep", main), ("m.bicep", inner)]).deployed(&json!({}));
    let bodies = [0, 1].map(|node| body(&deployment, node, &NothingKnown));
    assert_eq!(bodies, [0, 1].map(|node| body(&deployment, node, &World::default())));
    let ids = &outputs_of(&deployment, &NothingKnown)[0];
    let [first, second] = bodies.map(|it| it[5..41].to_owned());
    assert_eq!(*ids, format!(r#"ids=["{first}","{second}"]"#));
    assert_ne!(first, second);
}

#[test]
fn long_chains_of_modules_are_followed() {
    let mut main =
        "extension aws\nresource r 'AWS.S3/Bucket@default' = { alias: 'r' }\n".to_owned();
    writeln!(main, "module m0 'm.bicep' = {{ params: {{ x: r.id, n: 0 }} }}").unwrap();
    for at in 1..300 {
        writeln!(
            main,
            "module m{at} 'm.bicep' = {{ params: {{ x: m{}.outputs.y, n: {at} }} }}",
            at - 1
        )
        .unwrap();
    }
    let inner = "\
extension aws
param x string
param n int
var z = '${x}'
resource b 'AWS.S3/Bucket@default' = if (n == 299) { alias: 'b', properties: { X: z } }
output y string = z
";
    let deployment = Project::of(&[("main.bicep", &main), ("m.bicep", inner)]).deployed(&json!({}));
    assert_eq!(nodes(&deployment), ["r AWS.S3/Bucket r <-", "m299/b AWS.S3/Bucket b <- r"]);
    let world = World::default().with(0, json!({}), false);
    assert_eq!(body(&deployment, 1, &world), r#"{X:"/id/0"}"#);
}
