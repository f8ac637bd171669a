//! `hangar recipe`: Terraform modules by names that stay, each one with its state in the control plane.

mod delete;
mod deploy;
mod failed;
mod follow;
pub(crate) mod parameters;
mod rows;
mod show;
mod source;
mod state;
mod summary;
mod unlock;

pub(crate) use failed::refused;
pub(crate) use rows::shown_address;

use clap::{Args, Subcommand};

use crate::client::ids::{self, DEFAULT_GROUP};
use crate::client::request::Request;
use crate::connection::{ConnectionArgs, Environment};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::Inputs;
use crate::printer::Printer;
use crate::session::{self, Presence, Session};

/// What to do with recipes.
#[derive(Debug, Args)]
pub(crate) struct RecipeArgs {
    #[command(flatten)]
    connection: ConnectionArgs,
    #[command(subcommand)]
    command: RecipeCommand,
}

#[derive(Debug, Subcommand)]
enum RecipeCommand {
    /// Run a Terraform module and keep its state
    #[command(long_about = deploy::DESCRIPTION, after_long_help = deploy::EXAMPLES)]
    Deploy(Box<deploy::DeployArgs>),
    /// Destroy the resources of a recipe
    #[command(long_about = delete::DESCRIPTION, after_long_help = delete::EXAMPLES)]
    Delete(delete::DeleteArgs),
    /// Show a recipe: its resources, outputs and last run
    #[command(long_about = show::SHOW_DESCRIPTION, after_long_help = show::SHOW_EXAMPLES)]
    Show(show::ShowArgs),
    /// List the recipes of a group
    #[command(after_long_help = show::LIST_EXAMPLES)]
    List {
        #[command(flatten)]
        group: InGroup,
    },
    /// Print the outputs of a recipe as JSON
    #[command(long_about = show::OUTPUTS_DESCRIPTION, after_long_help = show::OUTPUTS_EXAMPLES)]
    Outputs(RecipeName),
    /// Cancel a run of a recipe
    #[command(long_about = CANCEL_DESCRIPTION, after_long_help = CANCEL_EXAMPLES)]
    Cancel(RecipeName),
    /// Release a lock that was left on a state
    #[command(long_about = unlock::DESCRIPTION, after_long_help = unlock::EXAMPLES)]
    Unlock(unlock::UnlockArgs),
    /// List, show and push versions of a Terraform state
    #[command(subcommand, after_long_help = state::EXAMPLES)]
    State(state::StateCommand),
}

/// The group that is meant.
#[derive(Debug, Args)]
struct InGroup {
    /// Group of the recipe
    #[arg(short, long, value_name = "GROUP", default_value = DEFAULT_GROUP)]
    group: String,
}

/// The recipe that is meant.
#[derive(Debug, Args)]
struct RecipeName {
    /// Name of the recipe
    name: String,
    #[command(flatten)]
    group: InGroup,
}

impl RecipeName {
    fn id(&self) -> Result<String, Failure> {
        ids::recipe(&self.group.group, &self.name)
    }

    /// As commands name it: `net -g prod`.
    fn words(&self) -> String {
        summary::words(&self.name, &self.group.group)
    }
}

pub(crate) const DESCRIPTION: &str = "\
A recipe is a Terraform module that Hangar runs under a fixed name. The control plane keeps the
Terraform state, and lists the created resources by id. docs/terraform.md describes recipes.";

pub(crate) const EXAMPLES: &str = "Examples:
  hangar recipe deploy --source ./network -p cidr=10.0.0.0/16
  hangar recipe list";

const CANCEL_DESCRIPTION: &str = "\
Terraform finishes the calls that it has started. Finished changes are kept and recorded in the
state. Deploy again to continue.";

const CANCEL_EXAMPLES: &str = "Examples:
  hangar recipe cancel network -g prod";

pub(crate) fn run(
    args: &RecipeArgs,
    environment: &Environment,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    let connection = args.connection.choose(environment)?;
    match &args.command {
        RecipeCommand::Deploy(args) => deploy::run(args, connection, printer, inputs),
        RecipeCommand::Delete(args) => delete::run(args, connection, printer),
        RecipeCommand::Show(args) => show::run(args, connection, printer),
        RecipeCommand::List { group } => show::list(&group.group, connection, printer),
        RecipeCommand::Outputs(name) => show::outputs(name, connection, printer),
        RecipeCommand::Cancel(name) => {
            let id = name.id()?;
            let presence = connection.presence_for_existing(Presence::Briefly);
            session::run(connection, printer, presence, async |session| {
                cancel(session, name, &id).await
            })
        }
        RecipeCommand::Unlock(args) => unlock::run(args, connection, printer),
        RecipeCommand::State(command) => {
            state::run(command, connection, environment, printer, inputs)
        }
    }
}

async fn cancel(session: &mut Session<'_>, name: &RecipeName, id: &str) -> Result<Exit, Failure> {
    session
        .send(&Request::post(format!("{id}/cancel")))
        .await
        .map_err(|error| error.while_doing(&format!("cannot cancel recipe `{}`", name.name)))?;
    let text = format!(
        "canceling recipe {}; `hangar recipe show {}` shows the result",
        ids::quoted(&name.name),
        name.words()
    );
    let text = session.addressed(&text);
    session.printer.show(|| text, || serde_json::json!({"id": id, "outcome": "accepted"}))?;
    Ok(Exit::Success)
}
