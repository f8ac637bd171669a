//! The codes of what is wrong or odd in a state, never re-used.

use hangar_diag::Code;

/// The text is empty.
pub const EMPTY: Code = Code::new("TF0001");
/// The text is not UTF-8, or is packed.
pub const NOT_TEXT: Code = Code::new("TF0002");
/// The text is not JSON.
pub const NOT_JSON: Code = Code::new("TF0003");
/// The JSON is not a state of Terraform.
pub const NOT_STATE: Code = Code::new("TF0004");
/// It is a plan, not a state.
pub const PLAN: Code = Code::new("TF0005");
/// It only says where the state is kept.
pub const BACKEND_ONLY: Code = Code::new("TF0006");
/// The state is encrypted.
pub const ENCRYPTED: Code = Code::new("TF0007");
/// The state is of a version that is too old.
pub const TOO_OLD: Code = Code::new("TF0008");
/// The state is of a version that is not known.
pub const UNKNOWN_VERSION: Code = Code::new("TF0009");
/// A part of the state that all else hangs on is not of its kind.
pub const MALFORMED: Code = Code::new("TF0010");

/// A part of a state is odd and was passed over.
pub const ODD_PART: Code = Code::new("TF0101");
/// A resource has no id because what it would be made of is not usable.
pub const NO_ID: Code = Code::new("TF0102");
/// A resource has no id because that would show what is sensitive.
pub const SENSITIVE: Code = Code::new("TF0103");
/// A resource has no id because nobody says which account it is in.
pub const NO_ACCOUNT: Code = Code::new("TF0104");
/// A resource is of a type that is not known.
pub const UNKNOWN_TYPE: Code = Code::new("TF0105");
/// An object that was to be replaced is still there.
pub const DEPOSED: Code = Code::new("TF0106");

/// Every code with its meaning in one line; the documentation is tested against it.
pub const ALL: &[(Code, &str)] = &[
    (EMPTY, "the text is empty"),
    (NOT_TEXT, "the text is not UTF-8, or is compressed"),
    (NOT_JSON, "the text is not JSON"),
    (NOT_STATE, "the JSON is not a Terraform state"),
    (PLAN, "the input is a plan, not a state"),
    (BACKEND_ONLY, "the input only configures the backend of a state"),
    (ENCRYPTED, "the state is encrypted"),
    (TOO_OLD, "the version of the state is too old"),
    (UNKNOWN_VERSION, "the version of the state is unknown"),
    (MALFORMED, "a required part of the state has the wrong type"),
    (ODD_PART, "a part of a state is malformed"),
    (NO_ID, "a resource has no id because the attributes for the id are unusable"),
    (SENSITIVE, "a resource has no id because the id would reveal a sensitive value"),
    (NO_ACCOUNT, "a resource has no id because its account is unknown"),
    (UNKNOWN_TYPE, "the type of a resource is unknown"),
    (DEPOSED, "a replaced object still exists"),
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
