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
    /// Keep the values here, secrets left out, and tell which have changed
    #[arg(long, value_name = "FILE")]
    pub(crate) lock: Option<PathBuf>,
    /// Ask nobody: all values come from --lock
    #[arg(long, requires = "lock")]
    pub(crate) offline: bool,
    /// A program that is offered every value as a line of JSON and keeps or replaces it; may be given several
    /// times, each is offered what the one before it left
    #[arg(long, value_name = "CMD")]
    pub(crate) resolver: Vec<String>,
    /// Where the Terraform state of a name in `${tf:NAME/…}` is: a state file or a directory; may be given
    /// several times
    #[arg(long, value_name = "NAME=PATH")]
    pub(crate) state: Vec<String>,
    /// A CDK assembly (`cdk.out`) that says in which account and region its stacks are, and by which role they are
    /// read; may be given several times
    #[arg(long, value_name = "DIR")]
    pub(crate) assembly: Vec<PathBuf>,
    /// Wait for stacks that are being changed, so long at most; half an hour where no time is said
    #[arg(long, value_name = "TIME", num_args = 0..=1, default_missing_value = "30m", value_parser = parse_span)]
    pub(crate) wait: Option<Duration>,
    /// Use stacks whose last update was rolled back, as they were before it
    #[arg(long)]
    pub(crate) allow_rolled_back: bool,
    /// Let secrets stand outside of objects of kind Secret
    #[arg(long)]
    pub(crate) allow_secrets: bool,
    /// Leave raw tokens of the AWS CDK and CDKTF in the manifests
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
