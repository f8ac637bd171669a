//! Terraform: what it made, and the recipes that it runs.

mod bicep;
mod examples;
mod ids;
mod kill;
mod kitchen;
mod recipes;
pub(crate) mod rig;
