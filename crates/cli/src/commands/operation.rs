//! `hangar operation`: asynchronous writes, while they run and after.

use clap::{Args, Subcommand};
use hangar_diag::Diagnostic;
use hangar_plan::operation::OperationId;

use super::resource::list::is_default;
use crate::client::ids;
use crate::client::instant::{Instant, felt};
use crate::client::request::Request;
use crate::client::shape::{Calls, Operation, Page};
use crate::codes;
use crate::connection::{ConnectionArgs, Environment};
use crate::exit::Exit;
use crate::failure::{Failure, Report};
use crate::follow;
use crate::printer::Printer;
use crate::render::facts::Facts;
use crate::render::printable;
use crate::render::table::Table;
use crate::session::{self, CallError, Presence, Session};

/// What to do with operations.
#[derive(Debug, Args)]
pub(crate) struct OperationArgs {
    #[command(flatten)]
    connection: ConnectionArgs,
    #[command(subcommand)]
    command: OperationCommand,
}

#[derive(Debug, Subcommand)]
enum OperationCommand {
    /// List operations, newest first
    #[command(long_about = LIST_DESCRIPTION, after_long_help = LIST_EXAMPLES)]
    List {
        /// Only operations that have not ended
        #[arg(long)]
        running: bool,
        /// Only operations of this group
        #[arg(short, long)]
        group: Option<String>,
        /// Only the parts of this operation
        #[arg(long, value_name = "ID")]
        parent: Option<String>,
        /// Maximum number of operations
        #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=1000))]
        limit: u16,
    },
    /// Show an operation: its AWS calls and events
    #[command(after_long_help = SHOW_EXAMPLES)]
    Show {
        /// Id of the operation
        id: String,
    },
    /// Wait for an operation to end, and print its events
    #[command(long_about = WAIT_DESCRIPTION, after_long_help = WAIT_EXAMPLES)]
    Wait {
        /// Id of the operation
        id: String,
    },
    /// Cancel a running operation
    #[command(long_about = CANCEL_DESCRIPTION, after_long_help = CANCEL_EXAMPLES)]
    Cancel {
        /// Id of the operation
        id: String,
    },
}

pub(crate) const EXAMPLES: &str = "Examples:
  hangar operation list --running
  hangar operation wait 0191f3a8-7c2e-7abc-8def-0123456789ab";

const LIST_DESCRIPTION: &str = "\
An operation that deletes or repairs a group, or that deploys a template, has parts. Each part is
an operation with its own id.";

const LIST_EXAMPLES: &str = "Examples:
  hangar operation list --running
  hangar operation list -g prod --limit 10 -o json
  hangar operation list --parent 0191f3a8-7c2e-7abc-8def-0123456789ab";

const SHOW_EXAMPLES: &str = "Examples:
  hangar operation show 0191f3a8-7c2e-7abc-8def-0123456789ab";

const WAIT_DESCRIPTION: &str = "\
Events are printed as they happen. If the connection to the server breaks, the command reconnects
and continues after the last event. Ctrl-C stops the command, not the operation.

With -o json, only the final status is printed.";

const WAIT_EXAMPLES: &str = "Examples:
  hangar operation wait 0191f3a8-7c2e-7abc-8def-0123456789ab
  hangar operation wait 0191f3a8-7c2e-7abc-8def-0123456789ab -o json";

const CANCEL_DESCRIPTION: &str = "\
AWS calls that were sent are followed to their end, and finished changes are kept.";

const CANCEL_EXAMPLES: &str = "Examples:
  hangar operation cancel 0191f3a8-7c2e-7abc-8def-0123456789ab";

pub(crate) fn run(
    args: &OperationArgs,
    environment: &Environment,
    printer: &mut Printer,
) -> Result<Exit, Failure> {
    let connection = args.connection.choose(environment)?;
    match &args.command {
        OperationCommand::List { running, group, parent, limit } => {
            let mut request = Request::get(ids::OPERATIONS).query("$top", limit.to_string());
            if *running {
                request = request.query("running", "true");
            }
            let group = match group {
                Some(name) => {
                    request = request.query("group", name.as_str());
                    Some(ids::group(name)?).filter(|_| !is_default(name))
                }
                None => None,
            };
            if let Some(parent) = parent {
                request = request.query("parent", parse(parent)?.to_string());
            }
            session::run(connection, printer, Presence::Reading, async |session| {
                list(session, &request, group).await
            })
        }
        OperationCommand::Show { id } => {
            let id = parse(id)?;
            session::run(connection, printer, Presence::Reading, async |session| {
                show(session, id).await
            })
        }
        OperationCommand::Wait { id } => {
            let id = parse(id)?;
            let presence = connection.presence_for_existing(Presence::ToTheEnd);
            session::run(connection, printer, presence, async |session| wait(session, id).await)
        }
        OperationCommand::Cancel { id } => {
            let id = parse(id)?;
            let presence = connection.presence_for_existing(Presence::Briefly);
            session::run(connection, printer, presence, async |session| cancel(session, id).await)
        }
    }
}

/// An operation's id, as it was printed or as the last segment of a path.
fn parse(text: &str) -> Result<OperationId, Failure> {
    let last = text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    OperationId::parse(last).ok_or_else(|| {
        Diagnostic::error(codes::NOT_AN_OPERATION, format!("`{text}` is not an operation id"))
            .hint("an operation id looks like 0191f3a8-7c2e-7abc-8def-0123456789ab; `hangar operation list` lists \
                them")
            .into()
    })
}

async fn list(
    session: &mut Session<'_>,
    request: &Request,
    group: Option<String>,
) -> Result<Exit, Failure> {
    let failed = |error: CallError| error.while_doing("cannot list operations");
    if let Some(group) = group {
        // A group that is not there has no operations either, and is a slip of the pen.
        session.send(&Request::get(group)).await.map_err(failed)?;
    }
    let (_, page) = session.read::<Page>(request).await.map_err(failed)?;
    let operations: Vec<Operation> =
        page.value.iter().map(|document| session.shape(document)).collect::<Result<_, _>>()?;
    let has_more = page.next_link.is_some();
    let now = Instant::now();
    let width = session.printer.width();
    session.printer.show(|| operations_table(&operations, has_more, now, width), || &page.value)?;
    Ok(Exit::Success)
}

fn operations_table(
    operations: &[Operation],
    has_more: bool,
    now: Instant,
    width: Option<usize>,
) -> String {
    if operations.is_empty() {
        return "no operations".to_owned();
    }
    let mut table = Table::new(["ID", "KIND", "STATUS", "TYPE", "NAME", "GROUP", "AGE", "TOOK"]);
    table.fit(width);
    table.keep_first_whole();
    table.leave_out_first(&["GROUP", "TOOK", "TYPE"]);
    for operation in operations {
        let (group, name) = operation.place_and_name();
        let age = operation.start_time.map(|at| at.age(now));
        table.row([
            &*operation.name.to_string(),
            &operation.kind,
            operation.status.as_str(),
            operation.bare_type(),
            name.as_deref().unwrap_or("-"),
            group.as_deref().unwrap_or("-"),
            age.as_deref().unwrap_or("-"),
            &took(operation).unwrap_or_else(|| "-".to_owned()),
        ]);
    }
    let more = if has_more { "\n… and older operations: --limit N shows more" } else { "" };
    format!("{table}{more}{}", waits(operations))
}

/// Why operations of a table make no progress, a line for each.
fn waits(operations: &[Operation]) -> String {
    let waits = operations.iter().filter_map(|operation| {
        let waiting = operation.waiting.as_ref()?;
        let line = format!("{} waits: {}: {}", operation.name, waiting.code, waiting.told());
        Some(format!("\n{}", printable(&line)))
    });
    let lines: String = waits.collect();
    if lines.is_empty() { lines } else { format!("\n{lines}") }
}

fn took(operation: &Operation) -> Option<String> {
    Some(felt(operation.end_time?.since(operation.start_time?)))
}

async fn show(session: &mut Session<'_>, id: OperationId) -> Result<Exit, Failure> {
    let (document, operation) = session
        .read::<Operation>(&Request::get(ids::operation(id)))
        .await
        .map_err(|error| error.while_doing(&format!("cannot show operation {id}")))?;
    let parts = if operation.has_parts() && !session.printer.is_for_programs() {
        parts(session, id).await?
    } else {
        Parts::default()
    };
    let width = session.printer.width();
    session.printer.show(|| shown(&operation, &parts, width), || &document)?;
    Ok(Exit::Success)
}

/// The newest operations that an operation on a group, or a deployment, consists of.
#[derive(Default)]
struct Parts {
    operations: Vec<Operation>,
    has_more: bool,
}

/// So many of them are shown.
const PARTS: &str = "50";

async fn parts(session: &mut Session<'_>, id: OperationId) -> Result<Parts, Failure> {
    let request =
        Request::get(ids::OPERATIONS).query("parent", id.to_string()).query("$top", PARTS);
    let (_, page) = session
        .read::<Page>(&request)
        .await
        .map_err(|error| error.while_doing(&format!("cannot list the parts of operation {id}")))?;
    let operations =
        page.value.iter().map(|document| session.shape(document)).collect::<Result<_, _>>()?;
    Ok(Parts { operations, has_more: page.next_link.is_some() })
}

fn shown(operation: &Operation, parts: &Parts, width: Option<usize>) -> String {
    let mut facts = Facts::default();
    let (group, name) = operation.place_and_name();
    facts.add("operation", operation.name.to_string());
    facts.add("kind", &*operation.kind);
    facts.add("status", operation.status.as_str());
    if let Some(waiting) = &operation.waiting {
        facts.add("waiting", format!("{}: {}", waiting.code, waiting.told()));
    }
    if !operation.is_on_a_group() {
        facts.add("type", operation.bare_type());
        facts.add_known("name", name);
    }
    facts.add_known("group", group);
    facts.add_known("part of", operation.parent.as_deref());
    if let Some(counts) = &operation.counts {
        let told = counts.told();
        let told = if told.is_empty() { told } else { format!(": {told}") };
        facts.add("resources", format!("{} done{told}", counts.done));
    }
    let result = operation.properties.as_ref();
    facts.add_known("identifier", result.and_then(|result| result.identifier.as_deref()));
    facts.add_known("outcome", result.map(|result| &*result.outcome));
    facts.add_known("convergence", result.map(|result| &*result.convergence));
    facts.add_known("started", operation.start_time.map(|at| at.to_string()));
    facts.add_known("ended", operation.end_time.map(|at| at.to_string()));
    facts.add_known("took", took(operation));
    facts.add_known("calls", operation.calls.map(Calls::told));
    if let Some(error) = &operation.error {
        facts.add("error", format!("{}: {}", error.code, error.message));
        for detail in &error.details {
            facts.add(
                "",
                match detail.target.as_deref() {
                    Some(target) if !target.is_empty() => format!("{target}: {}", detail.message),
                    _ => detail.message.clone(),
                },
            );
        }
    }
    for warning in &operation.warnings {
        facts.add("warning", &**warning);
    }
    let mut text = facts.to_string();
    if !parts.operations.is_empty() {
        let waits = waits(&parts.operations);
        text = format!("{text}\n{}{waits}\n", parts_table(parts, operation.name, width));
    }
    if !operation.attempts.is_empty() {
        let mut table = Table::new(["CALL", "VERB", "OUTCOME", "REQUEST"]);
        table.fit(width);
        for attempt in &operation.attempts {
            let request = attempt.request_token.as_deref().unwrap_or("-");
            table.row([&*attempt.number.to_string(), &attempt.verb, &attempt.outcome, request]);
        }
        text = format!("{text}\n{table}\n");
    }
    if !operation.events.is_empty() {
        let mut table = Table::new(["AT", "EVENT"]);
        table.fit(width);
        for event in &operation.events {
            let at = match (operation.start_time, event.at) {
                (Some(start), Some(at)) => format!("+{}", felt(at.since(start))),
                _ => "-".to_owned(),
            };
            table.row([&*at, &event.message]);
        }
        text = format!("{text}\n{table}\n");
    }
    text
}

/// What an operation on a group consists of, and how each part ended.
fn parts_table(parts: &Parts, id: OperationId, width: Option<usize>) -> String {
    let mut table = Table::new(["PART", "KIND", "STATUS", "TYPE", "NAME", "TOOK", "ERROR"]);
    table.fit(width);
    table.keep_first_whole();
    table.leave_out_first(&["TOOK", "KIND", "TYPE"]);
    for part in &parts.operations {
        let (_, name) = part.place_and_name();
        table.row([
            &*part.name.to_string(),
            &part.kind,
            part.status.as_str(),
            part.bare_type(),
            name.as_deref().unwrap_or("-"),
            &took(part).unwrap_or_else(|| "-".to_owned()),
            part.error.as_ref().map_or("-", |error| &error.code),
        ]);
    }
    let more = if parts.has_more {
        format!("\n… and older operations: `hangar operation list --parent {id} --limit 1000`")
    } else {
        String::new()
    };
    format!("{table}{more}")
}

async fn wait(session: &mut Session<'_>, id: OperationId) -> Result<Exit, Failure> {
    let (document, operation) = follow::to_end(session, id, &format!("operation {id}"))
        .await
        .map_err(|error| error.while_doing(&format!("cannot wait for operation {id}")))?;
    follow::warn(session, &operation);
    let unplaced = |diagnostics| vec![Report { source: None, diagnostics }];
    if let Some(failure) = follow::failure(&operation, unplaced) {
        return Err(failure);
    }
    session.printer.show(|| follow::ended_well(&operation), || &document)?;
    Ok(Exit::Success)
}

async fn cancel(session: &mut Session<'_>, id: OperationId) -> Result<Exit, Failure> {
    let request = Request::post(format!("{}/cancel", ids::operation(id)));
    let reply = session
        .send(&request)
        .await
        .map_err(|error| error.while_doing(&format!("cannot cancel operation {id}")))?;
    let text = session.addressed(&asked_to_stop(id, session.ends_with_us()));
    session.printer.show(|| text, || &reply.body)?;
    Ok(Exit::Success)
}

fn asked_to_stop(id: OperationId, ends_with_us: bool) -> String {
    let after = if ends_with_us { "stops it and shows the result" } else { "shows the result" };
    format!("canceling operation {id}; `hangar operation wait {id}` {after}")
}
