//! Recipes without Terraform: what is refused, what a run answers while it lasts, what is listed and shown.

use serde_json::{Value, json};

use crate::server::{GROUP, Reply, Server, VERSION};

const ASYNC: (&str, &str) = ("prefer", "respond-async");

const HELLO: &str = "variable \"name\" {}\nvariable \"word\" { sensitive = true }\n";

pub(crate) fn id(name: &str) -> String {
    format!("{GROUP}/providers/Hangar.Recipes/recipes/{name}")
}

pub(crate) fn path(name: &str) -> String {
    format!("{}?{VERSION}", id(name))
}

pub(crate) fn action(name: &str, word: &str) -> String {
    format!("{}/{word}?{VERSION}", id(name))
}

/// A body with one file.
pub(crate) fn body() -> Value {
    json!({"properties": {
        "files": {"main.tf": HELLO}, "label": "./hello",
        "parameters": {"name": "you", "word": "hush-hush"},
    }})
}

fn body_with(name: &str, value: Value) -> Value {
    let mut body = body();
    body["properties"][name] = value;
    body
}

pub(crate) async fn deploy(server: &Server, name: &str) -> Reply {
    server.call_with("PUT", &path(name), body(), &[ASYNC]).await
}

#[tokio::test]
async fn a_run_is_accepted_and_shown_while_it_lasts() {
    let server = Server::start().await;
    let made = deploy(&server, "Net").await;
    let shown = made.ok(201);
    assert_eq!(shown["id"], id("Net"));
    assert_eq!(shown["type"], "Hangar.Recipes/recipes");
    assert_eq!(shown["etag"], made.header("etag"));
    let properties = &shown["properties"];
    assert_eq!(properties["provisioningState"], "Running");
    assert_eq!((&properties["task"], &properties["stage"]), (&json!("deploy"), &json!("waiting")));
    assert_eq!((&properties["source"], &properties["version"]), (&json!("./hello"), &Value::Null));
    assert_eq!(properties["parameters"], json!({"name": "you"}));
    assert_eq!(properties["secretParameters"], json!(["word"]));
    assert_eq!(properties["rows"], json!([]));
    let nothing = json!({"outputResources": [], "values": {}, "secrets": [], "warnings": []});
    assert_eq!(properties["status"], nothing);
    let operation = properties["operation"].as_str().unwrap();
    assert!(made.header("azure-asyncoperation").contains(operation));
    assert!(made.header("location").contains(operation));
    assert!(!made.header("retry-after").is_empty());
    assert!(!made.text.contains("hush-hush"));

    let status = server.follow(made.header("azure-asyncoperation")).await.ok(200);
    assert_eq!((&status["kind"], &status["status"]), (&json!("deploy-recipe"), &json!("Running")));
    assert_eq!(status["resourceId"], id("Net"));
    assert_eq!(server.follow(made.header("location")).await.status, 202);

    let got = server.get(&id("NET")).await;
    assert_eq!(got.ok(200), shown, "names compare without case, and the first spelling is kept");
    let head = server.call("HEAD", &id("net"), Value::Null).await;
    assert_eq!((head.status, head.header("etag")), (204, made.header("etag")));
    let list = server.get(&id("").trim_end_matches('/').to_owned()).await.ok(200);
    assert_eq!(list, json!({"value": [shown]}));

    assert_eq!(deploy(&server, "net").await.refused(409), "Conflict");
    let deleted = server.call("DELETE", &path("net"), Value::Null).await;
    assert_eq!(deleted.refused(409), "Conflict");
    let group = server.call("DELETE", &format!("{GROUP}?{VERSION}"), Value::Null).await;
    assert!([202, 409].contains(&group.status), "{group:#?}");
}

#[tokio::test]
async fn what_is_not_there_is_not_there() {
    let server = Server::start().await;
    for (method, path) in [
        ("GET", id("net")),
        ("GET", format!("{}/state", id("net"))),
        ("GET", format!("{}/stateVersions", id("net"))),
        ("POST", action("net", "cancel")),
        ("POST", action("net", "listSecrets")),
        ("POST", action("net", "unlock")),
    ] {
        let refused = server.call(method, &path, Value::Null).await;
        assert_eq!(refused.refused(404), "ResourceNotFound", "{method} {path}");
        let none = path.replace("/Team/", "/none/");
        let refused = server.call(method, &none, Value::Null).await;
        assert_eq!(refused.refused(404), "ResourceGroupNotFound", "{method} {none}");
    }
    let gone = server.call("DELETE", &path("net"), Value::Null).await;
    assert_eq!((gone.status, gone.text.as_str()), (204, ""));
    let none = path("net").replace("/Team/", "/none/");
    for (method, body) in [("DELETE", Value::Null), ("PUT", body())] {
        let refused = server.call(method, &none, body).await;
        assert_eq!(refused.refused(404), "ResourceGroupNotFound");
    }
}

#[tokio::test]
async fn what_cannot_run_is_refused_with_all_that_is_wrong_before_anything_is_kept() {
    let server = Server::start().await;
    for (body, code, told) in [
        (json!({"properties": {"source": "./net"}}), "InvalidRecipe", "send its files in `files`"),
        (json!({"properties": {"source": "/srv/x"}}), "InvalidRecipe", "send its files in `files`"),
        (json!({"properties": {"source": "file:///x"}}), "InvalidRecipe", "`files`"),
        (json!({"properties": {"source": "nothing"}}), "InvalidRecipe", "no module source"),
        (json!({"properties": {}}), "InvalidRequestContent", "both missing"),
        (body_with("source", json!("a/b/c")), "InvalidRequestContent", "both given"),
        (body_with("files", json!({"x.txt": ""})), "InvalidRecipe", "no Terraform file"),
        (body_with("files", json!({"main.tf": "variable {"})), "InvalidRecipe", "main.tf:1"),
        (
            body_with("parameters", json!({"nme": 1})),
            "InvalidRecipe",
            "the recipe cannot be run so",
        ),
    ] {
        let refused = server.put(&path("net"), body.clone()).await;
        assert_eq!(refused.refused(400), code, "{body}");
        assert!(refused.text.contains(told), "{body}: {}", refused.text);
    }
    let wrong = body_with("parameters", json!({"nme": "x", "wrd": "y"}));
    let wrong = server.put(&path("net"), wrong).await;
    let details = wrong.json()["error"]["details"].as_array().unwrap().len();
    assert!(details >= 2, "{}", wrong.text);
    assert_eq!(server.get(&id("net")).await.refused(404), "ResourceNotFound");
    let long = body_with("label", json!("x".repeat(5 << 20)));
    assert_eq!(server.put(&path("net"), long).await.refused(413), "RequestEntityTooLarge");
}

#[tokio::test]
async fn conditions_and_repeated_requests_are_honoured() {
    let server = Server::start().await;
    let must_be = [ASYNC, ("if-match", "*")];
    let refused = server.call_with("PUT", &path("net"), body(), &must_be).await;
    assert_eq!(refused.refused(412), "PreconditionFailed");
    let named = [ASYNC, ("if-none-match", "*"), ("repeatability-request-id", "one")];
    let first = server.call_with("PUT", &path("net"), body(), &named).await;
    let operation = first.ok(201)["properties"]["operation"].clone();
    let again = server.call_with("PUT", &path("net"), body(), &named).await;
    assert_eq!(again.ok(200)["properties"]["operation"], operation);
    let other = body_with("label", json!("other"));
    let other = server.call_with("PUT", &path("net"), other, &named).await;
    assert_eq!(other.refused(400), "RepeatabilityMismatch");
    let stale =
        server.call_with("DELETE", &path("net"), Value::Null, &[("if-match", "\"x\"")]).await;
    assert_eq!(stale.refused(412), "PreconditionFailed");
    let read = server.call_with("GET", &id("net"), Value::Null, &[("if-match", "\"x\"")]).await;
    assert_eq!(read.refused(412), "PreconditionFailed");
}

#[tokio::test]
async fn a_run_is_stopped_once_and_takes_no_more() {
    let server = Server::start().await;
    deploy(&server, "net").await.ok(201);
    let stopped = server.call("POST", &action("net", "cancel"), Value::Null).await;
    assert_eq!((stopped.status, stopped.text.as_str()), (204, ""));
    let wrong = server.call("POST", &action("net", "cancel"), json!({"a": 1})).await;
    assert_eq!(wrong.refused(400), "InvalidRequestContent");
}
