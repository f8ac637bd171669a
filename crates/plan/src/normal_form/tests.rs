//! Forms of a made-up type, for which no table knows what AWS does.

use std::fmt::Write as _;

use hangar_schema::{Inputs, Source, patch};
use serde_json::json;

use super::*;
use crate::Timestamp;
use crate::operation::Rules;

/// Hashes that can be read in a failed test.
struct Texts;

impl FormHashes for Texts {
    fn hash(&self, path: &str, value: &Value) -> String {
        format!("{path}={value}")
    }

    fn is_hash_of(&self, hash: &str, path: &str, value: &Value) -> bool {
        hash == self.hash(path, value)
    }
}

fn schema() -> TypeSchema {
    let document = json!({
        "typeName": "Test::Form::Thing",
        "properties": {
            "Name": {"type": "string"}, "Level": {"type": "integer"}, "Group": {"type": "string"},
            "List": {"type": "array", "insertionOrder": true, "items": {"type": "object", "properties": {
                "Code": {"type": "string"}, "Size": {"type": "integer"}}}},
        },
        "primaryIdentifier": ["/properties/Name"],
        "createOnlyProperties": ["/properties/Group"],
        "handlers": {"create": {}, "read": {}, "update": {}, "delete": {}, "list": {}},
    });
    TypeSchema::compile(&document, Source::File).unwrap()
}

/// The difference as a patch, with these forms.
fn compare(forms: &[NormalForm], desired: &Value, live: &Value) -> String {
    let schema = schema();
    let forms = Forms { schema: &schema, forms, hashes: &Texts };
    let compare =
        |live: &Value| patch(&schema, &Inputs { live, desired, applied: Some(desired) }).unwrap();
    let (found, _) = forms.compare(desired, live, compare, |patch| Some(patch));
    let mut text = found.outcome.as_str().to_owned();
    for path in changed_paths(&found) {
        write!(text, " {path}").unwrap();
    }
    text
}

/// The forms that the read after a write shows.
fn learned(desired: &Value, live: &Value, before: Before<'_>, secret: &[&str]) -> Vec<NormalForm> {
    let (schema, mut forms) = (schema(), Vec::new());
    let secret_paths: Vec<String> = secret.iter().map(|it| (*it).to_owned()).collect();
    let written = Written { schema: &schema, desired, live, secret_paths: &secret_paths };
    let patch = patch(&schema, &Inputs { live, desired, applied: Some(desired) }).unwrap();
    let paths = respelled_paths(&written, &patch, before, Attention::Attended, Rules::ALL);
    learn(&mut forms, &written, &paths, &Texts, Timestamp::default());
    forms
}

fn paths(forms: &[NormalForm]) -> Vec<&str> {
    forms.iter().map(|form| form.path.as_str()).collect()
}

#[test]
fn what_aws_makes_of_a_created_value_is_equal_and_nothing_else_is() {
    let sent =
        json!({"Name": "n", "Level": 3, "Group": "Main", "List": [{"Code": "B"}, {"Code": "A"}]});
    let seen =
        json!({"Name": "n", "Level": 3, "Group": "g-main", "List": [{"Code": "a"}, {"Code": "b"}]});
    assert!(compare(&[], &sent, &seen).starts_with("replace-required"));
    let forms = learned(&sent, &seen, Before::Nothing, &[]);
    assert_eq!(paths(&forms), ["/Group", "/List"]);
    assert_eq!(compare(&forms, &sent, &seen), "noop");
    // Drift: a value that was neither sent nor seen.
    let drifted = json!({"Name": "n", "Level": 3, "Group": "g-main", "List": [{"Code": "a"}]});
    assert!(compare(&forms, &sent, &drifted).starts_with("update /List"));
    let other =
        json!({"Name": "n", "Level": 4, "Group": "g-main", "List": [{"Code": "a"}, {"Code": "b"}]});
    assert_eq!(compare(&forms, &sent, &other), "update /Level");
    // Another wish for the same property.
    let wish =
        json!({"Name": "n", "Level": 3, "Group": "Other", "List": [{"Code": "B"}, {"Code": "A"}]});
    assert_eq!(compare(&forms, &wish, &seen), "replace-required /Group");
}

#[test]
fn an_update_that_aws_ignored_is_not_learned() {
    let sent = json!({"Name": "New", "Level": 9});
    let before = json!({"Name": "old", "Level": 3});
    let changed = ["/Name".to_owned(), "/Level".to_owned()];
    let read = Before::Read { observed: &before, changed: &changed, forms: &[] };
    let forms = learned(&sent, &json!({"Name": "new", "Level": 3}), read, &[]);
    assert_eq!(paths(&forms), ["/Name"]);
    // A property that the update did not write has changed by itself.
    let read = Before::Read { observed: &before, changed: &changed[1..], forms: &[] };
    assert_eq!(paths(&learned(&sent, &json!({"Name": "new", "Level": 3}), read, &[])), [""; 0]);
}

#[test]
fn after_an_interruption_only_a_create_only_value_is_learned() {
    let (sent, seen) = (json!({"Name": "A", "Group": "G"}), json!({"Name": "a", "Group": "g-1"}));
    let schema = schema();
    let written = Written { schema: &schema, desired: &sent, live: &seen, secret_paths: &[] };
    let inputs = Inputs { live: &seen, desired: &sent, applied: Some(&sent) };
    let patch = patch(&schema, &inputs).unwrap();
    let paths = |attention| {
        respelled_paths(&written, &patch, Before::Nothing, attention, Rules::ALL).join(" ")
    };
    assert_eq!(paths(Attention::Attended), "/Group /Name");
    assert_eq!(paths(Attention::Interrupted), "/Group");
}

#[test]
fn a_secret_value_is_kept_as_a_hash() {
    let (sent, seen) = (json!({"Name": "Loud"}), json!({"Name": "loud"}));
    let forms = learned(&sent, &seen, Before::Nothing, &["/Name"]);
    assert_eq!(forms[0].sent, FormValue::Hash("/Name=\"Loud\"".to_owned()));
    assert_eq!(forms[0].seen, FormValue::Hash("/Name=\"loud\"".to_owned()));
    assert_eq!(compare(&forms, &sent, &seen), "noop");
    assert_eq!(compare(&forms, &sent, &json!({"Name": "other"})), "update /Name");
    // After an update the value before is not known, so that it cannot be told from an ignored one.
    let changed = ["/Name".to_owned()];
    let read = Before::Read { observed: &json!({}), changed: &changed, forms: &[] };
    assert!(learned(&sent, &seen, read, &["/Name"]).is_empty());
}

#[test]
fn a_value_that_a_read_does_not_return_is_absent() {
    let (sent, seen) = (json!({"Name": "n", "Level": 3}), json!({"Name": "n"}));
    let forms = learned(&sent, &seen, Before::Nothing, &[]);
    assert_eq!(forms[0].seen, FormValue::Absent);
    assert_eq!(compare(&forms, &sent, &seen), "noop");
    assert_eq!(compare(&forms, &sent, &json!({"Name": "n", "Level": 2})), "update /Level");
    // No read returns it after an update either.
    let (sent, changed) = (json!({"Name": "n", "Level": 4}), ["/Level".to_owned()]);
    let read = Before::Read { observed: &seen, changed: &changed, forms: &forms };
    assert_eq!(paths(&learned(&sent, &seen, read, &[])), ["/Level"]);
    let read = Before::Read { observed: &seen, changed: &changed, forms: &[] };
    assert!(learned(&sent, &seen, read, &[]).is_empty());
}

#[test]
fn a_newer_form_replaces_an_older_one_and_a_read_refutes_it() {
    let schema = schema();
    let mut forms = learned(&json!({"Name": "A"}), &json!({"Name": "a"}), Before::Nothing, &[]);
    let (sent, seen) = (json!({"Name": "B"}), json!({"Name": "b"}));
    let written = Written { schema: &schema, desired: &sent, live: &seen, secret_paths: &[] };
    learn(&mut forms, &written, &["/Name".to_owned()], &Texts, Timestamp::default());
    assert_eq!(forms.len(), 1);
    drop_refuted(&mut forms, &schema, &seen, &Texts);
    assert_eq!(forms.len(), 1);
    drop_refuted(&mut forms, &schema, &sent, &Texts);
    assert!(forms.is_empty());
}

#[test]
fn no_operation_goes_into_a_value_that_was_replaced_for_the_comparison() {
    // The user changes one element: the patch must use AWS's positions, not those of what was sent.
    let sent = json!({"Name": "n", "List": [{"Code": "B", "Size": 1}, {"Code": "A", "Size": 2}]});
    let seen = json!({"Name": "n", "List": [{"Code": "A", "Size": 2}, {"Code": "B", "Size": 1}]});
    let forms = learned(&sent, &seen, Before::Nothing, &[]);
    assert_eq!(paths(&forms), ["/List"]);
    let wish = json!({"Name": "n", "List": [{"Code": "B", "Size": 5}, {"Code": "A", "Size": 2}]});
    let schema = schema();
    let subject = Forms { schema: &schema, forms: &forms, hashes: &Texts };
    let compare = |live: &Value| {
        patch(&schema, &Inputs { live, desired: &wish, applied: Some(&sent) }).unwrap()
    };
    let (found, used) = subject.compare(&wish, &seen, compare, |patch| Some(patch));
    assert!(same(&hangar_schema::target(&seen, &found), &wish), "{found:?}");
    assert!(used.is_empty());
}
