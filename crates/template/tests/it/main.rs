//! The syntax layer, tested from the outside.
#![forbid(unsafe_code)]

mod corpus;
mod facts;
mod grammar;
mod hostile;
mod views;
