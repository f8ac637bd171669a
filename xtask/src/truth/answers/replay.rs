//! Makes the calls of a test to a new simulator, in the form in which botocore shows answers.

use anyhow::{Context, Result, anyhow, bail};
use hangar_schema::Catalog;
use hangar_simulator::core::place::{DEFAULT_ACCOUNT, DEFAULT_REGION, Place};
use hangar_simulator::core::refusal::Refusal;
use hangar_simulator::core::settings::Settings;
use hangar_simulator::core::time::Timestamp;
use hangar_simulator::core::world::{Outcome, World};
use hangar_simulator::wire::json;
use serde_json::{Map, Value, json};

use super::calls::{CallStep, Pause, RecordedTest, Step};
use super::compare::Placeholders;

/// A time in 2027: only differences between times matter.
const START: u64 = 1_800_000_000_000;
/// Longer than any request takes, in milliseconds.
const LONG_ENOUGH: u64 = 3_600_000;
/// The time between two calls, in milliseconds.
const BETWEEN_CALLS: u64 = 10;

/// Arguments that are JSON text in the call.
const DOCUMENTS: [&str; 2] = ["DesiredState", "PatchDocument"];

/// The simulator's answers to the calls of one test.
pub(super) struct Replayed {
    /// By the names of the recorded answers, in the order of the calls.
    pub(super) answers: Vec<(String, Value)>,
    /// The values that the caller chose, and the request tokens of the simulator.
    pub(super) placeholders: Placeholders,
}

pub(super) fn replay(test: &RecordedTest, seed: u64) -> Result<Replayed> {
    let settings = Settings { seed, ..Settings::default() };
    let mut world = World::new(Catalog::bundled(), settings);
    let place = Place::of_caller(DEFAULT_ACCOUNT, DEFAULT_REGION);
    let mut placeholders = Placeholders::of_caller(&test.given);
    let (mut now, mut answers) = (START, Vec::new());
    for step in &test.steps {
        let step = match step {
            Step::Pause(Pause::Wait) => {
                now += LONG_ENOUGH;
                continue;
            }
            Step::Call(step) => step,
        };
        let in_step =
            || format!("{}: {}", test.name, step.answer.as_ref().unwrap_or(&step.operation));
        let body = body(step, &placeholders).with_context(in_step)?;
        let outcome =
            call(&mut world, &place, &step.operation, &body, now).with_context(in_step)?;
        now += BETWEEN_CALLS;
        if let Some(placeholder) = &step.request {
            let token = outcome.as_ref().ok().map(|reply| &reply["ProgressEvent"]["RequestToken"]);
            let token =
                token.and_then(Value::as_str).context("no request token").with_context(in_step)?;
            placeholders.bind(placeholder, token).with_context(in_step)?;
        }
        match (&step.answer, outcome) {
            (Some(answer), outcome) => answers.push((answer.clone(), shown(outcome))),
            (None, Ok(_)) => {}
            (None, Err(refusal)) => return Err(anyhow!(refusal.message)).with_context(in_step),
        }
    }
    Ok(Replayed { answers, placeholders })
}

fn body(step: &CallStep, placeholders: &Placeholders) -> Result<Value> {
    let mut body = Map::new();
    for (name, value) in &step.with {
        let value = placeholders.fill(value)?;
        let is_document = DOCUMENTS.contains(&name.as_str());
        body.insert(name.clone(), if is_document { value.to_string().into() } else { value });
    }
    Ok(Value::Object(body))
}

/// One call through the simulator's core and wire format. A call that the wire format refuses is a
/// mistake in the file of calls.
fn call(
    world: &mut World,
    place: &Place,
    operation: &str,
    body: &Value,
    now: u64,
) -> Result<Result<Value, Refusal>> {
    let unreadable =
        |refusal: Refusal| anyhow!("{}: {}", refusal.exception.as_str(), refusal.message);
    let name = json::read_target(&format!("CloudApiService.{operation}")).map_err(unreadable)?;
    let call = json::read_call(name, body.to_string().as_bytes()).map_err(unreadable)?;
    match world.call(place, &call, Timestamp::from_millis(now)).outcome {
        Outcome::Answered(Ok(reply)) => Ok(Ok(serde_json::from_str(&json::write_reply(&reply))?)),
        Outcome::Answered(Err(refusal)) => Ok(Err(refusal)),
        Outcome::Dropped => bail!("the simulator dropped the answer"),
    }
}

/// An answer as botocore returns it and as the recorder stored it: members of the body, JSON text as
/// values, and the HTTP status.
fn shown(outcome: Result<Value, Refusal>) -> Value {
    let (mut shown, status) = match outcome {
        Ok(mut body) => {
            read_properties(&mut body);
            (body, 200)
        }
        Err(refusal) => (shown_refusal(&refusal), refusal.exception.status()),
    };
    shown["ResponseMetadata"] = json!({"HTTPHeaders": {}, "HTTPStatusCode": status});
    shown
}

/// The `Error` of botocore has the message in either spelling; a member `Message` appears a second
/// time, as a member of the exception.
fn shown_refusal(refusal: &Refusal) -> Value {
    let body: Value = serde_json::from_str(&json::write_refusal(refusal)).unwrap_or_default();
    let message = body.get("message").or_else(|| body.get("Message")).cloned().unwrap_or_default();
    let mut shown = json!({"Error": {"Code": refusal.exception.as_str(), "Message": message}});
    if let Some(member) = body.get("Message") {
        shown["Message"] = member.clone();
    }
    shown
}

/// Replaces the JSON text of `Properties` by its value, at any depth.
fn read_properties(value: &mut Value) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let text = member.as_str().filter(|_| name == "Properties");
                match text.and_then(|text| serde_json::from_str(text).ok()) {
                    Some(properties) => *member = properties,
                    None => read_properties(member),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(read_properties),
        _ => {}
    }
}
