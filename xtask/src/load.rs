//! Loads the release binary: what is measured and how is the generator's, `crates/cli/benches/load`.

use std::process::ExitCode;

use anyhow::{Context as _, Result};

use crate::workspace::{Root, shown};

/// Measure the control plane at a million references; `--help` lists the options
#[derive(clap::Args)]
#[command(
    disable_help_flag = true,
    after_help = "Example:\n  cargo xtask load --store sqlite --only reads,lists"
)]
pub(crate) struct Options {
    /// Options of the load generator
    #[arg(allow_hyphen_values = true, trailing_var_arg = true)]
    arguments: Vec<String>,
}

/// The generator's own exit code: a ratio past its gate is no error of this program.
pub(crate) fn run(options: &Options, root: &Root) -> Result<ExitCode> {
    let mut command = root.cargo(&["bench", "--package", "hangar", "--bench", "load", "--"]);
    command.args(&options.arguments);
    let status = command.status().with_context(|| format!("cannot start {}", shown(&command)))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
