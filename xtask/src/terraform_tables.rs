//! Makes the tables that lead from Terraform's types to Cloud Control's and to Kubernetes' kinds.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use hangar_schema::Catalog;
use serde_json::Value;

use crate::workspace::Root;

/// Make the tables of crates/manifest/data from the maps of Terraform's types and from our catalog
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  cargo xtask terraform-tables\n  cargo xtask terraform-tables --check"
)]
pub(crate) struct Options {
    /// The folder with the maps, from the repository's root
    #[arg(long, value_name = "DIR", default_value = DEFAULT_FROM)]
    from: PathBuf,
    /// Write nothing; fail if a committed table is not what would be written
    #[arg(long)]
    check: bool,
}

/// Beside the repository, as the project's material lies.
const DEFAULT_FROM: &str = "../shared/fixtures/terraform-maps";
const DATA: &str = "crates/manifest/data";
const AWS: &str = "aws-types.tsv";
const CLOUD_CONTROL: &str = "cloud-control-types.tsv";
const KUBERNETES: &str = "kubernetes-types.tsv";

pub(crate) fn run(options: &Options, root: &Root) -> Result<()> {
    let from = root.join(&options.from);
    let readable = readable_types();
    let (aws, dropped) = aws_table(&read_map(&from.join("aws-terraform-to-cfn.json"))?, &readable);
    let tables = [
        (CLOUD_CONTROL, cloud_control_table(&readable)),
        (AWS, aws),
        (KUBERNETES, kubernetes_table(&read_map(&from.join("kubernetes-types.json"))?)),
    ];
    for (name, text) in tables {
        let path = root.join(Path::new(DATA).join(name));
        if options.check {
            let committed = std::fs::read_to_string(&path).unwrap_or_default();
            if committed != text {
                bail!(
                    "{DATA}/{name} is not what the maps give; run `cargo xtask terraform-tables` and commit it"
                );
            }
        } else {
            std::fs::write(&path, &text).with_context(|| format!("cannot write {DATA}/{name}"))?;
        }
        println!("{name}: {} lines", lines(&text).count());
    }
    println!("left out, because our catalog cannot read the type: {}", dropped.join(", "));
    Ok(())
}

/// Types that Cloud Control reads, each with its identifier's properties.
type Readable = BTreeMap<&'static str, Vec<String>>;

fn readable_types() -> Readable {
    let catalog = Catalog::bundled();
    let identifier = |name: &'static str| {
        let schema = catalog.get(name).ok().filter(|schema| schema.handlers().read.is_some())?;
        let parts = schema.primary_identifier().iter();
        let parts = parts.map(|part| part.to_string().trim_start_matches('/').to_owned());
        let parts: Vec<String> = parts.collect();
        (!parts.is_empty() && name.starts_with("AWS::")).then_some((name, parts))
    };
    catalog.names().filter_map(identifier).collect()
}

fn cloud_control_table(readable: &Readable) -> String {
    let mut text = "\
# Made by `cargo xtask terraform-tables` from crates/schema/data/catalog.bin (see NOTICE): the types that Cloud
# Control can read, with the properties of the primary identifier in their order.
# type	identifier
"
    .to_owned();
    for (name, parts) in readable {
        let _ = writeln!(text, "{name}\t{}", parts.join(","));
    }
    text
}

/// The table, and the types that our catalog cannot read.
fn aws_table(map: &BTreeMap<String, Value>, readable: &Readable) -> (String, Vec<String>) {
    let mut text = "\
# Made by `cargo xtask terraform-tables` from aws-terraform-to-cfn.json (August 2026): which type of CloudFormation
# a managed type of hashicorp/aws stands for. Only types that Cloud Control can read.
# Sources: former2 (iann0036/former2, MIT: its pairs of types); awscc-name (the name is the type's name in
# hashicorp/awscc, MPL-2.0: names only); heuristic (service and name match; agreed with former2 on 226 of the 229
# types that both have).
# Terraform's type	CloudFormation's type	source
"
    .to_owned();
    let mut dropped = Vec::new();
    for (terraform, entry) in map {
        let (Some(cfn), Some(source)) = (entry["cfn"].as_str(), entry["source"].as_str()) else {
            continue;
        };
        if readable.contains_key(cfn) {
            let _ = writeln!(text, "{terraform}\t{cfn}\t{source}");
        } else if entry["cloud_control_readable"] == true {
            dropped.push(format!("{terraform} ({cfn})"));
        }
    }
    (text, dropped)
}

fn kubernetes_table(map: &BTreeMap<String, Value>) -> String {
    let mut text = "\
# Made by `cargo xtask terraform-tables` from kubernetes-types.json: the types of hashicorp/kubernetes (August 2026,
# MPL-2.0: names only) with the group, kind and scope of what they make. `core` is the group without a name.
# A type with the scope `Patch` edits an object that it does not own.
# Terraform's type	group	kind	scope
"
    .to_owned();
    for (terraform, entry) in map {
        let part = |name: &str| entry[name].as_str().unwrap_or("-");
        let scope = if entry["patch"] == true { "Patch" } else { part("scope") };
        let _ = writeln!(text, "{terraform}\t{}\t{}\t{scope}", part("group"), part("kind"));
    }
    text
}

fn read_map(path: &Path) -> Result<BTreeMap<String, Value>> {
    let read = || -> Result<_> { Ok(serde_json::from_slice(&std::fs::read(path)?)?) };
    read().with_context(|| format!("cannot read {}", path.display()))
}

/// The lines of a table that are not about it.
fn lines(table: &str) -> impl Iterator<Item = &str> {
    table.lines().filter(|line| !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(name: &str) -> String {
        let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join(DATA);
        std::fs::read_to_string(folder.join(name)).unwrap()
    }

    #[test]
    fn every_type_that_claims_to_be_readable_is_in_our_catalog_with_its_identifier() {
        let readable = readable_types();
        assert_eq!(table(CLOUD_CONTROL), cloud_control_table(&readable));
        let mut linked = 0;
        for file in [AWS, "identifier-rules.tsv"] {
            for line in lines(&table(file)).map(str::to_owned).collect::<Vec<_>>() {
                let columns: Vec<&str> = line.split('\t').collect();
                let parts = readable.get(columns[1]);
                assert!(parts.is_some(), "{file}: our catalog cannot read the type of `{line}`");
                if file != AWS {
                    let stated = columns[2].split('|').count();
                    assert_eq!(Some(stated), parts.map(Vec::len), "{file}: {line}");
                }
                linked += 1;
            }
        }
        println!("counted: links to types that Cloud Control reads: {linked}");
        assert!(linked > 900, "{linked}");
    }
}
