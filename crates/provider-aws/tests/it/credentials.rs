//! Credentials that are chosen for an account, of every kind, over real sockets.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use hangar_provider::{
    AccessKey, Answer, Chosen, Credential, CredentialSource, ErrorClass, Observation, Place,
    Provider, ProviderError, SecretText,
};
use hangar_provider_aws::{AwsProvider, CallName};
use hangar_simulator::server::Running;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::cloud::{Calls, VPC, nobody, place, provider_with, simulator_of, target};
use crate::wire::answering;

const SECRET: &str = "wJalrXUtnFEMI-K7MDENG";
const ROLE: &str = "arn:aws:iam::000000000042:role/team/deploy";
/// `{}` and `{"exp": 99999999999}`.
const TOKEN: &str = "e30.eyJleHAiOiA5OTk5OTk5OTk5OX0.dGhlLXNpZ25hdHVyZQ";

const ASSUME: CallName = CallName::AssumeRole;
const WEB: CallName = CallName::AssumeRoleWithWebIdentity;
const IDENTITY: CallName = CallName::GetCallerIdentity;
const GET: CallName = CallName::GetResource;

/// Gives every place what it was told to.
#[derive(Debug, Default)]
struct Choice(Mutex<Option<Chosen>>);

impl Choice {
    fn new(credential: Credential) -> Arc<Self> {
        let choice = Self::default();
        choice.choose(credential, "1");
        Arc::new(choice)
    }

    fn choose(&self, credential: Credential, revision: &str) {
        let revision = revision.to_owned();
        *self.0.lock().unwrap() = Some(Chosen { credential, revision });
    }
}

impl CredentialSource for Choice {
    fn credential<'a>(&'a self, _: &'a Place) -> Answer<'a, Option<Chosen>> {
        let chosen = self.0.lock().unwrap().clone();
        Box::pin(async { Ok(chosen) })
    }
}

fn key(id: &str, secret: &str) -> AccessKey {
    AccessKey {
        access_key_id: id.to_owned(),
        secret_access_key: SecretText::new(secret),
        session_token: None,
    }
}

fn access_key(id: &str, secret: &str) -> Credential {
    Credential::AccessKey(key(id, secret))
}

fn assume(role_arn: &str, source: Option<AccessKey>) -> Credential {
    Credential::AssumeRole {
        role_arn: role_arn.to_owned(),
        external_id: Some("their-id".to_owned()),
        session_name: Some("me@work".to_owned()),
        source,
    }
}

fn web_identity(token_file: &Path) -> Credential {
    let (role_arn, token_file) = (ROLE.to_owned(), token_file.to_owned());
    Credential::WebIdentity { role_arn, token_file, session_name: None }
}

/// A simulator that knows the key 7 only, by its secret, and account 42's by another.
async fn cloud(faults: &[Value]) -> Running {
    let keys = [("7", SECRET), ("42", "another")];
    let keys = keys.map(|(id, secret)| (id.to_owned(), secret.to_owned()));
    simulator_of(HashMap::from(keys), faults).await
}

fn names(calls: &Calls) -> Vec<CallName> {
    calls.lock().unwrap().iter().map(|(name, _)| *name).collect()
}

async fn observe(provider: &AwsProvider) -> Result<Observation, ProviderError> {
    provider.observe(&target(VPC), "vpc-1").await
}

fn told(error: &ProviderError) -> (ErrorClass, &str) {
    (error.class, error.code.as_str())
}

/// A folder with a token in a file.
fn token_file() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    std::fs::write(&file, format!("{TOKEN}\n")).unwrap();
    (folder, file)
}

/// Moves the simulator's clock.
async fn advance(simulator: &Running, by: &str) {
    let body = json!({"advance": by}).to_string();
    let mut stream = TcpStream::connect(simulator.address()).await.unwrap();
    let head = "POST /_simulator/clock HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n";
    let text = format!("{head}content-length: {}\r\n\r\n{body}", body.len());
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
}

#[tokio::test]
async fn an_access_key_that_was_chosen_signs_and_its_account_is_asked_once() {
    let simulator = cloud(&[]).await;
    let (provider, calls) =
        provider_with(&simulator.url(), Choice::new(access_key("42", "another")));
    assert_eq!(observe(&provider).await, Ok(Observation::Absent));
    provider.describe_type(&target(VPC)).await.unwrap();
    observe(&provider).await.unwrap();
    assert_eq!(names(&calls), [IDENTITY, GET, CallName::DescribeType, GET]);
    // Where none is chosen the place's account signs with the simulator's own secret, which this
    // simulator does not know.
    let (provider, _) = provider_with(&simulator.url(), Arc::new(Choice::default()));
    let error = observe(&provider).await.unwrap_err();
    assert_eq!(told(&error), (ErrorClass::Forbidden, "InvalidSignatureException"));
}

#[tokio::test]
async fn a_role_is_assumed_with_a_key_of_another_account() {
    let simulator = cloud(&[]).await;
    let choice = Choice::new(assume(ROLE, Some(key("7", SECRET))));
    let (provider, calls) = provider_with(&simulator.url(), choice);
    let groups = target("AWS::Logs::LogGroup");
    provider.create(&groups, &json!({"LogGroupName": "a"}), "t").await.unwrap();
    assert_ne!(provider.observe(&groups, "a").await, Ok(Observation::Absent));
    let identity = provider.identity(&place()).await.unwrap();
    assert_eq!(identity.account, "000000000042");
    assert_eq!(identity.arn, "arn:aws:sts::000000000042:assumed-role/deploy/me@work");
    assert_eq!(names(&calls), [ASSUME, IDENTITY, CallName::CreateResource, GET, IDENTITY]);
    // It was made in the role's account: the key of that account sees it.
    let (provider, _) = provider_with(&simulator.url(), Choice::new(access_key("42", "another")));
    assert_ne!(provider.observe(&groups, "a").await, Ok(Observation::Absent));
}

#[tokio::test]
async fn a_role_is_assumed_by_what_the_process_has_where_no_key_is_named() {
    // On an endpoint of our own that is the place's account, and nothing of the machine.
    let keys = HashMap::from([("42".to_owned(), "simulator".to_owned())]);
    let simulator = simulator_of(keys, &[]).await;
    let (provider, calls) = provider_with(&simulator.url(), Choice::new(assume(ROLE, None)));
    observe(&provider).await.unwrap();
    assert_eq!(names(&calls), [ASSUME, IDENTITY, GET]);
}

#[tokio::test]
async fn a_role_is_assumed_with_the_token_in_a_file() {
    let simulator = cloud(&[]).await;
    let (_folder, file) = token_file();
    let (provider, calls) = provider_with(&simulator.url(), Choice::new(web_identity(&file)));
    observe(&provider).await.unwrap();
    let arn = provider.identity(&place()).await.unwrap().arn;
    assert_eq!(arn, "arn:aws:sts::000000000042:assumed-role/deploy/hangar");
    assert_eq!(names(&calls), [WEB, IDENTITY, GET, IDENTITY]);
    // The file is read anew for each session: what the platform put there meanwhile is used.
    std::fs::write(&file, "e30.eyJleHAiOiAxfQ.AAAA").unwrap();
    observe(&provider).await.unwrap();
    advance(&simulator, "2h").await;
    observe(&provider).await.unwrap_err();
    let error = observe(&provider).await.unwrap_err();
    assert_eq!(told(&error), (ErrorClass::Forbidden, "ExpiredTokenException"));
    assert!(error.message.starts_with("Token expired"), "{error}");
    std::fs::write(&file, TOKEN).unwrap();
    observe(&provider).await.unwrap();
}

/// The first request that comes to an address, answered with nothing.
async fn first_request() -> (String, tokio::task::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let request = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut text = Vec::new();
        while !text.ends_with(b"dGhlLXNpZ25hdHVyZQ") {
            let mut some = [0; 1024];
            let read = stream.read(&mut some).await.unwrap();
            assert_ne!(read, 0, "{}", String::from_utf8_lossy(&text));
            text.extend_from_slice(&some[..read]);
        }
        String::from_utf8(text).unwrap()
    });
    (url, request)
}

#[tokio::test]
async fn nothing_signs_the_call_that_shows_a_token() {
    let (url, request) = first_request().await;
    let (_folder, file) = token_file();
    let (provider, calls) = provider_with(&url, Choice::new(web_identity(&file)));
    let error = observe(&provider).await.unwrap_err();
    // The write was not sent, whatever became of the question.
    assert_eq!(told(&error), (ErrorClass::Unreachable, "ConnectionLost"));
    assert_eq!(*calls.lock().unwrap(), [(WEB, Err(ErrorClass::Unanswered))]);
    let request = request.await.unwrap().to_ascii_lowercase();
    assert!(request.starts_with("post / "), "{request}");
    assert!(!request.contains("authorization") && !request.contains("x-amz-"), "{request}");
    assert!(request.contains("action=assumerolewithwebidentity&"), "{request}");
}

#[tokio::test]
async fn a_token_that_is_quoted_back_is_taken_out() {
    let said = format!(
        "<ErrorResponse><Error><Code>InvalidIdentityToken</Code>\
         <Message>{TOKEN} is wrong</Message></Error></ErrorResponse>"
    );
    let length = said.len();
    let url = answering(format!("HTTP/1.1 400 No\r\ncontent-length: {length}\r\n\r\n{said}")).await;
    let (_folder, file) = token_file();
    let (provider, _) = provider_with(&url, Choice::new(web_identity(&file)));
    let error = observe(&provider).await.unwrap_err();
    assert_eq!(told(&error), (ErrorClass::Forbidden, "InvalidIdentityToken"));
    assert_eq!(error.message, "«the token» is wrong");
}

#[tokio::test]
async fn a_session_that_ended_is_told_and_got_anew_by_the_next_call() {
    let simulator = cloud(&[]).await;
    let choice = Choice::new(assume(ROLE, Some(key("7", SECRET))));
    let (provider, calls) = provider_with(&simulator.url(), choice);
    observe(&provider).await.unwrap();
    advance(&simulator, "1h").await;
    calls.lock().unwrap().clear();
    let error = observe(&provider).await.unwrap_err();
    assert_eq!(told(&error), (ErrorClass::Forbidden, "ExpiredTokenException"));
    observe(&provider).await.unwrap();
    // A new session of the same revision is of the account that was asked before, but what was
    // refused is asked about anew.
    assert_eq!(names(&calls), [GET, ASSUME, IDENTITY, GET]);
}

#[tokio::test]
async fn another_revision_is_another_credential_at_once() {
    let simulator = cloud(&[]).await;
    let choice = Choice::new(access_key("42", "another"));
    let (provider, calls) = provider_with(&simulator.url(), choice.clone());
    observe(&provider).await.unwrap();
    // The same revision is the same credential, whatever it is said to be.
    choice.choose(access_key("42", "wrong"), "1");
    observe(&provider).await.unwrap();
    choice.choose(access_key("42", "wrong"), "2");
    let error = observe(&provider).await.unwrap_err();
    assert_eq!(told(&error), (ErrorClass::Forbidden, "SignatureDoesNotMatch"));
    choice.choose(assume(ROLE, Some(key("7", SECRET))), "3");
    observe(&provider).await.unwrap();
    let refused = (IDENTITY, Err(ErrorClass::Forbidden));
    let ok = |name| (name, Ok(()));
    let made = [ok(IDENTITY), ok(GET), ok(GET), refused, ok(ASSUME), ok(IDENTITY), ok(GET)];
    assert_eq!(*calls.lock().unwrap(), made);
}

#[tokio::test]
async fn a_credential_that_is_no_longer_chosen_is_forgotten() {
    let keys = ["42", "7"].map(|id| (id.to_owned(), "simulator".to_owned()));
    let simulator = simulator_of(HashMap::from(keys), &[]).await;
    let choice = Choice::new(assume(ROLE, Some(key("7", "simulator"))));
    let (provider, calls) = provider_with(&simulator.url(), choice.clone());
    observe(&provider).await.unwrap();
    *choice.0.lock().unwrap() = None;
    observe(&provider).await.unwrap();
    let arn = provider.identity(&place()).await.unwrap().arn;
    assert_eq!(arn, "arn:aws:iam::000000000042:user/simulator");
    choice.choose(assume(ROLE, Some(key("7", "simulator"))), "1");
    observe(&provider).await.unwrap();
    assert_eq!(names(&calls), [ASSUME, IDENTITY, GET, GET, IDENTITY, ASSUME, IDENTITY, GET]);
}

#[tokio::test]
async fn a_credential_of_another_account_is_a_mismatch() {
    let simulator = cloud(&[]).await;
    let mismatch = (ErrorClass::Forbidden, "AccountMismatch");
    // A role says its account itself: nothing is called, for a call or for its caller.
    let other = ROLE.replace("42:", "43:");
    let (provider, calls) =
        provider_with(&simulator.url(), Choice::new(assume(&other, Some(key("7", SECRET)))));
    let error = observe(&provider).await.unwrap_err();
    assert_eq!(told(&error), mismatch);
    assert!(error.message.contains("000000000043") && error.message.contains("42"), "{error}");
    assert_eq!(told(&provider.identity(&place()).await.unwrap_err()), mismatch);
    assert_eq!(names(&calls), []);
    // Of a key STS says it, once.
    let (provider, calls) = provider_with(&simulator.url(), Choice::new(access_key("7", SECRET)));
    for _ in 0..2 {
        let error = observe(&provider).await.unwrap_err();
        assert_eq!(told(&error), mismatch);
        assert!(error.message.contains("000000000007"), "{error}");
    }
    assert_eq!(names(&calls), [IDENTITY]);
    assert_eq!(provider.identity(&place()).await.unwrap().account, "000000000007");
}

#[tokio::test]
async fn a_token_file_that_cannot_be_read_is_named_and_its_content_is_not() {
    let simulator = cloud(&[]).await;
    let folder = tempfile::tempdir().unwrap();
    let written = |name: &str, content: &[u8]| {
        let file = folder.path().join(name);
        std::fs::write(&file, content).unwrap();
        file
    };
    let long = "canary".repeat(10_000);
    for (file, why) in [
        (folder.path().join("missing"), "cannot be read: No such file"),
        (folder.path().to_owned(), "is not a file"),
        (written("empty", b" \n"), "is empty"),
        (written("binary", b"canary\xff\xfe"), "cannot be read"),
        (written("long", long.as_bytes()), "is too long"),
    ] {
        let (provider, calls) = provider_with(&simulator.url(), Choice::new(web_identity(&file)));
        let error = observe(&provider).await.unwrap_err();
        assert_eq!(told(&error), (ErrorClass::Forbidden, "TokenFileUnreadable"));
        assert!(error.message.contains(&file.display().to_string()), "{error}");
        assert!(error.message.contains(why) && !error.message.contains("canary"), "{error}");
        assert_eq!(names(&calls), []);
    }
}

#[tokio::test]
async fn many_calls_at_once_are_one_session() {
    let simulator = cloud(&[]).await;
    let (_folder, file) = token_file();
    for credential in [assume(ROLE, Some(key("7", SECRET))), web_identity(&file)] {
        let (provider, calls) = provider_with(&simulator.url(), Choice::new(credential));
        let provider = &provider;
        let (a, b, c) = tokio::join!(observe(provider), observe(provider), observe(provider));
        assert!(a.is_ok() && b.is_ok() && c.is_ok());
        let count = |of| names(&calls).into_iter().filter(|name| *name == of).count();
        assert_eq!((count(ASSUME) + count(WEB), count(IDENTITY), count(GET)), (1, 1, 3));
    }
}

#[tokio::test]
async fn an_exchange_that_fails_is_told_and_no_other_credential_is_tried() {
    let fault = |exception: &str| {
        let message = "in these words";
        json!({"operation": "AssumeRole", "effect": "exception", "exception": exception,
               "message": message})
    };
    let faults = [
        fault("AccessDeniedException"),
        fault("ThrottlingException"),
        fault("ServiceUnavailable"),
        // Whatever STS does not find, it is not the resource.
        fault("ResourceNotFoundException"),
        fault("ExpiredTokenException"),
        json!({"operation": "AssumeRole", "effect": "drop-reply"}),
    ];
    let simulator = cloud(&faults).await;
    let choice = Choice::new(assume(ROLE, Some(key("7", SECRET))));
    let (provider, calls) = provider_with(&simulator.url(), choice);
    for (class, code) in [
        (ErrorClass::Forbidden, "AccessDenied"),
        (ErrorClass::Throttled, "Throttling"),
        (ErrorClass::Unreachable, "ServiceUnavailable"),
        (ErrorClass::Forbidden, "ResourceNotFoundException"),
        (ErrorClass::Forbidden, "ExpiredTokenException"),
        (ErrorClass::Unreachable, "ConnectionLost"),
    ] {
        let error = observe(&provider).await.unwrap_err();
        assert_eq!(told(&error), (class, code));
        assert!(error.class.is_definite());
        assert!(code == "ConnectionLost" || error.message == "in these words", "{error}");
    }
    assert_eq!(names(&calls), [ASSUME; 6]);
    observe(&provider).await.unwrap();
    // A key that AWS does not know, and nobody at the endpoint.
    let unknown = assume(ROLE, Some(key("8", SECRET)));
    let (provider, calls) = provider_with(&simulator.url(), Choice::new(unknown));
    let error = observe(&provider).await.unwrap_err();
    assert_eq!(told(&error), (ErrorClass::Forbidden, "InvalidClientTokenId"));
    assert_eq!(names(&calls), [ASSUME]);
    let choice = Choice::new(assume(ROLE, Some(key("7", SECRET))));
    let (provider, _) = provider_with(&nobody(), choice);
    let error = observe(&provider).await.unwrap_err();
    assert_eq!(told(&error), (ErrorClass::Unreachable, "ConnectFailed"));
}

#[tokio::test]
async fn a_credential_that_no_cloud_would_take_is_not_tried() {
    let simulator = cloud(&[]).await;
    for credential in [access_key("", SECRET), assume("deploy", None), access_key("42", "")] {
        let (provider, calls) = provider_with(&simulator.url(), Choice::new(credential));
        let error = observe(&provider).await.unwrap_err();
        assert_eq!(told(&error), (ErrorClass::Forbidden, "CredentialsInvalid"));
        assert_eq!(names(&calls), []);
    }
}

/// A source that cannot say which credential is meant.
#[derive(Debug)]
struct Broken(ErrorClass);

impl CredentialSource for Broken {
    fn credential<'a>(&'a self, _: &'a Place) -> Answer<'a, Option<Chosen>> {
        Box::pin(async {
            Err(ProviderError {
                class: self.0,
                code: "StoreUnreadable".to_owned(),
                message: "the disk is gone".to_owned(),
                retry_after: None,
                blocked_by: None,
            })
        })
    }
}

#[tokio::test]
async fn without_an_answer_which_credential_is_meant_nothing_is_called() {
    let simulator = cloud(&[]).await;
    for (class, told_as) in [
        (ErrorClass::Unanswered, ErrorClass::Unreachable),
        (ErrorClass::NotFound, ErrorClass::Forbidden),
    ] {
        let (provider, calls) = provider_with(&simulator.url(), Arc::new(Broken(class)));
        let error = observe(&provider).await.unwrap_err();
        assert_eq!(told(&error), (told_as, "StoreUnreadable"));
        assert_eq!(names(&calls), []);
    }
}

#[tokio::test]
async fn no_secret_is_shown_by_a_provider_or_its_errors() {
    let simulator = cloud(&[]).await;
    let (_folder, file) = token_file();
    let mut shown = Vec::new();
    for credential in [
        access_key("42", "another"),
        access_key("7", SECRET),
        access_key("42", SECRET),
        assume(ROLE, Some(key("7", SECRET))),
        assume(ROLE, Some(key("8", SECRET))),
        web_identity(&file),
    ] {
        let (provider, _) = provider_with(&simulator.url(), Choice::new(credential));
        let observed = observe(&provider).await;
        let error = observed.as_ref().err().map(ToString::to_string);
        shown.push(format!("{provider:?} {provider:#?} {observed:?} {error:?}"));
    }
    let shown = shown.concat();
    // What was kept is there, without what signs: sessions' tokens begin so.
    assert!(shown.contains("ASIAHANGAR"), "{shown}");
    for secret in [SECRET, "another", TOKEN, "dGhlLXNpZ25hdHVyZQ", "IQoJb3JpZ2luX2Vj"] {
        assert!(!shown.contains(secret), "{secret} in {shown}");
    }
}
