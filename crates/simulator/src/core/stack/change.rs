//! One resource of a stack is changed in its place, or another takes it.

use std::collections::BTreeSet;

use hangar_manifest::cloudformation::template::Resource;
use hangar_schema::{TypeSchema, identifier_of, secret_pointers, touched};
use serde_json::{Map, Value, json};

use super::deploy::{Deployment, Failed, Made, is_retained};
use super::fit::{coerced, tagged};
use super::member::reason;
use super::name::{name_property, physical_id_of};
use super::prepare::is_custom;
use super::{Body, Course, Member, MemberStatus, STACK_TYPE, Stack, Step};
use crate::core::call::CallName;
use crate::core::json_patch;
use crate::core::model::{self, parse};
use crate::core::random::Random;
use crate::core::refusal::{Exception, HandlerErrorCode, Refusal};
use crate::core::time::Timestamp;
use crate::core::words::not_found_words;

/// What a change comes to.
enum Outcome {
    /// Nothing is other.
    Same,
    /// It is other, in its place.
    Changed(Made),
    /// Another has its place.
    Replaced(Made),
}

impl Deployment<'_> {
    /// Changes one resource to what the template says; gives the old one where another took its place.
    pub(super) fn change_one(
        &mut self,
        name: &str,
        resource: &Resource,
        waits: BTreeSet<String>,
        old: &Member,
        before: &Stack,
    ) -> Result<Option<Member>, Failed> {
        let start = self.start_of(&waits);
        let properties = self.properties_of(resource);
        let changed = properties.and_then(|properties| {
            let has_other_tags = before.tags != self.stack.tags;
            self.changed(name, old, &properties, has_other_tags, start)
                .map(|outcome| (properties, outcome))
        });
        let (properties, outcome) = match changed {
            Ok(changed) => changed,
            Err(why) => {
                let reason = Some(why.clone());
                let step = Step { status: MemberStatus::UpdateFailed, at: start, reason };
                self.stack.note(name, &old.type_name, &old.physical_id, &step);
                return Err(Failed { logical_id: Some(name.to_owned()), reason: why, at: start });
            }
        };
        let mut member = Member {
            properties: properties.to_string(),
            waits_for: waits,
            is_retained: is_retained(resource.deletion_policy),
            is_retained_on_replacement: is_retained(resource.update_replace_policy),
            ..old.clone()
        };
        let gone = match outcome {
            Outcome::Same => {
                self.ends.insert(name.to_owned(), start);
                None
            }
            Outcome::Changed(made) => {
                self.take_in(name, &mut member, made, start);
                None
            }
            Outcome::Replaced(made) => {
                self.take_in(name, &mut member, made, start);
                Some(old.clone())
            }
        };
        self.stack.members.insert(name.to_owned(), member);
        Ok(gone)
    }

    fn take_in(&mut self, name: &str, member: &mut Member, made: Made, start: Timestamp) {
        let begun = Step { status: MemberStatus::UpdateInProgress, at: start, reason: None };
        self.stack.note(name, &member.type_name, &member.physical_id, &begun);
        let done = Step { status: MemberStatus::UpdateComplete, at: made.ends_at, reason: None };
        self.stack.note(name, &member.type_name, &made.physical_id, &done);
        let mut course: Course<MemberStatus> = member.course.clone();
        course.then(begun.status, begun.at, None);
        course.then(done.status, done.at, None);
        member.course = course;
        member.physical_id = made.physical_id;
        member.body = made.body;
        self.ends.insert(name.to_owned(), made.ends_at);
    }

    fn changed(
        &mut self,
        name: &str,
        old: &Member,
        properties: &Value,
        has_other_tags: bool,
        start: Timestamp,
    ) -> Result<Outcome, String> {
        let type_name = old.type_name.as_str();
        let is_same = parse(&old.properties) == *properties;
        if type_name == STACK_TYPE {
            return self.change_stack(old, properties, start);
        }
        if is_same && !has_other_tags {
            return Ok(Outcome::Same);
        }
        let schema = self.world.types.get(type_name).ok().filter(|_| !is_custom(type_name));
        let (Some(schema), false) = (schema, is_custom(type_name)) else {
            let mut random =
                Random::new(self.world.settings.seed, &["change", name, &old.physical_id]);
            let ends_at = self.end_of(start, &mut random);
            let (physical_id, body) = (old.physical_id.clone(), old.body.clone());
            return Ok(if is_same {
                Outcome::Same
            } else {
                Outcome::Changed(Made { physical_id, body, ends_at })
            });
        };
        let desired = coerced(&schema, &self.resolved(properties, 0)?);
        let earlier = parse(&old.properties);
        let earlier = coerced(&schema, &self.resolved(&earlier, 0).unwrap_or(earlier));
        let is_fixed = !touched(&schema.lists().create_only, &earlier, &desired).is_empty();
        let handlers = schema.handlers();
        let has_no_way = handlers.create.is_some() && handlers.update.is_none() && !is_same;
        if is_fixed || has_no_way {
            if let Some(name) = kept_name(&schema, &earlier, &desired, &old.body) {
                return Err(format!(
                    "CloudFormation cannot update a stack when a custom-named resource requires \
                     replacing. Rename {name} and update the stack again."
                ));
            }
            return self.make(name, type_name, properties, start).map(Outcome::Replaced);
        }
        match &old.body {
            Body::Resource(identifier) => {
                self.patch(name, &schema, identifier, [&earlier, &desired], start)
            }
            Body::Inner(document) => {
                let mut random = Random::new(self.world.settings.seed, &["change", name, document]);
                let ends_at = self.end_of(start, &mut random);
                let mut values = parse(document);
                merge(&mut values, &earlier, &desired);
                let physical_id = old.physical_id.clone();
                Ok(Outcome::Changed(Made {
                    physical_id,
                    body: Body::Inner(values.to_string()),
                    ends_at,
                }))
            }
            _ => Ok(Outcome::Same),
        }
    }

    /// Changes a resource by what Cloud Control's own update does.
    fn patch(
        &mut self,
        name: &str,
        schema: &TypeSchema,
        identifier: &str,
        [earlier, desired]: [&Value; 2],
        start: Timestamp,
    ) -> Result<Outcome, String> {
        let type_name = schema.name();
        let serial = self.world.next_serial(&self.place);
        let purpose = ["change", self.stack.id.as_str(), name, &serial.to_string()];
        let mut random = Random::new(self.world.settings.seed, &purpose);
        let tags = self.stack.member_tags(name);
        let (earlier, desired) = (earlier.clone(), tagged(schema, desired, &tags));
        self.meet_faults(CallName::UpdateResource, type_name, Some(identifier), &mut random)?;
        let refused = |refusal: &Refusal, random: &mut Random| reason(name, refusal, random);
        let region = self.world.region(&self.place);
        let Some(live) = region.and_then(|it| it.document(type_name, identifier)).cloned() else {
            let words = not_found_words(type_name, identifier);
            let code = HandlerErrorCode::NotFound;
            return Err(super::member::handler_message(code, &words, &mut random));
        };
        self.world
            .refuse_busy(&self.place, schema, identifier)
            .map_err(|refusal| refused(&refusal, &mut random))?;
        let written = operations(schema, &parse(&live.readable), &earlier, &desired);
        if written.is_empty() {
            return Ok(Outcome::Same);
        }
        let operations = json_patch::read(&Value::Array(written).to_string());
        let operations = operations
            .map_err(|why| refused(&Refusal::new(Exception::Validation, why), &mut random))?;
        let about = self.world.circumstances(&self.place, schema, serial, self.now);
        let updated = model::update(&live, &[], &operations, about)
            .map_err(|refusal| refused(&refusal, &mut random))?;
        let place = self.place.clone();
        self.world.commit(crate::core::state::Change::Serial { place, next: serial + 1 });
        let values = parse(updated.document.whole());
        let ends_at = self.end_of(start, &mut random);
        self.put(type_name, identifier, Some(updated.document), ends_at);
        let physical_id = physical_id_of(type_name, identifier, &values);
        let body = Body::Resource(identifier.to_owned());
        Ok(Outcome::Changed(Made { physical_id, body, ends_at }))
    }

    /// Changes a stack in a stack.
    fn change_stack(
        &mut self,
        old: &Member,
        properties: &Value,
        start: Timestamp,
    ) -> Result<Outcome, String> {
        let id = old.physical_id.clone();
        let known = self.world.region(&self.place).and_then(|it| it.stacks.get(id.as_str()));
        let Some(child) = known.map(|child| Stack::clone(child)) else {
            return Err(format!("Stack with id {id} does not exist"));
        };
        let desired = self.resolved(properties, 0)?;
        let (mut draft, _, written) = self.child(&child.name, &desired, Some(&child))?;
        if let Some(tags) = &mut draft.tags {
            tags.extend(self.stack.tags.iter().cloned());
        }
        let (place, depth) = (self.place.clone(), self.depth + 1);
        let inner = self.world.update_of(&place, &child, &draft, written, start, depth);
        let inner = match inner {
            Ok(inner) => inner,
            Err(refusal) if refusal.message.starts_with("No updates") => return Ok(Outcome::Same),
            Err(refusal) => return Err(refusal.message),
        };
        let ended = inner.update(child);
        self.undo.extend(ended.undo);
        self.is_hanging |= ended.is_hanging;
        self.put_stack(ended.stack);
        match ended.failure {
            None => {
                let made = Made { physical_id: id, body: Body::Stack, ends_at: ended.ends_at };
                Ok(Outcome::Changed(made))
            }
            Some(why) => Err(format!("Embedded stack {id} was not successfully updated: {why}")),
        }
    }
}

/// The name that a template gives both the old resource and the one that would take its place.
fn kept_name(schema: &TypeSchema, earlier: &Value, desired: &Value, body: &Body) -> Option<String> {
    let Body::Resource(known) = body else { return None };
    if let Ok(identifier) = identifier_of(schema, desired) {
        return (identifier.as_str() == known).then(|| known.clone());
    }
    let property = name_property(schema)?;
    let name = desired.get(property)?.as_str()?;
    (earlier.get(property).and_then(Value::as_str) == Some(name)).then(|| name.to_owned())
}

/// What leads from one template's properties to the other's: by whole properties, with what is write-only
/// stated again, as it would be lost.
fn operations(schema: &TypeSchema, live: &Value, earlier: &Value, desired: &Value) -> Vec<Value> {
    let empty = Map::new();
    let (earlier, desired) =
        (earlier.as_object().unwrap_or(&empty), desired.as_object().unwrap_or(&empty));
    let path = |name: &str| format!("/{}", name.replace('~', "~0").replace('/', "~1"));
    let gone = earlier
        .keys()
        .filter(|name| !desired.contains_key(*name) && live.get(*name).is_some())
        .map(|name| json!({"op": "remove", "path": path(name)}));
    let other = desired
        .iter()
        .filter(|(name, value)| {
            let only = json!({ name.as_str(): value });
            live.get(*name) != Some(*value)
                && (earlier.get(*name) != Some(*value)
                    || !secret_pointers(schema, &only).is_empty())
        })
        .map(|(name, value)| json!({"op": "add", "path": path(name), "value": value}));
    gone.chain(other).collect()
}

fn merge(values: &mut Value, earlier: &Value, desired: &Value) {
    let (Some(values), Some(desired)) = (values.as_object_mut(), desired.as_object()) else {
        return;
    };
    for name in earlier.as_object().into_iter().flat_map(Map::keys) {
        if !desired.contains_key(name) {
            values.remove(name);
        }
    }
    values.extend(desired.clone());
}
