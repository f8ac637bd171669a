//! The marker tag: put on what is created, found again on what exists, shown to nobody.

use hangar_diag::Severity;
use serde_json::{Map, Value, json};

use crate::pointer::PropertyPointer;
use crate::tagging::MARKER_TAG;
use crate::type_schema::TypeSchema;
use crate::validate::{Purpose, validate};

/// AWS takes no more tags on one resource.
const MOST_TAGS: usize = 50;

/// How a type keeps its tags.
enum Form {
    /// `[{"Key": …, "Value": …}]`
    List,
    /// `{key: value}`
    Map,
}

/// `document` with the marker tag of `operation`; nothing where the type cannot be tagged at
/// creation, or the schema would refuse the tag.
///
/// ```
/// use hangar_schema::{Catalog, with_marker};
/// use serde_json::json;
///
/// let vpc = Catalog::bundled().get("AWS::EC2::VPC")?;
/// let marked = with_marker(&vpc, &json!({"CidrBlock": "10.0.0.0/16"}), "id").unwrap();
/// assert_eq!(marked["Tags"], json!([{"Key": "hangar:operation", "Value": "id"}]));
/// # Ok::<(), hangar_schema::CatalogError>(())
/// ```
pub fn with_marker(schema: &TypeSchema, document: &Value, operation: &str) -> Option<Value> {
    if !schema.tagging().on_create {
        return None;
    }
    let (name, form) = tags_of(schema)?;
    let mut marked = document.clone();
    let members = marked.as_object_mut()?;
    let empty = match form {
        Form::List => json!([]),
        Form::Map => json!({}),
    };
    let tags = members.entry(name).or_insert_with(|| empty.clone());
    if tags.is_null() {
        *tags = empty;
    }
    match tags {
        Value::Array(tags) if tags.len() < MOST_TAGS => {
            tags.push(json!({"Key": MARKER_TAG, "Value": operation}));
        }
        Value::Object(tags) if tags.len() < MOST_TAGS => {
            tags.insert(MARKER_TAG.to_owned(), operation.into());
        }
        _ => return None,
    }
    // What the schema says against the tag, and not against the rest, AWS will say too.
    let before = validate(schema, document, Purpose::Merged);
    let after = validate(schema, &marked, Purpose::Merged);
    let errors = after.iter().filter(|finding| finding.severity == Severity::Error);
    let mut new = errors.filter(|finding| {
        // Hints may list what else could be stated, and so differ.
        !before.iter().any(|it| it.pointer == finding.pointer && it.message == finding.message)
    });
    new.next().is_none().then_some(marked)
}

/// The operation that a resource's marker tag names.
pub fn marker_of<'a>(schema: &TypeSchema, live: &'a Value) -> Option<&'a str> {
    let (name, _) = tags_of(schema)?;
    match live.get(name)? {
        Value::Array(tags) => tags.iter().find(|tag| is_marker(tag))?.get("Value")?.as_str(),
        Value::Object(tags) => tags.get(MARKER_TAG)?.as_str(),
        _ => None,
    }
}

/// `live` without the marker tag: what its user may be shown.
pub fn without_marker(schema: &TypeSchema, live: &Value) -> Value {
    let mut shown = live.clone();
    if let Some((name, _)) = tags_of(schema)
        && let Some(members) = shown.as_object_mut()
    {
        remove_marker(members, &name);
    }
    shown
}

fn remove_marker(members: &mut Map<String, Value>, name: &str) {
    let emptied = match members.get_mut(name) {
        Some(Value::Array(tags)) => {
            let before = tags.len();
            tags.retain(|tag| !is_marker(tag));
            tags.is_empty() && before > 0
        }
        Some(Value::Object(tags)) => tags.remove(MARKER_TAG).is_some() && tags.is_empty(),
        _ => false,
    };
    // Tags that held nothing but ours were never asked for.
    if emptied {
        members.remove(name);
    }
}

fn is_marker(tag: &Value) -> bool {
    tag.get("Key").and_then(Value::as_str) == Some(MARKER_TAG)
}

/// The member that holds the tags, and how. Tags below the top are left alone.
fn tags_of(schema: &TypeSchema) -> Option<(String, Form)> {
    let names = schema.tag_property().and_then(PropertyPointer::member_names)?;
    let [name] = names[..] else { return None };
    let spot = schema.member(schema.root(), name);
    let shape = schema.shape(spot);
    if schema.is_read_only(spot) || schema.at(spot).is_hidden() {
        return None;
    }
    if shape.has_elements() {
        let element = schema.shape(schema.element(spot));
        let keyed = ["Key", "Value"].iter().all(|name| element.find_named(name).is_some());
        return keyed.then(|| (name.to_owned(), Form::List));
    }
    shape.is_map().then(|| (name.to_owned(), Form::Map))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Catalog;

    #[test]
    fn a_marker_is_put_found_and_hidden_again() {
        let catalog = Catalog::bundled();
        let mut markable = 0;
        for name in
            ["AWS::EC2::VPC", "AWS::S3::Bucket", "AWS::SSM::Parameter", "AWS::Lambda::Function"]
        {
            let schema = catalog.get(name).unwrap();
            let document = json!({"Some": "value"});
            let marked = with_marker(&schema, &document, "op").unwrap();
            assert_eq!(marker_of(&schema, &marked), Some("op"), "{name}");
            assert_eq!(marker_of(&schema, &document), None);
            assert_eq!(without_marker(&schema, &marked), document, "{name}");
            markable += 1;
        }
        assert_eq!(markable, 4);
    }

    #[test]
    fn the_users_own_tags_stay() {
        let vpc = Catalog::bundled().get("AWS::EC2::VPC").unwrap();
        let document = json!({"Tags": [{"Key": "team", "Value": "a"}]});
        let marked = with_marker(&vpc, &document, "op").unwrap();
        assert_eq!(marked["Tags"].as_array().unwrap().len(), 2);
        assert_eq!(without_marker(&vpc, &marked), document);
        let full: Vec<Value> =
            (0..50).map(|n| json!({"Key": format!("k{n}"), "Value": "v"})).collect();
        assert_eq!(with_marker(&vpc, &json!({"Tags": full}), "op"), None);
    }

    #[test]
    fn most_types_that_can_be_tagged_at_creation_can_be_marked() {
        let catalog = Catalog::bundled();
        let (mut on_create, mut marked) = (0, 0);
        for name in catalog.names() {
            let schema = catalog.get(name).unwrap();
            if schema.tagging().on_create && schema.tag_property().is_some() {
                on_create += 1;
                marked += usize::from(with_marker(&schema, &json!({}), "op").is_some());
            }
        }
        assert!(marked * 10 > on_create * 9, "{marked} of {on_create}");
    }
}
