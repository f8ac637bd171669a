//! The real engine where everything outside of it is held in one hand: time, chance, the store's and AWS's
//! answers, and how long each process lives.

pub mod aws;
pub mod clock;
pub mod collect;
pub mod dice;
pub mod fate;
pub mod process;
pub mod provider;
pub mod stage;
pub mod store;
pub mod terraform;
pub mod tier;
pub mod wire;

use hangar_store::StoreError;

/// A thread's own runtime, whose time moves when nothing else can.
pub fn runtime() -> Result<tokio::runtime::Runtime, StoreError> {
    tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .map_err(|error| StoreError::Unavailable(format!("no runtime: {error}")))
}
