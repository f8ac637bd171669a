//! How requests are doing: a few are asked for one by one, many by the list of all that are under way.
//!
//! What the list shows is under way; what it does not show has ended, or the list is behind: that one is
//! asked for alone. So a thousand requests cost ten calls a look, and one more each when they end.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hangar_plan::budget::Rate;
use hangar_provider::{ErrorClass, Place, Progress, RequestFilter, RequestState};
use tokio::time::Instant;

use super::{CallError, Calling, Polled};

/// From this many open requests in a place on they are looked for together.
const TOGETHER_FROM: usize = 8;

/// Looks follow each other no closer than this: where calls are rationed, and where not.
const RATIONED_LOOK_EVERY: Duration = Duration::from_millis(500);
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// The part of a place's budget that looks may have: one of so many calls.
const SHARE: u32 = 10;

/// Pages that one look reads at most; what is on none of them is asked for alone.
const PAGES: u32 = 200;

/// For how long a list that is not allowed, or not known, is not asked for again.
const BARRED_FOR: Duration = Duration::from_mins(5);

/// So many lists in a row that came to nothing, and it is done without for a while.
const FAILURES: u32 = 5;

/// A request that nobody asked for in this time has another worker, or has ended.
const FORGOTTEN_AFTER: Duration = Duration::from_mins(30);

/// The open requests of all places.
#[derive(Debug, Default)]
pub(super) struct Requests(Mutex<HashMap<Place, Arc<Open>>>);

/// The open requests of a place, as far as this process knows them.
#[derive(Debug, Default)]
struct Open {
    known: Mutex<HashMap<String, Known>>,
    last: tokio::sync::Mutex<Look>,
}

/// What is known of an open request.
#[derive(Debug, Clone, Copy)]
struct Known {
    /// It was accepted by then.
    since: Instant,
    asked_at: Instant,
}

/// The last look at the list.
#[derive(Debug, Default)]
struct Look {
    /// Before its first page was asked for.
    began: Option<Instant>,
    /// When the next one may begin.
    next: Option<Instant>,
    under_way: HashMap<String, Progress>,
    /// Until when the list is not to be asked for.
    barred: Option<Instant>,
    /// How often the list was asked for in vain since then.
    failures: u32,
}

impl Requests {
    /// A request was accepted.
    pub(super) fn begun(&self, place: &Place, request_token: &str) {
        self.of(place).note(request_token);
    }

    /// How a request is doing.
    pub(super) async fn poll(
        &self,
        calling: &Calling<'_>,
        place: &Place,
        request_token: &str,
    ) -> Result<Polled, CallError> {
        let open = self.of(place);
        let (known, count) = open.note(request_token);
        if count < TOGETHER_FROM {
            return alone(&open, calling, place, request_token).await;
        }
        let mut last = open.last.lock().await;
        if last.barred.is_some_and(|until| Instant::now() < until) {
            drop(last);
            return alone(&open, calling, place, request_token).await;
        }
        if last.next.is_none_or(|next| next <= Instant::now()) {
            match look(calling, place).await {
                Ok(look) => *last = look,
                Err(CallError::NotMade(why)) => return Err(CallError::NotMade(why)),
                Err(CallError::Failed(error)) => {
                    let pause = pause_after(1, calling.cloud.rations.rate());
                    last.next = Some(Instant::now() + pause);
                    last.failures += 1;
                    if is_passing(error.class) && last.failures < FAILURES {
                        return Err(CallError::Failed(error));
                    }
                    tracing::warn!(%error, "cannot list requests; polling them one by one");
                    last.failures = 0;
                    last.barred = Some(Instant::now() + BARRED_FOR);
                }
            }
            open.forget_old();
        }
        let next_in = last.next.map(|next| next.saturating_duration_since(Instant::now()));
        if let Some(progress) = last.under_way.get(request_token) {
            let mut progress = progress.clone();
            progress.retry_after = progress.retry_after.max(next_in);
            return Ok(Polled::Told(Box::new(progress)));
        }
        let covered = last.barred.is_some() || last.began.is_some_and(|began| known.since < began);
        drop(last);
        match next_in {
            // It was accepted after the list was asked for: that it is not there says nothing.
            Some(next_in) if !covered => Ok(Polled::NotYet(next_in)),
            _ => alone(&open, calling, place, request_token).await,
        }
    }

    fn of(&self, place: &Place) -> Arc<Open> {
        let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match places.get(place) {
            Some(open) => open.clone(),
            None => places.entry(place.clone()).or_default().clone(),
        }
    }
}

impl Open {
    fn known(&self) -> MutexGuard<'_, HashMap<String, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a request is open; tells what is known of it, and how many are.
    fn note(&self, request_token: &str) -> (Known, usize) {
        let now = Instant::now();
        let mut known = self.known();
        let since = known.get(request_token).map_or(now, |request| request.since);
        let request = Known { since, asked_at: now };
        known.insert(request_token.to_owned(), request);
        (request, known.len())
    }

    fn forget(&self, request_token: &str) {
        self.known().remove(request_token);
    }

    fn forget_old(&self) {
        self.known().retain(|_, request| request.asked_at.elapsed() < FORGOTTEN_AFTER);
    }
}

async fn alone(
    open: &Open,
    calling: &Calling<'_>,
    place: &Place,
    request_token: &str,
) -> Result<Polled, CallError> {
    let answer = calling.poll_alone(place, request_token).await;
    let over = match &answer {
        Ok(progress) => progress.state.is_terminal(),
        Err(CallError::Failed(error)) => error.class == ErrorClass::UnknownRequest,
        Err(CallError::NotMade(_)) => false,
    };
    if over {
        open.forget(request_token);
    }
    answer.map(|progress| Polled::Told(Box::new(progress)))
}

/// Reads the list of all requests that are under way. Nobody pays for it alone.
async fn look(calling: &Calling<'_>, place: &Place) -> Result<Look, CallError> {
    let for_all = Calling { errand: super::Errand { tally: None, ..calling.errand }, ..*calling };
    let filter = RequestFilter {
        verbs: Vec::new(),
        states: vec![
            RequestState::Pending,
            RequestState::InProgress,
            RequestState::CancelInProgress,
        ],
    };
    let began = Instant::now();
    let mut under_way = HashMap::new();
    let mut pages = 0;
    let mut next: Option<String> = None;
    loop {
        let page = for_all.requests(place, &filter, next.as_deref()).await?;
        pages += 1;
        let requests = page.requests.into_iter();
        under_way.extend(requests.map(|request| (request.request_token.clone(), request)));
        next = page.next;
        if next.is_none() || pages >= PAGES {
            break;
        }
    }
    let pause = pause_after(pages, calling.cloud.rations.rate());
    let next = Some(Instant::now() + pause);
    Ok(Look { began: Some(began), next, under_way, barred: None, failures: 0 })
}

/// Whether the list may be answered the next time.
const fn is_passing(class: ErrorClass) -> bool {
    matches!(class, ErrorClass::Throttled | ErrorClass::Unreachable | ErrorClass::Unanswered)
}

/// How long after a look of so many pages the next one may begin.
fn pause_after(pages: u32, rate: Option<Rate>) -> Duration {
    match rate {
        None => LOOK_EVERY,
        Some(rate) => {
            let spent = Duration::from_secs(1) * pages * SHARE / rate.get();
            spent.max(RATIONED_LOOK_EVERY)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_take_no_more_than_their_share_of_the_budget() {
        let rate = |calls| Rate::per_second(calls);
        assert_eq!(pause_after(1, None), Duration::from_millis(250));
        assert_eq!(pause_after(1, rate(250)), Duration::from_millis(500));
        assert_eq!(pause_after(100, rate(250)), Duration::from_secs(4));
        assert_eq!(pause_after(4, rate(25)), Duration::from_millis(1600));
    }
}
