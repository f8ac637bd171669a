//! A value of a Terraform state: an attribute, an output, or an expression over them.

use std::collections::BTreeMap;

use serde_json::Value;

use super::evaluate::Evaluator;
use super::link::Link;
use super::problem::{Problem, Stop};
use super::stack::mixed_up;
use super::walk::walk;
use super::{Fact, Known, Need, codes};
use crate::deployed::{Deployed, Found, LookupError};
use crate::hcl::{self, EvaluateError};
use crate::reference::{Terraform, TerraformPart};
use crate::state::{self, State};

/// The states that are known, read once.
#[derive(Debug, Default)]
pub struct States<'k>(BTreeMap<&'k str, Result<State<'k>, Box<Problem>>>);

impl<'k> States<'k> {
    /// Reads all states that are known.
    pub fn of(known: &'k Known) -> Self {
        let read = known.asked().filter_map(|asked| match asked {
            (Need::State(name), Ok(Fact::State(text))) => {
                let unreadable = |error: state::StateError| {
                    let message = format!("the state of `{name}` cannot be read: {error}");
                    Box::new(
                        Problem::new(error.code(), message).hint(error.hint()).of(name.clone()),
                    )
                };
                Some((name.as_str(), state::read(text).map_err(unreadable)))
            }
            _ => None,
        });
        Self(read.collect())
    }

    /// What each of them has deployed.
    pub(super) fn deployed(&'k self) -> BTreeMap<&'k str, Deployed<'k>> {
        let read = self.0.iter().filter_map(|(name, state)| {
            let state = state.as_ref().ok()?;
            Some((*name, Deployed::new(state)))
        });
        read.collect()
    }
}

impl Evaluator<'_> {
    /// The value of what a reference names in a state.
    pub(super) fn terraform(&self, terraform: &Terraform) -> Result<Value, Stop> {
        let name = &terraform.state;
        self.fact(&Need::State(name.clone()))?;
        if let Some(Err(problem)) = self.states.0.get(name.as_str()) {
            return Err(Stop::Problem(problem.clone()));
        }
        let deployed = self.deployed.get(name.as_str()).ok_or_else(mixed_up)?;
        self.link(Link::new("state", name.as_str()));
        let (found, what) = match &terraform.part {
            TerraformPart::Attribute { address, path } => (
                deployed.attribute(address, path).map_err(|error| missing(name, &error))?,
                format!("{address}.{path}"),
            ),
            TerraformPart::Output { name: output, path } => {
                let found = deployed.output(output).map_err(|error| missing(name, &error))?;
                (within(name, output, path.as_deref(), found)?, format!("output {output}"))
            }
            TerraformPart::Expression(text) => (evaluated(name, deployed, text)?, text.clone()),
        };
        self.link(Link::new("found", what));
        for warning in &found.warnings {
            self.link(Link::new("warning", warning.message.as_str()));
        }
        if found.sensitive {
            self.mark_secret("the state marks it as sensitive");
        }
        Ok(found.value)
    }
}

fn evaluated(name: &str, deployed: &Deployed<'_>, text: &str) -> Result<Found, Stop> {
    let expression = hcl::parse_template(text).map_err(|error| {
        let message = format!("`{text}` is not a Terraform expression: {error}");
        Problem::new(error.code(), message).hint(error.hint()).of(name)
    })?;
    deployed.evaluate(&expression).map_err(|error| {
        if let EvaluateError::Lookup { error, .. } = &error {
            return missing(name, error).into();
        }
        let message = format!("`{text}` cannot be evaluated: {error}");
        Problem::new(error.code(), message).hint(error.hint()).of(name).into()
    })
}

/// A part of an output's value.
fn within(state: &str, output: &str, path: Option<&str>, found: Found) -> Result<Found, Stop> {
    let Some(path) = path else { return Ok(found) };
    let value = walk(&found.value, path).cloned().ok_or_else(|| {
        let message = format!("output `{output}` of state `{state}` has no `{path}`");
        Problem::absent(codes::NO_ATTRIBUTE, message).of(state)
    })?;
    Ok(Found { value, ..found })
}

fn missing(state: &str, error: &LookupError) -> Problem {
    let is_absence = !matches!(
        error,
        LookupError::NotHeld { .. }
            | LookupError::Address { .. }
            | LookupError::TooDeep { .. }
            | LookupError::Path { .. }
    );
    let message = format!("state `{state}`: {error}");
    let problem = Problem::new(error.code(), message).hint(error.hint()).of(state);
    Problem { is_absence, ..problem }
}
