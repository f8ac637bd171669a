//! Templates of CloudFormation.

mod intrinsic;
