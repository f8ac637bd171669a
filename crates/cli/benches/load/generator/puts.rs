//! Tracked puts that are accepted and durable, while nothing is driven.

use std::sync::Arc;

use anyhow::Result;
use serde_json::{Value, json};

use super::baseline;
use super::drive::{Amount, Requests, drive, float};
use super::fill::{Filled, desired};
use super::names::{Names, group_path, reference_path, scattered};
use super::options::Options;
use super::reads::health;
use super::report::{Bound, Line, Report, Weight};
use super::server::{Caller, NO_AWS};
use super::store::Store;

/// How many callers put at once: those that wait together share a commit.
const CONNECTIONS: usize = 64;

/// How much more of the server's CPU time a put may take than `/healthz`.
const GATE: f64 = 45.0;

pub(crate) async fn measure(
    store: &Store,
    filled: &Filled,
    options: &Options,
    report: &mut Report,
) -> Result<()> {
    let place = store.copy()?;
    let server = place.serve(NO_AWS, &["--workers", "0"])?;
    let names = filled.names();
    let health = health(&server, options).await;
    let raw = baseline::commits(&place, options.span() / 3).await?;
    let line = Line::new(store.name(), "one row a commit by one caller (baseline)");
    report.add(line.with("rate", raw, "/s"));
    let measured: [(&str, Requests); 2] = [
        ("PUT of a new reference accepted", puts(server.caller.clone(), names)),
        (":put with trackedBy accepted", actions(server.caller.clone(), names)),
    ];
    let target = store.kind.choose(2_000.0, 1_000.0);
    // So many callers wait for each other: at the target they are answered in 32 ms and in 64 ms.
    let longest = store.kind.choose(50.0, 100.0);
    for (what, requests) in measured {
        let load = drive(server.aim(), CONNECTIONS, Amount::For(options.span()), &requests).await;
        let cpu = load.cpu_each() / health.cpu_each();
        let wrong = load.unwanted() - load.shed();
        let shed = 100.0 * float(load.shed()) / float(load.answered().max(1));
        let line = Line::new(store.name(), what).with_load(&load);
        report.add(
            line.with("of /healthz", load.rate() / health.rate(), "×")
                .with("of raw commits", load.rate() / raw, "×")
                .held("rate", load.rate(), Bound::AtLeast(target), Weight::Target)
                .held("p99 ms", load.within(990), Bound::AtMost(longest), Weight::Target)
                .held("CPU to that of /healthz", cpu, Bound::AtMost(GATE), Weight::Gate)
                // While it finds out how many at once the store takes, it turns a few away.
                .held("503 of 100", shed, Bound::AtMost(2.0), Weight::Target)
                .must(format!("{wrong} neither accepted nor turned away"), wrong == 0),
        );
    }
    // Not waited for: the copy is thrown away.
    drop(server);
    Ok(())
}

/// A number that no reference of the fill has.
const FRESH: u64 = 10_000_000;

/// New references all over the groups, each with an alias of its own.
pub(crate) fn puts(caller: Caller, names: Names) -> Requests {
    Arc::new(move |place| {
        let (kind, group) = (Names::kind(place), names.group(scattered(place) % names.references));
        let path = reference_path(&group, kind, &format!("fresh-{place}"));
        caller.write("PUT", &path, "respond-async", &desired(kind, FRESH + place))
    })
}

fn actions(caller: Caller, names: Names) -> Requests {
    Arc::new(move |place| {
        let (kind, group) = (Names::kind(place), names.group(scattered(place) % names.references));
        let mut body: Value = desired(kind, FRESH * 2 + place);
        let id = format!("{}/providers/{}:reference/action-{place}", group_path(&group), kind.path);
        body["trackedBy"] = json!(id);
        let scope = "/planes/aws/aws/accounts/000000000000/regions/us-east-1/providers";
        caller.write("POST", &format!("{scope}/{}/:put", kind.path), "respond-async", &body)
    })
}
