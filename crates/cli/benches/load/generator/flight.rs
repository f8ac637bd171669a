//! Very many operations in flight at once, within a budget of calls of AWS.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use super::client::Connection;
use super::drive::{Amount, Requests, drive, float};
use super::fill::desired;
use super::names::{KINDS, Names, group_path, reference_path};
use super::options::Options;
use super::process::{cpu, memory, serve_help};
use super::report::{Bound, Line, Report, Weight};
use super::server::{Caller, Simulator, ask, next_token};
use super::store::Store;

const GROUP: &str = "flight";

/// Calls of AWS a second that the server may make, where it can be told.
const BUDGET: &str = "250";

/// How long each takes in AWS: long enough that all are in flight before the first ends.
const LATENCY: &str = "10s..20s";

/// Of a create, its polls and the read after it, for each operation.
const CALLS: f64 = 3.2;

/// How long all of them may take before it is said that they do not end.
const PATIENCE: Duration = Duration::from_mins(15);

pub(crate) async fn measure(store: &Store, options: &Options, report: &mut Report) -> Result<()> {
    let place = store.empty()?;
    let latency = if options.seconds < 5.0 { "100ms..200ms" } else { LATENCY };
    let simulator = Simulator::start(&["--latency", latency], &place.dir().join("simulator.log"))?;
    let budget = serve_help().contains("--aws-rate");
    let more: &[&str] = if budget { &["--aws-rate", BUDGET] } else { &[] };
    let server = place.serve(&simulator.url(), more)?;
    let caller = server.caller.clone();
    let mut connection = caller.connect().await?;
    let group = caller.write("PUT", &group_path(GROUP), "wait=30", &json!({}));
    ask(&mut connection, &group).await?;

    let began = Instant::now();
    let before = (cpu(server.pid()), cpu(simulator.pid()));
    let puts: Requests = {
        let caller = caller.clone();
        Arc::new(move |place| {
            let kind = Names::kind(place);
            let path = reference_path(GROUP, kind, &Names::alias(place));
            caller.write("PUT", &path, "respond-async", &desired(kind, place))
        })
    };
    let accepted = drive(server.aim(), 32, Amount::Count(options.operations), &puts).await;
    let most = settled(&caller, began).await?;
    let took = began.elapsed();
    let server_cpu = cpu(server.pid()).saturating_sub(before.0).as_secs_f64();
    let simulator_cpu = cpu(simulator.pid()).saturating_sub(before.1).as_secs_f64();

    // Another one: the server closes what is silent for long.
    let ready = count_ready(&mut caller.connect().await?, &caller).await?;
    let counters = simulator.control("counters").await?;
    let calls: u64 = calls(&counters["total"]);
    let (each, resident) =
        (float(calls) / float(options.operations), memory(server.pid(), "VmHWM"));
    let what = format!(
        "{} operations in flight, {}",
        options.operations,
        if budget { "250 calls/s" } else { "no budget" }
    );
    report.add(
        Line::new(store.name(), what)
            .with("accepted", accepted.rate(), "/s")
            .with("most at once", float(most), "")
            .with("took", took.as_secs_f64(), "s")
            .with("AWS calls each", each, "")
            .with("calls", float(calls) / took.as_secs_f64(), "/s")
            .with("CPU per 1,000", server_cpu * 1e3 / float(options.operations), "s")
            .with("simulator's", simulator_cpu * 1e3 / float(options.operations), "s")
            .with("most RSS", resident, "MiB")
            .must(
                format!("{ready} of {} ended well", options.operations),
                ready == options.operations,
            )
            .must(format!("{} not accepted", accepted.unwanted()), accepted.unwanted() == 0)
            .held("AWS calls each", each, Bound::AtMost(CALLS), Weight::Target)
            .held("most RSS MiB", resident, Bound::AtMost(200.0), Weight::Target),
    );
    report.note(&format!("calls of AWS: {}", counters["byOperation"]));
    server.stop()
}

fn calls(total: &Value) -> u64 {
    total.as_object().map_or(0, |it| it.values().filter_map(Value::as_u64).sum())
}

/// Waits until nothing runs any more; gives how many ran at most.
async fn settled(caller: &Caller, began: Instant) -> Result<u64> {
    let mut connection = caller.connect().await?;
    let (mut most, mut told) = (0, Instant::now());
    loop {
        let running = running(&mut connection, caller).await?;
        most = most.max(running);
        if running == 0 {
            return Ok(most);
        }
        if began.elapsed() > PATIENCE {
            bail!("{running} operations have not ended within {PATIENCE:?}");
        }
        if told.elapsed() > Duration::from_secs(15) {
            println!("-- {running} operations run after {:.0} s", began.elapsed().as_secs_f64());
            told = Instant::now();
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

/// How many operations have not ended, by the server's own count.
pub(crate) async fn running(connection: &mut Connection, caller: &Caller) -> Result<u64> {
    let request = caller.get_outside("/metrics");
    let answer = connection.send(&request).await.context("no metrics")?;
    let text = std::str::from_utf8(answer.body).context("metrics are text")?;
    let line = text.lines().find_map(|line| line.strip_prefix("hangar_operations_running "));
    line.and_then(|it| it.trim().parse().ok()).context("the metrics do not tell what runs")
}

async fn count_ready(connection: &mut Connection, caller: &Caller) -> Result<u64> {
    let mut ready = 0;
    for kind in KINDS {
        let list = format!("{}/providers/{}:reference", group_path(GROUP), kind.path);
        let states = states(connection, caller, &list).await?;
        ready += states.iter().filter(|it| it["state"] == "ready").count() as u64;
    }
    Ok(ready)
}

/// Every value of a list, over all of its pages.
pub(crate) async fn states(
    connection: &mut Connection,
    caller: &Caller,
    list: &str,
) -> Result<Vec<Value>> {
    let mut values = Vec::new();
    let mut token = String::new();
    loop {
        let request = caller.get(&format!("{list}?$top=1000{token}"));
        let mut page = ask(connection, &request).await?;
        if let Some(found) = page["value"].as_array_mut() {
            values.append(found);
        }
        let Some(next) = next_token(&page) else { return Ok(values) };
        token = format!("&$skipToken={next}");
    }
}
