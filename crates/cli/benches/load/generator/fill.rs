//! Makes a store of many references in minutes: a handful go through the API, so that their rows are
//! real, and SQL multiplies them under other names.

mod postgres;
mod sqlite;

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::names::{KINDS, Kind, LARGE_GROUP, Names, SEED, SEED_GROUP, group_path, reference_path};
use super::options::Options;
use super::server::{Simulator, ask};
use super::stock;
use super::store::{Database, Place, Store};

/// Changes with what a fill makes, so that an older one is not taken for it.
const FORMAT: u32 = 2;

/// Ended operations are removed after seven days, by the server as it starts: a fill must not be so old.
const USED_FOR_MS: u64 = 5 * 24 * 3600 * 1000;

/// What a filled store holds.
#[derive(Debug, Clone, Serialize, Deserialize, PartialEq)]
pub(crate) struct Filled {
    format: u32,
    references: u64,
    operations: u64,
    /// Milliseconds since 1970.
    born: u64,
    seconds: f64,
    /// Bytes for each, with the indexes.
    pub(crate) reference_bytes: f64,
    pub(crate) operation_bytes: f64,
}

/// What SQL multiplies: one reference, and what of its text is replaced besides its number and group.
#[derive(Debug, Clone)]
pub(crate) struct Template {
    pub(crate) kind: u64,
    pub(crate) alias: String,
    pub(crate) identifier: String,
    pub(crate) operation: String,
}

/// Bytes of a database, before and after each step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sizes {
    pub(crate) references: u64,
    pub(crate) operations: u64,
}

impl Filled {
    pub(crate) fn names(&self) -> Names {
        Names { references: self.references, born: self.born }
    }

    pub(crate) fn told(&self) -> String {
        format!(
            "{} references in {} groups, {} ended operations; filled in {:.0} s; {:.0} bytes a \
             reference, {:.0} an operation",
            self.references,
            self.names().groups() + 1,
            self.operations,
            self.seconds,
            self.reference_bytes,
            self.operation_bytes
        )
    }

    fn fits(&self, options: &Options, now: u64) -> bool {
        let young = now.saturating_sub(self.born) < USED_FOR_MS;
        self.format == FORMAT && self.references == options.references && young
    }
}

/// The filled store: the one of an earlier run where that will do.
pub(crate) async fn filled(store: &mut Store, options: &Options) -> Result<Filled> {
    let facts = store.file("filled.json");
    let now = now_ms();
    let before = std::fs::read(&facts).ok().and_then(|it| serde_json::from_slice(&it).ok());
    if let Some(filled) =
        before.filter(|it: &Filled| store.is_kept() && !options.refill && it.fits(options, now))
    {
        return Ok(filled);
    }
    println!("-- filling {} with {} references", store.name(), options.references);
    // Gone first: a fill that was cut short is not taken for a whole one.
    let _ = std::fs::remove_file(&facts);
    store.clear()?;
    let filled = fill(&store.filled(), options.references, now).await?;
    std::fs::write(&facts, serde_json::to_vec(&filled)?).context("cannot write what was filled")?;
    Ok(filled)
}

async fn fill(place: &Place, references: u64, now: u64) -> Result<Filled> {
    let started = Instant::now();
    // Their operations are of the last hours, and older than any that comes.
    let names = Names { references, born: now - 4 * 3600 * 1000 };
    let templates = templates(place, names).await?;
    println!("-- {} references made through the API; multiplying them", templates.len());
    let sizes = match &place.database {
        Database::File(path) => sqlite::multiply(path, names, &templates)?,
        Database::Url(url) => postgres::multiply(url, names, &templates).await?,
    };
    let (operations, seconds) = (names.operations(), started.elapsed().as_secs_f64());
    let each =
        |bytes: u64, count: u64| super::drive::float(bytes) / super::drive::float(count.max(1));
    Ok(Filled {
        format: FORMAT,
        references,
        operations,
        born: names.born,
        seconds,
        reference_bytes: each(sizes.references, references),
        operation_bytes: each(sizes.operations, operations),
    })
}

/// Makes all groups, and one reference of each type, over HTTP.
async fn templates(place: &Place, names: Names) -> Result<Vec<Template>> {
    let simulator = Simulator::start(&["--latency", "0..0"], &place.log())?;
    let server = place.serve(&simulator.url(), &[])?;
    let caller = &server.caller;
    let mut connection = caller.connect().await?;
    let groups = (0..names.groups()).map(Names::group_of_index);
    for group in groups.chain([LARGE_GROUP.to_owned(), SEED_GROUP.to_owned()]) {
        let request = caller.write("PUT", &group_path(&group), "wait=30", &json!({}));
        ask(&mut connection, &request).await?;
    }
    let mut templates = Vec::new();
    for (place, kind) in (0..).zip(KINDS) {
        let alias = format!("{}-{SEED:07}", kind.word);
        let path = reference_path(SEED_GROUP, kind, &alias);
        let request = caller.write("PUT", &path, "wait=30", &desired(kind, SEED));
        let made = ask(&mut connection, &request).await?;
        let text = |value: &Value| value.as_str().map(str::to_owned).context("a name is missing");
        if made["properties"]["provisioningState"] != "Succeeded" {
            bail!("{path} was not made: {made}");
        }
        templates.push(Template {
            kind: place,
            alias,
            identifier: text(&made["mapsTo"]["primaryIdentifier"])?,
            operation: text(&made["lastOperation"]["id"])?,
        });
    }
    server.stop()?;
    Ok(templates)
}

/// The body of a put of the reference of a number.
pub(crate) fn desired(kind: Kind, number: u64) -> Value {
    json!({ "properties": stock::desired(kind.type_name, number) })
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
