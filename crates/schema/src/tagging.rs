//! How a type is tagged, and which tags a user never sees.

use serde_json::{Map, Value};

/// What a schema's `tagging` block says, with AWS's defaults for what it leaves out.
// Four independent flags, as the schema has them.
#[allow(clippy::struct_excessive_bools)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tagging {
    /// Whether the type can be tagged at all.
    pub taggable: bool,
    /// Whether tags can be given at creation.
    pub on_create: bool,
    /// Whether tags can be changed later.
    pub updatable: bool,
    /// Whether CloudFormation's own tags are applied.
    pub system_tags: bool,
}

impl Tagging {
    /// Reads the block, and the pointer of the tag property as the schema writes it.
    pub(crate) fn read_from(document: &Map<String, Value>) -> (Self, String) {
        let block = document.get("tagging");
        let says = |name: &str| block.and_then(|tagging| tagging.get(name));
        let flag = |name: &str, default| says(name).and_then(Value::as_bool).unwrap_or(default);
        // An older keyword beside or in place of the block.
        let older = document.get("taggable").and_then(Value::as_bool).unwrap_or(true);
        let taggable = flag("taggable", older);
        let tagging = Self {
            taggable,
            on_create: taggable && flag("tagOnCreate", true),
            updatable: taggable && flag("tagUpdatable", true),
            system_tags: taggable && flag("cloudFormationSystemTags", true),
        };
        let property = says("tagProperty").and_then(Value::as_str).unwrap_or("/properties/Tags");
        (tagging, property.to_owned())
    }
}

/// The tag that Hangar puts on what it creates, to find it again after a crash.
pub const MARKER_TAG: &str = "hangar:operation";

/// Who a tag belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TagOwner {
    /// The user's: compared and written like any value.
    User,
    /// AWS's (`aws:`): never compared, kept when tags are written whole.
    Aws,
    /// Ours: never compared, kept when tags are written whole.
    Marker,
}

/// Whose tag this key is.
pub(crate) fn owner(key: &str) -> TagOwner {
    if key == MARKER_TAG {
        TagOwner::Marker
    } else if key.get(..4).is_some_and(|prefix| prefix.eq_ignore_ascii_case("aws:")) {
        TagOwner::Aws
    } else {
        TagOwner::User
    }
}

/// Whose tag this element of a tag array is.
pub(crate) fn owner_of_element(element: &Value) -> TagOwner {
    element.get("Key").and_then(Value::as_str).map_or(TagOwner::User, owner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_the_block_leaves_out_has_the_documented_default() {
        let (tagging, property) =
            Tagging::read_from(json!({"tagging": {"taggable": true}}).as_object().unwrap());
        assert!(tagging.on_create && tagging.updatable && tagging.system_tags);
        assert_eq!(property, "/properties/Tags");
        let (tagging, _) = Tagging::read_from(json!({"taggable": false}).as_object().unwrap());
        assert!(!tagging.taggable && !tagging.on_create);
    }

    #[test]
    fn tags_of_aws_and_our_marker_are_told_from_the_users() {
        assert_eq!(owner("aws:cloudformation:stack-id"), TagOwner::Aws);
        assert_eq!(owner("AWS:x"), TagOwner::Aws);
        assert_eq!(owner(MARKER_TAG), TagOwner::Marker);
        assert_eq!(owner("awesome"), TagOwner::User);
        assert_eq!(owner("é"), TagOwner::User);
    }
}
