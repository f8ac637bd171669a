//! What ARM clients rely on, held line by line for every noun: codes, tags, words, URLs, headers.
//!
//! Each table is one claim of the contract; what is particular to one noun has its test elsewhere, and
//! what asynchronous operations promise is in `polling`.

use serde_json::{Value, json};

use crate::server::{
    GROUP, Reply, SCOPE, Server, TOKEN, VERSION, alias, collection, tracked_by, vpc,
};

/// A thing that can be made, shown, changed and deleted: where, of what, and what its absence is called.
struct Noun {
    path: String,
    body: Value,
    change: Value,
    absent: &'static str,
    has_tag: bool,
    /// What its deletion answers when it is not there.
    gone: u16,
}

fn nouns() -> [Noun; 4] {
    [
        Noun {
            path: format!("/planes/aws/two?{VERSION}"),
            body: json!({"location": "a"}),
            change: json!({"location": "b"}),
            absent: "PlaneNotFound",
            has_tag: true,
            gone: 204,
        },
        Noun {
            path: format!("/planes/radius/local/resourceGroups/two?{VERSION}"),
            body: json!({"location": "a"}),
            change: json!({"location": "b"}),
            absent: "ResourceGroupNotFound",
            has_tag: true,
            gone: 404,
        },
        Noun {
            path: alias("two"),
            body: vpc(true),
            change: vpc(false),
            absent: "ResourceNotFound",
            has_tag: true,
            gone: 204,
        },
        Noun {
            path: format!("{}/topic-two?{VERSION}", collection("AWS.Logs/LogGroup")),
            body: json!({"properties": {"RetentionInDays": 7}}),
            change: json!({"properties": {"RetentionInDays": 14}}),
            absent: "ResourceNotFound",
            has_tag: false,
            gone: 204,
        },
    ]
}

/// No answer that is final says where to ask on.
pub(crate) fn assert_final(reply: &Reply) {
    for name in ["azure-asyncoperation", "location", "retry-after"] {
        assert_eq!(reply.header(name), "", "{reply:#?}");
    }
}

#[tokio::test]
async fn every_noun_has_the_codes_of_the_contract() {
    let server = Server::start().await;
    for Noun { path, body, change, absent, gone, .. } in nouns() {
        // Absent.
        assert_eq!(server.get(&path).await.refused(404), absent, "{path}");
        let head = server.call("HEAD", &path, Value::Null).await;
        assert_eq!((head.status, head.text.as_str()), (404, ""), "HEAD has no body: {path}");
        assert_eq!(server.call("PATCH", &path, change.clone()).await.refused(404), absent);
        let deleted = server.call("DELETE", &path, Value::Null).await;
        assert_eq!(deleted.status, gone, "{path}");
        assert_eq!(deleted.text.is_empty(), gone == 204);
        // Made, the same, changed.
        let made = server.put(&path, body.clone()).await;
        let shown = made.ok(201);
        assert_final(&made);
        assert_eq!(shown["properties"]["provisioningState"], "Succeeded", "{path}");
        for member in ["id", "name", "type"] {
            assert!(shown[member].is_string(), "{member} of {path}");
        }
        assert_eq!(shown.get("status"), None, "a poller would take it for an operation's");
        let last = shown["id"].as_str().unwrap().rsplit('/').next().unwrap();
        assert_eq!(shown["name"], last);
        for (member, value) in body["properties"].as_object().into_iter().flatten() {
            assert_eq!(&shown["properties"][member], value, "a body holds what was asked for");
        }
        let same = server.put(&path, body.clone()).await;
        assert_eq!(same.ok(200)["id"], shown["id"]);
        assert_final(&same);
        assert_eq!(server.get(&path).await.ok(200)["id"], shown["id"]);
        let head = server.call("HEAD", &path, Value::Null).await;
        assert_eq!((head.status, head.text.as_str()), (204, ""), "{path}");
        let changed = server.call("PATCH", &path, change).await;
        assert_eq!(changed.ok(200)["id"], shown["id"]);
        assert_final(&changed);
        // Deleted, and deleted again.
        let wait = [("prefer", "wait=30")];
        let deleted = server.call_with("DELETE", &path, Value::Null, &wait).await;
        deleted.ok(200);
        assert_final(&deleted);
        assert_eq!(server.call("DELETE", &path, Value::Null).await.status, gone, "{path}");
        assert_eq!(server.get(&path).await.refused(404), absent);
    }
}

#[tokio::test]
async fn tags_are_one_in_head_and_body_and_guard_every_write() {
    let server = Server::start().await;
    for Noun { path, body, change, absent, gone, has_tag } in nouns() {
        let with = async |method: &str, name: &'static str, value: &str| {
            let body = if method == "PATCH" { change.clone() } else { body.clone() };
            server.call_with(method, &path, body, &[(name, value)]).await
        };
        if !has_tag {
            server.put(&path, body.clone()).await.ok(201);
            for (method, name) in
                [("PUT", "if-match"), ("PATCH", "if-match"), ("DELETE", "if-none-match")]
            {
                let refused = with(method, name, "*").await;
                assert_eq!(refused.refused(400), "ConditionNotSupported", "{method} {path}");
            }
            continue;
        }
        // Absent.
        for value in ["*", "\"x\""] {
            assert_eq!(with("PUT", "if-match", value).await.refused(412), "PreconditionFailed");
            assert_eq!(with("PATCH", "if-match", value).await.refused(404), absent, "{path}");
            assert_eq!(with("DELETE", "if-match", value).await.status, gone, "{path}");
        }
        let made = with("PUT", "if-none-match", "*").await;
        made.ok(201);
        // Present.
        assert_eq!(with("PUT", "if-none-match", "*").await.refused(412), "PreconditionFailed");
        for method in ["PUT", "PATCH", "DELETE"] {
            let refused = with(method, "if-match", "\"x\"").await;
            assert_eq!(refused.refused(412), "PreconditionFailed", "{method} {path}");
            assert_final(&refused);
            let both = [("if-match", "*"), ("if-none-match", "*")];
            let refused = server.call_with(method, &path, body.clone(), &both).await;
            assert_eq!(refused.refused(400), "InvalidHeader", "{method} {path}");
        }
        let changed = with("PATCH", "if-match", made.header("etag")).await;
        changed.ok(200);
        assert_ne!(made.header("etag"), changed.header("etag"), "{path}");
        for reply in [&made, &changed, &server.get(&path).await] {
            assert_eq!(reply.json()["etag"], reply.header("etag"), "{path}");
            assert!(
                reply.header("etag").starts_with('"') && !reply.header("etag").starts_with("W/")
            );
        }
        let head = server.call("HEAD", &path, Value::Null).await;
        assert_eq!(head.header("etag"), changed.header("etag"), "{path}");
        let read = with("GET", "if-match", "\"x\"").await;
        assert_eq!(read.refused(412), "PreconditionFailed", "{path}");
        assert_eq!(with("DELETE", "if-match", made.header("etag")).await.status, 412, "{path}");
        with("DELETE", "if-match", changed.header("etag")).await.ok(200);
    }
}

#[tokio::test]
async fn a_state_that_is_sent_back_is_ignored_and_another_refused() {
    let server = Server::start().await;
    for Noun { path, body, .. } in nouns() {
        let with = |state: &str| {
            let mut body = body.clone();
            body["properties"]["provisioningState"] = state.into();
            body
        };
        server.put(&path, body.clone()).await.ok(201);
        for method in ["PUT", "PATCH"] {
            server.call(method, &path, with("Succeeded")).await.ok(200);
            for state in ["Failed", "Creating", "succeeded", ""] {
                let refused = server.call(method, &path, with(state)).await;
                assert_eq!(refused.refused(400), "InvalidRequestContent", "{method} {path}");
            }
        }
    }
}

#[tokio::test]
async fn versions_are_well_formed_and_needed_where_the_contract_is_ours() {
    let server = Server::start().await;
    for (index, Noun { path, body, .. }) in nouns().into_iter().enumerate() {
        let bare = path.split('?').next().unwrap();
        server.put(&path, body.clone()).await.ok(201);
        server.get(bare).await.ok(200);
        let is_aws = index == 3;
        for method in ["PUT", "PATCH", "DELETE"] {
            if !is_aws {
                let refused = server.call(method, bare, body.clone()).await;
                assert_eq!(refused.refused(400), "MissingApiVersionParameter", "{method} {bare}");
            }
            for version in ["", "1", "2023-13-01", "2023-10-01-x", "latest"] {
                let odd = format!("{bare}?api-version={version}");
                let refused = server.call(method, &odd, body.clone()).await;
                assert_eq!(refused.refused(400), "InvalidApiVersionParameter", "{method} {odd}");
            }
        }
        for version in ["2023-10-01", "2020-01-31-alpha", "1999-12-31-PRIVATEPREVIEW"] {
            server.put(&format!("{bare}?API-Version={version}"), body.clone()).await.ok(200);
        }
    }
}

#[tokio::test]
async fn lists_are_empty_or_404_where_what_they_are_in_is_not() {
    let server = Server::start().await;
    let empty = format!("/planes/radius/local/resourceGroups/empty?{VERSION}");
    server.put(&empty, json!({})).await.ok(201);
    server.put(&format!("/planes/radius/bare?{VERSION}"), json!({})).await.ok(201);
    let statuses = "/planes/radius/local/providers/System.Resources/operationStatuses";
    for path in [
        "/planes/radius/bare/resourceGroups".to_owned(),
        "/planes/radius/local/resourceGroups/empty/resources".to_owned(),
        "/planes/radius/local/resourceGroups/empty/providers/AWS.EC2/VPC:reference".to_owned(),
        collection("AWS.EC2/VPC"),
        statuses.to_owned(),
    ] {
        let list = server.get(&path).await;
        assert_eq!(list.ok(200), json!({"value": []}), "{path}");
        assert_final(&list);
    }
    for (path, code) in [
        ("/planes/radius/none/resourceGroups".to_owned(), "PlaneNotFound"),
        ("/planes/radius/local/resourceGroups/none/resources".to_owned(), "ResourceGroupNotFound"),
        (SCOPE.replace("aws/aws", "aws/none") + "/providers/AWS.EC2/VPC", "PlaneNotFound"),
    ] {
        assert_eq!(server.get(&path).await.refused(404), code);
    }
}

#[tokio::test]
async fn a_page_holds_at_most_what_was_asked_for_and_links_absolutely() {
    let server = Server::start().await;
    for name in ["a", "b", "c"] {
        server.put(&alias(name), vpc(true)).await.ok(201);
        let group = format!("/planes/radius/local/resourceGroups/g-{name}?{VERSION}");
        server.put(&group, json!({})).await.ok(201);
    }
    let statuses = "/planes/radius/local/providers/System.Resources/operationStatuses";
    for path in [
        "/planes/radius/local/resourceGroups".to_owned(),
        format!("{GROUP}/resources"),
        format!("{GROUP}/providers/AWS.EC2/VPC:reference"),
        collection("AWS.EC2/VPC"),
        statuses.to_owned(),
    ] {
        let forged = [("x-forwarded-host", "evil.example"), ("referer", "http://evil.example/")];
        let asked = format!("{path}?$top=2&{VERSION}");
        let page = server.call_with("GET", &asked, Value::Null, &forged).await.ok(200);
        assert_eq!(page["value"].as_array().unwrap().len(), 2, "{path}");
        let link = page["nextLink"].as_str().unwrap();
        assert!(link.starts_with(&format!("{}/planes/", server.url())), "{link}");
        assert!(link.contains(VERSION) && link.contains("$top=2"), "{link}");
        let rest = server.follow(link).await.ok(200);
        let last = rest["value"].as_array().unwrap().len();
        assert!((1..=2).contains(&last), "{rest:#}");
        if last < 2 {
            assert_eq!(rest.get("nextLink"), None, "absent, and not empty");
        }
        for top in ["0", "-1", "1001", "x", "", "1e2"] {
            let refused = server.get(&format!("{path}?$top={top}")).await;
            assert_eq!(refused.refused(400), "InvalidQueryParameter", "{path} {top}");
        }
    }
}

#[tokio::test]
async fn ids_keep_their_case_compare_without_it_and_may_be_260_long() {
    let server = Server::start().await;
    let longest = "x".repeat(260);
    let made = server.put(&alias(&longest), vpc(true)).await.ok(201);
    assert_eq!(made["name"], longest.as_str());
    assert_eq!(server.get(&alias(&longest)).await.ok(200)["id"], made["id"]);
    assert_eq!(server.put(&alias(&"x".repeat(261)), vpc(true)).await.refused(400), "InvalidAlias");
    let group =
        |length| format!("/planes/radius/local/resourceGroups/{}?{VERSION}", "g".repeat(length));
    server.put(&group(90), json!({})).await.ok(201);
    assert_eq!(server.put(&group(91), json!({})).await.refused(400), "InvalidResourceGroupName");

    let odd = server.put(&alias("My%20Net"), vpc(true)).await.ok(201);
    assert_eq!(
        (&odd["name"], &odd["id"]),
        (&json!("My Net"), &json!(tracked_by("My Net"))),
        "no encoding in ids"
    );
    let shouted = alias("MY%20NET").replace("planes/radius", "PLANES/Radius");
    let shown = server.get(&shouted.replace("resourceGroups/Team", "RESOURCEGROUPS/tEAM")).await;
    assert_eq!(shown.ok(200)["id"], odd["id"], "the first spelling is kept");
    // What AWS names keeps its case: these are two.
    let logs = collection("AWS.Logs/LogGroup");
    server.put(&format!("{logs}/one"), json!({"properties": {}})).await.ok(201);
    assert_eq!(server.get(&format!("{logs}/ONE")).await.refused(404), "ResourceNotFound");
}

#[tokio::test]
async fn every_answer_of_every_kind_has_its_ids_and_is_not_cached() {
    let server = Server::start().await;
    let mut seen = std::collections::HashSet::new();
    for (method, path, authorization) in [
        ("GET", GROUP.to_owned(), TOKEN),
        ("GET", "/nowhere".to_owned(), TOKEN),
        ("GET", GROUP.to_owned(), "wrong"),
        ("HEAD", GROUP.to_owned(), TOKEN),
        ("POST", GROUP.to_owned(), TOKEN),
        ("DELETE", alias("none"), TOKEN),
        ("PUT", alias("net"), TOKEN),
    ] {
        let token = format!("Bearer {authorization}");
        let reply = server.call_with(method, &path, vpc(true), &[("authorization", &token)]).await;
        assert!(seen.insert(reply.header("x-ms-request-id").to_owned()), "{method} {path}");
        assert_eq!(reply.header("x-ms-correlation-request-id").len(), 36);
        assert_eq!(reply.header("cache-control"), "no-cache");
        assert_eq!(reply.header("x-content-type-options"), "nosniff");
        assert_eq!(reply.header("access-control-allow-origin"), "");
        if !reply.text.is_empty() {
            assert_eq!(reply.header("content-type"), "application/json", "{method} {path}");
        }
    }
}

#[tokio::test]
async fn tags_have_arms_limits_and_system_data_changes_with_its_caller_only() {
    let server = Server::start().await;
    let many = |count: usize| -> Value {
        (0..count)
            .map(|it| (format!("t{it}"), json!("v")))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    for path in [format!("{GROUP}?{VERSION}"), format!("/planes/aws/aws?{VERSION}")] {
        server.put(&path, json!({"tags": many(50)})).await.ok(200);
        for tags in [many(51), json!({"n".repeat(513): "v"}), json!({"n": "v".repeat(257)})] {
            let refused = server.put(&path, json!({"tags": tags})).await;
            assert_eq!(refused.refused(400), "InvalidRequestContent", "{path}");
        }
        let before = server.get(&path).await.ok(200);
        let same = server.put(&path, json!({"tags": many(50)})).await.ok(200);
        assert_eq!(same["systemData"], before["systemData"], "{path}");
        let changed = server.call("PATCH", &path, json!({"location": "x"})).await.ok(200);
        assert_eq!(changed["systemData"]["createdAt"], before["systemData"]["createdAt"]);
        assert!(
            changed["systemData"]["lastModifiedAt"].as_str()
                > before["systemData"]["lastModifiedAt"].as_str()
        );
    }
}

#[tokio::test]
async fn a_credential_has_the_codes_and_tags_of_the_contract_too() {
    let server = Server::start().await;
    let all = "/planes/aws/aws/providers/System.AWS/credentials";
    let path = format!("{all}/42?{VERSION}");
    let body = json!({"properties": {"kind": "AccessKey", "accessKeyId": "AKIAX",
        "secretAccessKey": "canary"}});
    let with = async |method: &str, name: &'static str, value: &str| {
        server.call_with(method, &path, body.clone(), &[(name, value)]).await
    };
    assert_eq!(server.get(all).await.ok(200), json!({"value": []}));
    assert_eq!(server.get(&path).await.refused(404), "ResourceNotFound");
    assert_eq!(server.call("HEAD", &path, Value::Null).await.status, 404);
    assert_eq!(with("PUT", "if-match", "*").await.refused(412), "PreconditionFailed");
    assert_eq!(with("DELETE", "if-match", "*").await.status, 204);
    let made = with("PUT", "if-none-match", "*").await;
    assert_eq!(made.ok(201)["etag"], made.header("etag"));
    assert_final(&made);
    assert_eq!(with("PUT", "if-none-match", "*").await.refused(412), "PreconditionFailed");
    assert_eq!(with("DELETE", "if-match", "\"x\"").await.refused(412), "PreconditionFailed");
    let head = server.call("HEAD", &path, Value::Null).await;
    assert_eq!((head.status, head.header("etag")), (204, made.header("etag")));
    assert_eq!(server.call("PATCH", &path, body.clone()).await.refused(405), "MethodNotAllowed");
    let mut with_state = body.clone();
    with_state["properties"]["provisioningState"] = "Succeeded".into();
    server.put(&path, with_state.clone()).await.ok(200);
    with_state["properties"]["provisioningState"] = "Failed".into();
    assert_eq!(server.put(&path, with_state).await.refused(400), "InvalidRequestContent");
    let bare = path.split('?').next().unwrap();
    assert_eq!(server.put(bare, body.clone()).await.refused(400), "MissingApiVersionParameter");
    let none = server.put(&path.replace("aws/aws", "aws/none"), body.clone()).await;
    assert_eq!(none.refused(404), "PlaneNotFound");
    let refused = server.call("DELETE", &format!("/planes/aws/aws?{VERSION}"), Value::Null).await;
    assert_eq!(refused.refused(409), "PlaneNotEmpty");
    server.call("DELETE", &path, Value::Null).await.ok(200);
}
