//! A little of every measurement of `cargo xtask load`, so that the generator cannot rot; nothing is
//! held to a figure.

#[path = "../../benches/load/generator/mod.rs"]
mod generator;

use clap::Parser as _;
use generator::options::Options;
use generator::report::Weight;

#[test]
fn the_load_generator_measures_every_row_and_the_soak_finds_nothing_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().display().to_string();
    let small =
        ["--references", "400", "--operations", "20", "--clients", "20", "--seconds", "0.3"];
    let all = ["--only", "start,reads,lists,puts,flight,overload,commands", "--soak", "0.03"];
    let mut arguments = vec!["load", "--store", "sqlite", "--folder", &folder];
    arguments.extend(small.into_iter().chain(all));
    let report = generator::measure(&Options::parse_from(arguments)).unwrap();
    assert_eq!(report.failed(Weight::Must), Vec::<String>::new());
}
