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
    #[command(after_help = init::EXAMPLES)]
    Init(init::InitArgs),
    /// Deploy a Bicep template: create or update its resources
    #[command(after_help = deploy::EXAMPLES)]
    Deploy(Box<deploy::DeployArgs>),
    /// Show what deploying a template would change
    #[command(after_help = plan::EXAMPLES)]
    Plan(Box<plan::PlanArgs>),
    /// Delete all resources of a deployment
    #[command(after_help = destroy::EXAMPLES)]
    Destroy(Box<destroy::DestroyArgs>),
    /// Check templates for mistakes before deploying
    #[command(after_help = lint::EXAMPLES)]
    Lint(lint::LintArgs),
    /// Format Bicep files
    #[command(after_help = fmt::EXAMPLES)]
    Fmt(fmt::FmtArgs),
    /// Explain an error code, a warning or a lint rule
    #[command(after_help = explain::EXAMPLES)]
    Explain(explain::ExplainArgs),
    /// Compile a Bicep template to ARM JSON, modules included
    #[command(after_help = build::EXAMPLES)]
    Build(build::BuildArgs),
    /// Compile a .bicepparam file to parameters JSON
    #[command(after_help = build_params::EXAMPLES)]
    BuildParams(build_params::BuildParamsArgs),
    /// Print the outputs of a deployment, for scripts
    #[command(after_help = output::EXAMPLES)]
    Output(Box<output::OutputArgs>),
    /// List, show and cancel deployments
    #[command(after_help = deployment::EXAMPLES)]
    Deployment(deployment::DeploymentArgs),
    /// Run Terraform modules, and keep their state
    #[command(after_help = recipe::EXAMPLES)]
    Recipe(Box<recipe::RecipeArgs>),
    /// Replace references in Kubernetes manifests by their values
    #[command(after_help = resolve::EXAMPLES)]
    Resolve(Box<resolve::ResolveArgs>),
    /// Run a cdk8s app with references in its manifests
    #[command(after_help = run::EXAMPLES)]
    Run(Box<run::RunArgs>),
    /// Manage single AWS resources by alias
    #[command(after_help = resource::EXAMPLES)]
    Resource(Box<resource::ResourceArgs>),
    /// Manage groups: where aliases and their resources live
    #[command(after_help = group::EXAMPLES)]
    Group(group::GroupArgs),
    /// Detect changes made outside Hangar, and repair them
    #[command(after_help = drift::EXAMPLES)]
    Drift(Box<drift::DriftArgs>),
    /// List, show, wait for and cancel operations
    #[command(after_help = operation::EXAMPLES)]
    Operation(operation::OperationArgs),
    /// Manage planes, the top level of ids (rarely needed)
    #[command(after_help = plane::EXAMPLES)]
    Plane(plane::PlaneArgs),
    /// Manage the credentials for calls to AWS
    #[command(after_help = credential::EXAMPLES)]
    Credential(Box<credential::CredentialArgs>),
    /// Rotate the key that encrypts secrets in the store
    #[command(after_help = key::EXAMPLES)]
    Key(key::KeyArgs),
    /// Run the control plane as an HTTP server
    #[command(after_help = serve::EXAMPLES)]
    Serve(Box<serve::ServeArgs>),
    /// Back up the store to a file
    #[command(after_help = backup::EXAMPLES)]
    Backup(backup::BackupArgs),
    /// Restore the store from a backup
    #[command(after_help = restore::EXAMPLES)]
    Restore(restore::RestoreArgs),
    /// Parse resource ids, and convert ARNs to ids
    #[command(subcommand, after_help = id::EXAMPLES)]
    Id(id::IdCommand),
    /// Print the resource ids in a Terraform state
    #[command(subcommand, after_help = terraform::EXAMPLES)]
    Terraform(terraform::TerraformCommand),
    /// List, show and check resource types
    #[command(subcommand, after_help = schema::EXAMPLES)]
    Schema(schema::SchemaCommand),
    /// Compute the patch from one set of properties to another
    #[command(after_help = diff::EXAMPLES)]
    Diff(diff::DiffArgs),
    /// Run a local AWS endpoint, and deploy stacks to it
    #[command(after_help = simulator::EXAMPLES)]
    Simulator(Box<simulator::SimulatorArgs>),
    /// Print a shell completion script
    #[command(after_help = completion::EXAMPLES)]
    Completion {
        /// The shell
        shell: Shell,
    },
    /// Print the version of this program
    #[command(after_help = version::EXAMPLES)]
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
        Command::Build(args) => build::run(args, printer, inputs),
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
