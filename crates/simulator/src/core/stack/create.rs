//! A stack is made, or is not.

use std::collections::{BTreeMap, BTreeSet};

use super::call::{Draft, OnFailure, StackReply};
use super::deploy::{Deployment, Failed};
use super::prepare::read_template;
use super::{Body, Course, MemberStatus, Stack, StackStatus, Step};
use crate::core::place::Place;
use crate::core::random::Random;
use crate::core::refusal::{Exception, Refusal};
use crate::core::state::{Change, NEVER};
use crate::core::time::Timestamp;
use crate::core::world::World;

/// What makes a stack the one it is.
pub(super) struct Identity<'a> {
    pub(super) name: &'a str,
    pub(super) uuid: String,
    pub(super) parent_id: Option<String>,
    pub(super) root_id: Option<String>,
}

/// A stack that nothing was done for yet.
pub(super) fn new_stack(
    place: &Place,
    identity: Identity<'_>,
    draft: &Draft,
    template: String,
    now: Timestamp,
) -> Stack {
    let Identity { name, uuid, parent_id, root_id } = identity;
    let (partition, region, account) = (place.partition(), place.region(), place.account());
    let id = format!("arn:{partition}:cloudformation:{region}:{account}:stack/{name}/{uuid}");
    let reason = parent_id.is_none().then(|| "User Initiated".to_owned());
    let mut stack = Stack {
        id,
        name: name.to_owned(),
        description: None,
        created_at: now,
        updated_at: None,
        deleted_at: None,
        template,
        parameters: BTreeMap::new(),
        tags: draft.tags.clone().unwrap_or_default(),
        capabilities: draft.capabilities.clone(),
        role_arn: draft.role_arn.clone(),
        disable_rollback: draft.on_failure == OnFailure::DoNothing,
        parent_id,
        root_id,
        client_token: draft.client_token.clone(),
        course: Course::begun(StackStatus::CreateInProgress, now, reason.clone()),
        members: BTreeMap::new(),
        outputs: Vec::new(),
        outputs_from: now,
        earlier_outputs: Vec::new(),
        imports: BTreeSet::new(),
        events: Vec::new(),
    };
    let status = StackStatus::CreateInProgress;
    stack.course.settle(now);
    stack.events.push(super::Event {
        at: now,
        logical_id: stack.name.clone(),
        physical_id: stack.id.clone(),
        type_name: super::STACK_TYPE.to_owned(),
        status: status.as_str().to_owned(),
        reason,
    });
    stack
}

/// A deployment that is over.
pub(super) struct Ended {
    pub(super) stack: Stack,
    pub(super) undo: Vec<Change>,
    pub(super) failure: Option<String>,
    pub(super) ends_at: Timestamp,
    pub(super) is_hanging: bool,
}

impl World {
    pub(super) fn create_stack(
        &mut self,
        place: &Place,
        draft: &Draft,
        now: Timestamp,
    ) -> Result<StackReply, Refusal> {
        if let Some(known) = self.find_stack(place, &draft.name, now) {
            let is_retry = draft.client_token.is_some() && known.client_token == draft.client_token;
            if is_retry && known.updated_at.is_none() {
                return Ok(StackReply::Id(known.id.clone()));
            }
            let message = format!("Stack [{}] already exists", draft.name);
            return Err(Refusal::new(Exception::AlreadyExists, message));
        }
        let written = self.template_text(&draft.source, None)?;
        let template = read_template(&written)?;
        let parameters = self.parameters(place, &template, &draft.parameters, None)?;
        let serial = self.next_serial(place);
        let number = serial.to_string();
        let purpose = ["stack", place.account(), place.region(), &number, &draft.name];
        let uuid = Random::new(self.settings.seed, &purpose).uuid();
        let identity = Identity { name: &draft.name, uuid, parent_id: None, root_id: None };
        let mut stack = new_stack(place, identity, draft, written, now);
        stack.parameters = parameters;
        stack.description.clone_from(&template.description);
        let id = stack.id.clone();
        let deployment = Deployment::begin(self, place, stack, template, now, 0)?;
        deployment.world.commit(Change::Serial { place: place.clone(), next: serial + 1 });
        let ended = deployment.create(draft.on_failure);
        self.keep_stack(place, ended.stack);
        Ok(StackReply::Id(id))
    }

    pub(super) fn keep_stack(&mut self, place: &Place, stack: Stack) {
        let (place, id) = (place.clone(), stack.id.as_str().into());
        self.commit(Change::Stack { place, id, stack: Some(stack.into()) });
    }
}

impl Deployment<'_> {
    /// Makes the stack, and says what came of it.
    pub(super) fn create(mut self, on_failure: OnFailure) -> Ended {
        let failed = self.create_all().err();
        let ready = self.ends.values().copied().max().unwrap_or(self.now);
        let (failure, ends_at) = match failed {
            None => {
                self.stack.goes(StackStatus::CreateComplete, ready, None);
                (None, ready)
            }
            Some(failed) => {
                let at = failed.at.max(ready);
                let reason = self.fail(failed, at, on_failure);
                (Some(reason), at)
            }
        };
        self.stack.outputs_from = ends_at;
        self.stack.order_events();
        if self.is_hanging {
            self.hang();
        }
        let Self { stack, undo, is_hanging, .. } = self;
        Ended { stack, undo, failure, ends_at, is_hanging }
    }

    /// A fault keeps it from ending: what it would have come to is never seen.
    pub(super) fn hang(&mut self) {
        let Some(begun) = self.stack.course.first_open().cloned() else { return };
        let end = self.stack.course.last().map_or(begun.status, |step| step.status);
        let own = |event: &super::Event| event.physical_id == self.stack.id;
        let ended = end.as_str();
        let mut events = std::mem::take(&mut self.stack.events);
        events.retain(|event| event.at <= self.now && !(own(event) && event.status == ended));
        self.stack.events = events;
        self.stack.course = Course::begun(begun.status, begun.at, begun.reason);
        self.stack.course.then(end, NEVER, None);
        self.stack.outputs_from = NEVER;
    }

    fn fail(&mut self, failed: Failed, at: Timestamp, on_failure: OnFailure) -> String {
        let why = match &failed.logical_id {
            Some(name) => format!("The following resource(s) failed to create: [{name}]. "),
            None => failed.reason.clone(),
        };
        self.stack.outputs.clear();
        if on_failure == OnFailure::DoNothing {
            self.stack.goes(StackStatus::CreateFailed, at, Some(why));
            return failed.reason;
        }
        let why = format!("{}Rollback requested by user.", sentence(&why));
        self.roll_back();
        self.stack.imports.clear();
        let is_deleted = on_failure == OnFailure::Delete;
        let (begun, done) = if is_deleted {
            (StackStatus::DeleteInProgress, StackStatus::DeleteComplete)
        } else {
            (StackStatus::RollbackInProgress, StackStatus::RollbackComplete)
        };
        self.stack.goes(begun, at, Some(why));
        self.members_left(at);
        self.stack.goes(done, at, None);
        if is_deleted {
            self.stack.deleted_at = Some(at);
        }
        failed.reason
    }

    /// Notes that the resources which were made are gone again.
    fn members_left(&mut self, at: Timestamp) {
        let names: Vec<String> = self.stack.members.keys().cloned().collect();
        for name in names.into_iter().rev() {
            let Some(member) = self.stack.members.get_mut(&name) else { continue };
            member.body = Body::Nothing;
            let step = Step { status: MemberStatus::DeleteComplete, at, reason: None };
            member.course.then(step.status, at, None);
            let (type_name, physical_id) = (member.type_name.clone(), member.physical_id.clone());
            self.stack.note(&name, &type_name, &physical_id, &step);
        }
    }
}

/// The words with a blank behind them, for more to follow.
fn sentence(words: &str) -> String {
    let words = words.trim_end();
    let stop = if words.ends_with('.') { "" } else { "." };
    format!("{words}{stop} ")
}
