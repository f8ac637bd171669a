//! The commands, one file per noun: each turns its arguments into calls of the core and prints.
//!
//! A command takes the printer and the inputs; it reads no environment and prints in no other way.

mod backup;
mod build;
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
mod key;
mod lint;
mod operation;
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
    /// Make what a template describes: create, update or nothing, each resource by its alias
    #[command(after_help = deploy::EXAMPLES)]
    Deploy(Box<deploy::DeployArgs>),
    /// What deploying a template would do, property by property
    #[command(after_help = plan::EXAMPLES)]
    Plan(Box<plan::PlanArgs>),
    /// Take away all that a deployment manages, and forget it
    #[command(after_help = destroy::EXAMPLES)]
    Destroy(Box<destroy::DestroyArgs>),
    /// Mistakes in templates, found before anything is deployed
    #[command(after_help = lint::EXAMPLES)]
    Lint(lint::LintArgs),
    /// Templates written the one way: spaces, line breaks and indentation
    #[command(after_help = fmt::EXAMPLES)]
    Fmt(fmt::FmtArgs),
    /// What a code of an error, a warning or a rule means, and what to do
    #[command(after_help = explain::EXAMPLES)]
    Explain(explain::ExplainArgs),
    /// A template of Bicep as ARM JSON, its modules in it
    #[command(after_help = build::EXAMPLES)]
    Build(build::BuildArgs),
    /// Deployments: list, show, cancel
    #[command(after_help = deployment::EXAMPLES)]
    Deployment(deployment::DeploymentArgs),
    /// Terraform modules by names that stay: deploy, show, delete, their states
    #[command(after_help = recipe::EXAMPLES)]
    Recipe(Box<recipe::RecipeArgs>),
    /// Manifests for Kubernetes with references to deployed values: put the values in their place
    #[command(after_help = resolve::EXAMPLES)]
    Resolve(Box<resolve::ResolveArgs>),
    /// A command that synthesizes a cdk8s app, so that its manifests hold references, or values
    #[command(after_help = run::EXAMPLES)]
    Run(Box<run::RunArgs>),
    /// Resources by names that stay: put, import, list, show, delete
    #[command(after_help = resource::EXAMPLES)]
    Resource(Box<resource::ResourceArgs>),
    /// Groups: where names live, and where their AWS resources go
    #[command(after_help = group::EXAMPLES)]
    Group(group::GroupArgs),
    /// What changed in AWS behind our back, and putting it right
    #[command(after_help = drift::EXAMPLES)]
    Drift(Box<drift::DriftArgs>),
    /// Asynchronous writes: list, show, wait, cancel
    #[command(after_help = operation::EXAMPLES)]
    Operation(operation::OperationArgs),
    /// Planes: the first name in every id
    #[command(after_help = plane::EXAMPLES)]
    Plane(plane::PlaneArgs),
    /// How calls to AWS are signed, per plane and account
    #[command(after_help = credential::EXAMPLES)]
    Credential(Box<credential::CredentialArgs>),
    /// The root key that secrets in the store are sealed with
    #[command(after_help = key::EXAMPLES)]
    Key(key::KeyArgs),
    /// The control plane over HTTP, for many commands and other clients
    #[command(after_help = serve::EXAMPLES)]
    Serve(Box<serve::ServeArgs>),
    /// A copy of the store in one file, while a server runs or nobody does
    #[command(after_help = backup::EXAMPLES)]
    Backup(backup::BackupArgs),
    /// A copy of the store in the place of the store
    #[command(after_help = restore::EXAMPLES)]
    Restore(restore::RestoreArgs),
    /// Names: take a resource id apart, make one from an ARN
    #[command(subcommand, after_help = id::EXAMPLES)]
    Id(id::IdCommand),
    /// What Terraform made: the resource ids of a state
    #[command(subcommand, after_help = terraform::EXAMPLES)]
    Terraform(terraform::TerraformCommand),
    /// Resource types: list, show, check properties
    #[command(subcommand, after_help = schema::EXAMPLES)]
    Schema(schema::SchemaCommand),
    /// The exact patch from live to desired, with a reason for each part
    #[command(after_help = diff::EXAMPLES)]
    Diff(diff::DiffArgs),
    /// A local AWS endpoint for any AWS SDK: Cloud Control, CloudFormation, STS; and stacks in it
    #[command(after_help = simulator::EXAMPLES)]
    Simulator(Box<simulator::SimulatorArgs>),
    /// Print what a shell completes command lines by
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
        Command::Deploy(args) => deploy::run(args, environment, printer, inputs),
        Command::Plan(args) => plan::run(args, environment, printer, inputs),
        Command::Destroy(args) => destroy::run(args, environment, printer),
        Command::Lint(args) => lint::run(args, environment, printer, inputs),
        Command::Fmt(args) => fmt::run(args, printer, inputs),
        Command::Explain(args) => explain::run(args, printer),
        Command::Build(args) => build::run(args, printer, inputs),
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
