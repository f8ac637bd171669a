//! A stack in a stack.

use hangar_manifest::cloudformation::template::Template;
use serde_json::Value;

use super::call::{Argument, Draft, OnFailure, Source};
use super::create::{Identity, new_stack};
use super::deploy::{Deployment, Made, text};
use super::name::made_up;
use super::prepare::read_template;
use super::{Body, Stack};
use crate::core::random::Random;
use crate::core::time::Timestamp;

/// Stacks may lie in stacks so deep.
pub(super) const MAX_DEPTH: usize = 8;

impl Deployment<'_> {
    pub(super) fn make_stack(
        &mut self,
        logical_id: &str,
        desired: &Value,
        start: Timestamp,
        random: &mut Random,
    ) -> Result<Made, String> {
        let name = made_up(&self.stack.name, logical_id, random, 128);
        let (draft, template, written) = self.child(&name, desired, None)?;
        let identity = Identity {
            name: &name,
            uuid: random.uuid(),
            parent_id: Some(self.stack.id.clone()),
            root_id: self.stack.root_id.clone().or_else(|| Some(self.stack.id.clone())),
        };
        let mut stack = new_stack(&self.place, identity, &draft, written, start);
        stack.tags.extend(self.stack.tags.iter().cloned());
        stack.parameters = self
            .world
            .parameters(&self.place, &template, &draft.parameters, None)
            .map_err(|refusal| refusal.message)?;
        let id = stack.id.clone();
        let (place, depth) = (self.place.clone(), self.depth + 1);
        let child = Deployment::begin(self.world, &place, stack, template, start, depth)
            .map_err(|refusal| refusal.message)?;
        let ended = child.create(OnFailure::Rollback);
        self.undo.extend(ended.undo);
        self.is_hanging |= ended.is_hanging;
        let ends_at = ended.ends_at;
        self.put_stack(ended.stack);
        match ended.failure {
            None => Ok(Made { physical_id: id, body: Body::Stack, ends_at }),
            Some(why) => Err(format!("Embedded stack {id} was not successfully created: {why}")),
        }
    }

    /// What the properties of a nested stack ask for.
    pub(super) fn child(
        &self,
        name: &str,
        desired: &Value,
        previous: Option<&Stack>,
    ) -> Result<(Draft, Template, String), String> {
        if self.depth >= MAX_DEPTH {
            return Err(format!("stacks are nested more than {MAX_DEPTH} levels deep"));
        }
        let Some(url) = desired.get("TemplateURL").and_then(Value::as_str) else {
            return Err("Property TemplateURL cannot be empty.".to_owned());
        };
        let source = Source::Url(url.to_owned());
        let written = self.world.template_text(&source, previous.map(|it| it.template.as_str()));
        let written = written.map_err(|refusal| refusal.message)?;
        let template = read_template(&written).map_err(|refusal| refusal.message)?;
        let given = desired.get("Parameters").and_then(Value::as_object);
        let parameters = given.into_iter().flatten().map(|(name, value)| {
            let value = match value {
                Value::Array(items) => items.iter().filter_map(text).collect::<Vec<_>>().join(","),
                value => text(value).unwrap_or_default(),
            };
            (name.clone(), Argument::Value(value))
        });
        let tags = desired.get("Tags").and_then(Value::as_array).into_iter().flatten();
        let tags = tags.filter_map(|tag| Some((text(tag.get("Key")?)?, text(tag.get("Value")?)?)));
        let draft = Draft {
            name: name.to_owned(),
            source,
            parameters: parameters.collect(),
            tags: Some(tags.collect()),
            capabilities: self.stack.capabilities.clone(),
            role_arn: self.stack.role_arn.clone(),
            on_failure: OnFailure::Rollback,
            client_token: None,
        };
        Ok((draft, template, written))
    }
}
