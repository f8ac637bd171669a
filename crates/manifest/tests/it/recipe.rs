//! Recipes: against texts, against laws, and against the real `terraform`.

mod configuration;
mod configuration_run;
mod expression;
mod module;
mod module_laws;
mod module_oracle;
mod progress;
mod result;
mod source;
pub(crate) mod terraform;
