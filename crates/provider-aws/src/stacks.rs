//! CloudFormation's stacks: what they are by AWS's word, and the calls that read and write them.
//!
//! One method is one call. What a stack's state means is for the caller to say.

use hangar_provider::{ErrorClass, Place, ProviderError};

use crate::call::{Call, CallName};
use crate::failure::{unreadable, without};
use crate::provider::AwsProvider;
use crate::query::Signer;
use crate::query::stacks::{self as ask, StackCall};

/// A stack.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stack {
    /// Its ARN.
    pub id: String,
    /// Its name, which another stack may have after it.
    pub name: String,
    /// As AWS spells it: `CREATE_COMPLETE`.
    pub status: String,
    /// Why it is so, where AWS says.
    pub status_reason: Option<String>,
    /// What its template says that it is.
    pub description: Option<String>,
    /// What its template puts out.
    pub outputs: Vec<StackOutput>,
    /// What it was deployed with.
    pub parameters: Vec<StackParameter>,
    /// Keys and values.
    pub tags: Vec<(String, String)>,
    /// The role that CloudFormation works as.
    pub role_arn: Option<String>,
    /// The stack that it is nested in.
    pub parent_id: Option<String>,
    /// The outermost stack that it is nested in.
    pub root_id: Option<String>,
    /// The topics that hear of it.
    pub notification_arns: Vec<String>,
    /// When it was made, as AWS wrote it.
    pub created_at: Option<String>,
    /// When it was changed last, as AWS wrote it.
    pub updated_at: Option<String>,
    /// When it was deleted, as AWS wrote it.
    pub deleted_at: Option<String>,
}

/// An output of a stack.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StackOutput {
    /// Its name in the template.
    pub key: String,
    /// Its value, which is always a text.
    pub value: String,
    /// The name by which other stacks import it.
    pub export_name: Option<String>,
    /// What the template says that it is.
    pub description: Option<String>,
}

/// A parameter of a stack.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StackParameter {
    /// Its name in the template.
    pub key: String,
    /// Its value; asterisks where the template wants it hidden.
    pub value: Option<String>,
    /// What was found under the name that the value is, for parameters of Systems Manager.
    pub resolved_value: Option<String>,
}

/// A resource of a stack.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StackResource {
    /// Its name in the template.
    pub logical_id: String,
    /// What `Ref` gives, once there is one.
    pub physical_id: Option<String>,
    /// As CloudFormation spells it: `AWS::S3::Bucket`.
    pub type_name: String,
    /// As AWS spells it: `CREATE_COMPLETE`.
    pub status: String,
    /// Why it is so, where AWS says.
    pub status_reason: Option<String>,
}

/// A page of a place's stacks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stacks {
    /// In AWS's order.
    pub stacks: Vec<Stack>,
    /// What the next page is asked for with.
    pub next: Option<String>,
}

/// A page of a stack's resources.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StackResources {
    /// In AWS's order.
    pub resources: Vec<StackResource>,
    /// What the next page is asked for with.
    pub next: Option<String>,
}

/// Something that happened to a stack, or to a resource of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StackEvent {
    /// The name in the template of what it happened to, or the stack's own.
    pub logical_id: String,
    /// The same by its physical id, once there is one.
    pub physical_id: Option<String>,
    /// As CloudFormation spells it: `AWS::S3::Bucket`.
    pub type_name: String,
    /// As AWS spells it: `CREATE_FAILED`.
    pub status: String,
    /// Why, where AWS says.
    pub status_reason: Option<String>,
    /// When, as AWS wrote it.
    pub at: Option<String>,
}

/// A page of what happened to a stack.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StackEvents {
    /// The latest first.
    pub events: Vec<StackEvent>,
    /// What the next page is asked for with.
    pub next: Option<String>,
}

/// What a stack exports.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Export {
    /// The name by which it is imported.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The ARN of the stack that exports it.
    pub stack_id: String,
}

/// A page of a place's exports.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Exports {
    /// In AWS's order.
    pub exports: Vec<Export>,
    /// What the next page is asked for with.
    pub next: Option<String>,
}

/// Where a template is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TemplateSource {
    /// In the call itself.
    Body(String),
    /// In a bucket.
    Url(String),
}

/// A stack as it is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StackWrite {
    /// Its name; for a change, its ARN will do too.
    pub name: String,
    /// What is in it.
    pub template: TemplateSource,
    /// Keys and values.
    pub parameters: Vec<(String, String)>,
    /// Keys and values.
    pub tags: Vec<(String, String)>,
    /// What the template is allowed to contain: `CAPABILITY_NAMED_IAM`.
    pub capabilities: Vec<String>,
    /// The same write again has the same token.
    pub token: Option<String>,
}

/// What came of asking for a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StackUpdate {
    /// The stack of this ARN is being changed.
    Started(String),
    /// It is as the template says already.
    NothingToDo,
}

/// What stands in an error for a template that we sent.
const TEMPLATE: &str = "«the template»";

impl AwsProvider {
    /// A stack by its name or its ARN; one that was deleted is found by its ARN only.
    pub async fn stack(
        &self,
        place: &Place,
        name_or_arn: &str,
    ) -> Result<Option<Stack>, ProviderError> {
        let found = match self.made_on_stacks(place, &ask::describe_stack(name_or_arn)?).await {
            Ok(found) => found.stacks,
            Err(failed) if failed.class == ErrorClass::NotFound => return Ok(None),
            Err(failed) => return Err(failed),
        };
        let is_empty = found.is_empty();
        let is_meant = |stack: &Stack| stack.name == name_or_arn || stack.id == name_or_arn;
        match found.into_iter().find(is_meant) {
            None if !is_empty => {
                Err(unreadable(format!("DescribeStacks returned another stack than {name_or_arn}")))
            }
            found => Ok(found),
        }
    }

    /// A page of the stacks of a place. Deleted ones are not among them.
    pub async fn stacks(&self, place: &Place, next: Option<&str>) -> Result<Stacks, ProviderError> {
        self.made_on_stacks(place, &ask::describe_stacks(next)).await
    }

    /// A page of the resources of a stack.
    pub async fn stack_resources(
        &self,
        place: &Place,
        stack: &str,
        next: Option<&str>,
    ) -> Result<StackResources, ProviderError> {
        self.made_on_stacks(place, &ask::list_stack_resources(stack, next)).await
    }

    /// A page of what happened to a stack, the latest first.
    pub async fn stack_events(
        &self,
        place: &Place,
        stack: &str,
        next: Option<&str>,
    ) -> Result<StackEvents, ProviderError> {
        self.made_on_stacks(place, &ask::describe_stack_events(stack, next)).await
    }

    /// The template that a stack was deployed with, its macros expanded; the text as AWS gave it, be it
    /// JSON or YAML.
    pub async fn stack_template(
        &self,
        place: &Place,
        stack: &str,
    ) -> Result<String, ProviderError> {
        self.made_on_stacks(place, &ask::get_template(stack)).await
    }

    /// A page of what the stacks of a place export.
    pub async fn exports(
        &self,
        place: &Place,
        next: Option<&str>,
    ) -> Result<Exports, ProviderError> {
        self.made_on_stacks(place, &ask::list_exports(next)).await
    }

    /// Asks for a stack to be made, and gives its ARN.
    pub async fn create_stack(
        &self,
        place: &Place,
        write: &StackWrite,
    ) -> Result<String, ProviderError> {
        let asked = self.made_on_stacks(place, &ask::create_stack(write)).await;
        asked.map_err(|failed| without_template(write, failed))
    }

    /// Asks for a stack to be changed.
    pub async fn update_stack(
        &self,
        place: &Place,
        write: &StackWrite,
    ) -> Result<StackUpdate, ProviderError> {
        match self.made_on_stacks(place, &ask::update_stack(write)).await {
            Ok(id) => Ok(StackUpdate::Started(id)),
            Err(failed) if is_no_update(&failed) => Ok(StackUpdate::NothingToDo),
            Err(failed) => Err(without_template(write, failed)),
        }
    }

    /// Asks for a stack to be deleted. One that is not there is as good as deleted, by AWS's word.
    pub async fn delete_stack(
        &self,
        place: &Place,
        name_or_arn: &str,
        token: Option<&str>,
    ) -> Result<(), ProviderError> {
        self.made_on_stacks(place, &ask::delete_stack(name_or_arn, token)).await
    }

    /// Makes a call as whoever is meant for the place, and says what its errors are about.
    async fn made_on_stacks<T: Send>(
        &self,
        place: &Place,
        call: &StackCall<T>,
    ) -> Result<T, ProviderError> {
        let signature = self.caller.signature(place).await?;
        let signer = Signer { credentials: &signature.credentials, region: &place.region };
        let work = self.query().stack_call(signer, call);
        let made = self.made(Call::for_place(call.name, place), work).await;
        made.map_err(|failed| about_stacks(call.name, failed))
    }
}

/// The error as it is meant: CloudFormation has one code for all that is wrong with a call, a missing
/// stack too; and where it does not say what was denied, we do.
fn about_stacks(call: CallName, mut failed: ProviderError) -> ProviderError {
    if is_missing_stack(&failed) {
        failed.class = ErrorClass::NotFound;
    }
    let action = call.action();
    if failed.code.starts_with("AccessDenied") && !failed.message.contains(':') {
        failed.message = format!("{} (the action is {action})", failed.message);
    }
    failed
}

/// "Stack with id X does not exist", and "Stack [X] does not exist" from some calls.
fn is_missing_stack(failed: &ProviderError) -> bool {
    let said = failed.message.as_str();
    failed.code == "ValidationError"
        && said.starts_with("Stack ")
        && said.trim_end_matches('.').ends_with("does not exist")
}

fn is_no_update(failed: &ProviderError) -> bool {
    failed.code == "ValidationError" && failed.message.contains("No updates are to be performed")
}

fn without_template(write: &StackWrite, failed: ProviderError) -> ProviderError {
    match &write.template {
        TemplateSource::Body(body) => without(body, TEMPLATE, failed),
        TemplateSource::Url(_) => failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::meaning;

    fn failed(code: &str, message: &str) -> ProviderError {
        let call = CallName::DescribeStacks;
        about_stacks(call, meaning(call, 400, code, message))
    }

    #[test]
    fn a_missing_stack_is_told_from_a_wrong_call() {
        for said in [
            "Stack with id Storage does not exist",
            "Stack [Storage] does not exist",
            "Stack 'Storage' does not exist.",
        ] {
            let failed = failed("ValidationError", said);
            assert_eq!((failed.class, failed.message.as_str()), (ErrorClass::NotFound, said));
        }
        for said in [
            "1 validation error detected: Value 'a_b' at 'stackName' failed to satisfy constraint",
            "Template format error: resource Stack does not exist",
            "S3 error: The specified bucket does not exist",
            "Stack with id does not exist is in UPDATE_IN_PROGRESS state and can not be updated",
        ] {
            assert_eq!(failed("ValidationError", said).class, ErrorClass::Refused, "{said}");
        }
        let other = failed("AccessDenied", "Stack with id Storage does not exist");
        assert_eq!(other.class, ErrorClass::Forbidden);
    }

    #[test]
    fn what_was_denied_is_said_once() {
        let aws = "User: arn:aws:iam::1:user/me is not authorized to perform: \
                   cloudformation:DescribeStacks on resource: arn:aws:cloudformation:…";
        let told = failed("AccessDenied", aws);
        assert_eq!((told.code.as_str(), told.message.as_str()), ("AccessDenied", aws));
        let told = failed("AccessDeniedException", "Access denied");
        assert_eq!(told.message, "Access denied (the action is cloudformation:DescribeStacks)");
        assert_eq!(CallName::AssumeRole.action(), "sts:AssumeRole");
    }

    #[test]
    fn a_template_that_aws_quotes_is_taken_out() {
        let body = "{\"Resources\": {\"Secret\": {\"Type\": \"AWS::SecretsManager::Secret\"}}}";
        let write = StackWrite {
            name: "s".to_owned(),
            template: TemplateSource::Body(body.to_owned()),
            parameters: Vec::new(),
            tags: Vec::new(),
            capabilities: Vec::new(),
            token: None,
        };
        let failed = failed("ValidationError", &format!("Value '{body}' at 'templateBody'"));
        let told = without_template(&write, failed).message;
        assert_eq!(told, "Value '«the template»' at 'templateBody'");
    }
}
