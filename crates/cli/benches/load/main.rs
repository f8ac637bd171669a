//! The control plane at a million references, and past what it can take: `cargo xtask load`.
//!
//! The release binary serves on loopback in a process of its own, the simulator in another; all that is
//! asked of them goes over HTTP. Absolute figures are told beside a baseline of the same run, and only
//! the ratio to it fails a run: on a shared machine nothing else says much.

#![forbid(unsafe_code)]

mod generator;

use std::process::ExitCode;

use clap::Parser as _;
use generator::options::Options;

fn main() -> ExitCode {
    // `cargo test --all-targets` runs benchmarks too, without this word: there is nothing to test.
    if !std::env::args().any(|argument| argument == "--bench") {
        return ExitCode::SUCCESS;
    }
    generator::run(&Options::parse())
}
