//! What is looked at before a deployment begins: all that CloudFormation refuses at once.

use std::collections::{BTreeMap, BTreeSet};

use hangar_manifest::cloudformation::intrinsic::{
    Fault, Reference, evaluate_condition, references,
};
use hangar_manifest::cloudformation::template::Template;

use super::deploy::Deployment;
use super::source::{invalid, parse};
use super::{STACK_TYPE, Stack};
use crate::core::place::Place;
use crate::core::refusal::Refusal;
use crate::core::time::Timestamp;
use crate::core::world::World;

/// Types that have no schema.
pub(super) fn is_custom(type_name: &str) -> bool {
    type_name.starts_with("Custom::") || type_name == "AWS::CloudFormation::CustomResource"
}

/// CDK's own, whether the catalog has it or not.
const CDK_METADATA: &str = "AWS::CDK::Metadata";

/// Reads a template.
pub(super) fn read_template(text: &str) -> Result<Template, Refusal> {
    let tree = parse(text).map_err(invalid)?;
    let template = Template::read(&tree).map_err(|error| invalid(error.to_string()))?;
    template.resource_order(|_| true).map_err(|error| {
        let message = error.to_string();
        invalid(if message.starts_with("Circular") {
            message
        } else {
            format!("Template format error: {message}")
        })
    })?;
    template.condition_order().map_err(|error| invalid(error.to_string()))?;
    Ok(template)
}

impl World {
    /// Whether all types of a template are there, and have the attributes that are asked for.
    pub(super) fn check_types(&mut self, template: &Template) -> Result<(), Refusal> {
        let mut unknown = BTreeSet::new();
        for resource in template.resources.values() {
            let name = resource.type_name.as_str();
            let is_known = is_custom(name)
                || name == STACK_TYPE
                || name == CDK_METADATA
                || self.types.get(name).is_ok();
            if !is_known {
                unknown.insert(name);
            }
        }
        if !unknown.is_empty() {
            let names = unknown.into_iter().collect::<Vec<_>>().join(", ");
            let message = format!("Template format error: Unrecognized resource types: [{names}]");
            return Err(invalid(message));
        }
        let properties = template.resources.values().map(|resource| &resource.properties);
        let outputs = template.outputs.values().map(|output| &output.value);
        for expression in properties.chain(outputs) {
            for reference in references(expression) {
                self.check_attribute(template, &reference)?;
            }
        }
        Ok(())
    }

    fn check_attribute(
        &mut self,
        template: &Template,
        reference: &Reference,
    ) -> Result<(), Refusal> {
        let Reference::Attribute { logical_id, attribute: Some(attribute) } = reference else {
            return Ok(());
        };
        let Some(resource) = template.resources.get(logical_id) else {
            let message = format!(
                "Template error: instance of Fn::GetAtt references undefined resource {logical_id}"
            );
            return Err(invalid(message));
        };
        let name = resource.type_name.as_str();
        if is_custom(name) || name == STACK_TYPE {
            return Ok(());
        }
        let Ok(schema) = self.types.get(name) else { return Ok(()) };
        let first = attribute.split('.').next().unwrap_or_default();
        let has_it = schema.property_names().any(|it| it == first || it == attribute);
        if has_it || schema.handlers().is_empty() {
            return Ok(());
        }
        Err(invalid(format!(
            "Template error: resource {logical_id} does not support attribute type {attribute} in \
             Fn::GetAtt"
        )))
    }
}

impl<'w> Deployment<'w> {
    /// A deployment of a template that passed all that is looked at before.
    pub(super) fn begin(
        world: &'w mut World,
        place: &Place,
        stack: Stack,
        template: Template,
        now: Timestamp,
        depth: usize,
    ) -> Result<Self, Refusal> {
        world.check_types(&template)?;
        let mut deployment = Self {
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
        };
        deployment.resolve_conditions()?;
        Ok(deployment)
    }

    fn resolve_conditions(&mut self) -> Result<(), Refusal> {
        let order = self.template.condition_order().map_err(|error| invalid(error.to_string()))?;
        let order: Vec<String> = order.into_iter().map(str::to_owned).collect();
        for name in order {
            let Some(expression) = self.template.conditions.get(&name).cloned() else { continue };
            let holds = evaluate_condition(&expression, self).map_err(|fault| match fault {
                Fault::Stop(reason) => invalid(reason),
                Fault::Wrong(error) => invalid(format!("Template error: {error}")),
            })?;
            self.conditions.insert(name, holds);
        }
        Ok(())
    }

    /// Whether a resource or an output is there by its condition.
    pub(super) fn holds(&self, condition: Option<&str>) -> bool {
        condition.is_none_or(|name| self.conditions.get(name).copied().unwrap_or(false))
    }
}
