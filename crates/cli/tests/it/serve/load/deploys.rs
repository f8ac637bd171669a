//! Writers of templates: they deploy, deploy a change, stop what runs, and delete parts of it meanwhile.
//!
//! Each run goes to one of a few deployments, so that two of them meet (`DeploymentRunning`); and some put an alias
//! that another writer writes to, so that rows wait for their turn.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value, json};

use super::deeds::{self, BUCKET, GROUP, QUEUE, SUBNET, Subject, VPC};
use super::{Shared, WRITERS, roll};
use crate::serve::VERSION;

/// Writers of templates, and the deployments that they share.
pub(super) const DEPLOYERS: u64 = 2;
const DEPLOYMENTS: u64 = 3;

const PLACE: &str = "/planes/aws/aws/accounts/000000000000/regions/us-east-1";

/// A template in one of many variants.
struct Variant(u64);

impl Variant {
    /// Whether the n-th of its choices falls to one in so many.
    const fn has(&self, choice: u64, one_in: u64) -> bool {
        (self.0 >> (choice * 4)).is_multiple_of(one_in)
    }

    /// What of it can be changed.
    const fn version(&self) -> u64 {
        self.0 % 3
    }
}

/// Deploys to deployments that others deploy to as well, until it is told to stop.
pub(super) fn write(shared: &Shared, deployer: u64) {
    let mut dice = 0x6a09_e667_f3bc_c908_u64 ^ (deployer + 1).wrapping_mul(0x3c6e_f372);
    let mut generations = [0_u64; 3];
    while !shared.is_over() {
        let number = roll(&mut dice) % DEPLOYMENTS;
        let slot = usize::try_from(number).unwrap();
        let variant = Variant(roll(&mut dice));
        let stem = format!("d{number}-{}", generations[slot]);
        let path = path(GROUP, &format!("d{number}"));
        match roll(&mut dice) % 8 {
            0 => {
                let parts = [(SUBNET, "part"), (QUEUE, "jobs"), (BUCKET, "logs"), (VPC, "net")];
                let (type_name, part) = parts[usize::try_from(roll(&mut dice) % 4).unwrap()];
                let subject = Subject { group: GROUP, type_name, alias: format!("{stem}-{part}") };
                deeds::send(shared, "DELETE", &subject.path(), &Value::Null, Some(&subject));
            }
            1 | 2 => {
                deploy(shared, &path, &stem, &variant);
                std::thread::sleep(Duration::from_millis(roll(&mut dice) % 300));
                stop(shared, &path);
            }
            _ => deploy(shared, &path, &stem, &variant),
        }
        // What is unknown is so for twenty minutes: another one takes its place.
        if is_given_up(shared, &path) {
            generations[slot] += 1;
        }
        std::thread::sleep(Duration::from_millis(roll(&mut dice) % 400));
    }
}

/// The path of a deployment, without its version.
fn path(group: &str, name: &str) -> String {
    let group = format!("/planes/radius/local/resourceGroups/{group}");
    format!("{group}/providers/Microsoft.Resources/deployments/{name}")
}

fn deploy(shared: &Shared, path: &str, stem: &str, variant: &Variant) {
    let body = body(&template(stem, variant), variant);
    deeds::send(shared, "PUT", &format!("{path}?{VERSION}"), &body, None);
}

/// A few resources in a group that is about to be deleted.
pub(super) fn deploy_in(shared: &Shared, group: &str, dice: &mut u64) {
    deploy(shared, &path(group, "app"), "app", &Variant(roll(dice)));
}

fn stop(shared: &Shared, path: &str) {
    deeds::send(shared, "POST", &format!("{path}/cancel?{VERSION}"), &Value::Null, None);
}

/// Whether a part of a deployment is not known any more.
fn is_given_up(shared: &Shared, path: &str) -> bool {
    let answer = shared.client().call("GET", &format!("{path}?{VERSION}"), &[], &Value::Null);
    let Ok(answer) = answer else { return false };
    let rows = answer.body["properties"]["resources"].as_array();
    rows.into_iter().flatten().any(|row| row["error"]["code"] == "AliasUnknown")
}

fn body(template: &str, variant: &Variant) -> Value {
    let mut properties = json!({
        "sources": {"main.bicep": template}, "entry": "main.bicep",
        "parameters": {"version": {"value": variant.version().to_string()}},
        "providerConfig": {"aws": {"value": {"scope": PLACE}}},
    });
    if variant.has(1, 2) {
        properties["replace"] = "allow".into();
    }
    json!({ "properties": properties })
}

/// A network with a part of it, and what stands in that or beside it: three to five resources.
fn template(stem: &str, variant: &Variant) -> String {
    let block = if variant.has(2, 8) { "10.1" } else { "10.0" };
    let delay = 5 * variant.version();
    let mut text = format!(
        "extension aws
param version string
resource net 'AWS.EC2/VPC@default' = {{
  alias: '{stem}-net'
  properties: {{ CidrBlock: '{block}.0.0/16', Tags: [{{ Key: 'Version', Value: version }}] }}
}}
resource part 'AWS.EC2/Subnet@default' = {{
  alias: '{stem}-part'
  properties: {{ VpcId: net.properties.VpcId, CidrBlock: '{block}.1.0/24' }}
}}
resource jobs 'AWS.SQS/Queue@default' = {{
  alias: '{stem}-jobs'
  properties: {{ DelaySeconds: {delay}, Tags: [{{ Key: 'part', Value: part.properties.SubnetId }}] }}
}}
output where string = part.properties.SubnetId
"
    );
    if !variant.has(4, 4) {
        let _ = write!(
            text,
            "resource logs 'AWS.S3/Bucket@default' = {{
  alias: '{stem}-logs'
  properties: {{ Tags: [{{ Key: 'Version', Value: version }}] }}
}}
"
        );
    }
    // One that another writer writes to.
    if variant.has(3, 3) {
        let alias = format!("a{}-0-0", variant.0 % WRITERS);
        let _ = write!(
            text,
            "resource others 'AWS.EC2/VPC@default' = {{
  alias: '{alias}'
  properties: {{ CidrBlock: '10.0.0.0/16', Tags: [{{ Key: 'Name', Value: '{alias}' }}] }}
}}
"
        );
    }
    text
}
