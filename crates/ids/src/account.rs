//! An AWS account id, as a person or an id spells it.

use std::fmt;
use std::str::FromStr;

use hangar_diag::{Diagnostic, Span};

use crate::{codes, place};

/// An account id of 1 to 12 digits, kept as written.
///
/// The simulator takes short ones; real AWS has exactly 12 digits ([`AccountId::is_real`]).
///
/// ```
/// let account: hangar_ids::AccountId = "42".parse()?;
/// assert_eq!(account.padded(), "000000000042");
/// assert!(!account.is_real());
/// # Ok::<(), hangar_diag::Diagnostic>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AccountId(String);

impl AccountId {
    /// Reads an account id.
    pub fn parse(text: &str) -> Result<Self, Diagnostic> {
        let wrong = text.char_indices().find(|(_, c)| !c.is_ascii_digit());
        if let Some((at, c)) = wrong {
            let span = place::character(at, c);
            return Err(refused(text, span, "not a digit"));
        }
        if text.is_empty() {
            return Err(refused(text, Span::new(0, 0), "empty"));
        }
        if text.len() > DIGITS {
            return Err(refused(text, Span::new(DIGITS, text.len()), "more than 12 digits"));
        }
        Ok(Self(text.to_owned()))
    }

    /// The account id as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The account id in 12 digits, filled with zeros on the left.
    pub fn padded(&self) -> String {
        format!("{:0>DIGITS$}", self.0)
    }

    /// Whether real AWS could know it: exactly 12 digits.
    pub fn is_real(&self) -> bool {
        self.0.len() == DIGITS
    }
}

impl FromStr for AccountId {
    type Err = Diagnostic;

    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        Self::parse(text)
    }
}

impl fmt::Display for AccountId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

const DIGITS: usize = 12;

fn refused(text: &str, span: Span, label: &str) -> Diagnostic {
    Diagnostic::error(codes::ACCOUNT, format!("`{text}` is not an AWS account id"))
        .at(span, label)
        .hint("write the digits of the account, as in `123456789012`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_to_twelve_digits_are_an_account() {
        for (text, padded, is_real) in [
            ("1", "000000000001", false),
            ("00000000001", "000000000001", false),
            ("123456789012", "123456789012", true),
        ] {
            let account = AccountId::parse(text).expect(text);
            assert_eq!((account.padded().as_str(), account.is_real()), (padded, is_real));
            assert_eq!(account.to_string(), text);
        }
    }

    #[test]
    fn anything_else_is_refused_at_its_byte() {
        for (text, start, end) in [
            ("", 0, 0),
            ("12a4", 2, 3),
            ("1é", 1, 3),
            ("٣", 0, 2),
            ("1234567890123", 12, 13),
            ("1234-5678-9012", 4, 5),
        ] {
            let diagnostic = AccountId::parse(text).expect_err(text);
            assert_eq!(diagnostic.code, codes::ACCOUNT);
            assert_eq!(diagnostic.span(), Some(Span { start, end }), "{text}");
        }
    }
}
