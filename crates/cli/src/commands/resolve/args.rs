//! What `hangar resolve` is told.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use hangar_diag::Diagnostic;
use hangar_manifest::resolve::{Lock, codes};
use hangar_simulator::core::time::parse_span;

use crate::connection::{ConnectionArgs, Environment};
use crate::failure::Failure;
use crate::resolve::manifests::{self, write_whole};
use crate::resolve::states::StateAsk;

/// Which manifests, and how.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct ResolveArgs {
    /// Manifests: files, directories (their `.yaml`, `.yml` and `.json` files), or `-` for standard input
    #[arg(short = 'f', long = "filename", value_name = "FILE", num_args = 1.., default_value = "-")]
    pub(super) files: Vec<PathBuf>,
    /// Look into the directories in a directory, too
    #[arg(short = 'R', long)]
    pub(super) recursive: bool,
    /// Write each manifest into this directory, under its own name; without it, all go to standard output
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Show how each value is come by, and not the manifests
    #[arg(long, conflicts_with_all = ["out", "policy", "lint"])]
    pub(super) explain: bool,
    /// Print the least IAM policy that these references need, and not the manifests
    #[arg(long, conflicts_with_all = ["out", "lint", "offline"])]
    pub(super) policy: bool,
    /// Only look for raw tokens of the AWS CDK and CDKTF, and for references that are none; nobody is asked
    #[arg(long, conflicts_with_all = ["out", "offline", "lock", "resolver"])]
    pub(super) lint: bool,
    /// Keep the values here, secrets left out, and tell which have changed
    #[arg(long, value_name = "FILE")]
    pub(super) lock: Option<PathBuf>,
    /// Ask nobody: all values come from --lock
    #[arg(long, requires = "lock")]
    pub(super) offline: bool,
    /// A program that is offered every value as a line of JSON and keeps or replaces it; may be given several
    /// times, each is offered what the one before it left
    #[arg(long, value_name = "CMD")]
    pub(super) resolver: Vec<String>,
    /// Where the Terraform state of a name in `${tf:NAME/…}` is: a state file or a directory; may be given
    /// several times
    #[arg(long, value_name = "NAME=PATH")]
    pub(crate) state: Vec<String>,
    /// A CDK assembly (`cdk.out`) that says in which account and region its stacks are, and by which role they are
    /// read; may be given several times
    #[arg(long, value_name = "DIR")]
    pub(super) assembly: Vec<PathBuf>,
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
    pub(super) allow_unresolved: bool,
    #[command(flatten)]
    pub(super) connection: ConnectionArgs,
}

pub(crate) const EXAMPLES: &str = "Examples:
  hangar resolve -f deployment.yaml | kubectl apply -f -
  helm template chart | hangar resolve
  hangar resolve -f k8s/ --out resolved/ --lock hangar.lock
  hangar resolve -f k8s/ --offline --lock hangar.lock
  hangar resolve -f deployment.yaml --explain
  hangar resolve -f dist/ --lint

References:
  ${cfn:STACK/OUTPUT}                         an output that the stack declares
  ${cfn:STACK/LOGICAL-ID}                     what Ref gives: the physical id of a resource
  ${cfn:STACK/LOGICAL-ID#ATTRIBUTE}           what Fn::GetAtt gives; no output need be declared
  ${cfn:STACK/NESTED/LOGICAL-ID#ATTRIBUTE}    of a nested stack
  ${tf:STACK/TYPE.NAME#ATTRIBUTE}             of a Terraform or CDKTF state; also a file or a directory
  ${tf:STACK/output.NAME}                     an output of a state
  ${ucp:GROUP/AWS.EC2/VPC/ALIAS#VpcId}        of a resource by its alias; also by its whole id
  ${expr:BASE64}                              an expression, written by tools; ref+tfstate://… is read too
Behind them: ?account=, ?region=, ?role=, ?default=TEXT, ?optional; |int, |number, |bool, |text, |list,
|json, |base64. Write $${cfn:…} where the text itself is meant. docs/references.md has all of it.

Without --aws the AWS of the data directory is asked where there is one, else AWS itself with the
credentials of this machine. Every manifest is resolved, or none is written and the exit code is 1.";

impl ResolveArgs {
    /// The lock as it is; none where there is none yet.
    pub(super) fn old_lock(&self) -> Result<Option<Lock>, Failure> {
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
    pub(super) fn states(&self, environment: &Environment) -> Result<StateAsk, Failure> {
        StateAsk::new(&self.state, Path::new("."), &environment.variables)
    }

    pub(super) fn no_lock(&self) -> Failure {
        let path = self.lock.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        Diagnostic::error(codes::NOT_LOCKED, format!("there is no lock `{path}`"))
            .hint("run once without --offline to write it")
            .into()
    }

    /// Writes the lock, if one is kept and it differs.
    pub(super) fn write_lock(&self, lock: &Lock) -> Result<(), Failure> {
        let Some(path) = &self.lock else { return Ok(()) };
        let text = lock.text();
        if std::fs::read_to_string(path).is_ok_and(|old| old == text) {
            return Ok(());
        }
        write_whole(path, text.as_bytes())
            .map_err(|error| manifests::unusable(path, "write", &error))
    }
}
