//! What time brings about: requests end, deleted resources fade from reads, old requests are
//! forgotten.
//!
//! Nothing here looks at a clock; whoever drives the world says what time it is, and all that was
//! due by then happens in the order in which it was due.

use std::sync::Arc;

use super::call::{Operation, Status};
use super::place::Place;
use super::read::not_found_words;
use super::refusal::HandlerErrorCode;
use super::state::{
    Change, Document, Failure, Fate, Phase, REQUEST_LIFE, Request, Resource, Serial, Work,
};
use super::time::Timestamp;
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
    }

    fn end(&mut self, place: &Place, serial: Serial) {
        let Some(request) = self.region(place).and_then(|it| it.requests.get(&serial)) else {
            return;
        };
        let mut request = (**request).clone();
        let (work, at, is_cancelled, takes_effect) = match &request.phase {
            Phase::Open(work) => {
                let takes_effect = match &work.fate {
                    Fate::Succeed => true,
                    Fate::Fail { takes_effect, .. } => *takes_effect,
                };
                (work.clone(), request.schedule.ends_at, false, takes_effect)
            }
            Phase::Cancelling { work, takes_effect, ends_at } => {
                (work.clone(), *ends_at, true, *takes_effect)
            }
            Phase::Ended { .. } => return,
        };
        let obstacle = self.obstacle(place, &request);
        if takes_effect && obstacle.is_none() {
            self.take_effect(place, serial, &request, &work, at);
        }
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
        if status != Status::Success && !takes_effect && !was_named {
            request.identifier = None;
        }
        request.schedule.ends_at = at;
        request.phase = Phase::Ended { status, failure };
        let request = Some(Box::new(request));
        self.commit(Change::Request { place: place.clone(), serial, request });
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
                message: format!(
                    "Resource of type '{}' with identifier '{identifier}' already exists.",
                    request.type_name
                )
                .into(),
            }),
            (Operation::Update | Operation::Delete, false) => Some(Failure {
                code: HandlerErrorCode::NotFound,
                message: not_found_words(&request.type_name, identifier).into(),
            }),
            _ => None,
        }
    }

    fn take_effect(
        &mut self,
        place: &Place,
        serial: Serial,
        request: &Request,
        work: &Work,
        at: Timestamp,
    ) {
        let Some(identifier) = request.identifier.clone() else { return };
        let document = match request.operation {
            Operation::Delete => None,
            Operation::Create | Operation::Update => work.document.clone(),
        };
        let type_name = Arc::clone(&request.type_name);
        let resource = self.written(place, &type_name, &identifier, document, serial, at);
        let place = place.clone();
        self.commit(Change::Resource { place, type_name, identifier, resource });
    }

    /// A resource after a write: reads show what they showed before until the delay is over.
    pub(super) fn written(
        &self,
        place: &Place,
        type_name: &str,
        identifier: &str,
        document: Option<Document>,
        written_by: Serial,
        at: Timestamp,
    ) -> Option<Resource> {
        if self.settings.read_delay.is_zero() {
            let resource = |document| Resource {
                document: Some(document),
                written_by,
                visible_from: at,
                earlier: None,
            };
            return document.map(resource);
        }
        let before = self.region(place).and_then(|it| it.resource(type_name, identifier));
        let earlier = before.and_then(|before| before.seen_at(at)).map(Into::into);
        if document.is_none() && earlier.is_none() {
            return None;
        }
        let visible_from = at.after(self.settings.read_delay);
        Some(Resource { document, written_by, visible_from, earlier })
    }
}
