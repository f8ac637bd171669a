//! Plays seeds and sweeps crashes in the release profile: what is played and how is `crates/simulation`.

use std::process::ExitCode;

use anyhow::{Context as _, Result};

use crate::workspace::{Root, shown};

/// Search for crashes and races that break an invariant; `--help` lists the options
#[derive(clap::Args)]
#[command(
    disable_help_flag = true,
    after_help = "Examples:\n  cargo xtask simulate --seeds 10000\n  cargo xtask simulate --seed 4711\n  \
                  cargo xtask simulate --sweep pairs"
)]
pub(crate) struct Options {
    /// Options of the search
    #[arg(allow_hyphen_values = true, trailing_var_arg = true)]
    arguments: Vec<String>,
}

/// The search's own exit code: a seed that breaks something is no error of this program.
pub(crate) fn run(options: &Options, root: &Root) -> Result<ExitCode> {
    let mut command =
        root.cargo(&["run", "--quiet", "--release", "--package", "hangar-simulation", "--"]);
    command.args(&options.arguments);
    let status = command.status().with_context(|| format!("cannot start {}", shown(&command)))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
