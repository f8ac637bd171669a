//! The project's own chores. Nothing here ships.

#![forbid(unsafe_code)]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a chore talks to its developer; only what ships goes through a printer"
)]

mod apt;
mod bench;
mod book;
mod conformance;
mod edges;
mod fuzz;
mod licences;
mod load;
mod node;
mod postgresql;
mod prose;
mod purity;
mod python;
mod schemas;
mod setup;
mod simulate;
mod terraform;
mod terraform_tables;
mod test;
mod truth;
mod words;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::workspace::Root;

#[derive(Parser)]
#[command(
    name = "cargo xtask",
    about = "Developer commands of this repository",
    disable_version_flag = true,
    after_help = "Examples:\n  cargo xtask test\n  cargo xtask schemas --check"
)]
struct Chores {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    Test(test::Options),
    Setup(setup::Options),
    Schemas(schemas::Options),
    TerraformTables(terraform_tables::Options),
    Bench(bench::Options),
    Load(load::Options),
    Simulate(simulate::Options),
    Fuzz(fuzz::Options),
    Conformance(conformance::Options),
    /// Check the language of all texts for users
    #[command(after_help = "Example:\n  cargo xtask words")]
    Words,
    /// Check the links of the documentation, and build it with mdBook
    #[command(after_help = "Example:\n  cargo xtask book")]
    Book,
    Truth(truth::Options),
}

fn main() -> ExitCode {
    let chores = Chores::parse();
    match Root::find().and_then(|root| perform(&chores.chore, &root)) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn perform(chore: &Chore, root: &Root) -> anyhow::Result<ExitCode> {
    match chore {
        Chore::Test(options) => return Ok(test::run(options, root)),
        Chore::Conformance(options) => return conformance::run(options, root),
        Chore::Truth(options) => return truth::run(options, root),
        Chore::Load(options) => return load::run(options, root),
        Chore::Simulate(options) => return simulate::run(options, root),
        Chore::Setup(options) => setup::run(options, root)?,
        Chore::Schemas(options) => schemas::run(options, root)?,
        Chore::TerraformTables(options) => terraform_tables::run(options, root)?,
        Chore::Bench(options) => bench::run(options, root)?,
        Chore::Fuzz(options) => fuzz::run(options, root)?,
        Chore::Words => println!("{}", words::check(root)?),
        Chore::Book => println!("{}", book::check(root)?),
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        super::Chores::command().debug_assert();
    }
}
