//! Which tools the suites find here, which are installed for them, and which suites are skipped
//! without them.

use std::process::Stdio;

use crate::workspace::Root;
use crate::{python, schemas};

/// A tool or folder that a suite may need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    Rustfmt,
    Clippy,
    AwsClients,
    CargoDeny,
    Schemas,
}

impl Tool {
    const ALL: [Self; 5] =
        [Self::Rustfmt, Self::Clippy, Self::AwsClients, Self::CargoDeny, Self::Schemas];

    /// What to call it and how to get it.
    pub(crate) fn describe(self) -> (&'static str, &'static str) {
        match self {
            Self::Rustfmt => ("rustfmt", "rustup component add rustfmt"),
            Self::Clippy => ("clippy", "rustup component add clippy"),
            Self::AwsClients => {
                (".tools/python", "cargo xtask setup (boto3 and the AWS CLI, from PyPI)")
            }
            Self::CargoDeny => ("cargo-deny", "cargo install cargo-deny --locked (takes minutes)"),
            Self::Schemas => {
                (schemas::DEFAULT_FROM, "the published schemas, beside the repository")
            }
        }
    }

    /// Whether apt or PyPI have it, so that no run need go without: `setup` installs it.
    pub(crate) fn is_installable(self) -> bool {
        self == Self::AwsClients
    }

    fn suite(self) -> &'static str {
        match self {
            Self::Rustfmt => "fmt",
            Self::Clippy => "clippy",
            Self::AwsClients => "clients",
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
            Self::AwsClients => python::is_here(root),
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
        Self::each(root, |tool| match tool {
            Tool::AwsClients => match python::install(root) {
                Ok(()) => State::Installed,
                Err(error) => State::Missing(format!("{error:#}")),
            },
            _ => State::Missing(tool.describe().1.to_owned()),
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
                    println!("{name:<20} missing → suite `{}` is skipped; {why}", tool.suite());
                }
            }
        }
    }
}
