//! A stack is deleted: its resources from the last to the first.

use std::collections::BTreeMap;

use hangar_manifest::cloudformation::template::Template;
use serde_json::Map;

use super::call::StackReply;
use super::deploy::Deployment;
use super::prepare::read_template;
use super::source::invalid;
use super::{Body, Course, Member, MemberStatus, Stack, StackStatus, Step};
use crate::core::call::CallName;
use crate::core::place::Place;
use crate::core::random::Random;
use crate::core::refusal::Refusal;
use crate::core::state::Change;
use crate::core::time::Timestamp;
use crate::core::world::World;

impl World {
    pub(super) fn delete_stack(
        &mut self,
        place: &Place,
        named: &str,
        retained: &[String],
        client_token: Option<&str>,
        now: Timestamp,
    ) -> Result<StackReply, Refusal> {
        // What is not there is as good as deleted.
        let Some(stack) = self.find_stack(place, named, now) else { return Ok(StackReply::Done) };
        let status = stack.status_at(now);
        if matches!(status, StackStatus::DeleteInProgress | StackStatus::DeleteComplete) {
            return Ok(StackReply::Done);
        }
        let mut stack = Stack::clone(stack);
        // One that is being made can be deleted, and nothing more comes of it.
        let is_changing = matches!(
            status,
            StackStatus::UpdateInProgress
                | StackStatus::UpdateCleanup
                | StackStatus::UpdateRollbackInProgress
        );
        if is_changing {
            let (id, status) = (&stack.id, status.as_str());
            return Err(invalid(format!(
                "Stack [{id}] cannot be deleted while in status {status}"
            )));
        }
        if let Some(parent) = &stack.parent_id
            && self.find_stack(place, parent, now).is_some_and(|it| !it.is_gone(now))
        {
            return Err(invalid(format!("Nested stack {} is deleted with its parent", stack.id)));
        }
        for told in &stack.outputs {
            let Some(name) = &told.export else { continue };
            let users: Vec<&str> = self.importers(place, name, now).into_iter().collect();
            if !users.is_empty() {
                let users = users.join(", ");
                let message = format!("Export {name} cannot be deleted as it is in use by {users}");
                return Err(invalid(message));
            }
        }
        for name in retained {
            let Some(member) = stack.members.get_mut(name) else {
                let message = format!(
                    "The specified resources to retain do not belong to stack {}: [{name}]",
                    stack.name
                );
                return Err(invalid(message));
            };
            member.is_retained = true;
        }
        stack.client_token = client_token.map(str::to_owned);
        let deployment = Deployment::of_existing(self, place, stack, now, 0);
        let (stack, _) = deployment.delete(Some("User Initiated"));
        self.keep_stack(place, stack);
        Ok(StackReply::Done)
    }
}

impl<'w> Deployment<'w> {
    /// A deployment that needs no template but the one that the stack has.
    pub(super) fn of_existing(
        world: &'w mut World,
        place: &Place,
        stack: Stack,
        now: Timestamp,
        depth: usize,
    ) -> Self {
        let template = read_template(&stack.template).unwrap_or_else(|_| nothing());
        Self {
            world,
            place: place.clone(),
            stack,
            template,
            conditions: BTreeMap::new(),
            now,
            ends: BTreeMap::new(),
            undo: Vec::new(),
            is_hanging: false,
            depth,
        }
    }

    /// Deletes the stack with all that does not stay.
    pub(super) fn delete(mut self, reason: Option<&str>) -> (Stack, Vec<Change>) {
        let now = self.now;
        self.stack.course.settle(now);
        self.stack.goes(StackStatus::DeleteInProgress, now, reason.map(str::to_owned));
        let mut failed = Vec::new();
        let mut ends: BTreeMap<String, Timestamp> = BTreeMap::new();
        for name in last_first(&self.stack.members) {
            let Some(member) = self.stack.members.get(&name).cloned() else { continue };
            if matches!(member.body, Body::Nothing) {
                continue;
            }
            // What waited for it goes first.
            let waiting = self.stack.members.iter().filter(|(_, it)| it.waits_for.contains(&name));
            let start = waiting.filter_map(|(it, _)| ends.get(it)).copied().max().unwrap_or(now);
            let (course, done) = self.remove(&name, &member, start, member.is_retained);
            if let Some(member) = self.stack.members.get_mut(&name) {
                member.course = course;
            }
            match done {
                Ok(at) => {
                    ends.insert(name, at);
                }
                Err(_) => failed.push(name),
            }
        }
        let at = ends.values().copied().max().unwrap_or(now);
        if failed.is_empty() {
            self.stack.goes(StackStatus::DeleteComplete, at, None);
            self.stack.deleted_at = Some(at);
        } else {
            let names = failed.join(", ");
            let reason = format!("The following resource(s) failed to delete: [{names}]. ");
            self.stack.goes(StackStatus::DeleteFailed, at, Some(reason));
        }
        self.stack.earlier_outputs = std::mem::take(&mut self.stack.outputs);
        self.stack.outputs_from = at;
        if failed.is_empty() {
            self.stack.imports.clear();
        }
        self.stack.order_events();
        if self.is_hanging {
            self.hang();
        }
        (self.stack, self.undo)
    }

    /// Takes a resource away, or leaves it where it is; gives its way there, and when that is done.
    pub(super) fn remove(
        &mut self,
        name: &str,
        member: &Member,
        start: Timestamp,
        is_retained: bool,
    ) -> (Course<MemberStatus>, Result<Timestamp, String>) {
        let mut course = member.course.clone();
        course.settle(self.now);
        let mut go = |stack: &mut Stack, status, at, reason: Option<String>| {
            let step = Step { status, at, reason: reason.clone() };
            stack.note(name, &member.type_name, &member.physical_id, &step);
            course.then(status, at, reason);
        };
        if is_retained {
            go(&mut self.stack, MemberStatus::DeleteSkipped, start, None);
            return (course, Ok(start));
        }
        go(&mut self.stack, MemberStatus::DeleteInProgress, start, None);
        let done = self.take_away(name, member, start);
        match &done {
            Ok(at) => go(&mut self.stack, MemberStatus::DeleteComplete, *at, None),
            Err(why) => go(&mut self.stack, MemberStatus::DeleteFailed, start, Some(why.clone())),
        }
        (course, done)
    }

    fn take_away(
        &mut self,
        name: &str,
        member: &Member,
        start: Timestamp,
    ) -> Result<Timestamp, String> {
        let (type_name, id) = (member.type_name.as_str(), member.physical_id.as_str());
        let purpose = ["removal", self.stack.id.as_str(), name, id];
        let mut random = Random::new(self.world.settings.seed, &purpose);
        let at = self.end_of(start, &mut random);
        match &member.body {
            Body::Resource(identifier) => {
                let call = CallName::DeleteResource;
                self.meet_faults(call, type_name, Some(identifier), &mut random)?;
                let region = self.world.region(&self.place);
                if region.is_some_and(|it| it.document(type_name, identifier).is_some()) {
                    self.put(type_name, identifier, None, at);
                }
                Ok(at)
            }
            Body::Stack => {
                let region = self.world.region(&self.place);
                let Some(child) = region.and_then(|it| it.stacks.get(id)) else { return Ok(at) };
                let child = Stack::clone(child);
                let (place, depth) = (self.place.clone(), self.depth + 1);
                let inner = Deployment::of_existing(self.world, &place, child, start, depth);
                let (child, undo) = inner.delete(None);
                self.undo.extend(undo);
                let gone_at = child.deleted_at;
                self.put_stack(child);
                gone_at.ok_or_else(|| format!("Embedded stack {id} was not successfully deleted"))
            }
            Body::Inner(_) | Body::Custom | Body::Nothing => Ok(at),
        }
    }
}

/// The members, those that waited for others before those.
pub(super) fn last_first(members: &BTreeMap<String, Member>) -> Vec<String> {
    let mut left: Vec<&String> = members.keys().collect();
    let mut order = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let is_free = |name: &&&String| {
            !left.iter().any(|it| members[*it].waits_for.contains(**name) && it != *name)
        };
        // A circle cannot be: it was refused when the stack was made.
        let Some(at) = left.iter().position(|name| is_free(&name)) else {
            order.extend(left.drain(..).cloned());
            break;
        };
        order.push(left.remove(at).clone());
    }
    order
}

/// A template without anything in it.
fn nothing() -> Template {
    Template {
        description: None,
        parameters: BTreeMap::new(),
        mappings: Map::new(),
        conditions: BTreeMap::new(),
        resources: BTreeMap::new(),
        outputs: BTreeMap::new(),
    }
}
