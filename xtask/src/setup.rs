//! Which tools the suites find here, which are installed for them, and which suites are skipped
//! without them.

use std::process::Stdio;

use crate::workspace::Root;
use crate::{node, postgresql, python, schemas};

/// A tool or folder that a suite may need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    Rustfmt,
    Clippy,
    PythonClients,
    NodeClients,
    Postgresql,
    CargoDeny,
    Schemas,
}

impl Tool {
    const ALL: [Self; 7] = [
        Self::Rustfmt,
        Self::Clippy,
        Self::PythonClients,
        Self::NodeClients,
        Self::Postgresql,
        Self::CargoDeny,
        Self::Schemas,
    ];

    /// What to call it and how to get it.
    pub(crate) fn describe(self) -> (&'static str, &'static str) {
        match self {
            Self::Rustfmt => ("rustfmt", "rustup component add rustfmt"),
            Self::Clippy => ("clippy", "rustup component add clippy"),
            Self::PythonClients => {
                (".tools/python", "cargo xtask setup (AWS's and Azure's clients, from PyPI)")
            }
            Self::NodeClients => {
                (".tools/node", "cargo xtask setup (Azure's SDK for JavaScript, from npm)")
            }
            Self::Postgresql => ("postgresql", "cargo xtask setup (apt's package `postgresql`)"),
            Self::CargoDeny => ("cargo-deny", "cargo install cargo-deny --locked (takes minutes)"),
            Self::Schemas => {
                (schemas::DEFAULT_FROM, "the published schemas, beside the repository")
            }
        }
    }

    /// Whether apt, PyPI or npm have it, so that no run need go without: `setup` installs it.
    pub(crate) fn is_installable(self) -> bool {
        matches!(self, Self::PythonClients | Self::NodeClients | Self::Postgresql)
    }

    /// What is skipped without it.
    fn suites(self) -> &'static str {
        match self {
            Self::Rustfmt => "suite `fmt` is",
            Self::Clippy => "suite `clippy` is",
            Self::PythonClients => "suites `clients` and `azure` are",
            Self::NodeClients => "suite `azure` is",
            Self::Postgresql => "tests of the PostgreSQL store are",
            Self::CargoDeny => "suite `deny` is",
            Self::Schemas => "suite `catalog` is",
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
            Self::PythonClients => python::is_here(root),
            Self::NodeClients => node::is_here(root),
            Self::Postgresql => postgresql::is_here(),
            Self::CargoDeny => runs(&["deny", "--version"]),
            Self::Schemas => root.join(schemas::DEFAULT_FROM).is_dir(),
        }
    }
}

/// How a tool stands.
enum State {
    Found,
    Installed,
    /// What to do about it, or why it could not be done.
    Missing(String),
}

/// What was found and installed.
pub(crate) struct Tools {
    states: Vec<(Tool, State)>,
}

impl Tools {
    /// Looks, and changes nothing.
    pub(crate) fn look(root: &Root) -> Self {
        Self::each(root, |tool| State::Missing(tool.describe().1.to_owned()))
    }

    /// Looks, and installs what is missing and can be had without asking.
    pub(crate) fn set_up(root: &Root) -> Self {
        Self::each(root, |tool| {
            let installed = match tool {
                Tool::PythonClients => python::install(root),
                Tool::NodeClients => node::install(root),
                Tool::Postgresql => postgresql::install(root),
                _ => return State::Missing(tool.describe().1.to_owned()),
            };
            match installed {
                Ok(()) => State::Installed,
                Err(error) => State::Missing(format!("{error:#}")),
            }
        })
    }

    fn each(root: &Root, missing: impl Fn(Tool) -> State) -> Self {
        let state = |tool: Tool| if tool.is_here(root) { State::Found } else { missing(tool) };
        Self { states: Tool::ALL.into_iter().map(|tool| (tool, state(tool))).collect() }
    }

    pub(crate) fn has(&self, tool: Tool) -> bool {
        let is_missing =
            |(one, state): &(Tool, State)| *one == tool && matches!(state, State::Missing(_));
        !self.states.iter().any(is_missing)
    }

    /// One line per tool: found, installed, or missing with the suite that is skipped and why.
    pub(crate) fn print(&self) {
        for (tool, state) in &self.states {
            let (name, _) = tool.describe();
            match state {
                State::Found => println!("{name:<20} found"),
                State::Installed => println!("{name:<20} installed"),
                State::Missing(why) => {
                    println!("{name:<20} missing → {} skipped; {why}", tool.suites());
                }
            }
        }
    }
}
