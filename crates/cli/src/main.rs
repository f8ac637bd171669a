//! The one binary: reads what was typed, runs one command, turns its end into an exit code.
//!
//! Exit codes: 0 done, 1 an error (also a wrong command line), 2 changes found, from the commands
//! whose help says so.

#![forbid(unsafe_code)]

mod args;
mod codes;
mod commands;
mod exit;
mod failure;
mod input;
mod printer;
mod render;
mod usage;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use crate::args::Args;
use crate::exit::Exit;
use crate::input::Inputs;
use crate::printer::Printer;

/// It takes about a third off the start of a simulator with 100,000 resources.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    run(&std::env::args_os().collect::<Vec<_>>()).into()
}

fn run(typed: &[OsString]) -> Exit {
    let args = match Args::try_parse_from(typed) {
        Ok(args) => args,
        Err(error) => return usage::answer(&error, typed),
    };
    let mut printer = Printer::new(args.output, args.color);
    let mut inputs = Inputs::default();
    match commands::run(&args.command, &mut printer, &mut inputs) {
        Ok(exit) => exit,
        Err(failure) => printer.fail(&failure),
    }
}
