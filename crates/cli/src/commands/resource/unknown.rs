//! `hangar resource adopt` and `abandon`: a person settles what became of a create whose end nobody
//! could learn.

use clap::Args;
use hangar_diag::Diagnostic;
use serde_json::json;

use super::delete::{Removal, remove};
use super::identifier;
use super::target::{Target, TargetArgs, TargetWordArgs};
use super::write::{Verb, Wait, Writing, nowhere};
use crate::client::request::Request;
use crate::client::shape::{Reference, Unsettled};
use crate::codes;
use crate::connection::Connection;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::printer::{Printer, Said};
use crate::session::{self, Session};

/// Which alias is settled, by what.
#[derive(Debug, Args)]
pub(super) struct AdoptArgs {
    #[command(flatten)]
    target: TargetWordArgs,
    /// Delete the resource with its alias or group
    ///
    /// Hangar then owns the resource. Without this flag, deleting the alias keeps it.
    #[arg(long)]
    owned: bool,
    /// Do not wait for the operation to end
    #[arg(long)]
    no_wait: bool,
}

pub(super) const ADOPT_USAGE: &str = "hangar resource adopt [OPTIONS] <TYPE> <ALIAS> <IDENTIFIER>\n       \
     hangar resource adopt [OPTIONS] <ID> <IDENTIFIER>";

pub(super) const ADOPT_DESCRIPTION: &str = "\
For an alias in state unknown, a create may have succeeded and its response was lost. Find the
resource in AWS, and pass its identifier. Without --owned, the resource is kept when its alias is
deleted.";

pub(super) const ADOPT_EXAMPLES: &str = "Examples:
  hangar resource adopt AWS.EC2/VPC net vpc-0baaa0e2675526660 --owned
  hangar resource adopt AWS.EC2/VPC --alias net vpc-0baaa0e2675526660

  # Find aliases in state unknown
  hangar resource list --state unknown";

/// Which alias is given up.
#[derive(Debug, Args)]
pub(super) struct AbandonArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// Do not ask for confirmation
    #[arg(short, long)]
    yes: bool,
}

pub(super) const ABANDON_DESCRIPTION: &str = "\
The alias can be used again. A resource that its create made stays in AWS, without an alias. On a
terminal the command asks for confirmation; without a terminal it needs --yes.";

pub(super) const ABANDON_EXAMPLES: &str = "Examples:
  hangar resource abandon AWS.EC2/VPC net
  hangar resource abandon AWS.EC2/VPC net -g prod --yes

  # Find aliases in state unknown
  hangar resource list --state unknown";

pub(super) fn adopt(
    args: &AdoptArgs,
    connection: Connection,
    printer: &mut Printer,
) -> Result<Exit, Failure> {
    let (target, text) = args.target.find("the identifier of the resource is missing")?;
    let named = identifier::read(&target.type_name()?, text)?;
    let wait = Wait::unless(args.no_wait);
    let presence = connection.presence_for_existing(wait.presence());
    session::run(connection, printer, presence, async |session| {
        let doing = format!("cannot adopt {}", target.label);
        let found = unknown(session, &target, &doing, "import").await?;
        let collection = found.maps_to.scope.clone().unwrap_or_default();
        let primary = named.primary(session, &collection, &doing).await?;
        let mut body = json!({"mapsTo": {"primaryIdentifier": primary}});
        if args.owned {
            body["ownedResource"] = true.into();
        }
        let writing = Writing {
            verb: Verb::Adopt,
            id: &target.id,
            label: &target.label,
            group: args.target.group(),
            wait,
            locate: &nowhere,
        };
        writing.perform(session, &Request::put(&*target.id, body)).await
    })
}

pub(super) fn abandon(
    args: &AbandonArgs,
    connection: Connection,
    printer: &mut Printer,
) -> Result<Exit, Failure> {
    let target = args.target.find_reference()?;
    let presence = connection.presence_for_existing(session::Presence::ToTheEnd);
    session::run(connection, printer, presence, async |session| {
        let doing = format!("cannot abandon {}", target.label);
        let found = unknown(session, &target, &doing, "detach").await?;
        if !args.yes {
            let sent = found.unsettled.iter().find_map(|it| it.sent_at);
            let sent = sent.map(|at| format!(", sent {at},")).unwrap_or_default();
            let question = format!(
                "abandon {}? a resource that its create{sent} may have created stays in AWS",
                target.label
            );
            match session.ask(&question).await {
                Said::Yes => {}
                Said::No => {
                    let message = format!("{} was not abandoned", target.label);
                    return Err(Diagnostic::error(codes::DECLINED, message).into());
                }
                Said::Nothing => {
                    let what = format!("abandoning {} requires a confirmation", target.label);
                    return Err(session
                        .printer
                        .unconfirmed(&what)
                        .hint("if you know the resource, map the alias to it: `hangar resource adopt`")
                        .into());
                }
            }
        }
        remove(session, &target, Removal::Abandon, Wait::ForTheEnd).await
    })
}

/// The reference, if nobody knows what it stands for.
async fn unknown(
    session: &mut Session<'_>,
    target: &Target,
    doing: &str,
    instead: &str,
) -> Result<Reference, Failure> {
    let read = session.read::<Reference>(&Request::get(&*target.id)).await;
    let (_, found) = read.map_err(|error| error.while_doing(doing))?;
    if found.state.as_deref() == Some("unknown") {
        return Ok(found);
    }
    let stands_for = found.identifier().map(|it| format!(", {it}")).unwrap_or_default();
    let message = format!(
        "{doing}: its resource is known{stands_for} (state {})",
        found.state.as_deref().unwrap_or("-")
    );
    Err(Diagnostic::error(codes::NOT_IN_DOUBT, message)
        .hint(format!("`hangar resource {instead} --help` shows what you can do instead"))
        .into())
}

/// Which operations left something open, and since when: `0191…, sent 2026-01-02T03:04:05Z`.
pub(super) fn told(unsettled: &[Unsettled]) -> Option<String> {
    let told: Vec<String> = unsettled
        .iter()
        .map(|it| match it.sent_at {
            Some(at) => format!("{}, sent {at}", it.operation),
            None => it.operation.clone(),
        })
        .collect();
    (!told.is_empty()).then(|| told.join("; "))
}
