//! `hangar resource`: names that stay, and the AWS resources that they stand for.

mod delete;
pub(crate) mod list;
mod pairs;
mod put;
mod show;
mod stated;
mod target;

use clap::{Args, Subcommand};

use crate::client::ids::DEFAULT_GROUP;
use crate::connection::{ConnectionArgs, Environment};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::Inputs;
use crate::printer::Printer;

/// What to do with resources.
#[derive(Debug, Args)]
pub(crate) struct ResourceArgs {
    #[command(flatten)]
    connection: ConnectionArgs,
    #[command(subcommand)]
    command: ResourceCommand,
}

#[derive(Debug, Subcommand)]
enum ResourceCommand {
    /// Make a resource what you state: create it, update it, or leave it alone
    #[command(after_help = put::EXAMPLES)]
    Put(put::PutArgs),
    /// List the resources of a group
    #[command(after_help = list::EXAMPLES)]
    List(list::ListArgs),
    /// Show a resource
    #[command(after_help = show::EXAMPLES)]
    Show(show::ShowArgs),
    /// Delete a resource, or only its name
    #[command(after_help = delete::EXAMPLES)]
    Delete(delete::DeleteArgs),
}

pub(crate) const EXAMPLES: &str = "Examples:
  hangar resource put AWS.EC2/VPC --alias net --properties CidrBlock=10.0.0.0/16
  hangar resource list";

/// The group that is meant.
#[derive(Debug, Args)]
struct GroupArg {
    /// The group that the alias is in
    #[arg(short, long, value_name = "GROUP", default_value = DEFAULT_GROUP)]
    group: String,
}

pub(crate) fn run(
    args: &ResourceArgs,
    environment: &Environment,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    let connection = args.connection.choose(environment)?;
    match &args.command {
        ResourceCommand::Put(args) => put::run(args, connection, printer, inputs),
        ResourceCommand::List(args) => list::run(args, connection, printer),
        ResourceCommand::Show(args) => show::run(args, connection, printer),
        ResourceCommand::Delete(args) => delete::run(args, connection, printer),
    }
}
