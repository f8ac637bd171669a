//! The least that a caller must be allowed for what was asked, as a policy of IAM.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::evaluate::action;
use super::types::Types;
use super::{Known, Need};

/// The policy for all that was asked, whether it was allowed or not.
pub fn policy(known: &Known, types: &dyn Types) -> Value {
    let mut statements: BTreeMap<BTreeSet<String>, BTreeSet<String>> = BTreeMap::new();
    let mut by_resource: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (need, _) in known.asked() {
        let action = action(need);
        if action.is_empty() {
            continue;
        }
        let resource = resource(need);
        by_resource.entry(resource).or_default().insert(action.to_owned());
        if let Need::Resource { type_name, .. } = need {
            // Cloud Control reads with the caller's own permissions.
            let permissions = types.facts(type_name).map(|facts| facts.permissions);
            let permissions = permissions.unwrap_or_default().into_iter();
            let permissions = permissions.map(|action| spelled(&action));
            by_resource.entry("*".to_owned()).or_default().extend(permissions);
        }
        if let Some(role) = need.place().and_then(|place| place.role.clone()) {
            by_resource.entry(role).or_default().insert("sts:AssumeRole".to_owned());
        }
    }
    for (resource, actions) in by_resource {
        statements.entry(actions).or_default().insert(resource);
    }
    let statements: Vec<Value> = statements
        .into_iter()
        .map(|(actions, resources)| json!({"Effect": "Allow", "Action": actions, "Resource": resources}))
        .collect();
    json!({"Version": "2012-10-17", "Statement": statements})
}

/// An action with its service in small letters, as IAM prints it; schemas are not of one mind.
fn spelled(action: &str) -> String {
    match action.split_once(':') {
        Some((service, action)) => format!("{}:{action}", service.to_ascii_lowercase()),
        None => action.to_owned(),
    }
}

/// What the permission is for: a stack, or, where IAM knows nothing smaller, everything.
fn resource(need: &Need) -> String {
    match need {
        Need::Stack { place, stack }
        | Need::Resources { place, stack }
        | Need::Template { place, stack } => {
            if stack.starts_with("arn:") {
                return stack.clone();
            }
            let region = place.region.as_deref().unwrap_or("*");
            let account = place.account.as_deref().unwrap_or("*");
            let partition = place.region.as_deref().map_or("aws", super::pseudo::partition);
            format!("arn:{partition}:cloudformation:{region}:{account}:stack/{stack}/*")
        }
        _ => "*".to_owned(),
    }
}
