//! What becomes of a call: every one of the store and of AWS is asked for its fate first.

use std::fmt;
use std::time::Duration;

use hangar_simulator::core::refusal::{Exception, HandlerErrorCode};

/// Before a call does anything, or after it has done all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// Nothing has happened.
    Before,
    /// Everything has happened, and the caller does not hear of it.
    After,
}

/// What becomes of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// It is made and answered.
    Go,
    /// It is made a little later.
    Later(Duration),
    /// It fails: a store that is not available, a connection that is lost.
    Fails(When),
    /// Its process dies.
    Dies(When),
    /// The machine of the store loses power, and every process dies.
    PowerFails(When),
    /// Its process is stopped for so long, with everything that it does.
    Stops(Duration),
    /// Its caller hears nothing now, and it reaches AWS so much later; writes of AWS only.
    Lands(Duration),
    /// AWS refuses it; calls of AWS only.
    Refused(Exception, When),
    /// AWS accepts it and fails at it, perhaps when the resource is there; writes of AWS only.
    HandlerFails {
        /// With this code.
        code: HandlerErrorCode,
        /// The resource is there all the same.
        with_identifier: bool,
    },
    /// AWS accepts it and never ends it; writes of AWS only.
    Hangs,
}

/// Where a call is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Site {
    /// A read of the store.
    Read(&'static str),
    /// A write of the store.
    Write(&'static str),
    /// A read of AWS, or a poll.
    Ask(&'static str),
    /// A write of AWS.
    Act(&'static str),
}

impl Site {
    /// Whether it is a call of AWS.
    pub const fn is_aws(self) -> bool {
        matches!(self, Self::Ask(_) | Self::Act(_))
    }

    /// The name of the call.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read(name) | Self::Write(name) | Self::Ask(name) | Self::Act(name) => name,
        }
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whose = if self.is_aws() { "aws" } else { "store" };
        write!(f, "{whose} {}", self.name())
    }
}

/// Who decides on fates. It is asked in the order in which calls are made.
pub trait Fates: Send + fmt::Debug {
    /// The fate of a call of a process.
    fn decide(&mut self, process: usize, site: Site) -> Fate;
}

/// Nothing ever happens.
#[derive(Debug, Clone, Copy, Default)]
pub struct Fair;

impl Fates for Fair {
    fn decide(&mut self, _process: usize, _site: Site) -> Fate {
        Fate::Go
    }
}
