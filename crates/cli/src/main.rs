//! The one binary: reads what was typed, runs one command, turns its end into an exit code.
//!
//! Exit codes: 0 done, 1 an error (also a wrong command line), 2 changes found, from the commands
//! whose help says so, or no command given. `hangar run` ends as the command that it runs.

#![forbid(unsafe_code)]

mod args;
mod aws;
mod client;
mod codes;
mod commands;
mod connection;
mod control_plane;
mod embedded;
mod exit;
mod failure;
mod follow;
mod help;
mod input;
mod logging;
mod pack;
mod printer;
mod render;
mod resolve;
mod run;
mod session;
mod store_at;
mod template;
mod terraform_host;
mod usage;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::FromArgMatches as _;

use crate::args::Args;
use crate::connection::{Environment, Variables};
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
    let parsed = help::command_line()
        .try_get_matches_from(typed)
        .and_then(|matches| Args::from_arg_matches(&matches));
    let args = match parsed {
        Ok(args) => args,
        Err(error) => return usage::answer(&error, typed),
    };
    let mut printer = Printer::new(args.output, args.color);
    let mut inputs = Inputs::default();
    let environment = environment();
    match commands::run(&args.command, &environment, &mut printer, &mut inputs) {
        Ok(exit) => {
            printer.finish();
            exit
        }
        Err(failure) => printer.fail(&failure),
    }
}

/// All of the environment that commands may know. A variable that is empty is not set.
fn environment() -> Environment {
    let variable = |name| std::env::var_os(name).filter(|value: &OsString| !value.is_empty());
    Environment {
        server: variable("HANGAR_SERVER").map(|value| value.to_string_lossy().into_owned()),
        data_dir: variable("HANGAR_DATA_DIR").map(PathBuf::from),
        store: variable("HANGAR_STORE").map(|value| value.to_string_lossy().into_owned()),
        working_directory: std::env::current_dir().unwrap_or_default(),
        variables: Variables::new(std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        })),
        #[cfg(debug_assertions)]
        die_at: variable("HANGAR_DIE_AT").map(|value| value.to_string_lossy().into_owned()),
    }
}
