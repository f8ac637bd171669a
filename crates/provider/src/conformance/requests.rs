//! Requests after they were accepted: asked about, listed, stopped.

use std::collections::BTreeMap;

use super::Subject;
use super::claim::{Checking, Claim, failed, is_so, log_group, network, same};
use crate::{ErrorClass, Progress, RequestFilter, RequestState, RequestVerb};

pub(super) const CLAIMS: &[Claim] = &[
    Claim::new("a poll of an unknown token is an unknown request", unknown_poll),
    Claim::new("a cancel of an unknown token is an unknown request", unknown_cancel),
    Claim::held("a request that is cancelled ends as cancelled", cancelled),
    Claim::held("a second write on what is being made is busy and names the first", busy),
    Claim::held("an open request is listed as open", open_is_listed),
    Claim::new("the requests hold what was made, by verb and by state", listed_and_filtered),
    Claim::new("the pages of the requests hold each of them once", paged),
];

const UNKNOWN: &str = "00000000-0000-4000-8000-000000000000";

fn unknown_poll(subject: &Subject) -> Checking<'_> {
    Box::pin(async move {
        let polled = subject.provider.poll(&subject.place, UNKNOWN).await;
        failed(polled, ErrorClass::UnknownRequest).map(|_| ())
    })
}

fn unknown_cancel(subject: &Subject) -> Checking<'_> {
    Box::pin(async move {
        let cancelled = subject.provider.cancel(&subject.place, UNKNOWN).await;
        failed(cancelled, ErrorClass::UnknownRequest).map(|_| ())
    })
}

fn cancelled(subject: &Subject) -> Checking<'_> {
    Box::pin(async move {
        let (target, token) = (subject.networks()?, subject.name("cancel"));
        let begun = subject.provider.create(&target, &network(), &token).await;
        let begun = begun.map_err(|error| error.to_string())?;
        is_so(!begun.state.is_terminal(), "the request ended though it is held")?;
        let answer = subject.provider.cancel(&subject.place, &begun.request_token).await;
        let answer = answer.map_err(|error| error.to_string())?;
        same("the request token", &answer.request_token, &begun.request_token)?;
        let states = [RequestState::CancelInProgress, RequestState::Canceled];
        is_so(states.contains(&answer.state), "the request is not being cancelled")?;
        same("the state", &subject.ended(&begun).await?.state, &RequestState::Canceled)
    })
}

fn busy(subject: &Subject) -> Checking<'_> {
    Box::pin(async move {
        let (target, name) = (subject.log_groups()?, subject.name("busy"));
        let begun = subject.provider.create(&target, &log_group(&name), &name).await;
        let begun = begun.map_err(|error| error.to_string())?;
        let token = subject.name("busy-too");
        let second = subject.provider.create(&target, &log_group(&name), &token).await;
        let refused = failed(second, ErrorClass::Busy)?;
        same("who stands in the way", &refused.blocked_by, &Some(begun.request_token))
    })
}

fn open_is_listed(subject: &Subject) -> Checking<'_> {
    Box::pin(async move {
        let (target, token) = (subject.networks()?, subject.name("open"));
        let begun = subject.provider.create(&target, &network(), &token).await;
        let begun = begun.map_err(|error| error.to_string())?;
        let states = vec![RequestState::Pending, RequestState::InProgress];
        let open = all(subject, &RequestFilter { verbs: Vec::new(), states }).await?;
        let found = open.iter().any(|it| it.request_token == begun.request_token);
        is_so(found, "the open request is not listed")
    })
}

fn listed_and_filtered(subject: &Subject) -> Checking<'_> {
    Box::pin(async move {
        let (target, name) = (subject.log_groups()?, subject.name("filtered"));
        let created = subject.provider.create(&target, &log_group(&name), &name).await;
        let created = created.map_err(|error| error.to_string())?;
        subject.succeeded(&created).await?;
        let deleted = subject.provider.delete(&target, &name, &subject.name("filter")).await;
        let deleted = deleted.map_err(|error| error.to_string())?;
        subject.succeeded(&deleted).await?;
        let (created, deleted) = (created.request_token, deleted.request_token);

        let verbs = |verbs: &[RequestVerb]| verbs.to_vec();
        let states = |states: &[RequestState]| states.to_vec();
        for (verbs, states, has_created, has_deleted) in [
            (verbs(&[]), states(&[]), true, true),
            (verbs(&[RequestVerb::Create]), states(&[]), true, false),
            (verbs(&[RequestVerb::Delete]), states(&[RequestState::Success]), false, true),
            (verbs(&[]), states(&[RequestState::Failed, RequestState::Pending]), false, false),
        ] {
            let filter = RequestFilter { verbs, states };
            let found = all(subject, &filter).await?;
            let has = |token: &String| found.iter().any(|it| it.request_token == *token);
            let what = format!("whether {filter:?} holds the create and the delete");
            same(&what, &(has(&created), has(&deleted)), &(has_created, has_deleted))?;
            let is_wanted = |it: &Progress| {
                (filter.verbs.is_empty() || filter.verbs.contains(&it.verb))
                    && (filter.states.is_empty() || filter.states.contains(&it.state))
            };
            is_so(found.iter().all(is_wanted), &format!("{filter:?} holds what it leaves out"))?;
        }
        Ok(())
    })
}

fn paged(subject: &Subject) -> Checking<'_> {
    Box::pin(async move {
        let target = subject.networks()?;
        let mut made: BTreeMap<String, usize> = BTreeMap::new();
        for number in 0..subject.more_than_a_page_of_requests {
            let token = subject.name(&format!("page-{number}"));
            let begun = subject.provider.create(&target, &network(), &token).await;
            made.insert(begun.map_err(|error| error.to_string())?.request_token, 0);
        }
        let filter = RequestFilter::default();
        let first = subject.provider.requests(&subject.place, &filter, None).await;
        let first = first.map_err(|error| error.to_string())?;
        is_so(first.next.is_some(), "there is but one page")?;
        for request in all(subject, &filter).await? {
            if let Some(times) = made.get_mut(&request.request_token) {
                *times += 1;
            }
        }
        let wrong: Vec<_> = made.iter().filter(|(_, times)| **times != 1).collect();
        is_so(wrong.is_empty(), &format!("not listed just once: {wrong:?}"))
    })
}

/// The requests of all pages.
async fn all(subject: &Subject, filter: &RequestFilter) -> Result<Vec<Progress>, String> {
    let mut found = Vec::new();
    let mut next: Option<String> = None;
    loop {
        let page = subject.provider.requests(&subject.place, filter, next.as_deref()).await;
        let page = page.map_err(|error| format!("a page of requests failed: {error}"))?;
        found.extend(page.requests);
        if page.next.is_some() && page.next == next {
            return Err("a page names itself as the next one".to_owned());
        }
        next = page.next;
        if next.is_none() {
            return Ok(found);
        }
    }
}
