//! What a stage stands on: the store in memory and AWS without a wire, or the real SQLite and the real SDK.

use std::sync::Arc;

use hangar_plan::operation::Rules;
use hangar_provider::Provider;
use hangar_schema::Catalog;
use hangar_simulator::core::settings::Settings;
use hangar_store::memory::{self, Memory};
use hangar_store::{Store, StoreError};

use super::aws::Aws;
use super::clock::RunClock;
use super::fate::{Fair, Fates};
use super::process::Run;
use super::stage::Parts;

/// What the real parts are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tier {
    /// The store in memory, and AWS called without a wire.
    A,
}

/// What is not looked at in a run, in tests of the tests.
#[derive(Debug, Clone, Copy)]
pub struct Lacking {
    /// The rules that engines keep.
    pub rules: Rules,
    /// What the store does not look at.
    pub unchecked: Option<memory::Check>,
}

impl Lacking {
    /// Nothing is lacking.
    pub const NOTHING: Self = Self { rules: Rules::ALL, unchecked: None };
}

/// What a stage stands on.
#[derive(Debug)]
pub struct Ground {
    store: Arc<dyn Store>,
    aws: Aws,
    provider: Arc<dyn Provider>,
    volatile: Option<Arc<Memory>>,
    rules: Rules,
}

/// Makes a store and an AWS with nothing in them.
pub fn make(
    tier: Tier,
    clock: &RunClock,
    catalog: Catalog,
    settings: Settings,
    lacking: Lacking,
) -> Result<Ground, StoreError> {
    let aws = Aws::new(catalog, settings, clock.clone());
    match tier {
        Tier::A => {
            let memory = Arc::new(Memory::with(memory::Options {
                clock: clock.for_store(),
                sync: memory::Sync::Manual,
                #[cfg(debug_assertions)]
                unchecked: lacking.unchecked,
            }));
            Ok(Ground {
                store: memory.clone(),
                provider: Arc::new(aws.clone()),
                aws,
                volatile: Some(memory),
                rules: lacking.rules,
            })
        }
    }
}

impl Ground {
    /// The parts of a stage on which nothing happens yet.
    pub fn parts(self, clock: RunClock, replicas: usize, seed: u64) -> Parts {
        self.parts_with(clock, replicas, seed, Box::new(Fair))
    }

    /// The parts of a stage on which calls meet these fates.
    pub fn parts_with(
        self,
        clock: RunClock,
        replicas: usize,
        seed: u64,
        fates: Box<dyn Fates>,
    ) -> Parts {
        let Self { store, aws, provider, volatile, rules } = self;
        let run = Run::new(clock, fates, volatile);
        Parts { run, store, aws, provider, replicas, seed, rules }
    }
}
