//! A value of a Terraform state: an attribute, an output, or an expression over them.

use serde_json::Value;

use super::codes;
use super::evaluate::Evaluator;
use super::problem::{Problem, Stop};
use crate::reference::Terraform;

impl Evaluator<'_> {
    /// The value of what a reference names in a state.
    pub(super) fn terraform(&self, terraform: &Terraform) -> Result<Value, Stop> {
        Err(Problem::new(codes::NO_STATE, terraform.state.clone()).into())
    }
}
