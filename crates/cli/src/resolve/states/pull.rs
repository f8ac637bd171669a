//! A state that Terraform itself must fetch: `terraform state pull` in the directory of a configuration.

use std::path::Path;
use std::process::Stdio;

use hangar_manifest::resolve::Trouble;
use tokio::process::Command;

use super::{Look, Looked};
use crate::follow::vigil::rounded;

/// Of what Terraform says, no more is told.
const LONGEST_REASON: usize = 300;

pub(super) async fn pull(look: &mut Look<'_>, directory: &Path) -> Looked {
    let ask = look.ask;
    let place = directory.display();
    look.places.push(format!("terraform state pull in {place}"));
    let failed =
        |message: String, hint: &str| Trouble::Failed { message, hint: Some(hint.to_owned()) };
    let Some(program) = &ask.program else {
        return Err(failed(
            format!(
                "reading the state of `{}` needs Terraform, but neither `terraform` nor `tofu` is on PATH",
                look.name
            ),
            "install one of them, set HANGAR_TERRAFORM, or pass the path of the state with --state",
        ));
    };
    let mut process = Command::new(program);
    process
        .args(["state", "pull"])
        .current_dir(directory)
        .env_clear()
        .envs(ask.environment.iter().map(|(name, value)| (name, value)))
        .env("TF_IN_AUTOMATION", "1")
        .env("TF_INPUT", "0")
        .env("CHECKPOINT_DISABLE", "1")
        .stdin(Stdio::null())
        .kill_on_drop(true);
    let within = ask.patience;
    let Ok(output) = tokio::time::timeout(within, process.output()).await else {
        let message =
            format!("`terraform state pull` in `{place}` took longer than {}", rounded(within));
        return Err(failed(message, "check that its backend is reachable from this machine"));
    };
    let output = output.map_err(|error| {
        failed(
            format!("cannot run `{}` in `{place}`: {error}", program.display()),
            "check that it is executable; HANGAR_TERRAFORM sets another program",
        )
    })?;
    if !output.status.success() {
        let reason = reason(&String::from_utf8_lossy(&output.stderr));
        return Err(failed(
            format!("`terraform state pull` in `{place}` failed: {reason}"),
            "run `terraform init` there, and check that it can read its backend",
        ));
    }
    // It prints nothing where nothing was ever applied.
    Ok(Some(output.stdout).filter(|text| !text.trim_ascii().is_empty()))
}

/// The first line that says what is wrong; only that, because the rest may quote a configuration.
fn reason(said: &str) -> String {
    let lines = said.lines().map(|line| line.trim_matches(['│', '╷', '╵', ' ']));
    let line = lines.filter_map(|line| line.split_once("Error: ")).map(|(_, reason)| reason).next();
    let line = line.unwrap_or("no reason given");
    line.chars().filter(|c| !c.is_control()).take(LONGEST_REASON).collect()
}
