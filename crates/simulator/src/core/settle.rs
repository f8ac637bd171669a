//! What time brings about: requests end, deleted resources fade from reads, old requests and
//! sessions are forgotten.
//!
//! Nothing here looks at a clock; whoever drives the world says what time it is. Requests end in
//! the order in which they were due; then deleted resources fade, and what is old is forgotten.

use super::call::{Operation, Status};
use super::place::Place;
use super::refusal::HandlerErrorCode;
use super::session::REMEMBERED_FOR;
use super::state::{
    Change, Document, Effect, End, Failure, Fate, Naming, Phase, REQUEST_LIFE, Request, Resource,
    Serial,
};
use super::time::Timestamp;
use super::words::{already_exists_words, not_found_words};
use super::world::World;

impl World {
    /// Lets everything happen that was due by now.
    pub fn settle(&mut self, now: Timestamp) {
        while let Some((place, serial)) = self.state.pop_due(now) {
            self.end(&place, serial);
        }
        while let Some((place, type_name, identifier)) = self.state.pop_faded(now) {
            self.commit(Change::Resource { place, type_name, identifier, resource: None });
        }
        while let Some((place, serial)) = self.state.outlived(REQUEST_LIFE, now) {
            self.commit(Change::Request { place, serial, request: None });
        }
        while let Some(number) = self.state.outlived_session(REMEMBERED_FOR, now) {
            self.commit(Change::Session { number, session: None });
        }
    }

    fn end(&mut self, place: &Place, serial: Serial) {
        let Some(request) = self.region(place).and_then(|it| it.requests.get(&serial)) else {
            return;
        };
        let (work, at, is_cancelled, takes_effect) = match &request.phase {
            Phase::Open(work) => {
                let takes_effect = match &work.fate {
                    Fate::Succeed => true,
                    Fate::Fail { takes_effect, .. } => *takes_effect,
                };
                (work, request.schedule.ends_at, false, takes_effect)
            }
            Phase::Cancelling { work, takes_effect, ends_at } => {
                (work, *ends_at, true, *takes_effect)
            }
            Phase::Ended { .. } => return,
        };
        let obstacle = self.obstacle(place, request);
        let effect = match &request.identifier {
            Some(identifier) if takes_effect && obstacle.is_none() => {
                self.effect(place, &request.type_name, identifier, work.document.as_ref(), at)
            }
            _ => Effect::Unchanged,
        };
        let failure = match &work.fate {
            _ if is_cancelled => None,
            Fate::Fail { failure, .. } => Some(failure.clone()),
            Fate::Succeed => obstacle,
        };
        let status = match &failure {
            _ if is_cancelled => Status::CancelComplete,
            Some(_) => Status::Failed,
            None => Status::Success,
        };
        // A failure before the service named anything leaves nothing to name.
        let was_named = request.schedule.identifier_at <= request.schedule.accepted_at;
        let naming = if status == Status::Success || takes_effect || was_named {
            Naming::Kept
        } else {
            Naming::Dropped
        };
        let end = Box::new(End { at, status, failure, effect, naming });
        self.commit(Change::Ended { place: place.clone(), serial, end });
    }

    /// What stands in the way of a request when its time comes.
    fn obstacle(&self, place: &Place, request: &Request) -> Option<Failure> {
        let identifier = request.identifier.as_deref().unwrap_or_default();
        let exists = self
            .region(place)
            .and_then(|region| region.document(&request.type_name, identifier))
            .is_some();
        match (request.operation, exists) {
            (Operation::Create, true) => Some(Failure {
                code: HandlerErrorCode::AlreadyExists,
                message: already_exists_words(&request.type_name, identifier).into(),
            }),
            (Operation::Update | Operation::Delete, false) => Some(Failure {
                code: HandlerErrorCode::NotFound,
                message: not_found_words(&request.type_name, identifier).into(),
            }),
            _ => None,
        }
    }

    /// A resource after a write: reads show what they showed before until the delay is over.
    pub(super) fn written(
        &self,
        place: &Place,
        type_name: &str,
        identifier: &str,
        document: Option<Document>,
        at: Timestamp,
    ) -> Option<Resource> {
        match self.effect(place, type_name, identifier, document.as_ref(), at) {
            Effect::Written { visible_from, earlier } => {
                Some(Resource { document, visible_from, earlier })
            }
            Effect::Unchanged | Effect::Gone => None,
        }
    }

    /// What a write of this document, or of none, leaves for reads to see.
    fn effect(
        &self,
        place: &Place,
        type_name: &str,
        identifier: &str,
        document: Option<&Document>,
        at: Timestamp,
    ) -> Effect {
        let delay = self.settings.read_delay;
        let before = self.region(place).and_then(|it| it.resource(type_name, identifier));
        let earlier = before.filter(|_| !delay.is_zero()).and_then(|before| before.seen_at(at));
        if document.is_none() && earlier.is_none() {
            return Effect::Gone;
        }
        Effect::Written { visible_from: at.after(delay), earlier: earlier.map(Into::into) }
    }
}
