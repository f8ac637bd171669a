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
    /// One resource in place of the group: its type, `AWS.EC2/VPC`, or the id of a reference
    #[arg(value_name = "TYPE|ID")]
    type_or_id: Option<String>,
    /// Its alias, where a type is given
    #[arg(value_name = "ALIAS")]
    alias: Option<String>,
    /// The alias, as `put` takes it
    #[arg(long = "alias", value_name = "ALIAS", conflicts_with = "alias", requires = "type_or_id")]
    named: Option<String>,
    #[command(flatten)]
    group: GroupArg,
    /// Apply the last applied properties again, and recreate missing resources
    #[arg(long)]
    repair: bool,
    /// Forget the aliases of missing resources; with --repair, instead of recreating them
    #[arg(long)]
    prune: bool,
    /// Look again and again, until Ctrl-C, and say only what has changed
    #[arg(long)]
    watch: bool,
    /// How often --watch looks
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_every, requires = "watch")]
    every: Duration,
    // Last: its heading is for all that follow it.
    #[command(flatten)]
    connection: ConnectionArgs,
}

pub(crate) const EXAMPLES: &str = "Examples:
  hangar drift
  hangar drift -g prod --repair --prune
  hangar drift AWS.EC2/VPC --alias net
  hangar drift -g prod --watch --every 5m

Compares every resource of a group with the properties that were applied to it, and prints each
difference: applied → live. Secret values are not shown. A resource that was imported and never put has
nothing to compare with: it is unknown, which is not drift.

--repair recreates a missing resource if Hangar owns it. It can have a new identifier then: deploy again
if other resources refer to it. A resource with values that Hangar does not store (passwords) is not
recreated: deploy its template again.

Exit codes: 0 nothing has drifted, or all of it was repaired and pruned; 1 error; 2 drift was found
and is still there. --watch ends with Ctrl-C, by the same codes as of its last look.";

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
