//! AWS JSON 1.0 as Cloud Control speaks it: a target and a body to a call, an answer to a body.

mod member;

use serde_json::{Map, Value, json};

use crate::core::call::{Call, CallName, Common, Operation, RequestFilter, Status};
use crate::core::refusal::{Exception, Refusal};
use crate::core::reply::{Description, ProgressEvent, Reply};
use member::Members;

/// The service's name before the operation in `x-amz-target`.
const SERVICE: &str = "CloudApiService.";

/// How many requests a page shows where the caller does not say.
const DEFAULT_REQUESTS: u16 = 20;

/// Which call a target names.
pub fn read_target(target: &str) -> Result<CallName, Refusal> {
    let unknown = || Refusal::new(Exception::UnknownOperation, "");
    let name = target.strip_prefix(SERVICE).ok_or_else(unknown)?;
    let name: CallName = name.parse().map_err(|_| unknown())?;
    if name.is_of_cloud_control() { Ok(name) } else { Err(unknown()) }
}

/// Reads the body of a call.
pub fn read_call(name: CallName, body: &[u8]) -> Result<Call, Refusal> {
    let unreadable = |why: String| Refusal::new(Exception::Serialization, why);
    let document: Value =
        serde_json::from_slice(body).map_err(|error| unreadable(error.to_string()))?;
    let Value::Object(document) = document else {
        return Err(unreadable("Start of structure or map found where not expected.".to_owned()));
    };
    let mut members = Members::new(&document);
    let call = match name {
        CallName::CreateResource => Call::CreateResource {
            type_name: members.type_name(),
            desired_state: members.required("DesiredState", member::DOCUMENT),
            common: common(&mut members),
        },
        CallName::UpdateResource => Call::UpdateResource {
            type_name: members.type_name(),
            identifier: members.required("Identifier", member::IDENTIFIER),
            patch_document: members.required("PatchDocument", member::DOCUMENT),
            common: common(&mut members),
        },
        CallName::DeleteResource => Call::DeleteResource {
            type_name: members.type_name(),
            identifier: members.required("Identifier", member::IDENTIFIER),
            common: common(&mut members),
        },
        CallName::GetResource => {
            let call = Call::GetResource {
                type_name: members.type_name(),
                identifier: members.required("Identifier", member::IDENTIFIER),
            };
            role_and_version(&mut members);
            call
        }
        CallName::ListResources => {
            let call = Call::ListResources {
                type_name: members.type_name(),
                resource_model: members.optional("ResourceModel", member::DOCUMENT),
                next_token: members.optional("NextToken", member::HANDLER_TOKEN),
            };
            // Checked and then ignored, as AWS does with this one: the handler sets the page.
            members.max_results();
            role_and_version(&mut members);
            call
        }
        CallName::GetResourceRequestStatus => Call::GetResourceRequestStatus {
            request_token: members.required("RequestToken", member::TOKEN),
        },
        CallName::CancelResourceRequest => Call::CancelResourceRequest {
            request_token: members.required("RequestToken", member::TOKEN),
        },
        CallName::ListResourceRequests => Call::ListResourceRequests {
            filter: filter(&mut members),
            max_results: members.max_results().unwrap_or(DEFAULT_REQUESTS),
            next_token: members.optional("NextToken", member::NEXT_TOKEN),
        },
        // The calls of other services.
        _ => return Err(Refusal::new(Exception::UnknownOperation, "")),
    };
    members.finish().map(|()| call)
}

fn common(members: &mut Members<'_>) -> Common {
    let (role_arn, type_version_id) = role_and_version(members);
    Common {
        client_token: members.optional("ClientToken", member::TOKEN),
        role_arn,
        type_version_id,
    }
}

fn role_and_version(members: &mut Members<'_>) -> (Option<String>, Option<String>) {
    (members.optional("RoleArn", member::ROLE), members.optional("TypeVersionId", member::VERSION))
}

fn filter(members: &mut Members<'_>) -> RequestFilter {
    let mut words = |name: &str| members.words("ResourceRequestStatusFilter", name);
    let operations = words("Operations").iter().filter_map(|word| word.parse().ok()).collect();
    let statuses = words("OperationStatuses").iter().filter_map(|word| word.parse().ok()).collect();
    let filter = RequestFilter { operations, statuses };
    members.check_words::<Operation>(
        "ResourceRequestStatusFilter",
        "Operations",
        Operation::ALL,
        |it| it.as_str(),
    );
    members.check_words::<Status>(
        "ResourceRequestStatusFilter",
        "OperationStatuses",
        Status::ALL,
        |it| it.as_str(),
    );
    filter
}

/// The body of an answer.
pub fn write_reply(reply: &Reply) -> String {
    let document = match reply {
        Reply::Progress(progress) => json!({"ProgressEvent": event(progress)}),
        Reply::Resource { type_name, description } => {
            json!({"ResourceDescription": described(description), "TypeName": type_name})
        }
        Reply::Resources { type_name, descriptions, next_token } => {
            let mut document = json!({
                "ResourceDescriptions": descriptions.iter().map(described).collect::<Vec<_>>(),
                "TypeName": type_name,
            });
            put(&mut document, "NextToken", next_token.as_deref().map(Value::from));
            document
        }
        Reply::Requests { events, next_token } => {
            let mut document = json!({
                "ResourceRequestStatusSummaries": events.iter().map(event).collect::<Vec<_>>(),
            });
            put(&mut document, "NextToken", next_token.as_deref().map(Value::from));
            document
        }
    };
    document.to_string()
}

/// The body of a refusal; the framework says nothing of what it cannot read.
pub fn write_refusal(refusal: &Refusal) -> String {
    let mut document = json!({"__type": refusal.exception.qualified()});
    if !refusal.message.is_empty() {
        // As seen on the wire: the validating framework writes the member in lower case.
        let is_lower = refusal.exception == Exception::Validation;
        let member = if is_lower { "message" } else { "Message" };
        put(&mut document, member, Some(refusal.message.as_str().into()));
    }
    document.to_string()
}

fn described(description: &Description) -> Value {
    json!({"Identifier": description.identifier, "Properties": description.properties})
}

/// A message may be this long.
const MAX_MESSAGE: usize = 2048;

fn event(progress: &ProgressEvent) -> Value {
    let mut document = Value::Object(Map::new());
    let text = |text: &Option<String>| text.as_deref().map(Value::from);
    let cut = |text: &String| Value::from(text.chars().take(MAX_MESSAGE).collect::<String>());
    put(&mut document, "ErrorCode", progress.error_code.map(|code| code.as_str().into()));
    put(&mut document, "EventTime", Some(number(&progress.event_time.seconds())));
    put(&mut document, "Identifier", text(&progress.identifier));
    put(&mut document, "Operation", Some(progress.operation.as_str().into()));
    put(&mut document, "OperationStatus", Some(progress.status.as_str().into()));
    put(&mut document, "RequestToken", Some(progress.request_token.as_str().into()));
    put(&mut document, "ResourceModel", text(&progress.resource_model));
    put(&mut document, "RetryAfter", progress.retry_after.map(|at| number(&at.seconds())));
    put(&mut document, "StatusMessage", progress.status_message.as_ref().map(cut));
    put(&mut document, "TypeName", Some(progress.type_name.as_str().into()));
    document
}

/// Digits as they are: no detour through a float.
fn number(digits: &str) -> Value {
    serde_json::from_str(digits).unwrap_or_default()
}

/// Absent members are left out, never null.
fn put(document: &mut Value, name: &str, value: Option<Value>) {
    if let (Value::Object(members), Some(value)) = (document, value) {
        members.insert(name.to_owned(), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(target: &str, body: &str) -> Result<Call, Refusal> {
        read_call(read_target(target)?, body.as_bytes())
    }

    #[test]
    fn a_create_as_sdks_send_it_is_read() {
        let call = read(
            "CloudApiService.CreateResource",
            r#"{"TypeName":"AWS::Logs::LogGroup","DesiredState":"{}","ClientToken":"85bd20b7-a"}"#,
        );
        assert_eq!(
            call,
            Ok(Call::CreateResource {
                type_name: "AWS::Logs::LogGroup".into(),
                desired_state: "{}".into(),
                common: Common { client_token: Some("85bd20b7-a".into()), ..Common::default() },
            })
        );
    }

    #[test]
    fn what_breaks_a_constraint_is_named_in_the_words_of_aws() {
        for (body, words) in [
            (
                "{}",
                "2 validation errors detected: Value null at 'typeName' failed to satisfy \
                 constraint: Member must not be null; Value null at 'identifier' failed to satisfy \
                 constraint: Member must not be null",
            ),
            (
                r#"{"TypeName":"AWS::EC2","Identifier":""}"#,
                "3 validation errors detected: Value 'AWS::EC2' at 'typeName' failed to satisfy \
                 constraint: Member must have length greater than or equal to 10; Value 'AWS::EC2' at \
                 'typeName' failed to satisfy constraint: Member must satisfy regular expression \
                 pattern: [A-Za-z0-9]{2,64}::[A-Za-z0-9]{2,64}::[A-Za-z0-9]{2,64}; Value '' at \
                 'identifier' failed to satisfy constraint: Member must have length greater than or \
                 equal to 1",
            ),
        ] {
            let refusal = read("CloudApiService.GetResource", body).unwrap_err();
            assert_eq!(refusal, Refusal::new(Exception::Validation, words));
        }
        let refusal = read(
            "CloudApiService.ListResourceRequests",
            r#"{"MaxResults":101,"ResourceRequestStatusFilter":{"Operations":["READ"]}}"#,
        );
        let message = refusal.unwrap_err().message;
        assert!(
            message.contains("'maxResults'") && message.contains("[CREATE, UPDATE, DELETE]"),
            "{message}"
        );
    }

    #[test]
    fn what_is_no_call_is_refused() {
        for (target, body, exception) in [
            ("CloudApiService.Nope", "{}", Exception::UnknownOperation),
            ("DynamoDB.CreateResource", "{}", Exception::UnknownOperation),
            ("CloudApiService.GetCallerIdentity", "{}", Exception::UnknownOperation),
            ("CloudApiService.GetResource", "{", Exception::Serialization),
            ("CloudApiService.GetResource", "[]", Exception::Serialization),
            (
                "CloudApiService.GetResource",
                r#"{"TypeName":7,"Identifier":"a"}"#,
                Exception::Serialization,
            ),
        ] {
            assert_eq!(read(target, body).unwrap_err().exception, exception, "{target} {body}");
        }
    }
}
