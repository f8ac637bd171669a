//! Stacks in XML.

use crate::core::instant::iso8601;
use crate::core::stack::call::{MemberView, Page, StackReply, StackView};
use crate::core::stack::{Event, Told};
use crate::core::time::Timestamp;
use crate::wire::query::xml::Document;

/// Writes the members of the result of an action.
pub(in super::super) fn write(action: &str, found: &StackReply, document: &mut Document) {
    match found {
        StackReply::Done => {}
        StackReply::Id(id) => document.leaf("StackId", id),
        StackReply::Stacks(page) if action == "ListStacks" => {
            list(document, "StackSummaries", page, summary);
        }
        StackReply::Stacks(page) => list(document, "Stacks", page, stack),
        StackReply::Member(member) => {
            document.open("StackResourceDetail");
            self::member(document, member, "LastUpdatedTimestamp");
            document.leaf("Metadata", "{}");
            document.close();
        }
        StackReply::Members(page) if action == "ListStackResources" => {
            list(document, "StackResourceSummaries", page, |document, it| {
                member_summary(document, it);
            });
        }
        StackReply::Members(page) => {
            list(document, "StackResources", page, |document, it| {
                member(document, it, "Timestamp");
            });
        }
        StackReply::Template(text) => {
            document.open("StagesAvailable");
            document.leaf("member", "Original");
            document.leaf("member", "Processed");
            document.close();
            document.leaf("TemplateBody", text);
        }
        StackReply::Exports(page) => list(document, "Exports", page, |document, (id, told)| {
            document.leaf("ExportingStackId", id);
            document.leaf("Name", told.export.as_deref().unwrap_or_default());
            document.leaf("Value", &told.value);
        }),
        StackReply::Importers(page) => {
            document.open("Imports");
            page.items.iter().for_each(|name| document.leaf("member", name));
            document.close();
            next(document, page);
        }
        StackReply::Events { stack_id, stack_name, events } => {
            list(document, "StackEvents", events, |document, (number, it)| {
                event(document, stack_id, stack_name, *number, it);
            });
        }
        StackReply::Validated { description, parameters } => {
            document.open("Parameters");
            for (name, default, no_echo, description) in parameters {
                document.open("member");
                document.leaf("ParameterKey", name);
                maybe(document, "DefaultValue", default.as_deref());
                document.leaf("NoEcho", if *no_echo { "true" } else { "false" });
                maybe(document, "Description", description.as_deref());
                document.close();
            }
            document.close();
            maybe(document, "Description", description.as_deref());
        }
    }
}

fn list<T>(document: &mut Document, name: &str, page: &Page<T>, write: impl Fn(&mut Document, &T)) {
    document.open(name);
    for item in &page.items {
        document.open("member");
        write(document, item);
        document.close();
    }
    document.close();
    next(document, page);
}

fn next<T>(document: &mut Document, page: &Page<T>) {
    maybe(document, "NextToken", page.next_token.as_deref());
}

fn maybe(document: &mut Document, name: &str, text: Option<&str>) {
    if let Some(text) = text {
        document.leaf(name, text);
    }
}

fn time(document: &mut Document, name: &str, at: Option<Timestamp>) {
    if let Some(at) = at {
        document.leaf(name, &iso8601(at.millis()));
    }
}

fn pairs(document: &mut Document, name: &str, pairs: &[(String, String)]) {
    document.open(name);
    for (key, value) in pairs {
        document.open("member");
        document.leaf("Key", key);
        document.leaf("Value", value);
        document.close();
    }
    document.close();
}

fn head(document: &mut Document, stack: &StackView) {
    document.leaf("StackId", &stack.id);
    document.leaf("StackName", &stack.name);
    time(document, "CreationTime", Some(stack.created_at));
    time(document, "LastUpdatedTime", stack.updated_at);
    time(document, "DeletionTime", stack.deleted_at);
    document.leaf("StackStatus", stack.status.as_str());
    maybe(document, "StackStatusReason", stack.reason.as_deref());
    maybe(document, "ParentId", stack.parent_id.as_deref());
    maybe(document, "RootId", stack.root_id.as_deref());
    document.open("DriftInformation");
    document.leaf("StackDriftStatus", "NOT_CHECKED");
    document.close();
}

fn summary(document: &mut Document, stack: &StackView) {
    head(document, stack);
    maybe(document, "TemplateDescription", stack.description.as_deref());
}

fn stack(document: &mut Document, stack: &StackView) {
    head(document, stack);
    maybe(document, "Description", stack.description.as_deref());
    document.leaf("DisableRollback", if stack.disable_rollback { "true" } else { "false" });
    document.leaf("EnableTerminationProtection", "false");
    maybe(document, "RoleARN", stack.role_arn.as_deref());
    document.open("NotificationARNs");
    document.close();
    document.open("RollbackConfiguration");
    document.close();
    document.open("Capabilities");
    stack.capabilities.iter().for_each(|it| document.leaf("member", it));
    document.close();
    document.open("Parameters");
    for (name, value, resolved) in &stack.parameters {
        document.open("member");
        document.leaf("ParameterKey", name);
        document.leaf("ParameterValue", value);
        maybe(document, "ResolvedValue", resolved.as_deref());
        document.close();
    }
    document.close();
    pairs(document, "Tags", &stack.tags);
    document.open("Outputs");
    for told in &stack.outputs {
        document.open("member");
        output(document, told);
        document.close();
    }
    document.close();
}

fn output(document: &mut Document, told: &Told) {
    document.leaf("OutputKey", &told.key);
    document.leaf("OutputValue", &told.value);
    maybe(document, "Description", told.description.as_deref());
    maybe(document, "ExportName", told.export.as_deref());
}

fn member(document: &mut Document, member: &MemberView, time_name: &str) {
    document.leaf("StackId", &member.stack_id);
    document.leaf("StackName", &member.stack_name);
    one(document, member, time_name);
}

fn member_summary(document: &mut Document, member: &MemberView) {
    one(document, member, "LastUpdatedTimestamp");
}

fn one(document: &mut Document, member: &MemberView, time_name: &str) {
    document.leaf("LogicalResourceId", &member.logical_id);
    maybe(document, "PhysicalResourceId", member.physical_id.as_deref());
    document.leaf("ResourceType", &member.type_name);
    time(document, time_name, Some(member.at));
    document.leaf("ResourceStatus", member.status.as_str());
    maybe(document, "ResourceStatusReason", member.reason.as_deref());
    document.open("DriftInformation");
    document.leaf("StackResourceDriftStatus", "NOT_CHECKED");
    document.close();
}

fn event(document: &mut Document, id: &str, name: &str, number: usize, event: &Event) {
    document.leaf("StackId", id);
    document.leaf("StackName", name);
    document.leaf("EventId", &format!("{}-{}-{number}", event.logical_id, event.status));
    document.leaf("LogicalResourceId", &event.logical_id);
    document.leaf("PhysicalResourceId", &event.physical_id);
    document.leaf("ResourceType", &event.type_name);
    time(document, "Timestamp", Some(event.at));
    document.leaf("ResourceStatus", &event.status);
    maybe(document, "ResourceStatusReason", event.reason.as_deref());
}
