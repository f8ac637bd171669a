//! `hangar group`: where aliases live, and where their AWS resources go.

mod delete;
mod members;
pub(crate) mod missing;
mod recipe_config;
mod update;

use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};

use super::place::{PlaceArgs, usual_otherwise};
use super::recipe::refused;
use crate::client::ids;
use crate::client::instant::Instant;
use crate::client::request::Request;
use crate::client::shape::Group;
use crate::connection::{ConnectionArgs, Environment};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::Inputs;
use crate::printer::Printer;
use crate::render::facts::Facts;
use crate::render::printable;
use crate::render::table::Table;
use crate::session::{self, CallError, Presence, Session};
use members::Members;
use recipe_config::{RecipeConfig, RecipeConfigArgs};

/// What to do with groups.
#[derive(Debug, Args)]
pub(crate) struct GroupArgs {
    #[command(flatten)]
    connection: ConnectionArgs,
    #[command(subcommand)]
    command: GroupCommand,
}

#[derive(Debug, Subcommand)]
enum GroupCommand {
    /// Create a group, or change its settings
    #[command(
        long_about = format!("{CREATE_DESCRIPTION}\n\n{}", recipe_config::HELP),
        after_long_help = CREATE_EXAMPLES,
        mut_args(describe_place)
    )]
    Create {
        /// Name of the group
        name: String,
        #[command(flatten)]
        place: PlaceArgs,
        /// Tag of the group (repeatable)
        #[arg(long, value_name = "KEY=VALUE", value_parser = parse_tag)]
        tag: Vec<(String, String)>,
        #[command(flatten)]
        recipes: RecipeConfigArgs,
    },
    /// Change the settings of an existing group
    #[command(
        long_about = format!("{}\n\n{}", update::DESCRIPTION, recipe_config::HELP),
        after_long_help = update::EXAMPLES,
        mut_args(describe_place)
    )]
    Update(update::UpdateArgs),
    /// List groups
    #[command(after_long_help = LIST_EXAMPLES)]
    List,
    /// Show a group, its resources and its recipes
    #[command(after_long_help = SHOW_EXAMPLES)]
    Show {
        /// Name of the group
        name: String,
    },
    /// Delete a group and the resources that it owns
    #[command(long_about = delete::DESCRIPTION, after_long_help = delete::EXAMPLES)]
    Delete(delete::DeleteArgs),
}

/// Describes an account and a region as settings of a group.
fn describe_place(arg: clap::Arg) -> clap::Arg {
    let (help, long_help) = match arg.get_id().as_str() {
        "aws_account" => ("Default AWS account of the group's resources", ACCOUNT_HELP),
        "aws_region" => ("Default AWS region of the group's resources", REGION_HELP),
        _ => return arg,
    };
    arg.help(help).long_help(long_help)
}

const ACCOUNT_HELP: &str = "Default AWS account of the group's resources

An account id has 12 digits; the simulator also accepts fewer.

[default: none; with --aws-region the account of your credentials, or 000000000000 on the simulator]";

const REGION_HELP: &str = "Default AWS region of the group's resources

[default: none; with --aws-account the region of your profile, or us-east-1 on the simulator]";

pub(crate) const EXAMPLES: &str = "Examples:
  hangar group create prod --aws-account 123456789012 --aws-region eu-west-1
  hangar group list
  hangar group show prod";

const CREATE_DESCRIPTION: &str = "\
If the group exists, the given settings are changed and the others are kept.";

const CREATE_EXAMPLES: &str = r"Examples:
  hangar group create prod --aws-account 123456789012 --aws-region eu-west-1
  hangar group create test --aws-region us-west-2 --tag team=network
  hangar group create prod --recipe-config recipes.json \
    --recipe-secret TOKEN=@token.txt";

const LIST_EXAMPLES: &str = "Examples:
  hangar group list
  hangar group list -o json";

const SHOW_EXAMPLES: &str = "Examples:
  hangar group show prod";

pub(crate) fn parse_tag(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("write KEY=VALUE, as in team=network".to_owned()),
    }
}

pub(crate) fn run(
    args: &GroupArgs,
    environment: &Environment,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    let connection = args.connection.choose(environment)?;
    match &args.command {
        GroupCommand::Create { name, place, tag, recipes } => {
            let id = ids::group(name)?;
            place.check()?;
            let recipes = recipes.read(printer, inputs)?;
            let wanted = Wanted { place, tags: tag, recipes: &recipes };
            session::run(connection, printer, Presence::Briefly, async |session| {
                create(session, name, &id, &wanted).await
            })
        }
        GroupCommand::Update(args) => update::run(args, connection, printer, inputs),
        GroupCommand::Delete(args) => delete::run(args, connection, printer),
        GroupCommand::List => session::run(connection, printer, Presence::Reading, list),
        GroupCommand::Show { name } => {
            let id = ids::group(name)?;
            session::run(connection, printer, Presence::Reading, async |session| {
                show(session, name, &id).await
            })
        }
    }
}

/// What a group is to be like.
struct Wanted<'a> {
    place: &'a PlaceArgs,
    tags: &'a [(String, String)],
    recipes: &'a RecipeConfig,
}

async fn create(
    session: &mut Session<'_>,
    name: &str,
    id: &str,
    wanted: &Wanted<'_>,
) -> Result<Exit, Failure> {
    let doing = format!("cannot create group `{name}`");
    let before = match session.read::<Group>(&Request::get(id)).await {
        Ok(found) => Some(found),
        Err(CallError::Refused(refusal)) if refusal.status == 404 => None,
        Err(error) => return Err(error.while_doing(&doing)),
    };
    let known = before.as_ref().and_then(|(_, group)| group.aws_place());
    let otherwise =
        if wanted.place.is_half() { usual_otherwise(session, known).await? } else { known.into() };
    let scope = wanted.place.place(otherwise)?.map(|place| place.to_scope());
    let mut body = body(before.as_ref().map(|(document, _)| document), scope, wanted.tags);
    wanted.recipes.put_over(&mut body["properties"]);
    let request = Request::put(id, body);
    let reply = session.send(&request).await.map_err(|error| refused(error, &doing))?;
    let group: Group = session.shape(&reply.body)?;
    let was = before.as_ref().and_then(|(document, _)| document.get("etag"));
    let did = match was {
        _ if reply.status == 201 => "created",
        Some(etag) if reply.body.get("etag") == Some(etag) => "unchanged",
        _ => "updated",
    };
    session.printer.show(|| described(did, &group), || &reply.body)?;
    Ok(Exit::Success)
}

/// `created group prod: account …, region …`.
fn described(did: &str, group: &Group) -> String {
    let place = group.aws_place();
    let place = place.map(|place| format!(": account {}, region {}", place.account, place.region));
    format!("{did} group {}{}", printable(&group.name), place.unwrap_or_default())
}

/// What is written: what was there, and over it what was given.
fn body(before: Option<&Value>, scope: Option<String>, tags: &[(String, String)]) -> Value {
    let kept = |name: &str| before.and_then(|group| group.get(name)).cloned();
    let mut body = Map::new();
    if let Some(location) = kept("location") {
        body.insert("location".to_owned(), location);
    }
    let mut all = kept("tags").unwrap_or_else(|| json!({}));
    for (key, value) in tags {
        all[key] = Value::from(value.as_str());
    }
    body.insert("tags".to_owned(), all);
    let mut properties = kept("properties").unwrap_or_else(|| json!({}));
    if let Some(properties) = properties.as_object_mut() {
        properties.remove("provisioningState");
    }
    if let Some(scope) = scope {
        properties["providers"]["aws"]["scope"] = scope.into();
    }
    body.insert("properties".to_owned(), properties);
    Value::Object(body)
}

async fn list(session: &mut Session<'_>) -> Result<Exit, Failure> {
    let documents = session
        .list(Request::get(ids::GROUPS))
        .await
        .map_err(|error| error.while_doing("cannot list groups"))?;
    let groups: Vec<Group> =
        documents.iter().map(|document| session.shape(document)).collect::<Result<_, _>>()?;
    let now = Instant::now();
    let width = session.printer.width();
    session.printer.show(|| groups_table(&groups, now, width), || &documents)?;
    Ok(Exit::Success)
}

fn groups_table(groups: &[Group], now: Instant, width: Option<usize>) -> String {
    if groups.is_empty() {
        return "no groups; `hangar group create NAME` creates one".to_owned();
    }
    let mut table = Table::new(["NAME", "ACCOUNT", "REGION", "STATE", "AGE"]);
    table.fit(width);
    for group in groups {
        let place = group.aws_place();
        let (account, region) =
            place.as_ref().map_or(("-", "-"), |place| (&*place.account, &*place.region));
        let state = group.properties.provisioning_state.as_deref().unwrap_or("-");
        let age = group.system_data.created_at.map(|at| at.age(now));
        table.row([&*group.name, account, region, state, age.as_deref().unwrap_or("-")]);
    }
    table.to_string()
}

async fn show(session: &mut Session<'_>, name: &str, id: &str) -> Result<Exit, Failure> {
    let (document, group) = session
        .read::<Group>(&Request::get(id))
        .await
        .map_err(|error| error.while_doing(&format!("cannot show group `{name}`")))?;
    let now = Instant::now();
    let width = session.printer.width();
    session.printer.show(|| shown(&document, &group, now, width), || &document)?;
    Ok(Exit::Success)
}

fn shown(document: &Value, group: &Group, now: Instant, width: Option<usize>) -> String {
    let mut facts = Facts::default();
    let place = group.aws_place();
    facts.add("group", &*group.name);
    facts.add_known("account", place.as_ref().map(|place| &*place.account));
    facts.add_known("region", place.as_ref().map(|place| &*place.region));
    facts.add_known("state", group.properties.provisioning_state.as_deref());
    facts.add_known("created", group.system_data.created_at.map(|at| at.to_string()));
    facts.add_known("changed", group.system_data.last_modified_at.map(|at| at.to_string()));
    let tags = document.get("tags").and_then(Value::as_object).into_iter().flatten();
    let tags: Vec<String> =
        tags.map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default())).collect();
    facts.add_known("tags", (!tags.is_empty()).then(|| tags.join(", ")));
    let resources = Members::of(&group.resources).text(&group.name, now, width);
    let more = match group.resources_next_link {
        Some(_) => {
            format!("\n… and more: `hangar resource list -g {}` lists all", printable(&group.name))
        }
        None => String::new(),
    };
    format!("{facts}\n{resources}{more}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn creating_a_group_again_keeps_what_is_not_given() {
        let before = json!({
            "location": "here", "tags": {"a": "1", "b": "2"}, "etag": "x",
            "properties": {"provisioningState": "Succeeded", "providers": {"aws": {"scope": "/old"}}},
        });
        assert_eq!(
            body(Some(&before), None, &[("b".to_owned(), "3".to_owned())]),
            json!({"location": "here", "tags": {"a": "1", "b": "3"},
                   "properties": {"providers": {"aws": {"scope": "/old"}}}})
        );
        assert_eq!(
            body(None, Some("/new".to_owned()), &[]),
            json!({"tags": {}, "properties": {"providers": {"aws": {"scope": "/new"}}}})
        );
    }
}
