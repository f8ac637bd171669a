//! AWS's forms of values as a user sees them: the warning, `show`, `diff --learned`, `unlearn`.

use serde_json::json;

use crate::world::{Host, World, hosts};
use crate::{files, run};

const HABIT: &str =
    "AWS::Events::EventBus\t/Description\treplace\t{\"orders of the shop\":\"ORDERS\"}\n";

const PUT: [&str; 8] = [
    "resource",
    "put",
    "AWS.Events/EventBus",
    "--alias",
    "orders",
    "--properties",
    "Name=orders",
    "--properties",
];

#[test]
fn a_learned_form_is_shown_used_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let habits = folder.path().join("habits.tsv");
    std::fs::write(&habits, HABIT).unwrap();
    for host in hosts("a_learned_form_is_shown_used_and_removed") {
        learn(host, &habits.display().to_string());
    }
}

fn learn(host: Host, habits: &str) {
    let world = World::with(host, &["--habits", habits]);
    let put = [&PUT[..], &["Description=orders of the shop"]].concat();
    let created = world.run(&put);
    let warned = String::from_utf8(created.stderr).unwrap();
    assert!(warned.contains("AWS returns /Description in another form"), "{warned}");
    assert!(world.stdout(&put).starts_with("unchanged AWS.Events/EventBus `orders`"));

    let of = ["AWS.Events/EventBus", "orders"];
    let text = world.stdout(&["resource", "show", of[0], of[1]]);
    assert!(text.contains("learned (sent → returned by AWS, taken as equal)"), "{text}");
    assert!(text.contains(r#"/Description: "orders of the shop" → "ORDERS""#), "{text}");

    // The record serves a comparison elsewhere.
    let shown = world.json(&["resource", "show", of[0], of[1]]);
    let desired = json!({"Name": "orders", "Description": "orders of the shop"});
    let live = json!({"Name": "orders", "Description": "ORDERS"});
    let folder =
        files(&[("shown", &shown), ("desired", &desired), ("live", &live), ("odd", &json!([1]))]);
    let path = |name: &str| folder.path().join(format!("{name}.json")).display().to_string();
    let diff = |learned: &str| {
        let (live, desired) = (path("live"), path("desired"));
        let compared = ["diff", "--type", of[0], "--live", &live, "--desired", &desired];
        run(&[&compared[..], &["--exit-code", "--learned", &path(learned)]].concat())
    };
    assert_eq!(diff("desired").status.code(), Some(2));
    let equal = diff("shown");
    assert_eq!(equal.status.code(), Some(0));
    let text = String::from_utf8(equal.stdout).unwrap();
    assert!(text.contains("= /Description: AWS's learned form of the desired value"), "{text}");
    let odd = diff("odd");
    let error = String::from_utf8(odd.stderr).unwrap();
    assert!(error.contains("CLI0062") && error.contains("hangar resource show -o json"), "{error}");

    let refused = world.refused(&["resource", "unlearn", of[0], of[1], "--path", "/Name"]);
    assert!(refused.contains("no form of `/Name` was learned"), "{refused}");
    let removed = world.stdout(&["resource", "unlearn", of[0], of[1], "--path", "/Description"]);
    assert_eq!(removed.trim(), "AWS.Events/EventBus `orders`: 1 learned form forgotten");
    assert!(world.json(&["resource", "show", of[0], of[1]]).get("learned").is_none());
}
