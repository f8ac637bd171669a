//! The codes of this crate's diagnostics: one for each kind of mistake, never re-used.

use hangar_diag::Code;

/// An id does not begin with a slash.
pub const NO_LEADING_SLASH: Code = Code::new("ID0001");
/// Two slashes follow each other, or a name that is appended is empty.
pub const EMPTY_SEGMENT: Code = Code::new("ID0002");
/// A segment is `.` or `..`.
pub const DOT_SEGMENT: Code = Code::new("ID0003");
/// A control character stands where it must be percent-encoded, or NUL stands anywhere.
pub const CONTROL_CHARACTER: Code = Code::new("ID0004");
/// A raw `?` or `#`, which begin the query and the fragment of a URL.
pub const QUERY: Code = Code::new("ID0005");
/// A `%` is not followed by two hexadecimal digits.
pub const BAD_PERCENT: Code = Code::new("ID0006");
/// A percent sequence decodes to NUL.
pub const ENCODED_NUL: Code = Code::new("ID0007");
/// Percent sequences decode to bytes which are not UTF-8.
pub const NOT_UTF8: Code = Code::new("ID0008");
/// A slash inside an alias, a scope or a type; only AWS identifiers may hold one.
pub const SLASH_IN_NAME: Code = Code::new("ID0009");
/// An id begins with something other than `planes`, `subscriptions` or `providers`.
pub const UNKNOWN_ROOT: Code = Code::new("ID0010");
/// A plane's type or name is missing before `/providers`.
pub const MISSING_PLANE: Code = Code::new("ID0011");
/// A scope has a type and no name before `/providers`.
pub const ODD_SCOPE: Code = Code::new("ID0012");
/// `providers` is not followed by a namespace and a type.
pub const INCOMPLETE_PROVIDERS: Code = Code::new("ID0013");
/// A segment begins with `:`, as the actions of the HTTP interface do.
pub const ACTION: Code = Code::new("ID0014");
/// A resource has no name before a further `/providers`.
pub const MISSING_NAME: Code = Code::new("ID0015");
/// What is appended cannot stand below this id.
pub const WRONG_APPEND: Code = Code::new("ID0016");

/// A type name holds a character other than a letter or a digit between its separators.
pub const TYPE_NAME_CHARACTER: Code = Code::new("ID0020");
/// A type name has too few parts, or an empty one.
pub const TYPE_NAME_PARTS: Code = Code::new("ID0021");
/// A type name names a module or a reference, which are not resource types.
pub const NOT_A_RESOURCE_TYPE: Code = Code::new("ID0022");

/// An identifier, or a part of one, is empty.
pub const IDENTIFIER_EMPTY: Code = Code::new("ID0030");
/// An identifier is longer than 1024 characters.
pub const IDENTIFIER_TOO_LONG: Code = Code::new("ID0031");
/// An identifier holds NUL.
pub const IDENTIFIER_NUL: Code = Code::new("ID0032");
/// An identifier has more or fewer parts than the schema wants.
pub const IDENTIFIER_PARTS: Code = Code::new("ID0033");
/// An identifier begins like a JSON object and is not one.
pub const IDENTIFIER_JSON: Code = Code::new("ID0034");
/// The fields of an identifier are not those of any set that the schema has.
pub const IDENTIFIER_FIELDS: Code = Code::new("ID0035");
/// A field of an identifier is given twice.
pub const IDENTIFIER_DUPLICATE: Code = Code::new("ID0036");
/// A field of an identifier is not a string, a number or a boolean.
pub const IDENTIFIER_VALUE: Code = Code::new("ID0037");
/// A part of a composite identifier holds `|`, which separates the parts.
pub const IDENTIFIER_BAR: Code = Code::new("ID0038");

/// An account id is not 1 to 12 digits.
pub const ACCOUNT: Code = Code::new("ID0040");
/// A region is not of the form `us-east-1`.
pub const REGION: Code = Code::new("ID0041");

/// The text does not begin with `arn:`.
pub const NOT_AN_ARN: Code = Code::new("ID0050");
/// An ARN has fewer than six parts.
pub const ARN_PARTS: Code = Code::new("ID0051");
/// An ARN's partition is not `aws` or `aws-…`.
pub const ARN_PARTITION: Code = Code::new("ID0052");
/// An ARN's service is empty or holds a character that no service has.
pub const ARN_SERVICE: Code = Code::new("ID0053");
/// An ARN's region or account holds a character that neither can have.
pub const ARN_SCOPE: Code = Code::new("ID0054");
/// An ARN's resource is empty.
pub const ARN_RESOURCE: Code = Code::new("ID0055");
/// An ARN carries no account and none was given for it.
pub const ARN_NO_ACCOUNT: Code = Code::new("ID0056");
/// An ARN's resource has no type and its service does not imply one.
pub const ARN_NO_TYPE: Code = Code::new("ID0057");
/// An ARN's resource has a type and no name.
pub const ARN_NO_NAME: Code = Code::new("ID0058");

/// A text is not an address of an instance or a module of Terraform.
pub const TERRAFORM_ADDRESS: Code = Code::new("ID0060");

/// Every code with its meaning in one line; the documentation is tested against it.
pub const ALL: &[(Code, &str)] = &[
    (NO_LEADING_SLASH, "an id does not start with a slash"),
    (EMPTY_SEGMENT, "a segment or an appended name is empty"),
    (DOT_SEGMENT, "a segment is `.` or `..`"),
    (CONTROL_CHARACTER, "a control character that is not percent-encoded, or NUL"),
    (QUERY, "an unencoded `?` or `#`, which start the query and the fragment of a URL"),
    (BAD_PERCENT, "a `%` is not followed by two hexadecimal digits"),
    (ENCODED_NUL, "a percent-encoded byte decodes to NUL"),
    (NOT_UTF8, "percent-encoded bytes are not valid UTF-8"),
    (SLASH_IN_NAME, "an alias, a scope or a type contains a slash"),
    (UNKNOWN_ROOT, "an id does not start with `planes`, `subscriptions` or `providers`"),
    (MISSING_PLANE, "a plane's type or name is missing before `/providers`"),
    (ODD_SCOPE, "a scope has a type but no name before `/providers`"),
    (INCOMPLETE_PROVIDERS, "`providers` is not followed by a namespace and a type"),
    (ACTION, "a segment starts with `:`, like an action of the HTTP API"),
    (MISSING_NAME, "a resource has no name before another `/providers`"),
    (WRONG_APPEND, "the appended part is not allowed below this id"),
    (
        TYPE_NAME_CHARACTER,
        "a part of a type name contains a character other than letters and digits",
    ),
    (TYPE_NAME_PARTS, "a type name has too few parts, or an empty part"),
    (NOT_A_RESOURCE_TYPE, "a type name is that of a module or a reference"),
    (IDENTIFIER_EMPTY, "an identifier, or a part of one, is empty"),
    (IDENTIFIER_TOO_LONG, "an identifier is longer than 1024 characters"),
    (IDENTIFIER_NUL, "an identifier contains NUL"),
    (IDENTIFIER_PARTS, "an identifier does not have the number of parts that the schema requires"),
    (IDENTIFIER_JSON, "an identifier starts with `{` but is not a JSON object"),
    (IDENTIFIER_FIELDS, "the fields of an identifier do not match any identifier of the schema"),
    (IDENTIFIER_DUPLICATE, "a field of an identifier is set twice"),
    (IDENTIFIER_VALUE, "a field of an identifier is not a string, a number or a boolean"),
    (IDENTIFIER_BAR, "a part of a composite identifier contains `|`"),
    (ACCOUNT, "an account id is not 1 to 12 digits"),
    (REGION, "a region is not of the form `us-east-1`"),
    (NOT_AN_ARN, "the text does not start with `arn:`"),
    (ARN_PARTS, "an ARN has fewer than six parts"),
    (ARN_PARTITION, "an ARN's partition is not `aws` or `aws-…`"),
    (ARN_SERVICE, "an ARN's service is empty or contains a character that is not allowed"),
    (ARN_SCOPE, "an ARN's region or account contains a character that is not allowed"),
    (ARN_RESOURCE, "an ARN's resource is empty"),
    (ARN_NO_ACCOUNT, "an ARN has no account, and no account was passed"),
    (ARN_NO_TYPE, "an ARN's resource has no type, and its service does not imply one"),
    (ARN_NO_NAME, "an ARN's resource has a type but no name"),
    (TERRAFORM_ADDRESS, "a text is not a Terraform resource address"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_declared_code_is_listed_once_and_in_order() {
        let declared: Vec<&str> = include_str!("codes.rs")
            .lines()
            .filter_map(|line| line.strip_prefix("pub const ")?.split_once("Code::new(\""))
            .map(|(_, rest)| &rest[..6])
            .collect();
        let listed: Vec<&str> = ALL.iter().map(|(code, _)| code.as_str()).collect();
        assert_eq!(listed, declared);
        assert!(listed.is_sorted_by(|a, b| a < b), "a code is used twice: {listed:?}");
    }
}
