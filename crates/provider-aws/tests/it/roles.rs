//! Calls as a role on top of what the process has, and where the process is.

use std::collections::HashMap;

use hangar_provider::{ErrorClass, Observation, Place, Provider};
use hangar_provider_aws::{AwsProvider, CallName, Endpoint, Options, Whereabouts};
use serde_json::json;

use crate::cloud::{VPC, nobody, place, provider, simulator, simulator_of, target};

const ROLE: &str = "arn:aws:iam::000000000042:role/cdk-hnb659fds-lookup-role-42-eu-central-1";

#[tokio::test]
async fn a_role_that_is_named_is_assumed_with_what_the_process_has() {
    // The simulator knows no other key, so nothing but a session of the role can be meant.
    let keys = HashMap::from([("42".to_owned(), "simulator".to_owned())]);
    let simulator = simulator_of(keys, &[]).await;
    let (plain, calls) = provider(&simulator.url());
    let role = plain.as_role(ROLE).unwrap();
    assert_eq!(role.observe(&target(VPC), "vpc-1").await, Ok(Observation::Absent));
    let identity = role.identity(&place()).await.unwrap();
    assert_eq!(
        identity.arn,
        "arn:aws:sts::000000000042:assumed-role/cdk-hnb659fds-lookup-role-42-eu-central-1/hangar"
    );
    // The same place without the role is the account itself, also afterwards.
    let identity = plain.identity(&place()).await.unwrap();
    assert_eq!(identity.arn, "arn:aws:iam::000000000042:user/simulator");
    let made: Vec<CallName> = calls.lock().unwrap().iter().map(|(name, _)| *name).collect();
    let (assume, identity) = (CallName::AssumeRole, CallName::GetCallerIdentity);
    assert_eq!(made, [assume, identity, CallName::GetResource, identity, identity]);
}

#[tokio::test]
async fn what_a_role_makes_is_in_its_account() {
    let simulator = simulator(&[]).await;
    let (plain, _) = provider(&simulator.url());
    let role = plain.as_role(ROLE).unwrap();
    let groups = target("AWS::Logs::LogGroup");
    role.create(&groups, &json!({"LogGroupName": "a"}), "t").await.unwrap();
    assert_ne!(plain.observe(&groups, "a").await, Ok(Observation::Absent));
}

#[tokio::test]
async fn a_role_of_another_account_is_refused_before_any_call() {
    let (plain, calls) = provider(&nobody());
    let role = plain.as_role("arn:aws:iam::999999999999:role/lookup").unwrap();
    let error = role.stack(&place(), "Storage").await.unwrap_err();
    assert_eq!((error.class, error.code.as_str()), (ErrorClass::Forbidden, "AccountMismatch"));
    assert!(calls.lock().unwrap().is_empty());
}

#[tokio::test]
async fn what_is_no_role_is_refused_when_it_is_named() {
    let (plain, _) = provider(&nobody());
    for text in ["", "lookup", "arn:aws:iam::1:user/me", "arn:aws:s3:::a"] {
        let error = plain.as_role(text).unwrap_err();
        assert_eq!(error.code, "CredentialsInvalid", "{text}");
        assert!(error.message.contains(text), "{error}");
    }
}

async fn whereabouts(region: Option<&str>) -> Result<Whereabouts, hangar_provider::ProviderError> {
    // Nobody is asked.
    let endpoint = Endpoint::Custom(nobody().parse().unwrap());
    let region = region.map(str::to_owned);
    AwsProvider::new(Options { endpoint, region, ..Options::default() }).whereabouts().await
}

#[tokio::test]
async fn an_endpoint_of_our_own_has_an_account_and_a_region_for_everybody() {
    let usual = whereabouts(None).await.unwrap();
    assert_eq!(usual.account, "000000000000");
    assert_eq!(usual.region.as_deref(), Some("us-east-1"));
    assert_eq!(usual.arn, "arn:aws:iam::000000000000:user/simulator");
    // What can be called with it is a place.
    let place = Place {
        plane: "aws".to_owned(),
        account: usual.account.parse().unwrap(),
        region: usual.region.unwrap().parse().unwrap(),
    };
    let simulator = simulator(&[]).await;
    let (provider, _) = provider(&simulator.url());
    assert_eq!(provider.identity(&place).await.unwrap().account, "000000000000");
    let stated = whereabouts(Some("eu-west-1")).await.unwrap();
    assert_eq!(stated.region.as_deref(), Some("eu-west-1"));
    let error = whereabouts(Some("the moon")).await.unwrap_err();
    assert!(error.code == "InvalidRegion" && error.message.contains("`the moon`"), "{error}");
}
