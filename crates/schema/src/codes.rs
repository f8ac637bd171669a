//! The codes of this crate's diagnostics; a code is never re-used.

use hangar_diag::Code;

/// The text is not JSON at this place.
pub const JSON_SYNTAX: Code = Code::new("JSON0001");
/// An object states a key twice.
pub const JSON_DUPLICATE_KEY: Code = Code::new("JSON0002");
/// Arrays and objects are nested too deeply.
pub const JSON_TOO_DEEP: Code = Code::new("JSON0003");
/// A `\u` escape is half of a surrogate pair.
pub const JSON_LONE_SURROGATE: Code = Code::new("JSON0004");
/// A control character stands in a string as itself.
pub const JSON_CONTROL_CHARACTER: Code = Code::new("JSON0005");
/// More text follows the value.
pub const JSON_TRAILING_TEXT: Code = Code::new("JSON0006");
/// A backslash escape that JSON does not have.
pub const JSON_BAD_ESCAPE: Code = Code::new("JSON0007");
/// Something that begins like a number and is not one.
pub const JSON_BAD_NUMBER: Code = Code::new("JSON0008");
/// The text ends inside a value.
pub const JSON_ENDS_EARLY: Code = Code::new("JSON0009");

/// The catalog has no such type.
pub const UNKNOWN_TYPE: Code = Code::new("SCHEMA0001");
/// Cloud Control can do nothing with the type.
pub const NO_HANDLERS: Code = Code::new("SCHEMA0002");
/// The schema knows no such property at this place.
pub const UNKNOWN_PROPERTY: Code = Code::new("SCHEMA0101");
/// A property is stated that only AWS sets.
pub const READ_ONLY_PROPERTY: Code = Code::new("SCHEMA0102");
/// A required property is not stated.
pub const MISSING_PROPERTY: Code = Code::new("SCHEMA0103");
/// A value has another JSON type than the schema wants.
pub const WRONG_TYPE: Code = Code::new("SCHEMA0104");
/// A value is not among those that the schema lists.
pub const NOT_ALLOWED: Code = Code::new("SCHEMA0105");
/// A text does not match the schema's pattern.
pub const PATTERN: Code = Code::new("SCHEMA0106");
/// A text is too short or too long.
pub const LENGTH: Code = Code::new("SCHEMA0107");
/// An array has too few or too many items.
pub const ITEM_COUNT: Code = Code::new("SCHEMA0108");
/// An array holds equal items where all must differ.
pub const DUPLICATE_ITEM: Code = Code::new("SCHEMA0109");
/// An object has too few or too many properties.
pub const MEMBER_COUNT: Code = Code::new("SCHEMA0110");
/// A number is too small or too large.
pub const RANGE: Code = Code::new("SCHEMA0111");
/// A number is not a multiple of what the schema says.
pub const MULTIPLE: Code = Code::new("SCHEMA0112");
/// A property is stated without another that it needs.
pub const MISSING_DEPENDENCY: Code = Code::new("SCHEMA0113");
/// An object fits none of the schema's alternatives.
pub const NO_ALTERNATIVE: Code = Code::new("SCHEMA0114");
/// A value fits several alternatives where one is wanted.
pub const SEVERAL_ALTERNATIVES: Code = Code::new("SCHEMA0115");
/// A text does not look as its format says.
pub const FORMAT: Code = Code::new("SCHEMA0116");
/// A deprecated property is stated.
pub const DEPRECATED_PROPERTY: Code = Code::new("SCHEMA0117");
/// A property belongs to another alternative than its siblings.
pub const OTHER_ALTERNATIVE: Code = Code::new("SCHEMA0118");
/// A document is too deep or too large to check wholly.
pub const CHECKED_IN_PART: Code = Code::new("SCHEMA0119");
/// The schema has no such identifier.
pub const NO_IDENTIFIER: Code = Code::new("SCHEMA0120");
/// A document lacks parts of an identifier.
pub const IDENTIFIER_INCOMPLETE: Code = Code::new("SCHEMA0121");
/// A text is not one that cfn-lint knows for the property; AWS's schema does not restrict it.
pub const ADVISED: Code = Code::new("SCHEMA0122");
/// A document is not a resource type schema.
pub const NOT_A_SCHEMA: Code = Code::new("SCHEMA0003");
/// A document of properties is not an object.
pub const NOT_AN_OBJECT: Code = Code::new("PATCH0001");
/// A document is nested too deeply.
pub const TOO_DEEP: Code = Code::new("PATCH0002");
/// A read-only property is stated with another value than live has.
pub const READ_ONLY_STATED: Code = Code::new("PATCH0003");

/// Every code with one sentence that explains it.
pub const ALL: &[(Code, &str)] = &[
    (JSON_SYNTAX, "The text is not JSON at the place shown."),
    (JSON_DUPLICATE_KEY, "An object contains the same key twice, so one value would be lost."),
    (JSON_TOO_DEEP, "Arrays and objects are nested more than 64 levels deep."),
    (JSON_LONE_SURROGATE, "A `\\u` escape is half of a surrogate pair, which is not a character."),
    (JSON_CONTROL_CHARACTER, "A string contains a control character that must be escaped in JSON."),
    (JSON_TRAILING_TEXT, "More text follows the JSON value."),
    (JSON_BAD_ESCAPE, "A string contains a backslash escape that JSON does not have."),
    (JSON_BAD_NUMBER, "A number is not written in JSON's notation."),
    (JSON_ENDS_EARLY, "The text ends before the end of its value."),
    (UNKNOWN_TYPE, "The resource type does not exist in the bundled catalog."),
    (NOT_A_SCHEMA, "The file is not a CloudFormation resource type schema."),
    (NO_HANDLERS, "AWS publishes the type without handlers, so Cloud Control cannot manage it."),
    (NOT_AN_OBJECT, "A properties document must be a JSON object."),
    (TOO_DEEP, "A properties document is nested more than 128 levels deep."),
    (
        READ_ONLY_STATED,
        "Only AWS can set this property, and the desired value differs from the live one.",
    ),
    (UNKNOWN_PROPERTY, "The property does not exist in the schema at that place."),
    (READ_ONLY_PROPERTY, "The document sets a property that only AWS can set."),
    (MISSING_PROPERTY, "A required property is missing."),
    (
        WRONG_TYPE,
        "A value does not have the JSON type that the schema requires; a warning if AWS may convert it.",
    ),
    (NOT_ALLOWED, "A value is not one of the values that the schema allows."),
    (PATTERN, "A string does not match the schema's pattern."),
    (LENGTH, "A string is too short or too long."),
    (ITEM_COUNT, "An array has too few or too many items."),
    (DUPLICATE_ITEM, "An array contains equal items, but all must differ."),
    (MEMBER_COUNT, "An object has too few or too many properties."),
    (RANGE, "A number is too small or too large."),
    (MULTIPLE, "A number is not a multiple of the step that the schema requires."),
    (MISSING_DEPENDENCY, "A property is set without another one that it requires."),
    (
        NO_ALTERNATIVE,
        "An object has none, or a mixture, of the alternative groups of properties in the schema.",
    ),
    (
        SEVERAL_ALTERNATIVES,
        "A value matches several of the schema's alternatives, but must match exactly one.",
    ),
    (FORMAT, "A string does not look like a value of its format."),
    (DEPRECATED_PROPERTY, "A deprecated property is set; AWS still accepts it."),
    (
        OTHER_ALTERNATIVE,
        "A property and its siblings belong to different alternatives of the schema.",
    ),
    (
        CHECKED_IN_PART,
        "A document is too deep or too large to check completely; AWS checks the rest.",
    ),
    (
        NO_IDENTIFIER,
        "The type has no primary identifier, or no additional identifier with that number.",
    ),
    (
        IDENTIFIER_INCOMPLETE,
        "A properties document lacks parts of the identifier, or has arrays or objects in their place.",
    ),
    (
        ADVISED,
        "A string is not one that cfn-lint allows for the property; AWS's schema does not restrict it.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_code_is_declared_twice() {
        let mut codes: Vec<_> = ALL.iter().map(|(code, _)| code.as_str()).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), ALL.len());
    }
}
