//! A stack is changed: what is new is made, what is other is changed or replaced, what is gone is deleted.

use super::call::{Draft, StackReply};
use super::create::Ended;
use super::delete::last_first;
use super::deploy::{Deployment, Failed};
use super::prepare::read_template;
use super::source::invalid;
use super::{Body, Member, MemberStatus, Stack, StackStatus};
use crate::core::place::Place;
use crate::core::refusal::Refusal;
use crate::core::time::Timestamp;
use crate::core::world::World;

/// A resource whose place another has taken.
pub(super) struct Replaced {
    pub(super) name: String,
    pub(super) member: Member,
}

impl World {
    pub(super) fn update_stack(
        &mut self,
        place: &Place,
        draft: &Draft,
        now: Timestamp,
    ) -> Result<StackReply, Refusal> {
        let found = self.find_stack(place, &draft.name, now).filter(|stack| !stack.is_gone(now));
        let Some(before) = found.map(|stack| Stack::clone(stack)) else {
            return Err(invalid(format!("Stack [{}] does not exist", draft.name)));
        };
        let is_retry = draft.client_token.is_some() && before.client_token == draft.client_token;
        if is_retry && before.updated_at.is_some() {
            return Ok(StackReply::Id(before.id));
        }
        let status = before.status_at(now);
        if !can_change(status) {
            let (id, status) = (&before.id, status.as_str());
            let message = format!("Stack:{id} is in {status} state and can not be updated.");
            return Err(invalid(message));
        }
        let written = self.template_text(&draft.source, Some(&before.template))?;
        let deployment = self.update_of(place, &before, draft, written, now, 0)?;
        let id = before.id.clone();
        let ended = deployment.update(before);
        self.keep_stack(place, ended.stack);
        Ok(StackReply::Id(id))
    }

    /// The change of a stack that was asked for, if it is one.
    pub(super) fn update_of(
        &mut self,
        place: &Place,
        before: &Stack,
        draft: &Draft,
        written: String,
        now: Timestamp,
        depth: usize,
    ) -> Result<Deployment<'_>, Refusal> {
        let template = read_template(&written)?;
        let parameters = self.parameters(place, &template, &draft.parameters, Some(before))?;
        let tags = draft.tags.clone().unwrap_or_else(|| before.tags.clone());
        let is_other_type = |name: &&String| {
            let old = before.members.get(*name).filter(|member| is_live(member));
            old.is_some_and(|old| template.resources[*name].type_name != old.type_name)
        };
        let other: Vec<&str> =
            template.resources.keys().filter(is_other_type).map(String::as_str).collect();
        if !other.is_empty() {
            return Err(invalid(format!(
                "Update of resource type is not permitted. The new template modifies resource type \
                 of the following resources: [{}]",
                other.join(", ")
            )));
        }
        let is_same_template = read_template(&before.template).is_ok_and(|it| it == template);
        if is_same_template && parameters == before.parameters && tags == before.tags {
            return Err(invalid("No updates are to be performed."));
        }
        let mut stack = before.clone();
        stack.description.clone_from(&template.description);
        stack.template = written;
        stack.parameters = parameters;
        stack.tags = tags;
        if !draft.capabilities.is_empty() {
            stack.capabilities.clone_from(&draft.capabilities);
        }
        if draft.role_arn.is_some() {
            stack.role_arn.clone_from(&draft.role_arn);
        }
        stack.client_token.clone_from(&draft.client_token);
        stack.updated_at = Some(now);
        stack.imports.clear();
        stack.members.retain(|_, member| is_live(member));
        for member in stack.members.values_mut() {
            member.course.settle(now);
        }
        stack.course.settle(now);
        let reason = stack.parent_id.is_none().then(|| "User Initiated".to_owned());
        stack.goes(StackStatus::UpdateInProgress, now, reason);
        Deployment::begin(self, place, stack, template, now, depth)
    }
}

/// Whether a stack can be changed that is so far.
fn can_change(status: StackStatus) -> bool {
    matches!(
        status,
        StackStatus::CreateComplete
            | StackStatus::UpdateComplete
            | StackStatus::UpdateRollbackComplete
    )
}

/// Whether a resource is there, or will be.
fn is_live(member: &Member) -> bool {
    let last = member.course.last().map(|step| step.status);
    let is_gone = matches!(last, Some(MemberStatus::DeleteComplete | MemberStatus::DeleteSkipped));
    !is_gone && member.body != Body::Nothing
}

impl Deployment<'_> {
    /// Changes the stack, and says what came of it.
    pub(super) fn update(mut self, before: Stack) -> Ended {
        let mut replaced = Vec::new();
        let failed = self.change_all(&before, &mut replaced).err();
        let ready = self.ends.values().copied().max().unwrap_or(self.now);
        if let Some(failed) = failed {
            return self.change_back(before, failed, ready);
        }
        self.stack.earlier_outputs = before.outputs_at(self.now).to_vec();
        self.stack.outputs_from = ready;
        self.stack.goes(StackStatus::UpdateCleanup, ready, None);
        let ends_at = self.clean_up(replaced, ready);
        self.stack.goes(StackStatus::UpdateComplete, ends_at, None);
        self.stack.order_events();
        if self.is_hanging {
            self.hang();
        }
        let Self { stack, undo, is_hanging, .. } = self;
        Ended { stack, undo, failure: None, ends_at, is_hanging }
    }

    fn change_all(&mut self, before: &Stack, replaced: &mut Vec<Replaced>) -> Result<(), Failed> {
        for (name, resource, waits) in self.order() {
            match self.stack.members.get(&name).cloned() {
                None => self.create_one(&name, &resource, waits)?,
                Some(old) => {
                    let gone = self.change_one(&name, &resource, waits, &old, before)?;
                    replaced.extend(gone.map(|member| Replaced { name, member }));
                }
            }
        }
        self.tell()?;
        self.keep_promises(before).map_err(|reason| Failed {
            logical_id: None,
            reason,
            at: self.ends.values().copied().max().unwrap_or(self.now),
        })
    }

    /// An export that another stack uses must stay as it is.
    fn keep_promises(&self, before: &Stack) -> Result<(), String> {
        for told in &before.outputs {
            let Some(name) = &told.export else { continue };
            let now = self.stack.outputs.iter().find(|it| it.export == told.export);
            let deed = match now {
                Some(now) if now.value == told.value => continue,
                Some(_) => "updated",
                None => "deleted",
            };
            let users = self.world.importers(&self.place, name, self.now);
            if !users.is_empty() {
                let users = users.into_iter().collect::<Vec<_>>().join(", ");
                return Err(format!("Export {name} cannot be {deed} as it is in use by {users}"));
            }
        }
        Ok(())
    }

    /// Deletes what the stack no longer needs; gives when that is done.
    fn clean_up(&mut self, replaced: Vec<Replaced>, ready: Timestamp) -> Timestamp {
        let mut ends_at = ready;
        for Replaced { name, member } in replaced.into_iter().rev() {
            let is_retained = member.is_retained_on_replacement;
            // A failure here leaves the old one behind, and the stack is changed all the same.
            let (_, done) = self.remove(&name, &member, ready, is_retained);
            ends_at = ends_at.max(done.unwrap_or(ready));
        }
        for name in last_first(&self.stack.members) {
            if self.ends.contains_key(&name) {
                continue;
            }
            let Some(member) = self.stack.members.get(&name).cloned() else { continue };
            let (course, done) = self.remove(&name, &member, ready, member.is_retained);
            ends_at = ends_at.max(done.unwrap_or(ready));
            if let Some(member) = self.stack.members.get_mut(&name) {
                member.course = course;
            }
        }
        ends_at
    }

    fn change_back(mut self, before: Stack, failed: Failed, ready: Timestamp) -> Ended {
        self.roll_back();
        let at = failed.at.max(ready);
        let why = match &failed.logical_id {
            Some(name) => format!("The following resource(s) failed to update: [{name}]. "),
            None => failed.reason.clone(),
        };
        let mut stack = before;
        stack.events = std::mem::take(&mut self.stack.events);
        stack.course = self.stack.course.clone();
        stack.client_token.clone_from(&self.stack.client_token);
        stack.updated_at = self.stack.updated_at;
        for member in stack.members.values_mut() {
            member.course.settle(self.now);
        }
        stack.goes(StackStatus::UpdateRollbackInProgress, at, Some(why));
        stack.goes(StackStatus::UpdateRollbackComplete, at, None);
        stack.order_events();
        self.stack = stack;
        if self.is_hanging {
            self.hang();
        }
        let Self { stack, is_hanging, .. } = self;
        Ended { stack, undo: Vec::new(), failure: Some(failed.reason), ends_at: at, is_hanging }
    }
}
