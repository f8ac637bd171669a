//! `hangar resource delete`: the resource goes, or only its name.

use clap::Args;
use hangar_diag::Diagnostic;
use serde::Serialize;

use super::list::is_default;
use super::target::{Is, Target, TargetArgs};
use crate::client::arm_error::Refusal;
use crate::client::request::Request;
use crate::client::shape::{Mapped, Reference};
use crate::codes;
use crate::connection::Connection;
use crate::exit::Exit;
use crate::failure::{Failure, Report};
use crate::follow;
use crate::printer::{Printer, Said};
use crate::session::{self, CallError, Presence, Session};

/// Which resource is deleted, and how.
#[derive(Debug, Args)]
pub(super) struct DeleteArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// Forget the name and leave the AWS resource alone
    #[arg(long)]
    detach: bool,
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
    /// Do not wait for the end
    #[arg(long)]
    no_wait: bool,
}

pub(super) const EXAMPLES: &str = "Examples:
  hangar resource delete AWS.EC2/VPC net
  hangar resource delete AWS.EC2/VPC net -g prod --yes
  hangar resource delete AWS.EC2/VPC net --detach

A resource that hangar created is deleted; of one that it took in only the name is. Without a
terminal --yes is needed, unless nothing but the name goes (--detach).";

/// What `-o json` prints.
#[derive(Serialize)]
struct Deleted<'a> {
    id: &'a str,
    /// `deleted`, `unlinked`, `accepted` with --no-wait, or `absent`: there was nothing.
    outcome: &'a str,
    operation: Option<String>,
}

pub(super) fn run(
    args: &DeleteArgs,
    connection: Connection,
    printer: &mut Printer,
) -> Result<Exit, Failure> {
    let target = args.target.find()?;
    let presence = if args.no_wait { Presence::Briefly } else { Presence::ToTheEnd };
    session::run(connection, printer, presence, async |session| {
        delete(session, args, &target).await
    })
}

fn not_confirmed(target: &Target) -> Failure {
    let message = format!("{} would be deleted, and there is nobody to ask", target.label);
    Diagnostic::error(codes::NOT_CONFIRMED, message)
        .hint("say --yes to delete it, or --detach to forget only its name")
        .into()
}

async fn delete(
    session: &mut Session<'_>,
    args: &DeleteArgs,
    target: &Target,
) -> Result<Exit, Failure> {
    let doing = format!("cannot delete {}", target.label);
    if !args.yes && !args.detach {
        let found = match session.read::<Reference>(&Request::get(&*target.id)).await {
            Err(CallError::Refused(refusal)) if is_absent(&refusal, args) => {
                return tell(session, target, "absent", None);
            }
            found => found.map_err(|error| error.while_doing(&doing))?.1,
        };
        match session.ask(&question(target, &found)).await {
            Said::Yes => {}
            Said::No => {
                let message = format!("{} was not deleted", target.label);
                return Err(Diagnostic::error(codes::DECLINED, message).into());
            }
            Said::Nothing => return Err(not_confirmed(target)),
        }
    }
    let request = if args.detach {
        Request::delete(detachable(session, target).await?).query("mode", "detach")
    } else {
        Request::delete(&*target.id)
    };
    let reply = match session.send(&request).await {
        Err(CallError::Refused(refusal)) if is_absent(&refusal, args) => {
            return tell(session, target, "absent", None);
        }
        reply => reply.map_err(|error| error.while_doing(&doing))?,
    };
    let Some(operation) = reply.operation else {
        let outcome = match (reply.status, args.detach) {
            (204, _) => "absent",
            (_, true) => "unlinked",
            (_, false) => "deleted",
        };
        return tell(session, target, outcome, None);
    };
    if args.no_wait {
        session.note(&super::put::goes_on(operation, session.ends_with_us()));
        return tell(session, target, "accepted", Some(operation.to_string()));
    }
    let label = format!("deleting {}", target.label);
    let (_, ended) = follow::to_end(session, operation, &label)
        .await
        .map_err(|error| error.while_doing(&doing))?;
    follow::warn(session, &ended);
    let unplaced = |diagnostics| vec![Report { source: None, diagnostics }];
    if let Some(failure) = follow::failure(&ended, unplaced) {
        return Err(failure);
    }
    let outcome = ended.properties.as_ref().map_or("deleted", |result| &result.outcome);
    tell(session, target, outcome, Some(operation.to_string()))
}

/// Whether a refusal says that there is nothing to delete. The default group is made on demand.
fn is_absent(refusal: &Refusal, args: &DeleteArgs) -> bool {
    let is_no_group = refusal.is("ResourceGroupNotFound");
    refusal.status == 404 && (!is_no_group || is_default(args.target.group()))
}

/// The id of the reference that is to be forgotten. Only a reference can be: to a delete of the AWS
/// resource itself no mode means that it stays.
async fn detachable(session: &mut Session<'_>, target: &Target) -> Result<String, Failure> {
    if target.is == Is::Reference {
        return Ok(target.id.clone());
    }
    let found = match session.read::<Mapped>(&Request::get(&*target.id)).await {
        Err(CallError::Refused(refusal)) if refusal.status == 404 => Mapped { tracked_by: None },
        found => {
            found.map_err(|error| error.while_doing(&format!("cannot detach {}", target.label)))?.1
        }
    };
    found.tracked_by.ok_or_else(|| {
        let message = format!("nothing to detach: no alias stands for {}", target.label);
        Diagnostic::error(codes::NOTHING_TO_DETACH, message)
            .hint("`hangar resource list` shows the aliases; give the type and the alias of the one to forget")
            .into()
    })
}

/// What a person is asked: what goes, and what stays.
fn question(target: &Target, found: &Reference) -> String {
    let place = found.aws_place();
    let place = place.map(|place| format!(" in account {}, {}", place.account, place.region));
    let place = place.unwrap_or_default();
    match (found.identifier(), found.owned_resource) {
        (Some(identifier), Some(false)) => {
            format!("forget {}? {identifier}{place} stays", target.label)
        }
        (Some(identifier), _) => format!("delete {}, which is {identifier}{place}?", target.label),
        (None, _) => format!("delete {}?", target.label),
    }
}

fn tell(
    session: &mut Session<'_>,
    target: &Target,
    outcome: &str,
    operation: Option<String>,
) -> Result<Exit, Failure> {
    session.printer.show(
        || match outcome {
            "absent" => format!("{} does not exist; nothing to delete", target.label),
            "accepted" => format!("deleting {}", target.label),
            outcome => follow::outcome_line(outcome, &target.label, None),
        },
        || Deleted { id: &target.id, outcome, operation },
    )?;
    Ok(Exit::Success)
}
