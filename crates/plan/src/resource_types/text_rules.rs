//! What the schema of a type, and cfn-lint, ask of texts: patterns, and the values that cfn-lint knows.

use std::fmt;
use std::sync::OnceLock;

use hangar_diag::Severity;
use hangar_schema::finding::Basis;
use hangar_schema::outline::{Limits, Outline};
use hangar_schema::pattern::{Certainty, Pattern, Verdict};
use hangar_schema::{Source, TypeSchema};
use hangar_template::resource_types::{TextFault, TextRules};

/// How many values a hint lists.
const MAX_LISTED: usize = 12;

/// The rules of one place in the documents of a type.
#[derive(Debug)]
pub(super) struct PlaceRules {
    stated: Option<LazyPattern>,
    advised: Option<LazyPattern>,
    /// The values that cfn-lint knows; empty if it knows none.
    values: Vec<String>,
    ignores_case: bool,
    /// Who states the pattern.
    origin: String,
}

impl PlaceRules {
    /// Nothing if no text is wrong here.
    pub(super) fn of(place: Outline<'_>, limits: &Limits<'_>, schema: &TypeSchema) -> Option<Self> {
        let edition = schema.source().edition().unwrap_or("a file");
        let is_aws = schema.source() != Source::CfnLint;
        let rules = Self {
            stated: limits.pattern.filter(|_| is_aws).map(LazyPattern::new),
            advised: limits.advised_pattern.map(LazyPattern::new),
            values: limits.advised.iter().filter_map(|it| it.as_str().map(str::to_owned)).collect(),
            ignores_case: place.ignores_case_of_advised(),
            origin: format!("according to the schema of {}, {edition}", schema.name()),
        };
        let is_empty = rules.stated.is_none() && rules.advised.is_none() && rules.values.is_empty();
        (!is_empty).then_some(rules)
    }

    fn is_known(&self, text: &str) -> bool {
        let is_same =
            |value: &String| value == text || self.ignores_case && value.eq_ignore_ascii_case(text);
        self.values.is_empty() || self.values.iter().any(is_same)
    }
}

impl TextRules for PlaceRules {
    fn check(&self, text: &str) -> Option<TextFault> {
        let no_match = |pattern: &LazyPattern, severity, origin: &str| TextFault {
            severity,
            message: format!("does not match the pattern `{}`", pattern.source),
            hint: format!("write a value that matches it, {origin}"),
        };
        if let Some(pattern) = &self.stated
            && let Some(severity) = pattern.refuses(text)
        {
            return Some(no_match(pattern, severity, &self.origin));
        }
        let origin = format!("according to {}", Basis::CFN_LINT_EDITION);
        if !self.is_known(text) {
            let more = if self.values.len() > MAX_LISTED { ", …" } else { "" };
            let listed: Vec<String> =
                self.values.iter().take(MAX_LISTED).map(|it| format!("`'{it}'`")).collect();
            return Some(TextFault {
                severity: Severity::Warning,
                message: "is not one of the known values".to_owned(),
                hint: format!("known values: {}{more}, {origin}", listed.join(", ")),
            });
        }
        let pattern = self.advised.as_ref().filter(|it| it.refuses(text).is_some())?;
        Some(no_match(pattern, Severity::Warning, &origin))
    }
}

/// A pattern that is compiled when a text is first held against it: most places of a type never are.
struct LazyPattern {
    source: String,
    compiled: OnceLock<Pattern>,
}

impl LazyPattern {
    fn new(source: &str) -> Self {
        Self { source: source.to_owned(), compiled: OnceLock::new() }
    }

    /// Whether a text does not match: an error if AWS reads the pattern in the same way.
    fn refuses(&self, text: &str) -> Option<Severity> {
        let pattern = self.compiled.get_or_init(|| Pattern::compile(&self.source));
        match (pattern.matches(text), pattern.certainty()) {
            (Verdict::Mismatch, Certainty::Checked) => Some(Severity::Error),
            (Verdict::Mismatch, Certainty::Advisory(_)) => Some(Severity::Warning),
            _ => None,
        }
    }
}

impl fmt::Debug for LazyPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LazyPattern").field(&self.source).finish()
    }
}
