//! What is asked for and what hands do behind our back, made up from dice.

use std::fmt::Write as _;

use hangar_engine::{Ask, DeleteMode, Leave, Reach};
use hangar_plan::deployment::OnRemove;
use hangar_simulator::core::habits::added::AddedHabits;
use serde_json::{Value, json};

use super::plan::{Alias, Kind};
use crate::history::Spelling;
use crate::rig::dice::Dice;

impl Kind {
    /// Our name of the type.
    pub(super) const fn type_name(self) -> &'static str {
        match self {
            Self::Vpc => "AWS.EC2/VPC",
            Self::Bucket => "AWS.S3/Bucket",
            Self::Queue => "AWS.SQS/Queue",
            Self::Association => super::plan::UNMARKED,
        }
    }

    /// CloudFormation's.
    pub(super) const fn cloud_formation(self) -> &'static str {
        match self {
            Self::Vpc => "AWS::EC2::VPC",
            Self::Bucket => "AWS::S3::Bucket",
            Self::Queue => "AWS::SQS::Queue",
            Self::Association => "AWS::EC2::SubnetRouteTableAssociation",
        }
    }

    /// A document; those of another `body` differ in what can never be changed.
    pub(super) fn document(self, alias: &str, body: usize, version: usize) -> Value {
        match self {
            Self::Vpc => json!({
                "CidrBlock": format!("10.{body}.0.0/16"),
                "EnableDnsSupport": version.is_multiple_of(2),
            }),
            Self::Bucket => json!({
                "BucketName": format!("bucket-{alias}-{body}"),
                "VersioningConfiguration":
                    {"Status": if version.is_multiple_of(2) { "Enabled" } else { "Suspended" }},
            }),
            Self::Queue => json!({
                "QueueName": format!("queue-{alias}-{body}"),
                "DelaySeconds": version,
                "KmsMasterKeyId": format!("key-{version}"),
            }),
            Self::Association => json!({
                "SubnetId": format!("subnet-{body}"),
                "RouteTableId": format!("rtb-{}", version % 2),
            }),
        }
    }

    /// What a hand changes.
    pub(super) fn tampering(self) -> Option<Value> {
        match self {
            Self::Vpc => Some(json!({"EnableDnsHostnames": true})),
            Self::Bucket => Some(json!({"VersioningConfiguration": {"Status": "Suspended"}})),
            Self::Queue => Some(json!({"DelaySeconds": 77, "KmsMasterKeyId": "changed"})),
            Self::Association => None,
        }
    }
}

/// How the AWS of these runs writes values that were sent, beside what its services do: no rule of the engine knows it.
pub(super) fn spellings() -> Vec<Spelling> {
    let spelling = |version: usize| Spelling {
        type_name: Kind::Queue.cloud_formation().to_owned(),
        path: "/KmsMasterKeyId".to_owned(),
        sent: format!("key-{version}"),
        seen: format!("kms/{version}"),
    };
    (0..3).map(spelling).collect()
}

/// The same for the simulator.
pub(super) fn habits() -> AddedHabits {
    let lines = spellings().into_iter().map(|Spelling { type_name, path, sent, seen }| {
        format!("{type_name}\t{path}\treplace\t{}", json!({sent: seen}))
    });
    AddedHabits::read(&lines.collect::<Vec<_>>().join("\n")).unwrap_or_default()
}

/// Something that is done in a run.
#[derive(Debug, Clone)]
pub(super) enum Deed {
    /// A write on an alias.
    Ask(Ask),
    /// Takes in what a hand has made, or what is there.
    Import { make: bool, owned: bool, apply: bool },
    /// The last operation of the alias is to be stopped.
    Cancel,
    /// The group is looked through, and perhaps mended.
    Drift { repair: bool },
    /// A template with all aliases, or with some, is deployed by one of two names, one after the other or side by side.
    Deploy { body: usize, version: usize, chained: bool, leave: Leave, stop: bool },
    /// A deployment is destroyed.
    Destroy(OnRemove),
    /// The whole group is deleted.
    DeleteGroup,
    /// A hand deletes the resource of the alias.
    HandDeletes,
    /// A hand changes it.
    HandChanges,
    /// Everybody sleeps for so many minutes.
    Sleep(u64),
}

impl Deed {
    pub(super) fn of(dice: &mut Dice, alias: &Alias) -> Self {
        let body = usize::from(dice.chance(2000));
        let version = dice.below(3);
        let properties = alias.kind.document(&alias.name, body, version);
        match dice.below(100) {
            0..=9 => Self::Deploy {
                body,
                version,
                chained: dice.chance(6000),
                leave: Leave {
                    replace: dice.chance(4000),
                    reach: if dice.chance(5000) { Reach::TakeOver } else { Reach::Free },
                    on_remove: on_remove(dice),
                    ..Leave::default()
                },
                stop: dice.chance(2000),
            },
            10..=11 => Self::Destroy(on_remove(dice)),
            12..=54 => Self::Ask(Ask::Put {
                identifier: None,
                properties,
                secret_paths: Vec::new(),
                replace: dice.chance(4000),
                adopt: dice.chance(1500).then_some(true),
            }),
            55..=69 => Self::Ask(Ask::Delete {
                identifier: None,
                mode: match dice.below(10) {
                    0 => DeleteMode::Detach,
                    1..=3 => DeleteMode::Delete,
                    _ => DeleteMode::ByOwnership,
                },
            }),
            70..=73 => Self::Ask(Ask::Repair),
            74..=79 => Self::Import {
                make: dice.chance(7000),
                owned: dice.chance(5000),
                apply: dice.chance(3000),
            },
            80..=84 => Self::Cancel,
            85..=87 => Self::Drift { repair: dice.chance(6000) },
            88..=89 => Self::DeleteGroup,
            90..=93 => Self::HandDeletes,
            94..=96 => Self::HandChanges,
            _ => Self::Sleep(*dice.pick(&[21, 90, 25 * 60, 37 * 60]).unwrap_or(&21)),
        }
    }
}

fn on_remove(dice: &mut Dice) -> OnRemove {
    let all = [OnRemove::Keep, OnRemove::Detach, OnRemove::Delete, OnRemove::Delete];
    *dice.pick(&all).unwrap_or(&OnRemove::Keep)
}

/// A template that puts all aliases; each waits for the one before it where they are chained.
pub(super) fn template(aliases: &[Alias], body: usize, version: usize, chained: bool) -> String {
    let mut text = String::from("extension aws\n");
    for (number, alias) in aliases.iter().enumerate() {
        let document = alias.kind.document(&alias.name, body, version);
        let before = number.checked_sub(1).filter(|_| chained);
        let depends_on =
            before.map(|before| format!("  dependsOn: [r{before}]\n")).unwrap_or_default();
        let (type_name, name, properties) = (alias.kind.type_name(), &alias.name, bicep(&document));
        let _ = write!(
            text,
            "resource r{number} '{type_name}@default' = {{\n  alias: '{name}'\n{depends_on}  \
             properties: {properties}\n}}\n"
        );
    }
    text
}

/// A document as Bicep writes it; its texts have no quotes.
fn bicep(document: &Value) -> String {
    match document {
        Value::Object(members) => {
            let members = members.iter().map(|(name, it)| format!("'{name}': {}", bicep(it)));
            format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(bicep).collect::<Vec<_>>().join(", "))
        }
        Value::String(text) => format!("'{text}'"),
        other => other.to_string(),
    }
}
