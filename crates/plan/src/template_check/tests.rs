//! Text in, problems out.

mod bodies;
mod fixture;
mod ids;
mod places;
mod reads;
mod samples;
mod secrets;
mod types;
mod unknowns;
