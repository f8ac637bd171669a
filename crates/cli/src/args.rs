//! What was typed.

use clap::{Parser, ValueEnum};

use crate::commands::Command;

/// Lists the global options after those of a command, and before `--help`.
const GLOBAL_ORDER: usize = 900;

const DESCRIPTION: &str = "\
Deploying a template creates its AWS resources; deploying it again updates the same resources.
Hangar records which AWS resource belongs to each alias in a template. The records are in the data
directory, a folder named .hangar.

AWS is a simulator that is built into this program, and needs no account. --aws real selects your
AWS account; docs/aws.md describes how.

Each command does its work in its own process. If a server (`hangar serve`) uses the data
directory, or if --server names one, the command sends its requests to that server.

`hangar COMMAND -h` lists the options of a command. `hangar COMMAND --help` also describes them and
shows examples.";

const SHORT_EXAMPLES: &str = "Examples:
  hangar init                  write a starter template, main.bicep
  hangar deploy main.bicep     create or update its resources
  hangar destroy main.bicep    delete them again

`hangar COMMAND --help` describes a command and shows examples.";

const EXAMPLES: &str = "Examples:
  # Write a starter template, main.bicep, and deploy it
  hangar init
  hangar plan main.bicep
  hangar deploy main.bicep

  # Delete its resources again
  hangar destroy main.bicep

Environment variables:
  HANGAR_SERVER     URL of the server, as with --server
  HANGAR_DATA_DIR   data directory, as with --data-dir
  HANGAR_STORE      database of a server, as with serve --store
  HANGAR_TERRAFORM  Terraform or OpenTofu program for `hangar recipe`
  NO_COLOR          no colors, as with --color never

Exit codes:
  0  success
  1  error, including an invalid command line
  2  no command was given, or a command such as `plan` found changes";

/// Deploy Bicep templates to AWS and manage their resources
#[derive(Debug, Parser)]
#[command(
    name = "hangar",
    version,
    arg_required_else_help = true,
    long_about = DESCRIPTION,
    after_help = SHORT_EXAMPLES,
    after_long_help = EXAMPLES
)]
pub(crate) struct Args {
    /// Output format: table or json
    #[arg(
        short,
        long,
        global = true,
        value_name = "FORMAT",
        default_value = "table",
        display_order = GLOBAL_ORDER
    )]
    pub(crate) output: Output,
    /// Color: auto, always or never
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        display_order = GLOBAL_ORDER + 1
    )]
    pub(crate) color: Color,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// How data and errors are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// Text and tables
    Table,
    /// One JSON document; deploy and destroy print JSON lines
    Json,
}

/// When to color.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Also in files and pipes
    Always,
    /// No color
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
}
