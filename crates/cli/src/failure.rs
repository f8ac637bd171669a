//! Why a command stopped: what it has to say, or that nobody listens any more.

use std::io;

use hangar_diag::Diagnostic;
use serde::Serialize;

use crate::codes;
use crate::input::Source;

/// Why a command stopped.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Mistakes in what was given, each with the text that it is in.
    Reported(Vec<Report>),
    /// A control plane refused, or an operation ended badly: in its own words, and in ours.
    Answered {
        /// What programs tell refusals apart by.
        cause: Cause,
        /// What people are told.
        reports: Vec<Report>,
    },
    /// Standard output could not be written.
    Output(io::Error),
}

/// An error in the words of the HTTP API.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Cause {
    /// The status of the answer; none for an operation that ended badly.
    pub(crate) status: Option<u16>,
    /// The control plane's code, or AWS's own.
    pub(crate) code: String,
    /// What it is about.
    pub(crate) target: Option<String>,
}

/// Diagnostics about one text, or about none.
#[derive(Debug, Clone)]
pub(crate) struct Report {
    /// The text that the spans point into.
    pub(crate) source: Option<Source>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

impl Failure {
    /// The same with every hint in other words.
    pub(crate) fn with_hints(mut self, word: impl Fn(&str) -> String) -> Self {
        if let Self::Reported(reports) | Self::Answered { reports, .. } = &mut self {
            let all = reports.iter_mut().flat_map(|report| &mut report.diagnostics);
            for hint in all.flat_map(|diagnostic| &mut diagnostic.hints) {
                *hint = word(hint);
            }
        }
        self
    }

    /// The same with another word for every occurrence of a text, such as the name of a file.
    pub(crate) fn with_other_words(mut self, from: &str, to: &str) -> Self {
        if let Self::Reported(reports) | Self::Answered { reports, .. } = &mut self {
            for diagnostic in reports.iter_mut().flat_map(|report| &mut report.diagnostics) {
                diagnostic.message = diagnostic.message.replace(from, to);
            }
        }
        self.with_hints(|hint| hint.replace(from, to))
    }

    /// The same with one more hint on what it is about.
    pub(crate) fn hint(mut self, hint: String) -> Self {
        if let Self::Reported(reports) | Self::Answered { reports, .. } = &mut self {
            let mut all = reports.iter_mut().flat_map(|report| &mut report.diagnostics);
            if let Some(first) = all.next() {
                // Those are shown as one.
                for other in all.filter(|other| other.shares_cause_with(first)) {
                    other.hints.push(hint.clone());
                }
                first.hints.push(hint);
            }
        }
        self
    }

    /// Mistakes in one text.
    pub(crate) fn in_source(source: Source, diagnostics: Vec<Diagnostic>) -> Self {
        Self::Reported(vec![Report { source: Some(source), diagnostics }])
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::Reported(vec![Report { source: None, diagnostics: vec![diagnostic] }])
    }
}

impl From<io::Error> for Failure {
    /// Only a printer gives a bare IO error: files are read by [`crate::input`], which explains.
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Diagnostic::error(codes::UNEXPECTED, format!("{error:#}"))
            .hint("this is a bug in Hangar; please report it with the command that you ran")
            .into()
    }
}
