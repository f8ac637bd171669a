//! What a seed decides before the run begins.

use std::time::Duration;

use hangar_simulator::core::settings::{ListDetail, Settings};
use hangar_simulator::core::time::SpanRange;

use super::deeds::habits;
use crate::rig::dice::Dice;

/// A type that runs use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Named by AWS, replaced by making the new one first.
    Vpc,
    /// Named by the user, replaced by deleting the old one first.
    Bucket,
    /// Named by AWS after the user's name.
    Queue,
    /// Named by AWS, and cannot carry the marker tag.
    Association,
}

/// The type of which a lost create cannot be told from another's: it carries no tag.
pub(super) const UNMARKED: &str = "AWS.EC2/SubnetRouteTableAssociation";

/// An alias of a run.
#[derive(Debug, Clone)]
pub(super) struct Alias {
    pub(super) kind: Kind,
    pub(super) name: String,
}

/// The decisions of a seed.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) replicas: usize,
    pub(super) aliases: Vec<Alias>,
    /// How many ask at the same time.
    pub(super) actors: usize,
    /// How many things are done in all.
    pub(super) deeds: usize,
    /// Whether they come close behind each other.
    pub(super) pace: Duration,
    pub(super) latency: SpanRange,
    pub(super) read_delay: Duration,
    pub(super) dice: Dice,
}

const KINDS: [Kind; 8] = [
    Kind::Vpc,
    Kind::Vpc,
    Kind::Vpc,
    Kind::Bucket,
    Kind::Bucket,
    Kind::Queue,
    Kind::Queue,
    Kind::Association,
];

impl Plan {
    pub(super) fn of(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let replicas = *dice.pick(&[1, 1, 2, 2, 2, 3]).unwrap_or(&1);
        let count = 1 + dice.below(3);
        let aliases = (0..count)
            .map(|number| {
                let kind = *dice.pick(&KINDS).unwrap_or(&Kind::Vpc);
                Alias { kind, name: format!("alias-{number}") }
            })
            .collect();
        let slow = dice.chance(2000);
        let most = if slow { 90_000 } else { 1500 };
        let latency = SpanRange {
            least: Duration::ZERO,
            most: Duration::from_millis(u64::try_from(dice.below(most)).unwrap_or(0)),
        };
        let read_delay = if dice.chance(1500) { Duration::from_secs(3) } else { Duration::ZERO };
        let paces = [Duration::ZERO, Duration::from_secs(1), Duration::from_secs(20)];
        Self {
            replicas,
            aliases,
            actors: 1 + dice.below(4),
            deeds: 12 + dice.below(20),
            pace: *dice.pick(&paces).unwrap_or(&Duration::ZERO),
            latency,
            read_delay,
            dice,
        }
    }

    pub(super) fn settings(&mut self) -> Settings {
        let list_detail =
            if self.dice.chance(5000) { ListDetail::Full } else { ListDetail::Identifiers };
        Settings {
            seed: self.dice.roll(),
            latency: self.latency,
            read_delay: self.read_delay,
            list_detail,
            habits: habits(),
            ..Settings::default()
        }
    }
}
