//! The role of IAM that an ARN names.

use super::Arn;

/// A role: what of its ARN tells it from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArnRole<'a> {
    /// Its account, twelve digits.
    pub account: &'a str,
    /// Its name, without its path.
    pub name: &'a str,
}

impl Arn {
    /// The role that it names, if it is `arn:aws:iam::123456789012:role/path/name`, as AWS lets
    /// accounts, paths and names be.
    ///
    /// ```
    /// let arn: hangar_ids::Arn = "arn:aws:iam::123456789012:role/team/deploy".parse()?;
    /// assert_eq!(arn.role().map(|role| role.name), Some("deploy"));
    /// # Ok::<(), hangar_diag::Diagnostic>(())
    /// ```
    pub fn role(&self) -> Option<ArnRole<'_>> {
        let path_and_name = self.resource().strip_prefix("role/")?;
        let (account, name) = (self.account(), path_and_name.rsplit('/').next()?);
        let is_account = account.len() == 12 && account.bytes().all(|b| b.is_ascii_digit());
        let is_letter = |b: u8| b.is_ascii_alphanumeric() || b"_+=,.@-".contains(&b);
        let is_role = self.service() == "iam"
            && self.region().is_empty()
            && is_account
            && self.as_str().len() <= LONGEST
            && path_and_name.bytes().all(|b| b.is_ascii_graphic())
            && (1..=64).contains(&name.len())
            && name.bytes().all(is_letter);
        is_role.then_some(ArnRole { account, name })
    }
}

/// STS takes no longer one.
const LONGEST: usize = 2048;

#[cfg(test)]
mod tests {
    use super::*;

    fn role(text: &str) -> Option<(String, String)> {
        let arn = Arn::parse(text).ok()?;
        arn.role().map(|role| (role.account.to_owned(), role.name.to_owned()))
    }

    #[test]
    fn a_role_has_an_account_and_a_name_and_may_have_a_path() {
        for (text, account, name) in [
            ("arn:aws:iam::123456789012:role/deploy", "123456789012", "deploy"),
            ("arn:aws-cn:iam::000000000042:role/team/a/deploy", "000000000042", "deploy"),
            ("arn:aws-us-gov:iam::123456789012:role/a+=,.@_-b", "123456789012", "a+=,.@_-b"),
        ] {
            assert_eq!(role(text), Some((account.to_owned(), name.to_owned())), "{text}");
        }
    }

    #[test]
    fn what_names_no_role_is_none() {
        let long = format!("arn:aws:iam::123456789012:role/{}", "a".repeat(65));
        let deep = format!("arn:aws:iam::123456789012:role/{}/a", "a".repeat(2048));
        for text in [
            "",
            "deploy",
            "arn:aws:iam::42:role/deploy",
            "arn:aws:iam::1234567890123:role/deploy",
            "arn:aws:iam::12345678901x:role/deploy",
            "arn:aws:iam:eu-west-1:123456789012:role/deploy",
            "arn:aws:sts::123456789012:role/deploy",
            "arn:aws:iam::123456789012:user/deploy",
            "arn:aws:iam::123456789012:role",
            "arn:aws:iam::123456789012:role/",
            "arn:aws:iam::123456789012:role/team/",
            "arn:aws:iam::123456789012:role/a b",
            "arn:aws:iam::123456789012:role/a b/c",
            "arn:aws:iam::123456789012:role/é",
            "arn:azure:iam::123456789012:role/deploy",
            &long,
            &deep,
        ] {
            assert_eq!(role(text), None, "{text}");
        }
    }
}
