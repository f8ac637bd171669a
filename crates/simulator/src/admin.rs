//! The control API under `/_simulator/`: what people and tests do to the simulator that no caller
//! of AWS can do. A path and a JSON body go in, a status and a JSON document come out.

mod asset;
mod listing;

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::core::fault::{Fault, MAX_FAULTS};
use crate::core::instant::iso8601;
use crate::core::place::{DEFAULT_ACCOUNT, DEFAULT_REGION, Place};
use crate::core::refusal::{Exception, Refusal};
use crate::core::settings::{SettingsChange, SettingsView};
use crate::core::time::{Timestamp, parse_span, print_span};
use crate::core::world::World;

/// Where the control API lies.
pub const PREFIX: &str = "/_simulator";

/// A request to the control API.
#[derive(Debug)]
pub struct Request<'a> {
    /// `GET`, `POST`…
    pub method: &'a str,
    /// The path below the prefix, without the slash before it.
    pub path: &'a str,
    /// The parameters of the query.
    pub query: &'a HashMap<String, String>,
    /// The body.
    pub body: &'a [u8],
}

/// The answer.
#[derive(Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: Value,
}

impl Answer {
    fn ok(body: Value) -> Self {
        Self { status: 200, body }
    }

    fn error(status: u16, message: impl Into<String>) -> Self {
        Self { status, body: json!({"error": {"message": message.into()}}) }
    }
}

/// What there is, with a line on each.
const ROUTES: &[(&str, &str)] = &[
    ("GET /_simulator/health", "return the status, the time and the number of resources"),
    (
        "GET /_simulator/resources?type=&account=&region=&identifier=&after=&limit=",
        "list resources, with write-only values",
    ),
    (
        "POST /_simulator/resources",
        "create a resource out of band: {account?, region?, type, properties}",
    ),
    (
        "PATCH /_simulator/resources",
        "change a resource out of band with a merge patch (RFC 7396): {account?, region?, type, identifier, properties}",
    ),
    (
        "PUT /_simulator/resources",
        "replace the properties that a read returns out of band; the identifier and write-only values stay: \
         {account?, region?, type, identifier, properties}",
    ),
    (
        "DELETE /_simulator/resources?type=&identifier=&account=&region=",
        "delete a resource out of band",
    ),
    (
        "GET /_simulator/requests?account=&region=&limit=",
        "list requests, latest first (1,000 by default)",
    ),
    ("DELETE /_simulator/requests/TOKEN", "forget a request"),
    ("GET /_simulator/assets", "list the files that TemplateURL reads instead of S3 objects"),
    ("PUT /_simulator/assets/BUCKET/KEY", "store a file: the body is its text"),
    ("GET /_simulator/assets/BUCKET/KEY", "return the text of a file"),
    ("DELETE /_simulator/assets/BUCKET/KEY", "delete a file"),
    ("GET /_simulator/faults", "list the armed faults"),
    (
        "POST /_simulator/faults",
        "arm a fault: {operation?, type?, identifier?, account?, region?, nth?, times?} and an effect: \
         {effect: exception, exception, message?, when? before|after}, {effect: drop-reply, when?}, \
         {effect: delay, millis}, {effect: fail, code, message?, withIdentifier?}, {effect: hang}",
    ),
    ("DELETE /_simulator/faults[/ID]", "disarm all faults, or one fault"),
    ("GET /_simulator/clock", "return the time of the simulator"),
    ("POST /_simulator/clock", "advance the clock: {\"advance\": \"37h\"}"),
    ("GET /_simulator/settings", "return the settings"),
    ("POST /_simulator/settings", "change the settings: {\"latency\": \"0..0\"}"),
    (
        "GET /_simulator/calls?after=&limit=",
        "list the latest 1,000 calls, or the calls after a number; 10,000 are kept",
    ),
    ("GET /_simulator/counters", "count calls by operation, type and token"),
    ("DELETE /_simulator/calls", "delete the calls and the counters"),
    (
        "POST /_simulator/reset",
        "delete resources, stacks, assets, requests, sessions, faults and calls",
    ),
];

/// Answers one request.
pub fn answer(world: &mut World, request: &Request<'_>, wall: Timestamp) -> Answer {
    if let Err(answer) = check_query(request) {
        return answer;
    }
    let (noun, rest) = request.path.split_once('/').unwrap_or((request.path, ""));
    // `faults/` is `faults/ID` with the number forgotten, and not all faults.
    let is_plain = rest.is_empty() && !request.path.ends_with('/');
    match (request.method, noun) {
        ("GET", "") => Answer::ok(json!({"routes": ROUTES.iter().map(|(route, what)| {
            json!({"route": route, "does": what})
        }).collect::<Vec<_>>()})),
        ("GET", "health") if is_plain => health(world, wall),
        ("GET", "settings") if is_plain => settings(world),
        ("POST" | "PATCH", "settings") if is_plain => change_settings(world, request, wall),
        ("GET", "clock") if is_plain => clock(world, wall),
        ("POST", "clock") if is_plain => advance(world, request, wall),
        ("GET", "faults") if is_plain => Answer::ok(json!({"faults": world.state().faults})),
        ("POST", "faults") if is_plain => arm(world, request),
        ("DELETE", "faults") if is_plain || !rest.is_empty() => disarm(world, rest),
        ("GET", "resources") if is_plain => listing::resources(world, request, wall),
        ("POST", "resources") if is_plain => create(world, request, wall),
        ("PATCH" | "PUT", "resources") if is_plain => change(world, request, wall),
        ("DELETE", "resources") if is_plain => delete(world, request, wall),
        ("GET", "assets") if is_plain => asset::list(world),
        ("PUT" | "GET" | "DELETE", "assets") if !rest.is_empty() => {
            asset::answer(world, request, rest)
        }
        ("GET", "requests") if is_plain => listing::requests(world, request, wall),
        ("DELETE", "requests") if !rest.is_empty() => forget(world, rest),
        ("GET", "calls") if is_plain => listing::calls(world, request),
        ("GET", "counters") if is_plain => Answer::ok(json!(world.log().counters())),
        ("DELETE", "calls" | "counters") if is_plain => {
            world.clear_log();
            Answer::ok(json!({}))
        }
        ("POST", "reset") if is_plain => {
            world.reset();
            Answer::ok(json!({}))
        }
        (method, _) => Answer::error(
            404,
            format!(
                "unknown route {method} {PREFIX}/{}; GET {PREFIX}/ lists the routes",
                request.path
            ),
        ),
    }
}

/// A misspelled parameter must not widen what is shown or deleted.
fn check_query(request: &Request<'_>) -> Result<(), Answer> {
    let known: &[&str] = match (request.method, request.path) {
        ("GET", "resources") => &["account", "region", "type", "identifier", "after", "limit"],
        ("DELETE", "resources") => &["account", "region", "type", "identifier"],
        ("GET", "requests") => &["account", "region", "limit"],
        ("GET", "calls") => &["after", "limit"],
        _ => &[],
    };
    match request.query.keys().find(|name| !known.contains(&name.as_str())) {
        None => Ok(()),
        Some(name) if known.is_empty() => {
            Err(Answer::error(400, format!("`{name}`: this route accepts no parameters")))
        }
        Some(name) => {
            let known = known.join(", ");
            Err(Answer::error(
                400,
                format!("`{name}` is not a parameter of this route; the parameters are {known}"),
            ))
        }
    }
}

fn health(world: &mut World, wall: Timestamp) -> Answer {
    let now = world.now(wall);
    world.settle(now);
    let resources: usize = world
        .state()
        .regions
        .values()
        .flat_map(|region| region.resources.values())
        .map(std::collections::BTreeMap::len)
        .sum();
    Answer::ok(json!({
        "status": "ok",
        "now": iso8601(world.now(wall).millis()),
        "resources": resources,
    }))
}

fn settings(world: &World) -> Answer {
    Answer::ok(json!(SettingsView::from(world.settings())))
}

fn change_settings(world: &mut World, request: &Request<'_>, wall: Timestamp) -> Answer {
    let change: SettingsChange = match read(request) {
        Ok(change) => change,
        Err(answer) => return answer,
    };
    match change.apply(world.settings()) {
        Ok(changed) => {
            // What was due before happens by the settings that were true then.
            let now = world.now(wall);
            world.settle(now);
            world.set_settings(changed);
            settings(world)
        }
        Err(message) => Answer::error(400, message),
    }
}

fn clock(world: &World, wall: Timestamp) -> Answer {
    let ahead = std::time::Duration::from_millis(world.state().offset);
    Answer::ok(json!({"now": iso8601(world.now(wall).millis()), "ahead": print_span(ahead)}))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Advance {
    advance: String,
}

fn advance(world: &mut World, request: &Request<'_>, wall: Timestamp) -> Answer {
    let by = match read::<Advance>(request).map(|body| parse_span(&body.advance)) {
        Ok(Ok(by)) => by,
        Ok(Err(error)) => return Answer::error(400, error.to_string()),
        Err(answer) => return answer,
    };
    if !world.advance_clock(by, wall) {
        return Answer::error(400, "the clock cannot go beyond the year 9999");
    }
    let now = world.now(wall);
    world.settle(now);
    clock(world, wall)
}

fn arm(world: &mut World, request: &Request<'_>) -> Answer {
    match read::<Fault>(request) {
        Ok(_) if world.state().faults.len() >= MAX_FAULTS => {
            Answer::error(400, format!("{MAX_FAULTS} faults are armed: disarm some first"))
        }
        Ok(fault) => {
            let id = world.arm(fault);
            let armed = world.state().faults.iter().find(|fault| fault.id == id);
            Answer { status: 201, body: json!(armed) }
        }
        Err(answer) => answer,
    }
}

fn disarm(world: &mut World, rest: &str) -> Answer {
    let id = match (rest, rest.parse::<u64>()) {
        ("", _) => None,
        (_, Ok(id)) => Some(id),
        _ => return Answer::error(400, format!("`{rest}` is not the number of a fault")),
    };
    match (world.disarm(id), id) {
        (0, Some(id)) => Answer::error(404, format!("fault {id} does not exist")),
        (count, _) => Answer::ok(json!({"disarmed": count})),
    }
}

fn forget(world: &mut World, token: &str) -> Answer {
    if world.forget_request(token) {
        Answer::ok(json!({"forgotten": token}))
    } else {
        Answer::error(404, format!("request {token} does not exist"))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    account: Option<String>,
    region: Option<String>,
    #[serde(rename = "type")]
    type_name: String,
    identifier: Option<String>,
    properties: Value,
}

fn create(world: &mut World, request: &Request<'_>, wall: Timestamp) -> Answer {
    let named: Named = match read(request) {
        Ok(named) => named,
        Err(answer) => return answer,
    };
    if named.identifier.is_some() {
        let message = "the properties of a new resource determine its identifier: remove `identifier`, or use PATCH";
        return Answer::error(400, message);
    }
    let place = match place(named.account.as_deref(), named.region.as_deref()) {
        Ok(place) => place,
        Err(answer) => return answer,
    };
    match world.create_out_of_band(&place, &named.type_name, &named.properties, wall) {
        Ok(identifier) => {
            let mut made = listing::resource(world, &place, &named.type_name, &identifier);
            made.status = 201;
            made
        }
        Err(refusal) => refused(&refusal),
    }
}

fn change(world: &mut World, request: &Request<'_>, wall: Timestamp) -> Answer {
    let named: Named = match read(request) {
        Ok(named) => named,
        Err(answer) => return answer,
    };
    let Some(identifier) = &named.identifier else {
        return Answer::error(400, "`identifier` is missing: set it to the resource to change");
    };
    if !named.properties.is_object() {
        return Answer::error(
            400,
            "`properties` must be an object with the properties to change (with PATCH, null removes a property)",
        );
    }
    let place = match place(named.account.as_deref(), named.region.as_deref()) {
        Ok(place) => place,
        Err(answer) => return answer,
    };
    let (type_name, properties) = (&named.type_name, &named.properties);
    let changed = match request.method {
        "PUT" => world.replace_out_of_band(&place, type_name, identifier, properties, wall),
        _ => world.change_out_of_band(&place, type_name, identifier, properties, wall),
    };
    match changed {
        Ok(true) => listing::resource(world, &place, &named.type_name, identifier),
        Ok(false) => no_such(&place, &named.type_name, identifier),
        Err(refusal) => refused(&refusal),
    }
}

fn delete(world: &mut World, request: &Request<'_>, wall: Timestamp) -> Answer {
    let get = |name: &str| request.query.get(name).map(String::as_str);
    let (Some(type_name), Some(identifier)) = (get("type"), get("identifier")) else {
        return Answer::error(400, "name the resource: ?type=AWS::EC2::VPC&identifier=vpc-…");
    };
    let place = match place(get("account"), get("region")) {
        Ok(place) => place,
        Err(answer) => return answer,
    };
    if world.delete_out_of_band(&place, type_name, identifier, wall) {
        Answer::ok(json!({"deleted": identifier}))
    } else {
        no_such(&place, type_name, identifier)
    }
}

fn no_such(place: &Place, type_name: &str, identifier: &str) -> Answer {
    let message = format!("{type_name} `{identifier}` does not exist in {place}");
    Answer::error(404, message)
}

fn refused(refusal: &Refusal) -> Answer {
    let status = match refusal.exception {
        Exception::TypeNotFound => 404,
        Exception::AlreadyExists => 409,
        _ => 400,
    };
    Answer::error(status, refusal.message.clone())
}

fn place(account: Option<&str>, region: Option<&str>) -> Result<Place, Answer> {
    let (account, region) = (account.unwrap_or(DEFAULT_ACCOUNT), region.unwrap_or(DEFAULT_REGION));
    if hangar_ids::AccountId::parse(account).is_err() {
        return Err(Answer::error(
            400,
            format!("`{account}` is not an account: write 1 to 12 digits"),
        ));
    }
    if !Place::is_region(region) {
        return Err(Answer::error(400, format!("`{region}` is not a region such as us-east-1")));
    }
    Ok(Place::of_caller(account, region))
}

fn read<T: serde::de::DeserializeOwned>(request: &Request<'_>) -> Result<T, Answer> {
    let wrong = |why: String| Answer::error(400, format!("the body is not valid: {why}"));
    let document: Value =
        serde_json::from_slice(request.body).map_err(|error| wrong(error.to_string()))?;
    if !document.is_object() {
        return Err(wrong("it is not a JSON object".to_owned()));
    }
    serde_json::from_value(document).map_err(|error| wrong(error.to_string()))
}
