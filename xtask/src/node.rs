//! Azure's SDK for JavaScript, for the tests: packages in `.tools/node`, as the committed lock file has them.
//!
//! Node and npm are those that are here, else what apt can give.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result};

use crate::apt::{self, runs};
use crate::workspace::{Root, stream};

const MANIFEST: &str = "crates/cli/tests/azure/javascript";
const FOLDER: &str = ".tools/node";
/// The lock file as it was when all of it had been installed.
const STAMP: &str = ".tools/node/installed.json";
const LOCK: &str = "package-lock.json";
/// Fails where the pinned versions would.
const SUITS: &str = "process.exit(parseInt(process.versions.node) >= 18 ? 0 : 1)";
const LOADS: &str = "require('@azure/arm-resources')";

/// Whether Node runs and the packages are those that the lock file says now.
pub(crate) fn is_here(root: &Root) -> bool {
    let read = |path| fs::read_to_string(path).ok();
    let lock = read(root.join(MANIFEST).join(LOCK));
    let is_current = read(root.join(STAMP)).is_some_and(|stamp| Some(stamp) == lock);
    let mut load = Command::new("node");
    load.args(["-e", LOADS]).current_dir(root.join(FOLDER));
    is_current && is_node_here() && runs(&mut load)
}

/// Installs the packages anew.
pub(crate) fn install(root: &Root) -> Result<()> {
    if !is_node_here() {
        apt::install(root, &["nodejs", "npm"])
            .context("there is no Node (18 or newer) with npm")?;
    }
    println!("making {FOLDER} from {MANIFEST}/{LOCK}");
    let folder = root.join(FOLDER);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {FOLDER}"))?;
    let copy = |from: &str, to: &str| {
        let copied = fs::copy(root.join(MANIFEST).join(from), folder.join(to));
        copied.with_context(|| format!("cannot write {FOLDER}/{to}"))
    };
    copy("package.json", "package.json")?;
    copy(LOCK, LOCK)?;
    // Nothing comes that is not in the lock file with its hash, and nothing of it runs here.
    let quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    let mut npm = root.command("npm", &["ci"]);
    npm.args(quiet).current_dir(&folder);
    stream(npm)?;
    fs::copy(root.join(MANIFEST).join(LOCK), root.join(STAMP))
        .with_context(|| format!("cannot write {STAMP}"))?;
    Ok(())
}

fn is_node_here() -> bool {
    runs(Command::new("node").args(["-e", SUITS])) && runs(Command::new("npm").arg("--version"))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    const MANIFEST: &str = include_str!("../../crates/cli/tests/azure/javascript/package.json");
    const LOCK: &str = include_str!("../../crates/cli/tests/azure/javascript/package-lock.json");

    #[test]
    fn every_package_is_one_version_with_its_hash() {
        let manifest: Value = serde_json::from_str(MANIFEST).unwrap();
        let wanted = manifest["dependencies"].as_object().unwrap();
        assert!(wanted.contains_key("@azure/arm-resources"));
        for (name, version) in wanted {
            let version = version.as_str().unwrap().rsplit('@').next().unwrap();
            let is_exact = version.chars().all(|c| c.is_ascii_digit() || c == '.');
            assert!(is_exact, "{name} is not one version: {version}");
        }
        let lock: Value = serde_json::from_str(LOCK).unwrap();
        assert_eq!(lock["packages"][""]["dependencies"], manifest["dependencies"]);
        for (name, package) in lock["packages"].as_object().unwrap() {
            let hash = package["integrity"].as_str().unwrap_or_default();
            assert!(name.is_empty() || hash.starts_with("sha512-"), "{name} has no hash");
        }
    }
}
