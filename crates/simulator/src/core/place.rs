//! Where a resource lives: an account and a region, each a world of its own.

use std::fmt;
use std::sync::Arc;

use hangar_ids::AccountId;

/// An account and a region.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    account: Arc<str>,
    region: Arc<str>,
}

/// The account of those whose access key names none.
pub const DEFAULT_ACCOUNT: &str = "000000000000";

/// The region of those who name none.
pub const DEFAULT_REGION: &str = "us-east-1";

impl Place {
    /// The place that a caller works in: an access key of 1 to 12 digits names the account.
    pub fn of_caller(access_key: &str, region: &str) -> Self {
        let account = AccountId::parse(access_key)
            .map_or_else(|_| DEFAULT_ACCOUNT.to_owned(), |account| account.padded());
        Self { account: account.into(), region: region.into() }
    }

    /// Whether a text can be a region here: more can than AWS has.
    pub fn is_region(text: &str) -> bool {
        (1..=40).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    }

    /// The account in 12 digits.
    pub fn account(&self) -> &str {
        &self.account
    }

    /// The region.
    pub fn region(&self) -> &str {
        &self.region
    }

    /// The partition that the region belongs to, as ARNs begin.
    pub fn partition(&self) -> &'static str {
        partition_of(&self.region)
    }

    /// The end of host names there.
    pub fn dns_suffix(&self) -> &'static str {
        if self.partition() == "aws-cn" { "amazonaws.com.cn" } else { "amazonaws.com" }
    }
}

/// The partition that a region belongs to, the second word of every ARN.
pub fn partition_of(region: &str) -> &'static str {
    match () {
        () if region.starts_with("cn-") => "aws-cn",
        () if region.starts_with("us-gov-") => "aws-us-gov",
        () => "aws",
    }
}

impl Default for Place {
    fn default() -> Self {
        Self { account: DEFAULT_ACCOUNT.into(), region: DEFAULT_REGION.into() }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.account, self.region)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_key_of_digits_names_the_account() {
        for (key, account) in [
            ("1", "000000000001"),
            ("123456789012", "123456789012"),
            ("1234567890123", DEFAULT_ACCOUNT),
            ("AKIAIOSFODNN7EXAMPLE", DEFAULT_ACCOUNT),
            ("", DEFAULT_ACCOUNT),
            ("test", DEFAULT_ACCOUNT),
        ] {
            assert_eq!(Place::of_caller(key, "eu-west-1").account(), account, "{key}");
        }
        assert_eq!(Place::of_caller("1", "cn-north-1").partition(), "aws-cn");
        assert_eq!(Place::of_caller("1", "us-gov-west-1").partition(), "aws-us-gov");
    }
}
