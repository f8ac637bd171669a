//! Which tools the suites find here, and which suites are skipped without them.

use std::process::Stdio;

use crate::schemas;
use crate::workspace::Root;

/// A tool or folder that a suite may need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    Rustfmt,
    Clippy,
    CargoDeny,
    Schemas,
}

impl Tool {
    const ALL: [Self; 4] = [Self::Rustfmt, Self::Clippy, Self::CargoDeny, Self::Schemas];

    /// What to call it and how to get it.
    pub(crate) fn describe(self) -> (&'static str, &'static str) {
        match self {
            Self::Rustfmt => ("rustfmt", "rustup component add rustfmt"),
            Self::Clippy => ("clippy", "rustup component add clippy"),
            Self::CargoDeny => ("cargo-deny", "cargo install cargo-deny --locked (takes minutes)"),
            Self::Schemas => {
                (schemas::DEFAULT_FROM, "the published schemas, beside the repository")
            }
        }
    }

    fn suite(self) -> &'static str {
        match self {
            Self::Rustfmt => "fmt",
            Self::Clippy => "clippy",
            Self::CargoDeny => "deny",
            Self::Schemas => "catalog",
        }
    }

    fn is_here(self, root: &Root) -> bool {
        let runs = |arguments: &[&str]| {
            let mut command = root.cargo(arguments);
            command.stdout(Stdio::null()).stderr(Stdio::null());
            command.status().is_ok_and(|status| status.success())
        };
        match self {
            Self::Rustfmt => runs(&["fmt", "--version"]),
            Self::Clippy => runs(&["clippy", "--version"]),
            Self::CargoDeny => runs(&["deny", "--version"]),
            Self::Schemas => root.join(schemas::DEFAULT_FROM).is_dir(),
        }
    }
}

/// What was found.
pub(crate) struct Tools {
    missing: Vec<Tool>,
}

impl Tools {
    pub(crate) fn look(root: &Root) -> Self {
        Self { missing: Tool::ALL.into_iter().filter(|tool| !tool.is_here(root)).collect() }
    }

    pub(crate) fn has(&self, tool: Tool) -> bool {
        !self.missing.contains(&tool)
    }

    /// One line per tool: found, or missing with the suite that is skipped and how to get it.
    pub(crate) fn print(&self) {
        for tool in Tool::ALL {
            let (name, how) = tool.describe();
            if self.has(tool) {
                println!("{name:<20} found");
            } else {
                println!("{name:<20} missing → suite `{}` is skipped; {how}", tool.suite());
            }
        }
    }
}
