//! Compares what we make of inputs with what others made of them, case by case.

mod bicep;
mod difference;
mod expression;
mod list_form;
mod public;

use std::process::ExitCode;

use anyhow::Result;

use crate::workspace::Root;

/// Compare results with files next to the repository
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  cargo xtask conformance bicep\n  cargo xtask conformance bicep --case Loops --all"
)]
pub(crate) struct Options {
    #[command(subcommand)]
    with: With,
}

#[derive(clap::Subcommand)]
enum With {
    Bicep(bicep::Options),
}

/// Whether everything is as equal as it was; nothing where there is nothing to compare with.
pub(crate) fn check(root: &Root) -> Result<Option<String>> {
    bicep::check(root)
}

pub(crate) fn run(options: &Options, root: &Root) -> Result<ExitCode> {
    match &options.with {
        With::Bicep(options) => bicep::run(options, root),
    }
}
