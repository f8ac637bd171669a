//! What `hangar resolve` is told.

use std::path::PathBuf;

use clap::Args;

use crate::resolve::how::HowArgs;

/// Which manifests, and how.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct ResolveArgs {
    /// Manifest files or folders
    ///
    /// `-` reads standard input. Of a folder, the files with the endings `.yaml`, `.yml` and
    /// `.json` are read.
    #[arg(short = 'f', long = "filename", value_name = "FILE", num_args = 1.., default_value = "-")]
    pub(super) files: Vec<PathBuf>,
    /// Read folders recursively
    #[arg(short = 'R', long)]
    pub(super) recursive: bool,
    /// Folder for the manifests [default: standard output]
    ///
    /// Each manifest keeps its file name.
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Show how each value is found, not the manifests
    #[arg(long, conflicts_with_all = ["out", "policy", "lint"])]
    pub(super) explain: bool,
    /// Print the least IAM policy for these references
    #[arg(long, conflicts_with_all = ["out", "lint", "offline"])]
    pub(super) policy: bool,
    /// Check for raw tokens and malformed references
    ///
    /// Finds tokens of the AWS CDK and CDKTF that are not references. It makes no network calls.
    #[arg(long, conflicts_with_all = ["out", "offline", "lock", "resolver"])]
    pub(super) lint: bool,
    /// Read and write manifests as JSON, for cdk8s apps that run
    #[arg(long, hide = true, conflicts_with_all = ["files", "out", "explain", "policy", "lint"])]
    pub(super) batch: bool,
    #[command(flatten)]
    pub(super) how: HowArgs,
}

pub(crate) const DESCRIPTION: &str = "\
Reads manifests, and writes the same text with values instead of references. If one reference
cannot be resolved, nothing is written.

References:
  ${cfn:STACK/OUTPUT}                         output of a stack
  ${cfn:STACK/LOGICAL-ID}                     physical id (Ref)
  ${cfn:STACK/LOGICAL-ID#ATTRIBUTE}           attribute (Fn::GetAtt)
  ${cfn:STACK/NESTED/LOGICAL-ID#ATTRIBUTE}    the same in a nested stack
  ${tf:STATE/TYPE.NAME#ATTRIBUTE}             Terraform or CDKTF state
  ${tf:STATE/output.NAME}                     output of a state
  ${ucp:GROUP/AWS.EC2/VPC/ALIAS#VpcId}        resource by alias, or by id
  ${expr:BASE64}                              expression, written by tools

Options and filters follow a reference: ?account=, ?region=, ?role=, ?default=TEXT, ?optional;
|int, |number, |bool, |text, |list, |json, |base64. STATE can also be a file or a directory.
`ref+tfstate://…` is read too. Write $${cfn:…} for the literal text. Ref and Fn::GetAtt need no
declared output. docs/references.md describes all of this.

Without --aws, credentials in the environment select AWS itself. Otherwise the AWS of the nearest
data directory is used, if there is one. docs/aws.md describes all rules.";

pub(crate) const EXAMPLES: &str = "Examples:
  hangar resolve -f deployment.yaml | kubectl apply -f -
  helm template chart | hangar resolve
  hangar resolve -f k8s/ --out resolved/ --lock hangar.lock
  hangar resolve -f k8s/ --offline --lock hangar.lock
  hangar resolve -f deployment.yaml --explain
  hangar resolve -f dist/ --lint

Exit codes:
  0  all manifests were resolved
  1  error; nothing was written";
