//! Packages from npm for the tests, as committed lock files have them: Azure's SDK for JavaScript, and the AWS CDK.
//!
//! Node and npm are those that are here, else what apt can give.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result};

use crate::apt::{self, runs};
use crate::workspace::{Root, stream};

/// Packages that are installed together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Packages {
    /// The folder of the lock file.
    manifest: &'static str,
    /// Where they are installed.
    folder: &'static str,
    /// Loads one of them.
    loads: &'static str,
}

/// Azure's SDK for JavaScript.
pub(crate) const AZURE: Packages = Packages {
    manifest: "crates/cli/tests/azure/javascript",
    folder: ".tools/node",
    loads: "require('@azure/arm-resources')",
};

/// The AWS CDK.
pub(crate) const CDK: Packages = Packages {
    manifest: "crates/cli/tests/cdk",
    folder: ".tools/cdk",
    loads: "require('aws-cdk-lib/core')",
};

/// In the folder: the lock file as it was when all of it had been installed.
const STAMP: &str = "installed.json";
const LOCK: &str = "package-lock.json";
/// Fails where the pinned versions would.
const SUITS: &str = "process.exit(parseInt(process.versions.node) >= 18 ? 0 : 1)";

/// Whether Node runs and the packages are those that the lock file says now.
pub(crate) fn is_here(root: &Root, packages: Packages) -> bool {
    let read = |path| fs::read_to_string(path).ok();
    let folder = root.join(packages.folder);
    let lock = read(root.join(packages.manifest).join(LOCK));
    let is_current = read(folder.join(STAMP)).is_some_and(|stamp| Some(stamp) == lock);
    let mut load = Command::new("node");
    load.args(["-e", packages.loads]).current_dir(folder);
    is_current && is_node_here() && runs(&mut load)
}

/// Installs the packages anew.
pub(crate) fn install(root: &Root, packages: Packages) -> Result<()> {
    let Packages { manifest, folder: name, .. } = packages;
    if !is_node_here() {
        apt::install(root, &["nodejs", "npm"])
            .context("there is no Node (18 or newer) with npm")?;
    }
    println!("making {name} from {manifest}/{LOCK}");
    let folder = root.join(name);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {name}"))?;
    let copy = |from: &str, to: &str| {
        let copied = fs::copy(root.join(manifest).join(from), folder.join(to));
        copied.with_context(|| format!("cannot write {name}/{to}"))
    };
    copy("package.json", "package.json")?;
    copy(LOCK, LOCK)?;
    // Nothing comes that is not in the lock file with its hash, and nothing of it runs here.
    let quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    let mut npm = root.command("npm", &["ci"]);
    npm.args(quiet).current_dir(&folder);
    stream(npm)?;
    copy(LOCK, STAMP)?;
    Ok(())
}

fn is_node_here() -> bool {
    runs(Command::new("node").args(["-e", SUITS])) && runs(Command::new("npm").arg("--version"))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    const ALL: [(&str, &str); 2] = [
        (
            include_str!("../../crates/cli/tests/azure/javascript/package.json"),
            include_str!("../../crates/cli/tests/azure/javascript/package-lock.json"),
        ),
        (
            include_str!("../../crates/cli/tests/cdk/package.json"),
            include_str!("../../crates/cli/tests/cdk/package-lock.json"),
        ),
    ];

    #[test]
    fn every_package_is_one_version_with_its_hash() {
        for (manifest, lock) in ALL {
            let manifest: Value = serde_json::from_str(manifest).unwrap();
            let wanted = manifest["dependencies"].as_object().unwrap();
            assert!(!wanted.is_empty());
            for (name, version) in wanted {
                let version = version.as_str().unwrap().rsplit('@').next().unwrap();
                let is_exact = version.chars().all(|c| c.is_ascii_digit() || c == '.');
                assert!(is_exact, "{name} is not one version: {version}");
            }
            let lock: Value = serde_json::from_str(lock).unwrap();
            assert_eq!(lock["packages"][""]["dependencies"], manifest["dependencies"]);
            for (name, package) in lock["packages"].as_object().unwrap() {
                // What comes in the archive of another is under that one's hash.
                let is_within = package["inBundle"] == true;
                let hash = package["integrity"].as_str().unwrap_or_default();
                let is_known = is_within || hash.starts_with("sha512-");
                assert!(name.is_empty() || is_known, "{name} has no hash");
            }
        }
    }
}
