//! The codes of what is wrong in a YAML text, never re-used.

use hangar_diag::Code;

/// The text is not YAML.
pub const NOT_YAML: Code = Code::new("YAML0001");
/// A reference stands without quotes in a flow collection.
pub const UNQUOTED: Code = Code::new("YAML0002");
/// The text is nested too deeply.
pub const TOO_DEEP: Code = Code::new("YAML0003");
/// A key would become what no key can be.
pub const KEY: Code = Code::new("YAML0004");
/// A value is to be put where none is written.
pub const UNWRITTEN: Code = Code::new("YAML0005");
/// A value cannot be written without changing what the text means.
pub const GUARD: Code = Code::new("YAML0006");
/// A change does not fit the text.
pub const EDIT: Code = Code::new("YAML0007");

/// A template is empty.
pub const TEMPLATE_EMPTY: Code = Code::new("YAML0101");
/// A template is no map.
pub const TEMPLATE_NOT_MAP: Code = Code::new("YAML0102");
/// A text holds more than one template.
pub const TEMPLATE_MANY: Code = Code::new("YAML0103");
/// A key is there twice in one map of a template.
pub const TEMPLATE_KEY_TWICE: Code = Code::new("YAML0104");
/// A key of a template is no text, or is a merge key.
pub const TEMPLATE_KEY: Code = Code::new("YAML0105");
/// A tag of a template is not one that `CloudFormation` has.
pub const TEMPLATE_TAG: Code = Code::new("YAML0106");
/// An alias of a template names what holds it.
pub const TEMPLATE_ALIAS: Code = Code::new("YAML0107");
/// A template is too large.
pub const TEMPLATE_LARGE: Code = Code::new("YAML0108");

/// Every code with its meaning in one line; the documentation is tested against it.
pub const ALL: &[(Code, &str)] = &[
    (NOT_YAML, "the text is not YAML"),
    (UNQUOTED, "a reference in a flow collection is not quoted"),
    (TOO_DEEP, "the text is nested too deeply"),
    (KEY, "a key would become null, a list or a map"),
    (UNWRITTEN, "a value cannot be replaced because none is written"),
    (GUARD, "a value cannot be written without changing the meaning of the text"),
    (EDIT, "a change does not fit the text"),
    (TEMPLATE_EMPTY, "a template is empty"),
    (TEMPLATE_NOT_MAP, "a template is not a map"),
    (TEMPLATE_MANY, "a text contains more than one template"),
    (TEMPLATE_KEY_TWICE, "a key appears twice in one map of a template"),
    (TEMPLATE_KEY, "a key of a template is not a string, or is a merge key"),
    (TEMPLATE_TAG, "a tag of a template is not a CloudFormation function"),
    (TEMPLATE_ALIAS, "an alias of a template refers to a value that contains it"),
    (TEMPLATE_LARGE, "a template is too large"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_declared_code_is_listed_once_in_order_and_explained() {
        let declared: Vec<&str> = include_str!("codes.rs")
            .lines()
            .filter_map(|line| line.strip_prefix("pub const ")?.split_once("Code::new(\""))
            .map(|(_, rest)| &rest[..8])
            .collect();
        let listed: Vec<&str> = ALL.iter().map(|(code, _)| code.as_str()).collect();
        assert_eq!(listed, declared);
        assert!(listed.is_sorted_by(|a, b| a < b), "a code is used twice: {listed:?}");
        let page = include_str!("../../../../docs/errors.md");
        for code in listed {
            assert_eq!(page.matches(&format!("| `{code}` |")).count(), 1, "{code}");
        }
    }
}
