//! The life of a resource: made, seen, changed, deleted.

use serde_json::json;

use super::Subject;
use super::claim::{Checking, Claim, failed, is_so, log_group, network, same};
use crate::{ErrorClass, Observation, RequestVerb};

pub(super) const CLAIMS: &[Claim] = &[
    Claim::new("a create that ends well gives an identifier", create_gives_an_identifier),
    Claim::new("what was made is present with its properties", made_is_present),
    Claim::new("what was never made is absent", never_made_is_absent),
    Claim::new("an update changes what its patch names and nothing else", update_changes_that),
    Claim::new("what was deleted is absent", deleted_is_absent),
    Claim::new("a delete of what is not there is not found", delete_of_nothing),
    Claim::new("an update of what is not there is not found", update_of_nothing),
    Claim::new("a request that a handler cannot fulfil fails with its code", handler_fails),
];

fn create_gives_an_identifier(subject: &Subject) -> Checking<'_> {
    Box::pin(async move {
        let (target, token) = (subject.networks()?, subject.name("identifier"));
        let begun = subject.provider.create(&target, &network(), &token).await;
        let begun = begun.map_err(|error| error.to_string())?;
        is_so(!begun.request_token.is_empty(), "the request has no token")?;
        same("the verb", &begun.verb, &RequestVerb::Create)?;
        same("the type", &begun.type_name, &target.type_name.cloud_formation())?;
        let ended = subject.ended(&begun).await?;
        is_so(ended.event_at_micros.is_some_and(|at| at > 0), "the request has no time")?;
        let identifier = subject.succeeded(&begun).await?;
        is_so(!identifier.is_empty(), "the identifier is empty")
    })
}

fn made_is_present(subject: &Subject) -> Checking<'_> {
    Box::pin(async move {
        let (target, name) = (subject.log_groups()?, subject.name("present"));
        subject.made_log_group(&name).await?;
        let properties = subject.read(&target, &name).await?;
        for (member, value) in [("LogGroupName", json!(name)), ("RetentionInDays", json!(30))] {
            same(member, &properties[member], &value)?;
        }
        Ok(())
    })
}

fn never_made_is_absent(subject: &Subject) -> Checking<'_> {
    Box::pin(async move {
        let name = subject.name("never-made");
        let observed = subject.provider.observe(&subject.log_groups()?, &name).await;
        same("the observation", &observed, &Ok(Observation::Absent))
    })
}

fn update_changes_that(subject: &Subject) -> Checking<'_> {
    Box::pin(async move {
        let (target, name) = (subject.log_groups()?, subject.name("changed"));
        subject.made_log_group(&name).await?;
        let mut before = subject.read(&target, &name).await?;
        let patch = json!([{"op": "replace", "path": "/RetentionInDays", "value": 60}]);
        let token = subject.name("change");
        let begun = subject.provider.update(&target, &name, &patch, &token).await;
        let begun = begun.map_err(|error| error.to_string())?;
        same("the verb", &begun.verb, &RequestVerb::Update)?;
        same("the identifier", &subject.succeeded(&begun).await?, &name)?;
        before["RetentionInDays"] = json!(60);
        same("the properties", &subject.read(&target, &name).await?, &before)
    })
}

fn deleted_is_absent(subject: &Subject) -> Checking<'_> {
    Box::pin(async move {
        let (target, name) = (subject.log_groups()?, subject.name("deleted"));
        subject.made_log_group(&name).await?;
        let begun = subject.provider.delete(&target, &name, &subject.name("delete")).await;
        let begun = begun.map_err(|error| error.to_string())?;
        same("the verb", &begun.verb, &RequestVerb::Delete)?;
        subject.succeeded(&begun).await?;
        let observed = subject.provider.observe(&target, &name).await;
        same("the observation", &observed, &Ok(Observation::Absent))
    })
}

fn delete_of_nothing(subject: &Subject) -> Checking<'_> {
    Box::pin(async move {
        let (target, name) = (subject.log_groups()?, subject.name("nothing"));
        let begun = subject.provider.delete(&target, &name, &name).await;
        // A cloud may find it out at once or later.
        match begun {
            Ok(begun) => {
                let code = subject.ended(&begun).await?.error_code.map(|code| code.0);
                same("the error code", &code.as_deref(), &Some("NotFound"))
            }
            refused => failed(refused, ErrorClass::NotFound).map(|_| ()),
        }
    })
}

fn update_of_nothing(subject: &Subject) -> Checking<'_> {
    Box::pin(async move {
        let (target, name) = (subject.log_groups()?, subject.name("no-update"));
        let patch = json!([{"op": "add", "path": "/RetentionInDays", "value": 60}]);
        match subject.provider.update(&target, &name, &patch, &name).await {
            Ok(begun) => {
                let code = subject.ended(&begun).await?.error_code.map(|code| code.0);
                same("the error code", &code.as_deref(), &Some("NotFound"))
            }
            refused => failed(refused, ErrorClass::NotFound).map(|_| ()),
        }
    })
}

fn handler_fails(subject: &Subject) -> Checking<'_> {
    Box::pin(async move {
        let (target, name) = (subject.log_groups()?, subject.name("twice"));
        subject.made_log_group(&name).await?;
        let token = subject.name("twice-again");
        match subject.provider.create(&target, &log_group(&name), &token).await {
            Ok(begun) => {
                let ended = subject.ended(&begun).await?;
                let code = ended.error_code.map(|code| code.0);
                same("the error code", &code.as_deref(), &Some("AlreadyExists"))?;
                is_so(ended.message.is_some(), "the failure has no message")
            }
            refused => failed(refused, ErrorClass::Refused).map(|_| ()),
        }
    })
}
