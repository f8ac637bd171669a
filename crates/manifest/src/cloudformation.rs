//! What `CloudFormation` deployed: its templates.

pub mod text;
