//! Searches for what creates with lost answers may have made: by the list of requests, and by the marker tag.
//!
//! A hit is proof: a resource that carries the tag of one of the operations. `Nothing` is proof too, of
//! what has happened until now: no request of that type is left whose resource could be ours. All else
//! is undecided.

use std::collections::HashSet;
use std::time::Duration;

use hangar_plan::Timestamp;
use hangar_plan::group::GRACE;
use hangar_plan::operation::{Attempt, Found};
use hangar_plan::record::Subject;
use hangar_provider::{
    ErrorClass, Listed, Observation, Progress, ProviderError, RequestFilter, RequestVerb, Target,
};
use hangar_schema::{TypeSchema, marker_of};

use crate::cloud::Calling;
use crate::engine::Shared;
use crate::translate;

/// Requests this much older than the attempt by the cloud's clock are still looked at.
const SKEW: Duration = Duration::from_mins(15);

/// AWS keeps requests for seven days.
const REMEMBERED_FOR: Duration = Duration::from_hours(7 * 24);

/// Pages of requests, and of resources, that one look-up reads at most.
const REQUEST_PAGES: usize = 100;
const RESOURCE_PAGES: usize = 10;

/// Resources that one look-up reads at most.
const RESOURCE_READS: usize = 200;

/// One search.
struct Search<'a> {
    shared: &'a Shared,
    calling: Calling<'a>,
    schema: &'a TypeSchema,
    target: Target,
    attempts: &'a [Attempt],
    now: Timestamp,
    /// Resources that may be ours, where no tag tells.
    candidates: Vec<String>,
    /// Something is still under way, or too fresh to be read.
    open: bool,
    /// How many resources were read.
    reads: usize,
}

/// Looks for what `attempts` may have made.
pub(crate) async fn look_up(
    shared: &Shared,
    calling: Calling<'_>,
    schema: &TypeSchema,
    subject: &Subject,
    attempts: &[Attempt],
    now: Timestamp,
) -> Result<Found, ProviderError> {
    let Some(born_at) = attempts.iter().map(|attempt| attempt.born_at).min() else {
        return Ok(Found::Nothing);
    };
    let mut search = Search {
        shared,
        calling,
        schema,
        target: translate::target(subject),
        attempts,
        now,
        candidates: Vec::new(),
        open: false,
        reads: 0,
    };
    if let Some(found) = search.among_requests(born_at).await? {
        return Ok(Found::One(found));
    }
    if let Some(found) = search.among_resources().await? {
        return Ok(Found::One(found));
    }
    let forgotten = now.since(born_at) > REMEMBERED_FOR;
    if search.candidates.is_empty() && !search.open && !forgotten {
        return Ok(Found::Nothing);
    }
    Ok(Found::Undecided { candidates: search.candidates })
}

impl Search<'_> {
    /// Goes through the creates that the cloud remembers from the first attempt on.
    async fn among_requests(
        &mut self,
        born_at: Timestamp,
    ) -> Result<Option<String>, ProviderError> {
        let filter = RequestFilter { verbs: vec![RequestVerb::Create], states: Vec::new() };
        let type_name = self.target.type_name.cloud_formation();
        let skew = i64::try_from(SKEW.as_micros()).unwrap_or(0);
        let from = born_at.as_micros().saturating_sub(skew);
        let mut next: Option<String> = None;
        for _ in 0..REQUEST_PAGES {
            let page = self.calling.requests(&self.target.place, &filter, next.as_deref()).await?;
            for request in &page.requests {
                let fits = request.type_name.eq_ignore_ascii_case(&type_name)
                    && request.event_at_micros.is_none_or(|at| at >= from);
                if fits && let Some(found) = self.request(request).await? {
                    return Ok(Some(found));
                }
            }
            match page.next {
                Some(token) => next = Some(token),
                None => return Ok(None),
            }
        }
        // Too many to read them all: nothing can be ruled out.
        self.open = true;
        Ok(None)
    }

    /// Whether one request is of ours; notes what cannot be told.
    async fn request(&mut self, request: &Progress) -> Result<Option<String>, ProviderError> {
        let token = Some(&request.request_token);
        let own = self.attempts.iter().any(|attempt| attempt.request_token.as_ref() == token);
        if !own && self.is_of_another(&request.request_token).await {
            return Ok(None);
        }
        let Some(identifier) = &request.identifier else {
            self.open |= !request.state.is_terminal();
            return Ok(None);
        };
        // It failed because the name was taken: what has the name is another's.
        if is_taken(request) {
            return Ok(None);
        }
        if self.reads >= RESOURCE_READS {
            self.open = true;
            return Ok(None);
        }
        self.reads += 1;
        let answer = self.calling.observe(&self.target, identifier).await;
        match answer.map_err(ProviderError::from) {
            Ok(Observation::Absent) => {
                let at = request.event_at_micros.unwrap_or(i64::MAX);
                let fresh = self.now.since(Timestamp::from_micros(at)) < GRACE;
                self.open |= fresh || !request.state.is_terminal();
                Ok(None)
            }
            Ok(Observation::Present { properties, .. }) => {
                if own || self.carries_our_marker(&properties) {
                    return Ok(Some(identifier.clone()));
                }
                // Where every attempt was marked, a resource without our mark is another's.
                if self.attempts.iter().any(|attempt| !attempt.marked) {
                    self.candidates.push(identifier.clone());
                }
                Ok(None)
            }
            // What our own request made is known even where it cannot be read.
            Err(error) if own && error.class == ErrorClass::Unsupported => {
                Ok(Some(identifier.clone()).filter(|_| request.state.is_terminal()))
            }
            // A type that cannot be read, or not by us: its resource may be the one.
            Err(error)
                if matches!(error.class, ErrorClass::Unsupported | ErrorClass::Forbidden) =>
            {
                self.candidates.push(identifier.clone());
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Whether the store knows the request as another operation's.
    async fn is_of_another(&self, request_token: &str) -> bool {
        let known = self.shared.store.operation_find_by_request(request_token).await;
        let ours: HashSet<_> = self.attempts.iter().map(|attempt| attempt.operation).collect();
        known.ok().flatten().is_some_and(|operation| !ours.contains(&operation))
    }

    /// Goes through the resources of the type for one with our marker: only a hit counts.
    async fn among_resources(&mut self) -> Result<Option<String>, ProviderError> {
        let listable =
            self.schema.handlers().list.as_ref().is_some_and(|list| list.parents.is_empty());
        if !listable || !self.attempts.iter().any(|attempt| attempt.marked) {
            return Ok(None);
        }
        let mut next: Option<String> = None;
        for _ in 0..RESOURCE_PAGES {
            let page = self.calling.list(&self.target, None, 100, next.as_deref()).await;
            let page = match page.map_err(ProviderError::from) {
                Ok(page) => page,
                // The list is a second chance; the requests were read.
                Err(error) if error.class == ErrorClass::Throttled => return Err(error),
                Err(_) => return Ok(None),
            };
            for resource in &page.resources {
                if self.is_marked(resource).await? {
                    return Ok(Some(resource.identifier.clone()));
                }
            }
            match page.next {
                Some(token) => next = Some(token),
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Whether a listed resource carries our marker; many types list no more than identifiers, so a few
    /// are read.
    async fn is_marked(&mut self, resource: &Listed) -> Result<bool, ProviderError> {
        if self.carries_our_marker(&resource.properties) {
            return Ok(true);
        }
        let lists_tags = self
            .schema
            .tag_property()
            .is_none_or(|pointer| resource.properties.pointer(&pointer.to_string()).is_some());
        if lists_tags || self.reads >= RESOURCE_READS {
            return Ok(false);
        }
        self.reads += 1;
        let answer = self.calling.observe(&self.target, &resource.identifier).await;
        match answer.map_err(ProviderError::from) {
            Ok(Observation::Present { properties, .. }) => Ok(self.carries_our_marker(&properties)),
            Err(error) if error.class == ErrorClass::Throttled => Err(error),
            _ => Ok(false),
        }
    }

    fn carries_our_marker(&self, properties: &serde_json::Value) -> bool {
        let marker = marker_of(self.schema, properties);
        marker.is_some_and(|marker| {
            self.attempts.iter().any(|attempt| attempt.operation.to_string() == marker)
        })
    }
}

/// Whether a request failed because something of that name existed.
fn is_taken(request: &Progress) -> bool {
    request.error_code.as_ref().is_some_and(|code| code.0 == "AlreadyExists")
}
