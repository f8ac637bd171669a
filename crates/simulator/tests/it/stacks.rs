//! Stacks of CloudFormation, over the Query protocol.

mod change;
mod create;
mod failure;
mod fixtures;
mod kept;
mod socket;
mod sweep;
mod values;

use serde_json::{Value, json};

use crate::caller::{Caller, Refused, text, texts};

/// A small stack of our own with some of everything.
pub(crate) const SHOP: &str = include_str!("../fixtures/stacks/shop.json");

/// Makes a stack; gives its ARN.
pub(crate) fn create(caller: &mut Caller, name: &str, template: &str) -> Result<String, Refused> {
    let parameters = [("StackName", name), ("TemplateBody", template)];
    caller.stacks("CreateStack", &parameters).map(|xml| text(&xml, "StackId"))
}

/// The status of a stack, and the reason.
pub(crate) fn status(caller: &mut Caller, name: &str) -> (String, Option<String>) {
    let xml = caller.stacks("DescribeStacks", &[("StackName", name)]).unwrap();
    (text(&xml, "StackStatus"), texts(&xml, "StackStatusReason").into_iter().next())
}

/// The outputs of a stack.
pub(crate) fn outputs(caller: &mut Caller, name: &str) -> Value {
    let xml = caller.stacks("DescribeStacks", &[("StackName", name)]).unwrap();
    let values = texts(&xml, "OutputKey").into_iter().zip(texts(&xml, "OutputValue"));
    values.map(|(key, value)| (key, json!(value))).collect::<serde_json::Map<_, _>>().into()
}

/// The physical id of a resource.
pub(crate) fn physical_id(caller: &mut Caller, stack: &str, logical_id: &str) -> String {
    let parameters = [("StackName", stack), ("LogicalResourceId", logical_id)];
    let xml = caller.stacks("DescribeStackResource", &parameters).unwrap();
    text(&xml, "PhysicalResourceId")
}
