//! Values that a handler returns and refuses to be given again (`drop-on-update` in `overrides.tsv`): an update leaves
//! them out if nobody set them.

use serde_json::Value;

use super::invalid_reads::{is_stated, put, step_without};
use super::{Inputs, Patch, Rule, target};
use crate::overrides::RefusedRepeat;
use crate::pointer::escape;
use crate::type_schema::TypeSchema;

/// Extends an update so that the document it produces repeats no value that the handler refuses.
pub(super) fn drop_refused_repeats(schema: &TypeSchema, inputs: &Inputs<'_>, patch: &mut Patch) {
    for repeat in &schema.refused_repeats {
        let mut found = Vec::new();
        find(repeat, &repeat.steps, &target(inputs.live, patch), &mut String::new(), &mut found);
        let is_ours = |pointer: &String| {
            is_stated(inputs.desired, pointer)
                || inputs.applied.is_some_and(|applied| is_stated(applied, pointer))
        };
        for pointer in found.into_iter().filter(|pointer| !is_ours(pointer)) {
            let step = step_without(&target(inputs.live, patch), &pointer);
            put(patch, step, pointer, Rule::RepeatRefused);
        }
    }
}

/// Collects the pointers that the steps lead to, if the members beside them are as the row requires.
fn find(
    repeat: &RefusedRepeat,
    steps: &[String],
    value: &Value,
    path: &mut String,
    found: &mut Vec<String>,
) {
    let Some((step, rest)) = steps.split_first() else { return };
    let is_any_depth = step == RefusedRepeat::ANY_DEPTH;
    if is_any_depth {
        find(repeat, rest, value, path, found);
    }
    let length = path.len();
    let members: Vec<(String, &Value)> = match value {
        Value::Object(members) => {
            members.iter().map(|(name, it)| (escape(name).into_owned(), it)).collect()
        }
        Value::Array(items) => {
            items.iter().enumerate().map(|(at, it)| (at.to_string(), it)).collect()
        }
        _ => return,
    };
    for (name, member) in members {
        path.push('/');
        path.push_str(&name);
        let is_step = *step == name || (step == "*" && value.is_array());
        if is_any_depth {
            find(repeat, steps, member, path, found);
        } else if is_step && rest.is_empty() {
            if repeat.applies_in(value) {
                found.push(path.clone());
            }
        } else if is_step {
            find(repeat, rest, member, path, found);
        }
        path.truncate(length);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::catalog::Catalog;
    use crate::patch::patch;

    /// What an update sends of a type, and the rules that left something out.
    fn sent(type_name: &str, live: &Value, desired: &Value) -> (Value, Vec<String>) {
        let schema = Catalog::bundled().get(type_name).unwrap();
        let inputs = Inputs { live, desired, applied: Some(desired) };
        let patch = patch(&schema, &inputs).unwrap();
        let dropped = patch.explanations.iter().filter(|it| it.rule == Rule::RepeatRefused);
        let dropped = dropped.map(|it| it.path.clone()).collect();
        (target(live, &patch), dropped)
    }

    #[test]
    fn a_value_that_the_handler_refuses_beside_another_is_left_out() {
        let live = json!({"Name": "j", "WorkerType": "G.1X", "MaxCapacity": 2, "Timeout": 60});
        let desired = json!({"Name": "j", "WorkerType": "G.1X", "Timeout": 90});
        let (model, dropped) = sent("AWS::Glue::Job", &live, &desired);
        assert_eq!(model, json!({"Name": "j", "WorkerType": "G.1X", "Timeout": 90}));
        assert_eq!(dropped, ["/MaxCapacity"]);
        // Without a change nothing is sent, and a value that is stated is the user's.
        assert_eq!(sent("AWS::Glue::Job", &live, &live).1, [""; 0]);
        let stated = json!({"Name": "j", "WorkerType": "G.1X", "MaxCapacity": 2, "Timeout": 90});
        assert_eq!(sent("AWS::Glue::Job", &live, &stated).1, [""; 0]);
        let alone = json!({"Name": "j", "MaxCapacity": 2, "Timeout": 60});
        let (model, dropped) = sent("AWS::Glue::Job", &alone, &json!({"Name": "j", "Timeout": 90}));
        assert_eq!((model["MaxCapacity"].clone(), dropped.len()), (json!(2), 0));
    }

    #[test]
    fn a_value_beside_it_decides() {
        let live = |strategy: &str| json!({"ServiceName": "s", "SchedulingStrategy": strategy, "DesiredCount": 3, "TaskDefinition": "t:1"});
        let desired = json!({"ServiceName": "s", "TaskDefinition": "t:2"});
        assert_eq!(sent("AWS::ECS::Service", &live("DAEMON"), &desired).1, ["/DesiredCount"]);
        assert_eq!(sent("AWS::ECS::Service", &live("REPLICA"), &desired).1, [""; 0]);
    }

    #[test]
    fn a_value_at_any_depth_of_an_array_is_left_out() {
        let text = |more: Value| {
            let mut search = json!({"SearchString": "bad", "FieldToMatch": {"UriPath": {}},
                "TextTransformations": [{"Priority": 0, "Type": "NONE"}], "PositionalConstraint": "EXACTLY"});
            search.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            json!({"Name": "acl", "Scope": "REGIONAL", "Rules": [
                {"Name": "one", "Priority": 0, "Statement": {"NotStatement": {"Statement": {"ByteMatchStatement": search}}}}]})
        };
        let live = text(json!({"SearchStringBase64": "YmFk"}));
        let mut desired = text(json!({}));
        desired["Description"] = json!("new");
        let (model, dropped) = sent("AWS::WAFv2::WebACL", &live, &desired);
        assert_eq!(model, desired);
        assert!(
            dropped.contains(
                &"/Rules/0/Statement/NotStatement/Statement/ByteMatchStatement/SearchStringBase64"
                    .to_owned()
            ),
            "{dropped:?}"
        );
    }
}
