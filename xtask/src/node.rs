//! Packages from npm for the tests, as committed lock files have them: Azure's SDK for JavaScript, and what the
//! package for cdk8s apps is built and tried with.
//!
//! Node and npm are those that are here, else what apt can give.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::apt::{self, runs};
use crate::workspace::{Root, stream};

/// Packages that are installed together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Packages {
    /// The folder of the lock file.
    manifest: &'static str,
    /// Where they are installed; it may be the same.
    folder: &'static str,
    /// The lock file as it was when all of it had been installed. npm empties `node_modules` when it begins.
    stamp: &'static str,
    /// Loads one of them.
    loads: &'static str,
    /// The oldest Node that they run with.
    node: u32,
}

/// Azure's SDK for JavaScript.
pub(crate) const AZURE: Packages = Packages {
    manifest: "crates/cli/tests/azure/javascript",
    folder: ".tools/node",
    stamp: ".tools/node/installed.json",
    loads: "require('@azure/arm-resources')",
    node: 18,
};

/// cdk8s, the AWS CDK, CDKTF and CDK Terrain, where the package for their apps looks for them.
pub(crate) const CDK8S: Packages = Packages {
    manifest: "npm",
    folder: "npm",
    stamp: "npm/node_modules/installed.json",
    loads: "require('aws-cdk-lib/core')",
    node: 20,
};

const LOCK: &str = "package-lock.json";

/// Whether Node runs and the packages are those that the lock file says now.
pub(crate) fn is_here(root: &Root, packages: Packages) -> bool {
    let read = |path| fs::read_to_string(path).ok();
    let lock = read(root.join(packages.manifest).join(LOCK));
    let is_current = read(root.join(packages.stamp)).is_some_and(|stamp| Some(stamp) == lock);
    let mut load = Command::new("node");
    load.args(["-e", packages.loads]).current_dir(root.join(packages.folder));
    is_current && is_node_here(packages) && runs(&mut load)
}

/// Installs the packages anew.
pub(crate) fn install(root: &Root, packages: Packages) -> Result<()> {
    let Packages { manifest, folder: name, stamp, node, .. } = packages;
    if version().is_none() || !is_npm_here() {
        apt::install(root, &["nodejs", "npm"])
            .with_context(|| format!("Node {node} or newer with npm is not installed"))?;
    }
    if let Some(why) = too_old(packages) {
        bail!(why);
    }
    println!("installing {name}/node_modules from {manifest}/{LOCK}");
    let folder = root.join(name);
    let copy = |from: &str, to: &str| {
        let copied = fs::copy(root.join(manifest).join(from), root.join(to));
        copied.with_context(|| format!("cannot write {to}"))
    };
    if manifest != name {
        fs::create_dir_all(&folder).with_context(|| format!("cannot create {name}"))?;
        copy("package.json", &format!("{name}/package.json"))?;
        copy(LOCK, &format!("{name}/{LOCK}"))?;
    }
    // Nothing comes that is not in the lock file with its hash, and nothing of it runs here.
    let quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    let mut npm = root.command("npm", &["ci"]);
    npm.args(quiet).current_dir(&folder);
    stream(npm)?;
    copy(LOCK, stamp)?;
    Ok(())
}

/// Why `install` cannot do it: the Node that is here is too old, and apt would not replace it by a newer one.
pub(crate) fn too_old(Packages { node, .. }: Packages) -> Option<String> {
    let old = version().filter(|found| *found < node)?;
    Some(format!("Node {old} is installed, but {node} or newer is required"))
}

fn is_node_here(packages: Packages) -> bool {
    version().is_some_and(|found| found >= packages.node) && is_npm_here()
}

fn is_npm_here() -> bool {
    runs(Command::new("npm").arg("--version"))
}

/// The first part of the version of the Node that is here.
fn version() -> Option<u32> {
    let told = Command::new("node").args(["-p", "parseInt(process.versions.node)"]).output();
    String::from_utf8(told.ok()?.stdout).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    const ALL: [(&str, &str); 2] = [
        (
            include_str!("../../crates/cli/tests/azure/javascript/package.json"),
            include_str!("../../crates/cli/tests/azure/javascript/package-lock.json"),
        ),
        (include_str!("../../npm/package.json"), include_str!("../../npm/package-lock.json")),
    ];

    #[test]
    fn every_package_is_one_version_with_its_hash() {
        for (manifest, lock) in ALL {
            let manifest: Value = serde_json::from_str(manifest).unwrap();
            let lock: Value = serde_json::from_str(lock).unwrap();
            let mut wanted = Vec::new();
            for kind in ["dependencies", "devDependencies"] {
                assert_eq!(lock["packages"][""][kind], manifest[kind]);
                wanted.extend(manifest[kind].as_object().into_iter().flatten());
            }
            assert!(!wanted.is_empty());
            for (name, version) in wanted {
                let version = version.as_str().unwrap().rsplit('@').next().unwrap();
                // A pre-release is one version too: `0.6.49-g556bf5edad`.
                let is_exact = version.starts_with(|c: char| c.is_ascii_digit())
                    && version.chars().all(|c| c.is_ascii_alphanumeric() || ".-".contains(c));
                assert!(is_exact, "{name} is not one version: {version}");
            }
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
