//! What `hangar run` does when something is not as it should be.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::app::App;
use crate::hangar;
use crate::resolve::bench::Said;
use crate::resolve::rig::Rig;

const APP: [&str; 2] = ["node", "app.js"];

/// `hangar run ARGUMENTS` with temporary files in a folder; it leaves none there.
fn run(arguments: &[&str]) -> Said {
    let folder = tempfile::tempdir().unwrap();
    let said = command(folder.path(), arguments).output().unwrap().into();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "something was left behind");
    said
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = hangar(&["run"]);
    command.args(arguments).env("TMPDIR", folder).env_remove("NODE_OPTIONS");
    command.env_remove("HANGAR_MODE");
    command
}

#[test]
fn a_command_that_cannot_be_started_is_named() {
    let said = run(&["--", "no-such-program", "synth"]);
    assert_eq!(said.code, Some(1));
    assert!(said.stderr.contains("cannot start `no-such-program`"), "{}", said.stderr);
    assert!(said.stderr.contains("hint: check that it is on the PATH"), "{}", said.stderr);
    assert_eq!(run(&["--"]).code, Some(1));
}

#[test]
fn the_exit_code_of_a_command_is_ours_and_nothing_is_resolved_then() {
    for flags in [&[][..], &["--resolve"], &["--eager"]] {
        for (script, code) in [("exit 7", 7), ("kill -9 $$", 137), ("exit 255", 255)] {
            let said = run(&[flags, &["--", "sh", "-c", script]].concat());
            assert_eq!(said.code, Some(code), "{flags:?} {script}: {}", said.stderr);
            assert_eq!(said.stderr, "", "{flags:?} {script}");
        }
    }
}

#[test]
fn input_and_output_of_the_command_are_ours() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = command(folder.path(), &["--", "cat"]);
    command.stdin(Stdio::from(
        std::fs::File::open(
            file!()
                .rsplit('/')
                .next()
                .map(|it| Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/cdk8s").join(it))
                .unwrap(),
        )
        .unwrap(),
    ));
    let said = Said::from(command.output().unwrap());
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), include_str!("failures.rs")));
}

#[test]
fn a_command_without_an_app_is_told_and_with_resolve_it_is_an_error() {
    let said = run(&["--", "true"]);
    assert_eq!(said.code, Some(0));
    assert!(
        said.stderr.starts_with("note: the command synthesized no cdk8s app"),
        "{}",
        said.stderr
    );
    let said = run(&["--resolve", "--", "true"]);
    assert_eq!(said.code, Some(1));
    assert!(
        said.stderr.contains("error[CLI0038]: the command synthesized no cdk8s app"),
        "{}",
        said.stderr
    );
    assert!(said.stderr.contains("hint: "), "{}", said.stderr);
}

#[test]
fn flags_that_say_how_to_resolve_want_something_to_resolve() {
    let said = run(&["--offline", "--lock", "values.lock", "--", "false"]);
    assert_eq!(said.code, Some(1));
    assert!(said.stderr.contains("requires --resolve or --eager"), "{}", said.stderr);
    assert!(run(&["--resolve", "--eager", "--", "false"]).stderr.contains("cannot be used with"));
    assert_eq!(run(&["--out", "there", "--", "false"]).code, Some(1));
}

#[test]
fn an_interrupt_reaches_the_command_and_nothing_is_resolved_or_left_behind() {
    for (script, code) in [("exit 42", 42), ("exit 0", 130)] {
        let folder = tempfile::tempdir().unwrap();
        let script = format!(
            "trap 'kill $waiting; {script}' INT; tail -f /dev/null >&2 & waiting=$!; echo ready; wait"
        );
        let mut child = command(folder.path(), &["--resolve", "--", "sh", "-c", &script])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        let pid = child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        let said = Said::from(child.wait_with_output().unwrap());
        assert_eq!(said.code, Some(code), "{}", said.stderr);
        assert_eq!(said.stderr, "");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

#[test]
fn where_one_value_cannot_be_had_no_manifest_is_changed() {
    let Some(app) = App::own("where_one_value_cannot_be_had_no_manifest_is_changed") else {
        return;
    };
    app.synthesize(&[], &APP);
    let deferred = app.files("dist");
    // `typed` needs only this stack, `names` others as well.
    app.deploy("cdk.out/Storage.template.json");
    let aws = ["--aws", app.rig.url()];

    let said = app.run(&[&["--resolve"], &aws[..]].concat(), &APP);
    assert_eq!(said.code, Some(1));
    assert_eq!(app.files("dist"), deferred);
    assert!(said.stderr.contains("/data/compute ("), "{}", said.stderr);
    assert!(said.stderr.contains("`Compute`"), "{}", said.stderr);
    assert!(said.stderr.contains("still contain references; do not apply them"), "{}", said.stderr);

    let said = app.run(&[&["--resolve", "--out", "resolved"], &aws[..]].concat(), &APP);
    assert_eq!(said.code, Some(1));
    assert!(!app.path("resolved").exists());

    std::fs::remove_dir_all(app.path("dist")).unwrap();
    let said = app.run(&[&["--eager"], &aws[..]].concat(), &APP);
    assert_ne!(said.code, Some(0));
    assert!(said.stderr.contains("ConfigMap names-map-c8"), "{}", said.stderr);
    assert!(said.stderr.contains("/data/compute ("), "{}", said.stderr);
    assert!(app.files("dist").is_empty());
}

#[test]
fn an_app_that_prints_its_manifests_prints_values_when_they_are_put_in_at_once() {
    let test = "an_app_that_prints_its_manifests_prints_values_when_they_are_put_in_at_once";
    let Some(app) = App::own(test) else { return };
    std::fs::write(app.path("cdk8s.yaml"), "language: typescript\napp: node app.js\n").unwrap();
    app.synthesize(&[], &APP);
    app.deploy("cdk.out");
    app.resolved("dist", "resolved");
    let (aws, prints) = (["--aws", app.rig.url()], ["npx", "cdk8s", "synth", "--stdout"]);
    let said = app.synthesize(&[&["--eager"], &aws[..]].concat(), &prints);
    for text in app.files("resolved").into_values() {
        let text = String::from_utf8(text).unwrap();
        assert!(said.stdout.contains(text.trim()), "{text}\n{}", said.stdout);
    }
    // cdk8s-cli prints the files in the order in which it happens to read them.
    let sorted_lines = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    let eager = sorted_lines(&said.stdout);
    let said = app.synthesize(&[&["--resolve"], &aws[..]].concat(), &prints);
    assert_eq!(sorted_lines(&said.stdout), eager);
}

/// A command that prints what `App.synthYaml` returns, and records it as the hook does.
const PRINTS: &str = r#"echo '{"outdir":"/nowhere","manifests":[],"audit":null}' >>"$HANGAR_SYNTHESIZED"
    echo Synthesizing
    cat printed.yaml"#;

const PRINTED: &str =
    "apiVersion: v1\nkind: ConfigMap\ndata:\n  bucket: ${cfn:Printed/Bucket#Ref}\n";

#[test]
fn a_command_that_prints_its_manifests_prints_values_or_nothing() {
    let rig = Rig::new();
    rig.write("printed.yaml", PRINTED);
    let run = |flags: &[&str], script: &str| -> Said {
        let all = [&["run", "--resolve", "--aws", rig.url()], flags, &["--", "sh", "-c", script]];
        rig.run(&all.concat()).into()
    };
    let said = run(&[], PRINTS);
    assert_eq!((said.code, said.stdout.as_str()), (Some(1), "Synthesizing\n"), "{}", said.stderr);
    assert!(said.stderr.contains("stack `Printed` does not exist"), "{}", said.stderr);
    assert!(said.stderr.contains("is not printed"), "{}", said.stderr);

    let template = json!({"Resources": {"Bucket": {"Type": "AWS::S3::Bucket"}}});
    rig.deploy(&[("Printed", &template)]);
    let bucket = rig.value("${cfn:Printed/Bucket#Ref}");
    let resolved = PRINTED.replace("${cfn:Printed/Bucket#Ref}", bucket.as_str().unwrap());
    let said = run(&[], PRINTS);
    assert_eq!(said.code, Some(0), "{}", said.stderr);
    assert_eq!(said.stdout, format!("Synthesizing\n{resolved}"));

    let said = run(&["-o", "json"], PRINTS);
    let told: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(told["manifests"][0]["text"], resolved);

    // What comes behind a manifest and is no YAML cannot be told from it.
    let said = run(&[], &format!("{PRINTS}; echo done"));
    assert_eq!((said.code, said.stdout.as_str()), (Some(1), "Synthesizing\n"), "{}", said.stderr);
    let said = run(&[], &format!("{PRINTS}; exit 3"));
    assert_eq!((said.code, said.stdout.as_str()), (Some(3), "Synthesizing\n"), "{}", said.stderr);
}

#[test]
fn programs_are_told_what_was_resolved_and_the_command_prints_aside() {
    let test = "programs_are_told_what_was_resolved_and_the_command_prints_aside";
    let Some(app) = App::own(test) else { return };
    app.edit("app.js", |text| format!("{text}console.log('from the app');\n"));
    // A blank in the folder of the hook is nothing that Node may stumble over.
    std::fs::create_dir(app.path("tmp dir")).unwrap();
    let mut synthesis = app.command(&["run", "--", "node", "app.js"]);
    let said = Said::from(synthesis.env("TMPDIR", app.path("tmp dir")).output().unwrap());
    assert_eq!((said.code, said.stdout.as_str()), (Some(0), "from the app\n"), "{}", said.stderr);
    assert!(said.stderr.contains("2 manifests with references"), "{}", said.stderr);
    app.deploy("cdk.out");
    let said = app.synthesize(&["--resolve", "-o", "json", "--aws", app.rig.url()], &APP);
    assert!(said.stderr.contains("from the app\n"), "{}", said.stderr);
    let told: Value = serde_json::from_str(&said.stdout).unwrap();
    let bucket = told["references"].as_array().unwrap().iter();
    let bucket = bucket.filter(|it| it["reference"] == "${cfn:Storage/Bucket#Ref}").count();
    assert!(bucket >= 4, "{told:#}");
    assert_eq!(told["manifests"].as_array().unwrap().len(), 2);
}
