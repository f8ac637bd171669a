//! CloudFormation's functions in a JSON tree: evaluated, searched for names, printed for people.
//!
//! Nothing is looked up here: a [`Lookup`] says what names stand for, and may stop the evaluation with
//! a reason of its own. Depth and size of the work are bounded.

mod cidr;
mod error;
mod evaluate;
mod function;
mod print;
mod references;
mod substitute;

use serde_json::Value;

pub use error::{Fault, IntrinsicError, Problem};
pub use evaluate::{evaluate, evaluate_condition};
pub use print::print;
pub use references::{Reference, references};

/// An expression may be nested this deep.
pub const MAX_DEPTH: usize = 128;

/// All texts that one evaluation makes may be this long together, in bytes.
pub const MAX_SIZE: usize = 16 * 1024 * 1024;

/// The name of the pseudo parameter that takes away the member it is the value of.
pub const NO_VALUE: &str = "AWS::NoValue";

/// What names in an expression stand for. `Stop` is the caller's: a missing fact, an error.
pub trait Lookup {
    /// Why the caller gives up.
    type Stop;

    /// `Ref`: a parameter, a resource or a pseudo parameter (`AWS::Region`); never `AWS::NoValue`.
    fn reference(&mut self, name: &str) -> Result<Value, Self::Stop>;

    /// `Fn::GetAtt`: the attribute as it is written, with its dots.
    fn attribute(&mut self, logical_id: &str, attribute: &str) -> Result<Value, Self::Stop>;

    /// `Fn::ImportValue`: the value of an export.
    fn import_value(&mut self, name: &str) -> Result<Value, Self::Stop>;

    /// `Fn::GetStackOutput`: an output of another stack.
    fn stack_output(&mut self, ask: &StackOutput) -> Result<Value, Self::Stop>;

    /// `Fn::GetAZs`: the zones of a region, which is never empty.
    fn availability_zones(&mut self, region: &str) -> Result<Value, Self::Stop>;

    /// `Fn::FindInMap`: nothing where the map has no such keys.
    fn mapping(&mut self, map: &str, top: &str, second: &str) -> Result<Option<Value>, Self::Stop>;

    /// Whether a condition holds.
    fn condition(&mut self, name: &str) -> Result<bool, Self::Stop>;

    /// An object of one member that is no function of CloudFormation's; nothing where it is plain data.
    fn extension(&mut self, name: &str, argument: &Value) -> Result<Option<Value>, Self::Stop>;
}

/// What `Fn::GetStackOutput` asks for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct StackOutput {
    /// The name or the ARN of the stack.
    pub stack_name: String,
    /// The key of the output in that stack's template.
    pub output_name: String,
    /// Where the stack is, if not where the expression is.
    pub region: Option<String>,
    /// The role to read it with, if it is in another account.
    pub role_arn: Option<String>,
}
