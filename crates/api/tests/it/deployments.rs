//! Deployments: what is refused, what a run answers while it lasts and at its end, what a look tells.

use std::time::Duration;

use hangar_plan::operation::OperationId;
use serde_json::{Value, json};

use crate::contract::assert_final;
use crate::server::{GROUP, Reply, SCOPE, Server, VERSION, collection, tracked_by};

const ASYNC: (&str, &str) = ("prefer", "respond-async");
const WAIT: (&str, &str) = ("prefer", "wait=30");

const NET: &str = "extension aws
param cidr string = '10.0.0.0/16'
resource net 'AWS.EC2/VPC@default' = {
  alias: 'net'
  properties: {
    CidrBlock: cidr
  }
}
output vpcId string = net.properties.VpcId
";

/// A log group whose name may be taken, what depends on it, and what does not.
const LOGS: &str = "extension aws
resource logs 'AWS.Logs/LogGroup@default' = {
  alias: 'logs'
  properties: {
    LogGroupName: 'taken'
  }
}
resource stream 'AWS.Logs/LogStream@default' = {
  alias: 'stream'
  properties: {
    LogGroupName: logs.name
    LogStreamName: 'one'
  }
}
resource net 'AWS.EC2/VPC@default' = {
  alias: 'net'
  properties: {
    CidrBlock: '10.0.0.0/16'
  }
}
";

fn id(name: &str) -> String {
    format!("{GROUP}/providers/Microsoft.Resources/deployments/{name}")
}

/// Where a deployment is put.
fn path(name: &str) -> String {
    format!("{}?{VERSION}", id(name))
}

/// Where something is done with it.
fn action(name: &str, word: &str) -> String {
    format!("{}/{word}?{VERSION}", id(name))
}

/// A body with one file.
fn body(text: &str) -> Value {
    json!({"properties": {"sources": {"main.bicep": text}, "entry": "main.bicep"}})
}

/// The same with one more member among its properties.
fn body_with(text: &str, name: &str, value: Value) -> Value {
    let mut body = body(text);
    body["properties"][name] = value;
    body
}

async fn deploy(server: &Server, name: &str, body: Value) -> Reply {
    server.call_with("PUT", &path(name), body, &[WAIT]).await
}

/// The rows of a shown deployment: address, state, action.
fn rows(shown: &Value) -> Vec<(&str, &str, &str)> {
    let rows = shown["properties"]["resources"].as_array().unwrap();
    rows.iter().map(|row| (of(row, "address"), of(row, "state"), of(row, "action"))).collect()
}

/// A member of a row as text; empty where it is not there.
fn of<'a>(row: &'a Value, name: &str) -> &'a str {
    row.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// The operation that an answer says to follow.
fn operation(reply: &Reply) -> OperationId {
    let url = reply.header("azure-asyncoperation");
    let id = url.split('?').next().unwrap().rsplit('/').next().unwrap();
    OperationId::parse(id).unwrap_or_else(|| panic!("{reply:#?}"))
}

async fn end(server: &Server, id: OperationId) {
    let record = server.engine.wait(id, Duration::from_secs(30)).await.unwrap().unwrap();
    assert!(record.is_ended(), "{record:#?}");
}

#[tokio::test]
async fn what_is_not_there_is_not_there() {
    let server = Server::start().await;
    for (method, path) in [
        ("GET", path("app")),
        ("POST", action("app", "cancel")),
        ("GET", format!("{}/app", id("x").replace("/x", ""))),
    ] {
        let refused = server.call(method, &path, Value::Null).await;
        assert_eq!(refused.refused(404), "ResourceNotFound", "{method} {path}");
    }
    let head = server.call("HEAD", &path("app"), Value::Null).await;
    assert_eq!((head.status, head.text.as_str()), (404, ""));
    let none = path("app").replace("/Team/", "/none/");
    for (method, path, body) in [
        ("GET", none.clone(), Value::Null),
        ("GET", none.replace("/app?", "?"), Value::Null),
        ("PUT", none.clone(), body(NET)),
        ("POST", none.replace("app?", "app/whatIf?"), body(NET)),
        ("POST", none.replace("app?", "app/cancel?"), Value::Null),
    ] {
        let refused = server.call(method, &path, body).await;
        assert_eq!(refused.refused(404), "ResourceGroupNotFound", "{method} {path}");
    }
    let nowhere = path("app").replace("/local/", "/none/");
    assert_eq!(server.put(&nowhere, body(NET)).await.refused(404), "PlaneNotFound");
    let list = server.get(&path("app").replace("/app?", "?")).await.ok(200);
    assert_eq!(list, json!({"value": []}));
}

#[tokio::test]
async fn what_cannot_be_deployed_is_refused_and_nothing_is_started() {
    let server = Server::start().await;
    let foreign = json!({"aws": {"value": {"scope": SCOPE.replace("/aws/aws/", "/aws/none/")}}});
    for (what, body, status, code) in [
        ("nothing", Value::Null, 400, "InvalidRequestContent"),
        ("no sources", json!({"properties": {"entry": "x"}}), 400, "InvalidRequestContent"),
        ("an unknown member", body_with(NET, "mode", json!("x")), 400, "InvalidRequestContent"),
        ("both languages", body_with(NET, "template", json!({})), 400, "InvalidRequestContent"),
        ("a template elsewhere", body_with(NET, "templateLink", json!({})), 400, "NotSupported"),
        ("no template", json!({"properties": {"template": {}}}), 400, "InvalidTemplate"),
        (
            "a plane that is not there",
            body_with(NET, "providerConfig", foreign),
            404,
            "PlaneNotFound",
        ),
    ] {
        for path in [path("app"), action("app", "whatIf")] {
            let method = if path.contains("whatIf") { "POST" } else { "PUT" };
            let refused = server.call(method, &path, body.clone()).await;
            assert_eq!(refused.refused(status), code, "{what}");
            assert_final(&refused);
        }
    }
    let named = server.put(&path("a%20b"), body(NET)).await;
    assert_eq!(named.refused(400), "InvalidDeploymentName");
    let twice = [("if-match", "*")];
    let guarded = server.call_with("PUT", &path("app"), body(NET), &twice).await;
    assert_eq!(guarded.refused(400), "ConditionNotSupported");
    let guarded = server.call_with("DELETE", &path("app"), Value::Null, &twice).await;
    assert_eq!(guarded.refused(400), "ConditionNotSupported");
    let patched = server.call("PATCH", &path("app"), Value::Null).await;
    assert_eq!(patched.refused(405), "MethodNotAllowed");
    assert_eq!(patched.header("allow"), "GET, HEAD, PUT, DELETE");
    let operations = "/planes/radius/local/providers/System.Resources/operationStatuses";
    assert_eq!(server.get(operations).await.ok(200), json!({"value": []}));
    assert_eq!(server.get(&path("app")).await.status, 404);
}

#[tokio::test]
async fn a_template_may_be_large_and_no_larger() {
    let server = Server::start().await;
    // What is refused for its content was read to its end.
    let large = body_with(&"x".repeat(3 << 20), "odd", json!(1));
    assert_eq!(server.put(&path("app"), large).await.refused(400), "InvalidRequestContent");
    // Who sends far too much is told so too, though it is still sending when that is clear.
    for bytes in [4 << 20, 12 << 20] {
        let larger = body(&"x".repeat(bytes));
        assert_eq!(server.put(&path("app"), larger).await.refused(413), "RequestEntityTooLarge");
    }
}

#[tokio::test]
async fn a_wrong_template_is_told_mistake_by_mistake() {
    let server = Server::start().await;
    let text = "extension aws\n// é\noutput a string = nothing\n";
    for (method, path) in [("PUT", path("app")), ("POST", action("app", "whatIf"))] {
        let refused = server.call(method, &path, body(text)).await;
        assert_eq!(refused.refused(400), "InvalidTemplate");
        assert_final(&refused);
        let detail = &refused.json()["error"]["details"][0];
        assert_eq!(
            (&detail["code"], &detail["target"]),
            (&json!("BCP057"), &json!("main.bicep(3,19)"))
        );
        let span = &detail["additionalInfo"][0];
        assert_eq!(
            (&span["type"], &span["info"]["file"]),
            (&json!("SourceSpan"), &json!("main.bicep"))
        );
        assert_eq!(span["info"]["severity"], "error");
        let start = text.find("nothing").unwrap();
        let label = &span["info"]["labels"][0];
        assert_eq!((&label["start"], &label["end"]), (&json!(start), &json!(start + 7)));
    }
    assert_eq!(server.get(&path("app")).await.refused(404), "ResourceNotFound");
    assert_eq!(server.writes().await, 0);
}

#[tokio::test]
async fn a_deployment_is_made_once_and_does_nothing_after() {
    let server = Server::start().await;
    let made = deploy(&server, "App", body(NET)).await;
    let shown = made.ok(201);
    assert_final(&made);
    assert_eq!((&shown["id"], &shown["name"]), (&json!(id("App")), &json!("App")));
    assert_eq!(shown["type"], "Microsoft.Resources/deployments");
    assert_eq!(shown["etag"], made.header("etag"));
    let properties = &shown["properties"];
    assert_eq!(properties["provisioningState"], "Succeeded");
    let vpc = properties["outputs"]["vpcId"]["value"].as_str().unwrap();
    assert!(vpc.starts_with("vpc-"), "{shown:#}");
    assert_eq!(properties["outputs"]["vpcId"]["type"], "string");
    assert_eq!(properties["outputResources"], json!([{"id": tracked_by("net")}]));
    assert!(properties["duration"].as_str().unwrap().starts_with("PT"), "{shown:#}");
    assert!(properties["timestamp"].as_str() <= properties["endedAt"].as_str());
    assert_eq!(rows(&shown), [("net", "Succeeded", "created")]);
    let row = &properties["resources"][0];
    assert_eq!((&row["identifier"], &row["id"]), (&json!(vpc), &json!(tracked_by("net"))));
    assert_eq!(row["scope"], SCOPE);
    let start = NET.find("net").unwrap();
    assert_eq!(
        row["source"],
        json!({"file": "main.bicep", "line": 3, "column": 10, "start": start, "end": start + 3})
    );
    // The same on every way to it.
    assert_eq!(server.get(&path("app")).await.ok(200), shown, "names compare without case");
    let head = server.call("HEAD", &path("app"), Value::Null).await;
    assert_eq!((head.status, head.header("etag")), (204, made.header("etag")));
    let list = server.get(&path("app").replace("/app?", "?")).await.ok(200);
    assert_eq!(list["value"], json!([shown]));
    let operation = properties["operation"].as_str().unwrap();
    let results = "/planes/radius/local/providers/System.Resources/operationResults";
    assert_eq!(server.get(&format!("{results}/{operation}")).await.ok(201), shown);
    let statuses = results.replace("operationResults", "operationStatuses");
    let status = server.get(&format!("{statuses}/{operation}")).await.ok(200);
    assert_eq!((&status["kind"], &status["status"]), (&json!("deploy"), &json!("Succeeded")));
    assert_eq!(
        (&status["resourceId"], &status["percentComplete"]),
        (&json!(id("App")), &json!(100))
    );
    let parts = server.get(&format!("{statuses}?parent={operation}")).await.ok(200);
    assert_eq!(parts["value"][0]["name"], row["operation"], "{parts:#}");

    let writes = server.writes().await;
    let again = deploy(&server, "APP", body(NET)).await;
    let again = again.ok(200);
    assert_eq!(
        (&again["name"], rows(&again)),
        (&json!("App"), vec![("net", "Succeeded", "unchanged")])
    );
    assert_eq!(again["properties"]["outputs"], properties["outputs"]);
    assert_eq!(server.writes().await, writes);
    // What the first run answered stays what it answered, without the tag of the deployment as it is now.
    let first = server.get(&format!("{results}/{operation}")).await;
    assert_eq!(
        (first.ok(201)["properties"].clone(), first.header("etag")),
        (properties.clone(), "")
    );

    let changed = body_with(NET, "parameters", json!({"cidr": {"value": "10.9.0.0/16"}}));
    let refused = deploy(&server, "App", changed.clone()).await;
    assert_eq!(refused.refused(409), "DeploymentFailed");
    let mut allowed = changed;
    allowed["properties"]["replace"] = "allow".into();
    let replaced = deploy(&server, "App", allowed).await.ok(200);
    assert_eq!(rows(&replaced), [("net", "Succeeded", "replaced")]);
}

#[tokio::test]
async fn a_compiled_template_is_deployed_as_its_bicep_is() {
    let server = Server::start().await;
    let template = json!({
        "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "languageVersion": "2.0",
        "imports": {"aws": {"provider": "AWS", "version": "latest"}},
        "parameters": {"cidr": {"type": "string"}},
        "resources": {"net": {"import": "aws", "type": "AWS.EC2/VPC@default", "properties": {
            "alias": "net", "properties": {"CidrBlock": "[parameters('cidr')]"}}}},
        "outputs": {"vpcId": {"type": "string", "value": "[reference('net').properties.VpcId]"}},
    });
    let parameters = json!({"cidr": {"value": "10.0.0.0/16"}});
    let properties = json!({"template": template, "mode": "Incremental", "parameters": parameters});
    let compiled = json!({ "properties": properties });
    let shown = deploy(&server, "app", compiled.clone()).await.ok(201);
    assert_eq!(rows(&shown), [("net", "Succeeded", "created")]);
    assert_eq!(shown["properties"]["resources"][0]["source"]["file"], "template.json");
    let again = deploy(&server, "app", body(NET)).await.ok(200);
    assert_eq!(again["properties"]["outputs"], shown["properties"]["outputs"]);
    assert_eq!(rows(&again), [("net", "Succeeded", "unchanged")]);
}

#[tokio::test]
async fn a_run_under_way_shows_how_far_it_is_and_is_stopped() {
    let server = Server::start_slow().await;
    let text = format!(
        "{NET}resource sub 'AWS.EC2/Subnet@default' = {{\n  alias: 'sub'\n  properties: {{\n    \
         VpcId: net.properties.VpcId\n    CidrBlock: '10.0.1.0/24'\n  }}\n}}\n"
    );
    let begun = server.call_with("PUT", &path("app"), body(&text), &[ASYNC]).await;
    let shown = begun.ok(201);
    let operation = operation(&begun);
    assert_eq!(shown["properties"]["provisioningState"], "Running");
    assert_eq!(shown["properties"]["operation"], operation.to_string());
    assert_eq!(shown["properties"].get("endedAt"), None);
    assert_eq!(shown["etag"], begun.header("etag"));
    assert_eq!(server.follow(begun.header("location")).await.status, 202);
    let status = server.follow(begun.header("azure-asyncoperation")).await.ok(200);
    assert_eq!((&status["status"], &status["percentComplete"]), (&json!("Running"), &json!(0)));

    // Another run is refused, and told which is in the way; a look is not.
    let refused = server.put(&path("app"), body(NET)).await;
    assert_eq!(refused.refused(409), "DeploymentRunning");
    assert_eq!(refused.header("retry-after"), "");
    let error = &refused.json()["error"];
    let named = json!([{"type": "Operation", "info": {"id": operation.to_string()}}]);
    assert_eq!(error["additionalInfo"], named);
    assert!(error["message"].as_str().unwrap().contains(&operation.to_string()), "{error:#}");

    loop {
        let shown = server.get(&path("app")).await.ok(200);
        if shown["properties"]["resources"][0]["state"] == "Running" {
            let rows = &shown["properties"]["resources"];
            assert!(rows[0]["operation"].is_string(), "{shown:#}");
            assert_eq!(
                (&rows[1]["state"], &rows[1]["waitsOn"]),
                (&json!("Waiting"), &json!(["net"]))
            );
            assert_eq!(rows[1]["dependsOn"], json!(["net"]));
            break;
        }
        tokio::task::yield_now().await;
    }

    let stopped = server.call("POST", &action("app", "cancel"), Value::Null).await;
    assert_eq!((stopped.status, stopped.text.as_str()), (204, ""));
    // What is begun is let finish.
    let net = format!("{}?{VERSION}", tracked_by("net"));
    let statuses = "/planes/radius/local/providers/System.Resources/operationStatuses";
    loop {
        let reference = server.get(&net).await;
        if reference.status == 404 {
            // Decided on, and not asked for yet: hours that pass now would not be its own.
            tokio::task::yield_now().await;
            continue;
        }
        let Some(running) = reference.json()["operation"].as_str().map(str::to_owned) else {
            break;
        };
        let status = server.get(&format!("{statuses}/{running}")).await.ok(200);
        if status["attempts"][0]["requestToken"].is_string() {
            break;
        }
        tokio::task::yield_now().await;
    }
    server.pass_hours(2).await;
    end(&server, operation).await;
    let ended = server.get(&path("app")).await.ok(200);
    assert_ne!(ended["etag"], shown["etag"]);
    assert_eq!(ended["properties"]["provisioningState"], "Canceled");
    assert_eq!(rows(&ended), [("net", "Succeeded", "created"), ("sub", "Canceled", "")]);
    let again = server.call("POST", &action("app", "cancel"), Value::Null).await;
    assert_eq!(again.refused(409), "NotRunning");
    let result = server.follow(begun.header("location")).await;
    assert_eq!(result.refused(409), "DeploymentCanceled");
}

#[tokio::test]
async fn what_fails_says_why_and_where_and_all_that_can_be_done_is() {
    let server = Server::start().await;
    let taken = format!("{}/taken", collection("AWS.Logs/LogGroup"));
    server.put(&taken, json!({"properties": {"RetentionInDays": 7}})).await.ok(201);
    let failed = deploy(&server, "app", body(LOGS)).await;
    assert_eq!(failed.refused(409), "DeploymentFailed");
    let error = failed.json()["error"].clone();
    let detail = &error["details"][0];
    assert_eq!((&detail["target"], &detail["code"]), (&json!("logs"), &json!("AlreadyExists")));
    let start = LOGS.find("logs").unwrap();
    let label = &detail["additionalInfo"][0]["info"]["labels"][0];
    assert_eq!((&label["start"], &label["end"]), (&json!(start), &json!(start + 4)), "{error:#}");
    assert_eq!(error["details"].as_array().unwrap().len(), 1);

    let shown = server.get(&path("app")).await.ok(200);
    assert_eq!(shown["properties"]["provisioningState"], "Failed");
    assert_eq!(shown["properties"]["error"], error);
    assert_eq!(
        rows(&shown),
        [("logs", "Failed", ""), ("stream", "Skipped", ""), ("net", "Succeeded", "created")]
    );
    let resources = &shown["properties"]["resources"];
    assert_eq!(resources[0]["error"]["code"], "AlreadyExists");
    assert_eq!(resources[0]["error"]["target"], "main.bicep(2,10)");
    assert_eq!(resources[1]["because"], "logs");
    assert_eq!(shown["properties"].get("outputs"), None);
    let operation = shown["properties"]["operation"].as_str().unwrap();
    let statuses = "/planes/radius/local/providers/System.Resources/operationStatuses";
    let status = server.get(&format!("{statuses}/{operation}")).await.ok(200);
    assert_eq!((&status["status"], &status["error"]), (&json!("Failed"), &error));

    let adopted = deploy(&server, "app", body_with(LOGS, "adopt", json!(true))).await.ok(200);
    let rows = rows(&adopted);
    assert_eq!(
        (rows[1], rows[2]),
        (("stream", "Succeeded", "created"), ("net", "Succeeded", "unchanged"))
    );
}

#[tokio::test]
async fn a_look_tells_what_would_be_done_and_does_nothing() {
    let server = Server::start().await;
    let looked = server.call_with("POST", &action("app", "whatIf"), body(NET), &[WAIT]).await;
    let told = looked.ok(200);
    assert_final(&looked);
    assert_eq!(told["status"], "Succeeded");
    let change = &told["properties"]["changes"][0];
    assert_eq!(
        (&change["address"], &change["action"]),
        (&json!("net"), &json!("create")),
        "{told:#}"
    );
    assert_eq!(server.writes().await, 0);
    assert_eq!(server.get(&path("app")).await.status, 404, "a look leaves no deployment");

    let later = server.call_with("POST", &action("app", "whatIf"), body(NET), &[ASYNC]).await;
    assert_eq!((later.status, later.text.as_str()), (202, ""));
    end(&server, operation(&later)).await;
    assert_eq!(server.follow(later.header("location")).await.ok(200), told);
    let status = server.follow(later.header("azure-asyncoperation")).await.ok(200);
    assert_eq!(
        (&status["kind"], &status["properties"]["outcome"]),
        (&json!("plan"), &json!("planned"))
    );

    deploy(&server, "app", body(NET)).await.ok(201);
    let looked = server.call_with("POST", &action("app", "whatIf"), body(NET), &[WAIT]).await;
    assert_eq!(looked.ok(200)["properties"]["changes"][0]["action"], "no-op");
}

#[tokio::test]
async fn the_same_request_is_one_run() {
    let server = Server::start().await;
    let named = [WAIT, ("repeatability-request-id", "one")];
    let first = server.call_with("PUT", &path("app"), body(NET), &named).await.ok(201);
    let second = server.call_with("PUT", &path("app"), body(NET), &named).await.ok(201);
    assert_eq!(second, first);
    let other = server.call_with("PUT", &path("app"), body(LOGS), &named).await;
    assert_eq!(other.refused(400), "RepeatabilityMismatch");
    let looked = [WAIT, ("repeatability-request-id", "two")];
    let look =
        async || server.call_with("POST", &action("app", "whatIf"), body(NET), &looked).await;
    assert_eq!(look().await.ok(200), look().await.ok(200));
    let statuses = "/planes/radius/local/providers/System.Resources/operationStatuses";
    let all = server.get(statuses).await.ok(200);
    assert_eq!(all["value"].as_array().unwrap().len(), 3, "a run, its part, a look: {all:#}");
}

#[tokio::test]
async fn lists_are_whole_in_order_and_go_on_only_by_their_own_tokens() {
    let server = Server::start().await;
    for name in ["c", "A", "b", "e", "d"] {
        deploy(&server, name, body("output x string = 'y'\n")).await.ok(201);
    }
    let list = path("x").replace("/x?", "?");
    let mut names = Vec::new();
    let mut page = server.get(&format!("{list}&$top=2")).await.ok(200);
    let mut pages = 1;
    loop {
        names.extend(page["value"].as_array().unwrap().iter().map(|it| it["name"].clone()));
        let Some(link) = page.get("nextLink").cloned() else { break };
        page = server.follow(link.as_str().unwrap()).await.ok(200);
        pages += 1;
    }
    assert_eq!((json!(names), pages), (json!(["A", "b", "c", "d", "e"]), 3));
    for name in ["g1", "g2"] {
        let group = format!("/planes/radius/local/resourceGroups/{name}?{VERSION}");
        server.put(&group, json!({})).await.ok(201);
    }
    let groups = server.get(&format!("/planes/radius/local/resourceGroups?{VERSION}&$top=1")).await;
    let link = groups.ok(200)["nextLink"].as_str().unwrap().to_owned();
    let foreign = link.split("skipToken=").nth(1).unwrap();
    for token in [foreign, "AAAA"] {
        let refused = server.get(&format!("{list}&$skipToken={token}")).await;
        assert_eq!(refused.refused(400), "InvalidSkipToken");
    }
}

#[tokio::test]
async fn no_secret_of_a_template_is_in_an_answer() {
    let server = Server::start().await;
    let text = "extension aws
@secure()
param password string
@secure()
output secret string = password
resource kept 'AWS.SecretsManager/Secret@default' = {
  alias: 'kept'
  properties: {
    Name: 'kept'
    SecretString: password
  }
}
";
    let canary = "canary-7f3a";
    let body = body_with(text, "parameters", json!({"password": {"value": canary}}));
    let looked = server.call_with("POST", &action("app", "whatIf"), body.clone(), &[WAIT]).await;
    looked.ok(200);
    let made = deploy(&server, "app", body).await;
    assert_eq!(made.ok(201)["properties"]["outputs"], json!({"secret": {"type": "securestring"}}));
    let statuses = "/planes/radius/local/providers/System.Resources/operationStatuses";
    let shown = server.get(&path("app")).await;
    let listed = server.get(&path("app").replace("/app?", "?")).await;
    for reply in [looked, made, shown, listed, server.get(statuses).await] {
        assert!(!reply.text.contains(canary), "{reply:#?}");
    }
}
