//! Schemathesis against `hangar serve` and the document that it gives out.

use std::path::Path;
use std::process::{Command, Stdio};

use super::{PYTHON, SCRIPTS, STAMP};
use crate::deployment::{Deployment, Kind, kinds};
use crate::simulator::Simulator;

/// Cases for each route; with `--full` as many as make a hundred thousand of them.
const FEW: &str = "8";
const MANY: &str = "2500";

#[test]
fn schemathesis_finds_no_difference_between_the_server_and_its_document() {
    if !Path::new(STAMP).exists() {
        println!(
            "skipped: schemathesis_finds_no_difference_between_the_server_and_its_document (no \
             .tools/python; `cargo xtask setup` makes it)"
        );
        return;
    }
    for kind in kinds("schemathesis_finds_no_difference_between_the_server_and_its_document") {
        compare(kind);
    }
}

fn compare(kind: Kind) {
    let is_full = std::env::var_os("HANGAR_TEST_FULL").is_some();
    let simulator = Simulator::start(&[]);
    let server = Deployment::start(kind, simulator.url());
    // It finds this server and nothing else: no configuration and no proxy of the machine.
    let output = Command::new(PYTHON)
        .arg(Path::new(SCRIPTS).join("openapi.py"))
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .env("HOME", simulator.folder())
        .env("HANGAR_API_URL", server.url())
        .env("HANGAR_API_TOKEN", server.token())
        .env("HANGAR_EXAMPLES", if is_full { MANY } else { FEW })
        .env("PYTHONUTF8", "1")
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let (stdout, said) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let log = server.said();
    let log: Vec<&str> = log.lines().filter(|line| !line.contains(" INFO ")).collect();
    let (status, log) = (output.status, log.join("\n"));
    assert!(status.success(), "{status}\n{stdout}{said}--- the server\n{log}");
    let ran = said.lines().find_map(|line| line.strip_prefix("Ran ")?.split_once(" test"));
    let (count, _) = ran.unwrap_or_else(|| panic!("it ran no case:\n{stdout}{said}"));
    assert!(count.parse::<u32>().unwrap() > 1000, "{count} cases are too few");
    assert!(!log.contains("panicked"), "{log}");
    println!("counted: {count} cases of schemathesis on {kind:?}");
}
