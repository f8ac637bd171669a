//! Wall time of a small function: the median of many samples, each long enough to be measured.

use std::fmt;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// One measurement, in nanoseconds a call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Measured {
    pub(crate) median: f64,
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self.median {
            nanos if nanos < 10_000.0 => format!("{nanos:.0} ns"),
            nanos if nanos < 10_000_000.0 => format!("{:.1} µs", nanos / 1e3),
            nanos => format!("{:.1} ms", nanos / 1e6),
        };
        f.pad(&text)
    }
}

const SAMPLES: usize = 31;
const SAMPLE: Duration = Duration::from_millis(8);

/// Calls `work` until the median of its time is steady.
pub(crate) fn measure<T>(mut work: impl FnMut() -> T) -> Measured {
    let calls = calls_in(SAMPLE, &mut work);
    let mut samples: Vec<f64> = (0..SAMPLES).map(|_| time(calls, &mut work)).collect();
    samples.sort_by(f64::total_cmp);
    Measured { median: samples[SAMPLES / 2] }
}

/// Nanoseconds of one call.
pub(crate) fn time_once<T>(mut work: impl FnMut() -> T) -> f64 {
    time(1, &mut work)
}

fn calls_in<T>(span: Duration, work: &mut impl FnMut() -> T) -> u32 {
    let start = Instant::now();
    let mut calls = 0;
    while start.elapsed() < span {
        black_box(work());
        calls += 1;
    }
    calls
}

fn time<T>(calls: u32, work: &mut impl FnMut() -> T) -> f64 {
    let start = Instant::now();
    for _ in 0..calls {
        black_box(work());
    }
    #[allow(clippy::cast_precision_loss)]
    let nanos = start.elapsed().as_nanos() as f64;
    nanos / f64::from(calls)
}
