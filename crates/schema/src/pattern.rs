//! Regular expressions of JSON schemas, which two dialects claim: the standard says ECMAScript,
//! and AWS validates with Java.
//!
//! A pattern is translated to our engine, and an answer is given only where the dialects agree:
//! a mismatch reported here is one that the service would report.

mod kept;
mod translate;

use std::fmt;
use std::sync::OnceLock;

use fancy_regex::{Regex, RegexBuilder};

pub(crate) use kept::Kept;
use translate::{Disputed, Translation};

/// A compiled regular expression. Compiling never fails: what cannot be read answers `Unknown`.
///
/// Compile where a value is first checked, not where a schema is loaded: it costs tens of
/// microseconds.
///
/// ```
/// # use hangar_schema::pattern::{Certainty, Pattern, Verdict};
/// let pattern = Pattern::compile(r"^vpc-[\w-]+$");
/// assert_eq!(pattern.certainty(), &Certainty::Checked);
/// assert_eq!(pattern.matches("vpc-0a1b"), Verdict::Match);
/// assert_eq!(pattern.matches("vpc-é"), Verdict::Mismatch);
/// // Java's `$` also stands before a last line break; ECMAScript's does not.
/// assert_eq!(pattern.matches("vpc-é\n"), Verdict::Unknown);
/// assert_eq!(Pattern::compile("a(").matches("a("), Verdict::Unknown);
/// ```
pub struct Pattern {
    certainty: Certainty,
    compiled: Option<Compiled>,
}

/// How far a pattern's answers can be trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Certainty {
    /// All that it uses means the same in ECMAScript, in Java and here: a mismatch is certain.
    Checked,
    /// It uses something that the dialects read differently, named here: a mismatch is a warning.
    Advisory(&'static str),
    /// It does not compile, for the reason given, and every answer is `Unknown`.
    Unchecked(String),
}

/// Whether a text matches a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It does.
    Match,
    /// It does not; how certain that is, `Pattern::certainty` says.
    Mismatch,
    /// The dialects differ on this text, the search was given up, or the pattern is broken.
    Unknown,
}

/// A search that needs more steps than this is given up.
const BACKTRACK_LIMIT: usize = 200_000;
/// What one pattern may take when compiled, in bytes.
const SIZE_LIMIT: usize = 8 << 20;

impl Pattern {
    /// Translates and compiles a pattern as a schema states it.
    pub fn compile(source: &str) -> Self {
        let translation = match translate::translate(source) {
            Ok(translation) => translation,
            Err(reason) => return Self::broken(reason.to_owned()),
        };
        let regex = match build(&translation.regex) {
            Ok(regex) => regex,
            Err(error) => return Self::broken(error.to_string()),
        };
        let certainty = translation.advice.map_or(Certainty::Checked, Certainty::Advisory);
        let compiled = Some(Compiled { regex, whole: OnceLock::new(), translation });
        Self { certainty, compiled }
    }

    fn broken(reason: String) -> Self {
        Self { certainty: Certainty::Unchecked(reason), compiled: None }
    }

    /// How far the answers can be trusted.
    pub fn certainty(&self) -> &Certainty {
        &self.certainty
    }

    /// Whether the pattern matches anywhere in the text, as JSON Schema's `pattern` does.
    pub fn matches(&self, text: &str) -> Verdict {
        match &self.compiled {
            Some(compiled) => compiled.verdict(&compiled.regex, text),
            None => Verdict::Unknown,
        }
    }

    /// Whether the pattern matches the text from its beginning to its end.
    pub fn matches_whole(&self, text: &str) -> Verdict {
        let Some(compiled) = &self.compiled else {
            return Verdict::Unknown;
        };
        let whole = compiled
            .whole
            .get_or_init(|| build(&format!(r"\A(?:{})\z", compiled.translation.regex)).ok());
        match whole {
            Some(regex) => compiled.verdict(regex, text),
            None => Verdict::Unknown,
        }
    }

    /// The translated expression, for replacing and capturing; it ignores what is disputed.
    pub(crate) fn regex(&self) -> Option<&Regex> {
        self.compiled.as_ref().map(|compiled| &compiled.regex)
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let regex = self.compiled.as_ref().map(|compiled| compiled.translation.regex.as_str());
        f.debug_struct("Pattern")
            .field("certainty", &self.certainty)
            .field("regex", &regex)
            .finish()
    }
}

struct Compiled {
    regex: Regex,
    /// The same, anchored at both ends; few patterns need it.
    whole: OnceLock<Option<Regex>>,
    translation: Translation,
}

impl Compiled {
    fn verdict(&self, regex: &Regex, text: &str) -> Verdict {
        let Disputed { spaces, next_line, beyond_ascii, end } = self.translation.disputed;
        let by_character = !text.is_ascii()
            && (beyond_ascii
                || (spaces && text.contains(is_disputed_space))
                || (next_line && text.contains('\u{85}')));
        if by_character {
            return Verdict::Unknown;
        }
        let found = match regex.is_match(text) {
            Ok(true) => Verdict::Match,
            Ok(false) => Verdict::Mismatch,
            Err(_) => return Verdict::Unknown,
        };
        // Where Java's `$` differs it accepts more, so that a match stays one unless something in
        // the pattern turns more into less.
        let matches_both = found == Verdict::Match && !self.translation.negates;
        if end && text.ends_with(is_line_end) && !matches_both {
            return Verdict::Unknown;
        }
        found
    }
}

fn build(regex: &str) -> Result<Regex, fancy_regex::Error> {
    RegexBuilder::new(regex)
        .backtrack_limit(BACKTRACK_LIMIT)
        .delegate_size_limit(SIZE_LIMIT)
        .build()
}

/// What `\s` matches in ECMAScript and not in Java.
fn is_disputed_space(c: char) -> bool {
    matches!(c, '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{2028}' | '\u{2029}')
        || matches!(c, '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}')
}

/// What Java's `$` may stand before at the end of a text.
fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests;
