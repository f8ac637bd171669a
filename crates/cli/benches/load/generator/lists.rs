//! Pages of a group with very many references: how long one takes, and whether a deep one takes longer.

use std::sync::Arc;

use anyhow::{Context as _, Result};

use super::baseline;
use super::drive::{Amount, Load, Requests, drive};
use super::fill::Filled;
use super::names::{KINDS, LARGE_GROUP, group_path};
use super::options::Options;
use super::report::{Bound, Line, Report, Weight};
use super::server::{NO_AWS, Server, ask, next_token};
use super::store::Store;

/// As many callers as cores: a page is work for one of them, and more would measure the queue.
const CONNECTIONS: usize = 2;

/// How much longer a page at the end of the list may take than the first.
const GATE: f64 = 1.5;

pub(crate) async fn measure(
    store: &Store,
    filled: &Filled,
    options: &Options,
    report: &mut Report,
) -> Result<()> {
    let place = store.filled();
    let server = place.serve(NO_AWS, &["--workers", "0"])?;
    let raw = baseline::pages(&place, options.span() / 3).await?;
    report
        .add(Line::new(store.name(), "100 rows by one caller (baseline)").with("rate", raw, "/s"));
    let members = filled.names().references / 8;
    let passed = members - (members / 2).min(200);
    let all = format!("{}/resources", group_path(LARGE_GROUP));
    // The last type of the list: its first page holds the same documents as the list's last.
    let last_type = format!("{}/providers/{}:reference", group_path(LARGE_GROUP), KINDS[4].path);
    let deep = format!("&$skipToken={}", deep_token(&server, &all, passed).await?);
    for top in [100, 10] {
        let first = pages(&server, options, &format!("{all}?$top={top}")).await;
        report.add(held(Line::new(store.name(), format!("page 1 of {top}")), &first, raw));
        let (near, deep) = (format!("{last_type}?$top={top}"), format!("{all}?$top={top}{deep}"));
        // In turn, twice, and the better of each: who else uses the machine must not look like depth.
        let near_first = pages(&server, options, &near).await;
        let deep_first = pages(&server, options, &deep).await;
        let near = better(near_first, pages(&server, options, &near).await);
        let deep = better(deep_first, pages(&server, options, &deep).await);
        let what = format!("page 1 of {top} of the last type");
        report.add(held(Line::new(store.name(), what), &near, raw));
        let ratio = deep.within(500) / near.within(500);
        let line = Line::new(store.name(), format!("page {} of {top}", passed / top + 1));
        report.add(held(line, &deep, raw).with("of page 1", ratio, "×").held(
            "p50 to that of page 1",
            ratio,
            Bound::AtMost(GATE),
            Weight::Gate,
        ));
    }
    server.stop()
}

fn better(one: Load, other: Load) -> Load {
    if other.within(500) < one.within(500) { other } else { one }
}

fn held(line: Line, load: &Load, raw: f64) -> Line {
    line.with_load(load)
        .with("of raw pages", load.rate() / raw, "×")
        .held("p99 ms", load.within(990), Bound::AtMost(20.0), Weight::Target)
        .must(format!("{} not answered with 200", load.unwanted()), load.unwanted() == 0)
}

async fn pages(server: &Server, options: &Options, path: &str) -> Load {
    let request = server.caller.get(path);
    let requests: Requests = Arc::new(move |_| request.clone());
    drive(server.aim(), CONNECTIONS, Amount::For(options.span() / 3), &requests).await
}

/// Walks a list to where so many references were passed.
async fn deep_token(server: &Server, list: &str, passed: u64) -> Result<String> {
    let mut connection = server.caller.connect().await?;
    let (mut seen, mut token) = (0, String::new());
    while seen < passed {
        let top = (passed - seen).min(1000);
        let request = server.caller.get(&format!("{list}?$top={top}{token}"));
        let page = ask(&mut connection, &request).await?;
        seen += page["value"].as_array().map_or(0, Vec::len) as u64;
        token = format!("&$skipToken={}", next_token(&page).context("the list is too short")?);
    }
    Ok(token.trim_start_matches("&$skipToken=").to_owned())
}
