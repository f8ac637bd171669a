//! `hangar resource`: names that stay, and the AWS resources that they stand for.

mod alias;
mod bicep;
mod delete;
mod depends;
mod discover;
mod identifier;
mod import;
pub(crate) mod list;
mod pairs;
mod patch;
mod put;
mod rename;
mod repair;
mod show;
mod stated;
pub(crate) mod target;
mod unknown;
mod unlearn;
pub(crate) mod write;

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
    /// Create a resource, or update it if it exists
    #[command(
        long_about = put::DESCRIPTION,
        after_long_help = put::EXAMPLES,
        // Two lines: clap does not wrap it.
        override_usage = "hangar resource put [OPTIONS] --alias <ALIAS>\n         \
                          --properties <KEY=VALUE>... <TYPE>"
    )]
    Put(Box<put::PutArgs>),
    /// Change some properties of a resource and keep the others
    #[command(long_about = patch::DESCRIPTION,
        after_long_help = patch::EXAMPLES)]
    Patch(patch::PatchArgs),
    /// Give existing AWS resources an alias
    #[command(long_about = import::DESCRIPTION,
        after_long_help = import::EXAMPLES, override_usage = import::USAGE)]
    Import(Box<import::ImportArgs>),
    /// List AWS resources that have no alias
    #[command(long_about = discover::DESCRIPTION,
        after_long_help = discover::EXAMPLES, override_usage = discover::USAGE)]
    Discover(Box<discover::DiscoverArgs>),
    /// List the resources of a group
    #[command(long_about = list::DESCRIPTION,
        after_long_help = list::EXAMPLES)]
    List(list::ListArgs),
    /// Show a resource
    #[command(long_about = show::DESCRIPTION, after_long_help = show::EXAMPLES)]
    Show(show::ShowArgs),
    /// Delete a resource, or only its alias
    #[command(long_about = delete::DESCRIPTION,
        after_long_help = delete::EXAMPLES)]
    Delete(delete::DeleteArgs),
    /// Remove an alias and keep the AWS resource
    #[command(long_about = delete::DETACH_DESCRIPTION, after_long_help = delete::DETACH_EXAMPLES)]
    Detach(delete::DetachArgs),
    /// Change the alias of a resource
    #[command(
        long_about = rename::DESCRIPTION,
        after_long_help = rename::EXAMPLES,
        override_usage = rename::USAGE,
        mut_arg("second", |arg| arg.value_name("NEW").help("New alias")),
    )]
    Rename(rename::RenameArgs),
    /// Apply the last applied properties again
    #[command(long_about = repair::DESCRIPTION,
        after_long_help = repair::EXAMPLES)]
    Repair(repair::RepairArgs),
    /// Forget AWS's forms of values
    #[command(long_about = unlearn::DESCRIPTION,
        after_long_help = unlearn::EXAMPLES)]
    Unlearn(unlearn::UnlearnArgs),
    /// Set the AWS resource of an alias in state unknown
    #[command(
        long_about = unknown::ADOPT_DESCRIPTION,
        after_long_help = unknown::ADOPT_EXAMPLES,
        override_usage = unknown::ADOPT_USAGE,
        mut_arg("second", |arg| arg.value_name("IDENTIFIER").help("Primary identifier of the resource")),
    )]
    Adopt(unknown::AdoptArgs),
    /// Remove an alias in state unknown
    #[command(long_about = unknown::ABANDON_DESCRIPTION,
        after_long_help = unknown::ABANDON_EXAMPLES)]
    Abandon(unknown::AbandonArgs),
}

pub(crate) const DESCRIPTION: &str = "\
An alias is your name for one AWS resource; it is unique per type in its group. Put, patch, show
and delete find the resource by its alias.";

pub(crate) const EXAMPLES: &str = "Examples:
  hangar resource put AWS.EC2/VPC --alias net --properties CidrBlock=10.0.0.0/16
  hangar resource import AWS.EC2/VPC vpc-0baaa0e2675526660 --alias old
  hangar resource list";

/// The group that is meant.
#[derive(Debug, Args)]
pub(crate) struct GroupArg {
    /// Group of the resources
    #[arg(short, long, value_name = "GROUP", default_value = DEFAULT_GROUP)]
    pub(crate) group: String,
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
        ResourceCommand::Patch(args) => patch::run(args, connection, printer, inputs),
        ResourceCommand::Import(args) => import::run(args, connection, printer, inputs),
        ResourceCommand::Discover(args) => discover::run(args, connection, printer),
        ResourceCommand::List(args) => list::run(args, connection, printer),
        ResourceCommand::Show(args) => show::run(args, connection, printer),
        ResourceCommand::Delete(args) => delete::run(args, connection, printer),
        ResourceCommand::Detach(args) => delete::detach(args, connection, printer),
        ResourceCommand::Rename(args) => rename::run(args, connection, printer),
        ResourceCommand::Repair(args) => repair::run(args, connection, printer),
        ResourceCommand::Unlearn(args) => unlearn::run(args, connection, printer),
        ResourceCommand::Adopt(args) => unknown::adopt(args, connection, printer),
        ResourceCommand::Abandon(args) => unknown::abandon(args, connection, printer),
    }
}
