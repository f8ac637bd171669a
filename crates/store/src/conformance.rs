//! What every store must do, as a suite that each implementation runs.
//!
//! Every claim gets a store of its own and the hands of the clock that it reads.

#![allow(clippy::unwrap_used, reason = "it is a suite of tests")]

mod amend;
mod cancel;
mod closing;
mod commit;
mod credential;
mod deployment;
mod fixture;
mod group;
mod lease;
mod list;
mod plane;
mod recipe;
mod reserve;
mod reserve_conflict;
mod rest;
mod retiring;
mod shared;
mod state;
mod wake;

use std::sync::Arc;

use crate::Store;
use crate::clock::Clock;

/// Makes an empty store that reads the given clock.
pub type Make<'m> = &'m dyn Fn(Clock) -> Arc<dyn Store>;

/// Panics at the first claim that does not hold. Needs a tokio runtime of several threads.
pub async fn suite(make: Make<'_>) {
    group::claims(make).await;
    closing::claims(make).await;
    reserve::claims(make).await;
    reserve_conflict::claims(make).await;
    retiring::claims(make).await;
    lease::claims(make).await;
    commit::claims(make).await;
    cancel::claims(make).await;
    list::claims(make).await;
    amend::claims(make).await;
    plane::claims(make).await;
    credential::claims(make).await;
    deployment::claims(make).await;
    recipe::claims(make).await;
    state::claims(make).await;
    wake::claims(make).await;
    rest::claims(make).await;
    shared::claims(make).await;
}
