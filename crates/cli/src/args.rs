//! What was typed.

use clap::{Parser, ValueEnum};

use crate::commands::Command;

/// One address space and one idempotent API for what AWS, Terraform and Kubernetes create
#[derive(Debug, Parser)]
#[command(
    name = "hangar",
    version,
    arg_required_else_help = true,
    after_help = "Example:\n  hangar deploy main.bicep\n\n\
                  Exit codes: 0 done; 1 error; 2 changes found, from the commands whose help says so."
)]
pub(crate) struct Args {
    /// How data and errors are printed
    #[arg(short, long, global = true, value_name = "FORMAT", default_value = "table")]
    pub(crate) output: Output,
    /// When to color; `auto` looks at the terminal and `NO_COLOR`
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// How data and errors are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// For people: tables and text
    Table,
    /// For programs: one JSON document
    Json,
}

/// When to color.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Always, whatever the environment says
    Always,
    /// Never
    Never,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Args::command().debug_assert();
    }

    #[test]
    fn every_command_has_an_example_in_its_help() {
        fn check(command: &clap::Command) {
            for below in command.get_subcommands() {
                check(below);
            }
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("Example"), "{}", command.get_name());
        }
        check(&Args::command());
    }
}
