//! What stands in paths, queries and headers, and what statuses mean.

use serde_json::{Map, Value, json};

/// A parameter of a query.
#[derive(Debug, Clone, Copy)]
pub(super) enum Query {
    Version,
    NeededVersion,
    Top,
    SkipToken,
    State,
    Drift,
    Live,
    Mode,
    OnRemove,
    Running,
    Group,
    Reference,
    Parent,
    Shape,
    After,
    StateVersion,
    LockId,
}

impl Query {
    const ALL: [Self; 17] = [
        Self::Version,
        Self::NeededVersion,
        Self::Top,
        Self::SkipToken,
        Self::State,
        Self::Drift,
        Self::Live,
        Self::Mode,
        Self::OnRemove,
        Self::Running,
        Self::Group,
        Self::Reference,
        Self::Parent,
        Self::Shape,
        Self::After,
        Self::StateVersion,
        Self::LockId,
    ];

    /// Its name among the components.
    pub(super) const fn component(self) -> &'static str {
        match self {
            Self::Version => "version",
            Self::NeededVersion => "neededVersion",
            Self::Top => "top",
            Self::SkipToken => "skipToken",
            Self::State => "state",
            Self::Drift => "drift",
            Self::Live => "live",
            Self::Mode => "mode",
            Self::OnRemove => "onRemove",
            Self::Running => "running",
            Self::Group => "ofGroup",
            Self::Reference => "ofReference",
            Self::Parent => "ofParent",
            Self::Shape => "shape",
            Self::After => "after",
            Self::StateVersion => "stateVersion",
            Self::LockId => "lockId",
        }
    }
}

/// A header of a request.
#[derive(Debug, Clone, Copy)]
pub(super) enum Header {
    IfMatch,
    IfNoneMatch,
    Prefer,
    Repeatability,
    LastEventId,
}

impl Header {
    const ALL: [Self; 5] =
        [Self::IfMatch, Self::IfNoneMatch, Self::Prefer, Self::Repeatability, Self::LastEventId];

    /// Its name among the components.
    pub(super) const fn component(self) -> &'static str {
        match self {
            Self::IfMatch => "ifMatch",
            Self::IfNoneMatch => "ifNoneMatch",
            Self::Prefer => "prefer",
            Self::Repeatability => "repeatability",
            Self::LastEventId => "lastEventId",
        }
    }
}

/// All parameters, by their names among the components.
pub(super) fn all() -> Value {
    let mut all = Map::new();
    for name in IN_PATH {
        all.insert(name.to_owned(), of_path(name));
    }
    all.extend(Query::ALL.map(|query| (query.component().to_owned(), of_query(query))));
    all.extend(Header::ALL.map(|header| (header.component().to_owned(), of_header(header))));
    Value::Object(all)
}

const IN_PATH: [&str; 13] = [
    "kind",
    "plane",
    "credential",
    "group",
    "namespace",
    "type",
    "alias",
    "deployment",
    "recipe",
    "account",
    "region",
    "identifier",
    "operation",
];

fn parameter(place: &str, name: &str, required: bool, what: &str, schema: &Value) -> Value {
    json!({
        "name": name, "in": place, "required": required, "description": what, "schema": schema,
    })
}

/// The names of a path's parameters, in its order.
pub(super) fn in_path(path: &'static str) -> Vec<&'static str> {
    path.split('{').skip(1).filter_map(|rest| rest.split('}').next()).collect()
}

fn of_path(name: &str) -> Value {
    let (what, schema) = match name {
        "kind" => ("The kind of a plane.", json!({ "type": "string", "enum": ["aws", "radius"] })),
        "plane" => (
            "The name of a plane; `local` and `aws` exist by default.",
            json!({ "type": "string", "pattern": "^[A-Za-z0-9-]{1,63}$" }),
        ),
        "credential" => (
            "The name of a credential: `default`, or the account whose requests it signs.",
            json!({ "type": "string", "pattern": "^(default|[0-9]{1,12})$" }),
        ),
        "group" => (
            "The name of a group, case-insensitive.",
            json!({ "type": "string", "minLength": 1, "maxLength": 90 }),
        ),
        "namespace" => (
            "The first part of a resource type, such as `AWS.EC2`.",
            json!({ "type": "string", "pattern": "^[A-Za-z0-9]+\\.[A-Za-z0-9]+$" }),
        ),
        "type" => (
            "The second part of a resource type, such as `VPC`.",
            json!({ "type": "string", "pattern": "^[A-Za-z0-9]+$" }),
        ),
        "alias" => (
            "The alias of a resource, case-insensitive.",
            json!({ "type": "string", "minLength": 1, "maxLength": 260 }),
        ),
        "deployment" => (
            "The name of a deployment, case-insensitive.",
            json!({ "type": "string", "minLength": 1, "maxLength": 64 }),
        ),
        "recipe" => (
            "The name of a recipe, case-insensitive.",
            json!({ "type": "string", "minLength": 1, "maxLength": 64 }),
        ),
        "account" => (
            "The number of an AWS account.",
            json!({ "type": "string", "pattern": "^[0-9]{1,12}$" }),
        ),
        "region" => (
            "The name of an AWS region.",
            json!({ "type": "string", "pattern": "^[a-z]{2}(-[a-z]+)+-[0-9]$" }),
        ),
        "identifier" => (
            "The primary identifier of a resource in AWS, parts joined with `|`, case-sensitive.",
            json!({ "type": "string", "minLength": 1 }),
        ),
        _ => ("The id of an operation.", json!({ "type": "string", "format": "uuid" })),
    };
    parameter("path", name, true, what, &schema)
}

/// A parameter of a query.
fn of_query(query: Query) -> Value {
    let text = json!({ "type": "string" });
    let flag = json!({ "type": "boolean" });
    let words = |words: &[&str]| json!({ "type": "string", "enum": words });
    let (name, what, schema) = match query {
        Query::Version | Query::NeededVersion => (
            "api-version",
            "The version of the API. Every well-formed version is accepted and behaves the same.",
            json!({
                "type": "string",
                "pattern": "^[0-9]{3}[1-9]-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(-preview)?$",
                "example": "2023-10-01-preview",
            }),
        ),
        Query::Top => (
            "$top",
            "The maximum number of values on a page.",
            json!({ "type": "integer", "minimum": 1, "maximum": 1000, "default": 100 }),
        ),
        Query::SkipToken => ("$skipToken", "The start of a page, from a `nextLink`.", text),
        Query::State => (
            "state",
            "Return only references in this state.",
            words(&["reserved", "ready", "failed", "unknown", "missing"]),
        ),
        Query::Drift => (
            "drift",
            "Return only references whose last drift check had this result.",
            words(&["InSync", "Drifted", "Missing", "Unknown"]),
        ),
        Query::Live => ("live", "Read the live properties from AWS, without storing them.", flag),
        Query::Mode => (
            "mode",
            "Detach or delete the resource, whether or not it is owned.",
            words(&["detach", "delete"]),
        ),
        Query::OnRemove => (
            "onRemove",
            "What to do with the resources that the deployment manages; the default is `keep`.",
            words(&["keep", "detach", "delete"]),
        ),
        Query::Running => ("running", "Return only operations that have not ended.", flag),
        Query::Group => {
            ("group", "Return only operations in this group, by its name or its id.", text)
        }
        Query::Reference => {
            ("reference", "Return only operations on this reference, by its id.", text)
        }
        Query::Parent => {
            ("parent", "Return only the child operations of this operation, by its id.", text)
        }
        Query::Shape => (
            "shape",
            "Return the reference or the AWS resource.",
            words(&["resource", "reference"]),
        ),
        Query::After => (
            "after",
            "Return only events after the event with this `id`. If `Last-Event-ID` is set too, it \
             takes precedence.",
            json!({ "type": "integer", "minimum": 0, "default": 0 }),
        ),
        Query::StateVersion => (
            "version",
            "A stored version of the state.",
            json!({ "type": "integer", "minimum": 1 }),
        ),
        Query::LockId => ("ID", "The id of the lock that the writer holds.", text),
    };
    parameter("query", name, matches!(query, Query::NeededVersion), what, &schema)
}

/// A header of a request.
fn of_header(header: Header) -> Value {
    let (name, what, schema) = match header {
        Header::IfMatch => (
            "If-Match",
            "Proceed only if the entity tag is this one; `*`: only if it exists.",
            json!({ "type": "string" }),
        ),
        Header::IfNoneMatch => (
            "If-None-Match",
            "`*`: proceed only if it does not exist.",
            json!({ "type": "string" }),
        ),
        Header::Prefer => (
            "Prefer",
            "`wait=N` waits up to N seconds for the end, at most 30 (default 2); `respond-async` \
             does not wait.",
            json!({ "type": "string", "example": "respond-async" }),
        ),
        Header::Repeatability => (
            "Repeatability-Request-ID",
            "Repeating the same id and request within 24 hours returns the same operation.",
            json!({ "type": "string", "minLength": 1, "maxLength": 128 }),
        ),
        Header::LastEventId => (
            "Last-Event-ID",
            "The `id` of the last received event; the stream continues after it.",
            json!({ "type": "integer", "minimum": 0 }),
        ),
    };
    parameter("header", name, false, what, &schema)
}

/// The headers that every answer has.
pub(super) fn request_ids() -> Map<String, Value> {
    ["x-ms-request-id", "x-ms-correlation-request-id"].into_iter().map(header_of).collect()
}

/// A header of an answer: its name, and where it is told.
pub(super) fn header_of(name: &str) -> (String, Value) {
    (name.to_owned(), json!({ "$ref": format!("#/components/headers/{name}") }))
}

/// All headers of answers.
pub(super) fn answer_headers() -> Value {
    let text = |what: &str| json!({ "description": what, "schema": { "type": "string" } });
    let mut headers = Map::new();
    for (name, what) in [
        ("x-ms-request-id", "The server's id of the request, which is also in its log."),
        ("x-ms-correlation-request-id", "The correlation id of the caller, or a new one."),
        ("ETag", "The entity tag, equal to `etag` in the body."),
        ("Azure-AsyncOperation", "The URL of the operation's status."),
        ("Location", "The URL of the operation's result."),
        ("Warning", "A warning for the caller."),
    ] {
        headers.insert(name.to_owned(), text(what));
    }
    let seconds = json!({ "type": "integer", "minimum": 1, "maximum": 10 });
    let retry =
        json!({ "description": "Seconds to wait before the next request.", "schema": seconds });
    headers.insert("Retry-After".to_owned(), retry);
    Value::Object(headers)
}

/// What a status means here.
pub(super) fn meaning(status: u16) -> &'static str {
    match status {
        200 => "Success.",
        201 => "Created.",
        202 => "Accepted; the headers name the URL to poll.",
        204 => "Success without content: it exists, was deleted, or did not exist.",
        400 => "The request is not valid.",
        401 => "The token is missing or wrong.",
        403 => "The origin is not allowed, or AWS denies access.",
        404 => "Not found.",
        408 => "The body was not received in time.",
        409 => "Conflict with an existing resource or a running operation.",
        412 => "A condition is not met.",
        413 => "The body is too long.",
        415 => "The body is not JSON.",
        421 => "This server does not serve that host.",
        423 => "Another caller holds the lock.",
        429 => "AWS throttles the calls.",
        502 => "AWS failed.",
        503 => "The store or AWS cannot be reached now, or the server is busy.",
        504 => "No response in time.",
        _ => "Internal error.",
    }
}
