//! Planes: there from the start, made, changed, removed; and what is in them.

use serde_json::{Value, json};

use crate::server::{GROUP, SCOPE, Server, VERSION, vpc};

fn path(plane: &str) -> String {
    format!("/planes/{plane}?{VERSION}")
}

fn ids(list: &Value) -> Vec<&str> {
    list["value"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn two_planes_are_there_from_the_start() {
    let server = Server::start().await;
    let all = server.get("/planes").await.ok(200);
    assert_eq!(ids(&all), ["/planes/aws/aws", "/planes/radius/local"]);
    assert_eq!(ids(&server.get("/planes/AWS").await.ok(200)), ["/planes/aws/aws"]);
    let shown = server.get("/planes/radius/LOCAL").await;
    let body = shown.ok(200);
    assert_eq!((&body["name"], &body["type"]), (&json!("local"), &json!("System.Radius/planes")));
    assert_eq!(body["properties"]["provisioningState"], "Succeeded");
    assert_eq!(body["etag"], shown.header("etag"));
    assert_eq!(server.call("HEAD", "/planes/aws/aws", Value::Null).await.status, 204);
    assert_eq!(server.call("HEAD", "/planes/aws/two", Value::Null).await.status, 404);
    assert_eq!(server.get("/planes/aws/two").await.refused(404), "PlaneNotFound");
}

#[tokio::test]
async fn a_plane_is_made_once_changed_after_and_removed() {
    let server = Server::start().await;
    let made = server.put(&path("aws/Two"), json!({"location": "here", "tags": {"a": "1"}})).await;
    let body = made.ok(201);
    assert_eq!(
        (&body["id"], &body["type"]),
        (&json!("/planes/aws/Two"), &json!("System.AWS/planes"))
    );
    let same = server.put(&path("aws/two"), body.clone()).await;
    assert_eq!(same.ok(200)["name"], "Two", "the first spelling is kept");
    assert_eq!(same.header("etag"), made.header("etag"));

    let patch = json!({"tags": {"b": "2"}, "properties": {"x": {"y": 1}}});
    let changed = server.call("PATCH", &path("aws/two"), patch).await;
    let body = changed.ok(200);
    assert_eq!((&body["location"], &body["tags"]), (&json!("here"), &json!({"b": "2"})));
    assert_ne!(changed.header("etag"), made.header("etag"));
    let patch = json!({"location": null, "properties": {"x": {"z": 2}}});
    let body = server.call("PATCH", &path("aws/two"), patch).await.ok(200);
    assert_eq!(body.get("location"), None);
    assert_eq!(body["properties"]["x"], json!({"y": 1, "z": 2}));

    let state = json!({"properties": {"provisioningState": "Failed"}});
    assert_eq!(server.put(&path("aws/two"), state).await.refused(400), "InvalidRequestContent");
    server.call("DELETE", &path("aws/two"), Value::Null).await.ok(200);
    let again = server.call("DELETE", &path("aws/two"), Value::Null).await;
    assert_eq!((again.status, again.text.as_str()), (204, ""));
    assert_eq!(server.get("/planes/aws/two").await.status, 404);
}

#[tokio::test]
async fn conditions_guard_a_plane() {
    let server = Server::start().await;
    let with = async |method: &str, name: &'static str, value: &str| {
        let body = json!({"location": value});
        server.call_with(method, &path("radius/two"), body, &[(name, value)]).await
    };
    assert_eq!(with("PUT", "if-match", "*").await.refused(412), "PreconditionFailed");
    assert_eq!(with("PATCH", "if-match", "*").await.refused(404), "PlaneNotFound");
    assert_eq!(with("DELETE", "if-match", "*").await.status, 204);
    let made = with("PUT", "if-none-match", "*").await;
    made.ok(201);
    assert_eq!(with("PUT", "if-none-match", "*").await.refused(412), "PreconditionFailed");
    for method in ["PUT", "PATCH", "DELETE"] {
        assert_eq!(with(method, "if-match", "\"x\"").await.refused(412), "PreconditionFailed");
    }
    let changed = with("PATCH", "if-match", made.header("etag")).await;
    changed.ok(200);
    assert_eq!(with("DELETE", "if-match", made.header("etag")).await.status, 412);
    with("DELETE", "if-match", changed.header("etag")).await.ok(200);
}

#[tokio::test]
async fn what_is_in_a_plane_that_is_not_there_is_404() {
    let server = Server::start().await;
    let group = "/planes/radius/none/resourceGroups/rg";
    let aws = SCOPE.replace("/aws/aws/", "/aws/none/");
    let vpcs = format!("{aws}/providers/AWS.EC2/VPC");
    let alias = format!("{group}/providers/AWS.EC2/VPC:reference/net");
    let statuses = "/planes/radius/none/providers/System.Resources/operationStatuses";
    let id = "0191f3a8-7c2e-7abc-8def-0123456789ab";
    for (method, path) in [
        ("GET", "/planes/radius/none/resourceGroups".to_owned()),
        ("GET", group.to_owned()),
        ("PUT", format!("{group}?{VERSION}")),
        ("PATCH", format!("{group}?{VERSION}")),
        ("DELETE", format!("{group}?{VERSION}")),
        ("POST", format!("{group}/:drift?{VERSION}")),
        ("GET", format!("{group}/resources")),
        ("GET", alias.clone()),
        ("PUT", format!("{alias}?{VERSION}")),
        ("PATCH", format!("{alias}?{VERSION}")),
        ("DELETE", format!("{alias}?{VERSION}")),
        ("POST", format!("{alias}/:repair?{VERSION}")),
        ("GET", vpcs.clone()),
        ("GET", format!("{vpcs}/vpc-1")),
        ("PUT", format!("{vpcs}/vpc-1")),
        ("PATCH", format!("{vpcs}/vpc-1")),
        ("DELETE", format!("{vpcs}/vpc-1")),
        ("POST", format!("{vpcs}/:put")),
        ("GET", statuses.to_owned()),
        ("GET", format!("{statuses}/{id}")),
    ] {
        let body = if method == "PUT" || method == "PATCH" { vpc(true) } else { Value::Null };
        let body = if path.ends_with(&format!("rg?{VERSION}")) { Value::Null } else { body };
        let refused = server.call(method, &path, body).await;
        assert_eq!(refused.refused(404), "PlaneNotFound", "{method} {path}");
    }
    // Nor is anything made whose resources would go there.
    let mut body = vpc(true);
    body["mapsTo"] = json!({"scope": vpcs});
    let refused = server.put(&crate::server::alias("net"), body).await;
    assert_eq!(refused.refused(404), "PlaneNotFound");
    assert_eq!(refused.json()["error"]["target"], "/mapsTo/scope");
    let scope = json!({"properties": {"providers": {"aws": {"scope": aws}}}});
    let refused = server.call("PATCH", &format!("{GROUP}?{VERSION}"), scope).await;
    assert_eq!(refused.refused(404), "PlaneNotFound");
    assert_eq!(server.writes().await, 0);
}

#[tokio::test]
async fn other_planes_hold_groups_and_resources_as_the_first_do() {
    let server = Server::start().await;
    server.put(&path("radius/Blue"), json!({})).await.ok(201);
    server.put(&path("aws/Second"), json!({})).await.ok(201);
    let scope = SCOPE.replace("/aws/aws/", "/aws/second/");
    let group = "/planes/radius/BLUE/resourceGroups/Rg";
    let body = json!({"properties": {"providers": {"aws": {"scope": scope}}}});
    let made = server.put(&format!("{group}?{VERSION}"), body).await.ok(201);
    assert_eq!(made["id"], "/planes/radius/Blue/resourceGroups/Rg", "the plane keeps its spelling");
    let kept = SCOPE.replace("/aws/aws/", "/aws/Second/");
    assert_eq!(made["properties"]["providers"]["aws"]["scope"], kept);

    let alias = "/planes/radius/blue/resourceGroups/RG/providers/AWS.EC2/VPC:reference/net";
    let made = server.put(&format!("{alias}?{VERSION}"), vpc(true)).await.ok(201);
    let id = "/planes/radius/Blue/resourceGroups/Rg/providers/AWS.EC2/VPC:reference/net";
    assert_eq!(made["id"], id, "plane and group keep their spelling");
    assert_eq!(made["mapsTo"]["scope"], format!("{kept}/providers/AWS.EC2/VPC"));
    let identifier = made["mapsTo"]["primaryIdentifier"].as_str().unwrap();
    let by_id = format!("{scope}/providers/AWS.EC2/VPC/{identifier}");
    let shown = server.get(&by_id).await.ok(200);
    assert_eq!((&shown["trackedBy"], &shown["alias"]), (&json!(id), &json!("net")));
    assert_eq!(shown["id"], format!("{kept}/providers/AWS.EC2/VPC/{identifier}"));

    // A group of the same name in another plane is another group.
    let local = format!("/planes/radius/local/resourceGroups/rg?{VERSION}");
    server.put(&local, json!({})).await.ok(201);
    assert_eq!(server.get(&local).await.ok(200)["resources"], json!([]));
    let listed = server.get("/planes/radius/blue/resourceGroups").await.ok(200);
    assert_eq!(ids(&listed), ["/planes/radius/Blue/resourceGroups/Rg"]);

    // Operations are known in every plane; a group's name is one of the plane that is asked.
    let statuses = "/planes/radius/blue/providers/System.Resources/operationStatuses";
    let ours = server.get(&format!("{statuses}?group=rg")).await.ok(200);
    assert_eq!(ours["value"][0]["reference"], id);
    let name = ours["value"][0]["name"].as_str().unwrap();
    server.get(&format!("{statuses}/{name}")).await.ok(200);

    for plane in ["radius/blue", "aws/second"] {
        let refused = server.call("DELETE", &path(plane), Value::Null).await;
        assert_eq!(refused.refused(409), "PlaneNotEmpty", "{plane}");
        assert_eq!(refused.header("retry-after"), "");
    }
    server.call("DELETE", &format!("{alias}?{VERSION}"), Value::Null).await.ok(200);
    server.call("DELETE", &path("aws/second"), Value::Null).await.ok(200);
    server.call("DELETE", &format!("{group}?{VERSION}"), Value::Null).await.ok(200);
    server.call("DELETE", &path("radius/blue"), Value::Null).await.ok(200);
}
