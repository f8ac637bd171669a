//! `hangar resource delete`: the resource goes, or only its name.

use clap::Args;
use hangar_diag::Diagnostic;
use serde::Serialize;

use super::list::is_default;
use super::target::{Is, Target, TargetArgs};
use super::write::{Wait, goes_on, nowhere};
use crate::client::arm_error::Refusal;
use crate::client::request::Request;
use crate::client::shape::{Mapped, Reference};
use crate::codes;
use crate::connection::Connection;
use crate::exit::Exit;
use crate::failure::{Cause, Failure};
use crate::follow;
use crate::printer::{Printer, Said};
use crate::session::{self, CallError, Session};

/// Which resource is deleted, and how.
#[derive(Debug, Args)]
pub(super) struct DeleteArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// Remove the alias and keep the AWS resource
    #[arg(long)]
    detach: bool,
    /// Do not ask for confirmation
    #[arg(short, long)]
    yes: bool,
    /// Do not wait for the operation to end
    #[arg(long)]
    no_wait: bool,
}

pub(super) const DESCRIPTION: &str = "\
A resource that Hangar owns is deleted in AWS. Of an imported resource that is not owned, only the
alias is removed. On a terminal the command asks for confirmation. Without a terminal it needs
--yes, unless only the alias is removed (--detach).";

pub(super) const EXAMPLES: &str = "Examples:
  hangar resource delete AWS.EC2/VPC net
  hangar resource delete AWS.EC2/VPC --alias net -g prod --yes
  hangar resource delete AWS.EC2/VPC net --detach";

/// Which name is forgotten.
#[derive(Debug, Args)]
pub(super) struct DetachArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// Do not wait for the operation to end
    #[arg(long)]
    no_wait: bool,
}

pub(super) const DETACH_DESCRIPTION: &str = "\
The AWS resource does not change, even if Hangar owns it. `hangar resource import` creates an
alias for it again.";

pub(super) const DETACH_EXAMPLES: &str = "Examples:
  hangar resource detach AWS.EC2/VPC net
  hangar resource detach AWS.EC2/VPC --alias net -g prod";

/// What `-o json` prints.
#[derive(Serialize)]
struct Deleted<'a> {
    id: &'a str,
    /// `deleted`, `unlinked`, `accepted` with --no-wait, or `absent`: there was nothing.
    outcome: &'a str,
    operation: Option<String>,
}

/// What goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Removal {
    /// The resource if it is owned, else its name.
    ByOwnership,
    /// The name.
    Detach,
    /// The name of what nobody knows.
    Abandon,
}

impl Removal {
    fn base(self) -> &'static str {
        match self {
            Self::ByOwnership => "delete",
            Self::Detach => "detach",
            Self::Abandon => "abandon",
        }
    }

    fn under_way(self) -> &'static str {
        match self {
            Self::ByOwnership => "deleting",
            Self::Detach => "detaching",
            Self::Abandon => "abandoning",
        }
    }
}

pub(super) fn run(
    args: &DeleteArgs,
    connection: Connection,
    printer: &mut Printer,
) -> Result<Exit, Failure> {
    let target = args.target.find()?;
    let wait = Wait::unless(args.no_wait);
    let presence = connection.presence_for_existing(wait.presence());
    session::run(connection, printer, presence, async |session| {
        if args.detach {
            return detach_one(session, &args.target, target, wait).await;
        }
        delete(session, args, &target, wait).await
    })
}

pub(super) fn detach(
    args: &DetachArgs,
    connection: Connection,
    printer: &mut Printer,
) -> Result<Exit, Failure> {
    let target = args.target.find()?;
    let wait = Wait::unless(args.no_wait);
    let presence = connection.presence_for_existing(wait.presence());
    session::run(connection, printer, presence, async |session| {
        detach_one(session, &args.target, target, wait).await
    })
}

async fn delete(
    session: &mut Session<'_>,
    args: &DeleteArgs,
    target: &Target,
    wait: Wait,
) -> Result<Exit, Failure> {
    if !args.yes {
        let found = match session.read::<Reference>(&Request::get(&*target.id)).await {
            Err(CallError::Refused(refusal)) if is_absent(&refusal, args.target.group()) => {
                return tell(session, target, Removal::ByOwnership, "absent", None);
            }
            found => {
                let doing = format!("cannot delete {}", target.label);
                found.map_err(|error| error.while_doing(&doing))?.1
            }
        };
        match session.ask(&question(target, &found)).await {
            Said::Yes => {}
            Said::No => {
                let message = format!("{} was not deleted", target.label);
                return Err(Diagnostic::error(codes::DECLINED, message).into());
            }
            Said::Nothing => {
                let what = format!("deleting {} requires a confirmation", target.label);
                let unconfirmed = session.printer.unconfirmed(&what);
                return Err(unconfirmed
                    .hint("to remove only the alias and keep the resource, pass --detach")
                    .into());
            }
        }
    }
    match remove(session, target, Removal::ByOwnership, wait).await {
        Err(Failure::Answered { cause, .. }) if is_no_group(&cause, args.target.group()) => {
            tell(session, target, Removal::ByOwnership, "absent", None)
        }
        removed => removed,
    }
}

async fn detach_one(
    session: &mut Session<'_>,
    args: &TargetArgs,
    target: Target,
    wait: Wait,
) -> Result<Exit, Failure> {
    let id = detachable(session, &target).await?;
    let target = Target { id, ..target };
    match remove(session, &target, Removal::Detach, wait).await {
        Err(Failure::Answered { cause, .. }) if is_no_group(&cause, args.group()) => {
            tell(session, &target, Removal::Detach, "absent", None)
        }
        removed => removed,
    }
}

/// Removes it, and says how that ended.
pub(super) async fn remove(
    session: &mut Session<'_>,
    target: &Target,
    removal: Removal,
    wait: Wait,
) -> Result<Exit, Failure> {
    let doing = format!("cannot {} {}", removal.base(), target.label);
    let mut request = Request::delete(&*target.id);
    if removal != Removal::ByOwnership {
        request = request.query("mode", "detach");
    }
    let reply = match session.send(&request).await {
        Err(CallError::Refused(refusal))
            if refusal.status == 404 && !refusal.is("ResourceGroupNotFound") =>
        {
            return tell(session, target, removal, "absent", None);
        }
        reply => reply.map_err(|error| error.while_doing(&doing))?,
    };
    let Some(operation) = reply.operation else {
        let outcome = match (reply.status, removal) {
            (204, _) => "absent",
            (_, Removal::ByOwnership) => "deleted",
            (_, Removal::Detach | Removal::Abandon) => "unlinked",
        };
        return tell(session, target, removal, outcome, None);
    };
    if wait == Wait::No {
        session.note(&goes_on(operation, session.ends_with_us()));
        return tell(session, target, removal, "accepted", Some(operation.to_string()));
    }
    let label = format!("{} {}", removal.under_way(), target.label);
    let (_, ended) = follow::to_end(session, operation, &label)
        .await
        .map_err(|error| error.while_doing(&doing))?;
    follow::warn(session, &ended);
    if let Some(failure) = follow::failure_of(&ended, &doing, nowhere) {
        return Err(failure);
    }
    let outcome = ended.properties.as_ref().map_or("deleted", |result| &result.outcome);
    tell(session, target, removal, outcome, Some(operation.to_string()))
}

/// Whether a refusal says that there is nothing to delete. The default group is made on demand.
fn is_absent(refusal: &Refusal, group: &str) -> bool {
    let is_no_group = refusal.is("ResourceGroupNotFound");
    refusal.status == 404 && (!is_no_group || is_default(group))
}

/// Whether it says that the default group is not there yet, and with it nothing else.
fn is_no_group(cause: &Cause, group: &str) -> bool {
    cause.code == "ResourceGroupNotFound" && is_default(group)
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
        let message = format!("nothing to detach: {} has no alias", target.label);
        Diagnostic::error(codes::NOTHING_TO_DETACH, message)
            .hint("`hangar resource list` lists the aliases; pass the type and the alias to detach")
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
            format!("detach {}? {identifier}{place} stays in AWS", target.label)
        }
        (Some(identifier), _) => format!("delete {} ({identifier}{place})?", target.label),
        (None, _) => format!("delete {}?", target.label),
    }
}

fn tell(
    session: &mut Session<'_>,
    target: &Target,
    removal: Removal,
    outcome: &str,
    operation: Option<String>,
) -> Result<Exit, Failure> {
    session.printer.show(
        || match outcome {
            "absent" => {
                format!("{} does not exist; nothing to {}", target.label, removal.base())
            }
            "accepted" => format!("{} {}", removal.under_way(), target.label),
            "unlinked" if removal == Removal::Abandon => {
                follow::outcome_line("abandoned", &target.label, None)
            }
            outcome => follow::outcome_line(outcome, &target.label, None),
        },
        || Deleted { id: &target.id, outcome, operation },
    )?;
    Ok(Exit::Success)
}
