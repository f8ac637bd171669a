//! What must be true after a kill, and what is.

use std::collections::HashMap;

use serde_json::Value;

use super::writer::{Write, Writer};
use crate::http::Connection;

/// What a simulator holds.
pub(super) struct Found {
    /// The versions that there are of a thing, by its name.
    things: HashMap<String, Vec<u32>>,
    /// The requests that there are under a client token.
    requests: HashMap<String, Vec<Request>>,
}

struct Request {
    token: String,
    status: String,
}

impl Found {
    pub(super) fn read(connection: &mut Connection) -> Self {
        let mut get = |path: &str| {
            let answer = connection.control("GET", path, &Value::Null).unwrap();
            assert_eq!(answer.status, 200, "{}", answer.body);
            answer.body
        };
        let mut found = Self { things: HashMap::new(), requests: HashMap::new() };
        for resource in get("resources?limit=100000")["resources"].as_array().unwrap() {
            let tag = |name: &str| {
                let tags = resource["properties"]["Tags"].as_array().unwrap();
                let tag = tags.iter().find(|tag| tag["Key"] == name).unwrap();
                tag["Value"].as_str().unwrap().to_owned()
            };
            found.things.entry(tag("Name")).or_default().push(tag("Version").parse().unwrap());
        }
        for request in get("requests?limit=100000")["requests"].as_array().unwrap() {
            let text = |name: &str| request[name].as_str().unwrap().to_owned();
            let known = Request { token: text("requestToken"), status: text("status") };
            found.requests.entry(text("clientToken")).or_default().push(known);
        }
        found
    }

    fn versions(&self, name: &str) -> &[u32] {
        self.things.get(name).map_or(&[], Vec::as_slice)
    }
}

/// What a writer was told and is not true. What was in flight may be or not be.
pub(super) fn complaints(found: &Found, writer: &Writer) -> Vec<String> {
    let mut complaints = Vec::new();
    for (at, thing) in writer.things.iter().enumerate() {
        let versions = found.versions(&thing.name);
        let is_as_told = *versions == *thing.version.as_slice();
        let write = writer.in_flight().filter(|write| write.thing == at);
        let is_as_sent = write.is_some_and(|write| *versions == *write.version.as_slice());
        if !is_as_told && !is_as_sent {
            complaints.push(format!("{thing:?} with {write:?}, and there is {versions:?}"));
        }
    }
    for told in &writer.requests {
        match found.requests.get(&told.client_token).map_or(&[][..], Vec::as_slice) {
            [one] if one.token == told.request_token && one.status == "SUCCESS" => {}
            others => {
                let others: Vec<_> = others.iter().map(|it| (&it.token, &it.status)).collect();
                complaints.push(format!("{told:?}, and there is {others:?}"));
            }
        }
    }
    complaints
}

/// Whether a write whose answer never came was done.
pub(super) fn is_done(found: &Found, writer: &Writer, write: &Write) -> bool {
    *found.versions(&writer.things[write.thing].name) == *write.version.as_slice()
}
