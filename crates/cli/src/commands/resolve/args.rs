//! What `hangar resolve` is told.

use std::path::PathBuf;

use clap::Args;

use crate::resolve::how::HowArgs;

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
    /// Manifests and answer as JSON on standard input and output; what cdk8s apps call while they run
    #[arg(long, hide = true, conflicts_with_all = ["files", "out", "explain", "policy", "lint"])]
    pub(super) batch: bool,
    #[command(flatten)]
    pub(super) how: HowArgs,
}

pub(crate) const EXAMPLES: &str = "Examples:
  hangar resolve -f deployment.yaml | kubectl apply -f -
  helm template chart | hangar resolve
  hangar resolve -f k8s/ --out resolved/ --lock hangar.lock
  hangar resolve -f k8s/ --offline --lock hangar.lock
  hangar resolve -f deployment.yaml --explain
  hangar resolve -f dist/ --lint

References:
  ${cfn:STACK/OUTPUT}                         output of a stack
  ${cfn:STACK/LOGICAL-ID}                     physical id (Ref)
  ${cfn:STACK/LOGICAL-ID#ATTRIBUTE}           attribute (Fn::GetAtt)
  ${cfn:STACK/NESTED/LOGICAL-ID#ATTRIBUTE}    the same in a nested stack
  ${tf:STACK/TYPE.NAME#ATTRIBUTE}             Terraform or CDKTF state
  ${tf:STACK/output.NAME}                     output of a state
  ${ucp:GROUP/AWS.EC2/VPC/ALIAS#VpcId}        resource by alias, or by id
  ${expr:BASE64}                              expression, written by tools

The STACK of ${tf:…} may also be a file or a directory, and ref+tfstate://… is read too. No output needs
to be declared for Ref and Fn::GetAtt.

Options follow the reference: ?account=, ?region=, ?role=, ?default=TEXT, ?optional; |int, |number, |bool, |text, |list,
|json, |base64. Write $${cfn:…} where the text itself is meant. docs/references.md has all of it.

Without --aws the AWS of the data directory is asked where there is one, else AWS itself with the
credentials of this machine. Every manifest is resolved, or none is written and the exit code is 1.";
