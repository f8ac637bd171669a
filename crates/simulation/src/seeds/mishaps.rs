//! What befalls calls, by chance. Each seed has a mixture of its own: a few kinds of mishap, rare or frequent,
//! and only so many of them, so that every run gets somewhere.

use std::time::Duration;

use hangar_simulator::core::refusal::{Exception, HandlerErrorCode};

use crate::rig::dice::Dice;
use crate::rig::fate::{Fate, Fates, Site, When};

/// A kind of mishap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    StoreFails,
    Dies,
    PowerFails,
    Stops,
    Later,
    ConnectionLost,
    Lands,
    Throttled,
    ServerError,
    Refused,
    HandlerFails,
    Hangs,
}

const KINDS: [Kind; 12] = [
    Kind::StoreFails,
    Kind::Dies,
    Kind::PowerFails,
    Kind::Stops,
    Kind::Later,
    Kind::ConnectionLost,
    Kind::Lands,
    Kind::Throttled,
    Kind::ServerError,
    Kind::Refused,
    Kind::HandlerFails,
    Kind::Hangs,
];

/// Those that leave it open what a write of AWS has done, or cut its way short.
const AT_WRITES: [Kind; 7] = [
    Kind::Dies,
    Kind::ConnectionLost,
    Kind::Lands,
    Kind::Lands,
    Kind::Refused,
    Kind::Refused,
    Kind::HandlerFails,
];

impl Kind {
    const fn befalls(self, site: Site) -> bool {
        match self {
            Self::StoreFails => matches!(site, Site::Read(_) | Site::Write(_)),
            Self::PowerFails => matches!(site, Site::Write(_)),
            Self::Dies | Self::Stops | Self::Later => true,
            Self::ConnectionLost | Self::Throttled | Self::ServerError => site.is_aws(),
            Self::Lands | Self::Refused | Self::HandlerFails | Self::Hangs => {
                matches!(site, Site::Act(_))
            }
        }
    }

    fn fate(self, dice: &mut Dice) -> Fate {
        let when = if dice.chance(5000) { When::Before } else { When::After };
        let pick = |of: &[Exception], dice: &mut Dice| {
            dice.pick(of).copied().unwrap_or(Exception::InternalFailure)
        };
        match self {
            Self::StoreFails | Self::ConnectionLost => Fate::Fails(when),
            Self::Dies => Fate::Dies(when),
            Self::PowerFails => Fate::PowerFails(when),
            Self::Stops => Fate::Stops(dice.span(Duration::from_secs(1), Duration::from_secs(90))),
            Self::Later => Fate::Later(dice.span(Duration::ZERO, Duration::from_secs(15))),
            Self::Lands => Fate::Lands(dice.span(Duration::ZERO, Duration::from_mins(15))),
            Self::Throttled => Fate::Refused(Exception::Throttling, When::Before),
            Self::ServerError => {
                let of = [
                    Exception::InternalFailure,
                    Exception::ServiceUnavailable,
                    Exception::HandlerFailure,
                    Exception::ServiceInternalError,
                ];
                Fate::Refused(pick(&of, dice), when)
            }
            Self::Refused => {
                let of = [
                    Exception::AccessDenied,
                    Exception::InvalidRequest,
                    Exception::ServiceLimitExceeded,
                    Exception::ExpiredToken,
                ];
                Fate::Refused(pick(&of, dice), When::Before)
            }
            Self::HandlerFails => {
                let of = [
                    HandlerErrorCode::GeneralServiceException,
                    HandlerErrorCode::NotStabilized,
                    HandlerErrorCode::ServiceInternalError,
                    HandlerErrorCode::InternalFailure,
                    HandlerErrorCode::Throttling,
                    HandlerErrorCode::InvalidRequest,
                ];
                let code = dice.pick(&of).copied().unwrap_or(HandlerErrorCode::InternalFailure);
                Fate::HandlerFails { code, with_identifier: dice.chance(5000) }
            }
            Self::Hangs => Fate::Hangs,
        }
    }
}

/// The mishaps of a run.
#[derive(Debug)]
pub(super) struct Mishaps {
    dice: Dice,
    /// How often each happens, of 10,000 calls that it can befall.
    kinds: Vec<(Kind, u32)>,
    left: usize,
    /// Only writes of AWS meet any.
    only_writes: bool,
}

impl Mishaps {
    pub(super) fn of(dice: &mut Dice) -> Self {
        let mut dice = dice.fork();
        let mut kinds = Vec::new();
        if dice.chance(3000) {
            // A few that come one upon the other, where it hurts: at the writes of AWS.
            for _ in 0..2 + dice.below(2) {
                let kind = *dice.pick(&AT_WRITES).unwrap_or(&Kind::Lands);
                kinds.push((kind, *dice.pick(&[2000, 4000]).unwrap_or(&2000)));
            }
            let left = 2 + dice.below(7);
            return Self { dice, kinds, left, only_writes: true };
        }
        for kind in KINDS {
            if dice.chance(3500) {
                kinds.push((kind, *dice.pick(&[40, 150, 500, 1500]).unwrap_or(&40)));
            }
        }
        let left = dice.below(14);
        Self { dice, kinds, left, only_writes: false }
    }
}

impl Fates for Mishaps {
    fn decide(&mut self, _process: usize, site: Site) -> Fate {
        if self.left == 0 || (self.only_writes && !matches!(site, Site::Act(_))) {
            return Fate::Go;
        }
        for (kind, often) in &self.kinds {
            if kind.befalls(site) && self.dice.chance(*often) {
                self.left -= 1;
                return kind.fate(&mut self.dice);
            }
        }
        Fate::Go
    }
}
