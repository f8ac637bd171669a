//! The codes of expressions and of what is not found in a state, never re-used.

use hangar_diag::Code;

/// The text is no expression.
pub const SYNTAX: Code = Code::new("TF0201");
/// The expression is too long or nested too deeply.
pub const TOO_LARGE: Code = Code::new("TF0202");
/// The expression has a heredoc.
pub const HEREDOC: Code = Code::new("TF0203");
/// There is no function of this name.
pub const UNKNOWN_FUNCTION: Code = Code::new("TF0204");
/// The function is not computed here.
pub const REFUSED_FUNCTION: Code = Code::new("TF0205");
/// A function was given what it does not take.
pub const ARGUMENTS: Code = Code::new("TF0206");
/// An operator, a template or a key got what it cannot be used with.
pub const OPERATION: Code = Code::new("TF0207");
/// The expression takes more steps or space than are allowed.
pub const TOO_MUCH: Code = Code::new("TF0208");
/// The state has no such resource.
pub const NO_RESOURCE: Code = Code::new("TF0209");
/// The resource has several instances, or not this one.
pub const NO_INSTANCE: Code = Code::new("TF0210");
/// The resource has no such attribute.
pub const NO_ATTRIBUTE: Code = Code::new("TF0211");
/// The state has no such output.
pub const NO_OUTPUT: Code = Code::new("TF0212");
/// What is named is in a configuration and not in its state.
pub const NOT_HELD: Code = Code::new("TF0213");
/// The text is no address of a resource.
pub const ADDRESS: Code = Code::new("TF0214");
/// The value is nested too deeply.
pub const TOO_DEEP: Code = Code::new("TF0215");
/// The value is of an object that is to be replaced.
pub const TAINTED: Code = Code::new("TF0216");

/// Every code with its meaning in one line; the documentation is tested against it.
pub const ALL: &[(Code, &str)] = &[
    (SYNTAX, "the text is not an expression"),
    (TOO_LARGE, "the expression is too long or nested too deeply"),
    (HEREDOC, "the expression contains a heredoc"),
    (UNKNOWN_FUNCTION, "the function does not exist"),
    (REFUSED_FUNCTION, "the function is not supported"),
    (ARGUMENTS, "a function was called with invalid arguments"),
    (OPERATION, "an operator, a template or a key has a value of the wrong type"),
    (TOO_MUCH, "the expression needs more steps or memory than allowed"),
    (NO_RESOURCE, "the state has no such resource"),
    (NO_INSTANCE, "the resource has several instances, or lacks the requested one"),
    (NO_ATTRIBUTE, "the resource has no such attribute"),
    (NO_OUTPUT, "the state has no such output"),
    (
        NOT_HELD,
        "the expression refers to a value that a state does not contain, such as a variable",
    ),
    (ADDRESS, "the text is not a resource address"),
    (TOO_DEEP, "the value is nested too deeply"),
    (TAINTED, "the value comes from a tainted resource, which the next apply replaces"),
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
