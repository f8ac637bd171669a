//! Where requests arrive, from a socket or from the same process: each is decided under one lock, what
//! it changed is kept, and only then is it answered. No one else's answer is awaited under the lock.

use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hangar_schema::Catalog;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::http::request::Parts;
use hyper::{Response, StatusCode};

use super::kept::Kept;
use super::{Exposure, Signatures, aws};
use crate::admin;
use crate::core::random::Random;
use crate::core::time::Timestamp;
use crate::core::world::World;
use crate::wire::query::TypeIndex;

/// Reads the world's clock.
pub type Wall = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// An answer, whole.
pub type Reply = Response<Vec<u8>>;

/// The connection is to end without an answer.
#[derive(Debug, thiserror::Error)]
#[error("the reply is dropped by an armed fault")]
pub struct Dropped;

/// A simulator that answers requests, however they come.
pub struct Front {
    kept: Mutex<Kept>,
    pub(super) index: TypeIndex,
    pub(super) signatures: Signatures,
    exposure: Exposure,
    seed: u64,
    requests: AtomicU64,
    wall: Wall,
}

impl std::fmt::Debug for Front {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Front").finish_non_exhaustive()
    }
}

impl Front {
    /// One for callers in this process. It opens no file and no socket, waits only where an answer was
    /// ordered to be late, and knows no time but that of `wall`.
    pub fn within(world: World, signatures: Signatures, wall: Wall) -> Self {
        Self::new(Kept::new(world, None), signatures, Exposure::Loopback, wall)
    }

    pub(super) fn new(kept: Kept, signatures: Signatures, exposure: Exposure, wall: Wall) -> Self {
        let seed = kept.world().settings().seed;
        Self {
            kept: Mutex::new(kept),
            index: TypeIndex::new(Catalog::bundled()),
            signatures,
            exposure,
            seed,
            requests: AtomicU64::new(0),
            wall,
        }
    }

    /// Does something with the world: faults, hands behind everybody's back, the log. It fails only
    /// where there is a file that what it changed cannot be written to.
    pub fn perform<T>(&self, deed: impl FnOnce(&mut World, Timestamp) -> T) -> Result<T, String> {
        let mut kept = self.kept();
        // Under the lock, so that what happens later has a later instant.
        let wall = self.wall();
        kept.perform(wall, deed)
    }

    /// Answers one request whose body is there.
    pub async fn answer(&self, head: &Parts, body: &[u8]) -> Result<Reply, Dropped> {
        let path = head.uri.path();
        let below =
            path.strip_prefix(admin::PREFIX).filter(|it| it.is_empty() || it.starts_with('/'));
        match below {
            Some(below) => Ok(control(self, head, below, body)),
            None => aws::serve(self, head, body).await,
        }
    }

    pub(super) fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the world's clock shows.
    pub(super) fn wall(&self) -> Timestamp {
        (self.wall)()
    }

    /// An id for an answer, as AWS gives each one.
    pub(super) fn request_id(&self) -> String {
        let number = self.requests.fetch_add(1, Ordering::Relaxed);
        Random::new(self.seed, &["answer", &number.to_string()]).uuid()
    }
}

/// The control API. A page of some web site must not reach it through a browser.
fn control(front: &Front, head: &Parts, below: &str, body: &[u8]) -> Reply {
    let is_named_locally = front.exposure == Exposure::Anyone || has_local_host(head);
    if head.headers.contains_key(hyper::header::ORIGIN) || !is_named_locally {
        let document =
            serde_json::json!({"error": {"message": "requests from web pages are not allowed"}});
        return json_reply(403, &document.to_string());
    }
    let Some(query) = aws::parameters(head.uri.query().unwrap_or_default()) else {
        let document = serde_json::json!({"error": {"message": "the query cannot be decoded"}});
        return json_reply(400, &document.to_string());
    };
    let request = admin::Request {
        // What HEAD asks is what GET answers, without its body.
        method: if head.method == hyper::Method::HEAD { "GET" } else { head.method.as_str() },
        path: below.trim_start_matches('/'),
        query: &query,
        body,
    };
    let answered = front.perform(|world, wall| admin::answer(world, &request, wall));
    match answered {
        Ok(answer) => json_reply(answer.status, &format!("{:#}\n", answer.body)),
        Err(why) => {
            let document = serde_json::json!({"error": {"message": why}});
            json_reply(500, &document.to_string())
        }
    }
}

/// Whether the caller means this machine by its address or as `localhost`: a page whose name was
/// made to lead here does not.
fn has_local_host(head: &Parts) -> bool {
    let host = head.headers.get(hyper::header::HOST).and_then(|host| host.to_str().ok());
    let Some(host) = host else { return true };
    let name = host.rsplit_once(':').map_or(host, |(name, port)| {
        if port.bytes().all(|byte| byte.is_ascii_digit()) { name } else { host }
    });
    let name = name.trim_start_matches('[').trim_end_matches(']');
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok()
}

pub(super) fn json_reply(status: u16, body: &str) -> Reply {
    reply(status, "application/json", body.to_owned())
}

pub(super) fn reply(status: u16, content_type: &'static str, body: String) -> Reply {
    let mut response = Response::new(body.into_bytes());
    *response.status_mut() =
        StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}
