//! An operation as callers see it: its status, on its own or in a list.

use hangar_ids::encode_identifier;
use hangar_plan::deployment::DeploymentWork;
use hangar_plan::group::{GroupWork, Tally};
use hangar_plan::operation::{Attempt, AttemptOutcome, Convergence, Ending, Success, Verb};
use hangar_plan::recipe::RecipeWork;
use hangar_plan::record::{Calls, EventRecord, OperationRecord, ResourceWork, Work};
use serde_json::{Map, Value, json};

use super::state::{percent, record_word};
use super::time::rfc3339;
use crate::failure;
use crate::urls;

/// How much of an operation is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Detail<'a> {
    /// Everything.
    Whole(&'a [EventRecord]),
    /// All but what happened on the way: a list would need a read for each.
    Listed,
}

/// The status of an operation.
pub(crate) fn operation(record: &OperationRecord, detail: Detail<'_>) -> Value {
    let mut body = Map::new();
    body.insert("id".into(), urls::status_id(record.id()).into());
    body.insert("name".into(), record.id().to_string().into());
    body.insert("status".into(), record_word(record).into());
    body.insert("startTime".into(), rfc3339(record.created_at).into());
    if let Some(ended_at) = record.ended_at {
        body.insert("endTime".into(), rfc3339(ended_at).into());
    }
    body.insert("percentComplete".into(), percent(record).into());
    if let Some(waiting) = record.waiting() {
        body.insert("waiting".into(), super::waiting::waiting(&waiting));
    }
    body.insert("kind".into(), record.kind().into());
    match &record.work {
        Work::Resource(work) => body.extend(about_resource(work)),
        Work::Group(work) => body.extend(about_group(work)),
        Work::Deployment(work) => body.extend(about_deployment(work)),
        Work::Recipe(work) => body.extend(about_recipe(work)),
    }
    if let Some(parent) = record.parent {
        body.insert("parent".into(), parent.to_string().into());
    }
    let identifier = record.resource().and_then(|work| work.operation.identifier.as_deref());
    match record.ending() {
        None => {}
        Some(Ending::Succeeded(success)) => {
            let properties = outcome(success, identifier);
            body.insert("properties".into(), properties);
        }
        Some(Ending::Failed(_) | Ending::Canceled(_)) => {
            body.extend(failure::of_ending(record).map(|error| ("error".into(), error.value())));
        }
    }
    let attempts = record.attempts().iter().map(attempt).collect();
    body.insert("attempts".into(), Value::Array(attempts));
    if let Detail::Whole(events) = detail {
        body.insert("events".into(), Value::Array(events.iter().map(event).collect()));
    }
    let Calls { writes, polls, reads } = record.calls;
    body.insert("calls".into(), json!({ "writes": writes, "polls": polls, "reads": reads }));
    body.insert("warnings".into(), json!(record.warnings));
    Value::Object(body)
}

fn about_resource(work: &ResourceWork) -> Map<String, Value> {
    let ResourceWork { operation, subject } = work;
    let mut body = Map::new();
    body.insert("resourceType".into(), subject.type_name.ucp().into());
    if let Some(identifier) = &operation.identifier {
        let id = format!("{}/{}", subject.collection(), encode_identifier(identifier));
        body.insert("resourceId".into(), id.into());
    }
    if let Some(reference) = &subject.reference {
        body.insert("reference".into(), reference.id().into());
    }
    body
}

fn about_group(work: &GroupWork) -> Map<String, Value> {
    let mut body = Map::new();
    body.insert("resourceType".into(), "System.Resources/resourceGroups".into());
    body.insert("resourceId".into(), work.group.id().into());
    body.insert("counts".into(), tallied(&work.tally));
    body
}

fn about_deployment(work: &DeploymentWork) -> Map<String, Value> {
    let mut body = Map::new();
    body.insert("resourceType".into(), "Microsoft.Resources/deployments".into());
    body.insert("resourceId".into(), work.deployment.id().into());
    body
}

fn about_recipe(work: &RecipeWork) -> Map<String, Value> {
    let mut body = Map::new();
    body.insert("resourceType".into(), "Hangar.Recipes/recipes".into());
    body.insert("resourceId".into(), work.recipe.id().into());
    body.extend(super::recipe::steps(work));
    body
}

/// How far an operation on a group is; nothing of any other.
pub(crate) fn counts(record: &OperationRecord) -> Option<Value> {
    match &record.work {
        Work::Group(work) => Some(tallied(&work.tally)),
        Work::Resource(_) | Work::Deployment(_) | Work::Recipe(_) => None,
    }
}

fn tallied(tally: &Tally) -> Value {
    json!({
        "done": tally.done, "inSync": tally.in_sync, "drifted": tally.drifted,
        "missing": tally.missing, "unknown": tally.unknown, "repaired": tally.repaired,
        "recreated": tally.recreated,
        "pruned": tally.pruned, "refused": tally.refused,
    })
}

fn outcome(success: &Success, identifier: Option<&str>) -> Value {
    let convergence = match success.convergence {
        Convergence::Converged => "converged",
        Convergence::AcceptedNotEffective => "accepted-not-effective",
        Convergence::Unverified => "unverified",
    };
    let mut properties = json!({
        "outcome": success.kind.as_str(),
        "convergence": convergence,
        "notEffective": success.not_effective,
    });
    if let Some(identifier) = identifier {
        properties["identifier"] = identifier.into();
    }
    properties
}

pub(super) const fn verb_word(verb: Verb) -> &'static str {
    match verb {
        Verb::Create => "create",
        Verb::Update => "update",
        Verb::Delete => "delete",
    }
}

fn attempt(attempt: &Attempt) -> Value {
    let verb = verb_word(attempt.verb);
    let outcome = match attempt.outcome {
        AttemptOutcome::Open => "open",
        AttemptOutcome::Succeeded => "succeeded",
        AttemptOutcome::Failed => "failed",
        AttemptOutcome::Refused => "refused",
        AttemptOutcome::Canceled => "canceled",
        AttemptOutcome::Lost => "lost",
        AttemptOutcome::Superseded => "superseded",
    };
    let mut value = json!({ "number": attempt.number, "verb": verb, "outcome": outcome });
    if let Some(token) = &attempt.request_token {
        value["requestToken"] = token.as_str().into();
    }
    value
}

/// One entry of an operation's event list.
pub(crate) fn event(event: &EventRecord) -> Value {
    let EventRecord { operation: _, sequence, at, message, waiting } = event;
    let mut shown = json!({ "sequence": sequence, "at": rfc3339(*at), "message": message });
    // A step that makes the call again keeps the wait before it, for the beginning of the next wait.
    if let Some(waiting) = waiting.as_ref().filter(|_| message.contains("waiting")) {
        shown["waiting"] = super::waiting::waiting(waiting);
    }
    shown
}

#[cfg(test)]
mod tests {
    use hangar_plan::operation::OperationId;
    use hangar_plan::{Timestamp, WaitCode, WaitReason};

    use super::*;

    #[test]
    fn only_the_event_of_a_wait_has_the_wait() {
        let at = Timestamp::from_micros(1_500_000);
        let shown = |message: &str| {
            let reason = WaitReason::new(WaitCode::AwsThrottled, "slow");
            event(&EventRecord {
                operation: OperationId::from_u128(1),
                sequence: 2,
                at,
                message: message.to_owned(),
                waiting: Some(reason.since(at, None, 1)),
            })
        };
        assert_eq!(shown("waiting: slow")["waiting"]["code"], "AwsThrottled");
        assert!(shown("create sent").get("waiting").is_none());
    }
}
