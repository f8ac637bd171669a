//! A command that reads without a server: it works on a private copy of the data directory, so its time grows with
//! the store.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};

use super::options::Options;
use super::report::{Bound, Line, Report, Weight};
use super::store::{Database, Place, Store};

/// How often each is measured; the median is printed.
const RUNS: usize = 5;

/// A command on the filled directory may take this many times a plain copy of the store and the same command on an
/// empty directory, taken together.
const MAX_RATIO: f64 = 2.0;

/// Measures nothing on PostgreSQL: its store is not copied.
pub(crate) fn measure(store: &Store, options: &Options, report: &mut Report) -> Result<()> {
    let filled = store.filled();
    let Database::File(database) = &filled.database else { return Ok(()) };
    let empty = store.empty()?;
    let mebibytes = fs::metadata(database).context("no store")?.len() >> 20;
    let (mut small, mut large, mut copies) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..RUNS {
        small.push(list_planes(&empty)?);
        large.push(list_planes(&filled)?);
        let started = Instant::now();
        let copy = tempfile::NamedTempFile::new().context("no temporary file")?;
        fs::copy(database, copy.path()).context("cannot copy the store")?;
        copies.push(milliseconds_since(started));
    }
    let [small, large, copy] = [small, large, copies].map(median);
    let ratio = large / (small + copy);
    report.add(
        Line::new(
            store.name(),
            format!("`plane list`, {} references, {mebibytes} MiB", options.references),
        )
        .with("took", large, "ms")
        .with("on an empty directory", small, "ms")
        .with("copy of the store", copy, "ms")
        .held("ratio to both", ratio, Bound::AtMost(MAX_RATIO), Weight::Target),
    );
    Ok(())
}

/// Milliseconds of a command that reads almost nothing.
fn list_planes(place: &Place) -> Result<f64> {
    let started = Instant::now();
    let status = Command::new(env!("CARGO_BIN_EXE_hangar"))
        .args(["plane", "list", "-o", "json", "--data-dir"])
        .arg(place.dir())
        .stdout(Stdio::null())
        .status()
        .context("cannot start hangar")?;
    if !status.success() {
        bail!("`hangar plane list` ended with {status}");
    }
    Ok(milliseconds_since(started))
}

fn milliseconds_since(started: Instant) -> f64 {
    started.elapsed().as_secs_f64() * 1e3
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}
