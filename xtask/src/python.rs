//! Foreign clients for the tests, and cdk8s for apps in Python: an environment in `.tools`, of pinned versions only.
//!
//! It is made from what is here, else from what apt can give; the machine's own Python packages
//! are neither used nor changed.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result};

use crate::apt::{self, runs};
use crate::workspace::{Root, stream};

const REQUIREMENTS: &str = "xtask/requirements.txt";
const FOLDER: &str = ".tools/python";
pub(crate) const PYTHON: &str = ".tools/python/bin/python";
/// The requirements as they were when all of them had been installed.
const STAMP: &str = ".tools/python/requirements.txt";
/// Fails where the pinned versions, or the making of an environment, would.
const SUITS: &str =
    "import sys, venv, ensurepip; sys.exit(0 if sys.version_info >= (3, 10) else 1)";

/// One of each kind; the libraries for cdk8s are only looked for, as loading them starts Node.
const LOADS: &str = "import boto3, awscli, azure.mgmt.resource.resources, schemathesis, moto.server, importlib.util as u; \
     assert all(map(u.find_spec, ['cdk8s', 'cdk8s_plus_33', 'aws_cdk', 'cdktf']))";

/// Whether the environment runs and holds what the requirements say now.
pub(crate) fn is_here(root: &Root) -> bool {
    let read = |path| fs::read_to_string(root.join(path)).ok();
    let is_current = read(STAMP).is_some_and(|stamp| Some(stamp) == read(REQUIREMENTS));
    is_current && runs(Command::new(root.join(PYTHON)).args(["-c", LOADS]))
}

/// Makes the environment anew.
pub(crate) fn install(root: &Root) -> Result<()> {
    let interpreter = if let Some(interpreter) = find() {
        interpreter
    } else {
        apt::install(root, &["python3-venv"])
            .context("python3 (3.10 or newer, with venv) is not installed")?;
        find().context("apt installed a python3 that is older than 3.10 or has no venv")?
    };
    println!("creating {FOLDER} from {REQUIREMENTS}");
    stream(root.command(interpreter, &["-m", "venv", "--clear", FOLDER]))?;
    let pip = |arguments: &[&str]| {
        let mut command = root.command(root.join(PYTHON), &["-m", "pip"]);
        command.args(["--quiet", "--no-input", "--disable-pip-version-check"]).args(arguments);
        stream(command)
    };
    // Nothing comes that is not pinned; the check tells of a package that was forgotten.
    pip(&["install", "--no-deps", "-r", REQUIREMENTS])?;
    pip(&["check"])?;
    fs::copy(root.join(REQUIREMENTS), root.join(STAMP))
        .with_context(|| format!("cannot write {STAMP}"))?;
    Ok(())
}

/// An interpreter that can make the environment. The first on the path may lack `venv` where the
/// distribution's own has it.
fn find() -> Option<&'static str> {
    let suits = |interpreter: &&str| runs(Command::new(interpreter).args(["-c", SUITS]));
    ["python3", "/usr/bin/python3"].into_iter().find(suits)
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_requirement_is_one_version_of_one_package() {
        let requirements = include_str!("../requirements.txt");
        let lines = requirements.lines().filter(|line| !line.starts_with('#'));
        let mut names = Vec::new();
        for line in lines {
            let (name, version) = line.split_once("==").expect(line);
            let is_plain = |text: &str, others: &str| {
                !text.is_empty()
                    && text.chars().all(|c| c.is_ascii_alphanumeric() || others.contains(c))
            };
            assert!(is_plain(name, "-_") && is_plain(version, "."), "{line}");
            names.push(name);
        }
        let azure = ["azure-core", "azure-mgmt-core", "azure-mgmt-resource"];
        let aws = ["awscli", "boto3", "botocore", "moto", "schemathesis"];
        let cdk = ["aws-cdk-lib", "cdk8s", "cdk8s-plus-33", "cdktf"];
        for wanted in aws.into_iter().chain(azure).chain(cdk) {
            assert!(names.contains(&wanted), "{wanted} is not pinned");
        }
    }
}
