//! `hangar deploy`, `plan` and `deployment` against a control plane that answers what a test wants.

mod end_to_end;
mod new_group;
mod ownership;
mod plan_file;
mod secure;
mod twice;
mod waits;

use std::fs;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::fake_api::{Answer, FakeApi, Received, json, refused};
use crate::{hangar, shown_of};

const OPERATION: &str = "0191f3a8-7c2e-7abc-8def-0123456789ab";
const OTHER: &str = "0191f3a8-7c2e-7abc-8def-0123456789ac";
const GROUP: &str = "/planes/radius/local/resourceGroups/default";
const APP: &str =
    "/planes/radius/local/resourceGroups/default/providers/Microsoft.Resources/deployments/app";

const TEMPLATE: &str = "extension aws

param cidr string = '10.0.0.0/16'

resource vpc 'AWS.EC2/VPC@default' = {
  alias: 'net'
  properties: {
    CidrBlock: cidr
  }
}

resource subnet 'AWS.EC2/Subnet@default' = {
  alias: 'net-a'
  properties: {
    VpcId: vpc.properties.VpcId
    CidrBlock: '10.0.0.0/24'
  }
}

output vpcId string = vpc.properties.VpcId
";

/// A folder with the template as `app.bicep`.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("app.bicep"), TEMPLATE).unwrap();
    folder
}

fn command(api: &FakeApi, folder: &tempfile::TempDir, arguments: &[&str]) -> Command {
    let mut command = hangar(arguments);
    command.args(["--server", &api.url(), "--data-dir", "/nowhere"]).current_dir(folder.path());
    command
}

fn row(address: &str, state: &str, more: &Value) -> Value {
    let start = TEMPLATE.find(&format!("resource {address}")).unwrap() + "resource ".len();
    let mut row = json!({
        "address": address, "type": "AWS.EC2/VPC", "state": state, "dependsOn": [],
        "source": {"file": "app.bicep", "start": start, "end": start + address.len()},
    });
    row.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    row
}

fn deployment(operation: &str, state: &str, rows: &[Value], more: &Value) -> Value {
    let mut properties = json!({
        "provisioningState": state, "operation": operation, "resources": rows,
        "timestamp": "2026-01-02T03:04:05Z", "outputResources": [],
    });
    if state != "Running" {
        properties["endedAt"] = "2026-01-02T03:04:07.5Z".into();
    }
    properties.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({"id": APP, "name": "app", "type": "Microsoft.Resources/deployments", "etag": "e", "properties": properties})
}

fn waiting() -> Vec<Value> {
    vec![row("vpc", "Waiting", &json!({})), row("subnet", "Waiting", &json!({"waitsOn": ["vpc"]}))]
}

fn under_way() -> Vec<Value> {
    let begun = json!({"startedAt": "2026-01-02T03:04:05Z", "verb": "create"});
    vec![row("vpc", "Running", &begun), row("subnet", "Waiting", &json!({"waitsOn": ["vpc"]}))]
}

fn done(action: &str) -> Vec<Value> {
    let more = |identifier: &str| {
        json!({"action": action, "identifier": identifier, "startedAt": "2026-01-02T03:04:05Z",
               "endedAt": "2026-01-02T03:04:06.2Z"})
    };
    vec![row("vpc", "Succeeded", &more("vpc-1")), row("subnet", "Succeeded", &more("subnet-1"))]
}

fn accepted(status: u16, operation: &str, body: Value) -> Answer {
    let url = format!("http://127.0.0.1:1/operationStatuses/{operation}");
    Answer::Json { status, headers: vec![("Azure-AsyncOperation", url)], body }
}

/// Accepts the deployment, and ends it at the second look.
fn well(action: &'static str) -> impl Fn(&Received, usize) -> Answer + Send {
    move |request, before| match (request.method.as_str(), request.path.as_str()) {
        ("PUT", APP) => {
            accepted(201, OPERATION, deployment(OPERATION, "Running", &waiting(), &json!({})))
        }
        ("GET", APP) if before == 0 => {
            let mut rows = under_way();
            if action == "unchanged" {
                // It was only read.
                rows[0].as_object_mut().unwrap().remove("verb");
            }
            json(200, deployment(OPERATION, "Running", &rows, &json!({})))
        }
        ("GET", APP) => {
            let outputs = json!({"outputs": {"vpcId": {"type": "string", "value": "vpc-1"}}});
            json(200, deployment(OPERATION, "Succeeded", &done(action), &outputs))
        }
        _ => Answer::Nothing,
    }
}

#[test]
fn a_deployment_is_followed_a_line_a_change() {
    let (api, folder) = (FakeApi::start(well("created")), folder());
    insta::assert_snapshot!(shown_of(&mut command(&api, &folder, &["deploy", "app.bicep"])), @"
    exit: 0
    --- stdout
    +   vpc     AWS.EC2/VPC  created  vpc-1  1.2s
    +   subnet  AWS.EC2/VPC  created  subnet-1  1.2s
    app: 2 created in 2.5s
    outputs:
      vpcId  vpc-1
    --- stderr
    …   vpc     AWS.EC2/VPC  running
    ");
    let first = &api.received()[0];
    assert_eq!(first.body["properties"]["sources"], json!({"app.bicep": TEMPLATE}));
    assert_eq!(first.body["properties"]["entry"], "app.bicep");
    assert_eq!(first.header("Prefer"), Some("respond-async"));
    assert_eq!(first.header("Repeatability-Request-ID").map(str::len), Some(36));
}

#[test]
fn a_deployment_that_changes_nothing_says_so() {
    let (api, folder) = (FakeApi::start(well("unchanged")), folder());
    let told = shown_of(&mut command(&api, &folder, &["deploy", "app.bicep"]));
    assert!(told.contains("\napp: no changes (2 unchanged) in 2.5s\n"), "{told}");
}

#[test]
fn for_programs_a_deployment_is_a_line_of_json_an_event() {
    let (api, folder) = (FakeApi::start(well("created")), folder());
    let output = command(&api, &folder, &["deploy", "app.bicep", "-o", "json"]).output().unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let events: Vec<(&str, &str)> = lines
        .iter()
        .filter_map(|line| {
            let event = line["event"].as_str()?;
            Some((event, line["resource"]["address"].as_str().unwrap_or_default()))
        })
        .collect();
    let expected = [
        ("started", ""),
        ("resource", "vpc"),
        ("resource", "vpc"),
        ("resource", "subnet"),
        ("finished", ""),
    ];
    assert_eq!(events, expected);
    assert_eq!(lines[4]["counts"], json!({"created": 2}));
    let last = lines.last().unwrap();
    assert_eq!(
        (&last["id"], &last["properties"]["provisioningState"]),
        (&json!(APP), &json!("Succeeded"))
    );
}

#[test]
fn a_missing_group_is_made() {
    let folder = folder();
    let well = well("created");
    let api = FakeApi::start(move |request, before| match (&*request.method, &*request.path) {
        ("PUT", APP) if before == 0 => {
            refused(404, "ResourceGroupNotFound", &format!("{GROUP} does not exist"))
        }
        ("PUT", GROUP) => json(201, json!({"id": GROUP, "name": "default"})),
        _ => well(request, before),
    });
    let told = shown_of(&mut command(&api, &folder, &["deploy", "app.bicep"]));
    assert!(told.starts_with("exit: 0\n"), "{told}");
    assert!(!told.contains("note: group"), "{told}");
    let puts: Vec<String> =
        api.lines().into_iter().filter(|line| line.starts_with("PUT")).collect();
    assert_eq!(puts, [format!("PUT {APP}"), format!("PUT {GROUP}"), format!("PUT {APP}")]);
}

#[test]
fn a_run_that_is_under_way_is_followed_first() {
    let folder = folder();
    let api = FakeApi::start(|request, before| match (&*request.method, &*request.path) {
        ("PUT", APP) if before == 0 => json(
            409,
            json!({"error": {"code": "DeploymentRunning", "message": "a run is under way",
                   "additionalInfo": [{"type": "Operation", "info": {"id": OTHER}}]}}),
        ),
        ("PUT", APP) => {
            accepted(200, OPERATION, deployment(OPERATION, "Running", &waiting(), &json!({})))
        }
        ("GET", APP) if before == 0 => {
            json(200, deployment(OTHER, "Running", &under_way(), &json!({})))
        }
        ("GET", APP) if before == 1 => {
            json(200, deployment(OTHER, "Succeeded", &done("created"), &json!({})))
        }
        ("GET", APP) => {
            json(200, deployment(OPERATION, "Succeeded", &done("unchanged"), &json!({})))
        }
        _ => Answer::Nothing,
    });
    insta::assert_snapshot!(shown_of(&mut command(&api, &folder, &["deploy", "app.bicep"])), @"
    exit: 0
    --- stdout
    +   vpc     AWS.EC2/VPC  created  vpc-1  1.2s
    +   subnet  AWS.EC2/VPC  created  subnet-1  1.2s
    app: no changes (2 unchanged) in 2.5s
    --- stderr
    note: a run of `app` is in progress (operation 0191f3a8-7c2e-7abc-8def-0123456789ac); waiting for it to end
    …   vpc     AWS.EC2/VPC  running
    note: that run has ended; starting this one
    ");
}

#[test]
fn what_failed_is_shown_where_it_stands_and_what_depends_on_it_by_its_name() {
    let folder = folder();
    let api = FakeApi::start(|request, _| match (&*request.method, &*request.path) {
        ("PUT", APP) => {
            accepted(201, OPERATION, deployment(OPERATION, "Running", &waiting(), &json!({})))
        }
        ("GET", APP) => {
            let error = json!({"code": "InvalidVpc.Range", "message": "The CIDR is invalid."});
            let rows = [
                row(
                    "vpc",
                    "Failed",
                    &json!({"error": error, "operation": OTHER, "startedAt": "2026-01-02T03:04:05Z", "endedAt": "2026-01-02T03:04:06.2Z"}),
                ),
                row("subnet", "Skipped", &json!({"because": "vpc"})),
            ];
            let at = TEMPLATE.find("cidr\n").unwrap();
            let span = json!({"type": "SourceSpan", "info": {"severity": "error", "file": "app.bicep",
                "labels": [{"start": at, "end": at + 4, "text": "this value"}], "hints": []}});
            let error = json!({"error": {"code": "DeploymentFailed", "message": "1 resource failed", "details": [
                {"code": "InvalidVpc.Range", "message": "The CIDR is invalid.", "target": "vpc", "additionalInfo": [span]}]}});
            json(200, deployment(OPERATION, "Failed", &rows, &error))
        }
        _ => Answer::Nothing,
    });
    insta::assert_snapshot!(shown_of(&mut command(&api, &folder, &["deploy", "app.bicep"])), @"
    exit: 1
    --- stdout
    !   vpc     AWS.EC2/VPC  failed  1.2s: The CIDR is invalid
    ·   subnet was not started: vpc failed
    app: 1 failed, 1 skipped in 2.5s
    --- stderr
    error[API0013]: cannot deploy `app`: vpc failed
    hint: fix the error and deploy again; finished resources are not touched

    error[API0014]: AWS.EC2/VPC `vpc`: The CIDR is invalid (InvalidVpc.Range)
     --> app.bicep:8:16
      |
    8 |     CidrBlock: cidr
      |                ^^^^ this value
    hint: `hangar operation show 0191f3a8-7c2e-7abc-8def-0123456789ac` shows what was tried
    ");
    let output = command(&api, &folder, &["deploy", "app.bicep", "-o", "json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let error = serde_json::from_slice::<Value>(&output.stderr).unwrap()["error"].clone();
    assert_eq!(
        (&error["code"], &error["cause"]["code"]),
        (&json!("API0013"), &json!("DeploymentFailed"))
    );
    assert_eq!(error["details"][1]["line"], 8);
}

#[test]
fn what_the_server_finds_wrong_is_shown_in_the_file() {
    let folder = folder();
    let api = FakeApi::start(|_, _| {
        let at = TEMPLATE.find("'net'").unwrap();
        let span = json!({"type": "SourceSpan", "info": {"severity": "error", "file": "app.bicep",
            "labels": [{"start": at, "end": at + 5, "text": ""}], "hints": ["choose another"]}});
        json(
            400,
            json!({"error": {"code": "InvalidTemplate", "message": "the template is wrong", "details": [
                {"code": "ODD", "message": "the alias is taken", "target": "app.bicep(6,10)", "additionalInfo": [span]}]}}),
        )
    });
    insta::assert_snapshot!(shown_of(&mut command(&api, &folder, &["deploy", "app.bicep"])), @"
    exit: 1
    --- stdout
    --- stderr
    error[API0001]: cannot deploy `app`: the template is wrong (InvalidTemplate)

    error[API0006]: the alias is taken (ODD)
     --> app.bicep:6:10
      |
    6 |   alias: 'net'
      |          ^^^^^
    hint: choose another
    ");
}

#[test]
fn ctrl_c_cancels_the_run_and_follows_it_to_its_end() {
    let folder = folder();
    let is_canceled = Arc::new(AtomicBool::new(false));
    let noted = Arc::clone(&is_canceled);
    let api = FakeApi::start(move |request, _| match (&*request.method, &*request.path) {
        ("PUT", APP) => {
            accepted(201, OPERATION, deployment(OPERATION, "Running", &under_way(), &json!({})))
        }
        ("POST", path) if path == format!("{APP}/cancel") => {
            noted.store(true, Ordering::SeqCst);
            json(204, Value::Null)
        }
        ("GET", APP) if noted.load(Ordering::SeqCst) => {
            let mut rows = done("created");
            rows[1] = row("subnet", "Canceled", &json!({}));
            json(200, deployment(OPERATION, "Canceled", &rows, &json!({})))
        }
        ("GET", APP) => json(200, deployment(OPERATION, "Running", &under_way(), &json!({}))),
        _ => Answer::Nothing,
    });
    let mut command = command(&api, &folder, &["deploy", "app.bicep"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while api.lines().len() < 3 {
        std::thread::sleep(Duration::from_millis(20));
    }
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    insta::assert_snapshot!(crate::shown_output(child.wait_with_output().unwrap()), @"
    exit: 1
    --- stdout
    +   vpc     AWS.EC2/VPC  created  vpc-1  1.2s
    ·   subnet was not started: the deployment was canceled
    app: 1 created, 1 canceled in 2.5s
    --- stderr
    …   vpc     AWS.EC2/VPC  running
    note: canceling: no new changes are started, and changes in progress are finished; press Ctrl-C again to leave at once
    error[API0007]: deployment `app` was canceled
    hint: completed changes are kept; deploy again to continue
    ");
    assert!(is_canceled.load(Ordering::SeqCst));
}

#[test]
fn the_second_ctrl_c_leaves_at_once() {
    let folder = folder();
    let api = FakeApi::start(move |request, _| match (&*request.method, &*request.path) {
        ("PUT", APP) => {
            accepted(201, OPERATION, deployment(OPERATION, "Running", &under_way(), &json!({})))
        }
        ("POST", _) => json(204, Value::Null),
        ("GET", APP) => json(200, deployment(OPERATION, "Running", &under_way(), &json!({}))),
        _ => Answer::Nothing,
    });
    let mut command = command(&api, &folder, &["deploy", "app.bicep"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let pid = child.id().to_string();
    let interrupt =
        || assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    while api.lines().len() < 3 {
        std::thread::sleep(Duration::from_millis(20));
    }
    interrupt();
    while !api.lines().iter().any(|line| line.starts_with("POST")) {
        std::thread::sleep(Duration::from_millis(20));
    }
    interrupt();
    let told = crate::shown_output(child.wait_with_output().unwrap());
    assert!(told.starts_with("exit: 1\n"), "{told}");
    assert!(told.contains("error[API0007]: stopped waiting; operation"), "{told}");
}

#[test]
fn replacing_needs_a_yes_where_nobody_can_be_asked() {
    let (api, folder) = (FakeApi::start(well("created")), folder());
    insta::assert_snapshot!(shown_of(&mut command(&api, &folder, &["deploy", "app.bicep", "--replace"])), @"
    exit: 1
    --- stdout
    --- stderr
    error[CLI0012]: deploying `app` may replace resources; pass --yes to confirm (stdin is not a terminal)
    hint: or omit --replace; `hangar plan` shows the changes
    ");
    assert!(api.lines().is_empty());
    let told =
        shown_of(&mut command(&api, &folder, &["deploy", "app.bicep", "--replace", "--yes"]));
    assert!(told.starts_with("exit: 0\n"), "{told}");
    assert_eq!(api.received()[0].body["properties"]["replace"], "allow");
}

#[test]
fn account_region_parameters_and_files_are_sent() {
    let (api, folder) = (FakeApi::start(well("created")), folder());
    fs::write(
        folder.path().join("values.json"),
        r#"{"parameters": {"cidr": {"value": "10.1.0.0/16"}}}"#,
    )
    .unwrap();
    let more = [
        "deploy",
        "app.bicep",
        "--params",
        "values.json",
        "--adopt",
        "--skip-unsupported",
        "--aws-account",
        "12",
        "--aws-region",
        "eu-west-1",
    ];
    assert!(shown_of(&mut command(&api, &folder, &more)).starts_with("exit: 0\n"));
    let properties = api.received()[0].body["properties"].clone();
    assert_eq!(properties["parameters"], json!({"cidr": {"value": "10.1.0.0/16"}}));
    let scope = "/planes/aws/aws/accounts/12/regions/eu-west-1";
    assert_eq!(properties["providerConfig"], json!({"aws": {"value": {"scope": scope}}}));
    assert_eq!(
        (&properties["adopt"], &properties["skipUnsupported"]),
        (&json!(true), &json!(true))
    );
    let over = ["deploy", "app.bicep", "--params", "values.json", "-p", "cidr=10.2.0.0/16"];
    shown_of(&mut command(&api, &folder, &over));
    let last = api.received().into_iter().rfind(|request| request.method == "PUT").unwrap();
    assert_eq!(last.body["properties"]["parameters"], json!({"cidr": {"value": "10.2.0.0/16"}}));
}

fn planned(changes: Value) -> impl Fn(&Received, usize) -> Answer + Send {
    move |request, _| match (&*request.method, &*request.path) {
        ("GET", APP) => refused(404, "DeploymentNotFound", "no such deployment"),
        ("POST", path) if path == format!("{APP}/whatIf") => accepted(202, OPERATION, Value::Null),
        ("GET", path) if path.ends_with(&format!("operationStatuses/{OPERATION}")) => json(
            200,
            json!({"name": OPERATION, "status": "Succeeded", "kind": "plan", "properties": {"outcome": "planned"}}),
        ),
        ("GET", path) if path.ends_with(&format!("operationResults/{OPERATION}")) => json(
            200,
            json!({"status": "Succeeded", "properties": {
                "scope": "/planes/aws/aws/accounts/000000000000/regions/us-east-1", "changes": changes, "outputs": {}}}),
        ),
        _ => Answer::Nothing,
    }
}

#[test]
fn a_plan_is_printed_and_its_exit_code_tells_whether_there_is_something_to_do() {
    let folder = folder();
    let changes = json!([{"address": "vpc", "type": "AWS.EC2/VPC", "action": "update", "identifier": "vpc-1",
        "changed": [{"path": "/EnableDnsSupport", "before": false, "after": true}]}]);
    let api = FakeApi::start(planned(changes));
    insta::assert_snapshot!(shown_of(&mut command(&api, &folder, &["plan", "app.bicep"])), @"
    exit: 2
    --- stdout
    app: account 000000000000, region us-east-1
    ~   vpc  AWS.EC2/VPC  update  vpc-1
          ~ /EnableDnsSupport: false → true
    plan: 1 to update
    --- stderr
    ");
    let api = FakeApi::start(planned(
        json!([{"address": "vpc", "type": "AWS.EC2/VPC", "action": "no-op"}]),
    ));
    let told = shown_of(&mut command(&api, &folder, &["plan", "app.bicep"]));
    assert!(
        told.starts_with("exit: 0\n") && told.contains("plan: no changes (1 unchanged)"),
        "{told}"
    );
    let output = command(&api, &folder, &["plan", "app.bicep", "-o", "json"]).output().unwrap();
    let plan: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(plan["properties"]["changes"][0]["action"], "no-op");
}

#[test]
fn a_plan_shows_whole_values_when_it_is_piped() {
    let folder = folder();
    let rule = |port: u16| json!({"CidrIp": "0.0.0.0/0", "FromPort": port, "IpProtocol": "tcp", "ToPort": port});
    let changes = json!([{"address": "web", "type": "AWS.EC2/SecurityGroup", "action": "create", "changed": [
        {"path": "/GroupDescription", "after": "the security group of all web servers that are reachable from outside"},
        {"path": "/SecurityGroupIngress", "after": [rule(443), rule(8443)]}]}]);
    let api = FakeApi::start(planned(changes));
    insta::assert_snapshot!(shown_of(&mut command(&api, &folder, &["plan", "app.bicep"])), @r#"
    exit: 2
    --- stdout
    app: account 000000000000, region us-east-1
    +   web  AWS.EC2/SecurityGroup  create
            /GroupDescription: "the security group of all web servers that are reachable from outside"
            /SecurityGroupIngress:
              [
                {"CidrIp":"0.0.0.0/0","FromPort":443,"IpProtocol":"tcp","ToPort":443},
                {"CidrIp":"0.0.0.0/0","FromPort":8443,"IpProtocol":"tcp","ToPort":8443}
              ]
    plan: 1 to create
    --- stderr
    "#);
}

#[test]
fn a_plan_notes_a_run_that_is_under_way() {
    let folder = folder();
    let plan = planned(json!([{"address": "vpc", "type": "AWS.EC2/VPC", "action": "create"}]));
    let api = FakeApi::start(move |request, before| match (&*request.method, &*request.path) {
        ("GET", APP) => json(200, deployment(OTHER, "Running", &under_way(), &json!({}))),
        _ => plan(request, before),
    });
    let told = shown_of(&mut command(&api, &folder, &["plan", "app.bicep"]));
    let note = format!("note: a run of `app` is in progress (operation {OTHER});");
    assert!(told.contains(&note), "{told}");
}

#[test]
fn unchanged_resources_are_printed_on_request() {
    let (api, folder) = (FakeApi::start(well("unchanged")), folder());
    let told = shown_of(&mut command(&api, &folder, &["deploy", "app.bicep"]));
    assert!(!told.contains("=   vpc"), "{told}");
    let told = shown_of(&mut command(&api, &folder, &["deploy", "app.bicep", "--all"]));
    assert!(told.contains("=   vpc     AWS.EC2/VPC  unchanged  vpc-1"), "{told}");
}

#[test]
fn a_plan_makes_no_group() {
    let folder = folder();
    let api = FakeApi::start(|_, _| refused(404, "ResourceGroupNotFound", "no such group"));
    insta::assert_snapshot!(shown_of(&mut command(&api, &folder, &["plan", "app.bicep"])), @r#"
    exit: 2
    --- stdout
    +   vpc  AWS.EC2/VPC  create
            /CidrBlock: "10.0.0.0/16"
    +   subnet  AWS.EC2/Subnet  create
            /CidrBlock: "10.0.0.0/24"
            /VpcId: (known after vpc)
    plan: 2 to create
    outputs:
      + vpcId  (known after vpc)
    --- stderr
    note: group `default` does not exist yet; all its resources are planned as new
    "#);
    assert_eq!(api.lines(), [format!("POST {APP}/whatIf")]);
    let output = command(&api, &folder, &["plan", "app.bicep", "-o", "json"]).output().unwrap();
    let plan: Value = serde_json::from_slice(&output.stdout).unwrap();
    let subnet = &plan["properties"]["changes"][1];
    assert_eq!(
        (&subnet["existing"], &subnet["source"]["file"]),
        (&json!(false), &json!("app.bicep"))
    );
    for changed in subnet["changed"].as_array().unwrap() {
        assert!(changed["source"]["line"].as_u64() > subnet["source"]["line"].as_u64(), "{plan:#}");
    }
}

#[test]
fn what_would_fail_is_told_with_its_place_and_its_exit_code() {
    let folder = folder();
    let changes = json!([
        {"address": "same", "type": "AWS.EC2/VPC", "action": "no-op", "identifier": "vpc-2"},
        {"address": "vpc", "type": "AWS.EC2/VPC", "action": "refused", "reason": "/CidrBlock: it is no block", "changed": [],
         "source": {"file": "app.bicep", "line": 7, "column": 5, "start": 1, "end": 2}}]);
    let api = FakeApi::start(planned(changes));
    insta::assert_snapshot!(shown_of(&mut command(&api, &folder, &["plan", "app.bicep", "--all"])), @"
    exit: 1
    --- stdout
    app: account 000000000000, region us-east-1
    =   same  AWS.EC2/VPC  unchanged  vpc-2
    !   vpc  AWS.EC2/VPC  would fail: /CidrBlock: it is no block  app.bicep:7
    plan: 1 would fail, 1 unchanged
    --- stderr
    ");
}

#[test]
fn deployments_are_listed_shown_and_canceled() {
    let folder = folder();
    let api = FakeApi::start(|request, _| match (&*request.method, &*request.path) {
        ("POST", _) => json(204, Value::Null),
        ("GET", APP) => {
            let outputs = json!({"outputs": {"vpcId": {"type": "string", "value": "vpc-1"}, "key": {"type": "securestring"}}});
            json(200, deployment(OPERATION, "Succeeded", &done("created"), &outputs))
        }
        _ => json(
            200,
            json!({"value": [deployment(OPERATION, "Succeeded", &done("created"), &json!({}))]}),
        ),
    });
    let told = shown_of(&mut command(&api, &folder, &["deployment", "list"]));
    assert!(
        told.contains("NAME  STATE      RESOURCES  AGE") && told.contains("app   succeeded  2 "),
        "{told}"
    );
    insta::assert_snapshot!(shown_of(&mut command(&api, &folder, &["deployment", "show", "app"])), @"
    exit: 0
    --- stdout
    deployment  app
    group       default
    state       succeeded
    operation   0191f3a8-7c2e-7abc-8def-0123456789ab
    started     2026-01-02T03:04:05Z
    ended       2026-01-02T03:04:07Z
    took        2.5s

    ADDRESS  TYPE         STATE      DID      IDENTIFIER  TOOK
    vpc      AWS.EC2/VPC  succeeded  created  vpc-1       1.2s
    subnet   AWS.EC2/VPC  succeeded  created  subnet-1    1.2s

    outputs:
      key    «secret»
      vpcId  vpc-1
    --- stderr
    ");
    insta::assert_snapshot!(shown_of(&mut command(&api, &folder, &["deployment", "cancel", "app"])), @"
    exit: 0
    --- stdout
    canceling deployment app; `hangar deployment show app` shows the result
    --- stderr
    ");
    assert_eq!(api.lines().last().unwrap(), &format!("POST {APP}/cancel"));
}
