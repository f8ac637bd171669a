//! References: create, no-op, update, import, detach, delete; by plain PUT, GET and DELETE.

use serde_json::{Value, json};

use crate::server::{GROUP, SCOPE, Server, VERSION, alias, collection, tracked_by, vpc};

/// No asynchronous header is on an answer that is final.
fn is_final(reply: &crate::server::Reply) -> bool {
    ["azure-asyncoperation", "location", "retry-after"]
        .iter()
        .all(|name| !reply.headers.contains_key(*name))
}

#[tokio::test]
async fn the_first_put_creates_the_same_does_nothing_another_updates() {
    let server = Server::start().await;
    let created = server.put(&alias("net"), vpc(true)).await;
    let body = created.ok(201);
    assert!(is_final(&created), "{created:#?}");
    assert_eq!(body["id"], tracked_by("net"));
    assert_eq!(body["properties"]["provisioningState"], "Succeeded");
    assert_eq!(body["properties"]["CidrBlock"], "10.0.0.0/16");
    assert_eq!(body["mapsTo"]["scope"], collection("AWS.EC2/VPC"));
    assert!(body["mapsTo"]["primaryIdentifier"].as_str().unwrap().starts_with("vpc-"));
    assert_eq!(body["ownedResource"], true);
    assert_eq!(created.header("etag"), body["etag"].as_str().unwrap());
    assert_eq!(body.get("status"), None, "a poller would take it for the operation's");
    let writes = server.writes().await;

    let same = server.put(&alias("NET"), vpc(true)).await;
    assert_eq!(same.ok(200)["name"], "net");
    assert!(is_final(&same));
    assert_eq!(server.writes().await, writes);
    assert_eq!(same.header("etag"), created.header("etag"));

    let updated = server.put(&alias("net"), vpc(false)).await.ok(200);
    assert_eq!(updated["properties"]["EnableDnsSupport"], false);
    assert_eq!(updated["mapsTo"], body["mapsTo"]);
    assert_eq!(server.writes().await, writes + 1);
}

#[tokio::test]
async fn what_a_get_answered_can_be_put_back() {
    let server = Server::start().await;
    server.put(&alias("net"), vpc(true)).await.ok(201);
    let shown = server.get(&alias("net")).await.ok(200);
    let writes = server.writes().await;
    let again = server.put(&alias("net"), shown.clone()).await.ok(200);
    assert_eq!(again["mapsTo"], shown["mapsTo"]);
    assert_eq!(server.writes().await, writes);
    let mut wrong = shown;
    wrong["properties"]["provisioningState"] = "Creating".into();
    assert_eq!(server.put(&alias("net"), wrong).await.refused(400), "InvalidRequestContent");
}

#[tokio::test]
async fn a_reference_is_found_deleted_and_deleted_again() {
    let server = Server::start().await;
    server.put(&alias("net"), vpc(true)).await.ok(201);
    assert_eq!(server.call("HEAD", &alias("net"), Value::Null).await.status, 204);
    assert_eq!(server.call("HEAD", &alias("other"), Value::Null).await.status, 404);
    server.call("DELETE", &alias("net"), Value::Null).await.ok(200);
    assert_eq!(server.get(&alias("net")).await.refused(404), "ResourceNotFound");
    let again = server.call("DELETE", &alias("net"), Value::Null).await;
    assert_eq!((again.status, again.text.as_str()), (204, ""));
    let conditional = [("if-match", "*")];
    let again = server.call_with("DELETE", &alias("net"), Value::Null, &conditional).await;
    assert_eq!(again.status, 204);
    let listed = server.get(&collection("AWS.EC2/VPC")).await.ok(200);
    assert_eq!(listed["value"], json!([]));
}

#[tokio::test]
async fn what_exists_is_imported_not_owned_and_detached() {
    let server = Server::start().await;
    let made = server.call("POST", &format!("{}/:put", collection("AWS.EC2/VPC")), vpc(true)).await;
    let identifier = made.ok(201)["name"].as_str().unwrap().to_owned();
    let import = json!({"mapsTo": {"primaryIdentifier": identifier}});
    let imported = server.put(&alias("net"), import.clone()).await;
    let body = imported.ok(200);
    assert_eq!(body["ownedResource"], false);
    assert_eq!(body["properties"]["CidrBlock"], "10.0.0.0/16");
    // The same again is the same; under another alias it is refused.
    server
        .put(&alias("net"), json!({"mapsTo": {"primaryIdentifier": {"VpcId": identifier}}}))
        .await
        .ok(200);
    assert_eq!(server.put(&alias("other"), import).await.refused(409), "ResourceMapped");
    let none = json!({"mapsTo": {"primaryIdentifier": "vpc-none"}});
    assert_eq!(server.put(&alias("none"), none).await.refused(404), "ResourceNotFound");

    server.call("DELETE", &alias("net"), Value::Null).await.ok(200);
    let still = server.get(&format!("{}/{identifier}", collection("AWS.EC2/VPC"))).await.ok(200);
    assert_eq!(still.get("alias"), None);
}

#[tokio::test]
async fn a_create_only_change_is_409_with_the_paths_and_no_retry_after() {
    let server = Server::start().await;
    server.put(&alias("net"), vpc(true)).await.ok(201);
    let other = json!({"properties": {"CidrBlock": "10.1.0.0/16"}});
    let refused = server.put(&alias("net"), other).await;
    assert_eq!(refused.refused(409), "ReplaceRequired");
    assert_eq!(refused.json()["error"]["details"][0]["target"], "/CidrBlock");
    assert!(is_final(&refused));
    let shown = server.get(&alias("net")).await.ok(200);
    assert_eq!(shown["lastOperation"]["error"]["code"], "ReplaceRequired");
    let path = format!(
        "/planes/radius/local/providers/System.Resources/operationResults/{}",
        shown["lastOperation"]["id"].as_str().unwrap()
    );
    let status = server.get(&path).await;
    assert_eq!((status.status, status.text), (409, refused.text), "the same on the result URL");
}

#[tokio::test]
async fn wrong_properties_are_400_with_a_detail_for_each() {
    let server = Server::start().await;
    let wrong = json!({"properties": {"CidrBlok": "10.0.0.0/16", "EnableDnsSupport": "maybe"}});
    let refused = server.put(&alias("net"), wrong).await;
    assert_eq!(refused.refused(400), "InvalidProperties");
    let details = refused.json()["error"]["details"].take();
    let targets: Vec<&Value> =
        details.as_array().unwrap().iter().map(|detail| &detail["target"]).collect();
    assert_eq!(targets, ["/CidrBlok", "/EnableDnsSupport"], "{refused:#?}");
    assert_eq!(server.writes().await, 0);
    assert_eq!(server.get(&alias("net")).await.status, 404);
}

#[tokio::test]
async fn the_scope_is_the_requests_the_groups_or_nothing() {
    let server = Server::start().await;
    let elsewhere = "/planes/aws/aws/accounts/7/regions/us-east-1";
    let mut body = vpc(true);
    body["mapsTo"] = json!({"scope": format!("{elsewhere}/providers/AWS.EC2/VPC")});
    let made = server.put(&alias("far"), body.clone()).await.ok(201);
    assert_eq!(made["mapsTo"]["scope"], format!("{elsewhere}/providers/AWS.EC2/VPC"));
    // An existing reference keeps its own, and no other is taken.
    assert_eq!(server.put(&alias("far"), vpc(true)).await.ok(200)["mapsTo"], made["mapsTo"]);
    body["mapsTo"] = json!({"scope": SCOPE});
    assert_eq!(server.put(&alias("far"), body).await.refused(409), "ScopeMismatch");
    let bare = format!("/planes/radius/local/resourceGroups/bare?{VERSION}");
    server.put(&bare, json!({})).await.ok(201);
    let path = alias("net").replace("/Team/", "/bare/");
    assert_eq!(server.put(&path, vpc(true)).await.refused(400), "ScopeRequired");
    let path = alias("net").replace("/Team/", "/none/");
    assert_eq!(server.put(&path, vpc(true)).await.refused(404), "ResourceGroupNotFound");
}

#[tokio::test]
async fn conditions_guard_a_reference() {
    let server = Server::start().await;
    let put = async |name: &'static str, value: &str, dns: bool| {
        server.call_with("PUT", &alias("net"), vpc(dns), &[(name, value)]).await
    };
    assert_eq!(put("if-match", "*", true).await.refused(412), "PreconditionFailed");
    let made = put("if-none-match", "*", true).await;
    made.ok(201);
    assert_eq!(put("if-none-match", "*", true).await.refused(412), "PreconditionFailed");
    assert_eq!(put("if-match", "\"x\"", false).await.refused(412), "PreconditionFailed");
    put("if-match", made.header("etag"), false).await.ok(200);
    assert_eq!(put("if-match", made.header("etag"), true).await.refused(412), "PreconditionFailed");
}

#[tokio::test]
async fn a_live_look_is_shown_and_not_stored() {
    let server = Server::start().await;
    let made = server.put(&alias("net"), vpc(true)).await.ok(201);
    let identifier = made["mapsTo"]["primaryIdentifier"].as_str().unwrap();
    let change = json!({"account": "42", "region": "eu-central-1", "type": "AWS::EC2::VPC",
        "identifier": identifier, "properties": {"EnableDnsSupport": false}});
    server.control("PATCH", "resources", change).await;
    let live = server.get(&format!("{}&live=true", alias("net"))).await;
    assert_eq!(live.ok(200)["properties"]["EnableDnsSupport"], false);
    let stored = server.get(&alias("net")).await;
    assert_eq!(stored.ok(200)["properties"]["EnableDnsSupport"], true);
    assert_eq!(stored.header("etag"), live.header("etag"));
    let gone = format!(
        "resources?type=AWS::EC2::VPC&identifier={identifier}&account=42&region=eu-central-1"
    );
    server.control("DELETE", &gone, Value::Null).await;
    let live = server.get(&format!("{}&live=true", alias("net"))).await.ok(200);
    assert_eq!(live["state"], "missing");
    assert_eq!(server.get(&alias("net")).await.ok(200)["state"], "ready");
}

#[tokio::test]
async fn secrets_are_shown_nowhere() {
    let server = Server::start().await;
    let path = format!("{GROUP}/providers/AWS.SecretsManager/Secret:reference/pw?{VERSION}");
    let body = json!({"properties": {"Name": "pw", "SecretString": "canary-1", "Description": "canary-2"},
        "secretPaths": ["/Description"]});
    let made = server.put(&path, body.clone()).await;
    made.ok(201);
    let mut seen = vec![made.text];
    let identifier = server.get(&path).await.ok(200)["mapsTo"]["primaryIdentifier"].clone();
    let by_id = identifier.as_str().unwrap().replace('/', "%2F");
    for path in [
        path.clone(),
        format!("{path}&live=true"),
        GROUP.to_owned(),
        format!("{GROUP}/resources"),
        format!("{}/{by_id}", collection("AWS.SecretsManager/Secret")),
        "/planes/radius/local/providers/System.Resources/operationStatuses".to_owned(),
    ] {
        let reply = server.get(&path).await;
        reply.ok(200);
        seen.push(reply.text);
    }
    for text in seen {
        assert!(!text.contains("canary"), "{text}");
    }
    let writes = server.writes().await;
    server.put(&path, body).await.ok(200);
    assert_eq!(server.writes().await, writes);
}

#[tokio::test]
async fn a_put_that_names_what_it_maps_updates_it_and_never_creates() {
    let server = Server::start().await;
    let made = server.put(&alias("net"), vpc(true)).await.ok(201);
    let identifier = made["mapsTo"]["primaryIdentifier"].as_str().unwrap();
    let mut body = vpc(false);
    body["mapsTo"] = json!({"primaryIdentifier": identifier});
    let changed = server.put(&alias("net"), body.clone()).await.ok(200);
    assert_eq!(changed["properties"]["EnableDnsSupport"], false);
    assert_eq!((&changed["mapsTo"], &changed["ownedResource"]), (&made["mapsTo"], &json!(true)));
    assert_eq!(server.writes().await, 2);
    // Under way it is 200 too: what is named is there.
    body["properties"]["EnableDnsSupport"] = true.into();
    let asked = [("prefer", "respond-async")];
    server.call_with("PUT", &alias("net"), body.clone(), &asked).await.ok(200);

    // Neither where the resource has gone, nor where the reference has, is another one made.
    let server = Server::start().await;
    assert_eq!(server.put(&alias("net"), body).await.refused(404), "ResourceNotFound");
    assert_eq!(server.writes().await, 0);
    assert_eq!(server.get(&alias("net")).await.status, 404);
}

#[tokio::test]
async fn a_secret_path_that_names_nothing_is_refused_before_any_call() {
    let server = Server::start().await;
    let with = |path: &str| json!({"properties": {"Name": "pw", "SecretString": "canary"}, "secretPaths": [path]});
    let reference = format!("{GROUP}/providers/AWS.SecretsManager/Secret:reference/pw?{VERSION}");
    let secrets = collection("AWS.SecretsManager/Secret");
    for (method, path) in
        [("PUT", reference), ("PUT", format!("{secrets}/pw")), ("POST", format!("{secrets}/:put"))]
    {
        for (pointer, says) in [
            ("/SecretStrin", "did you mean `/SecretString`?"),
            ("", "is not a JSON pointer"),
            ("/a~2", "is not a JSON pointer"),
        ] {
            let refused = server.call(method, &path, with(pointer)).await;
            assert_eq!(refused.refused(400), "InvalidSecretPath", "{method} {path}");
            assert!(
                refused.text.contains(says) && !refused.text.contains("canary"),
                "{refused:#?}"
            );
        }
    }
    assert_eq!(server.writes().await, 0);
}

#[tokio::test]
async fn what_is_disowned_stays_when_its_alias_is_deleted() {
    let server = Server::start().await;
    let made = server.put(&alias("net"), vpc(true)).await.ok(201);
    let identifier = made["mapsTo"]["primaryIdentifier"].as_str().unwrap();
    let writes = server.writes().await;
    let disowned = server.put(&alias("net"), json!({"ownedResource": false})).await.ok(200);
    assert_eq!(disowned["ownedResource"], false);
    let shown = server.get(&alias("net")).await.ok(200);
    assert_eq!((&shown["ownedResource"], &shown["mapsTo"]), (&json!(false), &made["mapsTo"]));
    server.call("DELETE", &alias("net"), Value::Null).await.ok(200);
    assert_eq!(server.get(&alias("net")).await.status, 404);
    let path = format!("{}/{identifier}", collection("AWS.EC2/VPC"));
    assert_eq!(server.get(&path).await.ok(200)["name"], identifier);
    assert_eq!(server.writes().await, writes);
}

#[tokio::test]
async fn what_is_owned_again_is_deleted_with_its_alias() {
    let server = Server::start().await;
    let made = server.call("POST", &format!("{}/:put", collection("AWS.EC2/VPC")), vpc(true)).await;
    let identifier = made.ok(201)["name"].as_str().unwrap().to_owned();
    let import = json!({"mapsTo": {"primaryIdentifier": identifier}});
    assert_eq!(server.put(&alias("net"), import).await.ok(200)["ownedResource"], false);
    let owned = server.put(&alias("net"), json!({"ownedResource": true})).await.ok(200);
    assert_eq!(owned["ownedResource"], true);
    server.call("DELETE", &alias("net"), Value::Null).await.ok(200);
    let path = format!("{}/{identifier}", collection("AWS.EC2/VPC"));
    assert_eq!(server.get(&path).await.refused(404), "ResourceNotFound");
}

#[tokio::test]
async fn a_name_that_another_alias_has_is_refused_without_a_call() {
    let server = Server::start().await;
    let path = |name: &str| alias(name).replace("AWS.EC2/VPC", "AWS.S3/Bucket");
    let bucket = json!({"properties": {"BucketName": "one-name"}});
    server.put(&path("one"), bucket.clone()).await.ok(201);
    let writes = server.writes().await;
    assert_eq!(server.put(&path("two"), bucket).await.refused(409), "ResourceMapped");
    assert_eq!(server.writes().await, writes);
    assert_eq!(server.get(&path("two")).await.status, 404);
}

/// An alias behind which a create was sent, and lost.
async fn unknown(server: &Server) {
    for fault in [
        json!({"operation": "CreateResource", "effect": "drop-reply", "when": "before"}),
        json!({"operation": "CreateResource", "effect": "exception",
            "exception": "InvalidCredentialsException", "message": "revoked"}),
    ] {
        server.control("POST", "faults", fault).await;
    }
    let wait = [("prefer", "wait=30")];
    for _ in 0..2 {
        let refused = server.call_with("PUT", &alias("net"), vpc(true), &wait).await;
        assert_eq!(refused.refused(409), "AliasUnknown");
    }
    let shown = server.get(&alias("net")).await.ok(200);
    assert_eq!(shown["state"], "unknown");
    assert_eq!(shown["properties"]["provisioningState"], "Failed");
}

#[tokio::test]
async fn an_unknown_alias_takes_what_its_caller_names() {
    let server = Server::start().await;
    unknown(&server).await;
    let made = server.call("POST", &format!("{}/:put", collection("AWS.EC2/VPC")), vpc(true)).await;
    let identifier = made.ok(201)["name"].clone();
    let adopt = json!({"mapsTo": {"primaryIdentifier": identifier}, "ownedResource": true});
    let adopted = server.put(&alias("net"), adopt).await.ok(200);
    assert_eq!((&adopted["state"], &adopted["ownedResource"]), (&json!("ready"), &json!(true)));
    assert_eq!(adopted["mapsTo"]["primaryIdentifier"], identifier);
    assert_eq!(server.put(&alias("net"), vpc(false)).await.ok(200)["mapsTo"], adopted["mapsTo"]);
    server.call("DELETE", &alias("net"), Value::Null).await.ok(200);
    assert_eq!(server.get(&collection("AWS.EC2/VPC")).await.ok(200)["value"], json!([]));
}

#[tokio::test]
async fn an_unknown_alias_is_abandoned_by_a_detach() {
    let server = Server::start().await;
    unknown(&server).await;
    let detach = format!("{}&mode=detach", alias("net"));
    server.call("DELETE", &detach, Value::Null).await.ok(200);
    assert_eq!(server.get(&alias("net")).await.refused(404), "ResourceNotFound");
    assert_eq!(server.put(&alias("net"), vpc(true)).await.ok(201)["state"], "ready");
}

#[tokio::test]
async fn what_cannot_be_read_is_put_by_the_name_that_its_alias_maps() {
    let server = Server::start().await;
    let path = alias("policy").replace("AWS.EC2/VPC", "AWS.SQS/QueuePolicy");
    let mut body = json!({"properties": {"PolicyDocument": {}, "Queues": ["q-1"]}});
    let made = server.put(&path, body.clone()).await.ok(201);
    body["mapsTo"] = made["mapsTo"].clone();
    assert_eq!(server.put(&path, body.clone()).await.ok(200)["mapsTo"], made["mapsTo"]);
    assert_eq!(server.writes().await, 1);
    // Under an alias that does not map it, it would be an import.
    let refused = server.put(&path.replace("policy", "other"), body).await;
    assert_eq!(refused.refused(400), "UnsupportedAction");
}
