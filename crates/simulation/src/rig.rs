//! The real engine where everything outside of it is held in one hand: time, chance, the store's and AWS's
//! answers, and how long each process lives.

pub mod aws;
pub mod clock;
pub mod collect;
pub mod dice;
pub mod fate;
pub mod process;
pub mod provider;
pub mod store;
pub mod wire;
