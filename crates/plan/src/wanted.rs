//! What a request wants, made whole: a change of some properties laid over what was applied, and the
//! order in which a resource may be replaced.

use hangar_schema::{IdentifierChoice, ReplacementStrategy, TypeSchema};
use serde_json::{Map, Value};

use crate::operation::Strategy;

/// `applied` with the changes of an RFC 7396 document.
///
/// A null member stays as null, because a put takes it as "remove": what was never applied can be
/// removed too.
pub fn merged(applied: Option<&Value>, changes: &Value) -> Value {
    let Value::Object(changes) = changes else { return changes.clone() };
    let mut whole = match applied {
        Some(Value::Object(applied)) => applied.clone(),
        _ => Map::new(),
    };
    for (name, change) in changes {
        let value = match change {
            Value::Object(_) => merged(whole.get(name), change),
            other => other.clone(),
        };
        whole.insert(name.clone(), value);
    }
    Value::Object(whole)
}

/// In which order a resource of the type is replaced by what is wanted.
///
/// The new one first only where the service names them both: one of a name that its caller chose would
/// be in the way of the other. Then as the schema says; else only where the caller has chosen no other name
/// that may have to be unique.
pub fn strategy(schema: &TypeSchema, desired: &Value) -> Strategy {
    if schema.identifier_choice() != Some(IdentifierChoice::Generated) {
        return Strategy::DeleteFirst;
    }
    match schema.replacement_strategy() {
        Some(ReplacementStrategy::CreateThenDelete) => return Strategy::CreateFirst,
        Some(ReplacementStrategy::DeleteThenCreate) => return Strategy::DeleteFirst,
        None => {}
    }
    let names_itself = desired.as_object().is_some_and(|members| {
        members.iter().any(|(name, value)| value.is_string() && is_a_name(schema, name))
    });
    if names_itself { Strategy::DeleteFirst } else { Strategy::CreateFirst }
}

/// Whether a top-level property is one by which a service may tell its resources apart.
fn is_a_name(schema: &TypeSchema, property: &str) -> bool {
    let is_part_of = |pointers: &[hangar_schema::PropertyPointer]| {
        pointers.iter().any(|it| it.member_names().as_deref() == Some(&[property]))
    };
    property.ends_with("Name")
        || property.ends_with("Identifier")
        || is_part_of(schema.primary_identifier())
        || schema.additional_identifiers().iter().any(|set| is_part_of(set))
}

#[cfg(test)]
mod tests {
    use hangar_schema::Catalog;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_change_is_laid_over_what_was_applied() {
        let applied = json!({"A": {"B": 1, "C": 2}, "D": [1], "E": "x"});
        let changes = json!({"A": {"B": 3, "F": {"G": null}}, "D": [2], "E": null, "H": 1});
        assert_eq!(
            merged(Some(&applied), &changes),
            json!({"A": {"B": 3, "C": 2, "F": {"G": null}}, "D": [2], "E": null, "H": 1})
        );
        assert_eq!(merged(None, &json!({"A": null})), json!({"A": null}));
        assert_eq!(
            merged(Some(&json!({"A": "text"})), &json!({"A": {"B": 1}})),
            json!({"A": {"B": 1}})
        );
    }

    #[test]
    fn the_new_one_comes_first_only_where_no_name_is_in_the_way() {
        let of =
            |name: &str, desired: Value| strategy(&Catalog::bundled().get(name).unwrap(), &desired);
        assert_eq!(of("AWS::EC2::VPC", json!({"CidrBlock": "10.0.0.0/16"})), Strategy::CreateFirst);
        assert_eq!(of("AWS::S3::Bucket", json!({"BucketName": "logs"})), Strategy::DeleteFirst);
        let named = json!({"GroupName": "web", "GroupDescription": "x"});
        assert_eq!(of("AWS::EC2::SecurityGroup", named), Strategy::DeleteFirst);
        let nameless = json!({"GroupDescription": "x"});
        assert_eq!(of("AWS::EC2::SecurityGroup", nameless), Strategy::CreateFirst);
    }

    #[test]
    fn a_schema_that_wants_the_new_one_first_is_not_heard_where_the_caller_names_it() {
        let schema = Catalog::bundled().get("AWS::EKS::AccessEntry").unwrap();
        assert_eq!(schema.replacement_strategy(), Some(ReplacementStrategy::CreateThenDelete));
        let desired = json!({"ClusterName": "c", "PrincipalArn": "arn:aws:iam::42:role/r"});
        assert_eq!(strategy(&schema, &desired), Strategy::DeleteFirst);
    }
}
