//! Sessions of roles over a real socket: what STS gives, and what it is good for.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::Path;

use hangar_simulator::core::settings::Settings;
use hangar_simulator::server::{self, Exposure, Options, Running, Signatures};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const ROLE: &str = "arn:aws:iam::210987654321:role/team/deploy";
/// `{}` and `{"exp": 99999999999}`.
const TOKEN: &str = "e30.eyJleHAiOiA5OTk5OTk5OTk5OX0.AAAA";

struct Cloud(Running);

/// What a session is used with.
#[derive(Clone)]
struct Keys {
    id: String,
    token: Option<String>,
}

impl Cloud {
    async fn start(state: Option<&Path>, signatures: Signatures) -> Self {
        let options = Options {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            exposure: Exposure::Loopback,
            state: state.map(Path::to_owned),
            settings: Settings { latency: "0..0".parse().unwrap(), ..Settings::default() },
            signatures,
            faults: Vec::new(),
        };
        Self(server::start(options).await.unwrap())
    }

    /// The status and the body of an answer.
    async fn send(&self, line: &str, headers: &[(&str, String)], body: &str) -> (u16, String) {
        let mut head = vec![
            format!("{line} HTTP/1.1"),
            "host: localhost\r\nconnection: close".to_owned(),
            format!("content-length: {}", body.len()),
        ];
        head.extend(headers.iter().map(|(name, value)| format!("{name}: {value}")));
        let text = format!("{}\r\n\r\n{body}", head.join("\r\n"));
        let mut stream = TcpStream::connect(self.0.address()).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    async fn sts(&self, keys: Option<&Keys>, form: &str) -> (u16, String) {
        let mut headers = headers_of(keys, "sts");
        headers.push(("content-type", "application/x-www-form-urlencoded".to_owned()));
        self.send("POST /", &headers, &format!("{form}&Version=2011-06-15")).await
    }

    async fn cloud_control(&self, keys: &Keys, operation: &str, body: &Value) -> (u16, Value) {
        let mut headers = headers_of(Some(keys), "cloudcontrolapi");
        headers.push(("x-amz-target", format!("CloudApiService.{operation}")));
        let (status, body) = self.send("POST /", &headers, &body.to_string()).await;
        (status, serde_json::from_str(&body).unwrap())
    }

    async fn control(&self, line: &str, body: &Value) -> String {
        let (status, body) = self.send(line, &[], &body.to_string()).await;
        assert!(status < 300, "{body}");
        body
    }

    async fn assume(&self, keys: &Keys, seconds: u64) -> Keys {
        let form = format!(
            "Action=AssumeRole&RoleArn={ROLE}&RoleSessionName=me&DurationSeconds={seconds}"
        );
        let (status, body) = self.sts(Some(keys), &form).await;
        assert_eq!(status, 200, "{body}");
        keys_in(&body)
    }
}

fn headers_of(keys: Option<&Keys>, service: &str) -> Vec<(&'static str, String)> {
    let Some(Keys { id, token }) = keys else { return Vec::new() };
    let authorization = format!(
        "AWS4-HMAC-SHA256 Credential={id}/20261115/eu-west-1/{service}/aws4_request, \
         SignedHeaders=host;x-amz-date, Signature=00"
    );
    let token = token.iter().map(|token| ("x-amz-security-token", token.clone()));
    token.chain([("authorization", authorization)]).collect()
}

fn text_of<'a>(body: &'a str, name: &str) -> &'a str {
    let (_, rest) = body.split_once(&format!("<{name}>")).unwrap_or_else(|| panic!("{body}"));
    rest.split_once('<').unwrap().0
}

fn keys_in(body: &str) -> Keys {
    let (id, token) = (text_of(body, "AccessKeyId"), text_of(body, "SessionToken"));
    Keys { id: id.to_owned(), token: Some(token.to_owned()) }
}

fn account(digits: &str) -> Keys {
    Keys { id: digits.to_owned(), token: None }
}

const IDENTITY: &str = "Action=GetCallerIdentity";

#[tokio::test]
async fn calls_with_a_session_act_in_the_account_of_its_role() {
    let cloud = Cloud::start(None, Signatures::Read).await;
    let session = cloud.assume(&account("42"), 900).await;
    let (_, identity) = cloud.sts(Some(&session), IDENTITY).await;
    let arn = "arn:aws:sts::210987654321:assumed-role/deploy/me";
    assert_eq!((text_of(&identity, "Account"), text_of(&identity, "Arn")), ("210987654321", arn));
    let group =
        json!({"TypeName": "AWS::Logs::LogGroup", "DesiredState": "{\"LogGroupName\":\"a\"}"});
    let (status, made) = cloud.cloud_control(&session, "CreateResource", &group).await;
    assert_eq!(status, 200, "{made}");
    let read = json!({"TypeName": "AWS::Logs::LogGroup", "Identifier": "a"});
    for (keys, status) in [(account("210987654321"), 200), (account("42"), 400)] {
        assert_eq!(cloud.cloud_control(&keys, "GetResource", &read).await.0, status);
    }
    // A session may ask for one of another role.
    let chained = cloud.assume(&session, 3600).await;
    assert_eq!(cloud.sts(Some(&chained), IDENTITY).await.0, 200);
}

#[tokio::test]
async fn a_session_without_its_token_or_past_its_end_is_refused_in_both_protocols() {
    let cloud = Cloud::start(None, Signatures::Read).await;
    let session = cloud.assume(&account("42"), 900).await;
    let list = json!({"TypeName": "AWS::EC2::VPC"});
    let drawn = if session.id.as_bytes()[10] == b'A' { 'B' } else { 'A' };
    let unknown = format!("{}{drawn}{}", &session.id[..10], &session.id[11..]);
    let unknown = Keys { id: unknown, ..session.clone() };
    let refused = async |keys: &Keys| {
        let (status, body) = cloud.sts(Some(keys), IDENTITY).await;
        let (_, in_json) = cloud.cloud_control(keys, "ListResources", &list).await;
        let name = in_json["__type"].as_str().unwrap().to_owned();
        (status, text_of(&body, "Code").to_owned(), name)
    };
    let invalid = (
        403,
        "InvalidClientTokenId".to_owned(),
        "com.amazon.coral.service#UnrecognizedClientException".to_owned(),
    );
    for token in [None, Some("wrong".to_owned())] {
        assert_eq!(refused(&Keys { token, ..session.clone() }).await, invalid);
    }
    assert_eq!(refused(&unknown).await, invalid);
    cloud.control("POST /_simulator/clock", &json!({"advance": "890s"})).await;
    assert_eq!(cloud.sts(Some(&session), IDENTITY).await.0, 200);
    cloud.control("POST /_simulator/clock", &json!({"advance": "10s"})).await;
    let expired = (
        403,
        "ExpiredToken".to_owned(),
        "com.amazon.coral.service#ExpiredTokenException".to_owned(),
    );
    assert_eq!(refused(&session).await, expired);
    // An expired session asks for no other.
    let form = format!("Action=AssumeRole&RoleArn={ROLE}&RoleSessionName=me");
    assert_eq!(text_of(&cloud.sts(Some(&session), &form).await.1, "Code"), "ExpiredToken");
    cloud.control("POST /_simulator/reset", &json!({})).await;
    assert_eq!(refused(&session).await, invalid);
}

#[tokio::test]
async fn a_token_is_enough_where_signatures_are_verified_and_a_wrong_one_is_told() {
    let cloud = Cloud::start(None, Signatures::Verified(HashMap::new())).await;
    let form = |token: &str| {
        format!(
            "Action=AssumeRoleWithWebIdentity&RoleArn={ROLE}&RoleSessionName=me\
             &WebIdentityToken={token}"
        )
    };
    let (status, body) = cloud.sts(None, &form(TOKEN)).await;
    assert_eq!(status, 200, "{body}");
    // The keys are verified as others are: this signature is none.
    let (status, body) = cloud.sts(Some(&keys_in(&body)), IDENTITY).await;
    assert_eq!((status, text_of(&body, "Code")), (400, "IncompleteSignature"), "{body}");
    for (token, code) in
        [("no.token.é", "InvalidIdentityToken"), ("e30.eyJleHAiOiAxfQ.AA", "ExpiredTokenException")]
    {
        let (status, body) = cloud.sts(None, &form(token)).await;
        assert_eq!((status, text_of(&body, "Code")), (400, code));
        assert!(!body.contains(token), "{body}");
    }
    // Only the token's call goes without a signature.
    let form = format!("Action=AssumeRole&RoleArn={ROLE}&RoleSessionName=me");
    let (_, body) = cloud.sts(None, &form).await;
    assert_eq!(text_of(&body, "Code"), "MissingAuthenticationToken");
}

#[tokio::test]
async fn a_fault_refuses_one_role_and_calls_are_listed_without_secrets() {
    let cloud = Cloud::start(None, Signatures::Read).await;
    let fault = json!({
        "operation": "AssumeRole", "identifier": ROLE, "effect": "exception",
        "exception": "AccessDeniedException", "message": "not you",
    });
    cloud.control("POST /_simulator/faults", &fault).await;
    let form = |role: &str| format!("Action=AssumeRole&RoleArn={role}&RoleSessionName=me");
    let other = ROLE.replace("deploy", "other");
    assert_eq!(cloud.sts(Some(&account("42")), &form(&other)).await.0, 200);
    let (status, body) = cloud.sts(Some(&account("42")), &form(ROLE)).await;
    let told = (status, text_of(&body, "Code"), text_of(&body, "Message"));
    assert_eq!(told, (403, "AccessDenied", "not you"));
    let (_, body) = cloud.sts(Some(&account("42")), &form(ROLE)).await;
    let secrets = ["SecretAccessKey", "SessionToken"].map(|name| text_of(&body, name));
    let web = format!(
        "Action=AssumeRoleWithWebIdentity&RoleArn={ROLE}&RoleSessionName=me&WebIdentityToken={TOKEN}"
    );
    cloud.sts(None, &web).await;
    let mut shown = String::new();
    for path in ["", "health", "resources", "requests", "faults", "settings", "calls", "counters"] {
        shown += &cloud.control(&format!("GET /_simulator/{path}"), &json!({})).await;
    }
    assert!(shown.contains(ROLE) && shown.contains("AssumeRoleWithWebIdentity"), "{shown}");
    for secret in secrets.into_iter().chain([TOKEN]) {
        assert!(!shown.contains(secret), "{shown}");
    }
}

#[tokio::test]
async fn a_session_outlives_the_process_with_the_state() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state");
    let cloud = Cloud::start(Some(&state), Signatures::Read).await;
    let session = cloud.assume(&account("42"), 900).await;
    cloud.0.stop().await.unwrap();
    let cloud = Cloud::start(Some(&state), Signatures::Read).await;
    assert_eq!(cloud.sts(Some(&session), IDENTITY).await.0, 200);
    assert_ne!(cloud.assume(&account("42"), 900).await.id, session.id);
}
