//! Runs the fuzz targets with the nightly compiler, where both are installed.

use std::process::Stdio;

use anyhow::{Result, bail};

use crate::workspace::{Root, capture, stream};

/// Run fuzz targets (needs cargo-fuzz and a nightly toolchain)
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  cargo xtask fuzz\n  cargo xtask fuzz --seconds 600 resource_id"
)]
pub(crate) struct Options {
    /// Seconds to run each target
    #[arg(long, value_name = "N", default_value_t = 60)]
    seconds: u32,
    /// Target to run [default: all]
    target: Option<String>,
}

pub(crate) fn run(options: &Options, root: &Root) -> Result<()> {
    if !root.join("fuzz/Cargo.toml").is_file() {
        bail!("the folder `fuzz` with the targets does not exist");
    }
    let mut probe = root.command("rustup", &["run", "nightly", "cargo", "fuzz", "--version"]);
    probe.stdout(Stdio::null()).stderr(Stdio::null());
    if !probe.status().is_ok_and(|status| status.success()) {
        bail!(
            "fuzzing needs a nightly toolchain and cargo-fuzz: run `rustup toolchain install nightly` \
             and `cargo install cargo-fuzz --locked`"
        );
    }
    let targets = match &options.target {
        Some(target) => vec![target.clone()],
        None => capture(root.command("rustup", &["run", "nightly", "cargo", "fuzz", "list"]))?
            .lines()
            .map(str::to_owned)
            .collect(),
    };
    let limit = format!("-max_total_time={}", options.seconds);
    for target in targets {
        let arguments = ["run", "nightly", "cargo", "fuzz", "run", &target, "--", &limit];
        stream(root.command("rustup", &arguments))?;
    }
    Ok(())
}
