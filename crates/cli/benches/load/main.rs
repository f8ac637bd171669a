//! The control plane at a million references, and past what it can take: `cargo xtask load`.
//!
//! The release binary serves on loopback in a process of its own, the simulator in another; all that is
//! asked of them goes over HTTP. Absolute figures are told beside a baseline of the same run, and only
//! the ratio to it fails a run: on a shared machine nothing else says much.

#![forbid(unsafe_code)]
#![allow(clippy::print_stderr, reason = "an error goes where errors go")]

mod generator;

use std::process::ExitCode;

use clap::Parser as _;
use generator::options::Options;
use generator::report::Weight;

fn main() -> ExitCode {
    // `cargo test --all-targets` runs benchmarks too, without this word: there is nothing to test.
    if !std::env::args().any(|argument| argument == "--bench") {
        return ExitCode::SUCCESS;
    }
    match generator::measure(&Options::parse()) {
        Ok(report)
            if [Weight::Gate, Weight::Must].iter().all(|it| report.failed(*it).is_empty()) =>
        {
            ExitCode::SUCCESS
        }
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
