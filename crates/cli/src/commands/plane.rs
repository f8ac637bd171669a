//! `hangar plane`: the first name in every id, and what is said of it.

use clap::{Args, Subcommand};
use hangar_diag::Diagnostic;
use serde_json::{Map, Value, json};

use super::group::parse_tag;
use crate::client::instant::Instant;
use crate::client::request::Request;
use crate::client::shape::{Plane, SystemData};
use crate::codes;
use crate::connection::{ConnectionArgs, Environment};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::printer::{Printer, Said};
use crate::render::facts::Facts;
use crate::render::printable;
use crate::render::table::Table;
use crate::session::{self, CallError, Presence, Session};

/// What to do with planes.
#[derive(Debug, Args)]
pub(crate) struct PlaneArgs {
    #[command(flatten)]
    connection: ConnectionArgs,
    #[command(subcommand)]
    command: PlaneCommand,
}

#[derive(Debug, Subcommand)]
enum PlaneCommand {
    /// List planes
    #[command(after_long_help = LIST_EXAMPLES)]
    List {
        /// Only planes of this kind
        #[arg(value_parser = ["aws", "radius"])]
        kind: Option<String>,
    },
    /// Show a plane
    #[command(after_long_help = SHOW_EXAMPLES)]
    Show {
        /// Plane, such as `aws/aws`
        plane: PlaneName,
    },
    /// Create a plane, or change its settings
    #[command(long_about = CREATE_DESCRIPTION, after_long_help = CREATE_EXAMPLES)]
    Create {
        /// Plane, such as `aws/sandbox`
        plane: PlaneName,
        /// Tag of the plane (repeatable)
        #[arg(long, value_name = "KEY=VALUE", value_parser = parse_tag)]
        tag: Vec<(String, String)>,
        /// Location, as free text
        #[arg(long)]
        location: Option<String>,
    },
    /// Delete an empty plane
    #[command(after_long_help = DELETE_EXAMPLES)]
    Delete {
        /// Plane, such as `aws/sandbox`
        plane: PlaneName,
        /// Do not ask for confirmation
        #[arg(short, long)]
        yes: bool,
    },
}

pub(crate) const DESCRIPTION: &str = "\
A plane is the first part of every id: /planes/aws/aws is AWS, and /planes/radius/local holds
groups. Both exist from the start.";

pub(crate) const EXAMPLES: &str = "Examples:
  hangar plane list
  hangar plane show aws/aws";

const LIST_EXAMPLES: &str = "Examples:
  hangar plane list
  hangar plane list aws -o json";

const SHOW_EXAMPLES: &str = "Examples:
  hangar plane show aws/aws";

const CREATE_DESCRIPTION: &str = "\
If the plane exists, the given settings are changed and the others are kept.";

const CREATE_EXAMPLES: &str = "Examples:
  hangar plane create aws/sandbox
  hangar plane create aws/sandbox --tag team=network --location earth";

const DELETE_EXAMPLES: &str = "Examples:
  hangar plane delete aws/sandbox
  hangar plane delete aws/sandbox --yes";

/// A kind and a name: `aws/aws`, or the id `/planes/aws/aws`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PlaneName {
    kind: String,
    name: String,
}

impl std::str::FromStr for PlaneName {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let bare = text.strip_prefix("/planes/").unwrap_or(text).trim_end_matches('/');
        match bare.split_once('/') {
            Some((kind, name)) if !kind.is_empty() && !name.is_empty() && !name.contains('/') => {
                Ok(Self { kind: kind.to_owned(), name: name.to_owned() })
            }
            _ => Err("write KIND/NAME, as in aws/aws".to_owned()),
        }
    }
}

impl PlaneName {
    fn id(&self) -> String {
        let encode = hangar_ids::encode_name;
        format!("/planes/{}/{}", encode(&self.kind), encode(&self.name))
    }

    fn label(&self) -> String {
        format!("plane `{}/{}`", self.kind, self.name)
    }
}

pub(crate) fn run(
    args: &PlaneArgs,
    environment: &Environment,
    printer: &mut Printer,
) -> Result<Exit, Failure> {
    let connection = args.connection.choose(environment)?;
    let presence = match &args.command {
        PlaneCommand::List { .. } | PlaneCommand::Show { .. } => Presence::Reading,
        PlaneCommand::Create { .. } | PlaneCommand::Delete { .. } => Presence::Briefly,
    };
    session::run(connection, printer, presence, async |session| match &args.command {
        PlaneCommand::List { kind } => list(session, kind.as_deref()).await,
        PlaneCommand::Show { plane } => show(session, plane).await,
        PlaneCommand::Create { plane, tag, location } => {
            create(session, plane, tag, location.as_deref()).await
        }
        PlaneCommand::Delete { plane, yes } => delete(session, plane, *yes).await,
    })
}

async fn list(session: &mut Session<'_>, kind: Option<&str>) -> Result<Exit, Failure> {
    let id = kind.map_or_else(|| "/planes".to_owned(), |kind| format!("/planes/{kind}"));
    let documents = session
        .list(Request::get(id))
        .await
        .map_err(|error| error.while_doing("cannot list planes"))?;
    let planes: Vec<Plane> =
        documents.iter().map(|document| session.shape(document)).collect::<Result<_, _>>()?;
    let now = Instant::now();
    let width = session.printer.width();
    session.printer.show(|| planes_table(&planes, now, width), || &documents)?;
    Ok(Exit::Success)
}

fn planes_table(planes: &[Plane], now: Instant, width: Option<usize>) -> String {
    if planes.is_empty() {
        return "no planes".to_owned();
    }
    let mut table = Table::new(["KIND", "NAME", "LOCATION", "AGE"]);
    table.fit(width);
    for plane in planes {
        let age = known(plane.system_data.created_at).map(|at| at.age(now));
        let location = plane.location.as_deref().unwrap_or("-");
        table.row([plane.kind(), &plane.name, location, age.as_deref().unwrap_or("-")]);
    }
    table.to_string()
}

/// When somebody did it; what is there from the start was made by nobody.
fn known(at: Option<Instant>) -> Option<Instant> {
    at.filter(|at| at.is_known())
}

async fn show(session: &mut Session<'_>, plane: &PlaneName) -> Result<Exit, Failure> {
    let (document, found) = session
        .read::<Plane>(&Request::get(plane.id()))
        .await
        .map_err(|error| error.while_doing(&format!("cannot show {}", plane.label())))?;
    session.printer.show(|| shown(&document, &found), || &document)?;
    Ok(Exit::Success)
}

fn shown(document: &Value, plane: &Plane) -> String {
    let mut facts = Facts::default();
    facts.add("plane", &*plane.name);
    facts.add("kind", plane.kind());
    facts.add_known("location", plane.location.as_deref());
    let SystemData { created_at, last_modified_at } = plane.system_data;
    facts.add_known("created", known(created_at).map(|at| at.to_string()));
    facts.add_known("changed", known(last_modified_at).map(|at| at.to_string()));
    let tags = document.get("tags").and_then(Value::as_object).into_iter().flatten();
    let tags: Vec<String> =
        tags.map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default())).collect();
    facts.add_known("tags", (!tags.is_empty()).then(|| tags.join(", ")));
    facts.add("id", &*plane.id);
    facts.to_string()
}

async fn create(
    session: &mut Session<'_>,
    plane: &PlaneName,
    tags: &[(String, String)],
    location: Option<&str>,
) -> Result<Exit, Failure> {
    let doing = format!("cannot create {}", plane.label());
    let before = match session.send(&Request::get(plane.id())).await {
        Ok(reply) => Some(reply.body),
        Err(CallError::Refused(refusal)) if refusal.status == 404 => None,
        Err(error) => return Err(error.while_doing(&doing)),
    };
    let request = Request::put(plane.id(), body(before.as_ref(), tags, location));
    let reply = session.send(&request).await.map_err(|error| error.while_doing(&doing))?;
    let did = match before.as_ref().and_then(|before| before.get("etag")) {
        _ if reply.status == 201 => "created",
        Some(etag) if reply.body.get("etag") == Some(etag) => "unchanged",
        _ => "updated",
    };
    session.printer.show(|| format!("{did} {}", printable(&plane.label())), || &reply.body)?;
    Ok(Exit::Success)
}

/// What is written: what was there, and over it what was given.
fn body(before: Option<&Value>, tags: &[(String, String)], location: Option<&str>) -> Value {
    let kept = |name: &str| before.and_then(|plane| plane.get(name)).cloned();
    let mut body = Map::new();
    if let Some(location) = location.map(Value::from).or_else(|| kept("location")) {
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
    body.insert("properties".to_owned(), properties);
    Value::Object(body)
}

async fn delete(session: &mut Session<'_>, plane: &PlaneName, yes: bool) -> Result<Exit, Failure> {
    let label = plane.label();
    if !yes {
        match session.ask(&format!("delete {label}?")).await {
            Said::Yes => {}
            Said::No => {
                let message = format!("{label} was not deleted");
                return Err(Diagnostic::error(codes::DECLINED, message).into());
            }
            Said::Nothing => {
                let what = format!("deleting {label} requires a confirmation");
                return Err(session.printer.unconfirmed(&what).into());
            }
        }
    }
    let reply = session.send(&Request::delete(plane.id())).await;
    let reply = reply.map_err(|error| error.while_doing(&format!("cannot delete {label}")))?;
    let outcome = if reply.status == 204 { "absent" } else { "deleted" };
    let id = plane.id();
    session.printer.show(
        || match outcome {
            "absent" => format!("{} does not exist; nothing to delete", printable(&label)),
            _ => format!("deleted {}", printable(&label)),
        },
        || json!({"id": id, "outcome": outcome}),
    )?;
    Ok(Exit::Success)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plane_is_named_by_kind_and_name_or_by_its_id() {
        for text in ["aws/aws", "/planes/aws/aws", "/planes/aws/aws/"] {
            assert_eq!(text.parse::<PlaneName>().unwrap().id(), "/planes/aws/aws", "{text}");
        }
        for text in ["aws", "", "aws/", "/aws", "aws/a/b"] {
            assert!(text.parse::<PlaneName>().is_err(), "{text}");
        }
    }

    #[test]
    fn creating_a_plane_again_keeps_what_is_not_given() {
        let before = json!({"location": "here", "tags": {"a": "1"}, "etag": "x",
                            "properties": {"provisioningState": "Succeeded", "kept": 1}});
        assert_eq!(
            body(Some(&before), &[("b".to_owned(), "2".to_owned())], None),
            json!({"location": "here", "tags": {"a": "1", "b": "2"}, "properties": {"kept": 1}})
        );
    }
}
