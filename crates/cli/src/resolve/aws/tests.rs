//! The simulator of a directory, run for the time of a command.

use hangar_ids::{AccountId, Region};
use hangar_provider::{Place, Provider};

use super::*;
use crate::embedded::lock::Attempt;

fn place() -> Place {
    Place {
        plane: "aws".to_owned(),
        account: AccountId::parse("42").unwrap(),
        region: Region::parse("eu-west-1").unwrap(),
    }
}

async fn is_answered(reached: &Reached) -> bool {
    let provider = reached.provider(&AwsClient::default());
    provider.identity(&place()).await.is_ok_and(|identity| identity.account == "000000000042")
}

#[tokio::test]
async fn a_question_to_a_simulator_that_was_never_used_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let dir = DataDir::new(folder.path().join("d"));
    let reached = Wanted::Simulator.reach(&dir, Trace::None).await.unwrap();
    assert!(is_answered(&reached).await);
    reached.close().await.unwrap();
    assert!(!dir.path().exists());
}

#[tokio::test]
async fn a_write_leaves_a_state_and_says_which_aws_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let dir = DataDir::new(folder.path().join("d"));
    let reached = Wanted::Simulator.reach(&dir, Trace::State).await.unwrap();
    assert!(is_answered(&reached).await);
    // Nobody else can run it meanwhile.
    assert!(matches!(Lock::try_take(&dir.lock()).unwrap(), Attempt::Held(_)));
    reached.close().await.unwrap();
    assert!(dir.simulator().exists());
    assert_eq!(dir.read_aws().unwrap(), Some(Aws::Simulator));
    // A question afterwards is for that state, with the lock, and without a note for later.
    let wanted =
        asked(None, None, (&dir, DirectoryOrigin::Implied), &AwsClient::default()).await.unwrap();
    assert_eq!(wanted, Wanted::Simulator);
    let reached = wanted.reach(&dir, Trace::None).await.unwrap();
    assert!(matches!(Lock::try_take(&dir.lock()).unwrap(), Attempt::Held(_)));
    assert!(reached.note().unwrap().contains("simulator.db"));
    reached.close().await.unwrap();
    // A program that another test starts has a copy of the open lock until it runs.
    assert!(take_over(&dir, PATIENCE).await.is_ok());
}

#[tokio::test]
async fn an_endpoint_is_used_as_it_is_and_aws_has_no_note() {
    let dir = DataDir::new("nowhere");
    let url = "http://127.0.0.1:4566";
    let reached = Wanted::Endpoint(url.to_owned()).reach(&dir, Trace::None).await.unwrap();
    assert_eq!(*reached.endpoint(), Endpoint::Custom(url.parse().unwrap()));
    assert_eq!(reached.note(), Some("AWS is http://127.0.0.1:4566"));
    let reached = Wanted::Real.reach(&dir, Trace::None).await.unwrap();
    assert_eq!((reached.endpoint(), reached.note()), (&Endpoint::Real, None));
}
