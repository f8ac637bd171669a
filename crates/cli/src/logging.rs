//! What a server writes down while it runs: lines on stderr, for people or for programs.

use std::io::{self, IsTerminal as _};

use clap::ValueEnum;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::Layer as _;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// How a line looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// Text lines
    Text,
    /// One JSON object per line
    Json,
}

/// How much is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogLevel {
    /// Only errors
    Error,
    /// Errors and warnings
    Warn,
    /// Also requests and operations
    Info,
    /// Also details for diagnosis
    Debug,
    /// Everything
    Trace,
}

/// Starts writing; until then, and in commands that never call it, nothing is written.
pub(crate) fn start(format: LogFormat, level: LogLevel) -> anyhow::Result<()> {
    let level = match level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    // Of others' crates only what matters: they tell of every byte.
    let filter =
        Targets::new().with_default(level.min(LevelFilter::WARN)).with_target("hangar", level);
    let layer = tracing_subscriber::fmt::layer().with_writer(io::stderr);
    let layer = match format {
        LogFormat::Text => layer.with_ansi(io::stderr().is_terminal()).boxed(),
        LogFormat::Json => layer.json().flatten_event(true).boxed(),
    };
    tracing_subscriber::registry().with(layer.with_filter(filter)).try_init()?;
    Ok(())
}
