//! What CloudFormation wrote or takes: templates, the functions in them, and what `Ref` gives for a type.

pub mod intrinsic;
pub mod physical_id;
pub mod template;
pub mod text;
