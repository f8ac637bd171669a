//! `hangar destroy`: takes away what a deployment manages, in the order that it hangs together, and forgets it.

use std::collections::BTreeMap;
use std::path::Path;

use clap::Args;
use hangar_diag::Diagnostic;
use serde_json::{Map, Value, json};

use super::deploy::follow::Rows;
use super::deploy::lookup::DeploymentLookup;
use super::deploy::{follow, summary};
use super::resource::list::{is_default, listed};
use crate::client::arm_error::Refusal;
use crate::client::deployment::{Deployment, Member, Row, RowState, RunState};
use crate::client::ids::{self, DEFAULT_GROUP};
use crate::client::reply::Reply;
use crate::client::request::Request;
use crate::client::shape::Reference;
use crate::codes;
use crate::connection::{ConnectionArgs, Environment};
use crate::exit::Exit;
use crate::failure::{Cause, Failure, Report};
use crate::input::Inputs;
use crate::printer::{Printer, Said};
use crate::render::{counted, printable};
use crate::session::{self, CallError, Presence, Session};

/// What is destroyed, and how.
#[derive(Debug, Args)]
pub(crate) struct DestroyArgs {
    /// Name of the deployment, or its template file
    #[arg(value_name = "NAME|FILE")]
    target: String,
    /// Group of the deployment
    #[arg(short, long, value_name = "GROUP", default_value = DEFAULT_GROUP)]
    group: String,
    /// Succeed if the deployment does not exist
    #[arg(long)]
    if_exists: bool,
    /// Keep the AWS resources; remove only the aliases
    #[arg(long)]
    detach: bool,
    /// Do not ask for confirmation
    #[arg(short, long)]
    yes: bool,
    // Last: its heading is also that of what follows.
    #[command(flatten)]
    connection: ConnectionArgs,
}

pub(crate) const DESCRIPTION: &str = "\
Deletes every resource that the deployment manages, including resources that were removed from its
template and kept. Dependent resources are deleted first. Resources that Hangar does not own, such
as imported ones, are only detached. Resources that another deployment has taken over are not
touched.

On a terminal, destroy lists the resources and asks for confirmation. Without a terminal it needs
--yes. If a resource cannot be deleted, the deployment stays with its remaining resources; run the
same command again to continue.

With -o json, one JSON object is printed per line: {\"event\": \"started\"}, {\"event\": \"resource\",
\"resource\": …} for each change of a resource's state, and {\"event\": \"finished\"}. The last line is
the deployment before its deletion.";

pub(crate) const EXAMPLES: &str = "Examples:
  hangar destroy main
  hangar destroy main.bicep -g prod
  hangar destroy main --yes -o json
  hangar destroy main --detach
  hangar destroy dev.bicepparam --yes --if-exists

Exit codes:
  0  the deployment was deleted
  1  error, canceled, or no such deployment (0 with --if-exists)";

/// So many runs of others are waited for.
const MOST_OTHERS: usize = 10;

pub(crate) fn run(
    args: &DestroyArgs,
    environment: &Environment,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    let lookup = DeploymentLookup::parse(&args.target, inputs)?;
    let connection = args.connection.choose_for(lookup.template(), environment)?;
    let folder = &environment.working_directory;
    let presence = connection.presence_for_existing(Presence::ToTheEnd);
    session::run(connection, printer, presence, async |session| {
        let Some(name) = lookup.find(session, &args.group, folder).await? else {
            return absent(args, session, &lookup, folder).await;
        };
        let id = ids::deployment(&args.group, &name)?;
        Destroying { args, name: &name, id: &id }.perform(session).await
    })
}

/// A deployment that does not exist is a mistake, unless the caller said that it may be gone.
async fn absent(
    args: &DestroyArgs,
    session: &mut Session<'_>,
    lookup: &DeploymentLookup,
    folder: &Path,
) -> Result<Exit, Failure> {
    if !args.if_exists {
        let failure = lookup.absent(session, &args.group, folder).await;
        return Err(failure.hint("to succeed if it does not exist, pass --if-exists".to_owned()));
    }
    let name = lookup.name(session, folder);
    session.printer.line(&format!("deployment `{name}` does not exist; nothing to destroy"))?;
    session.printer.event(|| json!({"deployment": name, "outcome": "absent"}))?;
    Ok(Exit::Success)
}

struct Destroying<'a> {
    args: &'a DestroyArgs,
    name: &'a str,
    id: &'a str,
}

impl Destroying<'_> {
    fn doing(&self) -> String {
        format!("cannot destroy `{}`", self.name)
    }

    fn failed(&self, error: CallError) -> Failure {
        error.while_doing(&self.doing())
    }

    async fn perform(&self, session: &mut Session<'_>) -> Result<Exit, Failure> {
        if !self.args.yes {
            let found = match session.read::<Deployment>(&Request::get(self.id)).await {
                Err(CallError::Refused(refusal)) if self.is_absent(&refusal) => {
                    return self.absent(session);
                }
                found => found.map_err(|error| self.failed(error))?.1,
            };
            let managed = self.managed(session, found.properties.managed_resources).await?;
            self.confirm(session, &managed).await?;
        }
        let Some(reply) = self.send(session).await? else { return self.absent(session) };
        let (document, deployment) = match reply.operation {
            Some(operation) => {
                let ended =
                    follow::to_end(session, self.id, operation, &Value::Null, Rows::Changed).await;
                ended.map_err(|error| self.failed(error))?
            }
            None if reply.status == 204 => return self.absent(session),
            None => (reply.body.clone(), session.shape(&reply.body)?),
        };
        self.ended(session, &document, &deployment)
    }

    /// Whether a refusal says that there is nothing to destroy. The default group is made on demand.
    fn is_absent(&self, refusal: &Refusal) -> bool {
        let is_no_group = refusal.is("ResourceGroupNotFound");
        refusal.status == 404 && (!is_no_group || is_default(&self.args.group))
    }

    /// Another command destroyed it meanwhile.
    fn absent(&self, session: &mut Session<'_>) -> Result<Exit, Failure> {
        let Self { name, id, .. } = self;
        session.printer.line(&format!("deployment `{name}` does not exist; nothing to destroy"))?;
        session.printer.event(|| json!({"id": id, "outcome": "absent"}))?;
        Ok(Exit::Success)
    }

    /// What goes: of what the deployment lays claim to neither what is not there nor what another one manages, such as
    /// where it failed before it took something over.
    async fn managed(
        &self,
        session: &mut Session<'_>,
        claimed: Vec<Member>,
    ) -> Result<Vec<Member>, Failure> {
        if claimed.is_empty() {
            return Ok(claimed);
        }
        let group = ids::group(&self.args.group)?;
        let request = Request::get(format!("{group}/resources"));
        let mut managers = BTreeMap::new();
        for document in &listed(session, &self.args.group, request).await? {
            let there: Reference = session.shape(document)?;
            let is_others = there.managed_by.as_deref().is_some_and(|by| !same(by, self.id));
            managers.insert(there.id.to_ascii_lowercase(), is_others);
        }
        let goes = |member: &Member| match &member.id {
            Some(id) => managers.get(&id.to_ascii_lowercase()) == Some(&false),
            None => true,
        };
        Ok(claimed.into_iter().filter(goes).collect())
    }

    async fn confirm(&self, session: &mut Session<'_>, managed: &[Member]) -> Result<(), Failure> {
        let (name, group) = (self.name, &self.args.group);
        let deed = if self.args.detach { "detached" } else { "deleted" };
        if session.printer.can_ask() && !managed.is_empty() {
            let listed: Vec<String> =
                managed.iter().map(|it| format!("  {} {}", it.type_name, it.key())).collect();
            let listed = printable(&listed.join("\n")).replace("\\n", "\n");
            session.printer.preview(&format!("these resources will be {deed}:\n{listed}\n"));
        }
        let verb = if self.args.detach { "detaches" } else { "deletes" };
        let effect = match managed.len() {
            0 => format!("{verb} no resources"),
            count => format!("{verb} {}", counted(count, "resource")),
        };
        let question = format!("destroy deployment `{name}` in group `{group}`? this {effect}");
        match session.ask(&question).await {
            Said::Yes => Ok(()),
            Said::No => {
                let message = format!("deployment `{name}` was not destroyed");
                Err(Diagnostic::error(codes::DECLINED, message).into())
            }
            Said::Nothing => {
                let what = format!("destroying deployment `{name}` {effect}");
                Err(session.printer.unconfirmed(&what).into())
            }
        }
    }

    /// Sends it until it is accepted: a run that is under way is waited for. Nothing where there is none.
    async fn send(&self, session: &mut Session<'_>) -> Result<Option<Reply>, Failure> {
        let how = if self.args.detach { "detach" } else { "delete" };
        let mut others = 0;
        loop {
            // Each with a name of its own: a refusal is an answer, and the same request would get it again.
            let request = Request::delete(self.id).query("onRemove", how);
            match session.send(&request).await {
                Ok(reply) => return Ok(Some(reply)),
                Err(CallError::Refused(refusal)) if self.is_absent(&refusal) => return Ok(None),
                Err(CallError::Refused(refusal))
                    if refusal.is("DeploymentRunning") && others < MOST_OTHERS =>
                {
                    others += 1;
                    let Some(operation) = refusal.error.operation() else {
                        return Err(self.failed(CallError::Refused(refusal)));
                    };
                    session.note(&format!(
                        "a run of `{}` is in progress (operation {operation}); waiting for it to end",
                        self.name
                    ));
                    let ended =
                        follow::to_end(session, self.id, operation, &Value::Null, Rows::Changed)
                            .await;
                    ended.map_err(|error| self.failed(error))?;
                }
                Err(error) => return Err(self.failed(error)),
            }
        }
    }

    /// Says what it came to.
    fn ended(
        &self,
        session: &mut Session<'_>,
        document: &Value,
        deployment: &Deployment,
    ) -> Result<Exit, Failure> {
        let properties = &deployment.properties;
        let counts: Map<String, Value> = summary::counts(&properties.resources)
            .into_iter()
            .map(|(word, count)| (word.to_owned(), count.into()))
            .collect();
        let width = session.printer.width();
        session.printer.line(&summary::text(deployment, width))?;
        let state = document.pointer("/properties/provisioningState");
        session.printer.event(|| json!({"event": "finished", "state": state, "counts": counts}))?;
        session.printer.event(|| document)?;
        match properties.provisioning_state {
            RunState::Succeeded | RunState::Running => Ok(Exit::Success),
            RunState::Failed => Err(failed(deployment, &self.doing())),
            RunState::Canceled => {
                let message = format!("destroying `{}` was canceled", self.name);
                let hint = "deleted resources stay deleted; run destroy again to continue";
                Err(Diagnostic::error(codes::INTERRUPTED, message).hint(hint).into())
            }
        }
    }
}

/// Whether two ids are the same.
fn same(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
}

/// What could not be taken away, and why.
fn failed(deployment: &Deployment, doing: &str) -> Failure {
    let properties = &deployment.properties;
    let error = properties.error.clone().unwrap_or_default();
    let rows = properties.resources.iter().filter(|row| row.state == RowState::Failed);
    let hint = "fix the error and run destroy again to delete the remaining resources";
    let main = format!("{doing}: {}", error.message.trim_end_matches('.'));
    let main = Diagnostic::error(codes::DEPLOYMENT_FAILED, main).hint(hint);
    let of_row = |row: &Row| {
        let error = row.error.clone().unwrap_or_default();
        let message = error.message.trim_end_matches('.');
        let what = format!("{} `{}`: {message} ({})", row.type_name, row.address, error.code);
        let diagnostic = Diagnostic::error(codes::RESOURCE_FAILED, what);
        match &row.operation {
            Some(id) => {
                diagnostic.hint(format!("`hangar operation show {id}` shows what was tried"))
            }
            None => diagnostic,
        }
    };
    let diagnostics = std::iter::once(main).chain(rows.map(of_row)).collect();
    let code = if error.code.is_empty() { "DeploymentFailed".to_owned() } else { error.code };
    let cause = Cause { status: None, code, target: None };
    Failure::Answered { cause, reports: vec![Report { source: None, diagnostics }] }
}
