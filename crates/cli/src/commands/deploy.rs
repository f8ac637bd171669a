//! `hangar deploy`: makes what a template describes, and says what happens on the way.

pub(crate) mod args;
mod confirm;
pub(crate) mod failed;
pub(crate) mod follow;
pub(crate) mod lookup;
pub(crate) mod plan_file;
mod planned;
mod rows;
pub(crate) mod summary;
mod waits;

use std::cell::Cell;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use hangar_diag::Diagnostic;
use serde_json::{Map, Value, json};

use self::args::{Prepared, TemplateArgs};
use self::confirm::Question;
use self::follow::Rows;
use self::planned::Applied;
use super::group::missing::{CreateGroup, create_missing, remove_created};
use crate::client::arm_error::Refusal;
use crate::client::deployment::{Deployment, RunState};
use crate::client::reply::Reply;
use crate::client::request::Request;
use crate::codes;
use crate::connection::{ConnectionArgs, Environment};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::follow::warn_of;
use crate::input::Inputs;
use crate::printer::Printer;
use crate::session::{self, CallError, Presence, Session};

/// What is deployed, and how.
#[derive(Debug, Args)]
pub(crate) struct DeployArgs {
    #[command(flatten)]
    template: TemplateArgs,
    /// Apply a plan written by `hangar plan --out`
    ///
    /// If the changes differ from the plan, deploy applies nothing.
    #[arg(long, value_name = "FILE")]
    plan_file: Option<PathBuf>,
    /// Print the plan and ask before any change
    ///
    /// Without this flag, deploy creates and updates resources without asking.
    #[arg(long)]
    confirm: bool,
    /// Do not ask for confirmation
    #[arg(short, long)]
    yes: bool,
    /// Also print unchanged resources
    #[arg(long)]
    all: bool,
    // Last: its heading is also that of what follows.
    #[command(flatten)]
    connection: ConnectionArgs,
}

impl DeployArgs {
    fn rows(&self) -> Rows {
        if self.all { Rows::All } else { Rows::Changed }
    }
}

pub(crate) const DESCRIPTION: &str = "\
The first deployment creates the resources of the template. Later deployments update the properties
that changed. Deploying an unchanged template writes nothing. Resources that do not depend on each
other are created and updated in parallel. If a resource fails, the resources that depend on it are
skipped, and all others continue.

deploy checks the template before it sends anything to AWS. It creates and updates resources
without asking; with --confirm it prints the plan and asks first. With --replace or --on-remove
delete it lists the resources that would be replaced or deleted, and asks. Without a terminal,
these flags need --yes.

The alias identifies a resource (alias: 'net' in the template). If you rename the symbolic name of
the resource, or move the resource to another module, nothing changes in AWS.

AWS accepts some properties only when it creates a resource. A change of such a property is an
error, unless --replace allows deploy to create a new resource and to delete the old one. If you
remove a resource from the template, deploy keeps the AWS resource and lists it, unless --on-remove
detaches or deletes it. `hangar destroy` deletes all resources of a deployment.

To keep the value of a secure parameter (@secure()) off the command line, pass it from a file
(-p NAME=@FILE) or from an environment variable (-p NAME=env:VARIABLE). @- reads standard input.
One line break at the end of a file is removed. On a terminal, deploy asks for a missing value.
Write -p NAME=text:VALUE for a value that begins with `@`, `env:` or `text:`.

--plan-file applies a plan file without asking. The plan file has the template, the parameters and
the options; pass only the values of secure parameters again. If the changes differ from the plan,
deploy applies nothing. If a resource changes in AWS during the deployment, deploy does not write
that resource.

The first Ctrl-C cancels the deployment: deploy starts no further resource, and waits for the AWS
calls that it has sent. The second Ctrl-C exits at once. The next command that writes, or a server,
then finishes the interrupted work. If the same deployment is already running, deploy waits for its
end before it starts.

With -o json, deploy prints one JSON object per line: {\"event\": \"started\"}, {\"event\":
\"resource\", \"resource\": …} for each change of a resource's state, and {\"event\":
\"finished\"}. The last line is the deployment.";

pub(crate) const EXAMPLES: &str = r#"Examples:
  hangar deploy main.bicep
  hangar deploy main.bicep -g prod --create-group -p environment=prod
  hangar deploy service.bicep -p size=3 -p zones='["a", "b"]'
  hangar deploy main.bicep --params prod.bicepparam --aws-region eu-west-1

  # Pass secure parameters without their values on the command line
  hangar deploy api.bicep -p apiKey=env:API_KEY -p certificate=@certificate.pem

  # Review the changes first
  hangar deploy main.bicep --confirm
  hangar plan main.bicep --out plan.json
  hangar deploy --plan-file plan.json

  # Allow replacements; delete what was removed from the template
  hangar deploy main.bicep --replace --on-remove delete --yes

  # Manage aliases that another deployment manages
  hangar deploy web.bicep --take-over

  hangar deploy main.bicep -o json

Exit codes:
  0  the resources match the template
  1  error, or canceled"#;

pub(crate) fn run(
    args: &DeployArgs,
    environment: &Environment,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    if let Some(file) = &args.plan_file {
        return planned::run(args, file, environment, printer, inputs);
    }
    let chosen = args.template.choose(environment, printer, inputs)?;
    let connection = args.connection.choose_for(Some(&chosen.template), environment)?;
    let directory = connection.directory();
    let mut prepared = args.template.prepare(chosen, environment, directory, printer, inputs)?;
    let question = Question::of(args);
    question.check(args, &prepared.name, printer)?;
    session::run(connection, printer, Presence::ToTheEnd, async |session| {
        let place = args.template.place(session, &prepared).await?;
        prepared.keep_old_name(&args.template, session).await?;
        let properties = args.template.body(&prepared, place.as_ref());
        question.ask(session, args, &prepared, &properties, place.as_ref()).await?;
        let create = args.create_group(&args.template);
        let deploying = Deploying::new(args.template.group(), create, &prepared, None, args.rows());
        deploying.perform(session, properties).await
    })
}

impl DeployArgs {
    /// Whether the group may be created; `template` has the options of a plan file, too.
    fn create_group(&self, template: &TemplateArgs) -> CreateGroup {
        CreateGroup::from_options(template.create_group, self.yes)
    }
}

/// A run of a template, from the request to its end.
struct Deploying<'a> {
    group: &'a str,
    /// Whether the group may be created.
    create: CreateGroup,
    prepared: &'a Prepared,
    /// The plan that is applied.
    applied: Option<&'a Applied>,
    /// The resources that are printed.
    rows: Rows,
    /// Whether the group was made for it.
    made_group: Cell<bool>,
}

/// How often and how long one that stops is waited for.
const MOST_STOPS: usize = 40;
const STOPS_WITHIN: Duration = Duration::from_millis(250);

/// So many runs of others are waited for.
const MOST_OTHERS: usize = 10;

impl<'a> Deploying<'a> {
    fn new(
        group: &'a str,
        create: CreateGroup,
        prepared: &'a Prepared,
        applied: Option<&'a Applied>,
        rows: Rows,
    ) -> Self {
        Self { group, create, prepared, applied, rows, made_group: Cell::new(false) }
    }

    fn doing(&self) -> String {
        format!("cannot deploy `{}`", self.prepared.name)
    }

    fn failed(&self, error: CallError) -> Failure {
        match (error, self.applied) {
            (CallError::Refused(refusal), Some(applied)) if planned::is_moved(&refusal.error) => {
                planned::moved(applied, &refusal.error, Some(refusal.status), self.made())
            }
            (CallError::Refused(refusal), _) => {
                failed::refused(&refusal, &self.doing(), &self.prepared.files)
            }
            (CallError::Stopped(failure), _) => failure,
        }
    }

    async fn perform(
        &self,
        session: &mut Session<'_>,
        properties: Map<String, Value>,
    ) -> Result<Exit, Failure> {
        let body = json!({"properties": properties});
        let reply = self.send(session, &body).await?;
        warn_of(session, &reply.warnings);
        let (document, deployment) = match reply.operation {
            Some(operation) => {
                let ended =
                    follow::to_end(session, &self.prepared.id, operation, &reply.body, self.rows)
                        .await;
                ended.map_err(|error| self.failed(error))?
            }
            // It ended before it was answered.
            None => (reply.body.clone(), session.shape(&reply.body)?),
        };
        if deployment.properties.error.as_ref().is_some_and(planned::is_moved) {
            self.remove_group(session).await;
        }
        self.ended(session, &document, &deployment)
    }

    /// Sends it until it is accepted: a missing group is created if that is wanted, a run that is under way is waited for.
    async fn send(&self, session: &mut Session<'_>, body: &Value) -> Result<Reply, Failure> {
        let mut others = 0;
        let mut was_made = false;
        let mut stops = 0;
        loop {
            // Each with a name of its own: a refusal is an answer, and the same request would get it again.
            match session.send(&Request::put(&*self.prepared.id, body.clone())).await {
                Ok(reply) => return Ok(reply),
                Err(CallError::Refused(refusal))
                    if refusal.is("ResourceGroupNotFound")
                        && !was_made
                        && self.may_make_group() =>
                {
                    was_made = true;
                    self.make_group(session).await?;
                }
                Err(CallError::Refused(refusal))
                    if refusal.is("DeploymentRunning") && others < MOST_OTHERS =>
                {
                    others += 1;
                    self.wait_for_other(session, &refusal).await?;
                }
                // The command whose control plane it was has ended: ours takes its place.
                Err(CallError::Refused(refusal))
                    if refusal.is("Stopping") && stops < MOST_STOPS =>
                {
                    stops += 1;
                    tokio::time::sleep(STOPS_WITHIN).await;
                }
                Err(error) => {
                    self.remove_group(session).await;
                    return Err(self.failed(error));
                }
            }
        }
    }

    /// Deletes the group again if it was created for this run: a refused command leaves nothing behind.
    async fn remove_group(&self, session: &mut Session<'_>) {
        if self.made_group.get() && remove_created(session, self.group).await {
            self.made_group.set(false);
        }
    }

    /// A plan that was made for a group does not make it again.
    fn may_make_group(&self) -> bool {
        self.applied.is_none_or(|applied| !applied.is_sealed)
    }

    async fn make_group(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let made = create_missing(session, self.group, self.create).await;
        self.made_group.set(made.map_err(|error| self.failed(error))?);
        Ok(())
    }

    /// The group, if it was made for this run.
    fn made(&self) -> Option<&str> {
        self.made_group.get().then_some(self.group)
    }

    /// Follows the run that is under way; how it ends is told, and does not stop us.
    async fn wait_for_other(
        &self,
        session: &mut Session<'_>,
        refusal: &Refusal,
    ) -> Result<(), Failure> {
        let Some(operation) = refusal.error.operation() else {
            return Err(self.failed(CallError::Refused(refusal.clone())));
        };
        let name = &self.prepared.name;
        session.note(&format!(
            "a run of `{name}` is in progress (operation {operation}); waiting for it to end"
        ));
        let ended =
            follow::to_end(session, &self.prepared.id, operation, &Value::Null, self.rows).await;
        let (_, other) = ended.map_err(|error| self.failed(error))?;
        let ended = match other.properties.provisioning_state {
            RunState::Canceled => "was canceled",
            RunState::Failed => "failed",
            RunState::Succeeded | RunState::Running => "has ended",
        };
        session.note(&format!("that run {ended}; starting this one"));
        Ok(())
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
        // A plan that does not hold left nothing to sum up.
        if !properties.error.as_ref().is_some_and(planned::is_moved) {
            let width = session.printer.width();
            session.printer.line(&summary::text(deployment, width))?;
        }
        let state = document.pointer("/properties/provisioningState");
        session.printer.event(|| json!({"event": "finished", "state": state, "counts": counts}))?;
        session.printer.event(|| document)?;
        match properties.provisioning_state {
            RunState::Succeeded | RunState::Running => Ok(Exit::Success),
            RunState::Failed => Err(match (self.applied, &properties.error) {
                (Some(applied), Some(error)) if planned::is_moved(error) => {
                    planned::moved(applied, error, None, self.made())
                }
                _ => failed::run(deployment, &self.doing(), self.prepared),
            }),
            RunState::Canceled => Err(canceled(&self.prepared.name)),
        }
    }
}

fn canceled(name: &str) -> Failure {
    Diagnostic::error(codes::INTERRUPTED, format!("deployment `{name}` was canceled"))
        .hint("completed changes are kept; deploy again to continue")
        .into()
}
