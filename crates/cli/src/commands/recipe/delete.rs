//! `hangar recipe delete`: Terraform destroys what a recipe made, then the recipe is forgotten.

use clap::Args;
use hangar_diag::Diagnostic;
use serde::Serialize;

use super::{RecipeName, failed, follow, summary};
use crate::client::recipe::Recipe;
use crate::client::request::Request;
use crate::codes;
use crate::commands::resource::list::is_default;
use crate::connection::Connection;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::follow::outcome_line;
use crate::printer::{Printer, Said};
use crate::render::counted;
use crate::session::{self, CallError, Presence, Session};

/// Which recipe is deleted, and how.
#[derive(Debug, Args)]
pub(super) struct DeleteArgs {
    #[command(flatten)]
    name: RecipeName,
    /// Do not ask for confirmation
    #[arg(short, long)]
    yes: bool,
}

pub(super) const DESCRIPTION: &str = "\
Terraform destroys all resources of the recipe, with the module and the values of its last
deployment. Then the recipe and its state are deleted. On a terminal the command asks for
confirmation; without a terminal it needs --yes.

If a resource cannot be destroyed, the recipe stays with its remaining resources; run the same
command again to continue.";

pub(super) const EXAMPLES: &str = "Examples:
  hangar recipe delete network
  hangar recipe delete network -g prod --yes";

/// What `-o json` prints.
#[derive(Serialize)]
struct Deleted<'a> {
    id: &'a str,
    /// `deleted`, or `absent`: there was nothing.
    outcome: &'a str,
    operation: Option<String>,
}

pub(super) fn run(
    args: &DeleteArgs,
    connection: Connection,
    printer: &mut Printer,
) -> Result<Exit, Failure> {
    let id = args.name.id()?;
    let presence = connection.presence_for_existing(Presence::ToTheEnd);
    session::run(connection, printer, presence, async |session| delete(session, args, &id).await)
}

async fn delete(session: &mut Session<'_>, args: &DeleteArgs, id: &str) -> Result<Exit, Failure> {
    let name = args.name.name.as_str();
    let doing = format!("cannot delete recipe `{name}`");
    if !args.yes {
        let found = match session.read::<Recipe>(&Request::get(id)).await {
            Err(CallError::Refused(refusal)) if is_absent(&refusal, args) => {
                return tell(session, args, id, "absent", None);
            }
            found => found.map_err(|error| failed::refused(error, &doing))?.1,
        };
        confirm(session, name, &found).await?;
    }
    let mut was_left = false;
    let reply = loop {
        match session.send(&Request::delete(id)).await {
            Err(CallError::Refused(refusal)) if is_absent(&refusal, args) => {
                return tell(session, args, id, "absent", None);
            }
            Err(CallError::Refused(refusal))
                if refusal.status == 409
                    && session.ends_with_us()
                    && !was_left
                    && refusal.error.operation().is_some() =>
            {
                was_left = true;
                finish(session, id, name, &refusal).await?;
            }
            reply => break reply.map_err(|error| failed::refused(error, &doing))?,
        }
    };
    let Some(operation) = reply.operation else {
        let outcome = if reply.status == 204 { "absent" } else { "deleted" };
        return tell(session, args, id, outcome, None);
    };
    let label = format!("deleting {name}");
    let ended = follow::to_end(session, id, &label, operation).await;
    let ended = ended.map_err(|error| failed::refused(error, &doing))?;
    let again = format!("try again: `hangar recipe delete {} --yes`", args.name.words());
    if let Some(failure) = failed::run(&ended.operation, &doing, &again, None) {
        return Err(failure);
    }
    tell(session, args, id, "deleted", Some(operation.to_string()))
}

/// Follows a run that a command of this directory has left, and that goes on now; how it ends does not stop us.
async fn finish(
    session: &mut Session<'_>,
    id: &str,
    name: &str,
    refusal: &crate::client::arm_error::Refusal,
) -> Result<(), Failure> {
    let Some(operation) = refusal.error.operation() else { return Ok(()) };
    session.note(&format!(
        "a run of `{name}` is unfinished (operation {operation}); finishing it first"
    ));
    let doing = format!("cannot delete recipe `{name}`");
    let ended = follow::to_end(session, id, name, operation).await;
    ended.map(drop).map_err(|error| failed::refused(error, &doing))
}

/// Whether a refusal says that there is nothing to delete. The default group is made on demand.
fn is_absent(refusal: &crate::client::arm_error::Refusal, args: &DeleteArgs) -> bool {
    let is_no_group = refusal.is("ResourceGroupNotFound");
    refusal.status == 404 && (!is_no_group || is_default(&args.name.group.group))
}

async fn confirm(session: &mut Session<'_>, name: &str, found: &Recipe) -> Result<(), Failure> {
    let properties = &found.properties;
    let resources = &properties.status.output_resources;
    let holds = properties.state.as_ref().and_then(|state| state.instances).unwrap_or_default();
    if session.printer.can_ask() && !resources.is_empty() {
        let listed = summary::resources(resources, session.printer.width());
        session.printer.preview(&format!("these resources will be destroyed:\n{listed}"));
    }
    let effect = match usize::try_from(holds).unwrap_or(usize::MAX) {
        0 => "destroys no resources".to_owned(),
        count => format!("destroys {}", counted(count, "resource")),
    };
    match session.ask(&format!("delete recipe `{name}`? this {effect}")).await {
        Said::Yes => Ok(()),
        Said::No => {
            let message = format!("recipe `{name}` was not deleted");
            Err(Diagnostic::error(codes::DECLINED, message).into())
        }
        Said::Nothing => {
            let what = format!("deleting recipe `{name}` {effect}");
            Err(session.printer.unconfirmed(&what).into())
        }
    }
}

fn tell(
    session: &mut Session<'_>,
    args: &DeleteArgs,
    id: &str,
    outcome: &str,
    operation: Option<String>,
) -> Result<Exit, Failure> {
    let subject = format!("recipe `{}`", args.name.name);
    session.printer.show(
        || match outcome {
            "absent" => format!("{subject} does not exist; nothing to delete"),
            outcome => outcome_line(outcome, &subject, None),
        },
        || Deleted { id, outcome, operation },
    )?;
    Ok(Exit::Success)
}
