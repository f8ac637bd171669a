//! The HTTP surface: the ARM contract, authentication, health and metrics.
//!
//! A request goes `serve` → `shell` (ids, span, deadline, panics) → `dispatch` (guard, base path) →
//! `route` (pure: which route it takes) → `handle` (what that does) → `write` (how a write is answered)
//! → `render` (pure: what callers see). It never calls a provider: reads of the cloud go through the
//! engine, and handlers of reads hold `access::Reads`, which cannot change anything.

#![forbid(unsafe_code)]

mod access;
mod admission;
mod answer;
mod api_version;
mod body;
mod condition;
mod dispatch;
mod doors;
mod error;
mod etag;
mod events;
mod failure;
mod guard;
mod handle;
mod head;
mod landing;
mod limits;
mod metrics;
mod names;
mod openapi;
mod page;
mod patience;
mod prefer;
mod query;
mod render;
mod route;
mod seal;
mod serve;
mod settings;
mod shared;
mod shell;
mod state_door;
mod urls;
mod write;

pub use limits::Limits;
pub use patience::Patience;
pub use serve::{Serving, serve, serve_with};
pub use settings::{DEFAULT_BASE_PATH, ServeError, Settings};
