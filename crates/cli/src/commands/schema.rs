//! `hangar schema`: what the catalog knows of each resource type.

mod bicep_types;
mod check;
mod list;
mod place;
mod show;
mod tree;

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
        /// Show one property and what is in it, such as `/Tags` or `/Tags/*/Key`
        #[arg(value_name = "POINTER")]
        pointer: Option<String>,
        /// How many levels of members to show below the first
        #[arg(long, value_name = "LEVELS", default_value_t = show::DEFAULT_DEPTH)]
        depth: usize,
        /// Print a template with a resource of the type to begin with
        #[arg(long, conflicts_with_all = ["pointer", "document", "depth"])]
        bicep: bool,
        /// Print the schema itself, descriptions left out
        #[arg(long, conflicts_with_all = ["pointer", "depth"])]
        document: bool,
    },
    /// Write the types for Bicep's own editor and compiler
    #[command(after_help = bicep_types::EXAMPLES)]
    BicepTypes {
        /// The directory to write `index.json` and its files into; it is created if missing
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
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
  hangar schema show AWS.EC2/VPC
  hangar schema show AWS.EC2/SecurityGroup /SecurityGroupIngress
  hangar schema show AWS.SQS/Queue --bicep";

pub(crate) fn run(
    command: &SchemaCommand,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    match command {
        SchemaCommand::List { pattern, stats: false } => list::types(pattern.as_deref(), printer),
        SchemaCommand::List { pattern, stats: true } => list::stats(pattern.as_deref(), printer),
        SchemaCommand::Show { type_name, document: true, .. } => show::document(type_name, printer),
        SchemaCommand::Show { type_name, bicep: true, .. } => show::bicep(type_name, printer),
        SchemaCommand::Show { type_name, pointer: Some(pointer), depth, .. } => {
            show::property(type_name, pointer, *depth, printer)
        }
        SchemaCommand::Show { type_name, depth, .. } => show::summary(type_name, *depth, printer),
        SchemaCommand::BicepTypes { out } => bicep_types::run(out, printer),
        SchemaCommand::Check { type_name, file } => check::run(type_name, file, printer, inputs),
    }
}
