//! Real AWS as far as one gets without it: the machine's credentials, and the first call.
//!
//! The credential chain reads the environment, which a test must not change for the others: each of
//! these tests runs itself anew as a process with an environment of its own.

use std::process::{Command, Output};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hangar_provider::{Answer, Chosen, Credential, CredentialSource, Place, Provider};
use hangar_provider_aws::{AwsProvider, CallName, Endpoint, Options, Timeouts};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::cloud::{VPC, nobody, target};

/// Set in a process that a test below has started.
const STARTED: &str = "HANGAR_TEST_ONE_CALL";
/// The role that such a process is to assume by itself, if any.
const ROLE: &str = "HANGAR_TEST_ROLE";

/// A role for every place.
#[derive(Debug)]
struct Role(String);

impl CredentialSource for Role {
    fn credential<'a>(&'a self, _: &'a Place) -> Answer<'a, Option<Chosen>> {
        let credential = Credential::AssumeRole {
            role_arn: self.0.clone(),
            external_id: None,
            session_name: None,
            source: None,
        };
        Box::pin(async { Ok(Some(Chosen { credential, revision: "1".to_owned() })) })
    }
}

/// What such a process does, and this one does not: one call for account 111122223333, its error to
/// stdout.
#[tokio::test]
async fn one_call() {
    if std::env::var_os(STARTED).is_none() {
        return;
    }
    let calls: Arc<Mutex<Vec<CallName>>> = Arc::default();
    let heard = Arc::clone(&calls);
    let provider = AwsProvider::new(Options {
        endpoint: Endpoint::Real,
        timeouts: Timeouts { connect: Duration::from_secs(3), operation: Duration::from_secs(10) },
        on_call: Some(Arc::new(move |record| heard.lock().unwrap().push(record.call))),
        credentials: std::env::var(ROLE).ok().map(|role| Arc::new(Role(role)) as _),
        ..Options::default()
    });
    let mut vpcs = target(VPC);
    vpcs.place.account = "111122223333".parse().unwrap();
    let error = provider.delete(&vpcs, "vpc-1", "t").await.unwrap_err();
    println!("«{:?} {} {:?}» {error}", error.class, error.code, calls.lock().unwrap());
}

/// What such a process does, and this one does not: asks where the machine is.
#[tokio::test]
async fn one_question() {
    if std::env::var_os(STARTED).is_none() {
        return;
    }
    let timeouts = Timeouts { connect: Duration::from_secs(3), operation: Duration::from_secs(10) };
    let provider = AwsProvider::new(Options { timeouts, ..Options::default() });
    let error = provider.whereabouts().await.unwrap_err();
    println!("«{:?} {}» {error}", error.class, error.code);
}

async fn run(environment: &[(&str, &str)]) -> String {
    run_test("real::one_call", environment).await
}

async fn run_test(test: &str, environment: &[(&str, &str)]) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([test, "--exact", "--nocapture"])
        .env_clear()
        .env(STARTED, "1")
        .env("HOME", "/nonexistent")
        .env("AWS_EC2_METADATA_DISABLED", "true")
        .envs(environment.iter().copied());
    let ran = tokio::task::spawn_blocking(move || command.output()).await.unwrap();
    let Output { stdout, stderr, .. } = ran.unwrap();
    let (stdout, stderr) = (String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap());
    assert!(!stdout.contains("very-secret") && !stderr.contains("very-secret"));
    let told = stdout.split_once('«').and_then(|(_, rest)| rest.split_once('»'));
    told.unwrap_or_else(|| panic!("{stdout}\n{stderr}")).0.to_owned()
}

#[tokio::test]
async fn without_credentials_nothing_is_called() {
    assert_eq!(run(&[]).await, "Forbidden CredentialsNotFound []");
}

/// A proxy that lets nothing through, and the first line that it is asked.
async fn proxy() -> (String, JoinHandle<String>) {
    let proxy = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", proxy.local_addr().unwrap());
    let asked = tokio::spawn(async move {
        let (mut stream, _) = proxy.accept().await.unwrap();
        let mut line = String::new();
        BufReader::new(&mut stream).read_line(&mut line).await.unwrap();
        stream.write_all(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n").await.unwrap();
        line
    });
    (url, asked)
}

#[tokio::test]
async fn a_role_is_assumed_at_sts_of_the_region_with_what_the_machine_has() {
    let role = "arn:aws:iam::111122223333:role/deploy";
    assert_eq!(run(&[(ROLE, role)]).await, "Forbidden CredentialsNotFound []");
    let (url, asked) = proxy().await;
    let keys = [
        ("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE"),
        ("AWS_SECRET_ACCESS_KEY", "very-secret"),
        ("HTTPS_PROXY", &url),
        (ROLE, role),
    ];
    assert_eq!(run(&keys).await, "Unreachable ConnectFailed [AssumeRole]");
    let line = asked.await.unwrap();
    assert!(line.starts_with("CONNECT sts.eu-central-1.amazonaws.com:443 "), "{line}");
    let other = [(ROLE, "arn:aws:iam::999999999999:role/deploy")];
    assert_eq!(run(&other).await, "Forbidden AccountMismatch []");
}

#[tokio::test]
async fn the_first_call_asks_sts_of_the_region_who_the_credentials_are() {
    let (url, asked) = proxy().await;
    let keys = [
        ("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE"),
        ("AWS_SECRET_ACCESS_KEY", "very-secret"),
        ("HTTPS_PROXY", &url),
    ];
    assert_eq!(run(&keys).await, "Unreachable ConnectFailed [GetCallerIdentity]");
    let line = asked.await.unwrap();
    assert!(line.starts_with("CONNECT sts.eu-central-1.amazonaws.com:443 "), "{line}");
}

#[tokio::test]
async fn who_the_machine_is_is_asked_in_the_region_that_it_is_set_up_for() {
    let question = "real::one_question";
    assert_eq!(run_test(question, &[]).await, "Forbidden CredentialsNotFound");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config");
    std::fs::write(&file, "[profile work]\nregion = ap-south-2\n").unwrap();
    let file = file.to_str().unwrap();
    let profile = [("AWS_CONFIG_FILE", file), ("AWS_PROFILE", "work")];
    for (settings, region) in [
        (&[][..], "us-east-1"),
        (&profile[..], "ap-south-2"),
        (&[("AWS_REGION", "eu-north-1")][..], "eu-north-1"),
    ] {
        let (url, asked) = proxy().await;
        let keys = [
            ("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE"),
            ("AWS_SECRET_ACCESS_KEY", "very-secret"),
            ("HTTPS_PROXY", url.as_str()),
        ];
        let environment = [&keys[..], settings].concat();
        assert_eq!(run_test(question, &environment).await, "Unreachable ConnectFailed");
        let line = asked.await.unwrap();
        assert!(line.starts_with(&format!("CONNECT sts.{region}.amazonaws.com:443 ")), "{line}");
    }
    let wrong = [("AWS_REGION", "the moon")];
    assert_eq!(run_test(question, &wrong).await, "Refused InvalidRegion");
}

#[tokio::test]
async fn a_profile_of_the_machine_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("credentials");
    let text = "[work]\naws_access_key_id = AKIAEXAMPLE\naws_secret_access_key = very-secret\n";
    std::fs::write(&file, text).unwrap();
    let (file, proxy) = (file.to_str().unwrap().to_owned(), nobody());
    let environment = [
        ("AWS_SHARED_CREDENTIALS_FILE", file.as_str()),
        ("AWS_PROFILE", "work"),
        ("HTTPS_PROXY", &proxy),
    ];
    assert_eq!(run(&environment).await, "Unreachable ConnectFailed [GetCallerIdentity]");
    let wrong = [("AWS_SHARED_CREDENTIALS_FILE", file.as_str()), ("AWS_PROFILE", "play")];
    assert_eq!(run(&wrong).await, "Forbidden ProfileNotFound []");
}
