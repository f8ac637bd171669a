//! The constraints that the API models put on parameters: choices, lengths, patterns, ranges.
//!
//! All are checked before any is reported, as AWS does.

use hangar_schema::pattern::{Pattern, Verdict};

use super::call::Service;
use super::error::{Given, QueryError, Violation};
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
    service: Service,
    violations: Vec<Violation>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(form: &'a Form, service: Service) -> Self {
        Self { form, service, violations: Vec::new() }
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
                given(value),
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
        self.hold(value, &given(value), path, constraint);
        Some(value)
    }

    /// A text without which there is no call.
    pub(super) fn required(
        &mut self,
        name: &str,
        path: &'static str,
        constraint: &Constraint,
    ) -> Option<&'a str> {
        let value = self.text(name, path, constraint);
        if value.is_none() {
            self.missing(path);
        }
        value
    }

    /// A text without which there is no call, and which is not repeated.
    pub(super) fn secret(
        &mut self,
        name: &str,
        path: &'static str,
        constraint: &Constraint,
    ) -> Option<&'a str> {
        let value = self.form.get(name);
        match value {
            Some(value) => self.hold(value, &Given::Secret, path, constraint),
            None => self.missing(path),
        }
        value
    }

    fn missing(&mut self, path: &'static str) {
        self.violated(Given::Nothing, path, "Member must not be null".to_owned());
    }

    fn hold(&mut self, value: &str, told: &Given, path: &'static str, constraint: &Constraint) {
        let length = value.chars().count();
        if length > constraint.longest {
            let longest = constraint.longest;
            self.violated(
                told.clone(),
                path,
                format!("Member must have length less than or equal to {longest}"),
            );
        }
        if length < constraint.shortest {
            let shortest = constraint.shortest;
            self.violated(
                told.clone(),
                path,
                format!("Member must have length greater than or equal to {shortest}"),
            );
        }
        if let Some(pattern) = constraint.pattern
            && Pattern::compile(pattern).matches_whole(value) != Verdict::Match
        {
            self.violated(
                told.clone(),
                path,
                format!("Member must satisfy regular expression pattern: {pattern}"),
            );
        }
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
                self.violated(given(value), path, "Member must be an integer".to_owned());
                return None;
            }
        };
        if number < least {
            self.violated(
                given(value),
                path,
                format!("Member must have value greater than or equal to {least}"),
            );
        }
        if number > most {
            self.violated(
                given(value),
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
        Err(QueryError::Invalid { service: self.service, violations: self.violations })
    }

    fn violated(&mut self, value: Given, path: &'static str, constraint: String) {
        self.violations.push(Violation { value, path, constraint });
    }
}

fn given(value: &str) -> Given {
    Given::Value(value.to_owned())
}
