//! Writes: what is refused at once, what is accepted, and when it will be done.

use super::call::{Call, Operation, Status};
use super::habits::{SharedElement, shared_elements};
use super::json_patch;
use super::model::{self, Circumstances, Created};
use super::place::Place;
use super::random::Random;
use super::read::{kept_name, not_found};
use super::refusal::{Exception, HandlerErrorCode, Refusal};
use super::reply::{ProgressEvent, Reply};
use super::settings::{EmptyPatch, Fidelity};
use super::state::{
    Change, Document, Failure, Fate, NEVER, Phase, Request, Schedule, Serial, Taken, Work,
};
use super::time::Timestamp;
use super::token::Token;
use super::types::Action;
use super::world::{Order, World};
use hangar_schema::TypeSchema;

/// A made-up identifier that is taken is made up anew so often: what hangs on a name that the
/// caller chose comes out the same each time.
const MAX_ATTEMPTS: u32 = 20;

/// A write that may be accepted.
struct Accepted {
    operation: Operation,
    identifier: String,
    /// Whether the caller knows the identifier already.
    is_known: bool,
    document: Option<Document>,
    /// What the first answer shows of the model.
    shown: Option<String>,
    hangs: bool,
}

impl World {
    pub(super) fn write(
        &mut self,
        place: &Place,
        call: &Call,
        order: Option<Order>,
        now: Timestamp,
    ) -> Result<Reply, Refusal> {
        if let Some(token) = call.client_token()
            && let Some((_, known)) =
                self.region(place).and_then(|region| region.by_client_token(token, now))
        {
            if known.content == fingerprint(call) {
                return Ok(Reply::Progress(Box::new(event_of(known, now))));
            }
            let message = format!(
                "ClientToken {token} is already associated with an existing operation with \
                 RequestToken {}",
                known.token
            );
            return Err(Refusal::new(Exception::ClientTokenConflict, message));
        }
        let serial = self.next_serial(place);
        let (schema, accepted) = match call {
            Call::CreateResource { type_name, desired_state, .. } => {
                let schema = self.types.get_for(type_name, Action::Create)?;
                let about = self.circumstances(place, &schema, serial, now);
                let accepted = self.create(desired_state, about)?;
                (schema, accepted)
            }
            Call::UpdateResource { type_name, identifier, patch_document, .. } => {
                let schema = self.types.get_for(type_name, Action::Update)?;
                let identifier = self.resolve(place, &schema, identifier, now)?;
                let about = self.circumstances(place, &schema, serial, now);
                let accepted = self.update(&identifier, patch_document, about)?;
                (schema, accepted)
            }
            Call::DeleteResource { type_name, identifier, .. } => {
                let schema = self.types.get_for(type_name, Action::Delete)?;
                let identifier = self.resolve(place, &schema, identifier, now)?;
                self.refuse_busy(place, &schema, &identifier)?;
                let accepted = Accepted {
                    operation: Operation::Delete,
                    identifier,
                    is_known: true,
                    document: None,
                    shown: None,
                    hangs: false,
                };
                (schema, accepted)
            }
            _ => {
                let message = format!("{} is not a write", call.name().as_str());
                return Err(Refusal::new(Exception::UnknownOperation, message));
            }
        };
        let event = self.accept(place, &schema, call, accepted, order, now);
        Ok(Reply::Progress(Box::new(event)))
    }

    fn create(&self, desired: &str, about: Circumstances<'_>) -> Result<Accepted, Refusal> {
        let created = self.made(desired, about)?;
        self.refuse_busy(about.place, about.schema, &created.identifier)?;
        Ok(Accepted {
            operation: Operation::Create,
            identifier: created.identifier,
            is_known: created.is_chosen,
            document: Some(created.document),
            shown: None,
            hangs: false,
        })
    }

    fn update(
        &self,
        identifier: &str,
        patch: &str,
        about: Circumstances<'_>,
    ) -> Result<Accepted, Refusal> {
        let Circumstances { place, schema, .. } = about;
        let before = self.region(place).and_then(|it| it.document(schema.name(), identifier));
        let before = before.ok_or_else(|| not_found(schema.name(), identifier, self))?;
        self.refuse_busy(place, schema, identifier)?;
        let operations = json_patch::read(patch)
            .map_err(|message| Refusal::new(Exception::Validation, message))?;
        let shared = self.shared_elements(place, schema, identifier, about.now);
        let updated = model::update(before, &shared, &operations, about)?;
        Ok(Accepted {
            operation: Operation::Update,
            identifier: identifier.to_owned(),
            is_known: true,
            document: Some(updated.document),
            shown: Some(updated.shown),
            hangs: operations.is_empty() && self.settings.empty_patch == EmptyPatch::Hangs,
        })
    }

    /// What a create leaves; an identifier that the service makes up is not taken.
    pub(super) fn made(&self, desired: &str, about: Circumstances<'_>) -> Result<Created, Refusal> {
        let mut created = model::create(desired, about)?;
        let is_taken = |created: &Created| {
            let (type_name, identifier) = (about.schema.name(), &created.identifier);
            self.region(about.place).is_some_and(|it| it.resource(type_name, identifier).is_some())
        };
        for attempt in 1..=MAX_ATTEMPTS {
            if created.is_chosen || !is_taken(&created) {
                break;
            }
            created = model::create(desired, Circumstances { attempt, ..about })?;
        }
        Ok(created)
    }

    /// The number of the next request there.
    pub(super) fn next_serial(&self, place: &Place) -> Serial {
        self.region(place).map_or(1, |region| region.next_serial.max(1))
    }

    pub(super) fn circumstances<'a>(
        &'a self,
        place: &'a Place,
        schema: &'a TypeSchema,
        serial: Serial,
        now: Timestamp,
    ) -> Circumstances<'a> {
        let (order, seed) = (self.settings.array_order, self.settings.seed);
        let added = &self.settings.habits;
        let (taken, fidelity) =
            (Taken::of(self.region(place), schema.name()), self.settings.fidelity);
        Circumstances {
            schema,
            place,
            now,
            serial,
            seed,
            attempt: 0,
            taken,
            order,
            fidelity,
            added,
        }
    }

    /// The elements that other resources add to what a read of this one returns.
    pub(super) fn shared_elements(
        &self,
        place: &Place,
        schema: &TypeSchema,
        identifier: &str,
        now: Timestamp,
    ) -> Vec<SharedElement> {
        match self.settings.fidelity {
            Fidelity::Aws => shared_elements(self.region(place), schema, identifier, now),
            Fidelity::Plain => Vec::new(),
        }
    }

    /// One operation per resource at a time.
    pub(super) fn refuse_busy(
        &self,
        place: &Place,
        schema: &TypeSchema,
        identifier: &str,
    ) -> Result<(), Refusal> {
        let busy = self.region(place).and_then(|it| it.busy_with(&kept_name(schema), identifier));
        let Some(other) = busy else { return Ok(()) };
        let message = format!(
            "Concurrent operation found for resource {identifier} with RequestToken {}",
            other.token
        );
        Err(Refusal::new(Exception::ConcurrentOperation, message))
    }

    fn accept(
        &mut self,
        place: &Place,
        schema: &TypeSchema,
        call: &Call,
        accepted: Accepted,
        order: Option<Order>,
        now: Timestamp,
    ) -> ProgressEvent {
        let serial = self.next_serial(place);
        let number = serial.to_string();
        let purpose = ["request", place.account(), place.region(), number.as_str()];
        let mut random = Random::new(self.settings.seed, &purpose);
        let token = Token::new(&mut random, serial);
        let hangs = accepted.hangs || order == Some(Order::Hang);
        let is_loaded = self.region(place).is_some_and(|it| it.open_count() >= MAX_AT_ONCE);
        let load = if is_loaded { Load::High } else { Load::Normal };
        let mut schedule = if hangs {
            hanging(accepted.is_known, now)
        } else {
            self.schedule(&mut random, accepted.is_known, load, now)
        };
        let fate = match order {
            Some(Order::Fail { code, message, with_identifier }) => Fate::Fail {
                failure: Failure {
                    code,
                    message: message.unwrap_or_else(|| injected_words(code)).into(),
                },
                takes_effect: with_identifier,
            },
            _ => Fate::Succeed,
        };
        if matches!(fate, Fate::Fail { takes_effect: false, .. }) && !accepted.is_known {
            schedule.identifier_at = NEVER;
        }
        let request = Request {
            token,
            client_token: call.client_token().map(Into::into),
            content: fingerprint(call),
            operation: accepted.operation,
            type_name: kept_name(schema),
            identifier: Some(accepted.identifier.into()),
            schedule,
            phase: Phase::Open(Box::new(Work { document: accepted.document, fate })),
        };
        let mut event = event_of(&request, now);
        event.resource_model = accepted.shown;
        // However quick the service is, the first answer names only what the caller named.
        event.identifier = event.identifier.filter(|_| accepted.is_known);
        // Nor does it say when to ask again; polls and lists do.
        event.retry_after = None;
        let request = Some(Box::new(request));
        self.commit(Change::Request { place: place.clone(), serial, request });
        event
    }

    fn schedule(
        &self,
        random: &mut Random,
        is_known: bool,
        load: Load,
        now: Timestamp,
    ) -> Schedule {
        let millis =
            |span: std::time::Duration| u64::try_from(span.as_millis()).unwrap_or(u64::MAX);
        let latency = self.settings.latency;
        let takes = random.between(millis(latency.least), millis(latency.most));
        // Drawn in any case, so that a load changes no later value.
        let waits = if random.below(2) == 0 { 0 } else { random.between(1, takes / 3) };
        let waits = match load {
            Load::Normal => 0,
            Load::High => waits.min(takes),
        };
        let names = random.between(waits, takes);
        let at = |after: u64| Timestamp::from_millis(now.millis().saturating_add(after));
        Schedule {
            accepted_at: now,
            started_at: at(waits),
            // Never with the acceptance itself, so that what the caller named is told apart.
            identifier_at: if is_known { now } else { at(names.max(1)) },
            ends_at: at(takes),
        }
    }
}

/// How busy an account and region is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Load {
    /// Each write starts at once.
    Normal,
    /// About half of the writes wait in `PENDING`.
    High,
}

/// So many writes of one account and region run at once before others wait. AWS's number is not
/// known: recorded writes that were alone started at once, and of 100 roles some waited.
const MAX_AT_ONCE: usize = 10;

/// The schedule of a request that waits until it is cancelled.
fn hanging(is_known: bool, now: Timestamp) -> Schedule {
    let identifier_at = if is_known { now } else { NEVER };
    Schedule { accepted_at: now, started_at: NEVER, identifier_at, ends_at: NEVER }
}

/// How far a request is, as a caller sees it.
pub(super) fn event_of(request: &Request, now: Timestamp) -> ProgressEvent {
    let status = request.status_at(now);
    let schedule = request.schedule;
    let failure = match &request.phase {
        Phase::Ended { failure, .. } => failure.as_ref(),
        _ => None,
    };
    let is_known = status.is_terminal() || now >= schedule.identifier_at;
    let event_time = match status {
        Status::Pending => schedule.accepted_at,
        Status::InProgress | Status::CancelInProgress => schedule.started_at.min(now),
        _ => schedule.ends_at.min(now),
    };
    let is_waited_for =
        !status.is_terminal() && schedule.ends_at != NEVER && schedule.ends_at > now;
    ProgressEvent {
        type_name: request.type_name.to_string(),
        identifier: request.identifier.as_deref().filter(|_| is_known).map(str::to_owned),
        request_token: request.token.to_string(),
        operation: request.operation,
        status,
        event_time,
        resource_model: None,
        status_message: failure.map(|failure| failure.message.to_string()),
        error_code: failure.map(|failure| failure.code),
        retry_after: is_waited_for.then(|| schedule.ends_at.min(now.after(POLL_WITHIN))),
    }
}

/// A caller is never told to wait longer than this before it asks again.
const POLL_WITHIN: std::time::Duration = std::time::Duration::from_secs(5);

/// What a handler says when a fault makes it fail.
fn injected_words(code: HandlerErrorCode) -> String {
    format!("The handler failed with {} because of a fault armed in the simulator", code.as_str())
}

/// A number that tells one content from another.
fn fingerprint(call: &Call) -> u64 {
    let (type_name, identifier, body, common) = match call {
        Call::CreateResource { type_name, desired_state, common } => {
            (type_name.as_str(), "", desired_state.as_str(), common)
        }
        Call::UpdateResource { type_name, identifier, patch_document, common } => {
            (type_name.as_str(), identifier.as_str(), patch_document.as_str(), common)
        }
        Call::DeleteResource { type_name, identifier, common } => {
            (type_name.as_str(), identifier.as_str(), "", common)
        }
        _ => return 0,
    };
    let role = common.role_arn.as_deref().unwrap_or_default();
    let version = common.type_version_id.as_deref().unwrap_or_default();
    Random::new(0, &[call.name().as_str(), type_name, identifier, body, role, version]).number()
}
