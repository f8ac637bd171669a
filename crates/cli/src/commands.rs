//! The commands, one file per noun: each turns its arguments into calls of the core and prints.
//!
//! A command takes the printer and the inputs; it reads no environment and prints in no other way.

mod backup;
mod build;
mod build_params;
mod completion;
mod credential;
mod deploy;
mod deployment;
mod destroy;
mod diff;
mod drift;
mod exclusive;
mod explain;
pub(crate) mod fmt;
mod group;
mod id;
mod init;
mod key;
mod lint;
mod operation;
mod output;
pub(crate) mod place;
mod plan;
mod plane;
mod recipe;
mod resolve;
mod resource;
mod restore;
mod run;
mod schema;
mod serve;
pub(crate) mod simulator;
mod store_file;
mod terraform;
pub(crate) mod types;
mod version;

use clap::Subcommand;
use clap_complete::Shell;

use crate::connection::Environment;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::Inputs;
use crate::printer::Printer;

/// A command and its arguments.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write a starter template into a folder
    #[command(long_about = init::DESCRIPTION, after_long_help = init::EXAMPLES)]
    Init(init::InitArgs),
    /// Deploy a Bicep template
    #[command(long_about = deploy::DESCRIPTION, after_long_help = deploy::EXAMPLES)]
    Deploy(Box<deploy::DeployArgs>),
    /// Show the changes that a deployment would make
    #[command(long_about = plan::DESCRIPTION, after_long_help = plan::EXAMPLES)]
    Plan(Box<plan::PlanArgs>),
    /// Delete all resources of a deployment
    #[command(long_about = destroy::DESCRIPTION, after_long_help = destroy::EXAMPLES)]
    Destroy(Box<destroy::DestroyArgs>),
    /// Check templates for errors before deploying
    #[command(long_about = lint::DESCRIPTION, after_long_help = lint::EXAMPLES)]
    Lint(lint::LintArgs),
    /// Format Bicep files
    #[command(long_about = fmt::DESCRIPTION, after_long_help = fmt::EXAMPLES)]
    Fmt(fmt::FmtArgs),
    /// Explain an error code or a lint rule
    #[command(long_about = explain::DESCRIPTION, after_long_help = explain::EXAMPLES)]
    Explain(explain::ExplainArgs),
    /// Compile a Bicep template and its modules to ARM JSON
    #[command(long_about = build::DESCRIPTION, after_long_help = build::EXAMPLES)]
    Build(build::BuildArgs),
    /// Compile a .bicepparam file to ARM parameters JSON
    #[command(long_about = build_params::DESCRIPTION, after_long_help = build_params::EXAMPLES)]
    BuildParams(build_params::BuildParamsArgs),
    /// Print the outputs of a deployment
    #[command(long_about = output::DESCRIPTION, after_long_help = output::EXAMPLES)]
    Output(Box<output::OutputArgs>),
    /// List, show and cancel deployments
    #[command(after_long_help = deployment::EXAMPLES)]
    Deployment(deployment::DeploymentArgs),
    /// Run Terraform modules and keep their state
    #[command(long_about = recipe::DESCRIPTION, after_long_help = recipe::EXAMPLES)]
    Recipe(Box<recipe::RecipeArgs>),
    /// Replace references in Kubernetes manifests with values
    #[command(long_about = resolve::DESCRIPTION, after_long_help = resolve::EXAMPLES)]
    Resolve(Box<resolve::ResolveArgs>),
    /// Run a cdk8s app and write references into its manifests
    #[command(long_about = run::DESCRIPTION, after_long_help = run::EXAMPLES)]
    Run(Box<run::RunArgs>),
    /// Manage single AWS resources by alias
    #[command(long_about = resource::DESCRIPTION, after_long_help = resource::EXAMPLES)]
    Resource(Box<resource::ResourceArgs>),
    /// Manage groups of aliases, recipes and deployments
    #[command(after_long_help = group::EXAMPLES)]
    Group(group::GroupArgs),
    /// Detect changes made outside Hangar and repair them
    #[command(long_about = drift::DESCRIPTION, after_long_help = drift::EXAMPLES)]
    Drift(Box<drift::DriftArgs>),
    /// List, show, wait for and cancel operations
    #[command(after_long_help = operation::EXAMPLES)]
    Operation(operation::OperationArgs),
    /// Manage planes, the top level of ids (rarely needed)
    #[command(long_about = plane::DESCRIPTION, after_long_help = plane::EXAMPLES)]
    Plane(plane::PlaneArgs),
    /// Manage the credentials for AWS calls
    #[command(long_about = credential::DESCRIPTION, after_long_help = credential::EXAMPLES)]
    Credential(Box<credential::CredentialArgs>),
    /// Rotate the key that encrypts secrets in the store
    #[command(after_long_help = key::EXAMPLES)]
    Key(key::KeyArgs),
    /// Run Hangar as an HTTP server
    #[command(long_about = serve::DESCRIPTION, after_long_help = serve::EXAMPLES)]
    Serve(Box<serve::ServeArgs>),
    /// Back up the store to a file
    #[command(long_about = backup::DESCRIPTION, after_long_help = backup::EXAMPLES)]
    Backup(backup::BackupArgs),
    /// Restore the store from a backup
    #[command(long_about = restore::DESCRIPTION, after_long_help = restore::EXAMPLES)]
    Restore(restore::RestoreArgs),
    /// Parse resource ids and convert ARNs to ids
    #[command(subcommand, after_long_help = id::EXAMPLES)]
    Id(id::IdCommand),
    /// Print the resource ids in a Terraform state
    #[command(subcommand, after_long_help = terraform::EXAMPLES)]
    Terraform(terraform::TerraformCommand),
    /// List, show and check resource types
    #[command(subcommand, after_long_help = schema::EXAMPLES)]
    Schema(schema::SchemaCommand),
    /// Compute the patch between two sets of properties
    #[command(long_about = diff::DESCRIPTION, after_long_help = diff::EXAMPLES)]
    Diff(diff::DiffArgs),
    /// Run a local AWS simulator and deploy stacks to it
    #[command(long_about = simulator::DESCRIPTION, after_long_help = simulator::EXAMPLES)]
    Simulator(Box<simulator::SimulatorArgs>),
    /// Print a shell completion script
    #[command(after_long_help = completion::EXAMPLES)]
    Completion {
        /// Shell
        shell: Shell,
    },
    /// Print the version
    #[command(after_long_help = version::EXAMPLES)]
    Version,
}

/// Runs one command to its end.
pub(crate) fn run(
    command: &Command,
    environment: &Environment,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    match command {
        Command::Init(args) => init::run(args, printer),
        Command::Deploy(args) => deploy::run(args, environment, printer, inputs),
        Command::Plan(args) => plan::run(args, environment, printer, inputs),
        Command::Destroy(args) => destroy::run(args, environment, printer, inputs),
        Command::Lint(args) => lint::run(args, environment, printer, inputs),
        Command::Fmt(args) => fmt::run(args, printer, inputs),
        Command::Explain(args) => explain::run(args, printer),
        Command::Build(args) => build::run(args, environment, printer, inputs),
        Command::BuildParams(args) => build_params::run(args, environment, printer, inputs),
        Command::Output(args) => output::run(args, environment, printer, inputs),
        Command::Deployment(args) => deployment::run(args, environment, printer),
        Command::Recipe(args) => recipe::run(args, environment, printer, inputs),
        Command::Resolve(args) => resolve::run(args, environment, printer, inputs),
        Command::Run(args) => run::run(args, environment, printer, inputs),
        Command::Resource(args) => resource::run(args, environment, printer, inputs),
        Command::Group(args) => group::run(args, environment, printer, inputs),
        Command::Drift(args) => drift::run(args, environment, printer),
        Command::Plane(args) => plane::run(args, environment, printer),
        Command::Operation(args) => operation::run(args, environment, printer),
        Command::Credential(args) => credential::run(args, environment, printer, inputs),
        Command::Key(args) => key::run(args, environment, printer),
        Command::Serve(args) => serve::run(args, environment, printer),
        Command::Backup(args) => backup::run(args, environment, printer),
        Command::Restore(args) => restore::run(args, environment, printer),
        Command::Completion { shell } => completion::run(*shell, printer),
        Command::Id(command) => id::run(command, printer),
        Command::Terraform(command) => terraform::run(command, printer, inputs),
        Command::Schema(command) => schema::run(command, printer, inputs),
        Command::Diff(args) => diff::run(args, printer, inputs),
        Command::Simulator(args) => simulator::run(args, environment, printer, inputs),
        Command::Version => version::run(printer),
    }
}
