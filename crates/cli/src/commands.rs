//! The commands, one file per noun: each turns its arguments into calls of the core and prints.
//!
//! A command takes the printer and the inputs; it reads no environment and prints in no other way.

mod version;

use clap::Subcommand;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::Inputs;
use crate::printer::Printer;

/// A command and its arguments.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Print the version of this program
    #[command(after_help = version::EXAMPLES)]
    Version,
}

/// Runs one command to its end.
pub(crate) fn run(
    command: &Command,
    printer: &mut Printer,
    _inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    match command {
        Command::Version => version::run(printer),
    }
}
