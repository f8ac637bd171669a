//! What was typed.

use clap::{Parser, ValueEnum};

use crate::commands::Command;

const EXAMPLES: &str = "Examples:
  hangar init                  write a starter template, main.bicep
  hangar deploy main.bicep     create or update its resources

`hangar COMMAND --help` explains a command, with examples. AWS is a built-in simulator unless --aws
says otherwise.

Exit codes: 0 done; 1 error; 2 changes found, from the commands whose help says so, or no command
given.";

/// Deploy Bicep templates to AWS, and manage the resources that they create
#[derive(Debug, Parser)]
#[command(
    name = "hangar",
    version,
    arg_required_else_help = true,
    after_help = EXAMPLES
)]
pub(crate) struct Args {
    /// Format of data and errors
    #[arg(short, long, global = true, value_name = "FORMAT", default_value = "table")]
    pub(crate) output: Output,
    /// Whether to color the output
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
    /// For programs: one JSON document; deploy and destroy print JSON lines
    Json,
}

/// When to color.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Also into files and pipes
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
