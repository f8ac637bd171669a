//! `hangar resource put` against a control plane that answers what a test wants.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::fake_api::{Answer, FakeApi, Received, json, refused};
use crate::{hangar, shown_of};

const OPERATION: &str = "0191f3a8-7c2e-7abc-8def-0123456789ab";
const STATUSES: &str = "/planes/radius/local/providers/System.Resources/operationStatuses";
const GROUP: &str = "/planes/radius/local/resourceGroups/default";
const NET: &str = "/planes/radius/local/resourceGroups/default/providers/AWS.EC2/VPC:reference/net";

fn reference() -> Value {
    json!({
        "id": NET, "name": "net", "type": "AWS.EC2/VPC:reference", "state": "ready",
        "mapsTo": {"scope": "/planes/aws/aws/accounts/000000000000/regions/us-east-1/providers/AWS.EC2/VPC",
                   "primaryIdentifier": "vpc-1"},
        "properties": {"CidrBlock": "10.0.0.0/16", "provisioningState": "Succeeded"},
    })
}

fn accepted() -> Answer {
    let url = format!("http://127.0.0.1:1{STATUSES}/{OPERATION}");
    let headers = vec![("Azure-AsyncOperation", url), ("Retry-After", "10".to_owned())];
    Answer::Json { status: 201, headers, body: reference() }
}

fn status(status: &str, messages: &[&str], more: &Value) -> Answer {
    let events: Vec<Value> = messages
        .iter()
        .enumerate()
        .map(|(at, message)| json!({"sequence": at + 1, "at": "2026-01-02T03:04:05Z", "message": message}))
        .collect();
    let mut document = json!({
        "id": format!("{STATUSES}/{OPERATION}"), "name": OPERATION, "status": status, "kind": "put",
        "resourceType": "AWS.EC2/VPC", "reference": NET, "startTime": "2026-01-02T03:04:05Z",
        "attempts": [], "events": events, "warnings": [],
    });
    for (name, value) in more.as_object().unwrap() {
        document[name] = value.clone();
    }
    json(200, document)
}

/// Accepts the put, and ends its operation at the second look.
fn well(outcome: &'static str) -> impl Fn(&Received, usize) -> Answer + Send {
    move |request, before| match (request.method.as_str(), request.path.as_str()) {
        ("PUT", NET) => accepted(),
        ("GET", NET) => json(200, reference()),
        ("GET", _) if before == 0 => status("Creating", &["create is sent"], &json!({})),
        _ => {
            let result =
                json!({"outcome": outcome, "convergence": "converged", "identifier": "vpc-1"});
            status("Succeeded", &["create is sent", "AWS is done"], &json!({"properties": result}))
        }
    }
}

fn put(api: &FakeApi, arguments: &[&str]) -> Command {
    let mut command = hangar(&["resource", "put", "AWS.EC2/VPC", "--alias", "net"]);
    command.args(["--server", &api.url(), "--data-dir", "/nowhere"]).args(arguments);
    command
}

const CIDR: [&str; 2] = ["--properties", "CidrBlock=10.0.0.0/16"];

#[test]
fn a_put_is_followed_to_its_end_a_line_an_event() {
    let api = FakeApi::start(well("created"));
    insta::assert_snapshot!(shown_of(&mut put(&api, &CIDR)), @"
    exit: 0
    --- stdout
    created AWS.EC2/VPC `net`: vpc-1
    --- stderr
    putting AWS.EC2/VPC `net`: create is sent
    putting AWS.EC2/VPC `net`: AWS is done
    ");
    let requests = api.received();
    let first = &requests[0];
    assert_eq!(first.body, json!({"properties": {"CidrBlock": "10.0.0.0/16"}}));
    assert_eq!(first.query, "api-version=2023-10-01-preview");
    assert_eq!(first.header("Prefer"), Some("respond-async"));
    assert_eq!(first.header("Repeatability-Request-ID").map(str::len), Some(36));
    assert_eq!(first.header("Authorization"), None);
    let expected = [
        format!("PUT {NET}"),
        format!("GET {STATUSES}/{OPERATION}/events"),
        format!("GET {STATUSES}/{OPERATION}"),
        format!("GET {STATUSES}/{OPERATION}"),
        format!("GET {NET}"),
    ];
    assert_eq!(api.lines(), expected);
}

#[test]
fn for_programs_a_put_prints_the_reference_and_what_was_done_by_which_operation() {
    let api = FakeApi::start(well("created"));
    let output = put(&api, &CIDR).args(["-o", "json"]).output().unwrap();
    let mut expected = reference();
    expected["outcome"] = "created".into();
    expected["operation"] = OPERATION.into();
    assert_eq!(serde_json::from_slice::<Value>(&output.stdout).unwrap(), expected);
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_put_that_changes_nothing_says_so() {
    let api = FakeApi::start(well("noop"));
    let output = put(&api, &CIDR).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "unchanged AWS.EC2/VPC `net`: vpc-1\n");
}

#[test]
fn a_put_that_ended_at_once_is_told_by_its_operation() {
    let api = FakeApi::start(|request, _| match (&*request.method, &*request.path) {
        ("PUT" | "GET", NET) => {
            let mut reference = reference();
            reference["lastOperation"] = json!({"id": OPERATION, "status": "Succeeded"});
            json(200, reference)
        }
        _ => status("Succeeded", &[], &json!({"properties": {"outcome": "updated"}})),
    });
    let output = put(&api, &CIDR).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "updated AWS.EC2/VPC `net`: vpc-1\n");
}

#[test]
fn account_region_and_secrets_are_sent_and_the_token_with_them() {
    let api = FakeApi::start(well("created"));
    let folder = tempfile::tempdir().unwrap();
    let token = folder.path().join("token");
    fs::write(&token, "secret\n").unwrap();
    let mut command = put(&api, &CIDR);
    command.args([
        "--aws-account",
        "12",
        "--aws-region",
        "eu-west-1",
        "--secret-path",
        "/CidrBlock",
    ]);
    assert!(command.arg("--token-file").arg(&token).output().unwrap().status.success());
    let first = &api.received()[0];
    assert_eq!(first.header("Authorization"), Some("Bearer secret"));
    assert_eq!(first.body["secretPaths"], json!(["/CidrBlock"]));
    let scope = "/planes/aws/aws/accounts/12/regions/eu-west-1/providers/AWS.EC2/VPC";
    assert_eq!(first.body["mapsTo"], json!({"scope": scope}));
}

#[test]
fn what_aws_refuses_is_shown_where_it_stands() {
    let api = FakeApi::start(|request, _| match &*request.method {
        "PUT" => accepted(),
        _ => status(
            "Failed",
            &["create is sent"],
            &json!({"error": {
                "code": "InvalidVpc.Range", "message": "The CIDR is invalid.",
                "details": [{"code": "CreateOnly", "message": "too large", "target": "/CidrBlock"}],
            }}),
        ),
    });
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("vpc.json"), "{\n  \"CidrBlock\": \"10.0.0.0/1\"\n}\n").unwrap();
    let mut command = put(&api, &["--properties", "vpc.json"]);
    insta::assert_snapshot!(shown_of(command.current_dir(folder.path())), @r#"
    exit: 1
    --- stdout
    --- stderr
    putting AWS.EC2/VPC `net`: create is sent
    error[API0009]: cannot put AWS.EC2/VPC `net`: The CIDR is invalid (InvalidVpc.Range)
    hint: `hangar operation show 0191f3a8-7c2e-7abc-8def-0123456789ab` shows what was tried

    error[API0006]: too large (CreateOnly)
     --> vpc.json:2:16
      |
    2 |   "CidrBlock": "10.0.0.0/1"
      |                ^^^^^^^^^^^^
    "#);
    let output = put(&api, &CIDR).args(["-o", "json"]).output().unwrap();
    let error = serde_json::from_slice::<Value>(&output.stderr).unwrap()["error"].clone();
    assert_eq!(error["code"], "API0009");
    assert_eq!(error["cause"], json!({"status": null, "code": "InvalidVpc.Range", "target": null}));
    assert_eq!(error["details"][1]["pointer"], "/CidrBlock");
}

#[test]
fn a_replacement_names_each_path_in_its_pair() {
    let api = FakeApi::start(|_, _| {
        json(
            409,
            json!({"error": {"code": "ReplaceRequired", "message": "only a replacement can do this",
                "details": [{"code": "CreateOnly", "message": "can only be set at creation",
                             "target": "/CidrBlock"}]}}),
        )
    });
    insta::assert_snapshot!(shown_of(&mut put(&api, &CIDR)), @"
    exit: 1
    --- stdout
    --- stderr
    error[API0001]: cannot put AWS.EC2/VPC `net`: only a replacement can do this (ReplaceRequired)
    hint: restore the old values, or run `hangar resource put … --replace` to create a new resource and delete the old one

    error[API0006]: can only be set at creation (CreateOnly)
      |
    1 | CidrBlock=10.0.0.0/16
      |           ^^^^^^^^^^^
    ");
}

#[test]
fn the_default_group_is_made_on_demand_and_no_other() {
    let missing = || refused(404, "ResourceGroupNotFound", "the group does not exist");
    let api = FakeApi::start(move |request, before| match (&*request.method, &*request.path) {
        ("PUT", NET) if before == 0 => missing(),
        ("PUT", GROUP) => json(201, json!({"id": GROUP, "name": "default"})),
        ("PUT", NET) => accepted(),
        ("PUT", _) => missing(),
        _ => well("created")(request, 1),
    });
    assert!(put(&api, &CIDR).output().unwrap().status.success());
    let puts: Vec<String> =
        api.lines().into_iter().filter(|line| line.starts_with("PUT")).collect();
    assert_eq!(puts, [format!("PUT {NET}"), format!("PUT {GROUP}"), format!("PUT {NET}")]);
    let ids = |request: &Received| request.header("Repeatability-Request-ID").map(str::to_owned);
    assert_ne!(ids(&api.received()[0]), ids(&api.received()[1]));
    insta::assert_snapshot!(shown_of(put(&api, &CIDR).args(["-g", "prod"])), @"
    exit: 1
    --- stdout
    --- stderr
    error[API0001]: cannot put AWS.EC2/VPC `net`: the group does not exist (ResourceGroupNotFound)
    hint: `hangar group create NAME` creates it; `hangar group list` shows the groups
    ");
}

#[test]
fn what_is_wrong_for_certain_stops_before_any_call() {
    let api = FakeApi::start(|_, _| Answer::Nothing);
    let arguments = ["--properties", "CidrBlok=10.0.0.0/16", "EnableDnsSupport=maybe"];
    let output = put(&api, &arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let arguments = ["--properties", "CidrBlok=10.0.0.0/16"];
    insta::assert_snapshot!(shown_of(&mut put(&api, &arguments)), @"
    exit: 1
    --- stdout
    --- stderr
    error[SCHEMA0101]: the property `CidrBlok` does not exist in the schema
      |
    1 | CidrBlok=***********
      | ^^^^^^^^
    hint: did you mean `CidrBlock`?
    ");
    assert_eq!(api.lines().len(), 0);
}

#[test]
fn what_a_create_lacks_an_update_need_not_state() {
    let subnet = |api: &FakeApi| {
        let mut command = hangar(&["resource", "put", "AWS.EC2/Subnet", "--alias", "net"]);
        command.args(["--server", &api.url(), "--data-dir", "/nowhere"]);
        command.args(["--properties", "CidrBlock=10.0.0.0/24"]);
        command
    };
    let api = FakeApi::start(|request, before| match &*request.method {
        "PUT" => accepted(),
        _ if request.path.ends_with(":reference/net") => json(200, reference()),
        _ => well("updated")(request, before),
    });
    assert!(subnet(&api).output().unwrap().status.success());
    let api = FakeApi::start(|_, _| refused(404, "ResourceNotFound", "there is none"));
    insta::assert_snapshot!(shown_of(&mut subnet(&api)), @"
    exit: 1
    --- stdout
    --- stderr
    error[SCHEMA0103]: the properties document lacks the required property `VpcId`
    hint: add `VpcId`
    ");
    assert_eq!(api.lines().len(), 1);
}

#[test]
fn an_answer_that_is_lost_is_asked_for_again_by_the_same_name() {
    let api = FakeApi::start(|request, before| match &*request.method {
        "PUT" if before < 2 => Answer::Nothing,
        _ => well("created")(request, before),
    });
    assert!(put(&api, &CIDR).output().unwrap().status.success());
    let requests = api.received();
    let names: Vec<_> = requests
        .iter()
        .filter(|request| request.method == "PUT")
        .map(|request| request.header("Repeatability-Request-ID"))
        .collect();
    assert_eq!(names.len(), 3);
    assert!(names.iter().all(|name| *name == names[0]), "{names:?}");
}

#[test]
fn nobody_there_is_told_with_what_to_do() {
    // Other tests listen on 127.0.0.1 only, so that the port is free on this address.
    let api = FakeApi::start(|_, _| Answer::Nothing);
    let url = api.url().replace("127.0.0.1", "127.0.0.2");
    drop(api);
    let output = hangar(&["group", "list", "--server", &url]).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).replace(&url, "URL");
    insta::assert_snapshot!(told, @"
    error[API0002]: cannot reach URL: no connection: Connection refused (os error 111)
    hint: check the URL, and that `hangar serve` is running there
    hint: without --server and HANGAR_SERVER, a command needs no server
    ");
}

#[test]
fn ctrl_c_leaves_the_operation_open_and_says_how_to_go_on() {
    let (asked, is_asked) = std::sync::mpsc::channel();
    let api = FakeApi::start(move |request, before| {
        if request.method == "PUT" {
            return accepted();
        }
        // Who asks a second time has said what the first answer told.
        if before == 1 {
            asked.send(()).unwrap();
        }
        status("Creating", &["create is sent"], &json!({}))
    });
    let child = put(&api, &CIDR).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    is_asked.recv_timeout(Duration::from_secs(20)).unwrap();
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    insta::assert_snapshot!(crate::shown_output(child.wait_with_output().unwrap()), @"
    exit: 1
    --- stdout
    --- stderr
    putting AWS.EC2/VPC `net`: create is sent
    error[API0007]: stopped waiting; operation 0191f3a8-7c2e-7abc-8def-0123456789ab is still open
    hint: `hangar operation wait 0191f3a8-7c2e-7abc-8def-0123456789ab` waits until it ends
    ");
}

#[test]
fn a_put_that_nobody_waits_for_names_its_operation() {
    let api = FakeApi::start(well("created"));
    insta::assert_snapshot!(shown_of(put(&api, &CIDR).arg("--no-wait")), @"
    exit: 0
    --- stdout
    putting AWS.EC2/VPC `net`: operation 0191f3a8-7c2e-7abc-8def-0123456789ab
    --- stderr
    note: `hangar operation wait 0191f3a8-7c2e-7abc-8def-0123456789ab` waits until it ends
    ");
    assert_eq!(api.lines().len(), 1);
}

#[test]
fn a_create_that_failed_and_left_something_names_it() {
    let api = FakeApi::start(|request, _| match (&*request.method, &*request.path) {
        ("PUT", _) => accepted(),
        ("GET", NET) => {
            let mut failed = reference();
            failed["state"] = "failed".into();
            json(200, failed)
        }
        _ => status(
            "Failed",
            &[],
            &json!({"error": {"code": "NotStabilized", "message": "it did not come up"},
                    "attempts": [{"number": 1, "verb": "create", "outcome": "failed"}]}),
        ),
    });
    let told = shown_of(&mut put(&api, &CIDR));
    assert!(told.contains("hint: AWS may have created vpc-1 anyway"), "{told}");
}

#[test]
fn a_conflict_names_the_operation_and_a_missing_group_its_name() {
    let message = format!("operation {OPERATION} is running on {NET}; wait for it to end");
    let api = FakeApi::start(move |request, _| {
        if request.path.contains("/prod/") {
            let message = format!("the group of {} does not exist", request.path);
            return refused(404, "ResourceGroupNotFound", &message);
        }
        refused(409, "Conflict", &message)
    });
    let wait =
        format!("`hangar operation wait {OPERATION} --server {} --data-dir /nowhere`", api.url());
    let told = put(&api, &CIDR).output().unwrap();
    let told = String::from_utf8(told.stderr).unwrap();
    assert!(told.contains(&wait), "{told}");
    let told = shown_of(put(&api, &CIDR).args(["-g", "prod"]));
    assert!(told.contains("`hangar group create prod` creates it"), "{told}");
}

#[test]
fn a_directorys_token_is_not_for_whatever_listens_on_a_port() {
    let api = FakeApi::start(|request, _| match &*request.path {
        "/healthz" => json(200, json!({"instance": "i-1"})),
        _ => json(200, json!({"value": []})),
    });
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("token"), "secret\n").unwrap();
    let publish = |url: &str, instance: &str| {
        let file = json!({"url": url, "pid": 1, "instance": instance, "aws": "simulator",
                          "basePath": crate::fake_api::BASE_PATH, "role": "serve"});
        fs::write(folder.path().join("server.json"), file.to_string()).unwrap();
    };
    let token = || {
        let mut command = hangar(&["group", "list", "--server", &api.url(), "--data-dir"]);
        assert!(command.arg(folder.path()).output().unwrap().status.success());
        api.received().last().unwrap().header("Authorization").map(str::to_owned)
    };
    assert_eq!(token(), None, "nobody says that it is the directory's");
    publish("http://127.0.0.1:1", "i-1");
    assert_eq!(token(), None, "another server is the directory's");
    publish(&api.url(), "i-2");
    assert_eq!(token(), None, "another process has the port by now");
    publish(&api.url(), "i-1");
    assert_eq!(token().as_deref(), Some("Bearer secret"));
}

#[test]
fn no_password_is_shown_of_what_cannot_be_read() {
    let api = FakeApi::start(|_, _| Answer::Nothing);
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("comma.json", "{\"MasterUserPassword\": \"hunter2\" \"Engine\": \"mysql\"}");
    write("open.json", "{\"MasterUserPassword\": \"hunter2,\n}");
    write("bare.json", "{\"MasterUserPassword\": hunter2}");
    write("list.json", "[\"hunter2\"]");
    write("typo.json", "{\"MasterUserPasswrd\": \"hunter2\"}");
    for arguments in [
        &["comma.json"][..],
        &["open.json"],
        &["bare.json"],
        &["list.json"],
        &["typo.json"],
        &["MasterUserPasswrd=hunter2"],
        &["MasterUserPasswrd=hunter2", "MasterUserPasswrd=hunter2"],
        &["MasterUserPassword:hunter2"],
        &["Engine=mysql", "MasterUserPassword:hunter2"],
        &["{\"MasterUserPassword\":\"hunter2\"}"],
        &["{\"MasterUserPassword\":\"hunter2==\"}"],
        &["{MasterUserPassword=hunter2}"],
    ] {
        for output in ["table", "json"] {
            let mut command = hangar(&["resource", "put", "AWS.RDS/DBInstance", "--alias", "db"]);
            command.args(["--server", &api.url(), "--data-dir", "/nowhere", "-o", output]);
            command.arg("--properties").args(arguments).current_dir(folder.path());
            let told = shown_of(&mut command);
            assert!(told.starts_with("exit: 1\n") && !told.contains("hunter2"), "{told}");
        }
    }
    assert_eq!(api.lines().len(), 0);
}

#[test]
fn a_type_behind_the_pairs_is_told_from_a_missing_one() {
    let told =
        crate::shown(&["resource", "put", "--alias", "n", "--properties", "A=b", "AWS.EC2/VPC"]);
    assert!(told.contains("hint: --properties takes all arguments up to the next flag"), "{told}");
}

#[test]
fn a_type_without_handlers_is_told_before_anything_else() {
    let api = FakeApi::start(|_, _| Answer::Nothing);
    let mut command = hangar(&["resource", "put", "Alexa.ASK/Skill", "--alias", "n"]);
    command.args(["--server", &api.url(), "--data-dir", "/nowhere", "--properties", "Odd=1"]);
    let told = shown_of(&mut command);
    assert!(told.contains("it has no handlers") && !told.contains("Odd"), "{told}");
    assert_eq!(api.lines().len(), 0);
}

#[test]
fn what_a_put_permits_and_depends_on_is_sent() {
    let api = FakeApi::start(well("replaced"));
    let more = ["--replace", "--adopt", "--depends-on", "other", "AWS.EC2/DHCPOptions/dns"];
    let told = shown_of(put(&api, &CIDR).args(more));
    assert!(told.contains("replaced AWS.EC2/VPC `net`: vpc-1"), "{told}");
    let body = api.received()[0].body.clone();
    assert_eq!((&body["replace"], &body["adopt"]), (&json!("allow"), &json!(true)));
    let providers = format!("{GROUP}/providers");
    let expected = json!([
        format!("{providers}/AWS.EC2/VPC:reference/other"),
        format!("{providers}/AWS.EC2/DHCPOptions:reference/dns"),
    ]);
    assert_eq!(body["dependsOn"], expected);
    shown_of(put(&api, &CIDR).args(["--depends-on", ""]));
    let sent: Vec<Received> =
        api.received().into_iter().filter(|request| request.method == "PUT").collect();
    assert_eq!(sent[1].body["dependsOn"], json!([]));
}

#[test]
fn a_warning_is_told_once_whether_it_comes_early_or_late() {
    let api = FakeApi::start(|request, before| match (&*request.method, &*request.path) {
        ("PUT", _) => {
            let Answer::Json { status, mut headers, body } = accepted() else { unreachable!() };
            headers.push(("Warning", "299 - \"vpc-0 is still there\"".to_owned()));
            Answer::Json { status, headers, body }
        }
        ("GET", NET) => {
            let mut reference = reference();
            reference["retiring"] = json!(["vpc-0"]);
            json(200, reference)
        }
        _ if before == 0 => status("Updating", &[], &json!({})),
        _ => {
            let result = json!({"properties": {"outcome": "replaced"}, "warnings": ["vpc-0 is still there"]});
            status("Succeeded", &[], &result)
        }
    });
    let told = shown_of(&mut put(&api, &CIDR));
    assert_eq!(told.matches("vpc-0").count(), 1, "{told}");
    assert!(told.contains("warning[API0011]: vpc-0 is still there"), "{told}");
}

#[test]
fn an_unsettled_alias_is_named_in_the_commands_that_settle_it() {
    let api = FakeApi::start(|_, _| refused(409, "AliasUnknown", "a create may have made it"));
    let told = shown_of(put(&api, &CIDR).args(["-g", "prod"]));
    assert!(told.contains("`hangar resource abandon AWS.EC2/VPC net -g prod"), "{told}");
}
