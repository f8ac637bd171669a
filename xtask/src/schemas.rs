//! Makes the committed catalog from the published schemas.

mod advice;
mod select;
mod strip;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use hangar_schema::Archive;
use serde_json::{Map, Value};

use self::select::{Source, select};
use crate::workspace::Root;

/// Build crates/schema/data/catalog.bin from published schemas
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  cargo xtask schemas\n  cargo xtask schemas --check\n  \
                        cargo xtask schemas --from ~/schemas")]
pub(crate) struct Options {
    /// Folder with the two schema sets and the ARN templates, relative to the repository root
    #[arg(long, value_name = "DIR", default_value = DEFAULT_FROM)]
    from: PathBuf,
    /// Write nothing; fail if the committed file is out of date
    #[arg(long)]
    check: bool,
}

/// Beside the repository, as the project's material lies.
pub(crate) const DEFAULT_FROM: &str = "../shared/schemas";
const CATALOG: &str = "crates/schema/data/catalog.bin";

pub(crate) fn run(options: &Options, root: &Root) -> Result<()> {
    let catalog = Catalog::make(&root.join(&options.from))?;
    let path = root.join(CATALOG);
    if options.check {
        catalog.compare(&path)?;
    } else {
        std::fs::write(&path, &catalog.bytes).with_context(|| format!("cannot write {CATALOG}"))?;
    }
    println!("{}", catalog.summary());
    Ok(())
}

/// Compares the committed catalog with what the published schemas give now.
pub(crate) fn check(root: &Root) -> Result<String> {
    let catalog = Catalog::make(&root.join(DEFAULT_FROM))?;
    catalog.compare(&root.join(CATALOG))?;
    Ok(catalog.summary())
}

struct Catalog {
    bytes: Vec<u8>,
    /// How many types came from each source.
    counts: BTreeMap<Source, usize>,
    without_handlers: usize,
    /// How many places of AWS's schemas have limits of cfn-lint.
    advised: usize,
}

impl Catalog {
    fn make(from: &Path) -> Result<Self> {
        let raw = read_set(&from.join("cfn-schemas-raw.ndjson.zst"))?;
        let cfn_lint = read_set(&from.join("cfn-schemas-cfnlint.ndjson.zst"))?;
        let arn_templates = read_arn_templates(&from.join("arn-templates.tsv"))?;
        let mut counts = BTreeMap::new();
        let mut without_handlers = 0;
        let mut entries = Vec::new();
        let mut advised = 0;
        for (name, (source, schema)) in select(raw, cfn_lint.clone()) {
            let advice = match source {
                Source::Raw => cfn_lint.get(&name).map(|it| advice::advice(&schema, it)),
                Source::CfnLint => None,
            };
            let advice = advice.unwrap_or_default();
            advised += advice.len();
            *counts.entry(source).or_default() += 1;
            without_handlers += usize::from(!select::has_handlers(&schema));
            let entry = entry(source, arn_templates.get(&name), advice, schema);
            entries.push((name, serde_json::to_vec(&entry).context("cannot write an entry")?));
        }
        let bytes = Archive::pack(entries).context("cannot compress the catalog")?;
        Ok(Self { bytes, counts, without_handlers, advised })
    }

    fn compare(&self, path: &Path) -> Result<()> {
        let committed = std::fs::read(path).with_context(|| format!("cannot read {CATALOG}"))?;
        if committed != self.bytes {
            bail!("{CATALOG} is out of date; run `cargo xtask schemas` and commit it");
        }
        Ok(())
    }

    fn summary(&self) -> String {
        let mut parts: Vec<String> = self
            .counts
            .iter()
            .map(|(source, count)| format!("{count} {}", source.word()))
            .collect();
        parts.push(format!("{} without handlers", self.without_handlers));
        parts.push(format!("{} places with limits of cfn-lint", self.advised));
        let total: usize = self.counts.values().sum();
        format!("{total} types ({}), {} bytes", parts.join(", "), self.bytes.len())
    }
}

fn entry(
    source: Source,
    arn_template: Option<&String>,
    advice: Map<String, Value>,
    schema: Value,
) -> Value {
    let mut entry = Map::new();
    entry.insert("source".to_owned(), source.word().into());
    if let Some(template) = arn_template {
        entry.insert("arnTemplate".to_owned(), template.as_str().into());
    }
    if !advice.is_empty() {
        entry.insert("advice".to_owned(), Value::Object(advice));
    }
    entry.insert("schema".to_owned(), strip::strip(schema, source));
    Value::Object(entry)
}

fn read_set(path: &Path) -> Result<BTreeMap<String, Value>> {
    let read = || -> Result<BTreeMap<String, Value>> {
        let file = std::io::BufReader::new(std::fs::File::open(path)?);
        let mut text = String::new();
        ruzstd::decoding::StreamingDecoder::new(file)?.read_to_string(&mut text)?;
        text.lines().map(read_schema).collect()
    };
    read().with_context(|| format!("cannot read {}", path.display()))
}

fn read_schema(line: &str) -> Result<(String, Value)> {
    let schema: Value = serde_json::from_str(line)?;
    let name = schema["typeName"].as_str().context("a schema without `typeName`")?.to_owned();
    Ok((name, schema))
}

fn read_arn_templates(path: &Path) -> Result<BTreeMap<String, String>> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let pair = |line: &str| {
        let (name, template) = line.split_once('\t')?;
        template.starts_with("arn:").then(|| (name.to_owned(), template.to_owned()))
    };
    text.lines()
        .map(|line| {
            pair(line).with_context(|| format!("{}: unexpected line `{line}`", path.display()))
        })
        .collect()
}
