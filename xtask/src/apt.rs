//! What the distribution's package manager can give, where we may use it.

use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use crate::workspace::{Root, stream};

/// Installs packages as root, or by `sudo` where that asks nothing.
pub(crate) fn install(root: &Root, packages: &[&str]) -> Result<()> {
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout == b"0\n");
    let become_root: &[&str] = if is_root { &[] } else { &["sudo", "-n"] };
    let apt = |arguments: &[&str]| {
        let words = [become_root, &["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"], arguments];
        let words = words.concat();
        root.command(words[0], &words[1..])
    };
    if !runs(&mut apt(&["--version"])) {
        bail!("apt-get is missing, or cannot be run as root");
    }
    // The lists may be absent or too old to install from, and still the install may succeed.
    if let Err(error) = stream(apt(&["update", "-q"])) {
        println!("{error:#}");
    }
    let install = ["install", "-q", "-y", "--no-install-recommends"];
    stream(apt(&[&install, packages].concat()))
}

/// Whether a program is here and succeeds.
pub(crate) fn runs(command: &mut Command) -> bool {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
