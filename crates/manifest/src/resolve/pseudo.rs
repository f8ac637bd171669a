//! Pseudo parameters: what CloudFormation knows of a stack without being told.

use serde_json::Value;

use super::codes;
use super::problem::{Problem, Stop};
use super::stack::Located;

/// Those that only a stack has.
const OF_STACK: [&str; 3] = ["AWS::StackName", "AWS::StackId", "AWS::NotificationARNs"];

/// The value of a pseudo parameter in a stack; none for a name that is no such parameter.
pub(super) fn of_stack(stack: &Located<'_>, name: &str) -> Option<Result<Value, Stop>> {
    if !name.starts_with("AWS::") {
        return None;
    }
    let (partition, region) = (stack.arn_part(1), stack.arn_part(3));
    let value = match name {
        "AWS::StackId" => Value::from(stack.description.id.as_str()),
        "AWS::StackName" => Value::from(stack.description.name.as_str()),
        "AWS::NotificationARNs" => Value::from(stack.description.notification_arns.clone()),
        _ => match of_place(name, partition, region, stack.arn_part(4)) {
            Some(value) => value,
            None => return Some(Err(unknown(name))),
        },
    };
    Some(Ok(value))
}

/// The value of a pseudo parameter that needs no stack.
pub(super) fn of_place(name: &str, partition: &str, region: &str, account: &str) -> Option<Value> {
    let text = match name {
        "AWS::Region" => region,
        "AWS::AccountId" => account,
        "AWS::Partition" => partition,
        "AWS::URLSuffix" if partition == "aws-cn" => "amazonaws.com.cn",
        "AWS::URLSuffix" => "amazonaws.com",
        _ => return None,
    };
    (!text.is_empty()).then(|| Value::from(text))
}

/// The partition of a region.
pub(super) fn partition(region: &str) -> &'static str {
    match region {
        region if region.starts_with("cn-") => "aws-cn",
        region if region.starts_with("us-gov-") => "aws-us-gov",
        region if region.starts_with("us-iso-") => "aws-iso",
        region if region.starts_with("us-isob-") => "aws-iso-b",
        _ => "aws",
    }
}

pub(super) fn unknown(name: &str) -> Stop {
    if OF_STACK.contains(&name) {
        let message = format!("`{name}` is a value of a stack, but no stack is named");
        return Problem::new(codes::EXPRESSION, message)
            .hint(format!(
                "name the stack: ${{cfn:STACK/{name}}}; in the AWS CDK, read it from the stack \
                 (`stack.stackName`), not from `Aws`"
            ))
            .into();
    }
    Problem::new(codes::EXPRESSION, format!("`{name}` is not a known pseudo parameter"))
        .hint(
            "available: AWS::AccountId, AWS::Partition, AWS::Region and AWS::URLSuffix; for a named stack also \
             AWS::NotificationARNs, AWS::StackId and AWS::StackName",
        )
        .into()
}
