//! The program itself: where it is, how it is started and stopped.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use hangar_plan::operation::{Failure, FailureKind};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tokio::process::{Child, Command as Process};

use super::LocalOptions;
use super::directory::RunDirectory;
use crate::recipe::runner::{Command, Environment, Force, Tool};

/// Where providers are kept for the next run.
pub(super) const PROVIDERS: &str = "providers";

/// What it is looked for as, in this order.
const NAMES: [&str; 2] = ["terraform", "tofu"];

/// How long it may take to say its version.
const VERSION_WITHIN: std::time::Duration = std::time::Duration::from_mins(1);

/// How long Terraform itself waits for a lock: another run may just be letting go of it.
const LOCK_TIMEOUT: &str = "-lock-timeout=20s";

/// Where a plan is written to.
const PLAN_OUT: &str = "-out=hangar.tfplan";
const PLAN_FILE: &str = "hangar.tfplan";

/// The program, and what it says that it is.
pub(super) async fn find(options: &LocalOptions) -> Result<(PathBuf, Tool), Failure> {
    let Some(path) = options.program.clone().or_else(|| search(options.path.as_deref())) else {
        return Err(missing(
            "neither `terraform` nor `tofu` is on PATH; install one of them, or set \
             HANGAR_TERRAFORM=/path/to/terraform",
        ));
    };
    let mut process = Process::new(&path);
    process
        .args(["version", "-json"])
        .env_clear()
        .envs(options.environment.iter().map(|(name, value)| (name, value)))
        .env("CHECKPOINT_DISABLE", "1")
        .env("TF_CLI_CONFIG_FILE", "/dev/null")
        .stdin(Stdio::null());
    if let Some(path) = &options.path {
        process.env("PATH", path);
    }
    process.kill_on_drop(true);
    let output = tokio::time::timeout(VERSION_WITHIN, process.output()).await;
    let output = output.map_err(|_| {
        missing(&format!("{} did not report its version within a minute", path.display()))
    })?;
    let output = output.map_err(|error| {
        missing(&format!("{} cannot be run: {error}; check that it is a program", path.display()))
    })?;
    let told: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let Some(version) = told.get("terraform_version").and_then(Value::as_str) else {
        return Err(missing(&format!(
            "{} did not report its version (`version -json`): it is neither Terraform nor OpenTofu",
            path.display()
        )));
    };
    let name = path.file_stem().and_then(OsStr::to_str).unwrap_or(NAMES[0]).to_owned();
    Ok((path, Tool { name, version: version.to_owned() }))
}

fn missing(message: &str) -> Failure {
    Failure {
        kind: FailureKind::Unavailable,
        code: "TerraformNotFound".to_owned(),
        message: message.to_owned(),
        findings: Vec::new(),
    }
}

fn search(path: Option<&OsStr>) -> Option<PathBuf> {
    let directories: Vec<PathBuf> = std::env::split_paths(path?).collect();
    NAMES.iter().find_map(|name| {
        directories.iter().map(|it| it.join(name)).find(|program| is_program(program))
    })
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

/// Starts it in the run's directory, with an environment of its own: nothing of ours is inherited.
pub(super) fn start(
    program: &Path,
    options: &LocalOptions,
    directory: &RunDirectory,
    command: Command,
    environment: &Environment,
) -> io::Result<Child> {
    let log = directory.open_log(command)?;
    let lock = directory.hold()?;
    directory.forget_interrupt()?;
    let mut process = Process::new(program);
    process
        .args(arguments(command))
        .current_dir(directory.work())
        .env_clear()
        .envs(options.environment.iter().map(|(name, value)| (name, value)))
        .envs(environment.0.iter().map(|(name, value)| (name, value)))
        .env("TF_CLI_CONFIG_FILE", directory.settings())
        .env("TF_PLUGIN_CACHE_DIR", options.directory.join(PROVIDERS))
        .stdin(lock)
        .stdout(log.try_clone()?)
        .stderr(log)
        // A Ctrl-C in our terminal is ours to pass on, once.
        .process_group(0)
        .kill_on_drop(false);
    if let Some(path) = &options.path {
        process.env("PATH", path);
    }
    let child = process.spawn()?;
    if let Some(number) = child.id() {
        directory.note_process(number)?;
    }
    Ok(child)
}

fn arguments(command: Command) -> &'static [&'static str] {
    match command {
        Command::Get => &["get", "-no-color"],
        Command::Init => &["init", "-no-color", "-input=false"],
        Command::Apply => &["apply", "-json", "-input=false", "-auto-approve", LOCK_TIMEOUT],
        Command::Destroy => {
            &["apply", "-destroy", "-json", "-input=false", "-auto-approve", LOCK_TIMEOUT]
        }
        Command::Plan => &["plan", "-no-color", "-input=false", "-lock=false", PLAN_OUT],
        Command::Show => &["show", "-no-color", "-json", PLAN_FILE],
    }
}

/// Asks the program of a run to stop; nothing where none runs.
pub(super) fn stop(directory: &RunDirectory, force: Force) -> io::Result<()> {
    let Some(number) = directory.process()?.filter(|_| matches!(directory.is_in_use(), Ok(true)))
    else {
        return Ok(());
    };
    let signal = match force {
        Force::Interrupt if directory.note_interrupt()? => Signal::INT,
        Force::Interrupt => return Ok(()),
        Force::Hurry => Signal::INT,
        Force::Kill => Signal::KILL,
    };
    match Pid::from_raw(number).map(|pid| kill_process(pid, signal)) {
        None | Some(Ok(()) | Err(rustix::io::Errno::SRCH)) => Ok(()),
        Some(Err(error)) => Err(error.into()),
    }
}
