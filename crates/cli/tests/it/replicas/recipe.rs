//! A replica dies in the middle of a recipe's run: what its Terraform made is known to the others when its machine is
//! back.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::deployment::{Deployment, Kind, has_postgres};
use crate::serve::VERSION;
use crate::simulator::Simulator;
use crate::terraform::rig::Binary;

const RECIPE: &str =
    "/planes/radius/local/resourceGroups/g/providers/Hangar.Recipes/recipes/things";

/// Two things, each of which is written down outside when it is made.
const MODULE: &str = r#"
variable "log" { type = string }
resource "terraform_data" "made" {
  count = 2
  input = var.log
  provisioner "local-exec" {
    command = "echo ${count.index} >> '${self.input}'; sleep 2"
  }
}
"#;

fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + Duration::from_mins(2);
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn what_a_replica_was_running_when_it_died_is_ended_once() {
    let test = "what_a_replica_was_running_when_it_died_is_ended_once";
    if !has_postgres(test) || Binary::find_or_skip(test).is_none() {
        return;
    }
    let simulator = Simulator::start(&[]);
    let mut deployment = Deployment::start(Kind::Replicas, simulator.url());
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let mut client = deployment.servers[0].client();
    let group = format!("/planes/radius/local/resourceGroups/g?{VERSION}");
    client.must("PUT", &group, &json!({}));
    let body = json!({"properties": {
        "files": {"main.tf": MODULE}, "parameters": {"log": log.to_str().unwrap()}}});
    let asked = [("prefer", "respond-async")];
    let accepted = client.call("PUT", &format!("{RECIPE}?{VERSION}"), &asked, &body).unwrap();
    assert_eq!(accepted.status, 201, "{}", accepted.body);
    until("nothing was made", || log.exists().then_some(()));
    let runs = |number: usize| -> PathBuf { deployment.folder().join(format!("{number}/recipes")) };
    let is_run = |name: &str| name != "host" && name != "providers";
    let runs_here = |number: usize| {
        let names = std::fs::read_dir(runs(number)).unwrap();
        names.filter(|it| is_run(it.as_ref().unwrap().file_name().to_str().unwrap())).count()
    };
    let driving = usize::from(runs_here(0) == 0);
    assert_eq!((runs_here(driving), runs_here(1 - driving)), (1, 0));
    deployment.servers[driving].kill();
    // The other one has taken over, and waits: that Terraform may still go on.
    std::thread::sleep(Duration::from_secs(12));
    let mut other = deployment.servers[1 - driving].client();
    let waiting = other.must("GET", RECIPE, &Value::Null).body;
    assert_eq!(waiting["properties"]["provisioningState"], "Running", "{waiting}");
    deployment.restart(driving);
    let ended = until("it does not end", || {
        let shown = other.must("GET", RECIPE, &Value::Null).body;
        (shown["properties"]["provisioningState"] != "Running").then_some(shown)
    });
    assert_eq!(ended["properties"]["provisioningState"], "Succeeded", "{ended}");
    let made = std::fs::read_to_string(&log).unwrap();
    let mut made: Vec<&str> = made.lines().collect();
    made.sort_unstable();
    assert_eq!(made, ["0", "1"], "each once");
    let state = &ended["properties"]["state"];
    assert_eq!((state["instances"].as_u64(), &state["lock"]), (Some(2), &Value::Null), "{state}");
}
