//! Client tokens: the same one is the same request, however often it is sent.

use serde_json::json;

use super::Subject;
use super::claim::{Checking, Claim, failed, network, same};
use crate::ErrorClass;

pub(super) const CLAIMS: &[Claim] = &[
    Claim::new("a create sent again with its token is the same request", create_again),
    Claim::new("an update sent again with its token is the same request", update_again),
    Claim::new("a delete sent again with its token is the same request", delete_again),
    Claim::new("a token with another document is a conflict", another_document),
    Claim::new("a token of another place is another request", another_place),
];

fn create_again(subject: &Subject) -> Checking<'_> {
    Box::pin(async move {
        let (target, token) = (subject.networks()?, subject.name("again"));
        let create = async || {
            let begun = subject.provider.create(&target, &network(), &token).await;
            begun.map_err(|error| error.to_string())
        };
        let first = create().await?;
        let second = create().await?;
        same("the request token", &second.request_token, &first.request_token)?;
        let made = subject.succeeded(&first).await?;
        // Once more when it is over: that is what recovery after a crash does.
        let third = create().await?;
        same("the request token", &third.request_token, &first.request_token)?;
        same("the identifier", &subject.succeeded(&third).await?, &made)
    })
}

fn update_again(subject: &Subject) -> Checking<'_> {
    Box::pin(async move {
        let (target, name) = (subject.log_groups()?, subject.name("update-again"));
        subject.made_log_group(&name).await?;
        let patch = json!([{"op": "replace", "path": "/RetentionInDays", "value": 60}]);
        let token = subject.name("update-token");
        let update = async || {
            let begun = subject.provider.update(&target, &name, &patch, &token).await;
            begun.map_err(|error| error.to_string())
        };
        let first = update().await?;
        subject.succeeded(&first).await?;
        same("the request token", &update().await?.request_token, &first.request_token)
    })
}

fn delete_again(subject: &Subject) -> Checking<'_> {
    Box::pin(async move {
        let (target, name) = (subject.log_groups()?, subject.name("delete-again"));
        subject.made_log_group(&name).await?;
        let token = subject.name("delete-token");
        let delete = async || {
            let begun = subject.provider.delete(&target, &name, &token).await;
            begun.map_err(|error| error.to_string())
        };
        let first = delete().await?;
        subject.succeeded(&first).await?;
        // Though there is nothing left to delete.
        same("the request token", &delete().await?.request_token, &first.request_token)
    })
}

fn another_document(subject: &Subject) -> Checking<'_> {
    Box::pin(async move {
        let (target, token) = (subject.networks()?, subject.name("conflict"));
        subject.made(&target, &network(), &token).await?;
        let other = json!({"CidrBlock": "10.9.0.0/16"});
        let refused = subject.provider.create(&target, &other, &token).await;
        failed(refused, ErrorClass::TokenConflict).map(|_| ())
    })
}

fn another_place(subject: &Subject) -> Checking<'_> {
    Box::pin(async move {
        let (target, token) = (subject.networks()?, subject.name("place"));
        let mut elsewhere = target.clone();
        let region =
            if target.place.region.as_str() == "eu-west-1" { "us-east-1" } else { "eu-west-1" };
        elsewhere.place.region = region.parse().map_err(|wrong| format!("{wrong:?}"))?;
        let first = subject.provider.create(&target, &network(), &token).await;
        let first = first.map_err(|error| error.to_string())?;
        subject.succeeded(&first).await?;
        let second = subject.provider.create(&elsewhere, &network(), &token).await;
        let second = second.map_err(|error| error.to_string())?;
        let polled = subject.provider.poll(&target.place, &second.request_token).await;
        failed(polled, ErrorClass::UnknownRequest).map(|_| ())
    })
}
