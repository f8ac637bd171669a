//! The constraints that the API models put on parameters: choices, lengths, patterns, ranges.
//!
//! All are checked before any is reported, as AWS does.

use hangar_schema::pattern::{Pattern, Verdict};

use super::error::{QueryError, Violation};
use super::form::Form;

/// What a text must satisfy.
pub(super) struct Constraint {
    pub(super) shortest: usize,
    pub(super) longest: usize,
    pub(super) pattern: Option<&'static str>,
}

/// Reads the parameters of one call and remembers what is wrong with them.
pub(super) struct Reader<'a> {
    form: &'a Form,
    violations: Vec<Violation>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(form: &'a Form) -> Self {
        Self { form, violations: Vec::new() }
    }

    /// One of a fixed set of words. `path` is the parameter as messages spell it.
    pub(super) fn choice<T: Copy>(
        &mut self,
        name: &str,
        path: &'static str,
        choices: &[(&'static str, T)],
    ) -> Option<T> {
        let value = self.form.get(name)?;
        let chosen = choices.iter().find(|(word, _)| *word == value).map(|(_, choice)| *choice);
        if chosen.is_none() {
            let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
            self.violated(
                value,
                path,
                format!("Member must satisfy enum value set: [{}]", words.join(", ")),
            );
        }
        chosen
    }

    pub(super) fn text(
        &mut self,
        name: &str,
        path: &'static str,
        constraint: &Constraint,
    ) -> Option<&'a str> {
        let value = self.form.get(name)?;
        let length = value.chars().count();
        if length > constraint.longest {
            let longest = constraint.longest;
            self.violated(
                value,
                path,
                format!("Member must have length less than or equal to {longest}"),
            );
        }
        if length < constraint.shortest {
            let shortest = constraint.shortest;
            self.violated(
                value,
                path,
                format!("Member must have length greater than or equal to {shortest}"),
            );
        }
        if let Some(pattern) = constraint.pattern
            && Pattern::compile(pattern).matches_whole(value) != Verdict::Match
        {
            self.violated(
                value,
                path,
                format!("Member must satisfy regular expression pattern: {pattern}"),
            );
        }
        Some(value)
    }

    /// A whole number between two, both included.
    pub(super) fn number(
        &mut self,
        name: &str,
        path: &'static str,
        least: usize,
        most: usize,
    ) -> Option<usize> {
        let value = self.form.get(name)?;
        // What is too large for us is too large for any constraint here.
        let is_number =
            |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let number = match value.strip_prefix('-') {
            Some(digits) if is_number(digits) => 0,
            None if is_number(value) => value.parse().unwrap_or(usize::MAX),
            _ => {
                self.violated(value, path, "Member must be an integer".to_owned());
                return None;
            }
        };
        if number < least {
            self.violated(
                value,
                path,
                format!("Member must have value greater than or equal to {least}"),
            );
        }
        if number > most {
            self.violated(
                value,
                path,
                format!("Member must have value less than or equal to {most}"),
            );
        }
        Some(number)
    }

    /// The end of reading: what was read counts only if nothing was wrong.
    pub(super) fn finish(self) -> Result<(), QueryError> {
        if self.violations.is_empty() {
            return Ok(());
        }
        Err(QueryError::Invalid { violations: self.violations })
    }

    fn violated(&mut self, value: &str, path: &'static str, constraint: String) {
        self.violations.push(Violation { value: value.to_owned(), path, constraint });
    }
}
