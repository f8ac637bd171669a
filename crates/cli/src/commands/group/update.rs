//! `hangar group update`: some of a group changes, the rest stays.

use clap::Args;
use hangar_diag::Diagnostic;
use serde_json::{Map, Value, json};

use super::recipe_config::{RecipeConfig, RecipeConfigArgs};
use super::{described, parse_tag};
use crate::client::ids;
use crate::client::request::Request;
use crate::client::shape::Group;
use crate::codes;
use crate::commands::place::{PlaceArgs, usual_otherwise};
use crate::commands::recipe::refused;
use crate::connection::Connection;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::Inputs;
use crate::printer::Printer;
use crate::session::{self, CallError, Presence, Session};

/// What of a group changes.
#[derive(Debug, Args)]
pub(super) struct UpdateArgs {
    /// Name of the group
    name: String,
    #[command(flatten)]
    place: PlaceArgs,
    /// Set a tag (repeatable)
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_tag)]
    tag: Vec<(String, String)>,
    /// Remove a tag (repeatable)
    #[arg(long, value_name = "KEY")]
    remove_tag: Vec<String>,
    #[command(flatten)]
    recipes: RecipeConfigArgs,
}

pub(super) const DESCRIPTION: &str = "\
Settings that are not given are kept. A new account or region applies to new resources only;
existing resources stay where they are. `hangar group create` creates a group.";

pub(super) const EXAMPLES: &str = "Examples:
  hangar group update prod --tag team=network --remove-tag owner
  hangar group update prod --aws-region eu-central-1
  hangar group update prod --recipe-config recipes.json --recipe-secret TOKEN";

/// How often it is tried anew because somebody else changed the group meanwhile.
const TRIES: usize = 5;

pub(super) fn run(
    args: &UpdateArgs,
    connection: Connection,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    let id = ids::group(&args.name)?;
    args.place.check()?;
    let recipes = args.recipes.read(printer, inputs)?;
    let presence = connection.presence_for_existing(Presence::Briefly);
    session::run(connection, printer, presence, async |session| {
        update(session, args, &recipes, &id).await
    })
}

async fn update(
    session: &mut Session<'_>,
    args: &UpdateArgs,
    recipes: &RecipeConfig,
    id: &str,
) -> Result<Exit, Failure> {
    let doing = format!("cannot update group `{}`", args.name);
    for _ in 0..TRIES {
        let read = session.read::<Group>(&Request::get(id)).await;
        let (document, group) = read.map_err(|error| error.while_doing(&doing))?;
        let known = group.aws_place();
        let otherwise = if args.place.is_half() {
            usual_otherwise(session, known).await?
        } else {
            known.into()
        };
        let scope = args.place.place(otherwise)?.map(|place| place.to_scope());
        let mut request = if recipes.is_given() {
            // A patch would merge settings with those before, and take a secret away that it names to be kept.
            Request::put(id, whole(&document, scope, args, recipes))
        } else {
            Request::patch(id, body(&document, scope, args))
        };
        let etag = document.get("etag").and_then(Value::as_str);
        if let Some(etag) = etag {
            request = request.if_match(etag);
        }
        let reply = match session.send(&request).await {
            Err(CallError::Refused(refusal)) if refusal.status == 412 => continue,
            reply => reply.map_err(|error| refused(error, &doing))?,
        };
        let changed: Group = session.shape(&reply.body)?;
        let is_same = etag.is_some() && reply.body.get("etag").and_then(Value::as_str) == etag;
        let did = if is_same { "unchanged" } else { "updated" };
        session.printer.show(|| described(did, &changed), || &reply.body)?;
        return Ok(Exit::Success);
    }
    let message = format!("{doing}: another process changed it during every attempt");
    Err(Diagnostic::error(codes::API_REFUSED, message).hint("try again").into())
}

/// The whole group as it is to be.
fn whole(
    before: &Value,
    scope: Option<String>,
    args: &UpdateArgs,
    recipes: &RecipeConfig,
) -> Value {
    let mut body = super::body(Some(before), scope, &args.tag);
    if let Some(tags) = body["tags"].as_object_mut() {
        tags.retain(|key, _| !args.remove_tag.contains(key));
    }
    recipes.put_over(&mut body["properties"]);
    body
}

/// What is sent: tags are replaced whole, so that those which stay are repeated.
fn body(before: &Value, scope: Option<String>, args: &UpdateArgs) -> Value {
    let mut body = Map::new();
    if !args.tag.is_empty() || !args.remove_tag.is_empty() {
        let tags = before.get("tags").and_then(Value::as_object).cloned().unwrap_or_default();
        let kept = tags.into_iter().filter(|(key, _)| !args.remove_tag.contains(key));
        let set = args.tag.iter().map(|(key, value)| (key.clone(), Value::from(value.as_str())));
        body.insert("tags".to_owned(), Value::Object(kept.chain(set).collect()));
    }
    if let Some(scope) = scope {
        let properties = json!({"providers": {"aws": {"scope": scope}}});
        body.insert("properties".to_owned(), properties);
    }
    Value::Object(body)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Typed {
        #[command(flatten)]
        update: UpdateArgs,
    }

    #[test]
    fn only_what_changes_is_sent_and_tags_whole() {
        let before = json!({"tags": {"a": "1", "b": "2"}, "properties": {"x": 1}});
        let sent = |typed: &[&str], scope: Option<&str>| {
            let typed = ["update", "g"].iter().chain(typed);
            let args = Typed::try_parse_from(typed).unwrap().update;
            body(&before, scope.map(str::to_owned), &args)
        };
        assert_eq!(
            sent(&["--tag", "b=3", "--tag", "c=4", "--remove-tag", "a"], None),
            json!({"tags": {"b": "3", "c": "4"}})
        );
        assert_eq!(
            sent(&[], Some("/s")),
            json!({"properties": {"providers": {"aws": {"scope": "/s"}}}})
        );
        assert_eq!(sent(&[], None), json!({}));
    }
}
