//! A property of a resource that the control plane knows.

use serde_json::Value;

use super::evaluate::Evaluator;
use super::link::Link;
use super::problem::{Problem, Stop};
use super::stack::mixed_up;
use super::walk::{paths, walk};
use super::{Fact, Need, codes};
use crate::reference::Ucp;

impl Evaluator<'_> {
    /// The value of a property.
    pub(super) fn ucp(&self, ucp: &Ucp) -> Result<Value, Stop> {
        let Ucp { id, property } = ucp;
        let Fact::Resource(found) = self.fact(&Need::Ucp(id.clone()))? else {
            return Err(mixed_up());
        };
        let document = found.as_ref().ok_or_else(|| {
            Problem::absent(codes::NO_RESOURCE, format!("the control plane has no `{id}`"))
                .hint("deploy it, or check its name: `hangar resource list`")
        })?;
        check_state(id, document)?;
        self.link(Link::new("resource", id.as_str()));
        let properties = document.get("properties").unwrap_or(&Value::Null);
        let value = walk(document, property)
            .or_else(|| walk(properties, property))
            .filter(|value| !value.is_null());
        if let Some(value) = value {
            self.link(Link::new("property", property.as_str()));
            return Ok(value.clone());
        }
        let all = paths(properties);
        let problem =
            Problem::absent(codes::NO_RESOURCE, format!("`{id}` has no property `{property}`"));
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let hint = match hangar_diag::nearest(property, all.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("it has {}", super::stack::listed(&all)),
        };
        Err(problem.hint(hint).into())
    }
}

/// Refuses a resource that is not as it should be yet, or not at all.
fn check_state(id: &str, document: &Value) -> Result<(), Stop> {
    let state = document.get("properties").and_then(|it| it.get("provisioningState"));
    let problem = match state.and_then(Value::as_str) {
        None | Some("Succeeded") => return Ok(()),
        Some(state @ ("Failed" | "Canceled")) => {
            let message = format!("the last change of `{id}` did not succeed ({state})");
            Problem::new(codes::NOT_DEPLOYED, message).hint("fix and deploy it")
        }
        Some(state) => {
            let message = format!("`{id}` is being changed ({state})");
            Problem::new(codes::IN_PROGRESS, message).hint("wait until the change is complete")
        }
    };
    Err(problem.into())
}
