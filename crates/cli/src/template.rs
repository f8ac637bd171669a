//! A template on this machine: its files, what is wrong with them, and the values of its parameters.
//!
//! It looks at files and at nothing else: no server is asked.

pub(crate) mod check;
pub(crate) mod files;
pub(crate) mod folder;
pub(crate) mod identity;
pub(crate) mod lint;
pub(crate) mod parameters;
pub(crate) mod secure;
