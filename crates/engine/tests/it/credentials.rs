//! Credentials: sealed in the store, chosen by plane and account, checked before any call.

use std::collections::BTreeMap;

use hangar_engine::{CredentialAsk, Submission};
use hangar_plan::operation::SuccessKind;
use hangar_plan::record::{CredentialName, Subject};
use hangar_provider::{AccessKey, Credential, SecretText};
use hangar_store::Expect;

use crate::plane::{Plane, VPC, done, put, subject, vpc};

const CANARY: &str = "canary-77aa10-secret";

fn name(name: &str) -> CredentialName {
    CredentialName { plane: "aws".to_owned(), name: name.to_owned() }
}

fn ask(of: &str, credential: Credential) -> CredentialAsk {
    CredentialAsk { name: name(of), location: None, tags: BTreeMap::new(), credential }
}

fn key(account: &str, secret: &str) -> Credential {
    Credential::AccessKey(AccessKey {
        access_key_id: account.to_owned(),
        secret_access_key: SecretText::new(secret),
        session_token: None,
    })
}

fn in_account(account: &str, alias: &str) -> Submission {
    let mut subject: Subject = subject(VPC, alias);
    subject.scope.account = account.parse().unwrap();
    Submission::new(subject, put(vpc(true)))
}

async fn made_in(plane: &Plane, account: &str) -> usize {
    let path = format!("resources?type=AWS::EC2::VPC&account={account}&region=eu-central-1");
    let listed = plane.control("GET", &path, serde_json::Value::Null).await;
    listed["resources"].as_array().unwrap().len()
}

#[tokio::test]
async fn a_role_is_assumed_for_its_account_and_the_key_of_another_is_refused() {
    let plane = Plane::start().await;
    let role = Credential::AssumeRole {
        role_arn: "arn:aws:iam::111122223333:role/hangar".to_owned(),
        external_id: None,
        session_name: None,
        source: None,
    };
    plane.engine.credential_put(ask("111122223333", role), Expect::Any).await.unwrap();
    let accepted = plane.engine.submit(in_account("111122223333", "a")).await.unwrap();
    assert_eq!(done(&plane.finish(accepted).await), SuccessKind::Created);
    assert_eq!(made_in(&plane, "111122223333").await, 1);
    assert_eq!(plane.calls("AssumeRole").await, 1);

    // A key that answers for another account is not used, and nothing is made anywhere.
    plane
        .engine
        .credential_put(ask("default", key("999900009999", "simulator")), Expect::Any)
        .await
        .unwrap();
    let writes = plane.writes().await;
    let accepted = plane.engine.submit(in_account("444455556666", "b")).await.unwrap();
    let record = plane.finish(accepted).await;
    assert_eq!(crate::plane::failure(&record).code, "AccountMismatch");
    assert_eq!(plane.writes().await, writes);
    assert_eq!(made_in(&plane, "444455556666").await, 0);
    assert_eq!(made_in(&plane, "999900009999").await, 0);
}

#[tokio::test]
async fn a_secret_is_in_no_file_and_in_nothing_that_is_shown() {
    let plane = Plane::start().await;
    let kept =
        plane.engine.credential_put(ask("42", key("42", CANARY)), Expect::Any).await.unwrap();
    assert_eq!(kept.shown["accessKeyId"], "42");
    assert!(!format!("{kept:?} {}", kept.shown).contains("canary"));
    let found = plane.store.credential_find(&name("42")).await.unwrap().unwrap();
    assert!(!String::from_utf8_lossy(&found.sealed).contains("canary"));
    for (path, bytes) in plane.files() {
        assert!(!bytes.windows(13).any(|it| it == b"canary-77aa10"), "{}", path.display());
    }
    assert!(plane.engine.credential_remove(&name("42"), Expect::Any).await.unwrap());
    assert!(!plane.engine.credential_remove(&name("42"), Expect::Any).await.unwrap());
}
