//! Which deployment manages what, as callers see it: what left, what another names, and `DELETE`.

use serde_json::{Value, json};

use crate::server::{GROUP, Reply, Server, VERSION};

const WAIT: (&str, &str) = ("prefer", "wait=30");
const ASYNC: (&str, &str) = ("prefer", "respond-async");

fn path(name: &str) -> String {
    format!("{GROUP}/providers/Microsoft.Resources/deployments/{name}?{VERSION}")
}

/// A template with log groups of these names, and what is said besides.
fn body(names: &[&str], more: &Value) -> Value {
    let resources = names.iter().map(|name| {
        format!(
            "resource {name} 'AWS.Logs/LogGroup@default' = {{\n  alias: '{name}'\n  properties: {{ LogGroupName: '{name}' }}\n}}\n"
        )
    });
    let text: String = std::iter::once("extension aws\n".to_owned()).chain(resources).collect();
    let mut properties = json!({"sources": {"main.bicep": text}, "entry": "main.bicep"});
    properties.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({"properties": properties})
}

async fn deploy(server: &Server, name: &str, names: &[&str], more: Value) -> Reply {
    server.call_with("PUT", &path(name), body(names, &more), &[WAIT]).await
}

fn list(shown: &Value, member: &str, of: &str) -> Vec<String> {
    let found = shown["properties"][member].as_array().cloned().unwrap_or_default();
    found.iter().map(|it| it[of].as_str().unwrap_or_default().to_owned()).collect()
}

fn reference(alias: &str) -> String {
    format!("{GROUP}/providers/AWS.Logs/LogGroup:reference/{alias}?{VERSION}")
}

#[tokio::test]
async fn what_left_is_shown_and_goes_where_the_request_says_so() {
    let server = Server::start().await;
    deploy(&server, "app", &["a", "b"], json!({})).await.ok(201);
    let shown = deploy(&server, "app", &["a"], json!({})).await.ok(200);
    assert_eq!(list(&shown, "managedResources", "alias"), ["a", "b"], "{shown:#}");
    assert_eq!(list(&shown, "leftResources", "fate"), ["kept"]);
    assert_eq!(server.get(&path("app")).await.ok(200)["properties"], shown["properties"]);
    let managed = server.get(&reference("b")).await.ok(200);
    assert!(managed["managedBy"].as_str().unwrap().ends_with("/deployments/app"), "{managed:#}");

    let looked = path("app").replace('?', "/whatIf?");
    let looked = server
        .call_with("POST", &looked, body(&["a"], &json!({"onRemove": "delete"})), &[WAIT])
        .await
        .ok(200);
    let change = &looked["properties"]["changes"][1];
    assert_eq!((&change["alias"], &change["action"]), (&json!("b"), &json!("delete")));
    assert!(change.get("source").is_none(), "{change:#}");

    let shown = deploy(&server, "app", &["a"], json!({"onRemove": "delete"})).await.ok(200);
    let row = &shown["properties"]["resources"][1];
    assert_eq!((&row["action"], &row["left"]), (&json!("deleted"), &json!(true)), "{shown:#}");
    assert_eq!(list(&shown, "managedResources", "alias"), ["a"]);
    assert_eq!(server.get(&reference("b")).await.status, 404);
}

#[tokio::test]
async fn what_another_deployment_manages_is_refused_with_its_place() {
    let server = Server::start().await;
    deploy(&server, "app", &["a"], json!({})).await.ok(201);
    let refused = deploy(&server, "web", &["b", "a"], json!({})).await;
    assert_eq!(refused.refused(400), "InvalidTemplate");
    let detail = &refused.json()["error"]["details"][0];
    assert_eq!(
        (&detail["code"], &detail["target"]),
        (&json!("TMPL0230"), &json!("main.bicep(6,10)"))
    );
    assert_eq!(server.get(&path("web")).await.status, 404, "nothing was started");
    deploy(&server, "web", &["a"], json!({"takeOver": true})).await.ok(201);
    let shown = deploy(&server, "app", &["c"], json!({"onRemove": "delete"})).await.ok(200);
    assert_eq!(list(&shown, "leftResources", "fate"), ["taken over"], "{shown:#}");
    assert!(list(&shown, "leftResources", "managedBy")[0].ends_with("/web"), "{shown:#}");
    assert_eq!(server.get(&reference("a")).await.status, 200);
    for (name, value) in
        [("onRemove", json!("burn")), ("onRemove", json!(1)), ("takeOver", json!("x"))]
    {
        let refused = deploy(&server, "app", &["c"], json!({name: value})).await;
        assert_eq!(refused.refused(400), "InvalidRequestContent", "{name}");
    }
}

#[tokio::test]
async fn a_delete_forgets_as_arm_does_and_takes_away_what_it_is_told_to() {
    let server = Server::start().await;
    let gone = server.call_with("DELETE", &path("app"), Value::Null, &[WAIT]).await;
    assert_eq!(gone.status, 204);
    deploy(&server, "app", &["a"], json!({})).await.ok(201);
    let forgotten = server.call_with("DELETE", &path("app"), Value::Null, &[WAIT]).await.ok(200);
    assert_eq!(forgotten["properties"]["provisioningState"], "Succeeded", "{forgotten:#}");
    assert_eq!(server.get(&path("app")).await.status, 404);
    assert_eq!(server.get(&reference("a")).await.status, 200);

    deploy(&server, "app", &["a"], json!({})).await.ok(201);
    let all = format!("{}&onRemove=delete", path("app"));
    let later = server.call_with("DELETE", &all, Value::Null, &[ASYNC]).await;
    assert_eq!((later.status, later.text.as_str()), (202, ""));
    let result = loop {
        let result = server.follow(later.header("location")).await;
        if result.status != 202 {
            break result.ok(200);
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(result["properties"]["resources"][0]["action"], "deleted", "{result:#}");
    assert_eq!(server.get(&path("app")).await.status, 404);
    assert_eq!(server.get(&reference("a")).await.status, 404);
}
