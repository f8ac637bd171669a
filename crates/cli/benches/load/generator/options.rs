//! What is measured, on what, and for how long.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Parser, ValueEnum};

/// Make a store of many references and measure the release binary on it, over HTTP on loopback
#[derive(Debug, Clone, Parser)]
#[command(
    name = "cargo xtask load",
    disable_version_flag = true,
    after_help = "Examples:\n  cargo xtask load --store sqlite\n  \
                  cargo xtask load --store sqlite --only reads,lists --seconds 5\n  \
                  cargo xtask load --store sqlite --only overload --soak 60 --out load.json\n\n\
                  The filled store stays in target/load and is used again: the first run takes some \
                  minutes, the next ones less."
)]
pub(crate) struct Options {
    /// What the server keeps its rows in
    #[arg(long, value_enum, default_value = "both")]
    pub(crate) store: StoreChoice,
    /// How many references the store has
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub(crate) references: u64,
    /// What is measured, all if not said
    #[arg(long, value_name = "ROW,…", value_enum, value_delimiter = ',')]
    pub(crate) only: Vec<Row>,
    /// How long each measurement lasts
    #[arg(long, value_name = "S", default_value_t = 10.0)]
    pub(crate) seconds: f64,
    /// How many operations are in flight at once
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub(crate) operations: u64,
    /// How many resources the template has
    #[arg(long, value_name = "N", default_value_t = 500)]
    pub(crate) resources: u64,
    /// How many clients overload it
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    pub(crate) clients: usize,
    /// Write the figures to this file too
    #[arg(long, value_name = "FILE.json")]
    pub(crate) out: Option<PathBuf>,
    /// Then load it for so long at half of what it can take, killing the server every minute
    #[arg(long, value_name = "MINUTES")]
    pub(crate) soak: Option<f64>,
    /// Fill the store anew
    #[arg(long)]
    pub(crate) refill: bool,
    /// What the server logs: `info` is what it does where nobody says
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    pub(crate) log_level: String,
    /// Where filled stores are kept
    #[arg(long, value_name = "DIR", default_value = "target/load")]
    pub(crate) folder: PathBuf,
    /// What cargo says to every benchmark
    #[arg(long, hide = true)]
    pub(crate) bench: bool,
}

/// Which stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StoreChoice {
    Sqlite,
    Postgres,
    Both,
}

/// One store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StoreKind {
    Sqlite,
    Postgres,
}

impl StoreKind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
        }
    }

    /// The figure that is asked for on this store.
    pub(crate) const fn choose(self, sqlite: f64, postgres: f64) -> f64 {
        match self {
            Self::Sqlite => sqlite,
            Self::Postgres => postgres,
        }
    }
}

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Row {
    /// Start to serving, idle memory
    #[value(alias = "7")]
    Start,
    /// GET of a reference and of an operation
    #[value(alias = "3")]
    Reads,
    /// Pages of 100, near and deep
    #[value(alias = "5")]
    Lists,
    /// Tracked puts accepted, workers paused
    #[value(alias = "4")]
    Puts,
    /// Many operations in flight within a budget of AWS calls
    #[value(alias = "6")]
    Flight,
    /// A template of many resources: before the network, deployed, and again
    #[value(alias = "8")]
    Deploys,
    /// Five times as many clients as saturate it
    Overload,
    /// A command that reads without a server
    Commands,
}

impl Row {
    /// Whether it is measured on the filled store.
    pub(crate) fn needs_references(self) -> bool {
        !matches!(self, Self::Flight | Self::Deploys)
    }
}

impl Options {
    pub(crate) fn stores(&self) -> Vec<StoreKind> {
        match self.store {
            StoreChoice::Sqlite => vec![StoreKind::Sqlite],
            StoreChoice::Postgres => vec![StoreKind::Postgres],
            StoreChoice::Both => vec![StoreKind::Sqlite, StoreKind::Postgres],
        }
    }

    /// In the order of measuring; what nobody asked for where only a soak was is nothing.
    pub(crate) fn rows(&self) -> Vec<Row> {
        if !self.only.is_empty() {
            return Row::value_variants()
                .iter()
                .copied()
                .filter(|row| self.only.contains(row))
                .collect();
        }
        if self.soak.is_some() { Vec::new() } else { Row::value_variants().to_vec() }
    }

    /// A path that was typed at the root of the repository: cargo starts benchmarks elsewhere.
    pub(crate) fn rooted(path: &Path) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
    }

    pub(crate) fn span(&self) -> Duration {
        Duration::from_secs_f64(self.seconds.max(0.01))
    }
}
