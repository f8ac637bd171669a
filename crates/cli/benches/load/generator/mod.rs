//! The load generator; `tests/it/load.rs` runs a little of it with every test, so that it cannot rot.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a generator's answer is what it prints; nothing of it ships"
)]

mod baseline;
mod client;
mod commands;
mod deploys;
mod drive;
mod fill;
mod flight;
mod lists;
mod names;
pub(crate) mod options;
mod overload;
mod process;
mod puts;
mod reads;
pub(crate) mod report;
mod server;
mod soak;
mod start;
#[path = "../../simulator/stock.rs"]
mod stock;
mod store;

use anyhow::{Context as _, Result};

use self::options::{Options, Row};
use self::report::Report;
use self::store::Store;

/// Measures what was asked for, on each store in turn.
pub(crate) fn measure(options: &Options) -> Result<Report> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("no runtime for the clients")?;
    let mut report = Report::begin(options);
    for kind in options.stores() {
        runtime.block_on(on_store(options, kind, &mut report))?;
    }
    report.conclude(options)?;
    Ok(report)
}

async fn on_store(options: &Options, kind: options::StoreKind, report: &mut Report) -> Result<()> {
    let mut store = Store::open(kind, options)?;
    let rows = options.rows();
    if rows.iter().any(|row| row.needs_references()) {
        let filled = fill::filled(&mut store, options).await?;
        report.note(&filled.told());
        for row in &rows {
            match row {
                Row::Start => start::measure(&store, &filled, options, report).await?,
                Row::Reads => reads::measure(&store, &filled, options, report).await?,
                Row::Lists => lists::measure(&store, &filled, options, report).await?,
                Row::Puts => puts::measure(&store, &filled, options, report).await?,
                Row::Overload => overload::measure(&store, &filled, options, report).await?,
                Row::Commands => commands::measure(&store, options, report)?,
                Row::Flight | Row::Deploys => {}
            }
        }
    }
    if rows.contains(&Row::Flight) {
        flight::measure(&store, options, report).await?;
    }
    if rows.contains(&Row::Deploys) {
        deploys::measure(&store, options, report).await?;
    }
    if let Some(minutes) = options.soak {
        soak::measure(&store, minutes, report).await?;
    }
    Ok(())
}
