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
    #[command(after_long_help = list::EXAMPLES)]
    List {
        /// Part of a type name, or a pattern with `*` and `?`
        pattern: Option<String>,
        /// Print the number of types per capability
        #[arg(long)]
        stats: bool,
    },
    /// Show the identifier, handlers and properties of a type
    #[command(long_about = show::DESCRIPTION, after_long_help = show::EXAMPLES)]
    Show {
        /// Resource type, such as `AWS.EC2/VPC`
        ///
        /// The spelling of CloudFormation, `AWS::EC2::VPC`, is accepted too.
        #[arg(value_name = "TYPE")]
        type_name: String,
        /// Show one property, such as `/Tags` or `/Tags/*/Key`
        #[arg(value_name = "POINTER")]
        pointer: Option<String>,
        /// Number of nested levels to show
        #[arg(long, value_name = "LEVELS", default_value_t = show::DEFAULT_DEPTH)]
        depth: usize,
        /// Print a Bicep template with a resource of the type
        #[arg(long, conflicts_with_all = ["pointer", "document", "depth"])]
        bicep: bool,
        /// Print the schema as JSON, without descriptions
        #[arg(long, conflicts_with_all = ["pointer", "depth"])]
        document: bool,
    },
    /// Write types for Bicep's editor and compiler
    #[command(long_about = bicep_types::DESCRIPTION, after_long_help = bicep_types::EXAMPLES)]
    BicepTypes {
        /// Folder for index.json and its files; created if missing
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
    /// Check properties against the schema of a type
    #[command(long_about = check::DESCRIPTION, after_long_help = check::EXAMPLES)]
    Check {
        /// Resource type, such as `AWS.EC2/VPC`
        ///
        /// The spelling of CloudFormation, `AWS::EC2::VPC`, is accepted too.
        #[arg(value_name = "TYPE")]
        type_name: String,
        /// JSON file with the properties, or `-` for stdin
        file: PathBuf,
    },
}

pub(crate) const EXAMPLES: &str = "Examples:
  hangar schema list vpc
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
