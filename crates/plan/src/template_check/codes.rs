//! The codes of what a schema has against a template: Bicep's where the meaning is the same, else our own.

use hangar_diag::Code;
use hangar_template::codes;

/// An item of a list has another type than the schema wants, or is none of the values that it lists.
pub const WRONG_ITEM: Code = Code::new("BCP034");
/// An object lacks properties that are required.
pub const MISSING: Code = Code::new("BCP035");
/// A property has another type than the schema wants, or is none of the values that it lists.
pub const WRONG_TYPE: Code = Code::new("BCP036");
/// A property is stated that the schema does not know there.
pub const UNKNOWN_PROPERTY: Code = codes::UNKNOWN_MEMBER;
/// A property is read that the schema does not know there.
pub const UNKNOWN_READ: Code = codes::NO_SUCH_PROPERTY;
/// A property is read of what is no object.
pub const READ_OF_NO_OBJECT: Code = codes::NO_PROPERTIES;
/// A property is stated that only AWS sets.
pub const READ_ONLY: Code = Code::new("BCP073");
/// A property is read that AWS never returns.
pub const WRITE_ONLY: Code = Code::new("BCP077");
/// The catalog has no such type.
pub const UNKNOWN_TYPE: Code = codes::UNKNOWN_RESOURCE_TYPE;
/// A property is read that the schema does not know there, and there is one of a similar name.
pub const NEAR_READ: Code = codes::NO_SUCH_PROPERTY_NEAR;
/// A value is none of those that the schema lists, and a similar one is.
pub const NEAR_VALUE: Code = Code::new("BCP088");
/// A property is stated that the schema does not know there, and there is one of a similar name.
pub const NEAR_PROPERTY: Code = codes::UNKNOWN_MEMBER_NEAR;
/// A number is too large.
pub const TOO_LARGE: Code = codes::TOO_GREAT;
/// A number is too small.
pub const TOO_SMALL: Code = codes::TOO_SMALL;
/// A text or a list is too long.
pub const TOO_LONG: Code = codes::TOO_LONG;
/// A text or a list is too short.
pub const TOO_SHORT: Code = codes::TOO_SHORT;

/// Nothing says in which account and region a resource is to be.
pub const NO_SCOPE: Code = Code::new("TMPL0220");
/// Cloud Control cannot create resources of the type.
pub const NOT_CREATABLE: Code = Code::new("TMPL0201");
/// Cloud Control cannot read resources of the type.
pub const NOT_READABLE: Code = Code::new("TMPL0202");
/// A text does not match the schema's pattern.
pub const PATTERN: Code = codes::TEXT_RULE;
/// A text does not look as its format says.
pub const FORMAT: Code = Code::new("TMPL0204");
/// A deprecated property is stated.
pub const DEPRECATED: Code = Code::new("TMPL0205");
/// A property is stated without another that it needs.
pub const MISSING_BESIDE: Code = Code::new("TMPL0206");
/// Properties of several alternatives are mixed.
pub const ALTERNATIVES: Code = Code::new("TMPL0207");
/// A list holds equal items where all must differ.
pub const DUPLICATE_ITEM: Code = Code::new("TMPL0208");
/// An object has too few or too many properties.
pub const MEMBER_COUNT: Code = Code::new("TMPL0209");
/// A number is not a multiple of what the schema says.
pub const MULTIPLE: Code = Code::new("TMPL0210");
/// A body is too deep or too large to check wholly.
pub const CHECKED_IN_PART: Code = Code::new("TMPL0211");

/// A secret is to name a resource.
pub const SECRET_NAME: Code = Code::new("TMPL0212");

/// A template names what another deployment manages.
pub const MANAGED_ELSEWHERE: Code = Code::new("TMPL0230");

/// A property holds Hangar's id of a resource, which AWS does not know.
pub const ID_IN_PROPERTY: Code = Code::new("TMPL0240");

/// What a schema says of bodies and reads: where a schema is wrong, the text can silence it.
pub const FROM_SCHEMAS: &[Code] = &[
    WRONG_ITEM,
    MISSING,
    WRONG_TYPE,
    UNKNOWN_PROPERTY,
    UNKNOWN_READ,
    READ_OF_NO_OBJECT,
    READ_ONLY,
    WRITE_ONLY,
    NEAR_READ,
    NEAR_VALUE,
    NEAR_PROPERTY,
    TOO_LARGE,
    TOO_SMALL,
    TOO_LONG,
    TOO_SHORT,
    PATTERN,
    FORMAT,
    DEPRECATED,
    MISSING_BESIDE,
    ALTERNATIVES,
    DUPLICATE_ITEM,
    MEMBER_COUNT,
    MULTIPLE,
    CHECKED_IN_PART,
    ID_IN_PROPERTY,
];

/// What is said of types and their places: nothing can be done with such a one, whatever the text says.
pub const OF_TYPES: &[Code] =
    &[UNKNOWN_TYPE, NO_SCOPE, NOT_CREATABLE, NOT_READABLE, SECRET_NAME, MANAGED_ELSEWHERE];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_code_is_explained_in_docs_errors() {
        let page = include_str!("../../../../docs/errors.md");
        let all: Vec<&Code> = FROM_SCHEMAS.iter().chain(OF_TYPES).collect();
        for code in &all {
            let line = format!("| `{code}` |");
            assert_eq!(page.matches(&line).count(), 1, "docs/errors.md explains {code} once");
        }
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len(), "a code is used twice");
        let declared = include_str!("codes.rs").matches(&format!(": Code {}", "= ")).count();
        assert_eq!(declared, all.len(), "a code is not listed");
    }
}
