//! Pages of a group with very many references: how long one takes, and whether a deep one takes longer.

use std::sync::Arc;

use anyhow::{Context as _, Result};

use super::baseline;
use super::drive::{Amount, Load, Requests, drive};
use super::fill::Filled;
use super::names::{LARGE_GROUP, group_path};
use super::options::Options;
use super::report::{Bound, Line, Report, Weight};
use super::server::{NO_AWS, Server, ask};
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
    let deep = deep_token(&server, members.saturating_sub(200)).await?;
    for (top, deepest) in [(100, members / 100), (10, members / 10)] {
        let first = pages(&server, options, top, None).await;
        let line = Line::new(store.name(), format!("page 1 of {top}")).with_load(&first);
        report.add(
            line.with("of raw pages", first.rate() / raw, "×")
                .held("p99 ms", first.within(990), Bound::AtMost(20.0), Weight::Target)
                .must(format!("{} not answered with 200", first.unwanted()), first.unwanted() == 0),
        );
        let Some(token) = &deep else { continue };
        let last = pages(&server, options, top, Some(token)).await;
        let ratio = last.within(500) / first.within(500);
        let what = format!("page {} of {top}", deepest.saturating_sub(200 / top));
        let line = Line::new(store.name(), what).with_load(&last);
        report.add(
            line.with("of page 1", ratio, "×")
                .held("p99 ms", last.within(990), Bound::AtMost(20.0), Weight::Target)
                .held("p50 to that of page 1", ratio, Bound::AtMost(GATE), Weight::Gate)
                .must(format!("{} not answered with 200", last.unwanted()), last.unwanted() == 0),
        );
    }
    server.stop()
}

fn list_path() -> String {
    format!("{}/resources", group_path(LARGE_GROUP))
}

async fn pages(server: &Server, options: &Options, top: u64, token: Option<&str>) -> Load {
    let token = token.map_or_else(String::new, |token| format!("&$skipToken={token}"));
    let request = server.caller.get(&format!("{}?$top={top}{token}", list_path()));
    let requests: Requests = Arc::new(move |_| request.clone());
    drive(server.aim(), CONNECTIONS, Amount::For(options.span() / 2), &requests).await
}

/// Walks the list to where so many references were passed; gives nothing where it is shorter.
async fn deep_token(server: &Server, passed: u64) -> Result<Option<String>> {
    let mut connection = server.caller.connect().await?;
    let mut token: Option<String> = None;
    let mut seen = 0;
    while seen < passed {
        let top = (passed - seen).min(1000);
        let query = token.as_ref().map_or_else(String::new, |it| format!("&$skipToken={it}"));
        let request = server.caller.get(&format!("{}?$top={top}{query}", list_path()));
        let page = ask(&mut connection, &request).await?;
        seen += page["value"].as_array().map_or(0, Vec::len) as u64;
        let Some(link) = page["nextLink"].as_str() else { return Ok(None) };
        let (_, rest) = link.split_once("skipToken=").context("a link without a token")?;
        token = Some(rest.split('&').next().unwrap_or(rest).to_owned());
    }
    Ok(token)
}
