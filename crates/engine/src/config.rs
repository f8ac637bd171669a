//! What an engine is told when it starts.

use std::time::Duration;

use hangar_plan::budget::Rate;
use hangar_plan::operation::Rules;
use hangar_plan::record::AwsScope;
use hangar_store::clock::Clock;

use crate::dice::Dice;
use crate::recipe::Recipes;

/// How many operations are driven at once where nobody says.
pub const CONCURRENCY: usize = 64;

/// Where schemas come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaSource {
    /// The bundled catalog only: simulators publish the same.
    Bundled,
    /// The cloud's own, kept in the store; the catalog where it cannot be had.
    Live,
}

/// Which operations an engine drives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drives {
    /// Every operation that is due.
    All,
    /// Only operations that read: writes that were left open stay as they are.
    Reads,
}

/// What an engine is told when it starts.
#[derive(Debug, Clone)]
pub struct Config {
    /// Names this process in leases and logs.
    pub worker: String,
    /// Operations that are driven at once; with 0 they are accepted and none is ever claimed.
    pub concurrency: usize,
    /// Which operations are driven.
    pub drives: Drives,
    /// How long a lease lasts; it is renewed at a third of it.
    pub lease_for: Duration,
    /// How often due operations are looked for when nothing signals them.
    pub poll_every: Duration,
    /// Where schemas come from.
    pub schemas: SchemaSource,
    /// Whether creates carry the marker tag.
    pub marker_tags: bool,
    /// Where AWS resources go when neither request nor group says.
    pub default_scope: Option<AwsScope>,
    /// Calls a second that all replicas together make of AWS in an account and region; no bound where there is
    /// none.
    pub aws_rate: Option<Rate>,
    /// How often every group is looked through for drift; never where there is none.
    pub drift_every: Option<Duration>,
    /// The clock on the wall, which goes on while the machine sleeps: whatever is sent is sent in time by it.
    pub clock: Clock,
    /// Where the names of new operations come from.
    pub dice: Dice,
    /// The rules that keep one resource for one alias: all of them, but in tests of the tests.
    pub rules: Rules,
    /// How recipes are run; where it is not said they are accepted and left to another replica.
    pub recipes: Option<Recipes>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            worker: String::from("worker"),
            concurrency: CONCURRENCY,
            drives: Drives::All,
            lease_for: Duration::from_secs(10),
            poll_every: Duration::from_millis(500),
            schemas: SchemaSource::Bundled,
            marker_tags: true,
            default_scope: None,
            aws_rate: None,
            drift_every: None,
            clock: Clock::wall(),
            dice: Dice::System,
            rules: Rules::ALL,
            recipes: None,
        }
    }
}
