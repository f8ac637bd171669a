//! What is done with a whole group: changed, deleted, looked through for drift.

use serde_json::{Value, json};

use crate::server::{GROUP, SCOPE, Server, VERSION, alias, collection, tracked_by, vpc};

fn group() -> String {
    format!("{GROUP}?{VERSION}")
}

#[tokio::test]
async fn a_patch_changes_some_of_a_group_and_replaces_its_tags() {
    let server = Server::start().await;
    let all = json!({"location": "here", "tags": {"a": "1", "b": "2"},
        "properties": {"x": {"y": 1}, "providers": {"aws": {"scope": SCOPE}, "azure": {"z": 1}}}});
    server.put(&group(), all).await.ok(200);
    let patch = json!({"tags": {"c": "3"}, "properties": {"x": {"w": 2}}});
    let changed = server.call("PATCH", &group(), patch).await;
    let body = changed.ok(200);
    assert_eq!((&body["location"], &body["tags"]), (&json!("here"), &json!({"c": "3"})));
    assert_eq!(body["etag"], changed.header("etag"));
    assert_eq!(
        body["properties"],
        json!({"x": {"y": 1, "w": 2}, "provisioningState": "Succeeded",
            "providers": {"aws": {"scope": SCOPE}, "azure": {"z": 1}}})
    );
    let patch = json!({"location": null, "tags": null, "properties": {"providers": {"aws": null}}});
    let body = server.call("PATCH", &group(), patch).await.ok(200);
    assert_eq!((body.get("location"), body.get("tags")), (None, None));
    assert_eq!(body["properties"]["providers"], json!({"azure": {"z": 1}}));
    // One that says nothing new changes nothing.
    let same = server.call("PATCH", &group(), Value::Null).await;
    assert_eq!(same.ok(200)["etag"], body["etag"]);
    for wrong in [json!([]), json!({"odd": 1}), json!({"tags": {"a": 1}})] {
        let refused = server.call("PATCH", &group(), wrong).await;
        assert_eq!(refused.refused(400), "InvalidRequestContent");
    }
}

#[tokio::test]
async fn conditions_guard_the_patch_and_the_delete_of_a_group() {
    let server = Server::start().await;
    let with = async |method: &str, path: &str, value: &str| {
        server.call_with(method, path, json!({"location": value}), &[("if-match", value)]).await
    };
    let none = format!("/planes/radius/local/resourceGroups/none?{VERSION}");
    for method in ["PATCH", "DELETE"] {
        assert_eq!(with(method, &none, "*").await.refused(404), "ResourceGroupNotFound");
        assert_eq!(with(method, &group(), "\"x\"").await.refused(412), "PreconditionFailed");
    }
    let etag = server.get(GROUP).await.header("etag").to_owned();
    let changed = with("PATCH", &group(), &etag).await;
    changed.ok(200);
    assert_eq!(with("DELETE", &group(), &etag).await.refused(412), "PreconditionFailed");
    with("DELETE", &group(), changed.header("etag")).await.ok(200);
}

#[tokio::test]
async fn a_group_is_deleted_with_what_it_owns_and_without_what_it_does_not() {
    let server = Server::start().await;
    let made = server.call("POST", &format!("{}/:put", collection("AWS.EC2/VPC")), vpc(true)).await;
    let foreign = made.ok(201)["name"].as_str().unwrap().to_owned();
    let import = json!({"mapsTo": {"primaryIdentifier": foreign}});
    server.put(&alias("theirs"), import).await.ok(200);
    server.put(&alias("first"), vpc(true)).await.ok(201);
    let mut second = vpc(true);
    second["dependsOn"] = json!([tracked_by("FIRST")]);
    let second = server.put(&alias("second"), second).await.ok(201);
    assert_eq!(second["dependsOn"], json!([tracked_by("FIRST")]));

    let named = [("prefer", "wait=30"), ("repeatability-request-id", "r-1")];
    let deleted = server.call_with("DELETE", &group(), Value::Null, &named).await;
    assert_eq!((deleted.status, deleted.text.as_str()), (200, "{}"));
    assert_eq!(server.get(GROUP).await.refused(404), "ResourceGroupNotFound");
    let left = server.get(&collection("AWS.EC2/VPC")).await.ok(200);
    assert_eq!(left["value"].as_array().unwrap().len(), 1);
    assert_eq!(left["value"][0]["name"], foreign);

    // A missing group is 404, but the same request again is answered as it was.
    let again = server.call("DELETE", &group(), Value::Null).await;
    assert_eq!(again.refused(404), "ResourceGroupNotFound");
    server.call_with("DELETE", &group(), Value::Null, &named).await.ok(200);

    // Its parts are found by it.
    let statuses = "/planes/radius/local/providers/System.Resources/operationStatuses";
    let all = server.get(&format!("{statuses}?group=team")).await.ok(200);
    let whole = &all["value"].as_array().unwrap().iter().find(|it| it["kind"] == "delete-group");
    let whole = whole.unwrap();
    assert_eq!((&whole["resourceId"], &whole["status"]), (&json!(GROUP), &json!("Succeeded")));
    assert_eq!(whole["counts"]["done"], 3);
    let path = format!("{statuses}?parent={}", whole["name"].as_str().unwrap());
    let parts = server.get(&path).await.ok(200);
    let parts = parts["value"].as_array().unwrap();
    assert_eq!(parts.len(), 3);
    assert!(parts.iter().all(|it| it["parent"] == whole["name"]), "{parts:#?}");
}

#[tokio::test]
async fn a_group_under_deletion_says_so_and_takes_no_writes() {
    let server = Server::start_slow().await;
    let asked = [("prefer", "respond-async")];
    let put = server.call_with("PUT", &alias("net"), vpc(true), &asked).await;
    put.ok(201);
    let deleting = server.call_with("DELETE", &group(), Value::Null, &asked).await;
    assert_eq!((deleting.status, deleting.text.as_str()), (202, ""));
    let status = server.follow(deleting.header("azure-asyncoperation")).await.ok(200);
    assert_eq!((&status["status"], &status["kind"]), (&json!("Deleting"), &json!("delete-group")));
    let result = server.follow(deleting.header("location")).await;
    assert_eq!((result.status, result.text.as_str()), (202, ""));
    let shown = server.get(GROUP).await.ok(200);
    assert_eq!(shown["properties"]["provisioningState"], "Deleting");

    for (method, path, body) in [
        ("PUT", group(), json!({"location": "x"})),
        ("PUT", group(), shown),
        ("PATCH", group(), json!({"location": "x"})),
        ("PUT", alias("other"), vpc(true)),
        ("POST", format!("{GROUP}/:drift?{VERSION}"), Value::Null),
        (
            "POST",
            format!("{}/:put", collection("AWS.EC2/VPC")),
            json!({"trackedBy": tracked_by("other"), "properties": {}}),
        ),
    ] {
        let refused = server.call(method, &path, body).await;
        assert_eq!(refused.refused(409), "GroupDeleting", "{method} {path}");
        assert_eq!(refused.header("retry-after"), "");
    }
    // Asked again, it is the same operation.
    let again = server.call_with("DELETE", &group(), Value::Null, &asked).await;
    assert_eq!(again.status, 202);
    assert_eq!(again.header("azure-asyncoperation"), deleting.header("azure-asyncoperation"));
}

#[tokio::test]
async fn what_a_group_cannot_delete_is_listed_and_the_group_is_there_again() {
    let server = Server::start().await;
    server.put(&alias("net"), vpc(true)).await.ok(201);
    let fault = json!({"operation": "DeleteResource", "effect": "fail", "code": "AccessDenied", "times": 50});
    server.control("POST", "faults", fault).await;
    let wait = [("prefer", "wait=30")];
    let refused = server.call_with("DELETE", &group(), Value::Null, &wait).await;
    assert_eq!(refused.refused(409), "GroupNotEmpty");
    assert_eq!(refused.header("retry-after"), "");
    let details = &refused.json()["error"]["details"];
    assert_eq!(details[0]["target"], tracked_by("net"), "{details}");
    assert_eq!(details[0]["code"], "AccessDenied");
    let shown = server.get(GROUP).await.ok(200);
    assert_eq!(shown["properties"]["provisioningState"], "Succeeded");
    server.call("PATCH", &group(), json!({"location": "x"})).await.ok(200);
}

/// Changes a VPC behind our back.
async fn meddle(server: &Server, name: &str) {
    let shown = server.get(&alias(name)).await.ok(200);
    let change = json!({"account": "42", "region": "eu-central-1", "type": "AWS::EC2::VPC",
        "identifier": shown["mapsTo"]["primaryIdentifier"], "properties": {"EnableDnsSupport": false}});
    server.control("PATCH", "resources", change).await;
}

#[tokio::test]
async fn drift_is_found_filtered_by_and_repaired() {
    let server = Server::start().await;
    for name in ["a", "b", "c"] {
        server.put(&alias(name), vpc(true)).await.ok(201);
    }
    meddle(&server, "b").await;
    let wait = [("prefer", "wait=30")];
    let drift = format!("{GROUP}/:drift?{VERSION}");
    let looked = server.call_with("POST", &drift, Value::Null, &wait).await;
    let body = looked.ok(200);
    assert_eq!((&body["kind"], &body["status"]), (&json!("drift"), &json!("Succeeded")));
    assert_eq!((&body["counts"]["drifted"], &body["counts"]["inSync"]), (&json!(1), &json!(2)));

    let names = async |query: &str| {
        let (mut names, mut path) = (Vec::new(), format!("{GROUP}/resources?$top=1&{query}"));
        loop {
            let page = server.get(&path).await.ok(200);
            for value in page["value"].as_array().unwrap() {
                names.push(value["name"].as_str().unwrap().to_owned());
            }
            let Some(link) = page.get("nextLink") else { return names };
            path = link.as_str().unwrap().strip_prefix(&server.url()).unwrap().to_owned();
        }
    };
    assert_eq!(names("drift=drifted").await, ["b"]);
    assert_eq!(names("drift=InSync").await, ["a", "c"]);
    assert_eq!(names("drift=missing").await, [""; 0]);
    assert_eq!(names("state=ready").await, ["a", "b", "c"]);
    assert_eq!(names("state=unknown").await, [""; 0]);
    assert_eq!(names("state=ready&drift=insync").await, ["a", "c"]);

    let shown = server.get(&alias("b")).await.ok(200);
    assert_eq!(shown["drift"]["state"], "Drifted");
    assert_eq!(shown["drift"]["paths"], json!(["/EnableDnsSupport"]));
    let repair = json!({"repair": true});
    let repaired = server.call_with("POST", &drift, repair, &wait).await.ok(200);
    assert_eq!(repaired["counts"]["repaired"], 1, "{repaired:#}");
    let live = server.get(&format!("{}&live=true", alias("b"))).await.ok(200);
    assert_eq!(live["properties"]["EnableDnsSupport"], true);
}

#[tokio::test]
async fn one_reference_is_looked_at_and_repaired_on_its_own() {
    let server = Server::start().await;
    let made = server.put(&alias("net"), vpc(true)).await.ok(201);
    let act = |name: &str, action: &str| alias(name).replace('?', &format!("/:{action}?"));
    let looked = server.call("POST", &act("net", "drift"), Value::Null).await;
    assert_eq!(looked.ok(200)["drift"]["state"], "InSync");
    assert_eq!(looked.ok(200)["etag"], looked.header("etag"));
    meddle(&server, "net").await;
    let looked = server.call("POST", &act("net", "drift"), json!({})).await.ok(200);
    assert_eq!((&looked["drift"]["state"], &looked["id"]), (&json!("Drifted"), &made["id"]));
    let repaired = server.call("POST", &act("net", "repair"), Value::Null).await.ok(200);
    assert_eq!(repaired["properties"]["EnableDnsSupport"], true);
    assert_eq!(repaired["id"], made["id"]);
    for action in ["drift", "repair", "rename"] {
        let body = if action == "rename" { json!({"alias": "x"}) } else { Value::Null };
        let refused = server.call("POST", &act("none", action), body).await;
        assert_eq!(refused.refused(404), "ResourceNotFound", "{action}");
    }
    for action in ["drift", "repair"] {
        let odd = server.call("POST", &act("net", action), json!({"odd": 1})).await;
        assert_eq!(odd.refused(400), "InvalidRequestContent", "{action}");
    }
}
