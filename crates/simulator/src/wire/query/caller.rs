//! Who calls, and in which part of AWS.

use crate::core::place::partition_of;
use crate::core::session::Session;

/// The account and region of a call, and the key that signed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caller<'a> {
    /// The account, twelve digits.
    pub account: &'a str,
    /// The region that the signature is scoped to.
    pub region: &'a str,
    /// The access key; one that begins with `ASIA` is of a role's session.
    pub access_key: &'a str,
    /// The session that STS gave the key for, where it did.
    pub session: Option<&'a Session>,
}

impl Caller<'_> {
    /// The partition that the region belongs to, the second word of every ARN.
    pub fn partition(&self) -> &'static str {
        partition_of(self.region)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_region_tells_the_partition() {
        for (region, partition) in [
            ("us-east-1", "aws"),
            ("cn-north-1", "aws-cn"),
            ("us-gov-west-1", "aws-us-gov"),
            ("", "aws"),
            ("cnorth-1", "aws"),
        ] {
            let caller =
                Caller { account: "123456789012", region, access_key: "AKIA1", session: None };
            assert_eq!(caller.partition(), partition);
        }
    }
}
