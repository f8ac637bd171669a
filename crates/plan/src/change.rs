//! What has to be done to make live what is wanted, and the documents that are sent and kept for it.

use hangar_diag::{Diagnostic, Severity};
use hangar_ids::Identifier;
use hangar_schema::{
    Class, Inputs, Kind, Outcome, Patch, PropertyPointer, Purpose, SecretRecord, TypeSchema,
    patch_with, secret_pointers, secrets, target, validate, with_marker, without_marker,
    without_nulls, without_read_only, without_secrets,
};
use serde_json::Value;

use crate::operation::{ChangeKind, Finding, OperationId};

/// What is wanted of a resource, and what is known of what was applied.
#[derive(Clone, Copy)]
pub struct Want<'a> {
    /// The type.
    pub schema: &'a TypeSchema,
    /// What the user asks now; a null member means remove.
    pub desired: &'a Value,
    /// What was applied last, without secrets.
    pub applied: Option<&'a Value>,
    /// What is on record of the secrets that were applied last.
    pub secrets: &'a dyn SecretRecord,
    /// What the caller marked secret though the schema does not say so.
    pub secret_paths: &'a [String],
}

/// What has to be done, and the patch that does it.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// What has to be done.
    pub kind: ChangeKind,
    /// The RFC 6902 document of an update; it can hold secrets.
    pub patch: Option<Value>,
}

/// Compares what is wanted with what exists.
///
/// A read-only value that equals live is no difference; one that differs is a finding.
pub fn change(want: &Want<'_>, live: &Value) -> Change {
    change_and_patch(want, live).0
}

/// The same, with the patch that it rests on: why each difference is one. It can hold secrets.
pub fn change_and_patch(want: &Want<'_>, live: &Value) -> (Change, Option<Patch>) {
    let inputs = Inputs { live, desired: want.desired, applied: want.applied };
    let patch = match patch_with(want.schema, &inputs, want.secrets) {
        Ok(patch) => patch,
        Err(mistakes) => {
            let found = findings_in(want.schema, want.desired, want.secret_paths, &mistakes);
            return (Change { kind: ChangeKind::Invalid(found), patch: None }, None);
        }
    };
    (of_patch(want, live, &patch), Some(patch))
}

fn of_patch(want: &Want<'_>, live: &Value, patch: &Patch) -> Change {
    match patch.outcome {
        Outcome::Noop => Change { kind: ChangeKind::None, patch: None },
        Outcome::ReplaceRequired => {
            let reasons = patch.reasons.iter().map(|reason| Finding {
                code: String::from("CreateOnly"),
                path: reason.path.clone(),
                message: reason.cause.text().to_owned(),
            });
            Change { kind: ChangeKind::Replace(reasons.collect()), patch: None }
        }
        Outcome::Update => {
            let wrong = new_mistakes(want, live, &target(live, patch));
            if !wrong.is_empty() {
                return Change { kind: ChangeKind::Invalid(wrong), patch: None };
            }
            let mut paths: Vec<String> =
                patch.operations.iter().map(|operation| operation.path().to_owned()).collect();
            paths.dedup();
            Change { kind: ChangeKind::Update { paths }, patch: Some(patch.to_json()) }
        }
    }
}

/// What the update would break: errors of the document that it makes, at values that the user
/// states, and that live does not have already.
fn new_mistakes(want: &Want<'_>, live: &Value, merged: &Value) -> Vec<Finding> {
    let mut found = validate(want.schema, merged, Purpose::Merged);
    found.retain(|it| it.severity == Severity::Error);
    if found.is_empty() {
        return Vec::new();
    }
    let already = validate(want.schema, live, Purpose::Merged);
    found.retain(|mistake| {
        let Some(pointer) = mistake.pointer.as_deref() else { return false };
        let stated = want.desired.pointer(pointer);
        let same = stated.is_some() && stated == merged.pointer(pointer);
        same && !already.contains(mistake)
    });
    findings_in(want.schema, want.desired, want.secret_paths, &found)
}

/// What is wrong with a document that is to be created; warnings apart.
pub fn mistakes(schema: &TypeSchema, desired: &Value, secret_paths: &[String]) -> Vec<Finding> {
    let mut found = validate(schema, &without_nulls(desired), Purpose::Desired);
    found.retain(|mistake| mistake.severity == Severity::Error);
    findings_in(schema, desired, secret_paths, &found)
}

/// Diagnostics as an operation keeps them: of a secret only that it is wrong, never what it is.
fn findings_in(
    schema: &TypeSchema,
    desired: &Value,
    secret_paths: &[String],
    diagnostics: &[Diagnostic],
) -> Vec<Finding> {
    let mut hidden = secret_pointers(schema, desired);
    hidden.extend_from_slice(secret_paths);
    let one = |it: &Diagnostic| {
        let path = it.pointer.clone().unwrap_or_default();
        let secret = hidden.iter().any(|secret| is_at_or_below(&path, secret));
        let message = match it.hints.first() {
            _ if secret => "the schema does not allow this write-only value".to_owned(),
            Some(hint) => format!("{}; {hint}", it.message),
            None => it.message.clone(),
        };
        Finding { code: it.code.to_string(), path, message }
    };
    diagnostics.iter().map(one).collect()
}

fn is_at_or_below(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// `properties` with the parts of `identifier` that a caller chooses and that are not stated; a part
/// that is stated otherwise is a finding.
///
/// A put by id names its resource twice: the name in the path is the one that counts.
pub fn with_identifier(
    schema: &TypeSchema,
    properties: &Value,
    identifier: &str,
) -> Result<Value, Vec<Finding>> {
    let pointers = schema.primary_identifier();
    let parsed = Identifier::parse(identifier).map_err(|wrong| vec![in_the_path(&wrong)])?;
    let parts = parsed.parts(pointers.len()).map_err(|wrong| vec![in_the_path(&wrong)])?;
    let mut whole = properties.clone();
    let mut wrong = Vec::new();
    for (pointer, part) in pointers.iter().zip(parts) {
        let chosen = !schema.classes_of(pointer).has(Class::ReadOnly);
        let names = pointer.member_names().filter(|_| chosen).unwrap_or_default();
        let [name] = names[..] else { continue };
        let Some(members) = whole.as_object_mut() else { continue };
        match members.get(name) {
            None | Some(Value::Null) => {
                members.insert(name.to_owned(), as_kind(schema, pointer, part));
            }
            Some(stated) if text_of(stated).as_deref() == Some(part) => {}
            Some(_) => wrong.push(Finding {
                code: "IdentifierMismatch".to_owned(),
                path: pointer.to_string(),
                message: format!("the path names {part}, but the properties name another resource"),
            }),
        }
    }
    if wrong.is_empty() { Ok(whole) } else { Err(wrong) }
}

fn in_the_path(wrong: &Diagnostic) -> Finding {
    Finding {
        code: wrong.code.to_string(),
        path: String::new(),
        message: format!("the identifier in the path is not valid: {}", wrong.message),
    }
}

/// A part of an identifier as the schema wants the property: numbers are written as such.
fn as_kind(schema: &TypeSchema, pointer: &PropertyPointer, part: &str) -> Value {
    let kinds = schema.kinds_at(pointer);
    let numeric = kinds.has_numeric();
    if numeric
        && !kinds.has(Kind::String)
        && let Ok(number @ Value::Number(_)) = serde_json::from_str(part)
    {
        return number;
    }
    Value::from(part)
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        _ => None,
    }
}

/// The document that a create sends with the marker tag of its operation, where the type takes it.
///
/// It is made once, when the operation is accepted: a repeated call must send the same bytes, whatever
/// schema is known by then.
pub fn marked_document(
    schema: &TypeSchema,
    desired: &Value,
    operation: OperationId,
) -> Option<Value> {
    with_marker(schema, &without_nulls(desired), &operation.to_string())
}

/// What may be kept of an applied document, and the secrets of it by path, to be hashed.
pub fn to_keep(
    schema: &TypeSchema,
    desired: &Value,
    secret_paths: &[String],
) -> (Value, Vec<(String, Value)>) {
    let stated = without_nulls(desired);
    let mut hidden: Vec<(String, Value)> = secrets(schema, &stated)
        .into_iter()
        .map(|secret| (secret.path, secret.value.into_owned()))
        .collect();
    for path in secret_paths {
        // An array goes whole, also where it is too short for the path by now: it was stated all the same.
        let path = if stated.pointer(path).is_some() { path } else { array_around(&stated, path) };
        if let Some(value) = stated.pointer(path)
            && !hidden.iter().any(|(known, _)| known == path)
        {
            hidden.push((path.to_owned(), value.clone()));
        }
    }
    // What was read and put back states what only the service sets: that was not applied.
    let mut kept = without_read_only(schema, &without_secrets(schema, &stated));
    hide_paths(&mut kept, secret_paths);
    (kept, hidden)
}

/// The outermost array on the way to a pointer; the whole pointer where there is none.
fn array_around<'a>(document: &Value, path: &'a str) -> &'a str {
    let ends = path.match_indices('/').map(|(end, _)| &path[..end]).skip(1);
    let is_array = |it: &&str| document.pointer(it).is_some_and(Value::is_array);
    ends.into_iter().find(is_array).unwrap_or(path)
}

/// What may be kept and shown of a document that was read.
pub fn to_show(schema: &TypeSchema, live: &Value, secret_paths: &[String]) -> Value {
    let mut shown = without_secrets(schema, &without_marker(schema, live));
    hide_paths(&mut shown, secret_paths);
    shown
}

/// Takes what lies at RFC 6901 pointers out of a document.
///
/// An array may come in another order than it was first stated in, from a service or from a caller, so
/// one with a secret element goes whole.
pub fn hide_paths(document: &mut Value, paths: &[String]) {
    for path in paths {
        hide(document, path);
    }
}

fn hide(document: &mut Value, path: &str) {
    let segments: Vec<String> = path.split('/').skip(1).map(unescaped).collect();
    let mut at = document;
    for (depth, name) in segments.iter().enumerate() {
        let Some(members) = at.as_object_mut() else { return };
        let last = depth + 1 == segments.len();
        if last || members.get(name).is_some_and(Value::is_array) {
            members.remove(name);
            return;
        }
        match members.get_mut(name) {
            Some(below) => at = below,
            None => return,
        }
    }
}

fn unescaped(segment: &str) -> String {
    segment.replace("~1", "/").replace("~0", "~")
}

#[cfg(test)]
mod tests {
    use hangar_schema::{Catalog, PlainSecrets};
    use serde_json::json;

    use super::*;

    fn vpc() -> TypeSchema {
        Catalog::bundled().get("AWS::EC2::VPC").unwrap()
    }

    fn decide(desired: &Value, applied: Option<&Value>, live: &Value) -> Change {
        let schema = vpc();
        let secrets = PlainSecrets::default();
        let secret_paths = &[];
        change(&Want { schema: &schema, desired, applied, secrets: &secrets, secret_paths }, live)
    }

    #[test]
    fn nothing_changed_is_nothing_to_do() {
        let live = json!({"VpcId": "vpc-1", "CidrBlock": "10.0.0.0/16", "EnableDnsSupport": true,
                          "Tags": [{"Key": "hangar:operation", "Value": "x"}]});
        let decided = decide(&json!({"CidrBlock": "10.0.0.0/16"}), None, &live);
        assert_eq!(decided, Change { kind: ChangeKind::None, patch: None });
    }

    #[test]
    fn a_change_is_the_patch_of_it() {
        let live = json!({"VpcId": "vpc-1", "CidrBlock": "10.0.0.0/16", "EnableDnsSupport": true});
        let decided =
            decide(&json!({"CidrBlock": "10.0.0.0/16", "EnableDnsSupport": false}), None, &live);
        assert_eq!(
            decided.patch,
            Some(json!([{"op": "add", "path": "/EnableDnsSupport", "value": false}]))
        );
        assert_eq!(decided.kind, ChangeKind::Update { paths: vec!["/EnableDnsSupport".into()] });
    }

    #[test]
    fn a_create_only_change_is_told_by_its_path() {
        let live = json!({"VpcId": "vpc-1", "CidrBlock": "10.0.0.0/16"});
        let ChangeKind::Replace(findings) =
            decide(&json!({"CidrBlock": "10.1.0.0/16"}), None, &live).kind
        else {
            panic!("not a replacement");
        };
        assert_eq!(findings[0].path, "/CidrBlock");
    }

    #[test]
    fn what_an_update_would_break_is_refused_before_it_is_sent() {
        let live = json!({"VpcId": "vpc-1", "CidrBlock": "10.0.0.0/16"});
        let desired = json!({"CidrBlock": "10.0.0.0/16", "EnableDnsSuport": false});
        let ChangeKind::Invalid(findings) = decide(&desired, None, &live).kind else {
            panic!("not refused");
        };
        assert_eq!(findings[0].path, "/EnableDnsSuport");
    }

    #[test]
    fn a_name_in_the_path_is_the_name_in_the_properties() {
        let bucket = Catalog::bundled().get("AWS::S3::Bucket").unwrap();
        let named = with_identifier(&bucket, &json!({}), "logs").unwrap();
        assert_eq!(named, json!({"BucketName": "logs"}));
        assert_eq!(with_identifier(&bucket, &named, "logs").unwrap(), named);
        let wrong = with_identifier(&bucket, &named, "other").unwrap_err();
        assert_eq!(wrong[0].path, "/BucketName");
        // What only AWS can name is left alone.
        assert_eq!(with_identifier(&vpc(), &json!({}), "vpc-1").unwrap(), json!({}));
        let stage = Catalog::bundled().get("AWS::ApiGateway::Stage").unwrap();
        let named = with_identifier(&stage, &json!({"StageName": "b"}), "a|b").unwrap();
        assert_eq!(named, json!({"RestApiId": "a", "StageName": "b"}));
        assert!(with_identifier(&stage, &json!({}), "a").is_err());
    }

    #[test]
    fn a_secret_in_an_array_takes_the_array_with_it() {
        let live = json!({"Tags": [{"Key": "b", "Value": "loud"}, {"Key": "a", "Value": "quiet"}],
                          "Deep": {"Inner": {"Secret": "quiet", "Other": 1}}, "CidrBlock": "10.0.0.0/16"});
        let paths =
            ["/Tags/0/Value".to_owned(), "/Deep/Inner/Secret".to_owned(), "/None/x".to_owned()];
        let shown = to_show(&vpc(), &live, &paths);
        assert_eq!(shown, json!({"Deep": {"Inner": {"Other": 1}}, "CidrBlock": "10.0.0.0/16"}));
    }

    #[test]
    fn what_is_wrong_with_a_secret_is_told_without_it() {
        let desired = json!({"CidrBlock": 4711, "InstanceTenancy": 8765});
        let found = mistakes(&vpc(), &desired, &["/CidrBlock".to_owned()]);
        let of = |path: &str| found.iter().find(|it| it.path == path).unwrap().message.clone();
        assert!(!of("/CidrBlock").contains("4711"));
        assert!(of("/InstanceTenancy").contains("number"), "{found:?}");
    }

    #[test]
    fn secrets_are_not_kept() {
        let schema = Catalog::bundled().get("AWS::RDS::DBInstance").unwrap();
        let desired = json!({"DBInstanceIdentifier": "db", "MasterUserPassword": "canary",
                             "Tags": [{"Key": "a", "Value": "quiet"}]});
        let (kept, hidden) = to_keep(&schema, &desired, &["/Tags/0/Value".to_owned()]);
        assert!(!kept.to_string().contains("canary") && !kept.to_string().contains("quiet"));
        assert_eq!(hidden[0], ("/MasterUserPassword".to_owned(), json!("canary")));
        assert_eq!(hidden[1], ("/Tags/0/Value".to_owned(), json!("quiet")));
        // A list that is shorter by now is not kept either, and not forgotten.
        let (kept, hidden) = to_keep(&schema, &desired, &["/Tags/1/Value".to_owned()]);
        assert!(kept.get("Tags").is_none());
        assert_eq!(hidden[1], ("/Tags".to_owned(), desired["Tags"].clone()));
    }
}
