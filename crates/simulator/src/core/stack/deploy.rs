//! A deployment under way: resources in the order of their dependencies, each change with what undoes it.

use std::collections::{BTreeMap, BTreeSet};

use hangar_manifest::cloudformation::template::{Policy, Resource, Template};
use serde_json::Value;

use super::{Body, Course, Member, MemberStatus, Stack, Step, Told};
use crate::core::place::Place;
use crate::core::random::Random;
use crate::core::state::{self, Change};
use crate::core::time::Timestamp;
use crate::core::world::World;

/// A deployment.
pub(super) struct Deployment<'w> {
    pub(super) world: &'w mut World,
    pub(super) place: Place,
    /// As it will be.
    pub(super) stack: Stack,
    pub(super) template: Template,
    pub(super) conditions: BTreeMap<String, bool>,
    pub(super) now: Timestamp,
    /// When each resource is ready that was looked at so far.
    pub(super) ends: BTreeMap<String, Timestamp>,
    /// What makes all as it was, to be done from the end.
    pub(super) undo: Vec<Change>,
    /// Whether a fault keeps it from ending.
    pub(super) is_hanging: bool,
    /// How many stacks it lies in.
    pub(super) depth: usize,
}

/// A resource that could not be made or changed.
pub(super) struct Failed {
    pub(super) logical_id: Option<String>,
    pub(super) reason: String,
    pub(super) at: Timestamp,
}

/// A resource that was just made.
pub(super) struct Made {
    pub(super) physical_id: String,
    pub(super) body: Body,
    pub(super) ends_at: Timestamp,
}

impl Deployment<'_> {
    /// The resources that are to be there, each after what it waits for.
    pub(super) fn order(&self) -> Vec<(String, Resource, BTreeSet<String>)> {
        let there = |name: &str| {
            let condition =
                self.template.resources.get(name).and_then(|it| it.condition.as_deref());
            self.holds(condition)
        };
        let waits = self.template.dependencies(there);
        // Circles were refused before.
        let order = self.template.resource_order(there).unwrap_or_default();
        order
            .into_iter()
            .filter_map(|name| {
                let resource = self.template.resources.get(name)?.clone();
                let waits = waits.get(name).cloned().unwrap_or_default();
                Some((name.to_owned(), resource, waits))
            })
            .collect()
    }

    /// When a resource can begin.
    pub(super) fn start_of(&self, waits: &BTreeSet<String>) -> Timestamp {
        waits.iter().filter_map(|name| self.ends.get(name)).copied().max().unwrap_or(self.now)
    }

    /// When something ends that begins then.
    pub(super) fn end_of(&self, start: Timestamp, random: &mut Random) -> Timestamp {
        let latency = self.world.settings.latency;
        let millis = |it: std::time::Duration| u64::try_from(it.as_millis()).unwrap_or(u64::MAX);
        let takes = random.between(millis(latency.least), millis(latency.most));
        Timestamp::from_millis(start.millis().saturating_add(takes))
    }

    /// Makes all resources of a new stack.
    pub(super) fn create_all(&mut self) -> Result<(), Failed> {
        for (name, resource, waits) in self.order() {
            self.create_one(&name, &resource, waits)?;
        }
        self.tell()
    }

    /// Makes one resource and takes it into the stack.
    pub(super) fn create_one(
        &mut self,
        name: &str,
        resource: &Resource,
        waits: BTreeSet<String>,
    ) -> Result<(), Failed> {
        let start = self.start_of(&waits);
        let failed = |reason| Failed { logical_id: Some(name.to_owned()), reason, at: start };
        let begun = Step { status: MemberStatus::CreateInProgress, at: start, reason: None };
        let type_name = resource.type_name.clone();
        self.stack.note(name, &type_name, "", &begun);
        let properties = match self.properties_of(resource) {
            Ok(properties) => properties,
            Err(reason) => return Err(self.not_made(name, resource, waits, failed(reason))),
        };
        let made = match self.make(name, &type_name, &properties, start) {
            Ok(made) => made,
            Err(reason) => return Err(self.not_made(name, resource, waits, failed(reason))),
        };
        let mut course = Course::begun(MemberStatus::CreateInProgress, start, None);
        course.then(MemberStatus::CreateComplete, made.ends_at, None);
        let ready = Step { status: MemberStatus::CreateComplete, at: made.ends_at, reason: None };
        self.stack.note(name, &type_name, &made.physical_id, &ready);
        self.ends.insert(name.to_owned(), made.ends_at);
        let member = Member {
            type_name,
            physical_id: made.physical_id,
            body: made.body,
            properties: properties.to_string(),
            waits_for: waits,
            is_retained: is_retained(resource.deletion_policy),
            is_retained_on_replacement: is_retained(resource.update_replace_policy),
            course,
        };
        self.stack.members.insert(name.to_owned(), member);
        Ok(())
    }

    /// Takes a resource into the stack that could not be made.
    fn not_made(
        &mut self,
        name: &str,
        resource: &Resource,
        waits_for: BTreeSet<String>,
        failed: Failed,
    ) -> Failed {
        let reason = Some(failed.reason.clone());
        let step = Step { status: MemberStatus::CreateFailed, at: failed.at, reason };
        self.stack.note(name, &resource.type_name, "", &step);
        let member = Member {
            type_name: resource.type_name.clone(),
            physical_id: String::new(),
            body: Body::Nothing,
            properties: "{}".to_owned(),
            waits_for,
            is_retained: false,
            is_retained_on_replacement: false,
            course: Course::begun(step.status, step.at, step.reason),
        };
        self.stack.members.insert(name.to_owned(), member);
        failed
    }

    /// The properties that the template comes to.
    pub(super) fn properties_of(&mut self, resource: &Resource) -> Result<Value, String> {
        let value = self.value(&resource.properties)?;
        Ok(value.unwrap_or_else(|| Value::Object(serde_json::Map::new())))
    }

    /// Evaluates the outputs.
    pub(super) fn tell(&mut self) -> Result<(), Failed> {
        let at = self.ends.values().copied().max().unwrap_or(self.now);
        let failed = |reason| Failed { logical_id: None, reason, at };
        let outputs: Vec<_> =
            self.template.outputs.iter().map(|(key, it)| (key.clone(), it.clone())).collect();
        let mut told: Vec<Told> = Vec::new();
        for (key, output) in outputs {
            if !self.holds(output.condition.as_deref()) {
                continue;
            }
            let Some(value) = self.value(&output.value).map_err(failed)? else { continue };
            let value = text(&value).ok_or_else(|| {
                failed(format!(
                    "Template format error: Output {key} is malformed. The Value field of every \
                     Outputs member must evaluate to a String."
                ))
            })?;
            let export = match &output.export {
                None => None,
                Some(name) => {
                    let name = self.value(name).map_err(failed)?;
                    let name = name.as_ref().and_then(text).ok_or_else(|| {
                        failed(format!("Export name of output {key} must be a string"))
                    })?;
                    self.refuse_taken_export(&name, &told).map_err(failed)?;
                    Some(name)
                }
            };
            told.push(Told { key, value, description: output.description, export });
        }
        self.stack.outputs = told;
        Ok(())
    }

    fn refuse_taken_export(&self, name: &str, told: &[Told]) -> Result<(), String> {
        if told.iter().any(|told| told.export.as_deref() == Some(name)) {
            let own = &self.stack.name;
            return Err(format!("Export with name {name} is already exported by stack {own}."));
        }
        match self.world.export(&self.place, name, self.now) {
            Some((other, _)) if other.id != self.stack.id => {
                let other = &other.name;
                Err(format!("Export with name {name} is already exported by stack {other}."))
            }
            _ => Ok(()),
        }
    }

    /// Writes a resource, or takes it away, so that reads see it from then on; can be undone.
    pub(super) fn put(
        &mut self,
        type_name: &str,
        identifier: &str,
        document: Option<state::Document>,
        at: Timestamp,
    ) {
        let before =
            self.world.region(&self.place).and_then(|it| it.resource(type_name, identifier));
        let before = before.cloned();
        let visible_from = at.after(self.world.settings.read_delay);
        let seen = before.as_ref().and_then(|before| before.seen_at(self.now));
        let earlier = seen.filter(|_| visible_from > self.now).map(Into::into);
        let resource = if document.is_none() && earlier.is_none() {
            None
        } else {
            Some(state::Resource { document, visible_from, earlier })
        };
        let change = |resource| Change::Resource {
            place: self.place.clone(),
            type_name: type_name.into(),
            identifier: identifier.into(),
            resource,
        };
        let (forth, back) = (change(resource), change(before));
        self.undo.push(back);
        self.world.commit(forth);
    }

    /// Keeps a stack; can be undone.
    pub(super) fn put_stack(&mut self, stack: Stack) {
        let id: std::sync::Arc<str> = stack.id.as_str().into();
        let before = self.world.region(&self.place).and_then(|it| it.stacks.get(&id)).cloned();
        let place = self.place.clone();
        self.undo.push(Change::Stack { place: place.clone(), id: id.clone(), stack: before });
        self.world.commit(Change::Stack { place, id, stack: Some(stack.into()) });
    }

    /// Makes all as it was.
    pub(super) fn roll_back(&mut self) {
        for change in std::mem::take(&mut self.undo).into_iter().rev() {
            self.world.commit(change);
        }
    }
}

pub(super) fn is_retained(policy: Policy) -> bool {
    matches!(policy, Policy::Retain | Policy::RetainExceptOnCreate)
}

pub(super) fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}
