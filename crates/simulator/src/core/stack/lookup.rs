//! What names in a template stand for while it is deployed.

use hangar_manifest::cloudformation::intrinsic::{Fault, Lookup, StackOutput, evaluate};
use serde_json::{Value, json};

use super::deploy::Deployment;
use super::name::attribute_of;
use super::parameters::value_of;
use super::{Body, Member};
use crate::core::model::parse;
use crate::core::place::Place;
use crate::core::session::Role;

impl Deployment<'_> {
    /// The value of an expression, or why there is none, in AWS's words.
    pub(super) fn value(&mut self, expression: &Value) -> Result<Option<Value>, String> {
        evaluate(expression, self).map_err(|fault| match fault {
            Fault::Stop(reason) => reason,
            Fault::Wrong(error) => format!("Template error: {error}"),
        })
    }

    fn pseudo(&self, name: &str) -> Option<Value> {
        Some(match name {
            "AWS::AccountId" => json!(self.place.account()),
            "AWS::NotificationARNs" => json!([]),
            "AWS::Partition" => json!(self.place.partition()),
            "AWS::Region" => json!(self.place.region()),
            "AWS::StackId" => json!(self.stack.id),
            "AWS::StackName" => json!(self.stack.name),
            "AWS::URLSuffix" => json!(self.place.dns_suffix()),
            _ => return None,
        })
    }

    /// All values of a resource that is there.
    pub(super) fn values_of(&self, member: &Member) -> Value {
        match &member.body {
            Body::Resource(identifier) => {
                let region = self.world.region(&self.place);
                let document = region.and_then(|it| it.document(&member.type_name, identifier));
                document.map(|it| parse(it.whole())).unwrap_or_default()
            }
            Body::Inner(document) => parse(document),
            Body::Stack => {
                let child = self.world.region(&self.place);
                let child = child.and_then(|it| it.stacks.get(member.physical_id.as_str()));
                let outputs = child.into_iter().flat_map(|child| &child.outputs);
                let outputs = outputs.map(|told| (told.key.clone(), json!(told.value)));
                json!({"Outputs": outputs.collect::<serde_json::Map<_, _>>()})
            }
            Body::Custom | Body::Nothing => Value::Null,
        }
    }
}

impl Lookup for Deployment<'_> {
    type Stop = String;

    fn reference(&mut self, name: &str) -> Result<Value, String> {
        if let Some(value) = self.pseudo(name) {
            return Ok(value);
        }
        if let Some(parameter) = self.template.parameters.get(name)
            && let Some(given) = self.stack.parameters.get(name)
        {
            return Ok(value_of(&parameter.kind, given));
        }
        match self.stack.members.get(name) {
            Some(member) if self.ends.contains_key(name) => Ok(json!(member.physical_id)),
            _ => Err(format!("Unresolved resource dependencies [{name}] in the template")),
        }
    }

    fn attribute(&mut self, logical_id: &str, attribute: &str) -> Result<Value, String> {
        let member = self.stack.members.get(logical_id);
        let Some(member) = member.filter(|_| self.ends.contains_key(logical_id)) else {
            return Err(format!("Unresolved resource dependencies [{logical_id}] in the template"));
        };
        let found = attribute_of(&self.values_of(member), attribute);
        match (found, &member.body) {
            (Some(value), _) => Ok(value),
            (None, Body::Stack) => Err(format!(
                "Template error: resource {logical_id} does not support attribute type {attribute} \
                 in Fn::GetAtt"
            )),
            (None, _) => {
                let member = member.clone();
                Ok(self.made_up(logical_id, &member, attribute))
            }
        }
    }

    fn import_value(&mut self, name: &str) -> Result<Value, String> {
        let found = self.world.export(&self.place, name, self.now);
        let value = found.map(|(_, told)| json!(told.value));
        self.stack.imports.insert(name.to_owned());
        value.ok_or_else(|| format!("No export named {name} found."))
    }

    fn stack_output(&mut self, ask: &StackOutput) -> Result<Value, String> {
        let account = match &ask.role_arn {
            Some(arn) => match Role::parse(arn) {
                Some(role) => role.account().to_owned(),
                None => return Err(format!("{arn} is not the ARN of a role")),
            },
            None => self.place.account().to_owned(),
        };
        let region = ask.region.as_deref().unwrap_or(self.place.region());
        let place = Place::of_caller(&account, region);
        let stack = self.world.find_stack(&place, &ask.stack_name, self.now);
        let stack = stack.ok_or_else(|| format!("Stack {} does not exist", ask.stack_name))?;
        let told = stack.outputs_at(self.now).iter().find(|told| told.key == ask.output_name);
        told.map(|told| json!(told.value)).ok_or_else(|| {
            format!("Output {} does not exist in stack {}", ask.output_name, ask.stack_name)
        })
    }

    fn availability_zones(&mut self, region: &str) -> Result<Value, String> {
        Ok(["a", "b", "c"].iter().map(|zone| json!(format!("{region}{zone}"))).collect())
    }

    fn mapping(&mut self, map: &str, top: &str, second: &str) -> Result<Option<Value>, String> {
        Ok(self.template.mapping(map, top, second).cloned())
    }

    fn condition(&mut self, name: &str) -> Result<bool, String> {
        self.conditions
            .get(name)
            .copied()
            .ok_or_else(|| format!("Template format error: Unrecognized condition {name}"))
    }

    fn extension(&mut self, _: &str, _: &Value) -> Result<Option<Value>, String> {
        Ok(None)
    }
}
