//! Calls about stacks, read from a form and answered in XML.

mod write;

use super::call::Service;
use super::constraint::{Constraint, Reader};
use super::error::QueryError;
use super::form::Form;
use crate::core::stack::StackStatus;
use crate::core::stack::call::{Argument, Draft, OnFailure, Source, StackCall};

pub(super) use write::write;

const STACK_NAME: Constraint =
    Constraint { shortest: 1, longest: 128, pattern: Some("[a-zA-Z][-a-zA-Z0-9]*") };
const STACK: Constraint = Constraint {
    shortest: 1,
    longest: 2048,
    pattern: Some("([a-zA-Z][-a-zA-Z0-9]*)|(arn:\\b(aws|aws-us-gov|aws-cn)\\b:[-a-zA-Z0-9:/._+]*)"),
};
const ANY: Constraint = Constraint { shortest: 1, longest: 4096, pattern: None };
const TOKEN: Constraint =
    Constraint { shortest: 1, longest: 128, pattern: Some("[a-zA-Z0-9][-a-zA-Z0-9]*") };
const URL: Constraint = Constraint { shortest: 1, longest: 5120, pattern: None };
const ROLE: Constraint = Constraint { shortest: 20, longest: 2048, pattern: None };

const ACTIONS: [&str; 13] = [
    "CreateStack",
    "UpdateStack",
    "DeleteStack",
    "DescribeStacks",
    "DescribeStackResource",
    "DescribeStackResources",
    "ListStackResources",
    "ListStacks",
    "GetTemplate",
    "ListExports",
    "ListImports",
    "DescribeStackEvents",
    "ValidateTemplate",
];

pub(super) fn is_action(action: &str) -> bool {
    ACTIONS.contains(&action)
}

/// Reads the call that a form makes.
pub(super) fn read(action: &str, form: &Form) -> Result<StackCall, QueryError> {
    let mut reader = Reader::new(form, Service::CloudFormation);
    let next_token = || form.get("NextToken").filter(|it| !it.is_empty()).map(str::to_owned);
    let call = match action {
        "CreateStack" => {
            let name = reader.required("StackName", "stackName", &STACK_NAME);
            StackCall::CreateStack(Box::new(draft(form, &mut reader, name)))
        }
        "UpdateStack" => {
            let name = reader.required("StackName", "stackName", &STACK);
            StackCall::UpdateStack(Box::new(draft(form, &mut reader, name)))
        }
        "DeleteStack" => StackCall::DeleteStack {
            stack: stack(&mut reader),
            retained: texts(form, "RetainResources"),
            client_token: client_token(&mut reader),
        },
        "DescribeStacks" => StackCall::DescribeStacks {
            stack: reader.text("StackName", "stackName", &STACK).map(str::to_owned),
            next_token: next_token(),
        },
        "DescribeStackResource" => StackCall::DescribeStackResource {
            stack: stack(&mut reader),
            logical_id: owned(reader.required("LogicalResourceId", "logicalResourceId", &ANY)),
        },
        "DescribeStackResources" => StackCall::DescribeStackResources {
            stack: reader.text("StackName", "stackName", &STACK).map(str::to_owned),
            logical_id: form.get("LogicalResourceId").map(str::to_owned),
            physical_id: form.get("PhysicalResourceId").map(str::to_owned),
        },
        "ListStackResources" => {
            StackCall::ListStackResources { stack: stack(&mut reader), next_token: next_token() }
        }
        "ListStacks" => StackCall::ListStacks {
            statuses: statuses(form, &mut reader),
            next_token: next_token(),
        },
        "GetTemplate" => StackCall::GetTemplate { stack: stack(&mut reader) },
        "ListExports" => StackCall::ListExports { next_token: next_token() },
        "ListImports" => StackCall::ListImports {
            export: owned(reader.required("ExportName", "exportName", &ANY)),
            next_token: next_token(),
        },
        "DescribeStackEvents" => {
            StackCall::DescribeStackEvents { stack: stack(&mut reader), next_token: next_token() }
        }
        _ => StackCall::ValidateTemplate { source: source(form, &mut reader) },
    };
    reader.finish()?;
    Ok(call)
}

fn owned(text: Option<&str>) -> String {
    text.unwrap_or_default().to_owned()
}

fn stack(reader: &mut Reader<'_>) -> String {
    owned(reader.required("StackName", "stackName", &STACK))
}

fn client_token(reader: &mut Reader<'_>) -> Option<String> {
    let token = reader.text("ClientRequestToken", "clientRequestToken", &TOKEN);
    token.map(str::to_owned)
}

fn source(form: &Form, reader: &mut Reader<'_>) -> Source {
    let url = reader.text("TemplateURL", "templateURL", &URL);
    match (form.get("TemplateBody"), url) {
        (Some(body), _) => Source::Body(body.to_owned()),
        (None, Some(url)) => Source::Url(url.to_owned()),
        (None, None) => Source::Previous,
    }
}

fn draft(form: &Form, reader: &mut Reader<'_>, name: Option<&str>) -> Draft {
    const ENDS: [(&str, OnFailure); 3] = [
        ("DO_NOTHING", OnFailure::DoNothing),
        ("ROLLBACK", OnFailure::Rollback),
        ("DELETE", OnFailure::Delete),
    ];
    let on_failure = reader.choice("OnFailure", "onFailure", &ENDS);
    let is_kept = form.get("DisableRollback") == Some("true");
    let default = if is_kept { OnFailure::DoNothing } else { OnFailure::Rollback };
    let count = form.count("Tags");
    let tags = pairs(form, "Tags", "Key", "Value");
    Draft {
        name: owned(name),
        source: source(form, reader),
        parameters: parameters(form),
        tags: (count > 0 || form.get("Tags").is_some()).then_some(tags),
        capabilities: texts(form, "Capabilities"),
        role_arn: reader.text("RoleARN", "roleARN", &ROLE).map(str::to_owned),
        on_failure: on_failure.unwrap_or(default),
        client_token: client_token(reader),
    }
}

fn texts(form: &Form, list: &str) -> Vec<String> {
    let member = |number| form.get(&format!("{list}.member.{number}")).map(str::to_owned);
    (1..=form.count(list)).filter_map(member).collect()
}

fn pairs(form: &Form, list: &str, key: &str, value: &str) -> Vec<(String, String)> {
    let member = |number| {
        let get = |name| form.get(&format!("{list}.member.{number}.{name}"));
        Some((get(key)?.to_owned(), get(value).unwrap_or_default().to_owned()))
    };
    (1..=form.count(list)).filter_map(member).collect()
}

fn parameters(form: &Form) -> Vec<(String, Argument)> {
    let member = |number| {
        let get = |name| form.get(&format!("Parameters.member.{number}.{name}"));
        let argument = if get("UsePreviousValue") == Some("true") {
            Argument::Previous
        } else {
            Argument::Value(get("ParameterValue").unwrap_or_default().to_owned())
        };
        Some((get("ParameterKey")?.to_owned(), argument))
    };
    (1..=form.count("Parameters")).filter_map(member).collect()
}

fn statuses(form: &Form, reader: &mut Reader<'_>) -> Vec<StackStatus> {
    let words: Vec<(&'static str, StackStatus)> =
        StackStatus::ALL.iter().map(|status| (status.as_str(), *status)).collect();
    let names = (1..=form.count("StackStatusFilter"))
        .map(|number| format!("StackStatusFilter.member.{number}"));
    names.filter_map(|name| reader.choice(&name, "stackStatusFilter", &words)).collect()
}
