//! The values of a template's parameters.

use std::collections::BTreeMap;

use hangar_manifest::cloudformation::template::{Parameter, ParameterKind, Template};
use serde_json::Value;

use super::call::Argument;
use super::source::invalid;
use super::{Given, Stack};
use crate::core::model::parse;
use crate::core::place::Place;
use crate::core::refusal::Refusal;
use crate::core::world::World;

/// What CDK's templates ask for before anything else: how new the bootstrap is.
const BOOTSTRAP: (&str, &str) = ("/cdk-bootstrap/", "/version");

/// Newer than all that there are.
const NEW_ENOUGH: &str = "999";

impl World {
    /// The values that a call gives, that the stack had, or that the template has by default.
    pub(super) fn parameters(
        &self,
        place: &Place,
        template: &Template,
        given: &[(String, Argument)],
        previous: Option<&Stack>,
    ) -> Result<BTreeMap<String, Given>, Refusal> {
        let unknown: Vec<&str> = given
            .iter()
            .map(|(name, _)| name.as_str())
            .filter(|name| !template.parameters.contains_key(*name))
            .collect();
        if !unknown.is_empty() {
            let names = unknown.join(", ");
            return Err(invalid(format!("Parameters: [{names}] do not exist in the template")));
        }
        let mut values = BTreeMap::new();
        let mut missing = Vec::new();
        for (name, parameter) in &template.parameters {
            let before = previous.and_then(|stack| stack.parameters.get(name));
            let argument = given.iter().find(|(it, _)| it == name).map(|(_, argument)| argument);
            let value = match argument {
                Some(Argument::Value(value)) => Some(value.clone()),
                Some(Argument::Previous) => before.map(|it| it.value.clone()),
                None => parameter.default.clone(),
            };
            match value {
                Some(value) => {
                    values.insert(name.clone(), self.given(place, name, parameter, value)?);
                }
                None => missing.push(name.as_str()),
            }
        }
        if !missing.is_empty() {
            return Err(invalid(format!("Parameters: [{}] must have values", missing.join(", "))));
        }
        Ok(values)
    }

    fn given(
        &self,
        place: &Place,
        name: &str,
        parameter: &Parameter,
        value: String,
    ) -> Result<Given, Refusal> {
        let allowed = &parameter.allowed_values;
        if !allowed.is_empty() && !allowed.contains(&value) {
            let message = format!(
                "Template error: Parameter '{name}' must be one of AllowedValues: [{}]",
                allowed.join(", ")
            );
            return Err(invalid(message));
        }
        if matches!(&parameter.kind, ParameterKind::Single(kind) if kind == "Number")
            && hangar_schema::number::parse(value.trim()).is_none()
        {
            let message = format!("Template error: Parameter '{name}' must be a number.");
            return Err(invalid(message));
        }
        let resolved = if parameter.kind.is_ssm() {
            let found = self.ssm_parameter(place, &value).ok_or_else(|| {
                let message = format!(
                    "Unable to fetch parameters [{value}] from parameter store for this account."
                );
                invalid(message)
            })?;
            Some(found)
        } else {
            None
        };
        Ok(Given { value, resolved, no_echo: parameter.no_echo })
    }

    /// What SSM has under a name; every bootstrap of CDK is there.
    pub(super) fn ssm_parameter(&self, place: &Place, name: &str) -> Option<String> {
        let document = self.region(place).and_then(|it| it.document("AWS::SSM::Parameter", name));
        if let Some(document) = document {
            return parse(document.whole()).get("Value")?.as_str().map(str::to_owned);
        }
        let is_bootstrap = name.starts_with(BOOTSTRAP.0) && name.ends_with(BOOTSTRAP.1);
        is_bootstrap.then(|| NEW_ENOUGH.to_owned())
    }
}

/// What `Ref` gives for a parameter.
pub(super) fn value_of(kind: &ParameterKind, given: &Given) -> Value {
    let text = given.resolved.as_deref().unwrap_or(&given.value);
    if kind.is_list() {
        let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
        return items.map(Value::from).collect();
    }
    Value::from(text)
}
