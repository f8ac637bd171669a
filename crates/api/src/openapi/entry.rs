//! What can be told of a route, and the words that the table is written in.

use http::Method;

use super::parameter::{Header, Query};

/// What is told of a route.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) method: Method,
    pub(super) place: Place,
    pub(super) path: &'static str,
    pub(super) tag: &'static str,
    pub(super) summary: &'static str,
    pub(super) query: &'static [Query],
    pub(super) headers: &'static [Header],
    pub(super) body: Body,
    pub(super) replies: Vec<Reply>,
    pub(super) errors: &'static [u16],
    pub(super) access: Access,
}

/// Who is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Anybody,
    /// Whoever has the token.
    Token,
    /// Also with the token, or the word of a run, as a password.
    TokenOrBasic,
}

/// What a path comes after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Base,
    Root,
}

/// The body that a route takes, by the name of its schema.
#[derive(Debug, Clone, Copy)]
pub(super) enum Body {
    None,
    Optional(&'static str),
    Required(&'static str),
}

/// An answer that is no refusal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) shown: Shown,
    pub(super) headers: &'static [&'static str],
}

/// What an answer holds.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shown {
    Nothing,
    Json(&'static str),
    Text(&'static str),
    /// A stream of server-sent events.
    Events(&'static str),
}

pub(super) const fn shows(
    status: u16,
    schema: &'static str,
    headers: &'static [&'static str],
) -> Reply {
    Reply { status, shown: Shown::Json(schema), headers }
}

pub(super) const fn empty(status: u16, headers: &'static [&'static str]) -> Reply {
    Reply { status, shown: Shown::Nothing, headers }
}

pub(super) const TAG: &[&str] = &["ETag"];
pub(super) const POLL: &[&str] = &["Azure-AsyncOperation", "Location", "Retry-After"];
pub(super) const TAG_AND_POLL: &[&str] =
    &["ETag", "Azure-AsyncOperation", "Location", "Retry-After", "Warning"];
pub(super) const POLL_AND_WARN: &[&str] =
    &["Azure-AsyncOperation", "Location", "Retry-After", "Warning"];

const HERE: Reply = empty(204, TAG);
pub(super) const GONE: Reply = empty(204, &[]);
pub(super) const LATER: Reply = empty(202, POLL);
pub(super) const DELETED: Reply = shows(200, "Nothing", &[]);

/// What any request may be refused with: what it says, who says it, to whom; and a store that is away.
pub(super) const ANY: &[u16] = &[400, 401, 403, 421, 503];
const FIND: &[u16] = &[400, 401, 403, 404, 412, 421, 503];
pub(super) const LOOK: &[u16] = &[400, 401, 403, 404, 421, 429, 502, 503, 504];
pub(super) const LOOK_BY_TAG: &[u16] = &[400, 401, 403, 404, 412, 421, 429, 502, 503, 504];
pub(super) const ASK: &[u16] = &[400, 401, 403, 404, 408, 409, 413, 415, 421, 429, 502, 503, 504];
pub(super) const KEEP: &[u16] = &[400, 401, 403, 404, 408, 409, 412, 413, 415, 421, 503];
pub(super) const WRITE: &[u16] =
    &[400, 401, 403, 404, 408, 409, 412, 413, 415, 421, 429, 502, 503, 504];

pub(super) const VERSION: &[Query] = &[Query::Version];
const NEEDED: &[Query] = &[Query::NeededVersion];
pub(super) const PAGE: &[Query] = &[Query::Version, Query::Top, Query::SkipToken];
pub(super) const CONDITIONS: &[Header] = &[Header::IfMatch, Header::IfNoneMatch];
const WRITTEN: &[Header] =
    &[Header::IfMatch, Header::IfNoneMatch, Header::Prefer, Header::Repeatability];
pub(super) const WRITTEN_BY_ID: &[Header] = &[Header::Prefer, Header::Repeatability];

pub(super) const PLANE: &str = "/planes/{kind}/{plane}";
pub(super) const CREDENTIAL: &str =
    "/planes/aws/{plane}/providers/System.AWS/credentials/{credential}";
pub(super) const GROUP: &str = "/planes/radius/{plane}/resourceGroups/{group}";
pub(super) const REFERENCE: &str =
    "/planes/radius/{plane}/resourceGroups/{group}/providers/{namespace}/{type}:reference/{alias}";
pub(super) const DEPLOYMENT: &str = "/planes/radius/{plane}/resourceGroups/{group}/providers/Microsoft.Resources/deployments/{deployment}";
pub(super) const RECIPE: &str =
    "/planes/radius/{plane}/resourceGroups/{group}/providers/Hangar.Recipes/recipes/{recipe}";
pub(super) const STATE: &str =
    "/planes/radius/{plane}/resourceGroups/{group}/providers/Hangar.Recipes/recipes/{recipe}/state";
pub(super) const RESOURCE: &str = "/planes/aws/{plane}/accounts/{account}/regions/{region}/providers/{namespace}/{type}/{identifier}";

/// A route of reads.
pub(super) fn get(path: &'static str, summary: &'static str, replies: &[Reply]) -> Entry {
    Entry {
        method: Method::GET,
        place: Place::Base,
        path,
        tag: tag(path),
        summary,
        query: VERSION,
        headers: &[],
        body: Body::None,
        replies: replies.to_vec(),
        errors: FIND,
        access: Access::Token,
    }
}

/// A route of writes.
pub(super) fn act(
    method: Method,
    path: &'static str,
    summary: &'static str,
    body: Body,
    replies: &[Reply],
) -> Entry {
    Entry {
        method,
        query: NEEDED,
        headers: WRITTEN,
        body,
        errors: WRITE,
        ..get(path, summary, replies)
    }
}

pub(super) fn head(path: &'static str, summary: &'static str) -> Entry {
    let errors = &[400, 401, 403, 404, 421, 503];
    Entry { method: Method::HEAD, errors, ..get(path, summary, &[HERE]) }
}

/// A route of Terraform's HTTP backend.
pub(super) fn backend(
    method: &str,
    summary: &'static str,
    query: &'static [Query],
    body: Body,
    replies: &[Reply],
) -> Entry {
    let errors = if method == "GET" {
        &[400, 401, 403, 404, 421, 503][..]
    } else {
        &[400, 401, 403, 404, 408, 409, 413, 415, 421, 503][..]
    };
    Entry {
        method: Method::from_bytes(method.as_bytes()).expect("a word of letters is a method"),
        query,
        body,
        errors,
        access: Access::TokenOrBasic,
        ..get(STATE, summary, replies)
    }
}

/// A route that is not below the base path.
pub(super) fn outside(path: &'static str, summary: &'static str, replies: &[Reply]) -> Entry {
    let entry = get(path, summary, replies);
    Entry {
        place: Place::Root,
        tag: "Server",
        query: &[],
        errors: &[403, 421],
        access: Access::Anybody,
        ..entry
    }
}

fn tag(path: &str) -> &'static str {
    if path.contains("operation") {
        "Operations"
    } else if path.contains(":reference") || path.ends_with("/resources") {
        "References"
    } else if path.contains("Hangar.Recipes") {
        "Recipes"
    } else if path.contains("deployments") {
        "Deployments"
    } else if path.contains("resourceGroups") {
        "Groups"
    } else if path.contains("credentials") {
        "Credentials"
    } else if path.contains("accounts") {
        "AWS resources"
    } else if path.starts_with("/planes") {
        "Planes"
    } else {
        "Server"
    }
}
