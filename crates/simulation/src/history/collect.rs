//! Histories from where they are kept: a store, and the documents of the simulator's control API.

use std::collections::BTreeMap;

use hangar_plan::Timestamp;
use hangar_simulator::core::instant::read_basic;
use hangar_store::{OperationFilter, Reader, ReferenceFilter, StoreError};
use serde_json::Value;

use super::{Called, Existing, History};

/// Rows that are asked for at once.
const PAGE: usize = 1000;

/// More events than any operation has.
const EVENTS: usize = 100_000;

/// All that a store tells.
pub async fn from_store(store: &dyn Reader) -> Result<History, StoreError> {
    let mut history = History::default();
    let (every, mut before) = (OperationFilter::default(), None);
    loop {
        let page = store.operation_list(&every, before, PAGE).await?;
        let Some(last) = page.last() else { break };
        before = Some(last.id());
        history.operations.extend(page);
    }
    let (every, mut after) = (ReferenceFilter::default(), None);
    loop {
        let page = store.reference_list(&every, after.as_ref(), PAGE).await?;
        let Some(last) = page.last() else { break };
        after = Some(hangar_store::ReferencePosition {
            group: last.name.group.key(),
            type_key: last.name.type_key(),
            alias: last.name.alias_key(),
        });
        history.references.extend(page);
    }
    for record in &history.operations {
        history.events.extend(store.event_list(record.id(), 0, EVENTS).await?);
    }
    Ok(history)
}

/// The log of the simulator, page by page: it keeps the last 10,000 calls, so whoever wants all of them asks for
/// them while they are made.
#[derive(Debug, Default)]
pub struct CallLog {
    calls: Vec<Called>,
    last: u64,
    lost: u64,
}

impl CallLog {
    /// What to ask the control API for next: `GET /_simulator/…`.
    pub fn path(&self) -> String {
        format!("calls?after={}&limit=10000", self.last)
    }

    /// Takes in an answer; says whether there may be more.
    pub fn add(&mut self, page: &Value) -> bool {
        let calls = page["calls"].as_array().map(Vec::as_slice).unwrap_or_default();
        for call in calls {
            let number = call["sequence"].as_u64().unwrap_or(0);
            self.lost += number.saturating_sub(self.last + 1);
            self.last = number;
            self.calls.extend(called(call));
        }
        !calls.is_empty()
    }

    /// All calls; none where some were forgotten before they were asked for.
    pub fn whole(self) -> Result<Vec<Called>, CallsLost> {
        if self.lost == 0 { Ok(self.calls) } else { Err(CallsLost(self.lost)) }
    }
}

/// Calls that the simulator had forgotten before anybody asked: a history without them proves nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallsLost(pub u64);

fn called(call: &Value) -> Option<Called> {
    let text = |name: &str| call[name].as_str().map(str::to_owned);
    Some(Called {
        at: instant(call["at"].as_str()?)?,
        place: place_of(call),
        name: text("operation")?,
        type_name: text("type"),
        identifier: text("identifier"),
        client_token: text("clientToken"),
        request_token: text("requestToken"),
        outcome: text("outcome")?,
    })
}

/// What exists, from all pages of `GET /_simulator/resources` and the one of `requests?limit=100000`: who made a
/// resource is told by the last create that named it.
pub fn existing(resources: &[Value], requests: &Value) -> Vec<Existing> {
    let mut makers: BTreeMap<(String, &str, &str), &str> = BTreeMap::new();
    for request in requests["requests"].as_array().into_iter().flatten() {
        let part = |name: &str| request[name].as_str();
        let (Some("CREATE"), Some(type_name), Some(identifier), Some(token)) =
            (part("operation"), part("type"), part("identifier"), part("clientToken"))
        else {
            continue;
        };
        // That one was there before it.
        if part("errorCode") == Some("AlreadyExists") {
            continue;
        }
        // The latest comes first.
        makers.entry((place_of(request), type_name, identifier)).or_insert(token);
    }
    let named = resources.iter().filter_map(|resource| {
        let (type_name, identifier) =
            (resource["type"].as_str()?, resource["identifier"].as_str()?);
        let place = place_of(resource);
        let made_by = makers.get(&(place.clone(), type_name, identifier));
        Some(Existing {
            made_by: made_by.map(|&token| token.to_owned()),
            type_name: type_name.to_owned(),
            identifier: identifier.to_owned(),
            place,
            properties: resource.get("properties").cloned(),
        })
    });
    named.collect()
}

fn place_of(document: &Value) -> String {
    let text = |name: &str| document[name].as_str().unwrap_or_default();
    format!("{}/{}", text("account"), text("region"))
}

/// An instant as the simulator prints it: `2026-11-15T12:19:12.022Z`.
fn instant(text: &str) -> Option<Timestamp> {
    let (whole, millis) = text.strip_suffix('Z')?.split_once('.')?;
    let digits: String = whole.chars().filter(|it| !matches!(it, '-' | ':')).collect();
    let seconds = i64::try_from(read_basic(&format!("{digits}Z"))?).ok()?;
    let millis: i64 = millis.parse().ok()?;
    Some(Timestamp::from_micros((seconds * 1000 + millis) * 1000))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn calls_are_read_page_by_page_and_a_gap_is_noticed() {
        let call = |sequence: u64| {
            json!({"sequence": sequence, "at": "1970-01-02T00:00:01.022Z", "account": "000000000000",
                   "region": "us-east-1", "operation": "CreateResource", "outcome": "ok",
                   "clientToken": "t"})
        };
        let mut log = CallLog::default();
        assert!(log.add(&json!({"calls": [call(1), call(2)], "made": 2})));
        assert_eq!(log.path(), "calls?after=2&limit=10000");
        assert!(log.add(&json!({"calls": [call(3)], "made": 3})));
        assert!(!log.add(&json!({"calls": [], "made": 3})));
        let calls = log.whole().unwrap();
        assert_eq!(calls.len(), 3);
        assert_eq!(calls[0].at, Timestamp::from_micros(86_401_022_000));
        assert_eq!(calls[0].place, "000000000000/us-east-1");
        let mut log = CallLog::default();
        log.add(&json!({"calls": [call(1)]}));
        log.add(&json!({"calls": [call(5)]}));
        assert_eq!(log.whole(), Err(CallsLost(3)));
    }

    #[test]
    fn who_made_a_resource_is_the_latest_create_that_named_it() {
        let place = json!({"account": "1", "region": "r", "type": "T", "identifier": "i"});
        let with = |more: Value| {
            let mut all = place.clone();
            all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            all
        };
        let requests = json!({"requests": [
            with(json!({"operation": "DELETE", "clientToken": "d"})),
            with(json!({"operation": "CREATE", "clientToken": "second"})),
            with(json!({"operation": "CREATE", "clientToken": "first"})),
        ]});
        let mut other = place.clone();
        other["identifier"] = "by hand".into();
        let found = existing(&[place, other], &requests);
        assert_eq!(found[0].made_by.as_deref(), Some("second"));
        assert_eq!((found[1].made_by.as_deref(), found[1].place.as_str()), (None, "1/r"));
    }
}
