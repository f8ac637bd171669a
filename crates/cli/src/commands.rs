//! The commands, one file per noun: each turns its arguments into calls of the core and prints.
//!
//! A command takes the printer and the inputs; it reads no environment and prints in no other way.

mod diff;
mod id;
mod schema;
mod simulator;
mod types;
mod version;

use clap::Subcommand;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::Inputs;
use crate::printer::Printer;

/// A command and its arguments.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Names: take a resource id apart, make one from an ARN
    #[command(subcommand, after_help = id::EXAMPLES)]
    Id(id::IdCommand),
    /// Resource types: list, show, check properties
    #[command(subcommand, after_help = schema::EXAMPLES)]
    Schema(schema::SchemaCommand),
    /// The exact patch from live to desired, with a reason for each part
    #[command(after_help = diff::EXAMPLES)]
    Diff(diff::DiffArgs),
    /// A local AWS endpoint for any AWS SDK: Cloud Control, CloudFormation types, STS
    #[command(after_help = simulator::EXAMPLES)]
    Simulator(Box<simulator::SimulatorArgs>),
    /// Print the version of this program
    #[command(after_help = version::EXAMPLES)]
    Version,
}

/// Runs one command to its end.
pub(crate) fn run(
    command: &Command,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    match command {
        Command::Id(command) => id::run(command, printer),
        Command::Schema(command) => schema::run(command, printer, inputs),
        Command::Diff(args) => diff::run(args, printer, inputs),
        Command::Simulator(args) => simulator::run(args, printer),
        Command::Version => version::run(printer),
    }
}
