//! The bad requests, as bytes, with what each is answered with.

use crate::server::TOKEN;

const BASE: &str = "/apis/api.ucp.dev/v1alpha3";
const GROUP: &str = "/planes/radius/local/resourceGroups/Team";
const AWS: &str = "/planes/aws/aws/accounts/42/regions/eu-central-1/providers";
const ALIAS: &str = "/planes/radius/local/resourceGroups/Team/providers/AWS.EC2/VPC:reference";

/// A status, and the error's code; none where the answer has no error of ours.
pub(super) type Expected = (u16, String);

/// What is sent over one connection, and all that comes back.
pub(super) struct Case {
    pub(super) what: &'static str,
    pub(super) bytes: Vec<u8>,
    pub(super) after: After,
    pub(super) expected: Vec<Expected>,
}

/// What the caller does when all is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
    /// It waits for the answer.
    Waits,
    /// It sends no more, though it said it would.
    CutOff,
}

/// All of them.
pub(super) fn all() -> Vec<Case> {
    let mut all = Vec::new();
    all.extend(paths());
    all.extend(queries());
    all.extend(methods());
    all.extend(identities());
    all.extend(bodies());
    all.extend(templates());
    all.extend(conditions());
    all.extend(framings());
    all.extend(pipelines());
    all
}

fn written(text: &str) -> String {
    text.replace("{base}", BASE)
        .replace("{group}", GROUP)
        .replace("{aws}", AWS)
        .replace("{alias}", ALIAS)
        .replace("{v}", "api-version=2023-10-01")
}

/// A request that has all it needs but its line.
pub(super) fn good(line: &str) -> Vec<u8> {
    with(line, "")
}

/// The same with more headers, each with its line's end.
fn with(line: &str, headers: &str) -> Vec<u8> {
    kept_open(line, &format!("connection: close\r\n{headers}"))
}

/// The same on a connection that may be used again.
fn kept_open(line: &str, headers: &str) -> Vec<u8> {
    let line = written(line);
    let known = format!("host: localhost\r\nauthorization: Bearer {TOKEN}\r\n");
    format!("{line} HTTP/1.1\r\n{known}{headers}\r\n").into_bytes()
}

/// A `PUT` of the group with a body.
fn put(headers: &str, body: &[u8]) -> Vec<u8> {
    sent("PUT {base}{group}?{v}", headers, body)
}

/// A request with a body.
fn sent(line: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let length = format!("content-length: {}\r\n{headers}", body.len());
    let mut bytes = with(line, &length);
    bytes.extend_from_slice(body);
    bytes
}

fn json(body: &[u8]) -> Vec<u8> {
    put("content-type: application/json\r\n", body)
}

fn case(what: &'static str, bytes: Vec<u8>, status: u16, code: &str) -> Case {
    Case { what, bytes, after: After::Waits, expected: vec![(status, code.to_owned())] }
}

/// A case whose caller goes away before all is sent.
fn cut_off(what: &'static str, bytes: Vec<u8>, status: u16, code: &str) -> Case {
    Case { after: After::CutOff, ..case(what, bytes, status, code) }
}

fn paths() -> Vec<Case> {
    let line = |what, line: &str, status, code| case(what, good(line), status, code);
    let id = "InvalidResourceId";
    vec![
        line("dots", "GET {base}/planes/radius/../aws", 400, id),
        line("dots at the end", "GET {base}{group}/..", 400, id),
        line("encoded dots", "GET {base}/planes/radius/%2e%2e/x", 400, id),
        line("an encoded NUL", "GET {base}{alias}/a%00", 400, id),
        line("an encoded line end", "PUT {base}{alias}/a%0d%0ab?{v}", 400, "InvalidAlias"),
        line("an empty segment", "GET {base}{group}//resources", 400, id),
        line("three slashes", "GET {base}///planes", 400, id),
        line("an overlong slash", "GET {base}{alias}/a%c0%afb", 400, id),
        line("a bad escape", "GET {base}{alias}/a%zz", 400, id),
        line("half an escape", "GET {base}{alias}/a%2", 400, id),
        line("an encoded slash in an alias", "GET {base}{alias}/a%2Fb", 400, id),
        line("a backslash", "PUT {base}{group}\\..\\x?{v}", 400, "InvalidResourceGroupName"),
        line("an alias encoded twice", "PUT {base}{alias}/a%252Fb?{v}", 400, "InvalidAlias"),
        line(
            "a region that is a host",
            "GET {base}/planes/aws/aws/accounts/42/regions/us-east-1.evil.example/providers/AWS.EC2/VPC",
            400,
            id,
        ),
        line(
            "a region with user information",
            "GET {base}/planes/aws/aws/accounts/42/regions/us-east-1@evil.example/providers/AWS.EC2/VPC",
            400,
            id,
        ),
        line(
            "an account of letters",
            "GET {base}/planes/aws/aws/accounts/abc/regions/us-east-1/providers/AWS.EC2/VPC",
            400,
            id,
        ),
        line(
            "an account of 13 digits",
            "GET {base}/planes/aws/aws/accounts/1234567890123/regions/us-east-1/providers/AWS.EC2/VPC",
            400,
            id,
        ),
        line("a type that is none", "GET {base}{aws}/AWS.EC2/Nothing", 404, "InvalidResourceType"),
        line("a type with a script", "GET {base}{aws}/AWS.EC2/<script>", 400, ""),
        line(
            "a plane that is none",
            "GET {base}/planes/radius/none/resourceGroups",
            404,
            "PlaneNotFound",
        ),
        line(
            "a plane of another cloud",
            "GET {base}/planes/gcp/gcp/projects/p",
            400,
            "InvalidPlaneType",
        ),
        line("an action that is none", "POST {base}{aws}/AWS.EC2/VPC/:frob", 404, "RouteNotFound"),
        line("a path like the base path", "GET {base}x/planes", 404, "RouteNotFound"),
        line("a path elsewhere", "GET /etc/passwd", 404, "RouteNotFound"),
        line(
            "a group's name with a blank",
            "PUT {base}/planes/radius/local/resourceGroups/a%20b?{v}",
            400,
            "InvalidResourceGroupName",
        ),
        line("a blank in the line", "GET {base}{group} x", 400, ""),
        case(
            "a raw byte in the path",
            [&b"GET /\xff\xfe HTTP/1.1\r\n"[..], &good("")[11..]].concat(),
            400,
            "",
        ),
        line("a fragment", "GET {base}{group}#x", 200, ""),
        line(
            "a path of 40 KiB",
            &format!("GET {{base}}{{alias}}/{}", "x".repeat(40 << 10)),
            431,
            "",
        ),
        line(
            "an alias of 3000",
            &format!("PUT {{base}}{{alias}}/{}?{{v}}", "x".repeat(3000)),
            400,
            "InvalidAlias",
        ),
        line("an absolute target at ours", "GET http://localhost{base}{group}", 200, ""),
        line(
            "an absolute target at another's",
            "GET http://evil.example{base}{group}",
            421,
            "MisdirectedRequest",
        ),
        line(
            "an absolute target with another scheme",
            "GET ftp://evil.example/x",
            421,
            "MisdirectedRequest",
        ),
        line("no path", "GET *", 404, "RouteNotFound"),
        line("options of the server", "OPTIONS *", 404, "RouteNotFound"),
    ]
}

fn queries() -> Vec<Case> {
    let line = |what, line: &str, status, code| case(what, good(line), status, code);
    let query = "InvalidQueryParameter";
    vec![
        line("a bad escape in a query", "GET {base}{group}/resources?$top=%zz", 400, query),
        line("a parameter twice", "GET {base}{group}/resources?$top=1&%24TOP=2", 400, query),
        line("a page of minus one", "GET {base}{group}/resources?$top=-1", 400, query),
        line(
            "a page of very many",
            "GET {base}{group}/resources?$top=99999999999999999999",
            400,
            query,
        ),
        line(
            "a version twice",
            "GET {base}{group}?api-version=2023-10-01&api-version=2023-10-02",
            400,
            query,
        ),
        line(
            "a version that is none",
            "GET {base}{group}?api-version=';--",
            400,
            "InvalidApiVersionParameter",
        ),
        line(
            "a write without a version",
            "DELETE {base}{group}",
            400,
            "MissingApiVersionParameter",
        ),
        line(
            "a token that is not ours",
            "GET {base}{group}/resources?$skipToken=AAAA",
            400,
            "InvalidSkipToken",
        ),
        line(
            "a long token",
            &format!("GET {{base}}{{group}}/resources?$skipToken={}", "A".repeat(20000)),
            400,
            "InvalidSkipToken",
        ),
        line("a state that is none", "GET {base}{group}/resources?state=odd", 400, query),
        line("a mode that is none", "DELETE {base}{alias}/none?{v}&mode=all", 400, query),
        line(
            "an operation that is none",
            "GET {base}/planes/radius/local/providers/System.Resources/operationStatuses/..%2f",
            400,
            "InvalidResourceId",
        ),
    ]
}

fn methods() -> Vec<Case> {
    let line = |what, line: &str, status, code| case(what, good(line), status, code);
    let method = "MethodNotAllowed";
    vec![
        line("a method that is none", "FROB {base}{group}", 405, method),
        line("a method in small letters", "get {base}{group}", 405, method),
        line("a trace", "TRACE {base}{group}", 405, method),
        line("a post on a group", "POST {base}{group}?{v}", 405, method),
        line("a put of an action", "PUT {base}{aws}/AWS.EC2/VPC/:put", 405, method),
        line("a post of health", "POST /healthz", 405, method),
        line("a method with odd signs", "G@T {base}{group}", 400, ""),
        line("no method", " {base}{group}", 400, ""),
        line("a tunnel to another", "CONNECT evil.example:443", 421, "MisdirectedRequest"),
        line("a tunnel to ours", "CONNECT localhost:80", 404, "RouteNotFound"),
    ]
}

fn identities() -> Vec<Case> {
    let as_is = |what, headers: &str, status, code| {
        let line = written("GET {base}{group}");
        let text = format!("{line} HTTP/1.1\r\nconnection: close\r\n{headers}\r\n")
            .replace("{token}", TOKEN);
        case(what, text.into_bytes(), status, code)
    };
    let (host, bearer) = ("host: localhost\r\n", "authorization: Bearer {token}\r\n");
    let both = |more: &str| format!("{host}{bearer}{more}");
    let denied = "AuthenticationFailed";
    vec![
        as_is("no host", bearer, 421, "MisdirectedRequest"),
        as_is("two hosts", &both("host: evil.example\r\n"), 421, "MisdirectedRequest"),
        as_is(
            "another host",
            &format!("host: evil.example\r\n{bearer}"),
            421,
            "MisdirectedRequest",
        ),
        as_is(
            "a host behind a user",
            &format!("host: localhost@evil.example\r\n{bearer}"),
            421,
            "MisdirectedRequest",
        ),
        as_is(
            "a host that begins as ours",
            &format!("host: localhost.evil.example\r\n{bearer}"),
            421,
            "MisdirectedRequest",
        ),
        as_is(
            "the address of all",
            &format!("host: 0.0.0.0\r\n{bearer}"),
            421,
            "MisdirectedRequest",
        ),
        as_is("another page", &both("origin: https://evil.example\r\n"), 403, "ForeignOrigin"),
        as_is("a page of nowhere", &both("origin: null\r\n"), 403, "ForeignOrigin"),
        as_is("no token", host, 401, denied),
        as_is("an empty token", &format!("{host}authorization: Bearer\r\n"), 401, denied),
        as_is("another token", &format!("{host}authorization: Bearer x\r\n"), 401, denied),
        as_is("another scheme", &format!("{host}authorization: Basic {{token}}\r\n"), 401, denied),
        as_is(
            "a wrong token before the right one",
            &format!("{host}authorization: Bearer x\r\n{bearer}"),
            401,
            denied,
        ),
        as_is(
            "the right token before a wrong one",
            &both("authorization: Bearer x\r\n"),
            401,
            denied,
        ),
        as_is("a token in a cookie", &format!("{host}cookie: token={{token}}\r\n"), 401, denied),
        case(
            "a token in the query",
            {
                let line =
                    written("GET {base}{group}?access_token={token}").replace("{token}", TOKEN);
                format!("{line} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
                    .into_bytes()
            },
            401,
            denied,
        ),
    ]
}

fn bodies() -> Vec<Case> {
    let content = "InvalidRequestContent";
    let deep = format!("{{\"properties\": {}{}}}", "[".repeat(65), "]".repeat(65));
    let nested = "{\"a\":".repeat(30000);
    let long = format!("{{\"location\": \"{}\"}}", "x".repeat(65 << 10));
    let chunked = "content-type: application/json\r\ntransfer-encoding: chunked\r\n";
    let endless = {
        let mut bytes = with("PUT {base}{group}?{v}", chunked);
        let chunk = format!("4000\r\n{}\r\n", "x".repeat(0x4000));
        bytes.extend(chunk.repeat(6).into_bytes());
        bytes
    };
    vec![
        case("half a body", json(b"{\"location\": "), 400, content),
        case("a member twice", json(b"{\"location\": \"a\", \"location\": \"b\"}"), 400, content),
        case("a member twice in two spellings", json(b"{\"location\": \"a\", \"\\u006cocation\": \"b\"}"), 400, content),
        case("65 levels", json(deep.as_bytes()), 400, content),
        case("60000 bytes of braces", json(&nested.as_bytes()[..60000]), 400, content),
        case("bytes that are no text", json(b"{\"location\": \"\xff\xfe\"}"), 400, content),
        case("half a character", json(b"{\"location\": \"\\ud800\"}"), 400, content),
        case("not a number", json(b"{\"properties\": {\"a\": NaN}}"), 400, content),
        case("a comment", json(b"{} // x"), 400, content),
        case("two documents", json(b"{}{}"), 400, content),
        case("an array", json(b"[]"), 400, content),
        case("a string", json(b"\"x\""), 400, content),
        case("a blank", json(b" "), 400, content),
        case("a member that is none", json(b"{\"locaton\": \"x\"}"), 400, content),
        case("a tag that is a number", json(b"{\"tags\": {\"a\": 1}}"), 400, content),
        case("a state of the caller's", json(b"{\"properties\": {\"provisioningState\": \"Failed\"}}"), 400, content),
        case("a scope that is a host", json(b"{\"properties\": {\"providers\": {\"aws\": {\"scope\": \"http://evil.example\"}}}}"), 400, "InvalidResourceId"),
        case("no media type", put("", b"{}"), 415, "UnsupportedMediaType"),
        case("a form", put("content-type: application/x-www-form-urlencoded\r\n", b"a=b"), 415, "UnsupportedMediaType"),
        case("plain text", put("content-type: text/plain\r\n", b"{}"), 415, "UnsupportedMediaType"),
        case("UTF-16", put("content-type: application/json; charset=utf-16\r\n", b"{}"), 415, "UnsupportedMediaType"),
        case("a compressed body", put("content-type: application/json\r\ncontent-encoding: gzip\r\n", b"\x1f\x8b"), 415, "UnsupportedMediaType"),
        case("65 KiB", json(long.as_bytes()), 413, "RequestEntityTooLarge"),
        case("a gigabyte that is announced", with("PUT {base}{group}?{v}", "content-type: application/json\r\ncontent-length: 1073741824\r\n"), 413, "RequestEntityTooLarge"),
        case("chunks without end", endless, 413, "RequestEntityTooLarge"),
        cut_off("less than is announced", with("PUT {base}{group}?{v}", "content-type: application/json\r\ncontent-length: 100\r\n"), 400, content),
    ]
}

fn templates() -> Vec<Case> {
    const LINE: &str = "PUT {base}{group}/providers/Microsoft.Resources/deployments/app?{v}";
    let refused = |what, properties: &str, code| {
        let body = format!("{{\"properties\": {properties}}}");
        let bytes = sent(LINE, "content-type: application/json\r\n", body.as_bytes());
        case(what, bytes, 400, code)
    };
    let content = "InvalidRequestContent";
    let source = |what, source: &str| {
        refused(what, &format!("{{\"sources\": {{{source}}}, \"entry\": \"a\"}}"), content)
    };
    let long = format!("\"{}\": 1", "x".repeat(4_000_000));
    vec![
        source("a file above the project", "\"../a\": \"\""),
        source("a file above the project, further in", "\"a/../../b\": \"\""),
        source("a file of the machine", "\"/etc/passwd\": \"\""),
        source("a file of another machine", "\"C:/a\": \"\""),
        source("a file above the project by its other name", "\"..\\\\a\": \"\""),
        source("a file with NUL in its name", "\"a\\u0000b\": \"\""),
        source("a file twice", "\"a\": \"\", \"a\": \"\""),
        source("a file that is a list", "\"a\": []"),
        source("base64 with a blank", "\"a\": {\"base64\": \"AA A\"}"),
        source("base64 that is cut off", "\"a\": {\"base64\": \"AAA\"}"),
        source("base64 that says more than it holds", "\"a\": {\"base64\": \"AB==\"}"),
        source("no file", ""),
        source("a name of 4 MB", &long),
        refused("a member with a name of 4 MB", &format!("{{{long}}}"), content),
        refused("a template elsewhere", "{\"templateLink\": {}}", "NotSupported"),
        refused("a compiled template with nothing in it", "{\"template\": {}}", "InvalidTemplate"),
        refused("a compiled template that is a text", "{\"template\": \"\"}", content),
        case(
            "4 MiB and more",
            sent(LINE, "content-type: application/json\r\n", &vec![b' '; (4 << 20) + 1]),
            413,
            "RequestEntityTooLarge",
        ),
    ]
}

fn conditions() -> Vec<Case> {
    let group = |what, headers: &str, status, code| {
        case(what, with("PUT {base}{group}?{v}", headers), status, code)
    };
    let header = "InvalidHeader";
    vec![
        group("a condition of commas", "if-match: ,,\r\n", 400, header),
        group("an empty condition", "if-match:\r\n", 400, header),
        group("two conditions", "if-match: *\r\nif-none-match: *\r\n", 400, header),
        group("a condition that is no text", "if-match: \"\u{e9}\"\r\n", 400, header),
        group("another's tag", "if-match: \"x\"\r\n", 412, "PreconditionFailed"),
        group("a weak tag", "if-match: W/\"x\"\r\n", 412, "PreconditionFailed"),
        group("a thing that is there", "if-none-match: *\r\n", 412, "PreconditionFailed"),
        case(
            "a condition on what has no tag",
            with("DELETE {base}{aws}/AWS.S3/Bucket/none", "if-match: *\r\n"),
            400,
            "ConditionNotSupported",
        ),
        case(
            "a tag that must not match",
            with("DELETE {base}{alias}/none?{v}", "if-none-match: \"x\"\r\n"),
            400,
            "ConditionNotSupported",
        ),
        case(
            "a name of a request that is empty",
            with("DELETE {base}{alias}/none?{v}", "repeatability-request-id:\r\n"),
            400,
            header,
        ),
        case(
            "a long name of a request",
            with(
                "DELETE {base}{alias}/none?{v}",
                &format!("repeatability-request-id: {}\r\n", "x".repeat(129)),
            ),
            400,
            header,
        ),
    ]
}

fn framings() -> Vec<Case> {
    let group = |what, headers: &str, status, code| {
        case(what, with("PUT {base}{group}?{v}", headers), status, code)
    };
    let chunked = |what, body: &str, status, code| {
        let headers = "content-type: application/json\r\ntransfer-encoding: chunked\r\n";
        let mut bytes = with("PUT {base}{group}?{v}", headers);
        bytes.extend_from_slice(body.as_bytes());
        case(what, bytes, status, code)
    };
    let many = "x-odd: y\r\n".repeat(150);
    let raw = |what, bytes: &[u8], status, code| case(what, bytes.to_vec(), status, code);
    let content = "InvalidRequestContent";
    vec![
        group("two lengths", "content-length: 0\r\ncontent-length: 5\r\n", 400, ""),
        group("a length below nothing", "content-length: -1\r\n", 400, ""),
        group("a length with a sign", "content-length: +2\r\n", 400, ""),
        group("a length in words", "content-length: two\r\n", 400, ""),
        group("a length that is too large", "content-length: 99999999999999999999999\r\n", 400, ""),
        group("an unknown transfer", "transfer-encoding: gzip\r\n", 400, ""),
        group("chunks that are then packed", "transfer-encoding: chunked, gzip\r\n", 400, ""),
        group("a transfer of nothing", "transfer-encoding: identity\r\n", 400, ""),
        chunked("a chunk of odd size", "zz\r\n{}\r\n0\r\n\r\n", 400, content),
        chunked("a chunk of huge size", "ffffffffffffffffff\r\n", 400, content),
        Case { after: After::CutOff, ..chunked("a chunk that is cut off", "5\r\n{", 400, content) },
        chunked("a chunk longer than it says", "1\r\n{}\r\n0\r\n\r\n", 400, content),
        group("150 headers", &many, 431, ""),
        group("a header of 40 KiB", &format!("x-long: {}\r\n", "x".repeat(40 << 10)), 431, ""),
        group("a header without a colon", "odd\r\n", 400, ""),
        group("a blank before the colon", "x-odd : y\r\n", 400, ""),
        group("a header that goes on", "x-odd: a\r\n b\r\n", 400, ""),
        group("a NUL in a header", "x-odd: a\0b\r\n", 400, ""),
        Case {
            expected: vec![],
            ..raw("another protocol", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "")
        },
        raw("a version that is none", b"GET / HTTP/9.9\r\nhost: localhost\r\n\r\n", 400, ""),
        raw("a line without a version", b"GET /\r\n\r\n", 400, ""),
        raw("a greeting of TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400, ""),
        raw("noise", b"\x00\x01\x02\x03\r\n\r\n", 400, ""),
    ]
}

fn pipelines() -> Vec<Case> {
    let ok = || (200, String::new());
    let two = |first: Vec<u8>, second: Vec<u8>| [first, second].concat();
    let group = || kept_open("GET {base}{group}", "");
    vec![
        Case {
            what: "two requests at once",
            bytes: two(group(), good("GET {base}{group}/none")),
            after: After::Waits,
            expected: vec![ok(), (404, "RouteNotFound".into())],
        },
        Case {
            what: "noise after a request",
            bytes: two(group(), b"\x00\x01\r\n\r\n".to_vec()),
            after: After::Waits,
            expected: vec![ok(), (400, String::new())],
        },
        Case {
            what: "a request in the body of another",
            bytes: json(&group()),
            after: After::Waits,
            expected: vec![(400, "InvalidRequestContent".into())],
        },
        Case {
            // The chunks decide, and no second request is read from what two readers could read in
            // two ways (RFC 9112, 6.1).
            what: "a request behind chunks with a length",
            bytes: {
                let both = "content-length: 6\r\ntransfer-encoding: chunked\r\n";
                let mut bytes = kept_open("GET {base}{group}", both);
                bytes.extend_from_slice(b"0\r\n\r\n");
                two(bytes, group())
            },
            after: After::Waits,
            expected: vec![ok()],
        },
        Case {
            what: "an upgrade",
            bytes: with(
                "GET {base}{group}",
                "connection: upgrade, http2-settings, close\r\nupgrade: h2c\r\nhttp2-settings: AAA\r\n",
            ),
            after: After::Waits,
            expected: vec![ok()],
        },
        Case {
            what: "an old version without a host",
            bytes: format!("GET {BASE}{GROUP} HTTP/1.0\r\nauthorization: Bearer {TOKEN}\r\n\r\n")
                .into(),
            after: After::Waits,
            expected: vec![(421, "MisdirectedRequest".into())],
        },
    ]
}
