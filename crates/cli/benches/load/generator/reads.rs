//! GET of a reference and of an operation, all over the store.

use std::sync::Arc;

use anyhow::Result;

use super::baseline;
use super::drive::{Amount, Load, Requests, drive};
use super::fill::Filled;
use super::names::{Names, scattered};
use super::options::Options;
use super::report::{Bound, Line, Report, Weight};
use super::server::{NO_AWS, Server};
use super::store::Store;

/// How many callers ask at once.
const CONNECTIONS: usize = 32;

/// How much more of the server's CPU time a read may take than `/healthz`, which reads nothing. Rates
/// depend on who else is on the machine; this does so less: on one with three times as many processes as
/// cores it was 3 to 6 on SQLite, 5.6 to 6.5 on PostgreSQL.
const GATES: (f64, f64) = (7.0, 9.0);

pub(crate) async fn measure(
    store: &Store,
    filled: &Filled,
    options: &Options,
    report: &mut Report,
) -> Result<()> {
    let place = store.filled();
    let server = place.serve(NO_AWS, &["--workers", "0"])?;
    let names = filled.names();
    let health = health(&server, options).await;
    report.add(Line::new(store.name(), "GET /healthz (baseline)").with_load(&health));
    let raw = baseline::selects(&place, names, options.span() / 3).await?;
    report.add(Line::new(store.name(), "one row by one caller (baseline)").with("rate", raw, "/s"));
    let target = store.kind.choose(20_000.0, 5_000.0);
    let gate = Bound::AtMost(store.kind.choose(GATES.0, GATES.1));
    let measured: [(&str, Requests); 2] = [
        ("GET of a reference", reference_reads(&server, names)),
        ("GET of an operation", operation_reads(&server, names)),
    ];
    for (what, requests) in measured {
        let load = drive(server.aim(), CONNECTIONS, Amount::For(options.span()), &requests).await;
        let line = Line::new(store.name(), what).with_load(&load);
        let cpu = load.cpu_each() / health.cpu_each();
        let line = line
            .with("of /healthz", load.rate() / health.rate(), "×")
            .with("of one row", load.rate() / raw, "×")
            .held("rate", load.rate(), Bound::AtLeast(target), Weight::Target)
            .held("p99 ms", load.within(990), Bound::AtMost(10.0), Weight::Target)
            .held("CPU to that of /healthz", cpu, gate, Weight::Gate)
            .must(format!("{} not answered with 200", load.unwanted()), load.unwanted() == 0);
        report.add(line);
    }
    server.stop()
}

/// What the server can answer at most: nothing is read for it.
pub(crate) async fn health(server: &Server, options: &Options) -> Load {
    let request = server.caller.health();
    let requests: Requests = Arc::new(move |_| request.clone());
    drive(server.aim(), CONNECTIONS, Amount::For(options.span() / 2), &requests).await
}

/// Reads of references drawn from the whole store.
pub(crate) fn reference_reads(server: &Server, names: Names) -> Requests {
    let caller = server.caller.clone();
    Arc::new(move |place| caller.get(&names.reference_path(scattered(place) % names.references)))
}

fn operation_reads(server: &Server, names: Names) -> Requests {
    let caller = server.caller.clone();
    Arc::new(move |place| {
        let place = scattered(place) % names.operations();
        caller.get(&names.operation_path(Names::with_operation(place)))
    })
}
