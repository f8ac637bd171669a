//! `hangar schema`: what the catalog knows of each resource type.

mod check;
mod list;
mod show;

use std::path::PathBuf;

use clap::Subcommand;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::Inputs;
use crate::printer::Printer;

/// What to do with schemas.
#[derive(Debug, Subcommand)]
pub(crate) enum SchemaCommand {
    /// List resource types
    #[command(after_help = list::EXAMPLES)]
    List {
        /// Part of a name, or a pattern with `*` and `?`, in either spelling
        pattern: Option<String>,
        /// Count what the types can do instead of listing them
        #[arg(long)]
        stats: bool,
    },
    /// Show a type: its identifier, handlers and properties
    #[command(after_help = show::EXAMPLES)]
    Show {
        /// The resource type, `AWS.EC2/VPC` or `AWS::EC2::VPC`
        #[arg(value_name = "TYPE")]
        type_name: String,
        /// Print the schema itself, descriptions left out
        #[arg(long)]
        document: bool,
    },
    /// Check properties against the schema of a type
    #[command(after_help = check::EXAMPLES)]
    Check {
        /// The resource type, `AWS.EC2/VPC` or `AWS::EC2::VPC`
        #[arg(value_name = "TYPE")]
        type_name: String,
        /// Properties as JSON, `-` for standard input
        file: PathBuf,
    },
}

pub(crate) const EXAMPLES: &str = "Example:
  hangar schema show AWS.EC2/VPC";

pub(crate) fn run(
    command: &SchemaCommand,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    match command {
        SchemaCommand::List { pattern, stats: false } => list::types(pattern.as_deref(), printer),
        SchemaCommand::List { pattern, stats: true } => list::stats(pattern.as_deref(), printer),
        SchemaCommand::Show { type_name, document: false } => show::summary(type_name, printer),
        SchemaCommand::Show { type_name, document: true } => show::document(type_name, printer),
        SchemaCommand::Check { type_name, file } => check::run(type_name, file, printer, inputs),
    }
}
