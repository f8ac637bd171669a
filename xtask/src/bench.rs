//! Runs benchmarks and shows what they print.

use anyhow::Result;

use crate::workspace::{Root, stream};

/// Run the benchmarks, in the release profile
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  cargo xtask bench core\n  cargo xtask bench simulator -- create"
)]
pub(crate) struct Options {
    /// Which benchmarks: `core` is the pure crates, `simulator` the local AWS under load,
    /// `operations` what a put costs
    target: Target,
    /// Passed to the benchmarks, such as a filter
    #[arg(last = true)]
    arguments: Vec<String>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Target {
    Core,
    Simulator,
    Operations,
}

pub(crate) fn run(options: &Options, root: &Root) -> Result<()> {
    let target = match options.target {
        Target::Core => "core",
        Target::Simulator => "simulator",
        Target::Operations => "operations",
    };
    let mut command = root.cargo(&["bench", "--workspace", "--bench", target, "--"]);
    command.args(&options.arguments);
    stream(command)
}
