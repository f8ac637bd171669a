//! The pure core against stated baselines, in one run: `cargo xtask bench core`.
//!
//! Each line is a ratio to a baseline measured beside it, because only a ratio says anything on a
//! shared machine. Prints; never fails.

#![allow(clippy::print_stdout, reason = "a benchmark's answer is what it prints")]

mod clock;
mod documents;

use clock::{Measured, measure, time_once};
use documents::{bucket, changed, ids, keyed_tags, security_group, service_view, unkeyed_rules};
use hangar_ids::ResourceId;
use hangar_schema::{Catalog, Inputs, TypeSchema, patch};
use serde_json::Value;

fn main() {
    // `cargo test --all-targets` runs benchmarks too, without this word: there is nothing to test.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    println!("{:<46} {:>12} {:>12} {:>8}", "what", "ours", "baseline", "ratio");
    diffs();
    loads();
    id_parsing();
}

fn line(what: &str, ours: Measured, baseline: Measured) {
    let ratio = ours.median / baseline.median;
    println!("{what:<46} {:>12} {:>12} {ratio:>8.2}", ours.to_string(), baseline.to_string());
}

/// Ours against a plain diff by the `json-patch` crate of the same pair.
fn compare(what: &str, schema: &TypeSchema, live: &Value, desired: &Value) -> Measured {
    let inputs = Inputs { live, desired, applied: Some(desired) };
    let ours = measure(|| patch(schema, &inputs));
    let baseline = measure(|| json_patch::diff(live, desired));
    line(what, ours, baseline);
    ours
}

fn diffs() {
    println!("-- diff, documents parsed and schema compiled; baseline: json_patch::diff");
    let schema = Catalog::bundled().get("AWS::S3::Bucket").expect("the type is in the catalog");
    let mut per_byte = Vec::new();
    for rules in [8, 32, 128, 760] {
        let desired = bucket(rules);
        let live = service_view(&desired);
        let size = live.to_string().len();
        let what = format!("bucket of {} KB, nothing changed", size.div_ceil(1024));
        let ours = compare(&what, &schema, &live, &desired);
        per_byte.push((size, ours));
        let what = format!("bucket of {} KB, one rule changed", size.div_ceil(1024));
        compare(&what, &schema, &live, &changed(&desired));
    }
    println!("-- growth: nanoseconds a byte, nothing changed");
    for (size, ours) in per_byte {
        #[allow(clippy::cast_precision_loss)]
        let each = ours.median / size as f64;
        println!("{size:>9} bytes {:>12} {each:>8.2} ns/byte", ours.to_string());
    }
    println!("-- unordered arrays of 1,000 elements, shuffled");
    let vpc = Catalog::bundled().get("AWS::EC2::VPC").expect("the type is in the catalog");
    let (live, desired) = keyed_tags(1000);
    compare("keyed, shuffled", &vpc, &live, &desired);
    let group =
        Catalog::bundled().get("AWS::EC2::SecurityGroup").expect("the type is in the catalog");
    let (live, desired) = security_group(1000);
    compare("no key, equal elements, shuffled", &group, &live, &desired);
    let (live, desired) = unkeyed_rules(1000);
    compare("no key, service-filled members, shuffled", &group, &live, &desired);
}

fn loads() {
    println!(
        "-- load of one type: inflate, parse, compile; baseline: serde_json of the same bytes"
    );
    let catalog = Catalog::bundled();
    for name in
        ["AWS::EC2::VPC", "AWS::RDS::DBInstance", "AWS::S3::Bucket", "AWS::QuickSight::Dashboard"]
    {
        let bytes = catalog.schema_document(name).expect("the type is in the catalog").to_string();
        let ours = measure(|| catalog.get(name));
        let baseline = measure(|| serde_json::from_str::<Value>(&bytes));
        line(name, ours, baseline);
    }
    every_load(catalog);
}

/// How the catalog's types spread, the best of three loads each.
fn every_load(catalog: Catalog) {
    let best = |name| (0..3).map(|_| time_once(|| catalog.get(name))).fold(f64::INFINITY, f64::min);
    let mut loads: Vec<(f64, &str)> = catalog.names().map(|name| (best(name), name)).collect();
    loads.sort_by(|a, b| a.0.total_cmp(&b.0));
    let within = loads.iter().filter(|(nanos, _)| *nanos < 1e6).count();
    let at = |share: usize| Measured { median: loads[(loads.len() - 1) * share / 100].0 };
    println!(
        "{} types: half within {}, 99 % within {}, {within} under 1 ms; slowest:",
        loads.len(),
        at(50),
        at(99)
    );
    for (nanos, name) in loads.iter().rev().take(5) {
        println!("  {name:<44} {:>12}", Measured { median: *nanos }.to_string());
    }
}

fn id_parsing() {
    println!("-- id parsing; baseline: serde_json of the same bytes as a string");
    for (what, id) in ids() {
        let quoted = serde_json::to_string(id).expect("a string is JSON");
        let ours = measure(|| ResourceId::parse(id));
        let baseline = measure(|| serde_json::from_str::<Value>(&quoted));
        line(what, ours, baseline);
    }
}
