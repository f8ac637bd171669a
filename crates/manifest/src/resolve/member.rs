//! One value of a stack: an output, what `Ref` gives, or an attribute of a resource.

use serde_json::Value;

use super::evaluate::{Evaluator, action};
use super::link::Link;
use super::problem::{Problem, Stop};
use super::scope::Trail;
use super::stack::{CURRENT_VERSION, Located, STACK_TYPE, Wanted, missing_in, mixed_up};
use super::types::TypeFacts;
use super::walk::{paths, walk};
use super::{Fact, Need, StackResource, codes, pseudo, secret};
use crate::reference::CloudFormation;

/// What CloudFormation shows for a parameter that must not be seen.
const HIDDEN: &str = "****";

impl<'k> Evaluator<'k> {
    /// The value that a reference to a stack means.
    pub(super) fn member(&self, cfn: &CloudFormation) -> Result<Value, Stop> {
        let wanted = if cfn.attribute.is_some() { Wanted::Resources } else { Wanted::Itself };
        let stack = self.located(&cfn.place, &cfn.stack, wanted)?;
        match cfn.attribute.as_deref() {
            None => match self.output(&stack, &cfn.name) {
                Some(value) => Ok(value),
                None => self.named(&stack, &cfn.name),
            },
            Some("Ref") => self.named(&stack, &cfn.name),
            Some(attribute) => self.attribute(&stack, &cfn.name, attribute, &Trail::default()),
        }
    }

    /// A declared output of a stack.
    pub(super) fn output(&self, stack: &Located<'_>, key: &str) -> Option<Value> {
        let output = stack.description.outputs.iter().find(|output| output.key == key)?;
        self.link(Link::new("output", key));
        Some(Value::from(output.value.as_str()))
    }

    fn named(&self, stack: &Located<'k>, name: &str) -> Result<Value, Stop> {
        match pseudo::of_stack(stack, name) {
            Some(value) => value,
            None => self.reference(stack, name),
        }
    }

    /// What `Ref` gives: a parameter's value, or the physical id of a resource.
    pub(super) fn reference(&self, stack: &Located<'k>, name: &str) -> Result<Value, Stop> {
        let parameters = &stack.description.parameters;
        if let Some(parameter) = parameters.iter().find(|parameter| parameter.key == name) {
            if parameter.value == HIDDEN {
                let message =
                    format!("parameter `{name}` of stack `{}` is hidden (NoEcho)", stack.path);
                let problem = Problem::new(codes::SECRET, message);
                return Err(problem
                    .hint("read the value from its original source")
                    .of(stack.path.clone())
                    .into());
            }
            self.link(Link::new("parameter", name));
            return Ok(Value::from(parameter.value.as_str()));
        }
        let resource = self.resource(stack, name)?;
        let physical = physical(stack, resource)?;
        let permission = action(&stack.resources_need());
        let shown = format!("{name} ({}), physical id {physical}", resource.type_name);
        self.link(Link::new("resource", shown).by(permission));
        Ok(Value::from(physical))
    }

    /// What `Fn::GetAtt` gives.
    pub(super) fn attribute(
        &self,
        stack: &Located<'k>,
        logical_id: &str,
        attribute: &str,
        trail: &Trail,
    ) -> Result<Value, Stop> {
        let resource = self.resource(stack, logical_id)?;
        let physical = physical(stack, resource)?;
        let shown = format!("{logical_id} ({}), physical id {physical}", resource.type_name);
        self.link(Link::new("resource", shown).by(action(&stack.resources_need())));
        let value = self.attribute_of(stack, resource, attribute, trail)?;
        if secret::is_secret(&resource.type_name, attribute) {
            self.mark_secret(format!("{attribute} of {}", resource.type_name));
        }
        Ok(value)
    }

    /// The same for a resource that was found.
    fn attribute_of(
        &self,
        stack: &Located<'k>,
        resource: &StackResource,
        attribute: &str,
        trail: &Trail,
    ) -> Result<Value, Stop> {
        let logical_id = resource.logical_id.as_str();
        if resource.type_name == STACK_TYPE
            && let Some(key) = attribute.strip_prefix("Outputs.")
        {
            let child = self.nested(stack, logical_id, Wanted::Itself)?;
            return self.output(&child, key).ok_or_else(|| {
                let message = format!("stack `{}` has no output `{key}`", child.path);
                missing_in(&child, message, format!("`{key}`")).hint(CURRENT_VERSION).into()
            });
        }
        // One template tells all outputs of a stack; to read would be a call for each resource.
        match self.declared(stack, logical_id, attribute) {
            Ok(Some(value)) if is_plain_text(&value) => return Ok(value),
            Err(Stop::Needs(needs)) => return Err(Stop::Needs(needs)),
            // A caller who may not read the template may read resources.
            Ok(_) | Err(Stop::Problem(_)) => {}
        }
        match self.types.facts(&resource.type_name).filter(|facts| facts.is_readable) {
            Some(facts) => {
                let read = self.read_attribute(stack, resource, &facts, attribute, trail);
                self.or_declared(stack, logical_id, attribute, read)
            }
            None => self.or_declared(
                stack,
                logical_id,
                attribute,
                Err(unreadable(stack, resource).into()),
            ),
        }
    }

    /// What was found, else a declared output for the same expression, else why not, with the output to declare.
    fn or_declared(
        &self,
        stack: &Located<'k>,
        logical_id: &str,
        attribute: &str,
        read: Result<Value, Stop>,
    ) -> Result<Value, Stop> {
        let problem = match read {
            Err(Stop::Problem(problem)) => problem,
            read => return read,
        };
        match self.declared(stack, logical_id, attribute) {
            Ok(Some(value)) => Ok(value),
            Err(Stop::Needs(needs)) => Err(Stop::Needs(needs)),
            // Where the template cannot be had either, the first reason is the better one.
            Ok(None) | Err(Stop::Problem(_)) if problem.code == codes::FAILED => {
                Err(Stop::Problem(problem))
            }
            Ok(None) | Err(Stop::Problem(_)) => {
                Err((*problem).hint(super::output::to_declare(stack, logical_id, attribute)).into())
            }
        }
    }

    fn read_attribute(
        &self,
        stack: &Located<'k>,
        resource: &StackResource,
        facts: &TypeFacts,
        attribute: &str,
        trail: &Trail,
    ) -> Result<Value, Stop> {
        let logical_id = &resource.logical_id;
        let trail =
            trail.with(format!("the identifier of `{logical_id}` in stack `{}`", stack.path))?;
        let model = self.model(stack, resource, facts, &trail)?;
        if let Some(value) = walk(model, attribute).filter(|value| !value.is_null()) {
            self.link(Link::new("attribute", attribute));
            return Ok(value.clone());
        }
        let all = paths(model);
        let message = format!(
            "{} `{logical_id}` of stack `{}` has no attribute `{attribute}` (Fn::GetAtt {logical_id}.{attribute})",
            resource.type_name, stack.path
        );
        let problem = Problem::absent(codes::NO_ATTRIBUTE, message).of(stack.path.clone());
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let hint = match hangar_diag::nearest(attribute, all.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("Cloud Control returns {}", super::stack::listed(&all)),
        };
        Err(problem.hint(hint).into())
    }

    /// A resource as Cloud Control shows it.
    pub(super) fn read(&self, need: &Need) -> Result<Option<&'k Value>, Stop> {
        match self.fact(need)? {
            Fact::Resource(model) => Ok(model.as_ref()),
            _ => Err(mixed_up()),
        }
    }
}

/// Whether a value is the same as an output and as an attribute: outputs are texts, attributes may be numbers.
fn is_plain_text(output: &Value) -> bool {
    let Value::String(text) = output else { return false };
    !matches!(text.as_str(), "" | "true" | "false") && text.parse::<f64>().is_err()
}

/// The physical id of a resource that was made.
pub(super) fn physical<'r>(
    stack: &Located<'_>,
    resource: &'r StackResource,
) -> Result<&'r str, Stop> {
    let made = resource.physical_id.as_deref().filter(|id| !id.is_empty());
    made.filter(|_| !resource.status.starts_with("DELETE_COMPLETE")).ok_or_else(|| {
        let message = format!(
            "resource `{}` of stack `{}` was not created ({})",
            resource.logical_id, stack.path, resource.status
        );
        Problem::absent(codes::NOT_DEPLOYED, message).of(stack.path.clone()).into()
    })
}

fn unreadable(stack: &Located<'_>, resource: &StackResource) -> Problem {
    let message = format!(
        "Cloud Control cannot read {}, the type of `{}` of stack `{}`, and no output of the stack has the value",
        resource.type_name, resource.logical_id, stack.path
    );
    Problem::new(codes::UNREADABLE, message).of(stack.path.clone())
}
