//! The rules that keep one resource for one alias, and the spans that they speak of.
//!
//! Two more are kept by the store: a reservation is one transaction, and every write names the lease
//! it holds. The explorer takes each rule away in turn and must find a story that breaks an invariant.

use std::time::Duration;

/// A create is called with a token no older than this. AWS keeps a token for 36 hours; the rest is
/// for clocks that disagree.
pub const CREATE_CALL_WITHIN: Duration = Duration::from_hours(24);

/// How long a call that was begun can still reach AWS: signatures are refused after 15 minutes.
pub const QUARANTINE: Duration = Duration::from_mins(20);

/// How long a read may miss what was just written.
pub(crate) const GRACE: Duration = Duration::from_mins(1);

/// How long a cloud that is busy, away or silent is asked again.
pub(crate) const PATIENCE: Duration = Duration::from_mins(10);

/// How long after a write, or after the last attention to it, a read still shows what that write did. Later it may be
/// the work of others, so that no form of a value is learned from it.
pub const LEARN_WITHIN: Duration = Duration::from_mins(10);

/// How long another request on the same resource is waited for.
pub(crate) const BUSY_PATIENCE: Duration = Duration::from_mins(5);

/// How long a request may be accepted and not begun.
pub(crate) const PENDING_FOR: Duration = Duration::from_mins(15);

/// How often a call is tried anew after the cloud failed at it.
pub(crate) const ATTEMPTS: usize = 5;

/// A rule that tests of the tests take away. There is no way to do so in a build without debug assertions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// A call is repeated with the token that was stored before it was first made.
    StoredToken,
    /// No create is called with a token that AWS may have forgotten.
    AgeGuard,
    /// A create that failed and names a resource keeps the reference.
    IdentifierCheck,
    /// A refused create frees the alias only if no other call of it is without an answer.
    FirstOnly,
    /// What may have been made is looked for again when no old call can arrive any more.
    Quarantine,
    /// A value that was there before an update is not learned as AWS's form of what was sent.
    LearnedEffect,
    /// No form is learned from a read long after the write.
    LearnedSoon,
}

/// The rules; always all of them but in tests of the tests.
#[allow(clippy::struct_excessive_bools)]
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// A call is repeated with the token that was stored before it was first made.
    pub(crate) stored_token: bool,
    /// No create is called with a token that AWS may have forgotten.
    pub(crate) age_guard: bool,
    /// A create that failed and names a resource keeps the reference.
    pub(crate) identifier_check: bool,
    /// A create that failed because its name is taken names nothing of ours.
    pub(crate) taken_check: bool,
    /// A refused create frees the alias only if no other call of it is without an answer.
    pub(crate) first_only: bool,
    /// What may have been made is looked for again when no old call can arrive any more.
    pub(crate) quarantine: bool,
    /// The step that moves an alias to another resource notes the one before as retiring.
    pub(crate) retire_replaced: bool,
    /// What was deleted is seen to be gone before another is made in its place.
    pub(crate) confirmed_absence: bool,
    /// A value that was there before an update is not learned as AWS's form of what was sent.
    pub(crate) learned_effect: bool,
    /// No form is learned from a read long after the write.
    pub(crate) learned_soon: bool,
}

impl Rules {
    /// All of them.
    pub const ALL: Self = Self {
        stored_token: true,
        age_guard: true,
        identifier_check: true,
        taken_check: true,
        first_only: true,
        quarantine: true,
        retire_replaced: true,
        confirmed_absence: true,
        learned_effect: true,
        learned_soon: true,
    };

    /// All but one. It is not there in a release: nothing can be taken away from what users run.
    #[cfg(debug_assertions)]
    #[must_use]
    pub const fn without(mut self, rule: Rule) -> Self {
        match rule {
            Rule::StoredToken => self.stored_token = false,
            Rule::AgeGuard => self.age_guard = false,
            Rule::IdentifierCheck => self.identifier_check = false,
            Rule::FirstOnly => self.first_only = false,
            Rule::Quarantine => self.quarantine = false,
            Rule::LearnedEffect => self.learned_effect = false,
            Rule::LearnedSoon => self.learned_soon = false,
        }
        self
    }
}
