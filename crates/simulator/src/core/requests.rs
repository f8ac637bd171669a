//! Requests after they were accepted: how far they are, which there are, and stopping one.

use super::call::{RequestFilter, Status};
use super::place::Place;
use super::random::Random;
use super::read::{page_token, read_page_token};
use super::refusal::{Exception, Refusal};
use super::reply::Reply;
use super::state::{Change, Phase, Serial};
use super::time::Timestamp;
use super::token::Token;
use super::world::World;
use super::write::event_of;

impl World {
    pub(super) fn request_status(
        &self,
        place: &Place,
        token: &str,
        now: Timestamp,
    ) -> Result<Reply, Refusal> {
        let region = self.region(place);
        let (_, request) =
            region.and_then(|region| region.by_token(token)).ok_or_else(|| unknown_token(token))?;
        Ok(Reply::Progress(Box::new(event_of(request, now))))
    }

    /// The latest first, so that a page is the same whatever is accepted meanwhile.
    pub(super) fn list_requests(
        &self,
        place: &Place,
        filter: &RequestFilter,
        max_results: u16,
        next_token: Option<&str>,
        now: Timestamp,
    ) -> Result<Reply, Refusal> {
        let wrong = || Refusal::new(Exception::InvalidRequest, "Invalid NextToken");
        let before: Serial = match next_token {
            Some(token) => read_page_token("requests", token)?.parse().map_err(|_| wrong())?,
            None => Serial::MAX,
        };
        let mut events = Vec::new();
        let mut next_token = None;
        let mut last = before;
        let requests = self.region(place).into_iter().flat_map(|it| it.requests.range(..before));
        for (serial, request) in requests.rev() {
            let status = request.status_at(now);
            let fits = (filter.operations.is_empty()
                || filter.operations.contains(&request.operation))
                && (filter.statuses.is_empty() || filter.statuses.contains(&status));
            if !fits || request.token == Token::FORGOTTEN {
                continue;
            }
            if events.len() == usize::from(max_results) {
                next_token = Some(page_token("requests", &last.to_string()));
                break;
            }
            events.push(event_of(request, now));
            last = *serial;
        }
        Ok(Reply::Requests { events, next_token })
    }

    /// Stops a request that is `PENDING` or `IN_PROGRESS`. What was begun is not undone: a resource
    /// whose identifier was out is there, and whether an update or a delete had come through
    /// nobody knows before looking.
    pub(super) fn cancel(
        &mut self,
        place: &Place,
        token: &str,
        now: Timestamp,
    ) -> Result<Reply, Refusal> {
        let region = self.region(place);
        let (serial, request) =
            region.and_then(|region| region.by_token(token)).ok_or_else(|| unknown_token(token))?;
        let work = match &request.phase {
            Phase::Open(work) => work,
            Phase::Ended { status: status @ (Status::Success | Status::Failed), .. } => {
                let message = format!("Request {token} is already in status {}", status.as_str());
                return Err(Refusal::new(Exception::Validation, message));
            }
            // A second cancel answers the request as it is.
            Phase::Cancelling { .. } | Phase::Ended { .. } => {
                return Ok(Reply::Progress(Box::new(event_of(request, now))));
            }
        };
        let mut request = request.clone();
        let mut random = Random::new(self.settings.seed, &["cancel", token]);
        let is_begun = request.status_at(now) == Status::InProgress;
        let takes_effect = is_begun
            && match request.operation {
                super::call::Operation::Create => now >= request.schedule.identifier_at,
                _ => random.below(2) == 0,
            };
        let span = self.settings.latency.least.min(std::time::Duration::from_secs(1));
        request.phase =
            Phase::Cancelling { work: work.clone(), takes_effect, ends_at: now.after(span) };
        let event = event_of(&request, now);
        let request = Some(Box::new(request));
        self.commit(Change::Request { place: place.clone(), serial, request });
        Ok(Reply::Progress(Box::new(event)))
    }

    /// Forgets a request as if its 7 days were over; says whether there was one. What it was about
    /// to do is done all the same: only nobody can ask.
    pub fn forget_request(&mut self, token: &str) -> bool {
        let found = self.state.regions.iter().find_map(|(place, region)| {
            let (serial, request) = region.by_token(token)?;
            Some((place.clone(), serial, request.clone()))
        });
        let Some((place, serial, mut request)) = found else { return false };
        request.token = Token::FORGOTTEN;
        request.client_token = None;
        let happens = request.due_at().is_some();
        let request = happens.then(|| Box::new(request));
        self.commit(Change::Request { place, serial, request });
        true
    }
}

fn unknown_token(token: &str) -> Refusal {
    let message = format!("Request with token {token} was not found");
    Refusal::new(Exception::RequestTokenNotFound, message)
}
