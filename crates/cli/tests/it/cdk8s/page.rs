//! docs/cdk8s.md, held to: its commands are run, and print what it shows.

use std::os::unix::fs::symlink;
use std::process::Command;

use super::app::{App, copy_example, has_python};
use crate::docs::{is_as_shown, session};
use crate::resolve::bench::Said;
use crate::terraform::rig::Binary;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/cdk8s.md");
/// What stands between two answers of a session.
const BETWEEN: char = '\u{1e}';
/// The page has the program on the path.
const BEFORE: &str = "PATH=\"$(pwd)/bin:$PATH\"\n";

/// A copy of the examples, with the packages in them and the program beside.
fn bench(test: &str) -> Option<App> {
    let app = App::new(test)?;
    std::fs::create_dir(app.path("bin")).unwrap();
    symlink(env!("CARGO_BIN_EXE_hangar"), app.path("bin/hangar")).unwrap();
    for example in ["aws", "cdktf", "python"] {
        let folder = app.path("examples/cdk8s").join(example);
        std::fs::create_dir_all(&folder).unwrap();
        copy_example(example, &folder);
        symlink(app.path("node_modules"), folder.join("node_modules")).unwrap();
    }
    Some(app)
}

/// Runs what is under a heading, and compares each answer.
fn check(app: &App, heading: &str, commands: usize) {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let part = page.split_once(&format!("\n## {heading}\n")).unwrap().1;
    let part = part.split("\n## ").next().unwrap();
    let steps = session(part);
    assert_eq!(steps.len(), commands, "{heading}");
    let script: Vec<String> =
        steps.iter().map(|(it, _)| format!("{it}\nprintf '{BETWEEN}'\n")).collect();
    let mut sh = Command::new("sh");
    sh.args(["-c", &format!("{BEFORE}{}", script.concat())]).current_dir(app.rig.path());
    for (name, value) in app.command(&[]).get_envs() {
        match value {
            Some(value) => sh.env(name, value),
            None => sh.env_remove(name),
        };
    }
    let said = Said::from(sh.output().unwrap());
    let found: Vec<&str> = said.stdout.split(BETWEEN).collect();
    assert_eq!(found.len(), steps.len() + 1, "{found:#?}\n{}", said.stderr);
    for ((commands, shown), found) in steps.iter().zip(found) {
        let told = format!("{commands}\nshown:\n{shown}\nfound:\n{found}\n{}", said.stderr);
        assert!(is_as_shown(found, shown), "{told}");
    }
}

#[test]
fn an_app_of_the_aws_cdk_goes_as_the_page_shows() {
    let Some(app) = bench("an_app_of_the_aws_cdk_goes_as_the_page_shows") else { return };
    check(&app, "Two minutes, without an account", 2);
    check(&app, "Choose a command", 1);
    check(&app, "Refused tokens", 1);
}

#[test]
fn an_app_of_cdktf_goes_as_the_page_shows() {
    let test = "an_app_of_cdktf_goes_as_the_page_shows";
    let Some(binary) = Binary::find_or_skip(test) else { return };
    let Some(app) = bench(test) else { return };
    symlink(&binary.path, app.path("bin/terraform")).unwrap();
    check(&app, "CDKTF and CDK Terrain", 1);
}

#[test]
fn an_app_in_python_goes_as_the_page_shows() {
    let test = "an_app_in_python_goes_as_the_page_shows";
    let Some(app) = bench(test).filter(|_| has_python(test)) else { return };
    check(&app, "Python", 1);
}
