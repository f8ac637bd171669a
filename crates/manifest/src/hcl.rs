//! Expressions of Terraform's language, read and evaluated over what is deployed.
//!
//! [`parse_expression`] and [`parse_template`] make a tree of a text, which
//! [`Deployed::evaluate`](crate::deployed::Deployed::evaluate) computes with the resources of a state. No text exhausts whoever reads or evaluates it: length,
//! depth, steps and sizes are bounded. Messages never show a value.

mod decimal;
mod error;
mod evaluate;
mod expression;
mod function;
mod parse;
mod scan;
mod value;

pub use error::{EvaluateError, HclError, Reason};
pub(crate) use evaluate::{Loaded, Reference, Scope, evaluate};
pub use expression::{
    Call, Expression, For, Kind, Literal, Operator, Part, Sign, Step, StepKind, TemplateFor,
    TemplateIf,
};
pub(crate) use value::{Data, Datum};

/// Reads an expression: `join("-", aws_vpc.main[*].id)`.
///
/// ```
/// use hangar_manifest::hcl::{Kind, parse_expression};
///
/// let tree = parse_expression("aws_vpc.main.id")?;
/// assert!(matches!(tree.kind, Kind::Traverse(..)));
/// assert!(parse_expression("1 +").is_err());
/// # Ok::<(), hangar_manifest::hcl::HclError>(())
/// ```
pub fn parse_expression(text: &str) -> Result<Expression, HclError> {
    parse::expression(text)
}

/// Reads a text with `${…}` and `%{…}` in it; one that is a single `${…}` is that expression.
///
/// As in `*.tf.json`, a backslash is only a backslash outside of the expressions.
pub fn parse_template(text: &str) -> Result<Expression, HclError> {
    parse::template(text)
}
