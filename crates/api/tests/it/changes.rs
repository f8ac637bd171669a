//! What changes of a reference or a resource without a whole PUT: PATCH, `:rename`.

use hangar_simulator::core::habits::added::AddedHabits;
use hangar_simulator::core::settings::Settings;
use serde_json::{Value, json};

use crate::server::{GROUP, Server, VERSION, alias, collection, tracked_by, vpc};

const ASYNC: [(&str, &str); 1] = [("prefer", "respond-async")];

#[tokio::test]
async fn a_patch_changes_what_it_states_and_leaves_the_rest() {
    let server = Server::start().await;
    let both = json!({"properties": {"CidrBlock": "10.0.0.0/16", "EnableDnsSupport": true,
        "EnableDnsHostnames": true}});
    let made = server.put(&alias("net"), both).await.ok(201);
    let patch = json!({"properties": {"EnableDnsHostnames": false}});
    let changed = server.call("PATCH", &alias("net"), patch.clone()).await;
    let body = changed.ok(200);
    assert_eq!(body["id"], made["id"]);
    assert_eq!(body["etag"], changed.header("etag"));
    assert_eq!(body["properties"]["EnableDnsSupport"], true);
    assert_eq!(body["properties"]["EnableDnsHostnames"], false);
    assert_eq!(
        body["appliedProperties"],
        json!({"CidrBlock": "10.0.0.0/16", "EnableDnsSupport": true, "EnableDnsHostnames": false})
    );
    let writes = server.writes().await;
    server.call("PATCH", &alias("net"), patch).await.ok(200);
    assert_eq!(server.writes().await, writes, "the same again writes nothing");
    // What a GET answered is a patch that changes nothing.
    let shown = server.get(&alias("net")).await.ok(200);
    server.call("PATCH", &alias("net"), shown).await.ok(200);
    assert_eq!(server.writes().await, writes);
    let refused = server
        .call("PATCH", &alias("net"), json!({"properties": {"CidrBlock": "10.1.0.0/16"}}))
        .await;
    assert_eq!(refused.refused(409), "ReplaceRequired");
}

#[tokio::test]
async fn a_patch_of_nothing_is_404_whatever_its_condition() {
    let server = Server::start().await;
    for conditions in [&[][..], &[("if-match", "*")], &[("if-match", "\"x\"")]] {
        let refused = server.call_with("PATCH", &alias("none"), vpc(true), conditions).await;
        assert_eq!(refused.refused(404), "ResourceNotFound", "{conditions:?}");
    }
    let elsewhere = alias("none").replace("/Team/", "/none/");
    let refused = server.call("PATCH", &elsewhere, vpc(true)).await;
    assert_eq!(refused.refused(404), "ResourceGroupNotFound");
    let by_id = format!("{}/vpc-none", collection("AWS.EC2/VPC"));
    let refused = server.call("PATCH", &by_id, vpc(true)).await;
    assert_eq!(refused.refused(404), "ResourceNotFound");
    assert_eq!(server.writes().await, 0);
    let made = server.put(&alias("net"), vpc(true)).await;
    made.ok(201);
    let stale = [("if-match", "\"x\"")];
    let refused = server.call_with("PATCH", &alias("net"), vpc(false), &stale).await;
    assert_eq!(refused.refused(412), "PreconditionFailed");
    let right = [("if-match", made.header("etag"))];
    server.call_with("PATCH", &alias("net"), vpc(false), &right).await.ok(200);
}

#[tokio::test]
async fn an_unfinished_patch_is_202_and_its_result_is_the_reference() {
    let server = Server::start().await;
    server.put(&alias("net"), vpc(true)).await.ok(201);
    let by_id = {
        let shown = server.get(&alias("net")).await.ok(200);
        let identifier = shown["mapsTo"]["primaryIdentifier"].as_str().unwrap().to_owned();
        format!("{}/{identifier}", collection("AWS.EC2/VPC"))
    };
    for (path, dns, id) in [(alias("net"), false, tracked_by("net")), (by_id.clone(), true, by_id)]
    {
        let begun = server.call_with("PATCH", &path, vpc(dns), &ASYNC).await;
        assert_eq!((begun.status, begun.text.as_str()), (202, ""), "{path}");
        let mut result = server.follow(begun.header("location")).await;
        while result.status == 202 {
            tokio::task::yield_now().await;
            result = server.follow(begun.header("location")).await;
        }
        let body = result.ok(200);
        assert_eq!(
            (&body["id"], &body["properties"]["EnableDnsSupport"]),
            (&json!(id), &json!(dns))
        );
    }
}

#[tokio::test]
async fn owner_and_dependencies_change_alone_and_nothing_in_the_cloud() {
    let server = Server::start().await;
    server.put(&alias("first"), vpc(true)).await.ok(201);
    let made = server.put(&alias("net"), vpc(true)).await.ok(201);
    let writes = server.writes().await;
    let patch = async |body: Value| server.call("PATCH", &alias("net"), body).await;
    let changed = patch(json!({"dependsOn": [tracked_by("first")]})).await.ok(200);
    assert_eq!(changed["dependsOn"], json!([tracked_by("first")]));
    assert_eq!((&changed["mapsTo"], &changed["ownedResource"]), (&made["mapsTo"], &json!(true)));
    assert_eq!(changed["appliedProperties"], made["appliedProperties"]);
    let changed = patch(json!({"ownedResource": false})).await.ok(200);
    assert_eq!(changed["ownedResource"], false);
    assert_eq!(changed["dependsOn"], json!([tracked_by("first")]), "what is left out stays");
    let changed = patch(json!({"ownedResource": true, "dependsOn": []})).await.ok(200);
    assert_eq!((&changed["ownedResource"], &changed["dependsOn"]), (&json!(true), &json!([])));
    assert_eq!(server.writes().await, writes);
    let put = json!({"properties": {"CidrBlock": "10.0.0.0/16", "EnableDnsSupport": true}});
    patch(json!({"dependsOn": [tracked_by("first")]})).await.ok(200);
    let again = server.put(&alias("net"), put).await.ok(200);
    assert_eq!(again["dependsOn"], json!([tracked_by("first")]), "a put that is silent keeps it");
}

#[tokio::test]
async fn what_a_patch_does_not_do_is_refused_by_name() {
    let server = Server::start().await;
    let made = server.put(&alias("net"), vpc(true)).await.ok(201);
    let elsewhere = "/planes/aws/aws/accounts/7/regions/us-east-1";
    for (body, target) in [
        (json!({"properties": {}, "replace": "allow"}), "/replace"),
        (json!({"properties": {}, "adopt": true}), "/adopt"),
        (json!({"mapsTo": {"primaryIdentifier": "vpc-2"}}), "/mapsTo/primaryIdentifier"),
        (json!({"mapsTo": {"scope": elsewhere}}), "/mapsTo/scope"),
        (json!({"properties": {}, "ownedResource": false}), "/ownedResource"),
        (json!({"dependsOn": [tracked_by("net")]}), "/dependsOn/0"),
        (json!({"dependsOn": ["x"]}), "/dependsOn/0"),
        (json!({"properties": {}, "secretPaths": ["/None"]}), "/secretPaths/0"),
        (json!({"properties": {"provisioningState": "Creating"}}), "/properties/provisioningState"),
    ] {
        let refused = server.call("PATCH", &alias("net"), body.clone()).await;
        assert_eq!(refused.status, 400, "{body}: {refused:#?}");
        assert_eq!(refused.json()["error"]["target"], target, "{body}");
    }
    let same = json!({"mapsTo": made["mapsTo"], "properties": {"EnableDnsSupport": false}});
    server.call("PATCH", &alias("net"), same).await.ok(200);
}

#[tokio::test]
async fn a_rename_keeps_everything_but_the_name() {
    let server = Server::start().await;
    let made = server.put(&alias("net"), vpc(true)).await.ok(201);
    server.put(&alias("taken"), vpc(true)).await.ok(201);
    let rename = |name: &str| alias(name).replace('?', "/:rename?");
    let to = |name: &str| json!({"alias": name});
    let writes = server.writes().await;
    let refused = server.call("POST", &rename("net"), to("taken")).await;
    assert_eq!(refused.refused(409), "AliasTaken");
    assert_eq!(refused.header("retry-after"), "");
    for (body, code) in [
        (to("a/b"), "InvalidAlias"),
        (to(&"x".repeat(261)), "InvalidAlias"),
        (json!({}), "InvalidRequestContent"),
        (Value::Null, "InvalidRequestContent"),
    ] {
        assert_eq!(server.call("POST", &rename("net"), body).await.refused(400), code);
    }
    let stale = [("if-match", "\"x\"")];
    let refused = server.call_with("POST", &rename("net"), to("new"), &stale).await;
    assert_eq!(refused.refused(412), "PreconditionFailed");
    let etag = made["etag"].as_str().unwrap();
    let renamed = server.call_with("POST", &rename("net"), to("New"), &[("if-match", etag)]).await;
    let body = renamed.ok(200);
    assert_eq!((&body["id"], &body["name"]), (&json!(tracked_by("New")), &json!("New")));
    assert_eq!(body["mapsTo"], made["mapsTo"]);
    assert_eq!(server.get(&alias("net")).await.refused(404), "ResourceNotFound");
    assert_eq!(server.put(&alias("new"), vpc(true)).await.ok(200)["mapsTo"], made["mapsTo"]);
    assert_eq!(server.writes().await, writes);
    // An answer that was lost: the same request again is done already, and another is not.
    let again = server.call("POST", &rename("net"), to("New")).await.ok(200);
    assert_eq!(again["id"], tracked_by("New"));
    assert_eq!(
        server.call("POST", &rename("net"), to("taken")).await.refused(404),
        "ResourceNotFound"
    );
}

#[tokio::test]
async fn a_tracked_put_takes_dependencies_and_an_untracked_one_does_not() {
    let server = Server::start().await;
    server.put(&alias("first"), vpc(true)).await.ok(201);
    let path = format!("{}/:put", collection("AWS.EC2/VPC"));
    for (member, value) in [
        ("replace", json!("allow")),
        ("adopt", json!(true)),
        ("dependsOn", json!([tracked_by("first")])),
    ] {
        let body = json!({"properties": {"CidrBlock": "10.0.0.0/16"}, member: value});
        let refused = server.call("POST", &path, body).await;
        assert_eq!(refused.refused(400), "InvalidRequestContent", "{member}");
    }
    let body = json!({"trackedBy": tracked_by("net"), "dependsOn": [tracked_by("first")],
        "properties": {"CidrBlock": "10.0.0.0/16"}});
    server.call("POST", &path, body).await.ok(201);
    let shown = server.get(&alias("net")).await.ok(200);
    assert_eq!(shown["dependsOn"], json!([tracked_by("first")]));
}

#[tokio::test]
async fn the_first_spelling_of_a_group_is_in_the_ids_of_what_is_made_in_it() {
    let server = Server::start().await;
    let shouted = format!("{}/providers/AWS.EC2/VPC:reference", GROUP.replace("Team", "TEAM"));
    let made = server.put(&format!("{shouted}/net?{VERSION}"), vpc(true)).await.ok(201);
    assert_eq!(made["id"], tracked_by("net"));
    let body =
        json!({"trackedBy": format!("{shouted}/two"), "properties": {"CidrBlock": "10.0.0.0/16"}});
    let path = format!("{}/:put", collection("AWS.EC2/VPC"));
    assert_eq!(server.call("POST", &path, body).await.ok(201)["trackedBy"], tracked_by("two"));
}

#[tokio::test]
async fn a_resource_is_replaced_only_where_that_is_allowed() {
    let server = Server::start().await;
    let made = server.put(&alias("net"), vpc(true)).await.ok(201);
    let other = |more: Value| {
        let mut body = json!({"properties": {"CidrBlock": "10.1.0.0/16"}});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let refused = server.put(&alias("net"), other(json!({}))).await;
    assert_eq!(refused.refused(409), "ReplaceRequired");
    let wait = [("prefer", "wait=30")];
    let body = other(json!({"replace": "allow"}));
    let replaced = server.call_with("PUT", &alias("net"), body, &wait).await.ok(200);
    assert_ne!(replaced["mapsTo"]["primaryIdentifier"], made["mapsTo"]["primaryIdentifier"]);
    assert_eq!(replaced["properties"]["CidrBlock"], "10.1.0.0/16");
    assert_eq!(replaced["retiring"], json!([]));
    let list = server.get(&collection("AWS.EC2/VPC")).await.ok(200);
    assert_eq!(list["value"].as_array().unwrap().len(), 1, "the old one is gone");
    // One that is named cannot be replaced, nor one that is not owned.
    let named = other(json!({"replace": "allow", "mapsTo": replaced["mapsTo"]}));
    let refused = server.put(&alias("net"), named).await;
    assert_eq!(refused.json()["error"]["target"], "/replace");
    server.call("PATCH", &alias("net"), json!({"ownedResource": false})).await.ok(200);
    let body = json!({"properties": {"CidrBlock": "10.2.0.0/16"}, "replace": "allow"});
    let refused = server.call_with("PUT", &alias("net"), body, &wait).await;
    assert_eq!(refused.refused(409), "NotOwned");
}

#[tokio::test]
async fn a_name_that_is_taken_is_adopted_only_where_that_is_asked_for() {
    let server = Server::start().await;
    let bucket = |name: &str| alias(name).replace("AWS.EC2/VPC", "AWS.S3/Bucket");
    let by_id = format!("{}/taken", collection("AWS.S3/Bucket"));
    server.put(&by_id, json!({"properties": {}})).await.ok(201);
    let mut body = json!({"properties": {"BucketName": "taken"}});
    assert_eq!(server.put(&bucket("one"), body.clone()).await.refused(409), "AlreadyExists");
    body["adopt"] = true.into();
    let wait = [("prefer", "wait=30")];
    let adopted = server.call_with("PUT", &bucket("one"), body, &wait).await.ok(200);
    assert_eq!(adopted["mapsTo"]["primaryIdentifier"], "taken");
    assert_eq!(adopted["ownedResource"], false, "what is taken in is not owned");
    server.call("DELETE", &bucket("one"), Value::Null).await.ok(200);
    server.get(&by_id).await.ok(200);
}

#[tokio::test]
async fn a_patch_that_would_lose_a_secret_is_refused_with_its_path() {
    let server = Server::start().await;
    let path = format!("{GROUP}/providers/AWS.SecretsManager/Secret:reference/pw?{VERSION}");
    let body = json!({"properties": {"Name": "pw", "SecretString": "canary", "Description": "a"}});
    server.put(&path, body).await.ok(201);
    let refused = server.call("PATCH", &path, json!({"properties": {"Description": "b"}})).await;
    assert_eq!(refused.refused(409), "WriteOnlyValuesRequired");
    assert_eq!(refused.json()["error"]["details"][0]["target"], "/SecretString");
    let with = json!({"properties": {"Description": "b", "SecretString": "canary"}});
    let changed = server.call("PATCH", &path, with).await;
    assert_eq!(changed.ok(200)["properties"]["Description"], "b");
    assert!(!changed.text.contains("canary") && !refused.text.contains("canary"));
}

#[tokio::test]
async fn learned_forms_are_shown_and_removed() {
    let habit = "AWS::EC2::VPC\t/Tags/*/Value\treplace\t{\"main\":\"MAIN NETWORK\"}\n";
    let server = Server::start_with(Settings {
        latency: "0..0".parse().unwrap(),
        habits: AddedHabits::read(habit).unwrap(),
        ..Settings::default()
    })
    .await;
    let tagged = |value: &str| json!({"properties": {"CidrBlock": "10.0.0.0/16", "Tags": [{"Key": "use", "Value": value}]}});
    server.put(&alias("net"), tagged("main")).await.ok(201);
    let shown = server.get(&alias("net")).await.ok(200);
    let form = &shown["learned"][0];
    assert_eq!(
        (&form["path"], &form["sent"]),
        (&json!("/Tags"), &json!([{"Key": "use", "Value": "main"}]))
    );
    assert_eq!(form["seen"], json!([{"Key": "use", "Value": "MAIN NETWORK"}]));
    assert!(form["learnedAt"].is_string());

    let act = |name: &str| alias(name).replace('?', "/:unlearn?");
    let unknown = server.call("POST", &act("net"), json!({"path": "/CidrBlock"})).await;
    assert_eq!(unknown.refused(400), "InvalidRequestContent");
    let odd = server.call("POST", &act("net"), json!({"paths": []})).await;
    assert_eq!(odd.refused(400), "InvalidRequestContent");
    assert_eq!(server.call("POST", &act("none"), json!({})).await.refused(404), "ResourceNotFound");
    let stale = [("if-match", "\"0\"")];
    let refused = server.call_with("POST", &act("net"), json!({}), &stale).await;
    assert_eq!(refused.refused(412), "PreconditionFailed");
    for _ in 0..2 {
        let emptied = server.call("POST", &act("net"), json!({})).await.ok(200);
        assert!(emptied.get("learned").is_none(), "{emptied:#}");
    }
}
