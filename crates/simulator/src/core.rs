//! The pure core: what AWS does, as decisions over a state. Time and randomness are inputs; every
//! change of state is a value that whoever drives the core can keep.

pub mod assume;
pub mod call;
pub mod fault;
pub mod generate;
pub mod habits;
pub mod instant;
pub mod json_patch;
pub mod log;
pub mod model;
mod names;
pub mod out_of_band;
pub mod place;
pub mod random;
pub mod rate;
mod read;
pub mod refusal;
pub mod reply;
mod requests;
pub mod session;
pub mod settings;
mod settle;
pub mod stack;
pub mod state;
pub mod time;
pub mod token;
pub mod types;
pub mod violation;
pub mod web_identity;
mod words;
pub mod world;
mod write;
