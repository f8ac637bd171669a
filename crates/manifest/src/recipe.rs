//! What a run of a recipe is made of: the module as it is declared, the configuration around it, its result.

pub mod configuration;
pub mod context;
pub mod expression;
pub mod module;
pub mod plan;
pub mod progress;
pub mod result;
pub mod secret;
pub mod source;
