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

/// Cloud Control can do nothing with the type.
pub const NO_HANDLERS: Code = Code::new("SCHEMA0002");
/// The schema has no such identifier.
pub const NO_IDENTIFIER: Code = Code::new("SCHEMA0120");
/// A document lacks parts of an identifier.
pub const IDENTIFIER_INCOMPLETE: Code = Code::new("SCHEMA0121");
/// A document of properties is not an object.
pub const NOT_AN_OBJECT: Code = Code::new("PATCH0001");
/// A document is nested too deeply.
pub const TOO_DEEP: Code = Code::new("PATCH0002");
/// A read-only property is stated with another value than live has.
pub const READ_ONLY_STATED: Code = Code::new("PATCH0003");

/// Every code with one sentence that explains it.
pub const ALL: &[(Code, &str)] = &[
    (JSON_SYNTAX, "The text is not JSON at the place shown."),
    (JSON_DUPLICATE_KEY, "An object states the same key twice, so one value would be lost."),
    (JSON_TOO_DEEP, "Arrays and objects are nested more than 64 levels deep."),
    (JSON_LONE_SURROGATE, "A `\\u` escape is half of a surrogate pair, which is no character."),
    (JSON_CONTROL_CHARACTER, "A string holds a control character that JSON wants escaped."),
    (JSON_TRAILING_TEXT, "A JSON text is one value, and more text follows it."),
    (JSON_BAD_ESCAPE, "A string holds a backslash escape that JSON does not have."),
    (JSON_BAD_NUMBER, "A number is not written as JSON writes numbers."),
    (JSON_ENDS_EARLY, "The text ends before its value does."),
    (NO_IDENTIFIER, "The type has no primary identifier, or no additional one of that number."),
    (
        IDENTIFIER_INCOMPLETE,
        "A document of properties lacks parts of the identifier, or has values there that are not plain.",
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
