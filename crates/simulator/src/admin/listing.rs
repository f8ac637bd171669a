//! What the control API shows: resources, requests, calls.

use serde_json::{Value, json};

use super::{Answer, Request, no_such};
use crate::core::instant::iso8601;
use crate::core::model::parse;
use crate::core::place::Place;
use crate::core::state::{Document, Phase};
use crate::core::time::Timestamp;
use crate::core::token::Token;
use crate::core::world::World;

/// So many entries are shown where the caller does not say.
const DEFAULT_LIMIT: usize = 1000;

fn limit(request: &Request<'_>) -> Result<usize, Answer> {
    match request.query.get("limit").map(|text| (text, text.parse())) {
        None => Ok(DEFAULT_LIMIT),
        Some((_, Ok(limit))) if (1..=100_000).contains(&limit) => Ok(limit),
        Some((text, _)) => {
            Err(Answer::error(400, format!("`{text}` is not a limit: use 1 to 100000")))
        }
    }
}

/// Whether the query lets a place through.
fn covers(request: &Request<'_>, place: &Place) -> bool {
    let fits = |name: &str, found: &str| {
        request.query.get(name).is_none_or(|wanted| {
            wanted == found || (name == "account" && format!("{wanted:0>12}") == found)
        })
    };
    fits("account", place.account()) && fits("region", place.region())
}

/// Resources with all their values, in order of place, type and identifier; `next` names the last
/// one where there are more.
pub(super) fn resources(world: &mut World, request: &Request<'_>, wall: Timestamp) -> Answer {
    let limit = match limit(request) {
        Ok(limit) => limit,
        Err(answer) => return answer,
    };
    let now = world.now(wall);
    world.settle(now);
    let wanted = |name: &str, found: &str| request.query.get(name).is_none_or(|it| it == found);
    let after = request.query.get("after").map(|text| {
        let mut parts = text.splitn(4, '/');
        [(); 4].map(|()| parts.next().unwrap_or_default())
    });
    let mut shown = Vec::new();
    let mut last = None;
    let mut is_more = false;
    'places: for (place, region) in &world.state().regions {
        if !covers(request, place) {
            continue;
        }
        for (type_name, of_type) in &region.resources {
            if !wanted("type", type_name) {
                continue;
            }
            for (identifier, resource) in of_type {
                let Some(document) = &resource.document else { continue };
                let key = [place.account(), place.region(), type_name, identifier];
                let is_shown = after.as_ref().is_some_and(|after| key <= *after);
                if !wanted("identifier", identifier) || is_shown {
                    continue;
                }
                if shown.len() == limit {
                    is_more = true;
                    break 'places;
                }
                shown.push(described(place, type_name, identifier, document));
                last = Some(key.join("/"));
            }
        }
    }
    Answer::ok(json!({"resources": shown, "next": last.filter(|_| is_more)}))
}

/// One resource with all its values.
pub(super) fn resource(world: &World, place: &Place, type_name: &str, identifier: &str) -> Answer {
    let region = world.state().regions.get(place);
    match region.and_then(|region| region.document(type_name, identifier)) {
        Some(document) => Answer::ok(described(place, type_name, identifier, document)),
        None => no_such(place, type_name, identifier),
    }
}

fn described(place: &Place, type_name: &str, identifier: &str, document: &Document) -> Value {
    json!({
        "account": place.account(),
        "region": place.region(),
        "type": type_name,
        "identifier": identifier,
        "properties": parse(document.whole()),
    })
}

/// Requests with what no caller sees: client token and the instants to come.
pub(super) fn requests(world: &mut World, request: &Request<'_>, wall: Timestamp) -> Answer {
    let limit = match limit(request) {
        Ok(limit) => limit,
        Err(answer) => return answer,
    };
    let now = world.now(wall);
    world.settle(now);
    let mut shown = Vec::new();
    for (place, region) in &world.state().regions {
        if !covers(request, place) {
            continue;
        }
        let asked = region.requests.values().rev().filter(|it| it.token != Token::FORGOTTEN);
        for known in asked.take(limit - shown.len()) {
            let failure = match &known.phase {
                Phase::Ended { failure, .. } => failure.as_ref(),
                _ => None,
            };
            let at = |at: Timestamp| (at.millis() != u64::MAX).then(|| iso8601(at.millis()));
            shown.push(json!({
                "account": place.account(),
                "region": place.region(),
                "requestToken": known.token.to_string(),
                "clientToken": known.client_token,
                "operation": known.operation,
                "type": &*known.type_name,
                "identifier": known.identifier.as_deref(),
                "status": known.status_at(now),
                "errorCode": failure.map(|failure| failure.code),
                "statusMessage": failure.map(|failure| &*failure.message),
                "acceptedAt": at(known.schedule.accepted_at),
                "startsAt": at(known.schedule.started_at),
                "endsAt": at(known.schedule.ends_at),
            }));
        }
    }
    Answer::ok(json!({"requests": shown}))
}

/// The calls after a number, or the latest; and how many there were in all.
pub(super) fn calls(world: &World, request: &Request<'_>) -> Answer {
    let limit = match limit(request) {
        Ok(limit) => limit,
        Err(answer) => return answer,
    };
    let calls = match request.query.get("after").map(|text| text.parse()) {
        None => world.log().latest(limit),
        Some(Ok(after)) => world.log().after(after, limit),
        Some(Err(_)) => {
            return Answer::error(400, "`after` must be the sequence number of a call");
        }
    };
    Answer::ok(json!({"calls": calls, "made": world.log().count()}))
}
