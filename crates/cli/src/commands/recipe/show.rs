//! `hangar recipe show`, `list` and `outputs`: what recipes there are, and what they made.

use std::fmt::Write as _;

use clap::Args;
use serde_json::{Map, Value};

use super::{RecipeName, summary};
use crate::client::ids;
use crate::client::instant::{Instant, felt};
use crate::client::recipe::Recipe;
use crate::client::request::Request;
use crate::commands::resource::list::listed;
use crate::connection::Connection;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::render::facts::Facts;
use crate::render::table::Table;
use crate::render::{counted, printable};
use crate::session::{self, Presence, Session};

/// Which recipe is shown, and how much of it.
#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    #[command(flatten)]
    name: RecipeName,
    /// Also show the secrets of its result
    #[arg(long)]
    secrets: bool,
}

pub(super) const SHOW_DESCRIPTION: &str = "\
With -o json and --secrets, the document has a member `secrets`.";

pub(super) const SHOW_EXAMPLES: &str = "Examples:
  hangar recipe show network
  hangar recipe show database -g prod --secrets
  hangar recipe show network -o json";

pub(super) const LIST_EXAMPLES: &str = "Examples:
  hangar recipe list
  hangar recipe list -g prod -o json";

pub(super) const OUTPUTS_DESCRIPTION: &str = "\
Prints `values` of the module's output `result`, or all outputs of a module without this output.
Secrets are left out; `hangar recipe show NAME --secrets` prints them.";

pub(super) const OUTPUTS_EXAMPLES: &str = "Examples:
  hangar recipe outputs network
  hangar recipe outputs network -g prod | jq -r .vpc";

pub(super) fn run(
    args: &ShowArgs,
    connection: Connection,
    printer: &mut Printer,
) -> Result<Exit, Failure> {
    let id = args.name.id()?;
    session::run(connection, printer, Presence::Reading, async |session| {
        show(session, args, &id).await
    })
}

async fn read(
    session: &mut Session<'_>,
    name: &RecipeName,
    id: &str,
) -> Result<(Value, Recipe), Failure> {
    let read = session.read::<Recipe>(&Request::get(id)).await;
    read.map_err(|error| error.while_doing(&format!("cannot show recipe `{}`", name.name)))
}

async fn show(session: &mut Session<'_>, args: &ShowArgs, id: &str) -> Result<Exit, Failure> {
    let (mut document, recipe) = read(session, &args.name, id).await?;
    let secrets = if args.secrets { Some(secrets(session, args, id).await?) } else { None };
    if let (Some(secrets), Some(members)) = (&secrets, document.as_object_mut()) {
        members.insert("secrets".to_owned(), Value::Object(secrets.clone()));
    }
    let text = session.addressed(&shown(&recipe, secrets.as_ref(), session.printer.width()));
    session.printer.show(|| text, || document)?;
    Ok(Exit::Success)
}

async fn secrets(
    session: &mut Session<'_>,
    args: &ShowArgs,
    id: &str,
) -> Result<Map<String, Value>, Failure> {
    let doing = format!("cannot read the secrets of recipe `{}`", args.name.name);
    let reply = session.send(&Request::post(format!("{id}/listSecrets"))).await;
    let mut reply = reply.map_err(|error| error.while_doing(&doing))?;
    match reply.body.get_mut("secrets").map(Value::take) {
        Some(Value::Object(secrets)) => Ok(secrets),
        _ => Ok(Map::new()),
    }
}

fn shown(recipe: &Recipe, secrets: Option<&Map<String, Value>>, width: Option<usize>) -> String {
    let mut text = facts(recipe).to_string();
    let Some(secrets) = secrets else {
        text.push_str(&summary::holdings(recipe, width));
        return text;
    };
    let mut without = String::new();
    let status = &recipe.properties.status;
    if !status.output_resources.is_empty() {
        let _ = writeln!(without, "\n{}", summary::resources(&status.output_resources, width));
    }
    if !status.values.is_empty() {
        let _ = write!(without, "\nvalues:\n{}", summary::values(&status.values));
    }
    text.push_str(&without);
    if secrets.is_empty() {
        text.push_str("\nno secrets\n");
    } else {
        let _ = write!(text, "\nsecrets:\n{}", summary::values(secrets));
    }
    text
}

fn facts(recipe: &Recipe) -> Facts {
    let properties = &recipe.properties;
    let mut facts = Facts::default();
    facts.add("recipe", &*recipe.name);
    facts.add_known("group", ids::group_of(&recipe.id));
    facts.add("state", properties.state_word());
    facts.add_known("source", source_of(recipe));
    let mut parameters: Vec<String> =
        properties.parameters.iter().map(|(name, value)| format!("{name}={value}")).collect();
    parameters.extend(properties.secret_parameters.iter().map(|name| format!("{name}=«secret»")));
    facts.add_known("parameters", (!parameters.is_empty()).then(|| parameters.join(", ")));
    facts.add_known("run by", properties.status.tool.as_deref());
    facts.add_known("operation", properties.operation.map(|id| id.to_string()));
    facts.add_known("started", properties.start_time.map(|at| at.to_string()));
    let took = properties.end_time.zip(properties.start_time);
    facts.add_known("took", took.map(|(end, start)| felt(end.since(start))));
    if let Some(error) = &properties.error {
        facts.add("error", format!("{}: {}", error.code, error.message));
    }
    if let Some(state) = &properties.state {
        if let Some(version) = state.version {
            let instances = state.instances.unwrap_or_default();
            let serial = state.serial.unwrap_or_default();
            let instances = usize::try_from(instances).unwrap_or(usize::MAX);
            let told =
                format!("version {version}, serial {serial}, {}", counted(instances, "resource"));
            facts.add("terraform state", told);
        }
        facts.add_known("locked by", state.lock.as_ref().map(summary::holder));
    }
    for warning in &properties.status.warnings {
        facts.add("warning", warning.as_str());
    }
    facts
}

/// `terraform-aws-modules/vpc/aws ~> 5.0`.
fn source_of(recipe: &Recipe) -> Option<String> {
    let properties = &recipe.properties;
    let source = properties.source.clone()?;
    Some(match &properties.version {
        Some(version) => format!("{source} {version}"),
        None => source,
    })
}

pub(super) fn list(
    group: &str,
    connection: Connection,
    printer: &mut Printer,
) -> Result<Exit, Failure> {
    let id = ids::recipes(group)?;
    session::run(connection, printer, Presence::Reading, async |session| {
        let documents = listed(session, group, Request::get(id)).await?;
        let recipes: Vec<Recipe> =
            documents.iter().map(|document| session.shape(document)).collect::<Result<_, _>>()?;
        let (now, width) = (Instant::now(), session.printer.width());
        session.printer.show(|| table(&recipes, group, now, width), || &documents)?;
        Ok(Exit::Success)
    })
}

fn table(recipes: &[Recipe], group: &str, now: Instant, width: Option<usize>) -> String {
    if recipes.is_empty() {
        let group = printable(group);
        return format!("no recipes in group {group}; `hangar recipe deploy` creates one");
    }
    let mut table = Table::new(["NAME", "STATE", "OUTPUT RESOURCES", "SOURCE", "DEPLOYED"]);
    table.fit(width);
    for recipe in recipes {
        let properties = &recipe.properties;
        table.row([
            &*recipe.name,
            &properties.state_word(),
            &properties.status.output_resources.len().to_string(),
            source_of(recipe).as_deref().unwrap_or("-"),
            &properties.start_time.map_or_else(|| "-".to_owned(), |at| at.age(now) + " ago"),
        ]);
    }
    table.to_string()
}

pub(super) fn outputs(
    name: &RecipeName,
    connection: Connection,
    printer: &mut Printer,
) -> Result<Exit, Failure> {
    let id = name.id()?;
    session::run(connection, printer, Presence::Reading, async |session| {
        let (_, recipe) = read(session, name, &id).await?;
        let values = Value::Object(recipe.properties.status.values);
        session.printer.show(|| format!("{values:#}"), || &values)?;
        Ok(Exit::Success)
    })
}
