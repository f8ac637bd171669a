//! Which AWS a control plane works on.

pub(crate) mod client;
pub(crate) mod credentials;

use std::fmt;
use std::str::FromStr;

use hangar_plan::budget::Rate;

use crate::client::endpoint::{Endpoint, EndpointError};

/// What AWS takes in an account and region without complaint, by those who measured it.
const REAL_RATE: u32 = 25;

/// Which AWS a control plane works on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Aws {
    /// The built-in simulator, with its state in the data directory.
    Simulator,
    /// AWS itself, with the credentials of this machine.
    Real,
    /// Something that speaks like AWS, at `http://HOST:PORT`.
    Custom(String),
}

impl Aws {
    /// Whether resources of the one could be mistaken for those of the other: an endpoint may move,
    /// a simulator does not become an account.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        matches!(
            (self, other),
            (Self::Simulator, Self::Simulator)
                | (Self::Real, Self::Real)
                | (Self::Custom(_), Self::Custom(_))
        )
    }

    /// Where resources go when nobody says: only what is no account has a place for them.
    pub(crate) fn has_default_place(&self) -> bool {
        *self != Self::Real
    }
}

/// How often AWS may be called in an account and region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AwsRate {
    /// So many calls a second, by all replicas together.
    PerSecond(Rate),
    /// As often as it comes.
    Off,
}

impl AwsRate {
    /// The rate that was asked for, or what the AWS wants: simulators have no limit of their own.
    pub(crate) fn of(asked: Option<Self>, aws: &Aws) -> Option<Rate> {
        match (asked, aws) {
            (Some(Self::PerSecond(rate)), _) => Some(rate),
            (Some(Self::Off), _) | (None, Aws::Simulator | Aws::Custom(_)) => None,
            (None, Aws::Real) => Rate::per_second(REAL_RATE),
        }
    }
}

impl FromStr for AwsRate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "off" {
            return Ok(Self::Off);
        }
        let rate = text.parse().ok().and_then(Rate::per_second);
        rate.map(Self::PerSecond).ok_or_else(|| {
            format!("write `off`, or a number of calls per second from 1 to {}", Rate::MAX)
        })
    }
}

impl FromStr for Aws {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "simulator" => return Ok(Self::Simulator),
            "real" => return Ok(Self::Real),
            _ => {}
        }
        let hint = "write `simulator`, `real`, or the URL of an AWS-compatible endpoint such as http://127.0.0.1:4566";
        // The provider connects; here it only has to be a URL with nothing behind the port.
        let is_bare = text.splitn(4, '/').nth(3).is_none_or(str::is_empty);
        match Endpoint::parse(text) {
            Ok(_) | Err(EndpointError::Encrypted) if is_bare => {
                Ok(Self::Custom(text.trim_end_matches('/').to_owned()))
            }
            _ => Err(hint.to_owned()),
        }
    }
}

impl fmt::Display for Aws {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Simulator => "simulator",
            Self::Real => "real",
            Self::Custom(url) => url,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_aws_is_a_word_or_an_endpoint() {
        for (text, aws) in [
            ("simulator", Aws::Simulator),
            ("real", Aws::Real),
            ("http://127.0.0.1:4566/", Aws::Custom("http://127.0.0.1:4566".to_owned())),
            ("https://aws.example", Aws::Custom("https://aws.example".to_owned())),
        ] {
            let read: Aws = text.parse().unwrap();
            assert_eq!(read, aws);
            assert_eq!(read.to_string().parse(), Ok(aws));
        }
        for text in ["", "Real", "localhost:4566", "http://a/b", "ftp://a"] {
            assert!(text.parse::<Aws>().is_err(), "{text}");
        }
    }

    #[test]
    fn an_endpoint_may_move_and_a_simulator_is_no_account() {
        let at = |url: &str| Aws::Custom(url.to_owned());
        assert!(at("http://a").is_like(&at("http://b")));
        assert!(!Aws::Simulator.is_like(&Aws::Real) && !at("http://a").is_like(&Aws::Simulator));
    }

    #[test]
    fn a_rate_is_a_number_or_off_and_only_aws_itself_has_one_by_default() {
        let rate = |text: &str| Some(text.parse::<AwsRate>().unwrap());
        let custom = Aws::Custom("http://a".to_owned());
        assert_eq!(AwsRate::of(None, &Aws::Real).map(Rate::get), Some(25));
        assert_eq!(AwsRate::of(None, &custom), None);
        assert_eq!(AwsRate::of(rate("250"), &custom).map(Rate::get), Some(250));
        assert_eq!(AwsRate::of(rate("off"), &Aws::Real), None);
        for text in ["", "0", "-1", "1.5", "many", "100001"] {
            assert!(text.parse::<AwsRate>().is_err(), "{text}");
        }
    }
}
