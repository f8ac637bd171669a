//! What was called and how often: the last calls one by one, all of them as counts.

use std::collections::{BTreeMap, VecDeque};

use serde::Serialize;

use super::call::CallName;
use super::instant::iso8601;
use super::place::Place;
use super::time::Timestamp;

/// One call, as it was answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CallRecord {
    /// Its number, from 1.
    pub sequence: u64,
    /// When, by the simulator's clock.
    #[serde(serialize_with = "as_text")]
    pub at: Timestamp,
    /// By this account.
    pub account: String,
    /// In this region.
    pub region: String,
    /// What was called.
    pub operation: CallName,
    /// The type it named.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub type_name: Option<String>,
    /// The identifier it named, or was answered with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identifier: Option<String>,
    /// The client token it carried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_token: Option<String>,
    /// The request it named, or was answered with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_token: Option<String>,
    /// `ok`, the name of an exception, or `dropped` where the caller heard nothing.
    pub outcome: String,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the form that serde calls")]
fn as_text<S: serde::Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&iso8601(at.millis()))
}

/// How often something was called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Count {
    /// Creates, updates and deletes.
    pub writes: u64,
    /// Reads.
    pub reads: u64,
    /// Lists of resources.
    pub lists: u64,
    /// Questions after requests.
    pub polls: u64,
    /// Cancels.
    pub cancels: u64,
    /// Calls of CloudFormation and STS.
    pub others: u64,
}

impl Count {
    fn add(&mut self, name: CallName) {
        let count = match name {
            name if name.is_write() => &mut self.writes,
            CallName::GetResource => &mut self.reads,
            CallName::ListResources => &mut self.lists,
            CallName::GetResourceRequestStatus | CallName::ListResourceRequests => &mut self.polls,
            CallName::CancelResourceRequest => &mut self.cancels,
            _ => &mut self.others,
        };
        *count += 1;
    }
}

/// Counts since the start, or since they were cleared.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Counters {
    /// All calls.
    pub total: Count,
    /// By the name of the call.
    pub by_operation: BTreeMap<&'static str, u64>,
    /// By the type that the call named.
    pub by_type: BTreeMap<String, Count>,
    /// By the request that a poll named or a write was answered with.
    pub by_request_token: BTreeMap<String, Count>,
    /// By the client token that a write carried.
    pub by_client_token: BTreeMap<String, Count>,
    /// Calls that were refused, by the exception.
    pub refused: BTreeMap<String, u64>,
    /// Answers that were not sent, because a fault said so.
    pub dropped: u64,
}

/// The last calls and the counts.
#[derive(Debug, Default)]
pub struct Log {
    records: VecDeque<CallRecord>,
    counters: Counters,
    next: u64,
}

/// So many calls are remembered one by one.
const MAX_RECORDS: usize = 10_000;

/// So many types and tokens are counted one by one.
const MAX_COUNTS: usize = 50_000;

impl CallRecord {
    /// A call that names nothing; its number is given when it is remembered.
    pub fn new(at: Timestamp, place: &Place, operation: CallName, outcome: String) -> Self {
        Self {
            sequence: 0,
            at,
            account: place.account().to_owned(),
            region: place.region().to_owned(),
            operation,
            type_name: None,
            identifier: None,
            client_token: None,
            request_token: None,
            outcome,
        }
    }
}

impl Log {
    /// Remembers a call and gives it its number.
    pub fn add(&mut self, mut record: CallRecord) {
        let (counters, operation) = (&mut self.counters, record.operation);
        counters.total.add(operation);
        *counters.by_operation.entry(operation.as_str()).or_default() += 1;
        for (counts, key) in [
            (&mut counters.by_type, &record.type_name),
            (&mut counters.by_request_token, &record.request_token),
            (&mut counters.by_client_token, &record.client_token),
        ] {
            let Some(key) = key else { continue };
            // Callers choose the keys: without a limit they could fill the memory with them.
            if counts.len() >= MAX_COUNTS && !counts.contains_key(key) {
                counts.pop_first();
            }
            counts.entry(key.clone()).or_default().add(operation);
        }
        match record.outcome.as_str() {
            "ok" => {}
            "dropped" => counters.dropped += 1,
            exception => *counters.refused.entry(exception.to_owned()).or_default() += 1,
        }
        self.next += 1;
        record.sequence = self.next;
        if self.records.len() == MAX_RECORDS {
            self.records.pop_front();
        }
        self.records.push_back(record);
    }

    /// The calls after a number, the first so many of them.
    pub fn after(&self, sequence: u64, limit: usize) -> Vec<&CallRecord> {
        self.records.iter().filter(|record| record.sequence > sequence).take(limit).collect()
    }

    /// The latest so many calls.
    pub fn latest(&self, limit: usize) -> Vec<&CallRecord> {
        self.records.iter().skip(self.records.len().saturating_sub(limit)).collect()
    }

    /// How many calls there were, those included that were forgotten.
    pub fn count(&self) -> u64 {
        self.next
    }

    /// The counts.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Forgets calls and counts; numbers go on.
    pub fn clear(&mut self) {
        self.records.clear();
        self.counters = Counters::default();
    }
}
