//! `hangar recipe deploy`: runs a Terraform module, and says what happens on the way.

use std::time::Duration;

use clap::Args;
use hangar_diag::Diagnostic;
use hangar_plan::operation::OperationId;
use serde_json::{Map, Value, json};

use super::follow::{self, Ended};
use super::parameters::ParameterArgs;
use super::source::{self, Module};
use super::{failed, summary};
use crate::client::arm_error::Refusal;
use crate::client::ids::{self, DEFAULT_GROUP};
use crate::client::recipe::Recipe;
use crate::client::reply::Reply;
use crate::client::request::Request;
use crate::codes;
use crate::commands::group::missing::{CreateGroup, create_missing};
use crate::connection::Connection;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::follow::warn_of;
use crate::input::Inputs;
use crate::printer::Printer;
use crate::session::{self, CallError, Presence, Session};

/// What is deployed, and how.
#[derive(Debug, Args)]
pub(super) struct DeployArgs {
    /// Module: directory, or address for Terraform
    ///
    /// A directory is sent to the control plane. An address is fetched by Terraform: `git::…`,
    /// `namespace/name/provider` or `https://….zip`.
    #[arg(long, value_name = "SOURCE")]
    source: String,
    /// Version of a registry module, such as `~> 1.0`
    #[arg(long, value_name = "VERSION")]
    version: Option<String>,
    /// Recipe name [default: name of the module]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Group of the recipe
    #[arg(short, long, value_name = "GROUP", default_value = DEFAULT_GROUP)]
    group: String,
    /// Create the group if it does not exist
    ///
    /// Without this flag, the command asks on a terminal whether to create a missing group, and
    /// fails without a terminal. The group `default` is always created.
    #[arg(long)]
    create_group: bool,
    #[command(flatten)]
    parameters: ParameterArgs,
}

pub(super) const DESCRIPTION: &str = "\
The first run creates the resources, and later ones apply changes. A run without changes does
nothing. The control plane runs the first `terraform` or `tofu` on its PATH, or the program in
HANGAR_TERRAFORM. It keeps the Terraform state and lists the created resources by id.

All files of a directory are sent except .terraform, .git, states (*.tfstate*) and values
(*.tfvars); at most 4 MiB. If a directory and a registry address have the same name, the directory
is used. A module can declare a variable `context`, which Hangar sets, and an output `result` with
`resources`, `values` and `secrets`.

The first Ctrl-C cancels the run: Terraform finishes the calls that it has started, and keeps its
state. The second Ctrl-C exits at once; a server, or the next command that writes, continues the
run.";

pub(super) const EXAMPLES: &str = r"Examples:
  hangar recipe deploy --source ./network
  hangar recipe deploy --source ./network --name net \
    -g prod --create-group -p cidr=10.1.0.0/16
  hangar recipe deploy --source terraform-aws-modules/vpc/aws \
    --version '~> 5.0' --params vpc.json
  hangar recipe deploy \
    --source git::https://example.com/recipes.git//queue?ref=v2
  hangar recipe deploy --source ./database \
    --secret-file password=password.txt -o json

Exit codes:
  0  the resources match the module
  1  error, or canceled";

pub(super) fn run(
    args: &DeployArgs,
    connection: Connection,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    let module = source::find(&args.source, args.version.as_deref(), connection.directory())?;
    let name = name_of(args, &module)?;
    let id = ids::recipe(&args.group, &name)?;
    let mut outline = None;
    if let Module::Directory { packed, .. } = &module {
        if !packed.left_out.is_empty() {
            printer.note(&format!(
                "not sent: {}; pass their values with -p or --params",
                packed.left_out.join(", ")
            ));
        }
        outline = Some(packed.outline());
    }
    let values = args.parameters.read(outline.as_ref(), inputs)?;
    let mut properties = Map::new();
    module.add_to(&mut properties);
    values.add_to(&mut properties);
    let body = json!({"properties": properties});
    session::run(connection, printer, Presence::ToTheEnd, async |session| {
        let create = CreateGroup::from_options(args.create_group, false);
        let deploying = Deploying { group: &args.group, create, name: &name, id: &id };
        deploying.perform(session, &body).await
    })
}

fn name_of(args: &DeployArgs, module: &Module) -> Result<String, Failure> {
    args.name.clone().or_else(|| module.name()).ok_or_else(|| {
        Diagnostic::error(codes::USAGE, "cannot derive a recipe name from the source")
            .hint("pass one: --name network")
            .into()
    })
}

/// A run of a recipe, from the request to its end.
struct Deploying<'a> {
    group: &'a str,
    create: CreateGroup,
    name: &'a str,
    id: &'a str,
}

/// How often and how long one that stops is waited for.
const MOST_STOPS: usize = 40;
const STOPS_WITHIN: Duration = Duration::from_millis(250);

impl Deploying<'_> {
    fn doing(&self) -> String {
        format!("cannot deploy recipe `{}`", self.name)
    }

    async fn perform(&self, session: &mut Session<'_>, body: &Value) -> Result<Exit, Failure> {
        let reply = self.send(session, body).await?;
        warn_of(session, &reply.warnings);
        let Some(operation) = reply.operation else {
            // It ended before it was answered.
            let recipe: Recipe = session.shape(&reply.body)?;
            tell(session, &reply.body, &recipe)?;
            return Ok(Exit::Success);
        };
        let ended = self.follow(session, operation).await?;
        self.ended(session, operation, &ended)
    }

    async fn follow(
        &self,
        session: &mut Session<'_>,
        operation: OperationId,
    ) -> Result<Ended, Failure> {
        let ended = follow::to_end(session, self.id, self.name, operation).await;
        ended.map_err(|error| failed::refused(error, &self.doing()))
    }

    /// Sends it until it is accepted: a missing group is created if that is wanted, and a run that a command of this
    /// directory has left is finished first. One that somebody else follows right now is not waited for.
    async fn send(&self, session: &mut Session<'_>, body: &Value) -> Result<Reply, Failure> {
        let mut was_made = false;
        let mut was_left = false;
        let mut stops = 0;
        loop {
            // Each with a name of its own: a refusal is an answer, and the same request would get it again.
            match session.send(&Request::put(self.id, body.clone())).await {
                Ok(reply) => return Ok(reply),
                Err(CallError::Refused(refusal))
                    if refusal.is("ResourceGroupNotFound") && !was_made =>
                {
                    was_made = true;
                    let made = create_missing(session, self.group, self.create).await;
                    made.map_err(|error| failed::refused(error, &self.doing()))?;
                }
                Err(CallError::Refused(refusal))
                    if refusal.status == 409 && session.ends_with_us() && !was_left =>
                {
                    was_left = true;
                    self.finish_what_was_left(session, refusal).await?;
                }
                // The command whose control plane it was has ended: ours takes its place.
                Err(CallError::Refused(refusal))
                    if refusal.is("Stopping") && stops < MOST_STOPS =>
                {
                    stops += 1;
                    tokio::time::sleep(STOPS_WITHIN).await;
                }
                Err(error) => return Err(failed::refused(error, &self.doing())),
            }
        }
    }

    /// Follows a run that goes on now because this process does; how it ends is told, and does not stop us.
    async fn finish_what_was_left(
        &self,
        session: &mut Session<'_>,
        refusal: Refusal,
    ) -> Result<(), Failure> {
        let Some(operation) = refusal.error.operation() else {
            return Err(failed::refused(CallError::Refused(refusal), &self.doing()));
        };
        session.note(&format!(
            "a run of `{}` is unfinished (operation {operation}); finishing it first",
            self.name
        ));
        let ended = self.follow(session, operation).await?;
        let word = ended.operation.status.as_str().to_ascii_lowercase();
        session.note(&format!("that run {word}; starting this one"));
        Ok(())
    }

    /// Says what it came to.
    fn ended(
        &self,
        session: &mut Session<'_>,
        operation: OperationId,
        ended: &Ended,
    ) -> Result<Exit, Failure> {
        let ours = ended.recipe.as_ref();
        let ours = ours.filter(|(_, recipe)| recipe.properties.operation == Some(operation));
        if let Some((document, recipe)) = ours {
            tell(session, document, recipe)?;
        }
        let again = "deploy again";
        let empty = ended.recipe.as_ref();
        let empty = empty.and_then(|(_, recipe)| failed::Empty::of(recipe, self.name, self.group));
        match failed::run(&ended.operation, &self.doing(), again, empty.as_ref()) {
            Some(failure) => Err(failure),
            None => Ok(Exit::Success),
        }
    }
}

fn tell(session: &mut Session<'_>, document: &Value, recipe: &Recipe) -> Result<(), Failure> {
    let warnings = summary::warnings(recipe);
    // Programs find them in the document.
    if !warnings.is_empty() && !session.printer.is_for_programs() {
        session.printer.warn(&warnings);
    }
    let text = session.addressed(&summary::text(recipe, session.printer.width()));
    session.printer.show(|| text, || document)
}
