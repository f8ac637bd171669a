//! CloudFormation's calls for stacks: what is sent, and how answers are read.

use hangar_provider::{ErrorClass, ProviderError};

use super::xml::Element;
use super::{Proof, QueryClient, Service, Signer};
use crate::call::CallName;
use crate::failure::{error, unreadable};
use crate::stacks::{
    Export, Exports, Stack, StackEvent, StackEvents, StackOutput, StackParameter, StackResource,
    StackResources, StackWrite, Stacks, TemplateSource,
};

/// What a call has to say; lists have a number in each name.
type Parameters = Vec<(String, String)>;

/// A call, and how its answer is read.
#[derive(Debug, Clone)]
pub(crate) struct StackCall<T> {
    pub(crate) name: CallName,
    parameters: Parameters,
    /// Reads the result in the answer.
    read: fn(&Element) -> Result<T, ProviderError>,
}

impl QueryClient {
    /// Makes a call.
    pub(crate) async fn stack_call<T>(
        &self,
        signer: Signer<'_>,
        call: &StackCall<T>,
    ) -> Result<T, ProviderError> {
        let parameters = call.parameters.iter();
        let parameters: Vec<(&str, &str)> =
            parameters.map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let proof = Proof::Signature(signer);
        let answer = self.send(call.name, Service::CloudFormation, proof, &parameters).await?;
        (call.read)(&answer)
    }
}

/// A stack, by its name or its ARN. Without a name AWS would tell of all of them.
pub(crate) fn describe_stack(name_or_arn: &str) -> Result<StackCall<Stacks>, ProviderError> {
    if name_or_arn.is_empty() {
        return Err(error(ErrorClass::Refused, "InvalidCall", "the name of the stack is empty"));
    }
    let parameters = vec![named(name_or_arn)];
    Ok(StackCall { name: CallName::DescribeStacks, parameters, read: read_stacks })
}

/// All stacks of a place.
pub(crate) fn describe_stacks(next: Option<&str>) -> StackCall<Stacks> {
    let parameters = next.map(after).into_iter().collect();
    StackCall { name: CallName::DescribeStacks, parameters, read: read_stacks }
}

pub(crate) fn list_stack_resources(stack: &str, next: Option<&str>) -> StackCall<StackResources> {
    let parameters = std::iter::once(named(stack)).chain(next.map(after)).collect();
    StackCall { name: CallName::ListStackResources, parameters, read: read_resources }
}

pub(crate) fn describe_stack_events(stack: &str, next: Option<&str>) -> StackCall<StackEvents> {
    let parameters = std::iter::once(named(stack)).chain(next.map(after)).collect();
    StackCall { name: CallName::DescribeStackEvents, parameters, read: read_events }
}

pub(crate) fn get_template(stack: &str) -> StackCall<String> {
    let parameters = vec![named(stack), pair("TemplateStage", "Processed")];
    StackCall { name: CallName::GetTemplate, parameters, read: read_template }
}

pub(crate) fn list_exports(next: Option<&str>) -> StackCall<Exports> {
    let parameters = next.map(after).into_iter().collect();
    StackCall { name: CallName::ListExports, parameters, read: read_exports }
}

pub(crate) fn create_stack(write: &StackWrite) -> StackCall<String> {
    let name = CallName::CreateStack;
    StackCall { name, parameters: written(write), read: |it| read_id(CallName::CreateStack, it) }
}

pub(crate) fn update_stack(write: &StackWrite) -> StackCall<String> {
    let name = CallName::UpdateStack;
    StackCall { name, parameters: written(write), read: |it| read_id(CallName::UpdateStack, it) }
}

pub(crate) fn delete_stack(name_or_arn: &str, token: Option<&str>) -> StackCall<()> {
    let token = token.map(|token| pair("ClientRequestToken", token));
    let parameters = std::iter::once(named(name_or_arn)).chain(token).collect();
    StackCall { name: CallName::DeleteStack, parameters, read: |_| Ok(()) }
}

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

fn named(stack: &str) -> (String, String) {
    pair("StackName", stack)
}

fn after(token: &str) -> (String, String) {
    pair("NextToken", token)
}

fn written(write: &StackWrite) -> Parameters {
    let mut all = vec![named(&write.name)];
    all.push(match &write.template {
        TemplateSource::Body(body) => pair("TemplateBody", body),
        TemplateSource::Url(url) => pair("TemplateURL", url),
    });
    for (at, (key, value)) in (1..).zip(&write.parameters) {
        all.push((format!("Parameters.member.{at}.ParameterKey"), key.clone()));
        all.push((format!("Parameters.member.{at}.ParameterValue"), value.clone()));
    }
    for (at, (key, value)) in (1..).zip(&write.tags) {
        all.push((format!("Tags.member.{at}.Key"), key.clone()));
        all.push((format!("Tags.member.{at}.Value"), value.clone()));
    }
    for (at, capability) in (1..).zip(&write.capabilities) {
        all.push((format!("Capabilities.member.{at}"), capability.clone()));
    }
    all.extend(write.token.as_ref().map(|token| pair("ClientRequestToken", token)));
    all
}

/// The part of an answer that has the result.
fn result_of(call: CallName, answer: &Element) -> Result<&Element, ProviderError> {
    let name = format!("{call}Result");
    answer.find(&name).ok_or_else(|| missing(call, &name))
}

fn missing(call: CallName, name: &str) -> ProviderError {
    unreadable(format!("the response to {call} has no {name}"))
}

fn required(call: CallName, of: &Element, name: &str) -> Result<String, ProviderError> {
    text(of, name).ok_or_else(|| missing(call, name))
}

/// The text of a child, where it has some.
fn text(of: &Element, name: &str) -> Option<String> {
    of.text_of(name).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// A value, which may be blank and may be nothing.
fn value(of: &Element, name: &str) -> String {
    of.whole_text_of(name).unwrap_or_default().to_owned()
}

fn read_id(call: CallName, answer: &Element) -> Result<String, ProviderError> {
    required(call, result_of(call, answer)?, "StackId")
}

fn read_template(answer: &Element) -> Result<String, ProviderError> {
    let call = CallName::GetTemplate;
    let body = result_of(call, answer)?.whole_text_of("TemplateBody");
    let body = body.filter(|body| !body.trim().is_empty());
    body.map(str::to_owned).ok_or_else(|| missing(call, "TemplateBody"))
}

fn read_stacks(answer: &Element) -> Result<Stacks, ProviderError> {
    let result = result_of(CallName::DescribeStacks, answer)?;
    let stacks = result.members_of("Stacks").map(read_stack).collect::<Result<_, _>>()?;
    Ok(Stacks { stacks, next: text(result, "NextToken") })
}

fn read_stack(stack: &Element) -> Result<Stack, ProviderError> {
    let required = |name| required(CallName::DescribeStacks, stack, name);
    let outputs = stack.members_of("Outputs").map(|output| StackOutput {
        key: value(output, "OutputKey"),
        value: value(output, "OutputValue"),
        export_name: text(output, "ExportName"),
        description: text(output, "Description"),
    });
    let parameters = stack.members_of("Parameters").map(|parameter| StackParameter {
        key: value(parameter, "ParameterKey"),
        value: parameter.whole_text_of("ParameterValue").map(str::to_owned),
        resolved_value: parameter.whole_text_of("ResolvedValue").map(str::to_owned),
    });
    let tags = stack.members_of("Tags").map(|tag| (value(tag, "Key"), value(tag, "Value")));
    let topics = stack.members_of("NotificationARNs").map(|topic| topic.text().to_owned());
    Ok(Stack {
        id: required("StackId")?,
        name: required("StackName")?,
        status: required("StackStatus")?,
        status_reason: text(stack, "StackStatusReason"),
        description: text(stack, "Description"),
        outputs: outputs.collect(),
        parameters: parameters.collect(),
        tags: tags.collect(),
        role_arn: text(stack, "RoleARN"),
        parent_id: text(stack, "ParentId"),
        root_id: text(stack, "RootId"),
        notification_arns: topics.collect(),
        created_at: text(stack, "CreationTime"),
        updated_at: text(stack, "LastUpdatedTime"),
        deleted_at: text(stack, "DeletionTime"),
    })
}

fn read_resources(answer: &Element) -> Result<StackResources, ProviderError> {
    let call = CallName::ListStackResources;
    let result = result_of(call, answer)?;
    let resources = result.members_of("StackResourceSummaries").map(|resource| {
        Ok(StackResource {
            logical_id: required(call, resource, "LogicalResourceId")?,
            physical_id: text(resource, "PhysicalResourceId"),
            type_name: required(call, resource, "ResourceType")?,
            status: required(call, resource, "ResourceStatus")?,
            status_reason: text(resource, "ResourceStatusReason"),
        })
    });
    let resources = resources.collect::<Result<_, ProviderError>>()?;
    Ok(StackResources { resources, next: text(result, "NextToken") })
}

fn read_events(answer: &Element) -> Result<StackEvents, ProviderError> {
    let call = CallName::DescribeStackEvents;
    let result = result_of(call, answer)?;
    let events = result.members_of("StackEvents").map(|event| {
        Ok(StackEvent {
            logical_id: required(call, event, "LogicalResourceId")?,
            physical_id: text(event, "PhysicalResourceId"),
            type_name: required(call, event, "ResourceType")?,
            status: required(call, event, "ResourceStatus")?,
            status_reason: text(event, "ResourceStatusReason"),
            at: text(event, "Timestamp"),
        })
    });
    let events = events.collect::<Result<_, ProviderError>>()?;
    Ok(StackEvents { events, next: text(result, "NextToken") })
}

fn read_exports(answer: &Element) -> Result<Exports, ProviderError> {
    let result = result_of(CallName::ListExports, answer)?;
    let exports = result.members_of("Exports").map(|export| {
        Ok(Export {
            name: required(CallName::ListExports, export, "Name")?,
            value: value(export, "Value"),
            stack_id: text(export, "ExportingStackId").unwrap_or_default(),
        })
    });
    let exports = exports.collect::<Result<_, ProviderError>>()?;
    Ok(Exports { exports, next: text(result, "NextToken") })
}

#[cfg(test)]
mod tests;
