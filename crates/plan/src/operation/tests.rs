//! The machine as a whole, against a world that is as bad as it may be.

mod explore;
