//! `hangar deployment`: what was deployed, and what is under way.

use clap::{Args, Subcommand};
use serde_json::Value;

use super::deploy::summary;
use super::resource::list::listed_in;
use crate::client::deployment::{Deployment, Member, Row};
use crate::client::ids::{self, DEFAULT_GROUP};
use crate::client::instant::{Instant, felt};
use crate::client::request::Request;
use crate::connection::{ConnectionArgs, Environment};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::render::facts::Facts;
use crate::render::printable;
use crate::render::table::Table;
use crate::render::wrap::wrap_message;
use crate::session::{self, Presence, Session};

/// What to do with deployments.
#[derive(Debug, Args)]
pub(crate) struct DeploymentArgs {
    #[command(flatten)]
    connection: ConnectionArgs,
    #[command(subcommand)]
    command: DeploymentCommand,
}

#[derive(Debug, Subcommand)]
enum DeploymentCommand {
    /// List the deployments of a group
    #[command(after_long_help = LIST_EXAMPLES)]
    List {
        #[command(flatten)]
        group: InGroup,
    },
    /// Show a deployment: its resources, outputs and errors
    #[command(long_about = SHOW_DESCRIPTION, after_long_help = SHOW_EXAMPLES)]
    Show {
        /// Name of the deployment
        name: String,
        #[command(flatten)]
        group: InGroup,
    },
    /// Cancel a running deployment
    #[command(long_about = CANCEL_DESCRIPTION, after_long_help = CANCEL_EXAMPLES)]
    Cancel {
        /// Name of the deployment
        name: String,
        #[command(flatten)]
        group: InGroup,
    },
}

/// The group that is meant.
#[derive(Debug, Args)]
struct InGroup {
    /// Group of the deployment
    #[arg(short, long, value_name = "GROUP", default_value = DEFAULT_GROUP)]
    group: String,
}

pub(crate) const EXAMPLES: &str = "Examples:
  hangar deployment list
  hangar deployment show main -g prod";

const LIST_EXAMPLES: &str = "Examples:
  hangar deployment list
  hangar deployment list -g prod -o json";

const SHOW_DESCRIPTION: &str = "\
`hangar deploy FILE` names a deployment after the path of its template, unless --name is given.";

const SHOW_EXAMPLES: &str = "Examples:
  hangar deployment show main
  hangar deployment show main -g prod -o json";

const CANCEL_DESCRIPTION: &str = "\
No further operation is started, and AWS calls that were sent are followed to their end. Finished
changes are kept. Deploy again to continue.";

const CANCEL_EXAMPLES: &str = "Examples:
  hangar deployment cancel main";

pub(crate) fn run(
    args: &DeploymentArgs,
    environment: &Environment,
    printer: &mut Printer,
) -> Result<Exit, Failure> {
    let connection = args.connection.choose(environment)?;
    match &args.command {
        DeploymentCommand::List { group } => {
            let id = ids::deployments(&group.group)?;
            session::run(connection, printer, Presence::Reading, async |session| {
                list(session, &group.group, id).await
            })
        }
        DeploymentCommand::Show { name, group } => {
            let id = ids::deployment(&group.group, name)?;
            session::run(connection, printer, Presence::Reading, async |session| {
                show(session, name, &id).await
            })
        }
        DeploymentCommand::Cancel { name, group } => {
            let id = ids::deployment(&group.group, name)?;
            let presence = connection.presence_for_existing(Presence::Briefly);
            session::run(connection, printer, presence, async |session| {
                cancel(session, name, &id).await
            })
        }
    }
}

/// Returns all deployments of a group; none if the default group does not exist yet.
pub(crate) async fn find_all(
    session: &mut Session<'_>,
    group: &str,
) -> Result<Vec<Deployment>, Failure> {
    let id = ids::deployments(group)?;
    let documents = find_documents(session, group, id).await?;
    Ok(documents.iter().map(|document| session.shape(document)).collect::<Result<_, _>>()?)
}

async fn find_documents(
    session: &mut Session<'_>,
    group: &str,
    id: String,
) -> Result<Vec<Value>, Failure> {
    let doing = format!("cannot list the deployments of group `{group}`");
    listed_in(session, group, Request::get(id), &doing).await
}

async fn list(session: &mut Session<'_>, group: &str, id: String) -> Result<Exit, Failure> {
    let documents = find_documents(session, group, id).await?;
    let deployments: Vec<Deployment> =
        documents.iter().map(|document| session.shape(document)).collect::<Result<_, _>>()?;
    let (now, width) = (Instant::now(), session.printer.width());
    session.printer.show(|| table(&deployments, now, width), || &documents)?;
    Ok(Exit::Success)
}

fn table(deployments: &[Deployment], now: Instant, width: Option<usize>) -> String {
    if deployments.is_empty() {
        return "no deployments yet; `hangar deploy FILE` creates one".to_owned();
    }
    let mut table = Table::new(["NAME", "STATE", "RESOURCES", "AGE", "TOOK"]);
    table.fit(width);
    for deployment in deployments {
        let properties = &deployment.properties;
        table.row([
            &*deployment.name,
            properties.provisioning_state.as_str(),
            &properties.resources.len().to_string(),
            &properties.timestamp.map_or_else(|| "-".to_owned(), |at| at.age(now)),
            &took(properties.timestamp, properties.ended_at),
        ]);
    }
    table.to_string()
}

fn took(start: Option<Instant>, end: Option<Instant>) -> String {
    start.zip(end).map_or_else(|| "-".to_owned(), |(start, end)| felt(end.since(start)))
}

async fn show(session: &mut Session<'_>, name: &str, id: &str) -> Result<Exit, Failure> {
    let (document, deployment) = session
        .read::<Deployment>(&Request::get(id))
        .await
        .map_err(|error| error.while_doing(&format!("cannot show deployment `{name}`")))?;
    let width = session.printer.width();
    session.printer.show(|| shown(&deployment, width), || &document)?;
    Ok(Exit::Success)
}

fn shown(deployment: &Deployment, width: Option<usize>) -> String {
    let properties = &deployment.properties;
    let mut facts = Facts::default();
    facts.add("deployment", &*deployment.name);
    facts.add_known("group", ids::group_of(&deployment.id));
    facts.add("state", properties.provisioning_state.as_str());
    facts.add_known("operation", properties.operation.map(|id| id.to_string()));
    facts.add_known("started", properties.timestamp.map(|at| at.to_string()));
    facts.add_known("ended", properties.ended_at.map(|at| at.to_string()));
    let ended = properties.ended_at.map(|_| took(properties.timestamp, properties.ended_at));
    facts.add_known("took", ended);
    if let Some(waiting) = &properties.waiting {
        facts.add("waiting", format!("{}: {}", waiting.code, waiting.told()));
    }
    if let Some(error) = &properties.error {
        facts.add("error", format!("{}: {}", error.code, error.message));
    }
    let mut text = facts.to_string();
    if !properties.resources.is_empty() {
        text = format!("{text}\n{}\n", rows_table(&properties.resources, width));
    }
    for row in &properties.resources {
        if let Some(error) = row.error.as_ref().filter(|error| !error.message.is_empty()) {
            let told = format!("{}: {} ({})", row.address, error.message, error.code);
            text = format!("{text}\n{}", printable(&told));
        }
        // A dependency is another row of the table.
        if let Some(waiting) = row.waiting.as_ref().filter(|it| it.code != "Dependency") {
            let told = format!("{} waits: {}: {}", row.address, waiting.code, waiting.told());
            text = format!("{text}\n{}", printable(&told));
        }
    }
    let mut left = wrap_message(&summary::left(properties), width);
    if !properties.detached_resources.is_empty() {
        let detached: Vec<&Member> = properties.detached_resources.iter().collect();
        let line = format!("detached: {}", summary::named(&detached));
        left = format!("{left}{}\n", printable(&line));
    }
    if !left.is_empty() {
        text = format!("{text}\n{left}");
    }
    let outputs = summary::outputs(&properties.outputs);
    if outputs.is_empty() { text } else { format!("{text}\n{outputs}") }
}

fn rows_table(rows: &[Row], width: Option<usize>) -> String {
    let mut table = Table::new(["ADDRESS", "TYPE", "STATE", "DID", "IDENTIFIER", "TOOK"]);
    table.fit(width);
    table.leave_out_first(&["TYPE"]);
    for row in rows {
        table.row([
            &*row.address,
            &row.type_name,
            row.state.as_str(),
            row.action.as_deref().unwrap_or("-"),
            row.identifier.as_deref().unwrap_or("-"),
            &took(row.started_at, row.ended_at),
        ]);
    }
    table.to_string()
}

async fn cancel(session: &mut Session<'_>, name: &str, id: &str) -> Result<Exit, Failure> {
    session
        .send(&Request::post(format!("{id}/cancel")))
        .await
        .map_err(|error| error.while_doing(&format!("cannot cancel deployment `{name}`")))?;
    let group = ids::group_of(id).filter(|group| !group.eq_ignore_ascii_case(DEFAULT_GROUP));
    let group = group.map(|group| format!(" -g {}", ids::quoted(&group))).unwrap_or_default();
    let name = ids::quoted(name);
    let text = format!(
        "canceling deployment {name}; `hangar deployment show {name}{group}` shows the result"
    );
    let text = session.addressed(&text);
    session.printer.show(|| text, || serde_json::json!({"id": id, "outcome": "accepted"}))?;
    Ok(Exit::Success)
}
