//! `hangar schema bicep-types`, read back by Azure's own reader of such packages.

#![allow(clippy::print_stdout, reason = "a test tells the test command what it skipped")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::{run, shown};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/azure/types.js");
const PACKAGES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.tools/node/node_modules");
const READER: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../.tools/node/node_modules/bicep-types/package.json");

fn written(to: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut open = vec![to.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(to).unwrap().to_path_buf();
                files.insert(name, std::fs::read(path).unwrap());
            }
        }
    }
    files
}

#[test]
fn azures_reader_reads_the_package_of_types_and_two_runs_write_the_same() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let text = shown(&["schema", "bicep-types", "--out", &first.path().display().to_string()]);
    assert!(text.contains("types to"), "{text}");
    assert!(
        run(&["schema", "bicep-types", "--out", &second.path().display().to_string()])
            .status
            .success()
    );
    assert!(written(first.path()) == written(second.path()), "two runs differ");
    if !Path::new(READER).exists() {
        println!(
            "skipped: azures_reader_reads_the_package_of_types (no bicep-types in .tools/node; `cargo xtask setup` \
             makes it)"
        );
        return;
    }
    let mut node = Command::new("node");
    let read = node.arg(SCRIPT).arg(first.path()).env("NODE_PATH", PACKAGES).output().unwrap();
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    let mut read: Value = serde_json::from_slice(&read.stdout).unwrap();
    let resources = read.as_object_mut().unwrap().remove("resources").unwrap();
    assert!(resources.as_u64().unwrap() > 1_900, "{resources}");
    assert_eq!(
        read,
        json!({
            "settings": ["aws", false, ["account", "region"]],
            "functions": [
                "accountId()", "region()", "partition()", "availabilityZones(count?)",
                "arn(service,resource,region?,account?)",
            ],
            "alias": "DeployTimeConstant,Identifier StringType",
            "delay": "IntegerType",
            "url": "ReadOnly,Identifier StringType",
            "tenancy": "'true' | 'false'",
            "protocol": "Required StringType",
            "billing": "'PAY_PER_REQUEST' | 'PROVISIONED' | StringType",
            "password": "WriteOnly StringType{\"sensitive\":true}",
            "recipe": "Required StringType",
        })
    );
}
