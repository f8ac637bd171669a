//! What a stage stands on: the store in memory and AWS without a wire, or the real SQLite and the real SDK.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hangar_plan::operation::Rules;
use hangar_provider::Provider;
use hangar_schema::Catalog;
use hangar_simulator::core::settings::Settings;
use hangar_store::memory::{self, Memory};
use hangar_store::sqlite::{self, Sqlite};
use hangar_store::{Store, StoreError};

use super::aws::Aws;
use super::clock::RunClock;
use super::fate::{Fair, Fates};
use super::process::Run;
use super::stage::Parts;
use super::wire::over_the_wire;

/// What the real parts are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tier {
    /// The store in memory, and AWS called without a wire.
    A,
    /// SQLite in a file, and AWS behind its real SDK.
    B,
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
    folder: Option<Folder>,
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
                folder: None,
            })
        }
        Tier::B => {
            let folder = Folder::make()?;
            let options = sqlite::Options {
                clock: clock.for_store(),
                threads: sqlite::Threads::Callers,
                ..sqlite::Options::default()
            };
            Ok(Ground {
                store: Arc::new(Sqlite::open_with(&folder.0.join("hangar.db"), options)?),
                provider: over_the_wire(&aws),
                aws,
                volatile: None,
                rules: lacking.rules,
                folder: Some(folder),
            })
        }
    }
}

/// A folder that goes when it is dropped.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    fn make() -> Result<Self, StoreError> {
        static MADE: AtomicU64 = AtomicU64::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        // Memory where there is such a place: the syncs of ten thousand runs prove nothing.
        let memory = PathBuf::from("/dev/shm");
        let base = if memory.is_dir() { memory } else { std::env::temp_dir() };
        let path = base.join(format!("hangar-simulation-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path)
            .map_err(|error| StoreError::Unavailable(format!("{}: {error}", path.display())))?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left behind is small.
        let _ = std::fs::remove_dir_all(&self.0);
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
        let Self { store, aws, provider, volatile, rules, folder } = self;
        let run = Run::new(clock, fates, volatile);
        Parts { run, store, aws, provider, replicas, seed, rules, folder }
    }
}
