//! `hangar drift`: detects drift, and optionally repairs it.

mod look;
mod text;
mod watch;

use std::time::Duration;

use clap::Args;
use hangar_diag::Diagnostic;
use hangar_simulator::core::time::parse_span;

use super::resource::GroupArg;
use super::resource::target::{self, Is, Target};
use crate::client::ids;
use crate::codes;
use crate::connection::{ConnectionArgs, Environment};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::session::{self, Presence, Session};
use look::look;

/// What is looked at, and what is done about it.
#[derive(Debug, Args)]
pub(crate) struct DriftArgs {
    /// Type or id of one resource to check
    ///
    /// After a type, give the alias. Without this argument, all resources of the group are checked.
    #[arg(value_name = "TYPE|ID")]
    type_or_id: Option<String>,
    /// Alias of the resource, after a type
    #[arg(value_name = "ALIAS")]
    alias: Option<String>,
    /// Alias of the resource, instead of ALIAS
    #[arg(long = "alias", value_name = "ALIAS", conflicts_with = "alias", requires = "type_or_id")]
    named: Option<String>,
    #[command(flatten)]
    group: GroupArg,
    /// Repair drift, and recreate missing resources
    ///
    /// Applies the properties again that Hangar applied last.
    #[arg(long)]
    repair: bool,
    /// Remove the aliases of missing resources
    ///
    /// With --repair, drift removes the alias of a missing resource instead of recreating it.
    #[arg(long)]
    prune: bool,
    /// Check repeatedly until Ctrl-C; print only changes
    #[arg(long)]
    watch: bool,
    /// Time between two checks of --watch
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_every, requires = "watch")]
    every: Duration,
    // Last: its heading is for all that follow it.
    #[command(flatten)]
    connection: ConnectionArgs,
}

pub(crate) const DESCRIPTION: &str = "\
drift reads each resource of a group from AWS and compares it with the properties that Hangar
applied last. It prints each difference as `applied → live`: first the value that Hangar applied,
then the value in AWS. Secrets are hidden. A property that your template never set is not drift,
whatever its value in AWS. If Hangar has not applied anything to an imported resource yet, the drift
of that resource is `unknown`, which does not count as drift.

--repair applies the properties again that Hangar applied last. It recreates a missing resource
only if Hangar owns it, which means that Hangar created it or imported it with --owned. The new
resource can have another identifier: deploy again if other resources refer to it. A resource with
values that Hangar does not store, such as passwords, is not recreated: deploy its template again.";

pub(crate) const EXAMPLES: &str = "Examples:
  hangar drift
  hangar drift -g prod --repair --prune
  hangar drift AWS.EC2/VPC --alias net
  hangar drift -g prod --watch --every 5m

Exit codes:
  0  no drift, or all drift was repaired or pruned
  1  error
  2  drift was found and remains

--watch exits with the code of its last check.";

/// How often something is done.
pub(crate) fn parse_every(text: &str) -> Result<Duration, String> {
    match parse_span(text) {
        Ok(span) if span >= Duration::from_secs(1) => Ok(span),
        _ => Err("write a duration of at least one second, such as 60s, 5m or 1h".to_owned()),
    }
}

/// What is looked at.
#[derive(Debug)]
enum Scope {
    Group { name: String, id: String },
    One(Target),
}

impl Scope {
    /// In a sentence.
    fn label(&self) -> String {
        match self {
            Self::Group { name, .. } => format!("group `{name}`"),
            Self::One(target) => target.label.clone(),
        }
    }
}

/// What is done about drift.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cure {
    repair: bool,
    prune: bool,
}

pub(crate) fn run(
    args: &DriftArgs,
    environment: &Environment,
    printer: &mut Printer,
) -> Result<Exit, Failure> {
    let connection = args.connection.choose(environment)?;
    let scope = scope(args)?;
    let cure = Cure { repair: args.repair, prune: args.prune };
    if args.watch && printer.is_for_programs() {
        let message = "--watch cannot be combined with -o json, which prints one document";
        return Err(Diagnostic::error(codes::USAGE, message)
            .hint("omit one of them; `hangar drift -o json` checks once")
            .into());
    }
    let presence = if cure.repair || cure.prune {
        connection.presence_for_existing(Presence::ToTheEnd)
    } else {
        Presence::ReadingAws
    };
    session::run(connection, printer, presence, async |session| {
        if args.watch {
            return watch::until_interrupted(session, &scope, cure, args.every).await;
        }
        once(session, &scope, cure).await
    })
}

fn scope(args: &DriftArgs) -> Result<Scope, Failure> {
    let group = args.group.group.as_str();
    let Some(text) = &args.type_or_id else {
        return Ok(Scope::Group { name: group.to_owned(), id: ids::group(group)? });
    };
    let alias = args.alias.as_deref().or(args.named.as_deref());
    let target = target::find(text, alias, group)?;
    if target.is == Is::Reference {
        return Ok(Scope::One(target));
    }
    Err(Diagnostic::error(codes::UNFIT_ID, "the id is not the id of a reference")
        .hint("only a resource with an alias has applied properties to compare with")
        .into())
}

async fn once(session: &mut Session<'_>, scope: &Scope, cure: Cure) -> Result<Exit, Failure> {
    let label = format!("checking {}", scope.label());
    session.printer.begin(&label);
    let seen = look(session, scope, cure).await;
    session.printer.done();
    let seen = seen?;
    seen.warn_of_refusals(session);
    let width = session.printer.width();
    session.printer.show(|| seen.table(scope, width), || seen.document())?;
    if let Some(note) = seen.note(scope, cure) {
        session.note(&note);
    }
    Ok(seen.exit())
}
