//! What one search is about: who asks what, what may go wrong, and which rules hold.

use super::world::Budget;
use crate::operation::rules::Rules;

/// What a caller asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ask {
    /// Make it so; equal numbers are equal properties.
    Put(u8),
    /// Delete an owned resource, else only the reference.
    Delete,
    /// Take in the resource that was there before.
    Import { owned: bool },
}

/// One search.
// Each is a switch of its own.
#[allow(clippy::struct_excessive_bools)]
#[derive(Debug, Clone)]
pub(super) struct Configuration {
    pub(super) name: &'static str,
    pub(super) asks: Vec<Ask>,
    pub(super) budget: Budget,
    pub(super) rules: Rules,
    /// The store's rule: a reservation checks the entry that it was decided on.
    pub(super) atomic_reserve: bool,
    /// The store's rule: a commit checks the lease.
    pub(super) fence: bool,
    /// Whether a request may name its resource before it is done.
    pub(super) names_early: bool,
    /// Whether every create asks for the same name, which somebody else's resource has at first.
    pub(super) taken: bool,
    /// Whether the token of a failed request runs it again.
    pub(super) reruns: bool,
    /// Whether the type can be read.
    pub(super) readable: bool,
    /// Invariants that are not looked at, so that a mutation is told by the harm it does.
    pub(super) unwatched: &'static [&'static str],
}

impl Configuration {
    pub(super) fn new(name: &'static str, asks: &[Ask], budget: Budget) -> Self {
        Self {
            name,
            asks: asks.to_vec(),
            budget,
            rules: Rules::ALL,
            atomic_reserve: true,
            fence: true,
            names_early: false,
            taken: false,
            reruns: false,
            readable: true,
            unwatched: &[],
        }
    }
}
