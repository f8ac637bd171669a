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
        "kind" => ("The kind of planes.", json!({ "type": "string", "enum": ["aws", "radius"] })),
        "plane" => (
            "A plane; `local` and `aws` are there from the start.",
            json!({ "type": "string", "pattern": "^[A-Za-z0-9-]{1,63}$" }),
        ),
        "credential" => (
            "`default`, or the account that it signs for.",
            json!({ "type": "string", "pattern": "^(default|[0-9]{1,12})$" }),
        ),
        "group" => (
            "A group; it compares without case.",
            json!({ "type": "string", "minLength": 1, "maxLength": 90 }),
        ),
        "namespace" => (
            "The first part of a type: `AWS.EC2`.",
            json!({ "type": "string", "pattern": "^[A-Za-z0-9]+\\.[A-Za-z0-9]+$" }),
        ),
        "type" => (
            "The second part of a type: `VPC`.",
            json!({ "type": "string", "pattern": "^[A-Za-z0-9]+$" }),
        ),
        "alias" => (
            "The caller's name for a resource; it compares without case.",
            json!({ "type": "string", "minLength": 1, "maxLength": 260 }),
        ),
        "deployment" => (
            "A deployment; it compares without case.",
            json!({ "type": "string", "minLength": 1, "maxLength": 64 }),
        ),
        "recipe" => (
            "A recipe; it compares without case.",
            json!({ "type": "string", "minLength": 1, "maxLength": 64 }),
        ),
        "account" => ("An AWS account.", json!({ "type": "string", "pattern": "^[0-9]{1,12}$" })),
        "region" => {
            ("An AWS region.", json!({ "type": "string", "pattern": "^[a-z]{2}(-[a-z]+)+-[0-9]$" }))
        }
        "identifier" => (
            "AWS's name of a resource, parts joined with `|`; by case.",
            json!({ "type": "string", "minLength": 1 }),
        ),
        _ => ("An operation.", json!({ "type": "string", "format": "uuid" })),
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
            "Any that is well formed: there is one behaviour.",
            json!({
                "type": "string",
                "pattern": "^[0-9]{3}[1-9]-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(-preview)?$",
                "example": "2023-10-01-preview",
            }),
        ),
        Query::Top => (
            "$top",
            "How many values a page holds at most.",
            json!({ "type": "integer", "minimum": 1, "maximum": 1000, "default": 100 }),
        ),
        Query::SkipToken => ("$skipToken", "Where a page begins, from a `nextLink`.", text),
        Query::State => (
            "state",
            "Only those that are so.",
            words(&["reserved", "ready", "failed", "unknown", "missing"]),
        ),
        Query::Drift => (
            "drift",
            "Only those that were last found so.",
            words(&["InSync", "Drifted", "Missing", "Unknown"]),
        ),
        Query::Live => ("live", "Reads AWS first, and stores nothing.", flag),
        Query::Mode => {
            ("mode", "What becomes of the resource, whoever owns it.", words(&["detach", "delete"]))
        }
        Query::OnRemove => (
            "onRemove",
            "What becomes of what the deployment manages; `keep` where nothing is said.",
            words(&["keep", "detach", "delete"]),
        ),
        Query::Running => ("running", "Only those that have not ended.", flag),
        Query::Group => ("group", "Only those in a group: its name, or its id.", text),
        Query::Reference => ("reference", "Only those on a reference: its id.", text),
        Query::Parent => ("parent", "Only the parts of an operation: its id.", text),
        Query::Shape => (
            "shape",
            "Whether the reference or the AWS resource is answered.",
            words(&["resource", "reference"]),
        ),
        Query::After => (
            "after",
            "Only what happened after the event of this `id`; `Last-Event-ID` counts where both are given.",
            json!({ "type": "integer", "minimum": 0, "default": 0 }),
        ),
        Query::StateVersion => (
            "version",
            "A version of the state that is kept.",
            json!({ "type": "integer", "minimum": 1 }),
        ),
        Query::LockId => ("ID", "The lock that the writer holds.", text),
    };
    parameter("query", name, matches!(query, Query::NeededVersion), what, &schema)
}

/// A header of a request.
fn of_header(header: Header) -> Value {
    let (name, what, schema) = match header {
        Header::IfMatch => (
            "If-Match",
            "Only if it has this tag; `*`: only if it is there.",
            json!({ "type": "string" }),
        ),
        Header::IfNoneMatch => {
            ("If-None-Match", "`*`: only if it is not there.", json!({ "type": "string" }))
        }
        Header::Prefer => (
            "Prefer",
            "`wait=N` seconds for the end, at most 30 (2 by default); `respond-async` for none.",
            json!({ "type": "string", "example": "respond-async" }),
        ),
        Header::Repeatability => (
            "Repeatability-Request-ID",
            "The same id and request within 24 hours is the same operation.",
            json!({ "type": "string", "minLength": 1, "maxLength": 128 }),
        ),
        Header::LastEventId => (
            "Last-Event-ID",
            "The `id` of the last event that was heard: what happened after it is told.",
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
        ("x-ms-request-id", "The server's own name for the request; it is in its log."),
        ("x-ms-correlation-request-id", "The caller's, or a new one."),
        ("ETag", "Equals `etag` in the body."),
        ("Azure-AsyncOperation", "Where the operation tells how it is doing."),
        ("Location", "Where the operation's result will be."),
        ("Warning", "What the caller should know besides."),
    ] {
        headers.insert(name.to_owned(), text(what));
    }
    let seconds = json!({ "type": "integer", "minimum": 1, "maximum": 10 });
    let retry = json!({ "description": "Seconds to wait before asking again.", "schema": seconds });
    headers.insert("Retry-After".to_owned(), retry);
    Value::Object(headers)
}

/// What a status means here.
pub(super) fn meaning(status: u16) -> &'static str {
    match status {
        200 => "So it is.",
        201 => "It was made.",
        202 => "It is under way; the headers say where to ask.",
        204 => "It is there, or gone, or there was nothing.",
        400 => "The request is not acceptable.",
        401 => "No token, or a wrong one.",
        403 => "Not from there, or AWS does not let us.",
        404 => "There is no such thing.",
        408 => "The body was not sent in time.",
        409 => "It collides with what exists or runs.",
        412 => "A condition does not hold.",
        413 => "The body is too long.",
        415 => "The body is not JSON.",
        421 => "This server does not answer for that host.",
        423 => "Somebody else holds the lock.",
        429 => "AWS is asked too often.",
        502 => "AWS tried and failed.",
        503 => "The store or AWS cannot be reached just now, or the server has too much to do.",
        504 => "There was no answer in time.",
        _ => "A defect.",
    }
}
