//! References in pages; where nothing is left out, with the recipes of their group after them.

use hangar_ids::TypeName;
use hangar_plan::record::{DriftState, GroupName, Reference, ReferenceName};
use hangar_store::{ReferenceFilter, ReferencePosition};
use http::StatusCode;
use serde_json::Value;

use crate::answer::Answer;
use crate::error::{ApiError, Code};
use crate::etag::ETag;
use crate::failure::of_store;
use crate::handle::inventory::{self, Place};
use crate::handle::lookup;
use crate::head::View;
use crate::page::{self, PageAsk, SKIP_TOKEN, TOP};
use crate::render::{self, Seen};
use crate::route::{DRIFT, Only, STATE};
use crate::urls::with_version;

/// Some references, and the token of the rest.
pub(in crate::handle) struct Page {
    pub(in crate::handle) values: Vec<Value>,
    pub(in crate::handle) next: Option<String>,
}

pub(crate) async fn list(
    view: View<'_>,
    group: &GroupName,
    type_name: Option<&TypeName>,
    only: Only,
    ask: &PageAsk,
) -> Result<Answer, ApiError> {
    let group = lookup::group(view.reads, group).await?;
    let filter = ReferenceFilter {
        group: Some(group.name),
        type_key: type_name.map(|name| name.ucp().to_ascii_lowercase()),
        state: only.state,
    };
    let after = ask.position(view.seal, &list_name(&filter, only.drift))?;
    let page = match &filter {
        ReferenceFilter { group: Some(group), type_key: None, .. } if only == Only::default() => {
            let begin = after.as_deref().map(Place::read).transpose()?;
            let begin = begin.unwrap_or(Place::Reference(None));
            inventory::page(view, group, begin, ask.limit()).await?
        }
        _ => {
            let after = after.as_deref().map(read_position).transpose()?;
            page(view, &filter, only.drift, after, ask.limit()).await?
        }
    };
    let next = page.next.map(|token| next_link(view, &filter, only, &token, ask.limit()));
    Ok(Answer::json(StatusCode::OK, page::list(page.values, next)))
}

/// How many references are looked at for one page where most are filtered out here: a page may be
/// short, even empty, and still have a next one.
const LOOKED_AT: usize = 5000;

/// One page of the references that a filter lets through, and of those the ones that are so.
///
/// The store knows no filter by drift, so those are picked from what it gives.
pub(in crate::handle) async fn page(
    view: View<'_>,
    filter: &ReferenceFilter,
    drift: Option<DriftState>,
    mut after: Option<ReferencePosition>,
    limit: usize,
) -> Result<Page, ApiError> {
    let mut picked = Vec::new();
    let mut looked_at = 0;
    let is_picked = |reference: &Reference| {
        drift.is_none() || drift == reference.drift.as_ref().map(|drift| drift.state)
    };
    // One more than is shown tells whether there is a next page.
    let has_more = loop {
        let found = view.reads.store().reference_list(filter, after.as_ref(), limit + 1).await;
        let found = found.map_err(|error| of_store(&error))?;
        let is_last = found.len() <= limit;
        looked_at += found.len();
        after = found.last().map(|reference| place(&reference.name));
        picked.extend(found.into_iter().filter(is_picked));
        if is_last || picked.len() > limit {
            break false;
        }
        if looked_at >= LOOKED_AT {
            break true;
        }
    };
    let running = lookup::all_running(view.reads, &picked).await?;
    let mut places: Vec<ReferencePosition> = picked.iter().map(|it| place(&it.name)).collect();
    let values = page::fitting(picked.into_iter().take(limit).map(|reference| {
        let operation = reference.entry.operation.and_then(|id| running.get(&id));
        let etag = ETag::of_reference(&reference);
        render::reference(reference, &etag, operation, Seen::Stored)
    }));
    let last = if values.len() < places.len() {
        Some(places.swap_remove(values.len() - 1))
    } else {
        after.filter(|_| has_more)
    };
    let list = list_name(filter, drift);
    let next = last.map(|last| view.seal.page_token(&list, &position(&last)));
    Ok(Page { values, next })
}

/// The link to the page that a token begins.
pub(in crate::handle) fn next_link(
    view: View<'_>,
    filter: &ReferenceFilter,
    only: Only,
    token: &str,
    limit: usize,
) -> String {
    let group = filter.group.as_ref().map(GroupName::id).unwrap_or_default();
    let id = match &filter.type_key {
        None => format!("{group}/resources"),
        Some(type_key) => format!("{group}/providers/{type_key}:reference"),
    };
    let top = limit.to_string();
    let mut parameters = with_version(view.version());
    parameters.extend(only.state.map(|state| (STATE, render::entry_word(state))));
    parameters.extend(only.drift.map(|drift| (DRIFT, render::drift_word(drift))));
    parameters.extend([(TOP, top.as_str()), (SKIP_TOKEN, token)]);
    view.urls.of(&id, &parameters)
}

/// Names a list, so that a token of one is no token of another.
pub(in crate::handle) fn list_name(filter: &ReferenceFilter, drift: Option<DriftState>) -> String {
    let group = filter.group.as_ref().map(GroupName::key).unwrap_or_default();
    let type_key = filter.type_key.as_deref().unwrap_or("*");
    let state = filter.state.map_or("*", render::entry_word);
    let drift = drift.map_or("*", render::drift_word);
    format!("references {group} {type_key} {state} {drift}")
}

fn place(name: &ReferenceName) -> ReferencePosition {
    ReferencePosition {
        group: name.group.key(),
        type_key: name.type_key(),
        alias: name.alias_key(),
    }
}

fn position(place: &ReferencePosition) -> Vec<u8> {
    // No key holds NUL: ids refuse it.
    [place.group.as_str(), &place.type_key, &place.alias].join("\0").into_bytes()
}

pub(in crate::handle) fn read_position(bytes: &[u8]) -> Result<ReferencePosition, ApiError> {
    let text = std::str::from_utf8(bytes).unwrap_or_default();
    let parts: Vec<&str> = text.split('\0').collect();
    let [group, type_key, alias] = parts.as_slice() else {
        return Err(ApiError::new(Code::InvalidSkipToken, "not a token of this list"));
    };
    Ok(ReferencePosition {
        group: (*group).to_owned(),
        type_key: (*type_key).to_owned(),
        alias: (*alias).to_owned(),
    })
}
