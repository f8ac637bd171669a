//! One request to the control plane, before it becomes HTTP.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::time::Duration;

use http_body_util::Full;
use hyper::Method;
use hyper::body::Bytes;
use hyper::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, HeaderValue, IF_MATCH, USER_AGENT};
use serde_json::Value;
use uuid::Uuid;

use super::API_VERSION;
use super::endpoint::Endpoint;
use super::exchange::ExchangeError;
use super::token::Token;

/// How long an answer may take: longer than a server waits for AWS.
const ANSWER_WITHIN: Duration = Duration::from_mins(1);

/// Twice as long as any answer of ours.
const MOST_JSON: usize = 16 << 20;

/// As long as the largest state that a server keeps.
const MOST_BYTES: usize = hangar_engine::STATE_LIMIT;

/// What is done with the lock of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LockDeed {
    Lock,
    Unlock,
}

/// One request. It can be sent again as it is: a read changes nothing, and a write carries an id by
/// which the server knows it again.
// No Debug: properties hold secrets.
#[derive(Clone)]
pub(crate) struct Request {
    method: Method,
    root: Root,
    path: String,
    query: Vec<(Cow<'static, str>, String)>,
    body: Option<Content>,
    wants: Wants,
    write: Option<Write>,
    /// Of a stream of events, the last that was heard.
    heard: Option<u64>,
    deadline: Duration,
}

/// What is sent.
#[derive(Clone)]
enum Content {
    Json(Value),
    /// A document that is not ours, byte for byte.
    Bytes(Bytes),
}

/// What the answer is to hold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wants {
    Json,
    /// A document that is not ours, byte for byte.
    Bytes,
}

/// What a path is below.
#[derive(Clone, Copy)]
enum Root {
    /// The base path: resources.
    Base,
    /// The server itself: health.
    Server,
}

/// What a write carries besides.
#[derive(Clone)]
struct Write {
    request_id: Uuid,
    /// How long the server may wait for the end before it answers, in seconds.
    wait: u8,
    /// The etag that what is written must have.
    if_match: Option<String>,
}

impl Request {
    /// A read of what has this id.
    pub(crate) fn get(id: impl Into<String>) -> Self {
        Self::new(Method::GET, id.into(), None)
    }

    /// A read of how the server itself is.
    pub(crate) fn health(deadline: Duration) -> Self {
        let mut request = Self::get("/healthz");
        request.root = Root::Server;
        request.deadline = deadline;
        request
    }

    /// What happens to the operation of this id, after an event.
    pub(crate) fn events(id: impl Into<String>, after: u64) -> Self {
        let mut request = Self::get(id.into() + "/events");
        request.heard = Some(after);
        request
    }

    pub(crate) fn put(id: impl Into<String>, body: Value) -> Self {
        Self::new(Method::PUT, id.into(), Some(body)).written()
    }

    /// A change of some of what has this id.
    pub(crate) fn patch(id: impl Into<String>, body: Value) -> Self {
        Self::new(Method::PATCH, id.into(), Some(body)).written()
    }

    pub(crate) fn delete(id: impl Into<String>) -> Self {
        Self::new(Method::DELETE, id.into(), None).written()
    }

    pub(crate) fn post(id: impl Into<String>) -> Self {
        Self::new(Method::POST, id.into(), None).written()
    }

    /// An action, with what it is told.
    pub(crate) fn post_with(id: impl Into<String>, body: Value) -> Self {
        Self::new(Method::POST, id.into(), Some(body)).written()
    }

    /// A read of a state, as it is kept.
    pub(crate) fn state(id: impl Into<String>) -> Self {
        let mut request = Self::get(id);
        request.wants = Wants::Bytes;
        request
    }

    /// A write of a state, as it is.
    pub(crate) fn state_write(id: impl Into<String>, state: Bytes) -> Self {
        let mut request = Self::post(id);
        request.body = Some(Content::Bytes(state));
        request.wants = Wants::Bytes;
        request
    }

    /// Takes or gives back the lock of a state, as Terraform does.
    pub(crate) fn state_lock(id: impl Into<String>, deed: LockDeed, lock: Value) -> Self {
        let word = match deed {
            LockDeed::Lock => "LOCK",
            LockDeed::Unlock => "UNLOCK",
        };
        let method = Method::from_bytes(word.as_bytes()).expect("letters are a method");
        let mut request = Self::new(method, id.into(), Some(lock)).written();
        request.wants = Wants::Bytes;
        request
    }

    fn new(method: Method, path: String, body: Option<Value>) -> Self {
        let query = vec![(Cow::Borrowed("api-version"), API_VERSION.to_owned())];
        let (root, deadline) = (Root::Base, ANSWER_WITHIN);
        let (body, wants) = (body.map(Content::Json), Wants::Json);
        Self { method, root, path, query, body, wants, write: None, heard: None, deadline }
    }

    /// Version 7 ids sort by time, which is kind to whatever keeps them.
    fn written(mut self) -> Self {
        self.write = Some(Write { request_id: Uuid::now_v7(), wait: 0, if_match: None });
        self
    }

    /// Lets the server wait so many seconds for the end of what is written before it answers.
    pub(crate) fn waiting(mut self, seconds: u8) -> Self {
        if let Some(write) = &mut self.write {
            write.wait = seconds;
        }
        self
    }

    /// Writes only what still has this etag.
    pub(crate) fn if_match(mut self, etag: &str) -> Self {
        if let Some(write) = &mut self.write {
            write.if_match = Some(etag.to_owned());
        }
        self
    }

    /// Adds a parameter.
    pub(crate) fn query(
        mut self,
        name: impl Into<Cow<'static, str>>,
        value: impl Into<String>,
    ) -> Self {
        self.query.push((name.into(), value.into()));
        self
    }

    pub(crate) fn deadline(&self) -> Duration {
        self.deadline
    }

    /// Whether the answer is taken as it is.
    pub(crate) fn wants_bytes(&self) -> bool {
        self.wants == Wants::Bytes
    }

    /// How many bytes the answer may have.
    pub(crate) fn most(&self) -> usize {
        match self.wants {
            Wants::Json => MOST_JSON,
            Wants::Bytes => MOST_BYTES,
        }
    }

    /// Whether it only reads.
    pub(crate) fn is_read(&self) -> bool {
        self.write.is_none()
    }

    /// The request that follows a `nextLink`. Only the link's path and query are used: whatever host
    /// it names, the token goes to the server that was chosen.
    pub(crate) fn follow_link(link: &str, endpoint: &Endpoint) -> Option<Self> {
        let uri: hyper::Uri = link.parse().ok()?;
        let path = uri.path().strip_prefix(endpoint.base_path())?;
        let mut request = Self::get(path);
        // As the server wrote it: it is encoded already.
        request.query.clear();
        if let Some(query) = uri.query() {
            request.path = format!("{path}?{query}");
        }
        Some(request)
    }

    /// The request on the wire.
    pub(crate) fn to_http(
        &self,
        endpoint: &Endpoint,
        token: Option<&Token>,
    ) -> Result<hyper::Request<Full<Bytes>>, ExchangeError> {
        let accepted = match self.heard {
            Some(_) => "text/event-stream",
            None => "application/json",
        };
        let mut http = hyper::Request::builder()
            .method(self.method.clone())
            .uri(self.target(endpoint))
            .header(HOST, endpoint.authority())
            .header(ACCEPT, HeaderValue::from_static(accepted))
            .header(USER_AGENT, concat!("hangar/", env!("CARGO_PKG_VERSION")));
        if let Some(token) = token {
            let mut value = HeaderValue::from_str(&token.to_authorization())
                .map_err(|_| ExchangeError::Unsendable("the token"))?;
            value.set_sensitive(true);
            http = http.header(AUTHORIZATION, value);
        }
        if let Some(Write { request_id, wait, if_match }) = &self.write {
            // Whoever writes follows the operation; the server need not wait.
            let prefer = match wait {
                0 => "respond-async".to_owned(),
                seconds => format!("wait={seconds}"),
            };
            http = http
                .header("Repeatability-Request-ID", request_id.to_string())
                .header("Prefer", prefer);
            if let Some(etag) = if_match {
                let value = HeaderValue::from_str(etag)
                    .map_err(|_| ExchangeError::Unsendable("the etag"))?;
                http = http.header(IF_MATCH, value);
            }
        }
        if let Some(heard) = self.heard.filter(|heard| *heard > 0) {
            http = http.header("Last-Event-ID", heard);
        }
        let body = match &self.body {
            Some(body) => {
                http = http.header(CONTENT_TYPE, HeaderValue::from_static("application/json"));
                match body {
                    Content::Json(body) => Bytes::from(body.to_string()),
                    Content::Bytes(bytes) => bytes.clone(),
                }
            }
            None => Bytes::new(),
        };
        http.body(Full::new(body)).map_err(|_| ExchangeError::Unsendable("the path"))
    }

    fn target(&self, endpoint: &Endpoint) -> String {
        let mut target = match self.root {
            Root::Base => endpoint.base_path().to_owned(),
            Root::Server => String::new(),
        };
        push_encoded(&mut target, &self.path, |byte| {
            byte.is_ascii_graphic() && !b"\"<>\\^`{}".contains(&byte)
        });
        let mut separator = '?';
        for (name, value) in &self.query {
            target.push(separator);
            push_encoded(&mut target, name, |byte| {
                byte.is_ascii_alphanumeric() || b"-._~$".contains(&byte)
            });
            target.push('=');
            push_encoded(&mut target, value, |byte| {
                byte.is_ascii_alphanumeric() || b"-._~/:".contains(&byte)
            });
            separator = '&';
        }
        target
    }
}

/// Adds text whose other bytes are percent-encoded. Ids are encoded already, but for blanks, letters
/// outside ASCII and what else they keep readable.
fn push_encoded(target: &mut String, text: &str, is_plain: impl Fn(u8) -> bool) {
    for byte in text.bytes() {
        if is_plain(byte) {
            target.push(char::from(byte));
        } else {
            let _ = write!(target, "%{byte:02X}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(request: &Request) -> String {
        let endpoint = Endpoint::parse("http://127.0.0.1:7700").unwrap().with_base_path("/b");
        request.to_http(&endpoint, None).unwrap().uri().to_string()
    }

    #[test]
    fn every_call_states_the_version_and_health_has_no_base_path() {
        assert_eq!(target(&Request::get("/x")), "/b/x?api-version=2023-10-01-preview");
        let health = target(&Request::health(Duration::ZERO));
        assert_eq!(health, "/healthz?api-version=2023-10-01-preview");
    }

    #[test]
    fn an_id_is_not_encoded_twice() {
        let request = Request::get("/g/my vpc é/100%25").query("group", "a b&c");
        assert_eq!(
            target(&request),
            "/b/g/my%20vpc%20%C3%A9/100%25?api-version=2023-10-01-preview&group=a%20b%26c"
        );
    }

    #[test]
    fn what_a_url_cannot_hold_is_encoded() {
        let encoded = "/b/g/a%60%22%3C%3E%5C%5E%7B%7Db|c?api-version=2023-10-01-preview";
        assert_eq!(target(&Request::get("/g/a`\"<>\\^{}b|c")), encoded);
    }

    #[test]
    fn a_write_has_a_name_of_its_own_that_a_repetition_keeps() {
        let endpoint = Endpoint::parse("http://127.0.0.1:7700").unwrap();
        let name = |request: &Request| {
            let http = request.to_http(&endpoint, None).unwrap();
            assert_eq!(http.headers()["Prefer"], "respond-async");
            http.headers()["Repeatability-Request-ID"].to_str().unwrap().to_owned()
        };
        let (one, other) = (Request::delete("/x"), Request::delete("/x"));
        assert_eq!(name(&one), name(&one));
        assert_ne!(name(&one), name(&other));
        let read = Request::get("/x").to_http(&endpoint, None).unwrap();
        assert!(!read.headers().contains_key("Repeatability-Request-ID"));
    }

    #[test]
    fn a_write_can_wait_and_can_be_bound_to_what_was_read() {
        let endpoint = Endpoint::parse("http://127.0.0.1:7700").unwrap();
        let write = Request::patch("/x", Value::Null).waiting(20).if_match("\"e1\"");
        let http = write.query("parent.A b", "c").to_http(&endpoint, None).unwrap();
        assert_eq!(http.headers()["Prefer"], "wait=20");
        assert_eq!(http.headers()["If-Match"], "\"e1\"");
        assert!(http.uri().query().unwrap().ends_with("&parent.A%20b=c"));
    }

    #[test]
    fn a_link_is_followed_on_the_same_server_only() {
        let endpoint = Endpoint::parse("http://127.0.0.1:7700").unwrap().with_base_path("/b");
        let next = Request::follow_link("http://evil.example/b/x?$top=1&t=a%2Fb", &endpoint);
        let http = next.unwrap().to_http(&endpoint, None).unwrap();
        assert_eq!(http.uri(), "/b/x?$top=1&t=a%2Fb");
        assert_eq!(http.headers()[HOST], "127.0.0.1:7700");
        assert!(Request::follow_link("http://evil.example/other", &endpoint).is_none());
    }
}
