//! What is there: lists of resources, schemas of types, the caller itself.

use std::collections::BTreeMap;

use serde_json::json;

use super::Subject;
use super::claim::{Checking, Claim, is_so, same};

pub(super) const CLAIMS: &[Claim] = &[
    Claim::new("the pages of a list hold each resource once", paged),
    Claim::new("a schema names its type", schema),
    Claim::new("the identity is of the place's account in 12 digits", identity),
];

/// As many as Cloud Control gives at most.
const LIMIT: u32 = 100;

fn paged(subject: &Subject) -> Checking<'_> {
    Box::pin(async move {
        let target = subject.log_groups()?;
        let mut made: BTreeMap<String, usize> = BTreeMap::new();
        for number in 0..subject.more_than_a_page_of_resources {
            let name = subject.name(&format!("listed-{number}"));
            subject.made_log_group(&name).await?;
            made.insert(name, 0);
        }
        let mut next: Option<String> = None;
        let mut pages = 0;
        loop {
            let page = subject.provider.list(&target, None, LIMIT, next.as_deref()).await;
            let page = page.map_err(|error| format!("page {pages} failed: {error}"))?;
            pages += 1;
            for resource in page.resources {
                if let Some(times) = made.get_mut(&resource.identifier) {
                    *times += 1;
                    let name = json!(resource.identifier);
                    same("the listed name", &resource.properties["LogGroupName"], &name)?;
                }
            }
            is_so(page.next.is_none() || page.next != next, "a page names itself as the next")?;
            next = page.next;
            if next.is_none() {
                break;
            }
        }
        is_so(pages > 1, "there is but one page")?;
        let wrong: Vec<_> = made.iter().filter(|(_, times)| **times != 1).collect();
        is_so(wrong.is_empty(), &format!("not listed just once: {wrong:?}"))
    })
}

fn schema(subject: &Subject) -> Checking<'_> {
    Box::pin(async move {
        let target = subject.networks()?;
        let schema = subject.provider.describe_type(&target).await;
        let schema = schema.map_err(|error| error.to_string())?;
        same("`typeName`", &schema["typeName"], &json!(target.type_name.cloud_formation()))?;
        is_so(schema["properties"].is_object(), "the schema has no properties")
    })
}

fn identity(subject: &Subject) -> Checking<'_> {
    Box::pin(async move {
        let identity = subject.provider.identity(&subject.place).await;
        let identity = identity.map_err(|error| error.to_string())?;
        same("the account", &identity.account, &subject.place.account.padded())?;
        is_so(identity.arn.contains(&identity.account), "the ARN is of another account")
    })
}
