//! An AWS region, checked before it becomes part of a host name.

use std::fmt;
use std::str::FromStr;

use hangar_diag::{Diagnostic, Span};

use crate::codes;

/// A region of the form `[a-z]{2}(-[a-z]+)+-[0-9]`.
///
/// ```
/// let region: hangar_ids::Region = "us-gov-west-1".parse()?;
/// assert_eq!(region.as_str(), "us-gov-west-1");
/// # Ok::<(), hangar_diag::Diagnostic>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Region(String);

impl Region {
    /// Reads a region.
    pub fn parse(text: &str) -> Result<Self, Diagnostic> {
        if text.is_empty() {
            return Err(refused(text, Span::new(0, 0), "empty"));
        }
        let words: Vec<&str> = text.split('-').collect();
        let last = words.len() - 1;
        let mut at = 0;
        for (index, word) in words.into_iter().enumerate() {
            let wanted = Wanted::at(index, last);
            if !wanted.is_met_by(word) {
                let span = Span::new(at, at + word.len());
                return Err(refused(text, span, wanted.label()));
            }
            at += word.len() + 1;
        }
        if last < 2 {
            let end = Span::new(text.len(), text.len());
            return Err(refused(text, end, "the rest of the region is missing here"));
        }
        Ok(Self(text.to_owned()))
    }

    /// The region as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Region {
    type Err = Diagnostic;

    fn from_str(text: &str) -> Result<Self, Diagnostic> {
        Self::parse(text)
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a word between hyphens must be.
#[derive(Clone, Copy)]
enum Wanted {
    Area,
    Place,
    Number,
}

impl Wanted {
    /// A region has an area, one or more places, and a number.
    fn at(index: usize, last: usize) -> Self {
        match index {
            0 => Self::Area,
            _ if index == last && last >= 2 => Self::Number,
            _ => Self::Place,
        }
    }

    fn is_met_by(self, word: &str) -> bool {
        let letters = word.bytes().all(|b| b.is_ascii_lowercase());
        match self {
            Self::Area => letters && word.len() == 2,
            Self::Place => letters && !word.is_empty(),
            Self::Number => word.len() == 1 && word.bytes().all(|b| b.is_ascii_digit()),
        }
    }

    fn label(self) -> &'static str {
        match self {
            Self::Area => "expected two lower-case letters",
            Self::Place => "expected lower-case letters",
            Self::Number => "expected one digit",
        }
    }
}

fn refused(text: &str, span: Span, label: &str) -> Diagnostic {
    Diagnostic::error(codes::REGION, format!("`{text}` is not an AWS region"))
        .at(span, label)
        .hint("write the region's code, as in `us-east-1`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_public_forms_are_regions() {
        for text in ["us-east-1", "us-gov-west-1", "cn-north-1", "us-iso-east-1", "us-isob-east-1"]
        {
            assert_eq!(Region::parse(text).map(|region| region.to_string()).as_deref(), Ok(text));
        }
    }

    #[test]
    fn a_wrong_word_is_refused_at_its_bytes() {
        for (text, start, end) in [
            ("", 0, 0),
            ("global", 0, 6),
            ("us", 2, 2),
            ("us-1", 3, 4),
            ("us-east", 7, 7),
            ("us-east-", 8, 8),
            ("us-east-10", 8, 10),
            ("US-east-1", 0, 2),
            ("us--east-1", 3, 3),
            ("us-east-1.evil.example", 8, 22),
            ("us-é-1", 3, 5),
            ("us-east-٣", 8, 10),
        ] {
            let diagnostic = Region::parse(text).expect_err(text);
            assert_eq!(diagnostic.code, codes::REGION);
            assert_eq!(diagnostic.span(), Some(Span { start, end }), "{text}");
        }
    }
}
