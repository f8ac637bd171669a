//! `hangar plan`: what deploying a template would do, and what of that is not known yet.

mod local;
pub(super) mod text;

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Map, Value, json};

use self::text::View;
use super::deploy::args::{Prepared, TemplateArgs};
use super::deploy::failed;
use super::deploy::plan_file::{self, PlanFile};
use super::resource::list::is_default;
use crate::client::deployment::{Action, Change, Deployment, Plan, PlanProperties, RunState};
use crate::client::ids;
use crate::client::request::Request;
use crate::client::shape::AwsPlace;
use crate::connection::{ConnectionArgs, Environment};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::follow;
use crate::input::Inputs;
use crate::printer::Printer;
use crate::session::{self, CallError, Presence, Session};

/// What is planned.
#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    template: TemplateArgs,
    /// Also show unchanged resources
    #[arg(long)]
    all: bool,
    /// Write the plan to a file for deploy --plan-file
    #[arg(long, value_name = "FILE", conflicts_with = "plan_file")]
    out: Option<PathBuf>,
    /// Print a plan file
    #[arg(id = "plan_file", long = "show", value_name = "FILE")]
    show: Option<PathBuf>,
    // Last: its heading is also that of what follows.
    #[command(flatten)]
    connection: ConnectionArgs,
}

pub(crate) const DESCRIPTION: &str = "\
plan reads AWS and changes nothing. Each line of its output is one resource:
  +    create, or adopt with --adopt
  ~    update
  -/+  replace with a new resource (needs `hangar deploy --replace`)
  -    delete or detach: no longer in the template (see --on-remove)
  .    keep: no longer in the template, or taken over by another deployment
  <=   read
  >    run a Terraform module; Terraform's own changes are listed below it
  ?    not known before other resources are deployed
  !    deploying it would fail

Below a resource, plan prints each changed property with its old and new value. If the values do
not explain the change, plan prints the reason. For a replacement it names the line of the template
that causes it. (known after vpc) is a value that AWS sets when `vpc` is created. Secrets are shown
as «secret». If the group does not exist, plan shows all resources as new.

`newGuid()` and `utcNow()` in parameter defaults are evaluated by the first deployment, and their
values are stored; --refresh-defaults evaluates them again.

--out writes the plan to a file, without secrets. `hangar deploy --plan-file FILE` applies exactly
this plan: if the template, its parameters or the deployed resources have changed, it applies
nothing. If the template has secure parameters, --out creates the data directory if it does not
exist, because the file contains a hash of their values, made with the key of that directory.";

pub(crate) const EXAMPLES: &str = "Examples:
  hangar plan main.bicep
  hangar plan main.bicep -g prod -p environment=prod
  hangar plan main.bicep --params prod.bicepparam -o json
  hangar plan main.bicep --on-remove delete
  hangar plan main.bicep --all

  # Write a plan, print it, and apply exactly this plan
  hangar plan main.bicep --out plan.json
  hangar plan --show plan.json
  hangar deploy --plan-file plan.json

Exit codes:
  0  no changes
  1  error, or a change that would fail
  2  changes found";

pub(crate) fn run(
    args: &PlanArgs,
    environment: &Environment,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    if let Some(file) = &args.show {
        return shown(file, args.all, printer, inputs);
    }
    if let Some(out) = &args.out {
        plan_file::check_out(out, args.template.file()?)?;
    }
    let chosen = args.template.choose(environment, printer, inputs)?;
    let connection = args.connection.choose_for(Some(&chosen.template), environment)?;
    let directory = connection.directory();
    let mut prepared = args.template.prepare(chosen, environment, directory, printer, inputs)?;
    if let Some(out) = &args.out {
        plan_file::check_no_input(out, &args.template, &prepared, inputs)?;
    }
    // Secrets in a plan file are hashed with the key of the data directory, so that one has to exist.
    let needs_key = args.out.is_some() && prepared.has_secure_values() && connection.lacks_key();
    let presence = if needs_key { Presence::ToTheEnd } else { Presence::ReadingAws };
    session::run(connection, printer, presence, async |session| {
        let place = args.template.place(session, &prepared).await?;
        prepared.keep_old_name(&args.template, session).await?;
        let properties = args.template.body(&prepared, place.as_ref());
        let made = make(session, &args.template, &prepared, &properties, place.as_ref()).await?;
        let Made { document, plan, group } = &made;
        if matches!(group, PlannedGroup::Exists) {
            note_run(session, &prepared).await?;
        }
        let file = |path: &str| prepared.files.name_of(path);
        let view = View { width: session.printer.width(), all: args.all, file: &file };
        session.printer.show(|| text::whole(&prepared.name, plan, view), || document)?;
        if let Some(note) = possible_rename(&plan.properties.changes) {
            session.note(&note);
        }
        if let Some(out) = &args.out {
            let file =
                PlanFile::new(&args.template, &prepared, place.as_ref(), out, document, plan)?;
            file.with_group(group).write(out)?;
            session.note(&plan_file::how_to_apply(out, &args.template, &prepared, group));
        }
        Ok(exit_of(&plan.properties))
    })
}

/// Returns a note if a plan creates a resource of a type while one of the same type is no longer in the template.
///
/// Both happen when a user changes an alias in the template: Hangar then creates a second resource.
fn possible_rename(changes: &[Change]) -> Option<String> {
    let created = changes.iter().filter(|change| change.action == Action::Create);
    let type_name = created.map(|change| &change.type_name).find(|type_name| {
        changes.iter().any(|change| {
            let leaves = matches!(change.action, Action::Keep | Action::Delete | Action::Detach);
            leaves && change.type_name.eq_ignore_ascii_case(type_name)
        })
    })?;
    Some(format!(
        "the plan creates a new {type_name} and another one is no longer in the template; if you only changed \
         its alias, run `hangar resource rename {type_name} OLD NEW` first to keep the resource"
    ))
}

/// Notes a run of the deployment that is under way: what it does next is not in the plan.
async fn note_run(session: &mut Session<'_>, prepared: &Prepared) -> Result<(), Failure> {
    let request = Request::get(&*prepared.id);
    let deployment = match session.read::<Deployment>(&request).await {
        Ok((_, deployment)) => deployment,
        Err(CallError::Refused(_)) => return Ok(()),
        Err(CallError::Stopped(failure)) => return Err(failure),
    };
    let properties = &deployment.properties;
    if let (RunState::Running, Some(operation)) =
        (properties.provisioning_state, properties.operation)
    {
        session.note(&format!(
            "a run of `{}` is in progress (operation {operation}); the plan shows the current state of the resources",
            prepared.name
        ));
    }
    Ok(())
}

/// A plan that was written to a file.
fn shown(
    file: &Path,
    all: bool,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    let saved = PlanFile::read(file, inputs)?;
    let plan = saved.plan(file)?;
    let view = View { width: printer.width(), all, file: &str::to_owned };
    printer.show(|| text::whole(&saved.name, &plan, view), || &saved.plan)?;
    Ok(exit_of(&plan.properties))
}

/// A plan, made by the control plane or, for a group that does not exist, here.
pub(super) struct Made {
    document: Value,
    pub(super) plan: Plan,
    pub(super) group: PlannedGroup,
}

/// The group of a plan when the plan was made.
pub(super) enum PlannedGroup {
    Exists,
    /// It does not exist; the control plane's keyed hash of the template's secrets.
    Missing {
        fresh_seal: Option<String>,
    },
}

/// Plans a template; for a group that does not exist, everything is new.
pub(super) async fn make(
    session: &mut Session<'_>,
    template: &TemplateArgs,
    prepared: &Prepared,
    properties: &Map<String, Value>,
    place: Option<&AwsPlace>,
) -> Result<Made, Failure> {
    let fresh_seal = match ask(session, prepared, properties).await? {
        Asked::Planned(document, plan) => {
            return Ok(Made { document, plan: *plan, group: PlannedGroup::Exists });
        }
        Asked::NoGroup { fresh_seal } => fresh_seal,
    };
    let group = template.group();
    local::check_group(group)?;
    let mut note =
        format!("group `{group}` does not exist yet; all its resources are planned as new");
    if template.adopts() {
        note.push_str("; name conflicts are detected at deployment");
    }
    if !is_default(group) && !template.creates_group() {
        note.push_str("; `hangar deploy` creates the group with --create-group");
    }
    session.note(&note);
    let document = local::plan(session, template, prepared, place.cloned()).await?;
    let plan = session.shape(&document)?;
    Ok(Made { document, plan, group: PlannedGroup::Missing { fresh_seal } })
}

/// The answer of the control plane.
pub(super) enum Asked {
    Planned(Value, Box<Plan>),
    /// The group does not exist; the keyed hash of the template's secrets.
    NoGroup {
        fresh_seal: Option<String>,
    },
}

/// Asks the control plane for a plan.
pub(super) async fn ask(
    session: &mut Session<'_>,
    prepared: &Prepared,
    properties: &Map<String, Value>,
) -> Result<Asked, Failure> {
    let doing = format!("cannot plan `{}`", prepared.name);
    let failed = |error: CallError| match error {
        CallError::Refused(refusal) => failed::refused(&refusal, &doing, &prepared.files),
        CallError::Stopped(failure) => failure,
    };
    let url = format!("{}/whatIf", prepared.id);
    let request = Request::post_with(url, json!({"properties": properties}));
    let reply = match session.send(&request).await {
        Err(CallError::Refused(refusal)) if refusal.is("ResourceGroupNotFound") => {
            return Ok(Asked::NoGroup { fresh_seal: refusal.error.fresh_seal() });
        }
        answered => answered.map_err(failed)?,
    };
    let document = match reply.operation {
        Some(operation) => {
            let label = format!("planning `{}`", prepared.name);
            let ended = follow::to_end(session, operation, &label).await.map_err(failed)?;
            let (_, operation) = ended;
            follow::warn(session, &operation);
            let request = Request::get(ids::operation_result(operation.name));
            session.send(&request).await.map_err(failed)?.body
        }
        None => reply.body,
    };
    let plan = session.shape(&document)?;
    Ok(Asked::Planned(document, Box::new(plan)))
}

/// The changes in words, without those where nothing would be done.
pub(super) fn changes_text(changes: &[Change], scope: Option<&str>) -> String {
    text::changes(changes, scope, View { width: None, all: false, file: &str::to_owned })
}

fn exit_of(plan: &PlanProperties) -> Exit {
    let changes = &plan.changes;
    let is_refused = |change: &Change| change.action == Action::Refused;
    let is_quiet = |change: &Change| change.action.is_quiet();
    if changes.iter().any(is_refused) || plan.output_problem.is_some() {
        Exit::Failure
    } else if changes.iter().all(is_quiet) {
        Exit::Success
    } else {
        Exit::Changes
    }
}
