//! The recipes of `examples/recipes`, by the binary itself and with its state in a file: they hold
//! without us, and so do the parts that other tests run them with.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::rig::{ACCOUNT, Binary, Contents, Flavour, Mirror, Moto, Project, aws, aws_provider};

const RECIPES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/recipes");
/// Set for the copy of this program that is killed.
const DOOMED: &str = "HANGAR_TEST_DOOMED_MOTO";

/// A configuration whose one module is a recipe, asked for by a resource of this name.
fn configuration(recipe: &str, name: &str) -> Value {
    let source = Path::new(RECIPES).join(recipe).canonicalize().unwrap();
    json!({
        "module": {"recipe": {"source": source, "context": {"resource": {"name": name}}}},
        "output": {"result": {"value": "${module.recipe.result}", "sensitive": true}},
    })
}

#[test]
fn the_recipe_hello_runs_without_a_cloud() {
    let Some(binary) = Binary::find_or_skip("the_recipe_hello_runs_without_a_cloud") else {
        return;
    };
    let project = Project::of(&binary, &Mirror::empty(), &configuration("hello", "world"));
    let said = project.succeed(&["apply", "-auto-approve"]);
    assert!(said.contains("2 added, 0 changed, 0 destroyed"), "{said}");
    assert!(!said.contains("not a real one"), "a secret is printed: {said}");
    let result = json!({
        "resources": [],
        "values": {"greeting": "hello, world"},
        "secrets": {"password": "not a real one"},
    });
    assert_eq!(project.output("result"), result);
    project.succeed(&["destroy", "-auto-approve"]);
    assert_eq!(project.addresses(), [""; 0]);
}

#[test]
fn the_recipe_network_is_made_on_aws_and_taken_away() {
    let Some((binary, mirror, moto)) = aws("the_recipe_network_is_made_on_aws_and_taken_away")
    else {
        return;
    };
    let started = Instant::now();
    let before = moto.contents();
    let mut configuration = configuration("network", "shop");
    configuration["provider"] = json!({"aws": [aws_provider(moto.url())]});
    let project = Project::of(&binary, &mirror, &configuration);

    project.succeed(&["apply", "-auto-approve"]);
    let values = project.output("result")["values"].clone();
    let only = |text: &str| BTreeSet::from([text.to_owned()]);
    let made = Contents {
        vpcs: only(values["vpc"].as_str().unwrap()),
        subnets: only(values["subnet"].as_str().unwrap()),
        buckets: only("shop-files"),
        roles: only("shop-service"),
        queues: only("shop-jobs"),
    };
    assert_eq!(moto.contents().since(&before), made, "{}", moto.said());
    assert_eq!(values["role"], format!("arn:aws:iam::{ACCOUNT}:role/shop-service"));
    assert_eq!(project.addresses().len(), 6);

    let again = project.run(&["plan", "-detailed-exitcode"]);
    assert_eq!(again.status.code(), Some(0), "{}", String::from_utf8_lossy(&again.stdout));

    project.succeed(&["destroy", "-auto-approve"]);
    assert_eq!(moto.contents(), before, "{}", moto.said());
    assert_eq!(project.addresses(), [""; 0]);
    let name = match binary.flavour {
        Flavour::Terraform => "Terraform",
        Flavour::OpenTofu => "OpenTofu",
    };
    let seconds = started.elapsed().as_secs_f64();
    println!("counted: 6 resources by {name} {} on moto in {seconds:.1} s", binary.version);
}

#[test]
fn moto_is_gone_when_its_process_is_killed() {
    if let Some(path) = std::env::var_os(DOOMED) {
        let moto = Moto::start();
        let part = Path::new(&path).with_extension("part");
        std::fs::write(&part, moto.id().to_string()).unwrap();
        std::fs::rename(&part, &path).unwrap();
        loop {
            std::thread::park();
        }
    }
    if !Moto::is_here() {
        println!(
            "skipped: moto_is_gone_when_its_process_is_killed (no .tools/python; `cargo xtask setup` \
             makes it)"
        );
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let told = folder.path().join("process");
    let mut doomed = Command::new(std::env::current_exe().unwrap())
        .args(["moto_is_gone_when_its_process_is_killed", "--nocapture"])
        .env(DOOMED, &told)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    wait_until("it has started", || told.exists());
    let process = Path::new("/proc").join(std::fs::read_to_string(&told).unwrap());
    assert!(process.exists());
    // SIGKILL: nothing of it runs any more.
    doomed.kill().unwrap();
    doomed.wait().unwrap();
    wait_until("moto is gone", || !process.exists());
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_mins(1), "{what}: not within a minute");
        std::thread::sleep(Duration::from_millis(20));
    }
}
