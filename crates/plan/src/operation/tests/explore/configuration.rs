//! What one search is about: who asks what, what may go wrong, and which rules hold.

use super::world::Budget;
use crate::operation::rules::Rules;
use crate::operation::state::Strategy;

/// What a caller asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ask {
    /// Make it so; equal numbers are equal properties, and see [`is_updatable`].
    Put(u8),
    /// Make it so, if need be by another resource in the place of the one.
    Replace(u8, Strategy),
    /// Make it so, or take in what has the name already and make that so.
    Adopt { doc: u8, owned: bool },
    /// Delete an owned resource, else only the reference.
    Delete,
    /// Remove the reference, whatever it stands for.
    Detach,
    /// Take in the resource that was there before.
    Import { owned: bool },
}

/// Whether an update makes one number's properties of another's: those of one eight differ in what can be
/// updated, those of two in what only a create can set.
pub(super) fn is_updatable(from: u8, to: u8) -> bool {
    // What was there before can be made anything of the first eight.
    let eight = |doc: u8| if doc == u8::MAX { 0 } else { doc / 8 };
    eight(from) == eight(to)
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
    /// Whether the alias stands for a resource at first, made with properties number 0.
    pub(super) standing: bool,
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
            standing: false,
            reruns: false,
            readable: true,
            unwatched: &[],
        }
    }
}
