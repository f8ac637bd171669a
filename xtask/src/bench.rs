//! Runs benchmarks and shows what they print.

use anyhow::Result;

use crate::workspace::{Root, stream};

/// Run the benchmarks in the release profile
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  cargo xtask bench core\n  cargo xtask bench simulator -- create\n  cargo xtask bench cdk8s"
)]
pub(crate) struct Options {
    /// Benchmarks to run: `core` (pure crates), `simulator` (local AWS under load), `operations` (cost of a put),
    /// `cdk8s` (synthesis with values, compared with the published resolvers)
    target: Target,
    /// Arguments for the benchmarks, such as a filter
    #[arg(last = true)]
    arguments: Vec<String>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Target {
    Core,
    Simulator,
    Operations,
    Cdk8s,
}

/// Where the published resolvers are installed.
const PUBLISHED: &str = ".tools/published";

pub(crate) fn run(options: &Options, root: &Root) -> Result<()> {
    let target = match options.target {
        Target::Core => "core",
        Target::Simulator => "simulator",
        Target::Operations => "operations",
        Target::Cdk8s => return cdk8s(root),
    };
    let mut command = root.cargo(&["bench", "--workspace", "--bench", target, "--"]);
    command.args(&options.arguments);
    stream(command)
}

/// It installs what it compares with, and measures the program as users have it.
fn cdk8s(root: &Root) -> Result<()> {
    stream(root.cargo(&["build", "--release", "--package", "hangar"]))?;
    let mut node = root.command("node", &["npm/bench/compare.mjs"]);
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    node.env("HANGAR_BIN", root.join(target).join("release/hangar"));
    node.env("BENCH_TOOLS", root.join(PUBLISHED));
    stream(node)
}
