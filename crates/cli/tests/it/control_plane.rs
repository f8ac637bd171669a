//! The other commands that ask a control plane, against one that answers what a test wants.

use serde_json::{Value, json};

use crate::fake_api::{Answer, BASE_PATH, FakeApi, json, refused};
use crate::{hangar, shown_of};

const GROUPS: &str = "/planes/radius/local/resourceGroups";
const STATUSES: &str = "/planes/radius/local/providers/System.Resources/operationStatuses";
const OPERATION: &str = "0191f3a8-7c2e-7abc-8def-0123456789ab";

fn reference(alias: &str, state: &str) -> Value {
    json!({
        "id": format!("{GROUPS}/prod/providers/AWS.EC2/VPC:reference/{alias}"),
        "name": alias, "type": "AWS.EC2/VPC:reference", "state": state, "ownedResource": true,
        "mapsTo": {"scope": "/planes/aws/aws/accounts/12/regions/us-east-1/providers/AWS.EC2/VPC",
                   "primaryIdentifier": format!("vpc-{alias}")},
        "properties": {"CidrBlock": "10.0.0.0/16", "provisioningState": "Succeeded"},
    })
}

fn group(name: &str, region: &str) -> Value {
    let scope = format!("/planes/aws/aws/accounts/123456789012/regions/{region}");
    json!({"id": format!("{GROUPS}/{name}"), "name": name, "etag": region,
           "properties": {"provisioningState": "Succeeded", "providers": {"aws": {"scope": scope}}}})
}

fn run(api: &FakeApi, arguments: &[&str]) -> String {
    let mut command = hangar(arguments);
    shown_of(command.args(["--server", &api.url(), "--data-dir", "/nowhere"]))
}

#[test]
fn a_list_goes_over_all_pages_on_the_same_server() {
    let api = FakeApi::start(|request, _| {
        if request.query.contains("skip=1") {
            return json(200, json!({"value": [reference("two", "failed")]}));
        }
        // The public URL of a server need not be the one that it is asked by.
        let next = format!("http://elsewhere.example{BASE_PATH}{}?skip=1", request.path);
        json(200, json!({"value": [reference("one", "ready")], "nextLink": next}))
    });
    insta::assert_snapshot!(run(&api, &["resource", "list", "-g", "prod"]), @"
    exit: 0
    --- stdout
    TYPE         ALIAS  IDENTIFIER  STATE   AGE
    AWS.EC2/VPC  one    vpc-one     ready   -
    AWS.EC2/VPC  two    vpc-two     failed  -
    --- stderr
    ");
    insta::assert_snapshot!(run(&api, &["resource", "list", "-g", "prod", "--state", "failed"]), @"
    exit: 0
    --- stdout
    TYPE         ALIAS  IDENTIFIER  STATE   AGE
    AWS.EC2/VPC  two    vpc-two     failed  -
    --- stderr
    ");
    let typed = run(&api, &["resource", "list", "-g", "prod", "--type", "aws::ec2::vpc"]);
    assert!(typed.contains("vpc-two"));
    let lines = api.lines();
    assert_eq!(lines[0], format!("GET {GROUPS}/prod/resources"));
    assert_eq!(lines[4], format!("GET {GROUPS}/prod/providers/aws.ec2/vpc:reference"));
}

#[test]
fn an_empty_list_says_so_and_is_an_empty_array() {
    let api =
        FakeApi::start(|_, _| refused(404, "ResourceGroupNotFound", "the group does not exist"));
    insta::assert_snapshot!(run(&api, &["resource", "list"]), @"
    exit: 0
    --- stdout
    no resources in group default
    --- stderr
    ");
    let json = run(&api, &["resource", "list", "-o", "json"]);
    assert!(json.contains("--- stdout\n[]\n--- stderr\n"), "{json}");
    assert!(run(&api, &["resource", "list", "-g", "prod"]).contains("ResourceGroupNotFound"));
}

#[test]
fn a_resource_is_shown_by_alias_and_by_id() {
    let api = FakeApi::start(|_, _| json(200, reference("net", "ready")));
    let by_alias = run(&api, &["resource", "show", "AWS.EC2/VPC", "net", "-g", "prod", "--live"]);
    insta::assert_snapshot!(by_alias, @r#"
    exit: 0
    --- stdout
    type        AWS.EC2/VPC
    alias       net
    identifier  vpc-net
    account     12
    region      us-east-1
    state       ready
    owned       yes
    id          /planes/radius/local/resourceGroups/prod/providers/AWS.EC2/VPC:reference/net

    properties
    {
      "CidrBlock": "10.0.0.0/16"
    }
    --- stderr
    "#);
    let id = format!("{GROUPS}/prod/providers/AWS.EC2/VPC:reference/net");
    assert_eq!(run(&api, &["resource", "show", &id]), by_alias);
    assert!(api.received()[0].query.ends_with("live=true"));
}

#[test]
fn a_group_is_made_changed_or_left() {
    let api = FakeApi::start(|request, before| match (&*request.method, before) {
        ("GET", 0) => refused(404, "ResourceGroupNotFound", "the group does not exist"),
        ("PUT", 0) => json(201, group("prod", "eu-west-1")),
        ("GET", _) | (_, 1) => json(200, group("prod", "eu-west-1")),
        _ => json(200, group("prod", "us-west-2")),
    });
    let create = |more: &[&str]| run(&api, &[&["group", "create", "prod"], more].concat());
    insta::assert_snapshot!(
        create(&["--aws-account", "123456789012", "--aws-region", "eu-west-1", "--tag", "a=b"]),
        @"
        exit: 0
        --- stdout
        created group prod: account 123456789012, region eu-west-1
        --- stderr
        "
    );
    assert!(create(&[]).contains("unchanged group prod"));
    assert!(create(&["--aws-region", "us-west-2"]).contains("updated group prod"));
    let bodies: Vec<Value> = api.received().into_iter().map(|request| request.body).collect();
    assert_eq!(bodies[1]["tags"], json!({"a": "b"}));
    let scope = &bodies[5]["properties"]["providers"]["aws"]["scope"];
    assert_eq!(scope, "/planes/aws/aws/accounts/123456789012/regions/us-west-2");
}

#[test]
fn groups_are_listed_and_shown_with_their_resources() {
    let api = FakeApi::start(|request, _| {
        let mut shown = group("prod", "eu-west-1");
        if request.path == GROUPS {
            return json(200, json!({"value": [shown, {"name": "bare"}]}));
        }
        shown["resources"] = json!([reference("net", "ready")]);
        json(200, shown)
    });
    insta::assert_snapshot!(run(&api, &["group", "list"]), @"
    exit: 0
    --- stdout
    NAME  ACCOUNT       REGION     STATE      AGE
    prod  123456789012  eu-west-1  Succeeded  -
    bare  -             -          -          -
    --- stderr
    ");
    insta::assert_snapshot!(run(&api, &["group", "show", "prod"]), @"
    exit: 0
    --- stdout
    group    prod
    account  123456789012
    region   eu-west-1
    state    Succeeded

    TYPE         ALIAS  IDENTIFIER  STATE  AGE
    AWS.EC2/VPC  net    vpc-net     ready  -
    --- stderr
    ");
}

#[test]
fn a_delete_without_a_terminal_needs_a_yes() {
    let api = FakeApi::start(|request, _| match &*request.method {
        "GET" => json(200, reference("net", "ready")),
        _ => json(204, Value::Null),
    });
    let delete =
        |more: &[&str]| run(&api, &[&["resource", "delete", "AWS.EC2/VPC", "net"], more].concat());
    insta::assert_snapshot!(delete(&[]), @"
    exit: 1
    --- stdout
    --- stderr
    error[CLI0012]: deleting AWS.EC2/VPC `net` requires a confirmation; pass --yes to confirm (stdin is not a terminal)
    hint: to remove only the alias and keep the resource, pass --detach
    ");
    assert!(api.lines().iter().all(|line| line.starts_with("GET ")));
    insta::assert_snapshot!(delete(&["--yes"]), @"
    exit: 0
    --- stdout
    AWS.EC2/VPC `net` does not exist; nothing to delete
    --- stderr
    ");
    delete(&["--detach"]);
    assert!(api.received()[2].query.ends_with("mode=detach"));
}

fn operation(status: &str, more: &Value) -> Value {
    let mut document = json!({
        "name": OPERATION, "status": status, "kind": "delete", "resourceType": "AWS.EC2/VPC",
        "reference": format!("{GROUPS}/prod/providers/AWS.EC2/VPC:reference/net"),
        "startTime": "2026-01-02T03:04:05Z", "endTime": "2026-01-02T03:04:06.5Z",
        "attempts": [{"number": 1, "verb": "delete", "requestToken": "t-1", "outcome": "succeeded"}],
        "events": [{"sequence": 1, "at": "2026-01-02T03:04:05.2Z", "message": "delete is sent"}],
    });
    for (name, value) in more.as_object().unwrap() {
        document[name] = value.clone();
    }
    document
}

#[test]
fn operations_are_listed_shown_and_waited_for() {
    let result = json!({"properties": {"outcome": "deleted", "convergence": "converged"}});
    let ended = operation("Succeeded", &result);
    let api = FakeApi::start(move |request, _| {
        if request.path == STATUSES {
            json(200, json!({"value": [operation("Succeeded", &json!({}))], "nextLink": "/x"}))
        } else {
            json(200, ended.clone())
        }
    });
    let listed = run(&api, &["operation", "list", "--running", "-g", "prod", "--limit", "1"]);
    // The age is the clock's.
    let cells: Vec<&str> = listed.lines().nth(3).unwrap().split_whitespace().collect();
    assert_eq!(cells[..6], [OPERATION, "delete", "Succeeded", "AWS.EC2/VPC", "net", "prod"]);
    assert_eq!(cells[7], "1.5s");
    assert!(listed.contains("--limit N shows more"));
    assert_eq!(api.lines()[0], format!("GET {GROUPS}/prod"));
    assert!(api.received()[1].query.ends_with("$top=1&running=true&group=prod"));
    insta::assert_snapshot!(run(&api, &["operation", "show", OPERATION]), @"
    exit: 0
    --- stdout
    operation    0191f3a8-7c2e-7abc-8def-0123456789ab
    kind         delete
    status       Succeeded
    type         AWS.EC2/VPC
    name         net
    group        prod
    outcome      deleted
    convergence  converged
    started      2026-01-02T03:04:05Z
    ended        2026-01-02T03:04:06Z
    took         1.5s

    CALL  VERB    OUTCOME    REQUEST
    1     delete  succeeded  t-1

    AT     EVENT
    +0.2s  delete is sent
    --- stderr
    ");
    insta::assert_snapshot!(run(&api, &["operation", "wait", OPERATION]), @"
    exit: 0
    --- stdout
    deleted AWS.EC2/VPC `net`
    --- stderr
    operation 0191f3a8-7c2e-7abc-8def-0123456789ab: delete is sent
    ");
    insta::assert_snapshot!(run(&api, &["operation", "wait", "0191"]), @"
    exit: 1
    --- stdout
    --- stderr
    error[CLI0014]: `0191` is not an operation id
    hint: an operation id looks like 0191f3a8-7c2e-7abc-8def-0123456789ab; `hangar operation list` lists them
    ");
}

#[test]
fn an_operation_that_ends_badly_is_exit_1() {
    let error = json!({"error": {"code": "Canceled", "message": "stopped on request"}});
    let ended = operation("Canceled", &error);
    let api = FakeApi::start(move |request, _| match &*request.method {
        "POST" => refused(409, "OperationEnded", "the operation has ended"),
        _ => json(200, ended.clone()),
    });
    insta::assert_snapshot!(run(&api, &["operation", "wait", OPERATION]), @"
    exit: 1
    --- stdout
    --- stderr
    operation 0191f3a8-7c2e-7abc-8def-0123456789ab: delete is sent
    error[API0009]: cannot delete AWS.EC2/VPC `net`: stopped on request (Canceled)
    hint: `hangar operation show 0191f3a8-7c2e-7abc-8def-0123456789ab` shows what was tried
    ");
    insta::assert_snapshot!(run(&api, &["operation", "cancel", OPERATION]), @"
    exit: 1
    --- stdout
    --- stderr
    error[API0001]: cannot cancel operation 0191f3a8-7c2e-7abc-8def-0123456789ab: the operation has ended (OperationEnded)
    ");
    assert_eq!(*api.lines().last().unwrap(), format!("POST {STATUSES}/{OPERATION}/cancel"));
}

#[test]
fn a_wrong_token_is_told_with_where_the_right_one_is() {
    let api = FakeApi::start(|_, _| refused(401, "Unauthorized", "the token is wrong or missing"));
    insta::assert_snapshot!(run(&api, &["group", "list"]), @"
    exit: 1
    --- stdout
    --- stderr
    error[API0004]: cannot list groups: the token is wrong or missing (Unauthorized)
    hint: the token is in the file `token` in the server's data directory; pass that file with --token-file
    ");
}

#[test]
fn what_is_no_control_plane_is_told_as_such() {
    let api = FakeApi::start(|_, _| json(200, json!("hello")));
    let url = api.url();
    let told = run(&api, &["group", "list"]).replace(&url, "URL");
    assert!(told.contains("error[API0003]: URL is not a Hangar server"), "{told}");
}

#[test]
fn a_read_that_cannot_be_answered_now_is_asked_again() {
    let api = FakeApi::start(|_, before| match before {
        0 => Answer::Json {
            status: 503,
            headers: vec![("Retry-After", "1".to_owned())],
            body: json!({"error": {"code": "Unavailable", "message": "the store is away"}}),
        },
        _ => json(200, json!({"value": []})),
    });
    insta::assert_snapshot!(run(&api, &["group", "list"]), @"
    exit: 0
    --- stdout
    no groups; `hangar group create NAME` creates one
    --- stderr
    ");
}

#[test]
fn what_aws_cannot_be_asked_for_is_shown_as_it_was_applied() {
    let api = FakeApi::start(|_, _| {
        let mut unread = reference("net", "ready");
        unread["properties"] = json!({"provisioningState": "Succeeded"});
        unread["appliedProperties"] = json!({"CidrBlock": "10.0.0.0/16"});
        unread["name"] = "n\u{202e}et".into();
        json(200, unread)
    });
    let shown = run(&api, &["resource", "show", "AWS.EC2/VPC", "net", "-g", "prod"]);
    assert!(shown.contains("applied properties (AWS was not read)\n{\n  \"CidrBlock\""), "{shown}");
    assert!(shown.contains("n\\u{202e}et"), "{shown}");
}

#[test]
fn an_alias_that_is_unknown_can_be_given_up() {
    let api = FakeApi::start(|_, _| refused(409, "AliasUnknown", "a create may have made it"));
    let told = run(&api, &["resource", "delete", "AWS.EC2/VPC", "net", "--yes"]);
    assert!(told.contains("`hangar resource abandon TYPE ALIAS"), "{told}");
    assert!(told.contains("`hangar resource adopt TYPE ALIAS IDENTIFIER"), "{told}");
}

#[test]
fn nobody_guesses_where_to_look() {
    let api = FakeApi::start(|request, _| match &*request.path {
        path if path.contains("/accounts/12/regions/eu-west-1/") => json(200, json!({"value": []})),
        _ => refused(404, "ResourceGroupNotFound", "the group does not exist"),
    });
    let discover = ["resource", "discover", "AWS.EC2/VPC"];
    let told = run(&api, &discover);
    assert!(told.contains("error[CLI0019]"), "{told}");
    let place = ["--aws-account", "12", "--aws-region", "eu-west-1"];
    let told = run(&api, &[&discover[..], &place].concat());
    assert!(told.contains("no resources without an alias in account 12, eu-west-1"), "{told}");
}

#[test]
fn many_are_asked_for_at_once_over_all_pages() {
    let api = FakeApi::start(|request, _| {
        let collection = "/planes/aws/aws/accounts/12/regions/eu-west-1/providers/AWS.EC2/VPC";
        let listed =
            |name: &str| json!({"name": name, "type": "AWS.EC2/VPC", "properties": {"Tags": []}});
        match &*request.path {
            path if path == collection && request.query.contains("skip=1") => {
                let mut mapped = listed("vpc-2");
                mapped["alias"] = "net".into();
                mapped["trackedBy"] =
                    format!("{GROUPS}/prod/providers/AWS.EC2/VPC:reference/net").into();
                json(200, json!({"value": [mapped, listed("vpc-3")]}))
            }
            path if path == collection => {
                let next = format!("http://elsewhere.example{BASE_PATH}{path}?skip=1");
                json(200, json!({"value": [listed("vpc-1")], "nextLink": next}))
            }
            path if path.ends_with("/resources") => {
                json(200, json!({"value": [{"type": "AWS.EC2/VPC:reference", "name": "vpc-1"}]}))
            }
            _ => json(200, group("prod", "eu-west-1")),
        }
    });
    let place = ["--aws-account", "12", "--aws-region", "eu-west-1"];
    let discover = [&["resource", "discover", "AWS.EC2/VPC", "-g", "prod"][..], &place].concat();
    insta::assert_snapshot!(run(&api, &[&discover[..], &["--mapped"]].concat()), @"
    exit: 0
    --- stdout
    TYPE         IDENTIFIER  ALIAS    MAPPED IN
    AWS.EC2/VPC  vpc-1       vpc-1-2  -
    AWS.EC2/VPC  vpc-2       net      prod
    AWS.EC2/VPC  vpc-3       vpc-3    -
    --- stderr
    note: with -o json the output is a list for `hangar resource import --from FILE -g prod`
    ");
}
