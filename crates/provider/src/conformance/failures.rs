//! What goes wrong, and that each failure is told for what it is.

use serde_json::json;

use super::Subject;
use super::claim::{Checking, Claim, failed, is_so, network};
use crate::{ErrorClass, RequestFilter};

pub(super) const CLAIMS: &[Claim] = &[
    Claim::new("an unknown type is unsupported", unknown_type),
    Claim::new("a document that breaks the schema is refused or fails", wrong_document),
    Claim::new("where nobody listens every call is unreachable", unreachable),
];

fn unknown_type(subject: &Subject) -> Checking<'_> {
    Box::pin(async move {
        let (target, token) = (subject.target("AWS::Nowhere::Thing")?, subject.name("unknown"));
        let provider = &subject.provider;
        failed(provider.observe(&target, "a").await, ErrorClass::Unsupported)?;
        failed(provider.create(&target, &json!({}), &token).await, ErrorClass::Unsupported)?;
        failed(provider.list(&target, None, 10, None).await, ErrorClass::Unsupported)?;
        failed(provider.describe_type(&target).await, ErrorClass::Unsupported)?;
        Ok(())
    })
}

fn wrong_document(subject: &Subject) -> Checking<'_> {
    Box::pin(async move {
        let (target, token) = (subject.log_groups()?, subject.name("wrong"));
        let wrong = json!({"LogGroupName": subject.name("wrong"), "RetentionInDays": "often"});
        match subject.provider.create(&target, &wrong, &token).await {
            Ok(begun) => {
                let ended = subject.ended(&begun).await?;
                is_so(ended.error_code.is_some(), "a wrong document was taken")
            }
            refused => {
                let error = failed(refused, ErrorClass::Refused)?;
                is_so(!error.message.is_empty(), "the refusal does not say why")
            }
        }
    })
}

fn unreachable(subject: &Subject) -> Checking<'_> {
    Box::pin(async move {
        let (provider, place) = (&subject.unreachable, &subject.place);
        let (target, class) = (subject.networks()?, ErrorClass::Unreachable);
        let (filter, token) = (RequestFilter::default(), subject.name("nobody"));
        failed(provider.observe(&target, "a").await, class)?;
        failed(provider.create(&target, &network(), &token).await, class)?;
        failed(provider.update(&target, "a", &json!([]), &token).await, class)?;
        failed(provider.delete(&target, "a", &token).await, class)?;
        failed(provider.poll(place, &token).await, class)?;
        failed(provider.requests(place, &filter, None).await, class)?;
        failed(provider.cancel(place, &token).await, class)?;
        failed(provider.list(&target, None, 10, None).await, class)?;
        failed(provider.describe_type(&target).await, class)?;
        failed(provider.identity(place).await, class)?;
        Ok(())
    })
}
