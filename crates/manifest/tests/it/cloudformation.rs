//! Templates of CloudFormation.

mod intrinsic;
mod template;
