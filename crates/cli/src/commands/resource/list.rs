//! `hangar resource list`: the names of a group, and what they stand for.

use std::borrow::Borrow;

use clap::{Args, ValueEnum};
use serde_json::Value;

use super::GroupArg;
use crate::client::ids;
use crate::client::instant::Instant;
use crate::client::request::Request;
use crate::client::shape::{Drift, DriftState, Reference};
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
    /// Only resources of this type
    #[arg(long = "type", value_name = "TYPE")]
    type_name: Option<String>,
    /// Only resources in this state
    #[arg(long, value_name = "STATE")]
    state: Option<State>,
    /// Only resources with this result of the last drift check
    #[arg(long, value_name = "DRIFT")]
    drift: Option<DriftArg>,
}

/// How a resource can stand to what was applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DriftArg {
    /// Same as the applied properties
    InSync,
    /// Differs from the applied properties
    Drifted,
    /// Does not exist any more
    Missing,
    /// Not known
    Unknown,
}

impl From<DriftArg> for DriftState {
    fn from(arg: DriftArg) -> Self {
        match arg {
            DriftArg::InSync => Self::InSync,
            DriftArg::Drifted => Self::Drifted,
            DriftArg::Missing => Self::Missing,
            DriftArg::Unknown => Self::Unknown,
        }
    }
}

/// How a reference can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum State {
    /// The first operation has not created anything yet
    Reserved,
    /// The alias maps to a resource
    Ready,
    /// The last write of the resource failed
    Failed,
    /// A create may have succeeded; its response was lost
    Unknown,
    /// The resource does not exist any more
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

pub(crate) const DESCRIPTION: &str = "\
For an alias in state unknown, a create may have succeeded and its response was lost. The list
shows what is known about it and what to do next. Drift is the result of the last `hangar drift`.";

pub(crate) const EXAMPLES: &str = "Examples:
  hangar resource list
  hangar resource list -g prod --type AWS.EC2/VPC --state failed
  hangar resource list --state unknown
  hangar resource list --drift drifted
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
    let drift = args.drift.map(DriftState::from);
    let mut request = Request::get(collection);
    if let Some(state) = args.state {
        request = request.query("state", state.as_str());
    }
    if let Some(drift) = drift {
        request = request.query("drift", drift.word());
    }
    session::run(connection, printer, Presence::Reading, async |session| {
        list(session, args, request, drift).await
    })
}

async fn list(
    session: &mut Session<'_>,
    args: &ListArgs,
    request: Request,
    drift: Option<DriftState>,
) -> Result<Exit, Failure> {
    let group = args.group.group.as_str();
    let documents = references(session, group, request).await?;
    let mut all: Vec<(Value, Reference)> = Vec::with_capacity(documents.len());
    for document in documents {
        let reference: Reference = session.shape(&document)?;
        let is_in = |state: State| reference.state.as_deref() == Some(state.as_str());
        let stands = reference.drift.as_ref().map(|drift| drift.state);
        if args.state.is_none_or(is_in) && drift.is_none_or(|drift| stands == Some(drift)) {
            all.push((document, reference));
        }
    }
    let (documents, references): (Vec<Value>, Vec<Reference>) = all.into_iter().unzip();
    let now = Instant::now();
    let width = session.printer.width();
    let table = || match args.state {
        _ if references.is_empty() => nothing(args),
        Some(State::Unknown) => unknown_table(&references, now, width),
        _ if drift.is_some() => checked_table(&references, now, width),
        _ => references_table(&references, group, now, width),
    };
    session.printer.show(table, || &documents)?;
    if let (Some(State::Unknown), Some(first)) = (args.state, references.first()) {
        session.note(&settle(first));
    }
    Ok(Exit::Success)
}

/// All references of a list; none where the default group is not made yet. What recipes have is not among them: it
/// has no alias.
pub(crate) async fn references(
    session: &mut Session<'_>,
    group: &str,
    request: Request,
) -> Result<Vec<Value>, Failure> {
    let mut listed = listed(session, group, request).await?;
    listed.retain(|document| {
        let kind = document.get("type").and_then(Value::as_str);
        kind.is_some_and(|kind| kind.ends_with(":reference"))
    });
    Ok(listed)
}

/// All that a list of a group holds.
pub(crate) async fn listed(
    session: &mut Session<'_>,
    group: &str,
    request: Request,
) -> Result<Vec<Value>, Failure> {
    let doing = format!("cannot list the resources of group `{group}`");
    listed_in(session, group, request, &doing).await
}

/// Returns every document of a list in a group; none if the default group does not exist yet.
pub(crate) async fn listed_in(
    session: &mut Session<'_>,
    group: &str,
    request: Request,
    doing: &str,
) -> Result<Vec<Value>, Failure> {
    match session.list(request).await {
        // It is made with its first resource.
        Err(CallError::Refused(refusal))
            if refusal.is("ResourceGroupNotFound") && is_default(group) =>
        {
            Ok(Vec::new())
        }
        listed => listed.map_err(|error| error.while_doing(doing)),
    }
}

fn nothing(args: &ListArgs) -> String {
    let group = printable(&args.group.group);
    match (args.state, args.drift.map(DriftState::from)) {
        (None, None) => format!("no resources in group {group}"),
        (Some(state), None) => format!("no resources in group {group} are {}", state.as_str()),
        (_, Some(drift)) => format!("no resources in group {group} are {}", drift.as_str()),
    }
}

/// What is known of aliases that nobody knows the end of.
fn unknown_table(references: &[Reference], now: Instant, width: Option<usize>) -> String {
    let mut table = Table::new(["TYPE", "ALIAS", "SENT", "OPERATION"]);
    table.fit(width);
    for reference in references {
        let unsettled: Vec<(String, String)> = reference
            .unsettled
            .iter()
            .map(|it| {
                let sent = it.sent_at.map_or_else(|| "-".to_owned(), |at| at.age(now) + " ago");
                (sent, it.operation.clone())
            })
            .collect();
        let last = reference.last_operation.as_ref().map_or("-", |last| &*last.id).to_owned();
        let unsettled = if unsettled.is_empty() { vec![("-".to_owned(), last)] } else { unsettled };
        for (sent, operation) in unsettled {
            table.row([reference.resource_type(), &reference.name, &sent, &operation]);
        }
    }
    table.to_string()
}

/// What to do about the first of them.
fn settle(first: &Reference) -> String {
    let target = ids::words_of(&first.id).unwrap_or_else(|| "TYPE ALIAS".to_owned());
    format!(
        "if the resource exists in AWS, run `hangar resource adopt {target} IDENTIFIER`; to remove the alias, run \
         `hangar resource abandon {target}`"
    )
}

/// Where resources differ from what was applied, and when that was seen.
fn checked_table(references: &[Reference], now: Instant, width: Option<usize>) -> String {
    let mut table = Table::new(["TYPE", "ALIAS", "IDENTIFIER", "DRIFT", "CHECKED", "DIFFERENCES"]);
    table.fit(width);
    for reference in references {
        let [type_name, alias, identifier, drift, place] = drift_cells(reference);
        let checked = reference.drift.as_ref().and_then(|drift| drift.checked_at);
        let checked = checked.map_or_else(|| "-".to_owned(), |at| at.age(now) + " ago");
        table.row([&*type_name, &alias, &identifier, &drift, &checked, &place]);
    }
    table.to_string()
}

fn drift_cells(reference: &Reference) -> [String; 5] {
    let drift = reference.drift.as_ref();
    let place = drift.map(Drift::place).filter(|place| !place.is_empty());
    [
        reference.resource_type().to_owned(),
        reference.name.clone(),
        reference.identifier().unwrap_or("-").to_owned(),
        drift.map_or("-", |drift| drift.state.as_str()).to_owned(),
        place.unwrap_or_else(|| "-".to_owned()),
    ]
}

/// Whether a group is the one that is made on demand.
pub(crate) fn is_default(group: &str) -> bool {
    group.eq_ignore_ascii_case(ids::DEFAULT_GROUP)
}

/// The references of a group as a table.
pub(crate) fn references_table<T: Borrow<Reference>>(
    references: &[T],
    group: &str,
    now: Instant,
    width: Option<usize>,
) -> String {
    if references.is_empty() {
        return format!("no resources in group {}", printable(group));
    }
    // Who deploys no templates is not shown an empty column.
    let is_managed = references.iter().any(|it| it.borrow().managed_by.is_some());
    let mut table = if is_managed {
        Table::new(["TYPE", "ALIAS", "IDENTIFIER", "STATE", "AGE", "MANAGED BY"])
    } else {
        Table::new(["TYPE", "ALIAS", "IDENTIFIER", "STATE", "AGE"])
    };
    table.fit(width);
    for reference in references.iter().map(Borrow::borrow) {
        let age = reference.system_data.created_at.map(|at| at.age(now));
        let state = reference.state_word();
        let cells = [
            reference.resource_type(),
            &reference.name,
            reference.identifier().unwrap_or("-"),
            &state,
            age.as_deref().unwrap_or("-"),
        ];
        let manager = is_managed.then(|| reference.manager().unwrap_or("-"));
        table.row(cells.into_iter().chain(manager));
    }
    table.to_string()
}
