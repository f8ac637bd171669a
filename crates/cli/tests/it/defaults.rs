//! Defaults of commands: where state is kept, and which deployment a template has.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::hangar;
use crate::place::Place;
use crate::serving::Server;
use crate::simulator::Simulator;
use crate::world::World;

fn queue(alias: &str) -> String {
    format!(
        "extension aws\n\nresource it 'AWS.SQS/Queue@default' = {{\n  alias: '{alias}'\n  properties: {{\n    \
         QueueName: '{alias}'\n  }}\n}}\n\noutput url string = it.properties.QueueUrl\n"
    )
}

fn write(place: &Place, path: &str, text: &str) {
    let path = place.path().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A command in a folder of the place.
fn within(place: &Place, folder: &str, arguments: &[&str]) -> Output {
    let folder = place.path().join(folder);
    fs::create_dir_all(&folder).unwrap();
    let mut command: Command = hangar(arguments);
    command.current_dir(folder).output().unwrap()
}

fn stdout(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The queues that exist.
fn queues(world: &World) -> usize {
    let found = world.json(&["resource", "discover", "AWS.SQS/Queue", "--mapped"]);
    found["resources"].as_array().unwrap().len()
}

/// The data directories below a folder.
fn data_dirs(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.ends_with(".hangar") {
                found.push(path.strip_prefix(folder).unwrap().display().to_string());
            } else if path.is_dir() {
                open.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn a_template_that_is_deployed_from_two_folders_makes_nothing_twice() {
    for (repository, expected) in [(None, "network/.hangar"), (Some(".git"), ".hangar")] {
        let (place, simulator) = (Place::new(), Simulator::start(&[]));
        if let Some(name) = repository {
            fs::create_dir(place.path().join(name)).unwrap();
        }
        write(&place, "network/main.bicep", &queue("jobs"));
        let aws = ["--aws", simulator.url()];
        let deploy = |folder: &str, file: &str| {
            within(&place, folder, &[&["deploy", file, "-o", "json"][..], &aws].concat())
        };
        stdout(&deploy("", "network/main.bicep"));
        stdout(&deploy("sub", "../network/main.bicep"));
        stdout(&deploy("network", "main.bicep"));
        assert_eq!(data_dirs(place.path()), [expected]);
        let listed = stdout(&within(
            &place,
            "network",
            &[&["resource", "discover", "AWS.SQS/Queue", "--mapped", "-o", "json"][..], &aws]
                .concat(),
        ));
        let listed: Value = serde_json::from_str(&listed).unwrap();
        assert_eq!(listed["resources"].as_array().map(Vec::len), Some(1), "{listed}");
    }
}

#[test]
fn a_new_data_directory_for_an_aws_that_is_no_simulator_is_announced() {
    let (place, simulator) = (Place::new(), Simulator::start(&[]));
    write(&place, "main.bicep", &queue("jobs"));
    let deploy = |aws: &[&str]| {
        let output = place.run(&[&["deploy", "main.bicep"][..], aws].concat());
        stdout(&output);
        String::from_utf8(output.stderr).unwrap()
    };
    let said = deploy(&["--aws", simulator.url()]);
    assert!(said.contains("note: created the data directory /"), "{said}");
    assert!(!deploy(&[]).contains("created the data directory"));
    let built_in = Place::new();
    write(&built_in, "main.bicep", &queue("jobs"));
    let output = built_in.run(&["deploy", "main.bicep"]);
    assert!(!String::from_utf8_lossy(&output.stderr).contains("created the data directory"));
}

/// Deploys a template from standard input, in a folder of the place.
fn deploy_input(place: &Place, folder: &str, name: &str, text: &str, more: &[&str]) {
    use std::io::Write as _;
    use std::process::Stdio;
    let folder = place.path().join(folder);
    fs::create_dir_all(&folder).unwrap();
    let mut command = hangar(&[&["deploy", "-", "--name", name][..], more].concat());
    command.current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
}

#[test]
fn standard_input_has_its_state_in_the_working_directory() {
    let place = Place::new();
    fs::create_dir(place.path().join(".git")).unwrap();
    deploy_input(&place, "sub", "app", &queue("jobs"), &[]);
    assert_eq!(data_dirs(place.path()), ["sub/.hangar"]);
}

#[test]
fn two_files_of_one_name_are_two_deployments() {
    let world = World::new();
    write(&world.place, "network/main.bicep", &queue("net"));
    write(&world.place, "service/main.bicep", &queue("app"));
    world.stdout(&["deploy", "network/main.bicep"]);
    let deployed = world.stdout(&["deploy", "service/main.bicep"]);
    assert!(!deployed.contains("left"), "{deployed}");
    let names: Vec<Value> = world
        .json(&["deployment", "list"])
        .as_array()
        .unwrap()
        .iter()
        .map(|it| json!([it["name"], it["properties"]["templatePath"]]))
        .collect();
    assert_eq!(
        names,
        [
            json!(["network-main", "network/main.bicep"]),
            json!(["service-main", "service/main.bicep"])
        ]
    );
    world.stdout(&["destroy", "service/main.bicep", "--yes"]);
    assert_eq!(queues(&world), 1);
    assert_eq!(world.run(&["plan", "network/main.bicep"]).status.code(), Some(0));
}

#[test]
fn two_files_outside_of_the_project_are_two_deployments() {
    let world = World::new();
    write(&world.place, "work/.hangar/.keep", "");
    write(&world.place, "network/main.bicep", &queue("net"));
    write(&world.place, "service/main.bicep", &queue("app"));
    let url = world.simulator.url().to_owned();
    let run = |arguments: &[&str]| {
        let data_dir = ["--data-dir", "work/.hangar", "--aws", &url];
        stdout(&within(&world.place, "", &[arguments, &data_dir].concat()))
    };
    run(&["deploy", "network/main.bicep"]);
    let deployed = run(&["deploy", "service/main.bicep"]);
    assert!(!deployed.contains("left"), "{deployed}");
    let listed: Value = serde_json::from_str(&run(&["deployment", "list", "-o", "json"])).unwrap();
    let names = listed.as_array().unwrap().iter();
    let names: Vec<Value> =
        names.map(|it| json!([it["name"], it["properties"]["templatePath"]])).collect();
    assert_eq!(
        names,
        [
            json!(["network-main", "../network/main.bicep"]),
            json!(["service-main", "../service/main.bicep"])
        ]
    );
    run(&["destroy", "service/main.bicep", "--yes"]);
    let network = run(&["plan", "network/main.bicep"]);
    assert!(network.contains("no changes"), "{network}");
}

#[test]
fn two_files_that_nothing_tells_apart_by_name_do_not_share_a_deployment() {
    let place = Place::new();
    write(&place, "network/main.bicep", &queue("net"));
    write(&place, "service/main.bicep", &queue("app"));
    // A server with a token file has no data directory here.
    let home = Place::new();
    let server = Server::start(&home, &[]);
    let token = home.file("token");
    let reach = ["--server", server.url(), "--token-file", token.to_str().unwrap()];
    let run = |arguments: &[&str]| within(&place, "", &[arguments, &reach].concat());
    stdout(&run(&["deploy", "network/main.bicep"]));
    let refused = run(&["deploy", "service/main.bicep"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(said.contains("deployment `main` belongs to the template `/"), "{said}");
    assert!(said.contains("--name NAME"), "{said}");
    // A chosen name holds for every path.
    stdout(&run(&["deploy", "service/main.bicep", "--name", "service"]));
    fs::rename(place.path().join("service"), place.path().join("moved")).unwrap();
    stdout(&run(&["deploy", "moved/main.bicep", "--name", "service"]));
    stdout(&run(&["destroy", "network/main.bicep", "--yes"]));
}

#[test]
fn the_name_of_another_template_is_refused_with_the_way_out() {
    let world = World::new();
    write(&world.place, "a.bicep", &queue("one"));
    write(&world.place, "b.bicep", &queue("two"));
    world.stdout(&["deploy", "a.bicep", "--name", "app"]);
    for command in ["deploy", "plan"] {
        let said = world.refused(&[command, "b.bicep", "--name", "app"]);
        assert!(said.contains("belongs to the template `a.bicep`, not to `b.bicep`"), "{said}");
        assert!(said.contains("--name NAME") && said.contains("--take-over"), "{said}");
    }
    assert_eq!(queues(&world), 1);
    world.stdout(&["deploy", "b.bicep", "--name", "app", "--take-over"]);
    assert_eq!(queues(&world), 2);
    world.refused(&["deploy", "a.bicep", "--name", "app"]);
}

#[test]
fn destroy_finds_the_deployment_of_a_parameters_file() {
    let world = World::new();
    write(&world.place, "main.bicep", &format!("param unused string\n{}", queue("jobs")));
    write(&world.place, "dev.bicepparam", "using 'main.bicep'\nparam unused = 'x'\n");
    world.stdout(&["deploy", "dev.bicepparam"]);
    assert_eq!(queues(&world), 1);
    let said = world.refused(&["destroy", "dev", "--yes"]);
    assert!(said.contains("deployment `dev` does not exist in group `default`"), "{said}");
    assert!(said.contains("deployments of the group: `main`"), "{said}");
    assert_eq!(queues(&world), 1);
    let kept = world.stdout(&["destroy", "dev", "--yes", "--if-exists"]);
    assert_eq!(kept, "deployment `dev` does not exist; nothing to destroy\n");
    world.stdout(&["destroy", "dev.bicepparam", "--yes"]);
    assert_eq!(queues(&world), 0);
}

#[test]
fn destroy_finds_the_deployment_that_a_template_was_given_another_name_for() {
    let world = World::new();
    write(&world.place, "main.bicep", &queue("jobs"));
    world.stdout(&["deploy", "main.bicep", "--name", "blue"]);
    world.stdout(&["destroy", "main.bicep", "--yes"]);
    assert_eq!(queues(&world), 0);
}

#[test]
fn a_deployment_of_release_0_1_0_keeps_its_name() {
    let world = World::new();
    // Like the old release, standard input records no path of a template.
    deploy_input(&world.place, "", "main", &queue("jobs"), &[]);
    write(&world.place, "network/main.bicep", &queue("jobs"));
    write(&world.place, "service/main.bicep", &queue("app"));
    world.stdout(&["deploy", "service/main.bicep"]);
    world.stdout(&["deploy", "network/main.bicep"]);
    let listed = world.json(&["deployment", "list"]);
    let names: Vec<&Value> = listed.as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["main", "service-main"]);
    assert_eq!(queues(&world), 2);
    world.stdout(&["destroy", "network/main.bicep", "--yes"]);
    assert_eq!(queues(&world), 1);
}
