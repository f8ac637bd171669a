//! Groups: made, changed, kept, guarded by their tags.

use serde_json::{Value, json};

use crate::server::{GROUP, SCOPE, Server, VERSION, alias, vpc};

#[tokio::test]
async fn a_group_is_made_once_and_changed_after() {
    let server = Server::start().await;
    let path = format!("/planes/radius/local/resourceGroups/My-Rg?{VERSION}");
    let made = server.call("PUT", &path, Value::Null).await;
    let body = made.ok(201);
    assert_eq!(body["id"], "/planes/radius/local/resourceGroups/My-Rg");
    assert_eq!(body["properties"]["provisioningState"], "Succeeded");
    assert_eq!(body["etag"], made.header("etag"));

    let same = server.put(&path.replace("My-Rg", "my-rg"), json!({})).await;
    assert_eq!(same.ok(200)["name"], "My-Rg", "the first spelling is kept");
    assert_eq!(same.header("etag"), made.header("etag"));

    let changed = server.put(&path, json!({"tags": {"a": "b"}, "location": "here"})).await;
    assert_eq!(changed.ok(200)["tags"], json!({"a": "b"}));
    assert_ne!(changed.header("etag"), made.header("etag"));
    assert_eq!(server.call("HEAD", &path, Value::Null).await.status, 204);
}

#[tokio::test]
async fn what_a_get_answered_can_be_put_back() {
    let server = Server::start().await;
    let path = format!("{GROUP}?{VERSION}");
    let shown = server.get(&path).await;
    let body = shown.ok(200);
    assert_eq!(body["properties"]["providers"]["aws"]["scope"], SCOPE);
    assert_eq!(body["resources"], json!([]));
    let again = server.put(&path, body).await;
    again.ok(200);
    assert_eq!(again.header("etag"), shown.header("etag"));
}

#[tokio::test]
async fn conditions_guard_a_group() {
    let server = Server::start().await;
    let path = format!("{GROUP}?{VERSION}");
    let etag = server.get(GROUP).await.header("etag").to_owned();
    let put = async |name: &'static str, value: &str, path: &str| {
        server.call_with("PUT", path, json!({"location": "x"}), &[(name, value)]).await
    };
    assert_eq!(put("if-none-match", "*", &path).await.refused(412), "PreconditionFailed");
    assert_eq!(put("if-match", "\"other\"", &path).await.refused(412), "PreconditionFailed");
    let absent = format!("/planes/radius/local/resourceGroups/none?{VERSION}");
    assert_eq!(put("if-match", "*", &absent).await.refused(412), "PreconditionFailed");
    put("if-match", &etag, &path).await.ok(200);
    assert_eq!(put("if-match", &etag, &path).await.refused(412), "PreconditionFailed");
    let now = server.get(GROUP).await.header("etag").to_owned();
    let seen = server.call_with("GET", GROUP, Value::Null, &[("if-none-match", &now)]).await;
    assert_eq!(seen.ok(200)["etag"], now);
}

#[tokio::test]
async fn a_group_shows_its_references_and_one_that_is_not_there_is_404() {
    let server = Server::start().await;
    server.put(&alias("net"), vpc(true)).await.ok(201);
    let body = server.get(GROUP).await.ok(200);
    assert_eq!(body["resources"][0]["name"], "net");
    assert_eq!(body["resources"][0]["type"], "AWS.EC2/VPC:reference");
    for path in [
        "/planes/radius/local/resourceGroups/none",
        "/planes/radius/local/resourceGroups/none/resources",
    ] {
        assert_eq!(server.get(path).await.refused(404), "ResourceGroupNotFound");
    }
    let lists = server.get("/planes/radius/local/resourceGroups").await.ok(200);
    assert_eq!(lists["value"].as_array().unwrap().len(), 1);
    assert_eq!(lists.get("nextLink"), None);
}

#[tokio::test]
async fn a_state_can_be_sent_back_and_not_set() {
    let server = Server::start().await;
    let path = format!("{GROUP}?{VERSION}");
    let with = |state: &str| json!({"properties": {"provisioningState": state}});
    server.put(&path, with("Succeeded")).await.ok(200);
    assert_eq!(server.put(&path, with("Deleting")).await.refused(400), "InvalidRequestContent");
}

fn config(config: &Value) -> Value {
    json!({"properties": {"recipeConfig": config}})
}

#[tokio::test]
async fn secrets_of_recipes_are_kept_sealed_and_never_shown() {
    let server = Server::start().await;
    let path = format!("{GROUP}?{VERSION}");
    let settings = json!({
        "terraform": {"providers": {"aws": [{"region": "us-east-1", "secret_key": {"secret": "KEY"}}]}},
        "env": {"TOKEN": {"secret": "TOKEN"}},
    });
    let mut given = settings.clone();
    given["secrets"] = json!({"KEY": "hush-hush-1", "TOKEN": "hush-hush-2"});
    let put = server.put(&path, config(&given)).await;
    let mut expected = settings.clone();
    expected["secrets"] = json!({"KEY": null, "TOKEN": null});
    assert_eq!(put.ok(200)["properties"]["recipeConfig"], expected);
    for reply in
        [&put, &server.get(GROUP).await, &server.get("/planes/radius/local/resourceGroups").await]
    {
        assert!(!reply.text.contains("hush-hush"), "{reply:#?}");
    }
    let stored = server.stored_bytes();
    let holds = |text: &str| stored.windows(text.len()).any(|it| it == text.as_bytes());
    assert!(stored.is_empty() || holds("us-east-1"), "it was looked where they are kept");
    assert!(!holds("hush-hush"));
    let group = hangar_plan::record::GroupName { plane: "local".into(), group: "team".into() };
    let kept = server.store.group_find(&group).await.unwrap().unwrap();
    assert_eq!(kept.secrets.keys().collect::<Vec<_>>(), ["KEY", "TOKEN"]);
    assert!(!serde_json::to_string(&kept.properties).unwrap().contains("secrets"));

    // What a GET answered is put back, and changes nothing.
    let shown = server.get(GROUP).await;
    let again = server.put(&path, shown.json()).await;
    again.ok(200);
    assert_eq!(again.header("etag"), shown.header("etag"));
    assert_eq!(server.store.group_find(&group).await.unwrap().unwrap().secrets, kept.secrets);
}

#[tokio::test]
async fn secrets_of_recipes_are_kept_replaced_and_removed() {
    let server = Server::start().await;
    let path = format!("{GROUP}?{VERSION}");
    let names = async |method: &str, body: Value| {
        let shown = server.call(method, &path, body).await.ok(200);
        let secrets = shown["properties"]["recipeConfig"]["secrets"].clone();
        secrets.as_object().map(|it| it.keys().cloned().collect::<Vec<_>>()).unwrap_or_default()
    };
    let group = hangar_plan::record::GroupName { plane: "local".into(), group: "Team".into() };
    let sealed = async |name: &str| {
        server.store.group_find(&group).await.unwrap().unwrap().secrets[name].clone()
    };
    assert_eq!(names("PUT", config(&json!({"secrets": {"A": "1", "B": "2"}}))).await, ["A", "B"]);
    let first = sealed("A").await;
    // Nothing is said of them.
    assert_eq!(names("PUT", json!({})).await, ["A", "B"]);
    assert_eq!(names("PUT", config(&json!({"env": {"X": "y"}}))).await, ["A", "B"]);
    assert_eq!(names("PATCH", json!({"location": "here"})).await, ["A", "B"]);
    assert_eq!(sealed("A").await, first);
    // One is replaced, one is added: a patch merges.
    assert_eq!(
        names("PATCH", config(&json!({"secrets": {"A": "3", "C": "4"}}))).await,
        ["A", "B", "C"]
    );
    assert_ne!(sealed("A").await, first);
    assert_eq!(names("PATCH", config(&json!({"secrets": {"C": null}}))).await, ["A", "B"]);
    // What is not named any more goes.
    assert_eq!(names("PUT", config(&json!({"secrets": {"B": null}}))).await, ["B"]);
    let taken = server.call("PATCH", &path, config(&Value::Null)).await.ok(200);
    assert_eq!(taken["properties"].get("recipeConfig"), None);
}

#[tokio::test]
async fn settings_of_recipes_that_cannot_be_used_are_refused_with_every_finding() {
    let server = Server::start().await;
    let path = format!("{GROUP}?{VERSION}");
    let put = async |given: Value| server.put(&path, config(&given)).await;
    let wrong = put(json!({
        "terraform": {"providers": {"aws": {}}}, "env": {"A": 1, "TF_HTTP_ADDRESS": "x"},
        "secrets": {"S": 1}, "bicep": {},
    }))
    .await;
    assert_eq!(wrong.refused(400), "InvalidRecipeConfig");
    let details = wrong.json()["error"]["details"].clone();
    let mut targets: Vec<String> = details
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["target"].as_str().unwrap().replace("/properties/recipeConfig", ""))
        .collect();
    targets.sort();
    assert_eq!(
        targets,
        ["/bicep", "/env/A", "/env/TF_HTTP_ADDRESS", "/secrets/S", "/terraform/providers/aws"]
    );
    for (given, target) in [
        (json!({"secrets": {"NONE": null}}), "/secrets/NONE"),
        (json!({"env": {"A": {"secret": "NONE"}}}), "/secrets/NONE"),
        (json!({"secrets": []}), "/secrets"),
        (json!([]), ""),
    ] {
        let refused = put(given.clone()).await;
        assert_eq!(refused.refused(400), "InvalidRecipeConfig", "{given}");
        let target = format!("/properties/recipeConfig{target}");
        assert_eq!(refused.json()["error"]["target"], target, "{given}");
    }
    put(json!({"env": {"A": {"secret": "S"}}, "secrets": {"S": "x"}})).await.ok(200);
    let used = server.call("PATCH", &path, config(&json!({"secrets": {"S": null}}))).await;
    assert_eq!(used.refused(400), "InvalidRecipeConfig", "what is used stays");
    let used = put(json!({"env": {"A": {"secret": "S"}}, "secrets": {}})).await;
    assert_eq!(used.refused(400), "InvalidRecipeConfig");
}
