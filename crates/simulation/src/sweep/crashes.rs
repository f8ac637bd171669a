//! Kills the process at calls of given numbers, and counts the calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Crash;
use crate::rig::fate::{Fate, Fates, Site};

/// How many calls there were, for the one who looks after the run.
#[derive(Debug, Clone, Default)]
pub(super) struct Count {
    since_the_last: Arc<AtomicUsize>,
    crashes: Arc<AtomicUsize>,
}

impl Count {
    pub(super) fn since_the_last(&self) -> usize {
        self.since_the_last.load(Ordering::SeqCst)
    }

    pub(super) fn crashes(&self) -> usize {
        self.crashes.load(Ordering::SeqCst)
    }
}

/// The crashes of a schedule.
#[derive(Debug)]
pub(super) struct Crashes {
    left: Vec<Crash>,
    count: Count,
}

impl Crashes {
    pub(super) fn new(crashes: &[Crash], count: Count) -> Self {
        Self { left: crashes.iter().rev().copied().collect(), count }
    }
}

impl Fates for Crashes {
    fn decide(&mut self, _process: usize, _site: Site) -> Fate {
        let number = self.count.since_the_last.fetch_add(1, Ordering::SeqCst);
        match self.left.last() {
            Some((at, when)) if *at == number => {
                let when = *when;
                self.left.pop();
                self.count.since_the_last.store(0, Ordering::SeqCst);
                self.count.crashes.fetch_add(1, Ordering::SeqCst);
                Fate::Dies(when)
            }
            _ => Fate::Go,
        }
    }
}
