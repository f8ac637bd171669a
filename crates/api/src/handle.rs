//! What each route does, one noun a file. Those of reads are given a [`crate::head::View`] only.

pub(crate) mod action;
pub(crate) mod credential;
pub(crate) mod deployment;
pub(crate) mod group;
pub(crate) mod health;
mod inventory;
pub(crate) mod lookup;
pub(crate) mod operation;
pub(crate) mod plane;
pub(crate) mod recipe;
pub(crate) mod reference;
pub(crate) mod resource;
pub(crate) mod state;
