//! Real reads of AWS in the place of what the simulator returns: an unchanged put writes at most once.
//!
//! The pairs were recorded by others on real accounts; `xtask/src/truth/pairs.rs` describes them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use hangar_engine::{Ask, DeleteMode};
use hangar_ids::TypeName;
use hangar_plan::operation::{Ending, FailureKind, SuccessKind};
use hangar_schema::Catalog;
use serde_json::{Value, json};

use crate::plane::{Plane, name, put};

/// How often the same properties are put after the recorded read is in place.
const REPEATS: usize = 3;

/// Types that are worked on at the same time.
const AT_ONCE: usize = 4;

struct Pair {
    file: String,
    type_name: String,
    declared: Value,
    live: Value,
}

#[derive(Debug, Default)]
struct Counts {
    pairs: usize,
    /// Pairs that the simulator or the engine cannot create: types without a create handler, and
    /// declarations that were cut.
    not_created: usize,
    first_writes: usize,
    later_writes: usize,
    replacements: usize,
    /// Repeats that failed for another reason.
    failures: usize,
    /// What is worth a line: the pairs that were not created, and those that wrote once.
    remarks: Vec<String>,
    /// What breaks the law: kind, type, recording.
    broken: BTreeSet<(&'static str, String, String)>,
}

impl Counts {
    fn add(&mut self, other: Self) {
        self.pairs += other.pairs;
        self.not_created += other.not_created;
        self.first_writes += other.first_writes;
        self.later_writes += other.later_writes;
        self.replacements += other.replacements;
        self.failures += other.failures;
        self.remarks.extend(other.remarks);
        self.broken.extend(other.broken);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unchanged_put_over_a_recorded_read_writes_at_most_once_and_replaces_nothing() {
    let pairs = recorded_pairs();
    let plane = Arc::new(Plane::start().await);
    let mut of_types: BTreeMap<String, Vec<Pair>> = BTreeMap::new();
    for pair in pairs {
        of_types.entry(pair.type_name.clone()).or_default().push(pair);
    }
    let mut queues: Vec<Vec<Pair>> = (0..AT_ONCE).map(|_| Vec::new()).collect();
    for (number, (_, pairs)) in of_types.into_iter().enumerate() {
        queues[number % AT_ONCE].extend(pairs);
    }
    let mut tasks = tokio::task::JoinSet::new();
    for queue in queues {
        let plane = plane.clone();
        tasks.spawn(async move {
            let mut counts = Counts::default();
            for pair in &queue {
                repeat(&plane, pair, &mut counts).await;
            }
            counts
        });
    }
    let mut counts = Counts::default();
    while let Some(of_queue) = tasks.join_next().await {
        counts.add(of_queue.unwrap());
    }
    println!(
        "counted: recorded reads: {} pairs, {} not created, {} writes of the first repeat, {} later \
         writes, {} replacements, {} failures",
        counts.pairs,
        counts.not_created,
        counts.first_writes,
        counts.later_writes,
        counts.replacements,
        counts.failures,
    );
    for remark in &counts.remarks {
        println!("{remark}");
    }
    let known = known_types();
    let unexplained: Vec<_> = counts
        .broken
        .iter()
        .filter(|(kind, type_name, _)| !known.contains(&((*kind).to_owned(), type_name.clone())))
        .collect();
    for broken in &unexplained {
        println!("{broken:?}");
    }
    assert!(unexplained.is_empty(), "{} pairs break the law", unexplained.len());
    assert!(counts.not_created * 10 < counts.pairs, "most pairs are put");
}

/// Puts a declaration, places the recorded read, and puts the same again.
async fn repeat(plane: &Plane, pair: &Pair, counts: &mut Counts) {
    let alias: String =
        pair.file.chars().map(|it| if it.is_ascii_alphanumeric() { it } else { '-' }).collect();
    counts.pairs += 1;
    let created = put_once(plane, pair, &alias).await;
    if let Err(failure) | Ok(Ending::Failed(failure) | Ending::Canceled(failure)) = created {
        counts.not_created += 1;
        counts.remarks.push(format!("not created: {}: {}", pair.file, failure.message));
        return;
    }
    let reference = plane.store.reference_find(&name(&pair.type_name, &alias)).await.unwrap();
    let identifier = reference.unwrap().entry.identifier.unwrap();
    let recorded = json!({"account": "42", "region": "eu-central-1", "type": pair.type_name,
        "identifier": identifier, "properties": pair.live});
    plane.control("PUT", "resources", recorded).await;
    let mut broken = |kind: &'static str| {
        counts.broken.insert((kind, pair.type_name.clone(), pair.file.clone()));
    };
    for repeat in 0..REPEATS {
        match put_once(plane, pair, &alias).await {
            Ok(Ending::Succeeded(success)) if success.kind == SuccessKind::Noop => {}
            Ok(Ending::Succeeded(_)) if repeat == 0 => {
                counts.first_writes += 1;
                counts.remarks.push(format!("written once: {}", pair.file));
            }
            Ok(Ending::Succeeded(_)) => {
                counts.later_writes += 1;
                broken("update");
            }
            Ok(Ending::Failed(failure) | Ending::Canceled(failure)) | Err(failure) => {
                if failure.kind == FailureKind::ReplaceRequired {
                    counts.replacements += 1;
                    broken("replace");
                } else {
                    counts.failures += 1;
                    counts.remarks.push(format!("failed: {}: {}", pair.file, failure.message));
                    broken("refused");
                }
            }
        }
    }
    let ask = Ask::Delete { identifier: None, mode: DeleteMode::ByOwnership };
    // The next recording may have the same name.
    if let Ok(accepted) = plane.submit(&pair.type_name, &alias, ask).await {
        plane.finish(accepted).await;
    }
}

async fn put_once(
    plane: &Plane,
    pair: &Pair,
    alias: &str,
) -> Result<Ending, hangar_plan::operation::Failure> {
    let ask: Ask = put(pair.declared.clone());
    let accepted = plane.submit(&pair.type_name, alias, ask).await?;
    Ok(plane.finish(accepted).await.ending().unwrap().clone())
}

/// The project's own pairs, and the shared ones where they are.
fn recorded_pairs() -> Vec<Pair> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let own = root.join("crates/schema/tests/truth/pairs.ndjson");
    let shared = root.join("../shared/fixtures/aws-reads/reads.ndjson");
    let files = [own, shared].into_iter().filter(|file| file.exists());
    let text: String = files.map(|file| std::fs::read_to_string(file).unwrap()).collect();
    let rows = text.lines().filter(|line| !line.trim().is_empty());
    let rows = rows.map(|line| serde_json::from_str::<Value>(line).unwrap());
    rows.filter(is_witness).map(|row| read_pair(&row)).filter(is_of_catalog).collect()
}

/// Whether the read shows what AWS makes of the declaration, and nothing else.
fn is_witness(row: &Value) -> bool {
    let is_whole = !row["unresolved"].as_bool().unwrap_or(false);
    let has_drift = row["driftedPaths"].as_array().is_some_and(|paths| !paths.is_empty());
    row["reader"] == "cloudcontrol" && is_whole && !has_drift
}

fn read_pair(row: &Value) -> Pair {
    let text = |name: &str| row[name].as_str().unwrap().to_owned();
    let (declared, live) = (row["declared"].clone(), row["live"].clone());
    Pair { file: text("file"), type_name: text("type"), declared, live }
}

fn is_of_catalog(pair: &Pair) -> bool {
    Catalog::bundled().get(&pair.type_name).is_ok() && TypeName::parse(&pair.type_name).is_ok()
}

/// The types with a known difference, by kind.
fn known_types() -> BTreeSet<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("crates/schema/tests/truth/known.tsv")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let fields = lines.map(|line| line.split('\t').collect::<Vec<_>>());
    fields.map(|fields| (fields[0].to_owned(), fields[1].to_owned())).collect()
}
