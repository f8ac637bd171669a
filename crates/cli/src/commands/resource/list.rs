//! `hangar resource list`: the names of a group, and what they stand for.

use clap::{Args, ValueEnum};

use super::GroupArg;
use crate::client::ids;
use crate::client::instant::Instant;
use crate::client::request::Request;
use crate::client::shape::Reference;
use crate::commands::types;
use crate::connection::Connection;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::render::printable;
use crate::render::table::Table;
use crate::session::{self, CallError, Presence, Session};

/// Which resources are listed.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    group: GroupArg,
    /// Only those of this type
    #[arg(long = "type", value_name = "TYPE")]
    type_name: Option<String>,
    /// Only those in this state
    #[arg(long, value_name = "STATE")]
    state: Option<State>,
}

/// How a reference can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum State {
    /// Its first operation has not made anything yet
    Reserved,
    /// It stands for a resource
    Ready,
    /// It stands for a resource whose last write failed
    Failed,
    /// A call may have made a resource that is not known
    Unknown,
    /// The resource is gone
    Missing,
}

impl State {
    fn as_str(self) -> &'static str {
        match self {
            Self::Reserved => "reserved",
            Self::Ready => "ready",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
            Self::Missing => "missing",
        }
    }
}

pub(crate) const EXAMPLES: &str = "Examples:
  hangar resource list
  hangar resource list -g prod --type AWS.EC2/VPC --state failed
  hangar resource list -o json";

pub(super) fn run(
    args: &ListArgs,
    connection: Connection,
    printer: &mut Printer,
) -> Result<Exit, Failure> {
    let group = args.group.group.as_str();
    let collection = match &args.type_name {
        Some(name) => ids::references(group, &types::parse(name)?)?,
        None => format!("{}/resources", ids::group(group)?),
    };
    session::run(connection, printer, Presence::Briefly, async |session| {
        list(session, group, Request::get(collection), args.state).await
    })
}

async fn list(
    session: &mut Session<'_>,
    group: &str,
    request: Request,
    state: Option<State>,
) -> Result<Exit, Failure> {
    let listed = session.list(request).await;
    let mut documents = match listed {
        // It is made with its first resource.
        Err(CallError::Refused(refusal))
            if refusal.is("ResourceGroupNotFound") && is_default(group) =>
        {
            Vec::new()
        }
        listed => listed.map_err(|error| {
            error.while_doing(&format!("cannot list the resources of group `{group}`"))
        })?,
    };
    if let Some(state) = state {
        let is_in = |document: &serde_json::Value| document["state"] == state.as_str();
        documents.retain(is_in);
    }
    let references: Vec<Reference> =
        documents.iter().map(|document| session.shape(document)).collect::<Result<_, _>>()?;
    let now = Instant::now();
    let width = session.printer.width();
    session.printer.show(|| references_table(&references, group, now, width), || &documents)?;
    Ok(Exit::Success)
}

/// Whether a group is the one that is made on demand.
pub(crate) fn is_default(group: &str) -> bool {
    group.eq_ignore_ascii_case(ids::DEFAULT_GROUP)
}

/// The references of a group as a table.
pub(crate) fn references_table(
    references: &[Reference],
    group: &str,
    now: Instant,
    width: Option<usize>,
) -> String {
    if references.is_empty() {
        return format!("no resources in group {}", printable(group));
    }
    let mut table = Table::new(["TYPE", "ALIAS", "IDENTIFIER", "STATE", "AGE"]);
    table.fit(width);
    for reference in references {
        let age = reference.system_data.created_at.map(|at| at.age(now));
        table.row([
            reference.resource_type(),
            &reference.name,
            reference.identifier().unwrap_or("-"),
            &reference.state_word(),
            age.as_deref().unwrap_or("-"),
        ]);
    }
    table.to_string()
}
