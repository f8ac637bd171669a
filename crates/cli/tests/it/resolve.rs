//! `hangar resolve` against stacks in the real simulator.

mod budget;
mod composite;
mod failures;
mod rig;
mod sample;
mod unreadable;
