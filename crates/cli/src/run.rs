//! Another program, run with the hook that turns the tokens of its cdk8s apps into references.

pub(crate) mod child;
pub(crate) mod held;
pub(crate) mod hook;
pub(crate) mod leftovers;
pub(crate) mod raw;
pub(crate) mod synthesized;
