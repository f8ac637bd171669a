//! How references are resolved, as commands are told: the flags of `hangar resolve` that `hangar run` takes too.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use hangar_diag::Diagnostic;
use hangar_manifest::resolve::{Lock, codes};
use hangar_simulator::core::time::parse_span;

use super::manifests::{self, write_whole};
use super::states::StateAsk;
use crate::connection::{ConnectionArgs, Environment};
use crate::failure::Failure;

/// Where values come from, and what is let pass.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct HowArgs {
    /// Lock file: keep the values, and report changes
    ///
    /// The file contains no secrets.
    #[arg(long, value_name = "FILE")]
    pub(crate) lock: Option<PathBuf>,
    /// Take all values from the lock file; no network calls
    #[arg(long, requires = "lock")]
    pub(crate) offline: bool,
    /// Program that can replace values (repeatable)
    ///
    /// The program gets each value as a line of JSON, and answers whether to keep or replace it.
    /// Each program gets the results of the one before it.
    #[arg(long, value_name = "CMD")]
    pub(crate) resolver: Vec<String>,
    /// Path of a Terraform state (repeatable)
    ///
    /// The state file or directory for NAME in `${tf:NAME/…}`.
    #[arg(long, value_name = "NAME=PATH")]
    pub(crate) state: Vec<String>,
    /// CDK assembly that describes stacks (repeatable)
    ///
    /// A folder `cdk.out`. It names the account, the region and the lookup role of each stack.
    #[arg(long, value_name = "DIR")]
    pub(crate) assembly: Vec<PathBuf>,
    /// Wait at most TIME for stacks that are changing
    ///
    /// Without TIME, it waits at most 30 minutes.
    #[arg(long, value_name = "TIME", num_args = 0..=1, default_missing_value = "30m", value_parser = parse_span)]
    pub(crate) wait: Option<Duration>,
    /// Use stacks whose last update was rolled back
    ///
    /// Their values are those from before the update.
    #[arg(long)]
    pub(crate) allow_rolled_back: bool,
    /// Allow secrets outside of objects of kind Secret
    #[arg(long)]
    pub(crate) allow_secrets: bool,
    /// Keep raw tokens of the AWS CDK and CDKTF
    #[arg(long)]
    pub(crate) allow_unresolved: bool,
    #[command(flatten)]
    pub(crate) connection: ConnectionArgs,
}

impl HowArgs {
    /// The flags as they were typed, for another process that is to resolve in the same way.
    pub(crate) fn flags(&self) -> Vec<String> {
        let path = |path: &Path| path.display().to_string();
        let mut flags = self.connection.typed();
        flags.extend(self.lock.iter().map(|it| format!("--lock={}", path(it))));
        flags.extend(self.resolver.iter().map(|it| format!("--resolver={it}")));
        flags.extend(self.state.iter().map(|it| format!("--state={it}")));
        flags.extend(self.assembly.iter().map(|it| format!("--assembly={}", path(it))));
        flags.extend(self.wait.map(|it| format!("--wait={}ms", it.as_millis())));
        let switches = [
            (self.offline, "--offline"),
            (self.allow_rolled_back, "--allow-rolled-back"),
            (self.allow_secrets, "--allow-secrets"),
            (self.allow_unresolved, "--allow-unresolved"),
        ];
        flags.extend(switches.iter().filter(|(on, _)| *on).map(|(_, flag)| (*flag).to_owned()));
        flags
    }

    /// The lock as it is; none where there is none yet.
    pub(crate) fn old_lock(&self) -> Result<Option<Lock>, Failure> {
        let Some(path) = &self.lock else { return Ok(None) };
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(manifests::unusable(path, "read", &error)),
        };
        let lock = Lock::read(&text).map_err(|error| {
            let message = format!("cannot use lock `{}`: {error}", path.display());
            Diagnostic::error(codes::NOT_LOCKED, message)
                .hint("delete it, and run without --offline")
        })?;
        Ok(Some(lock))
    }

    /// Where states are, as far as it was said.
    pub(crate) fn states(&self, environment: &Environment) -> Result<StateAsk, Failure> {
        StateAsk::new(&self.state, Path::new("."), &environment.variables)
    }

    pub(crate) fn no_lock(&self) -> Failure {
        let path = self.lock.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        Diagnostic::error(codes::NOT_LOCKED, format!("lock `{path}` does not exist"))
            .hint("run once without --offline to write it")
            .into()
    }

    /// Writes the lock, if one is kept and it differs.
    pub(crate) fn write_lock(&self, lock: &Lock) -> Result<(), Failure> {
        let Some(path) = &self.lock else { return Ok(()) };
        let text = lock.text();
        if std::fs::read_to_string(path).is_ok_and(|old| old == text) {
            return Ok(());
        }
        write_whole(path, text.as_bytes())
            .map_err(|error| manifests::unusable(path, "write", &error))
    }
}
