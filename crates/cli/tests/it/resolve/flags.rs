//! What the flags of `hangar resolve` do, with stacks in the simulator.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use super::rig::Rig;

fn rig() -> Rig {
    let rig = Rig::new();
    rig.deploy(&[("Storage", &storage("one"))]);
    rig.forget_calls();
    rig
}

fn storage(queue: &str) -> Value {
    json!({
        "Resources": {
            "Bucket": {"Type": "AWS::S3::Bucket"},
            "Queue": {"Type": "AWS::SQS::Queue", "Properties": {"QueueName": queue}},
        },
        "Outputs": {"Secret": {"Value": "{{resolve:secretsmanager:db:SecretString}}"}},
    })
}

const SERVICE: &str = "\
# kept
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec:
  type: LoadBalancer
  externalName: ${cfn:Storage/Queue#QueueName}
";

fn lines(output: &std::process::Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn a_lock_gives_the_same_manifests_without_a_call_and_tells_what_moved() {
    let rig = rig();
    let lock = ["--lock", "hangar.lock"];
    let first = rig.resolved(SERVICE, &lock);
    assert!(first.contains("externalName: one\n"), "{first}");
    let kept: Value =
        serde_json::from_slice(&std::fs::read(rig.path().join("hangar.lock")).unwrap()).unwrap();
    assert_eq!(kept, json!({"version": 1, "values": {"${cfn:Storage/Queue#QueueName}": "one"}}));

    rig.forget_calls();
    let offline = rig.resolved(SERVICE, &[&lock[..], &["--offline"]].concat());
    assert_eq!(offline, first);
    assert!(rig.calls().is_empty(), "{:?}", rig.calls());
    // Not even an AWS that cannot be reached is noticed.
    let nobody = [
        "resolve",
        "-f",
        "manifest.yaml",
        "--aws",
        "http://127.0.0.1:1",
        "--offline",
        "--lock",
        "hangar.lock",
    ];
    assert_eq!(lines(&rig.run(&nobody)), first);

    let more = SERVICE.replace("LoadBalancer", "${cfn:Storage/Bucket}");
    let said = rig.refused(&more, &[&lock[..], &["--offline"]].concat());
    assert!(said.contains("error[REF0019]") && said.contains("/spec/type"), "{said}");

    rig.deploy(&[("Storage", &storage("two"))]);
    rig.write("manifest.yaml", SERVICE);
    let output = rig.resolve(&[&["-f", "manifest.yaml"], &lock[..]].concat());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        said.contains("${cfn:Storage/Queue#QueueName} was \"one\" and is now \"two\""),
        "{said}"
    );
    assert!(lines(&output).contains("externalName: two\n"));
}

#[test]
fn a_policy_is_the_least_that_is_needed() {
    let rig = rig();
    let policy = rig.resolved(SERVICE, &["--policy"]);
    let policy: Value = serde_json::from_str(&policy).unwrap();
    let text = policy.to_string();
    for needed in [
        "cloudformation:DescribeStacks",
        "cloudformation:ListStackResources",
        "cloudformation:GetResource",
        "sqs:GetQueueAttributes",
        "stack/Storage/*",
    ] {
        assert!(text.contains(needed), "no {needed} in {text}");
    }
    assert!(!text.contains("s3:"), "{text}");
    // The stack has outputs, which may save reads; who may not see the template reads resources.
    assert!(text.contains("cloudformation:GetTemplate"), "{text}");
    rig.fault(&json!({
        "operation": "GetTemplate", "effect": "exception", "exception": "AccessDeniedException",
    }));
    rig.resolved(SERVICE, &[]);
    // Who is not allowed yet needs it most.
    rig.fault(&json!({
        "operation": "DescribeStacks", "effect": "exception", "exception": "AccessDeniedException",
    }));
    assert!(rig.resolved(SERVICE, &["--policy"]).contains("cloudformation:DescribeStacks"));
}

#[test]
fn explain_shows_the_steps_to_a_value() {
    let told = rig().resolved(SERVICE, &["--explain"]);
    for step in [
        "Service shop/web, /spec/externalName",
        "Storage (CREATE_COMPLETE)  [cloudformation:DescribeStacks]",
        "Queue (AWS::SQS::Queue), physical id ",
        "[cloudformation:ListStackResources]",
        "identifier",
        "\"one\"",
    ] {
        assert!(told.contains(step), "no `{step}` in\n{told}");
    }
}

#[test]
fn a_resolver_of_the_users_own_sees_the_key_and_replaces_the_value() {
    let rig = rig();
    let program = "#!/bin/sh\nwhile read -r line; do\n  echo \"$line\" >> seen\n  case \"$line\" in\n    \
        *'\"key\":[\"spec\",\"type\"]'*'\"value\":\"LoadBalancer\"'*) echo '{\"value\": \"ClusterIP\"}' ;;\n    \
        *) echo '{}' ;;\n  esac\ndone\n";
    rig.write("own.sh", program);
    let text = rig.resolved(SERVICE, &["--resolver", "sh own.sh"]);
    assert!(
        text.contains("\n  type: ClusterIP\n  externalName: one\n") && text.starts_with("# kept\n"),
        "{text}"
    );
    let seen = std::fs::read_to_string(rig.path().join("seen")).unwrap();
    let offered = seen.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let offered: Vec<Value> = offered.filter(|it| it["key"] == json!(["spec", "type"])).collect();
    assert_eq!(offered.len(), 1, "{seen}");
    assert_eq!(offered[0]["value"], "LoadBalancer");
    assert_eq!(offered[0]["obj"]["kind"], "Service");
    assert_eq!(offered[0]["obj"]["metadata"], json!({"name": "web", "namespace": "shop"}));

    // What it writes may be a reference; what it refuses is refused.
    let program = program.replace("ClusterIP", "${cfn:Storage/Queue#QueueName}");
    rig.write("own.sh", &program);
    assert!(rig.resolved(SERVICE, &["--resolver", "sh own.sh"]).contains("\n  type: one\n"));
    rig.write("own.sh", "while read -r line; do echo '{\"error\": \"not here\"}'; done");
    let said = rig.refused(SERVICE, &["--resolver", "sh own.sh"]);
    assert!(said.contains("error[REF0020]") && said.contains("not here"), "{said}");
    rig.write("own.sh", "exit 3");
    assert!(rig.refused(SERVICE, &["--resolver", "sh own.sh"]).contains("error[REF0020]"));
}

#[test]
fn files_directories_and_standard_input_become_one_stream_or_files() {
    let rig = rig();
    rig.write("in/a.yaml", SERVICE);
    rig.write("in/deep/b.yml", "---\nkind: A\nx: ${cfn:Storage/Queue#QueueName}\n");
    rig.write("in/c.json", r#"{"kind": "B", "x": "${cfn:Storage/Queue#QueueName}"}"#);
    rig.write("in/read.me", "${cfn:Nowhere/x}");
    let resolved = SERVICE.replace("${cfn:Storage/Queue#QueueName}", "one");
    let json = r#"{"kind": "B", "x": "one"}"#;
    assert_eq!(lines(&rig.resolve(&["-f", "in"])), format!("{resolved}---\n{json}"));
    let all = lines(&rig.resolve(&["-R", "-f", "in"]));
    assert_eq!(all, format!("{resolved}---\n{json}\n---\nkind: A\nx: one\n"));
    let two = ["-f", "in/c.json", "in/a.yaml"];
    assert_eq!(lines(&rig.resolve(&two)), format!("{json}\n---\n{resolved}"));

    lines(&rig.resolve(&["-R", "-f", "in", "--out", "out"]));
    let read = |name: &str| std::fs::read_to_string(rig.path().join("out").join(name)).unwrap();
    assert_eq!((read("a.yaml"), read("c.json")), (resolved.clone(), json.to_owned()));
    assert_eq!(read("deep/b.yml"), "---\nkind: A\nx: one\n");
    assert!(!rig.path().join("out/read.me").exists());

    let mut command = rig.command(&["resolve", "--aws", rig.url()]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(SERVICE.as_bytes()).unwrap();
    assert_eq!(lines(&child.wait_with_output().unwrap()), resolved);
}

#[test]
fn twice_gives_the_same_bytes_and_json_tells_all() {
    let rig = rig();
    let first = rig.resolved(SERVICE, &["-o", "json"]);
    assert_eq!(rig.resolved(SERVICE, &["-o", "json"]), first);
    assert_eq!(rig.resolved(SERVICE, &[]), rig.resolved(SERVICE, &[]));
    let told: Value = serde_json::from_str(&first).unwrap();
    let used = &told["references"][0];
    assert_eq!((&used["pointer"], &used["value"]), (&json!("/spec/externalName"), &json!("one")));
    assert_eq!(used["object"], "Service shop/web");
    let text = told["manifests"][0]["text"].as_str().unwrap();
    assert_eq!(text, SERVICE.replace("${cfn:Storage/Queue#QueueName}", "one"));
}

#[test]
fn raw_tokens_are_refused_unless_they_are_allowed() {
    let rig = rig();
    let raw = SERVICE.replace("LoadBalancer", "\"x-${Token[TOKEN.28]}\"");
    let said = rig.refused(&raw, &[]);
    assert!(said.contains("error[REF0015]") && said.contains("/spec/type"), "{said}");
    let text = rig.resolved(&raw, &["--allow-unresolved"]);
    assert!(text.contains("${Token[TOKEN.28]}") && text.contains("externalName: one"), "{text}");
    rig.forget_calls();
    let said = rig.refused(&raw, &["--lint"]);
    assert!(said.contains("REF0015") && rig.calls().is_empty(), "{said}");
}

#[test]
fn secrets_of_cloudformation_are_never_read() {
    let rig = rig();
    let said = rig.refused(&SERVICE.replace("LoadBalancer", "${cfn:Storage/Secret}"), &[]);
    assert!(said.contains("error[REF0012]") && said.contains("/spec/type"), "{said}");
}

#[test]
fn a_sensitive_value_stands_in_secrets_only_and_never_in_a_lock() {
    let rig = rig();
    let state = json!({
        "version": 4, "serial": 1, "lineage": "l", "resources": [],
        "outputs": {
            "open": {"value": "o", "type": "string"},
            "password": {"value": "hunter2", "type": "string", "sensitive": true},
        },
    });
    rig.write("db.tfstate", state.to_string());
    let more = ["--state", "Db=db.tfstate", "--lock", "hangar.lock"];
    let object = |kind: &str, section: &str| {
        format!(
            "apiVersion: v1\nkind: {kind}\nmetadata: {{name: db}}\n{section}:\n  \
             password: ${{tf:Db/output.password}}\n  open: ${{tf:Db/output.open}}\n"
        )
    };
    let said = rig.refused(&object("ConfigMap", "data"), &more);
    assert!(said.contains("error[REF0012]") && said.contains("/data/password"), "{said}");
    assert!(said.contains("--allow-secrets") && !said.contains("hunter2"), "{said}");
    let allowed = [&more[..], &["--allow-secrets"]].concat();
    assert!(rig.resolved(&object("ConfigMap", "data"), &allowed).contains("password: hunter2\n"));

    let secret = object("Secret", "stringData");
    assert!(rig.resolved(&secret, &more).contains("password: hunter2\n"));
    let lock = std::fs::read_to_string(rig.path().join("hangar.lock")).unwrap();
    assert!(lock.contains("${tf:Db/output.open}") && !lock.contains("password"), "{lock}");
    let explained = rig.resolved(&secret, &[&more[..], &["--explain"]].concat());
    assert!(explained.contains("«secret»") && !explained.contains("hunter2"), "{explained}");

    // What is base64 by the API's rules must be written so.
    let data = object("Secret", "data");
    assert!(rig.refused(&data, &more).contains("error[REF0014]"));
    let data = data.replace("password}", "password|base64}").replace("open}", "open|base64}");
    assert!(rig.resolved(&data, &more).contains("password: aHVudGVyMg==\n"));
}
