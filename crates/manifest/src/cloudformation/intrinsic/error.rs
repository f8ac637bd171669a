//! What can be wrong with an expression, and where.

use std::fmt;

/// Why an expression has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault<S> {
    /// The caller's lookup gave up.
    Stop(S),
    /// The expression itself is wrong.
    Wrong(IntrinsicError),
}

/// A function that cannot be evaluated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{function} at {}: {problem}", Place(pointer))]
pub struct IntrinsicError {
    /// The function, as CloudFormation writes it (`Fn::Join`).
    pub function: String,
    /// Where it is: an RFC 6901 pointer from the root of the expression.
    pub pointer: String,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with a function.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// CloudFormation has no function of this name.
    #[error("CloudFormation has no such function")]
    Unknown,
    /// It is a function that is not evaluated here.
    #[error("this function is not supported: {0}")]
    Unsupported(&'static str),
    /// The argument is not what the function takes.
    #[error("the argument must be {0}")]
    Argument(&'static str),
    /// A function has other members beside it in its object.
    #[error("a function must be the only member of its object")]
    Company,
    /// A value has no text.
    #[error("{0} cannot be converted to a string: a string, a number or a boolean is required")]
    NoText(&'static str),
    /// A list has no such item.
    #[error("the list has no item {index}; its length is {length}")]
    NoItem {
        /// The item asked for, from 0.
        index: String,
        /// How many there are.
        length: usize,
    },
    /// A mapping has no such keys.
    #[error("mapping {map} has no value for {top}.{second}")]
    NoMapping {
        /// The mapping.
        map: String,
        /// The first key.
        top: String,
        /// The second key.
        second: String,
    },
    /// A hole of `Fn::Sub` has a name that cannot be one.
    #[error(
        "`${{{0}}}` is not a name: names contain only letters, digits, underscores, periods and colons"
    )]
    Hole(String),
    /// A block of addresses that cannot be divided so.
    #[error("{0}")]
    Cidr(String),
    /// The expression is nested too deeply.
    #[error("the expression is nested more than {max} levels deep", max = super::MAX_DEPTH)]
    TooDeep,
    /// The values are too long together.
    #[error("the strings of the expression exceed {max} bytes in total", max = super::MAX_SIZE)]
    TooLarge,
}

struct Place<'a>(&'a str);

impl fmt::Display for Place<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.0.is_empty() { "the root" } else { self.0 })
    }
}
