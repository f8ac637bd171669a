//! Terraform, for the tests that run it: the `terraform` or `tofu` that is here, else an OpenTofu that
//! is built from its source.
//!
//! Nobody's package registry has the binary, so it is never installed without being asked for.

pub(crate) mod aws_provider;

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::apt::runs;
use crate::workspace::{Root, capture, stream};

const MODULE: &str = "github.com/opentofu/opentofu";
const VERSION: &str = "1.12.6";
/// Where the tests look when there is neither on the path.
const BUILT: &str = ".tools/opentofu/tofu";

/// Which ones are here, in their own words: those on the path, then the one that was built. The tests
/// run the first.
pub(crate) fn versions(root: &Root) -> Vec<String> {
    let on_path = ["terraform", "tofu"].into_iter().map(Into::into);
    on_path.chain([root.join(BUILT)]).filter_map(|program| version(&program)).collect()
}

/// Whether ours is here, in the version that is wanted now.
pub(crate) fn is_built(root: &Root) -> bool {
    version(&root.join(BUILT)).is_some_and(|it| it == format!("OpenTofu v{VERSION}"))
}

/// Builds OpenTofu.
pub(crate) fn build(root: &Root) -> Result<()> {
    if !runs(Command::new("go").arg("version")) {
        bail!(
            "neither terraform nor tofu is on the PATH, and Go, which builds OpenTofu, is not installed"
        );
    }
    println!("building OpenTofu {VERSION} into {BUILT}: this takes several minutes");
    let release = format!("{MODULE}@v{VERSION}");
    let told = capture(root.command("go", &["mod", "download", "-json", &release]))
        .context("Go cannot download OpenTofu's source")?;
    let told: Value = serde_json::from_str(&told).context("`go mod download` printed no JSON")?;
    let source = told["Dir"].as_str().context("`go mod download` did not report the folder")?;
    // Not `go install`: that refuses a module which replaces another, and OpenTofu does. Without the
    // setting it calls itself a development version.
    let settings = format!("-s -w -X {MODULE}/version.dev=no");
    let mut go = root.command("go", &["build", "-C", source, "-trimpath", "-ldflags", &settings]);
    go.arg("-o").arg(root.join(BUILT)).arg("./cmd/tofu");
    go.env("CGO_ENABLED", "0").env("GOFLAGS", "-mod=readonly");
    stream(go)?;
    if !is_built(root) {
        bail!("{BUILT} was built, but is not OpenTofu {VERSION}");
    }
    Ok(())
}

/// The first line of what a program says of its version; nothing where it does not run.
fn version(program: &Path) -> Option<String> {
    let mut command = Command::new(program);
    // It neither reads a configuration of this machine nor asks for news.
    command.arg("version").env("TF_CLI_CONFIG_FILE", "/dev/null").env("CHECKPOINT_DISABLE", "1");
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let told = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| told.lines().next().map(str::to_owned)).flatten()
}
