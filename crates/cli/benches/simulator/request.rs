//! Calls of Cloud Control as bytes for a socket, signed as an SDK signs them.

use std::fmt::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

use hangar_simulator::core::instant;
use hangar_simulator::server::DEFAULT_SECRET;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

const REGION: &str = "us-east-1";
const SERVICE: &str = "cloudcontrolapi";
const SIGNED: &str = "content-type;host;x-amz-date;x-amz-target";
const CONTENT_TYPE: &str = "application/x-amz-json-1.0";

/// What the host header says; it is signed, and the simulator takes any.
const HOST: &str = "cloudcontrolapi.us-east-1.amazonaws.com";

/// `GET /`: the greeting, which touches no state.
pub(crate) fn greeting() -> Vec<u8> {
    format!("GET / HTTP/1.1\r\nhost: {HOST}\r\n\r\n").into_bytes()
}

/// Signs for one instant, so that many requests cost one derivation of the key.
pub(crate) struct Signer {
    at: String,
    scope: String,
    key: Vec<u8>,
}

impl Signer {
    /// Signs for now; a request is good for a quarter of an hour.
    pub(crate) fn now() -> Self {
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |it| it.as_secs());
        let at = instant::basic(seconds);
        let date = at[..8].to_owned();
        let first = format!("AWS4{DEFAULT_SECRET}").into_bytes();
        let words = [date.as_str(), REGION, SERVICE, "aws4_request"];
        let key = words.iter().fold(first, |key, word| keyed(&key, word));
        Self { at, scope: format!("{date}/{REGION}/{SERVICE}/aws4_request"), key }
    }

    /// One call, head and body.
    pub(crate) fn call(&self, operation: &str, body: &Value) -> Vec<u8> {
        let body = body.to_string();
        let target = format!("CloudApiService.{operation}");
        let canonical = format!(
            "POST\n/\n\ncontent-type:{CONTENT_TYPE}\nhost:{HOST}\nx-amz-date:{}\n\
             x-amz-target:{target}\n\n{SIGNED}\n{}",
            self.at,
            hex(&Sha256::digest(&body))
        );
        let text = format!(
            "AWS4-HMAC-SHA256\n{}\n{}\n{}",
            self.at,
            self.scope,
            hex(&Sha256::digest(&canonical))
        );
        let signature = hex(&keyed(&self.key, &text));
        format!(
            "POST / HTTP/1.1\r\nhost: {HOST}\r\ncontent-type: {CONTENT_TYPE}\r\n\
             x-amz-target: {target}\r\nx-amz-date: {}\r\n\
             authorization: AWS4-HMAC-SHA256 Credential=123456789012/{}, SignedHeaders={SIGNED}, \
             Signature={signature}\r\nuser-agent: bench/1.0\r\ncontent-length: {}\r\n\r\n{body}",
            self.at,
            self.scope,
            body.len()
        )
        .into_bytes()
    }

    pub(crate) fn get(&self, type_name: &str, identifier: &str) -> Vec<u8> {
        self.call("GetResource", &json!({"TypeName": type_name, "Identifier": identifier}))
    }

    pub(crate) fn create(&self, type_name: &str, desired: &Value) -> Vec<u8> {
        let body = json!({"TypeName": type_name, "DesiredState": desired.to_string()});
        self.call("CreateResource", &body)
    }

    pub(crate) fn list(&self, type_name: &str) -> Vec<u8> {
        self.call("ListResources", &json!({"TypeName": type_name}))
    }

    pub(crate) fn status(&self, token: &str) -> Vec<u8> {
        self.call("GetResourceRequestStatus", &json!({"RequestToken": token}))
    }

    pub(crate) fn requests(&self) -> Vec<u8> {
        self.call("ListResourceRequests", &json!({"MaxResults": 100}))
    }
}

fn keyed(key: &[u8], text: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes a key of any length");
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
