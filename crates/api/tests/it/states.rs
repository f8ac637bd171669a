//! Terraform's HTTP backend: who is let in, what is kept byte for byte, who holds the lock, what the history tells.

use hangar_plan::operation::OperationId;
use serde_json::{Value, json};

use crate::recipes::{Kept, action, deploy, id, name};
use crate::server::{Reply, Server, TOKEN};

fn state_path(name: &str) -> String {
    format!("{}/state", id(name))
}

/// A state as Terraform writes it, of a serial.
fn content(serial: u64) -> String {
    format!(
        "{{\n  \"version\": 4,\n  \"terraform_version\": \"1.11.4\",\n  \"serial\": {serial},\n  \
         \"lineage\": \"line\",\n  \"outputs\": {{}},\n  \"resources\": []\n}}\n"
    )
}

/// A state with a value in it.
fn filled(serial: u64, text: &str) -> String {
    let output = format!("{{\"o\": {{\"value\": \"{text}\", \"type\": \"string\"}}}}");
    content(serial).replace("\"outputs\": {}", &format!("\"outputs\": {output}"))
}

fn lock(id: &str) -> Value {
    json!({"ID": id, "Operation": "OperationTypeApply", "Info": "i", "Who": "me@here",
        "Version": "1.11.4", "Created": "2024-01-01T00:00:00Z", "Path": ""})
}

async fn push(server: &Server, query: &str, text: &str) -> Reply {
    server.put_text("POST", &format!("{}{query}", state_path("net")), text).await
}

async fn with_recipe() -> Server {
    let server = Server::start().await;
    deploy(&server, "net").await.ok(201);
    server
}

#[tokio::test]
async fn a_state_is_given_out_as_it_was_handed_in() {
    let server = with_recipe().await;
    let none = server.get(&state_path("net")).await;
    assert_eq!((none.status, none.text.as_str()), (204, ""));
    let first = content(1);
    let kept = push(&server, "", &first).await.ok(200);
    assert_eq!((&kept["version"], &kept["serial"]), (&json!(1), &json!(1)));
    let got = server.get(&state_path("NET")).await;
    assert_eq!((got.status, got.text.as_str()), (200, first.as_str()));
    assert_eq!(
        (got.header("content-type"), got.header("cache-control")),
        ("application/json", "no-store")
    );
    push(&server, "", &content(2)).await.ok(200);
    assert_eq!(server.get(&state_path("net")).await.text, content(2));
    let old = server.get(&format!("{}?version=1", state_path("net"))).await;
    assert_eq!((old.status, old.text.as_str()), (200, first.as_str()));
    let gone = server.get(&format!("{}?version=3", state_path("net"))).await;
    assert_eq!(gone.refused(404), "ResourceNotFound");
}

#[tokio::test]
async fn what_is_no_state_is_refused_and_changes_nothing() {
    let server = with_recipe().await;
    push(&server, "", &content(1)).await.ok(200);
    for text in [
        "",
        "{",
        "[]",
        "{}",
        "\"x\"",
        "{\"version\": 99}",
        &content(2).replace("line\"", &format!("{}\"", "l".repeat(300))),
    ] {
        assert_eq!(push(&server, "", text).await.refused(400), "InvalidState", "{text}");
    }
    let mut request = server.request("POST", &state_path("net"), &json!({}));
    request.headers_mut().insert("content-type", "text/plain".parse().unwrap());
    assert_eq!(server.send(request).await.refused(415), "UnsupportedMediaType");
    assert_eq!(server.get(&state_path("net")).await.text, content(1));
    let none = server.put_text("POST", &state_path("none"), &content(1)).await;
    assert_eq!(none.refused(404), "ResourceNotFound");
}

#[tokio::test]
async fn a_lock_keeps_others_out_and_tells_them_who_has_it() {
    let server = with_recipe().await;
    let path = state_path("net");
    assert_eq!(server.call("LOCK", &path, lock("one")).await.ok(200), lock("one"));
    server.call("LOCK", &path, lock("one")).await.ok(200);
    let held = server.call("LOCK", &path, lock("two")).await;
    assert_eq!((held.status, held.json()), (423, lock("one")));
    for query in ["", "?ID=two"] {
        let held = push(&server, query, &content(1)).await;
        assert_eq!((held.status, held.json()), (423, lock("one")), "{query}");
    }
    push(&server, "?ID=one", &content(1)).await.ok(200);
    let held = server.call("UNLOCK", &path, lock("two")).await;
    assert_eq!((held.status, held.json()), (423, lock("one")));
    for body in [Value::Null, json!({}), json!({"ID": ""}), json!([])] {
        for method in ["LOCK", "UNLOCK"] {
            let wrong = server.call(method, &path, body.clone()).await;
            assert_eq!(wrong.refused(400), "InvalidRequestContent", "{method} {body}");
        }
    }
    server.call("UNLOCK", &path, lock("one")).await.ok(200);
    server.call("UNLOCK", &path, lock("one")).await.ok(200);
    assert_eq!(push(&server, "?ID=one", &content(2)).await.refused(409), "Conflict");
    assert_eq!(server.get(&path).await.text, content(1), "who lost the lock writes nothing");
    for method in ["LOCK", "UNLOCK"] {
        let none = server.call(method, &state_path("none"), lock("one")).await;
        assert_eq!(none.refused(404), "ResourceNotFound");
    }
}

#[tokio::test]
async fn the_history_and_the_lock_are_told() {
    let server = with_recipe().await;
    push(&server, "", &content(1)).await.ok(200);
    push(&server, "", &content(5)).await.ok(200);
    server.call("LOCK", &state_path("net"), lock("one")).await.ok(200);
    let told = server.get(&format!("{}/stateVersions", id("net"))).await.ok(200);
    assert_eq!(told["current"], 2);
    let numbers: Vec<_> =
        told["value"].as_array().unwrap().iter().map(|it| &it["version"]).collect();
    assert_eq!(numbers, [&json!(2), &json!(1)]);
    let newest = &told["value"][0];
    assert_eq!((&newest["serial"], &newest["lineage"]), (&json!(5), &json!("line")));
    assert_eq!((&newest["stray"], &newest["instances"]), (&json!(false), &json!(0)));
    assert_eq!(newest["size"], content(5).len());
    assert_eq!(newest["digest"].as_str().unwrap().len(), 64);
    assert_eq!(newest.get("operation"), None, "nobody's run wrote it");
    let held = &told["lock"];
    assert_eq!((&held["id"], &held["who"]), (&json!("one"), &json!("me@here")));
    assert_eq!((&held["operation"], &held["info"]), (&json!("OperationTypeApply"), &json!("i")));
    assert!(held["ageSeconds"].as_u64().unwrap() < 60);

    let shown = server.get(&id("net")).await.ok(200);
    let state = &shown["properties"]["state"];
    assert_eq!((&state["version"], &state["serial"]), (&json!(2), &json!(5)));
    assert_eq!(state["lock"]["id"], "one");
    let listed = server.get(id("").trim_end_matches('/')).await.ok(200);
    assert_eq!(listed["value"][0]["properties"].get("state"), None);
}

#[tokio::test]
async fn a_lock_is_freed_by_hand() {
    let server = with_recipe().await;
    server.call("LOCK", &state_path("net"), lock("one")).await.ok(200);
    let free = async |body: Value| server.call("POST", &action("net", "unlock"), body).await;
    assert_eq!(free(Value::Null).await.refused(409), "Conflict", "a run is under way");
    let other = free(json!({"lockId": "two", "force": true})).await;
    assert_eq!(other.refused(409), "Conflict");
    assert_eq!(free(json!({"force": 1})).await.refused(400), "InvalidRequestContent");
    let freed = free(json!({"force": true})).await.ok(200);
    assert_eq!((&freed["lock"]["id"], &freed["lock"]["who"]), (&json!("one"), &json!("me@here")));
    assert_eq!(free(json!({"force": true})).await.ok(200), json!({"lock": null}));
    assert_eq!(free(json!({"lockId": "one", "force": true})).await.ok(200), json!({"lock": null}));
    server.call("LOCK", &state_path("net"), lock("two")).await.ok(200);
}

fn basic(user: &str, password: &str) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::from("Basic ");
    for piece in format!("{user}:{password}").as_bytes().chunks(3) {
        let mut held = 0_usize;
        for index in 0..3 {
            held = held << 8 | usize::from(piece.get(index).copied().unwrap_or(0));
        }
        for index in 0..4 {
            let digit = char::from(DIGITS[held >> (18 - 6 * index) & 63]);
            text.push(if index <= piece.len() { digit } else { '=' });
        }
    }
    text
}

#[tokio::test]
async fn the_token_opens_as_a_password_too_and_nothing_else_does() {
    let server = with_recipe().await;
    push(&server, "", &content(1)).await.ok(200);
    let ask = async |method: &str, path: &str, given: Option<&str>, body: Value| {
        let mut request = server.request(method, path, &body);
        match given {
            Some(given) => {
                drop(request.headers_mut().insert("authorization", given.parse().unwrap()));
            }
            None => drop(request.headers_mut().remove("authorization")),
        }
        server.send(request).await
    };
    let path = state_path("net");
    for user in ["", "anybody", "0191f3a8-7c2e-7abc-8def-0123456789ab-1"] {
        assert_eq!(ask("GET", &path, Some(&basic(user, TOKEN)), Value::Null).await.status, 200);
    }
    let mut told = Vec::new();
    for given in [
        None,
        Some("Bearer wrong".to_owned()),
        Some("Basic !".to_owned()),
        Some(basic("x", "wrong")),
        Some(basic(TOKEN, "")),
        Some(basic("0191f3a8-7c2e-7abc-8def-0123456789ab-1", "wrong")),
    ] {
        for (method, path, body) in [
            ("GET", path.clone(), Value::Null),
            ("POST", path.clone(), json!({})),
            ("LOCK", path.clone(), lock("x")),
            ("UNLOCK", path.clone(), lock("x")),
            ("GET", state_path("none"), Value::Null),
        ] {
            let refused = ask(method, &path, given.as_deref(), body).await;
            assert_eq!(refused.refused(401), "AuthenticationFailed", "{method} {given:?}");
            assert!(refused.header("www-authenticate").starts_with("Basic "));
            told.push(refused.text);
        }
    }
    told.dedup();
    assert_eq!(told.len(), 1, "what was wrong is not told");
    for path in [id("net"), format!("{}/stateVersions", id("net")), action("net", "listSecrets")] {
        let refused = ask("GET", &path, Some(&basic("x", TOKEN)), Value::Null).await;
        assert_eq!(refused.refused(401), "AuthenticationFailed", "{path}");
        assert!(refused.header("www-authenticate").starts_with("Bearer "));
    }
}

/// What a run shows: its name, and the word that only the server's keys make.
fn word_of(server: &Server, recipe: &str, bits: u128, run: u32) -> (String, String) {
    let user = format!("{}-{run}", OperationId::from_u128(bits));
    let word = server.keys.mac("terraform-run", &user, &Value::from(name(recipe).key()));
    (user, word)
}

#[tokio::test]
async fn a_run_is_let_in_to_the_state_of_its_own_recipe_and_to_nothing_else() {
    let server = Server::start().await;
    Kept::running("net", 7).keep(&server).await;
    Kept::running("other", 8).keep(&server).await;
    let ask = async |method: &str, path: &str, (user, word): &(String, String), body: Value| {
        let mut request = server.request(method, path, &body);
        request.headers_mut().insert("authorization", basic(user, word).parse().unwrap());
        server.send(request).await
    };
    let own = word_of(&server, "net", 7, 2);
    let path = state_path("Net");
    assert_eq!(ask("GET", &path, &own, Value::Null).await.status, 204);
    ask("LOCK", &path, &own, lock("run")).await.ok(200);
    let state: Value = serde_json::from_str(&content(1)).unwrap();
    let kept = ask("POST", &format!("{path}?ID=run"), &own, state).await.ok(200);
    let operation = OperationId::from_u128(7).to_string();
    assert_eq!(kept["operation"], operation);
    let told = server.get(&format!("{}/stateVersions", id("net"))).await.ok(200);
    assert_eq!(told["lock"]["hangarOperation"], operation);
    assert_eq!(told["value"][0]["operation"], operation);
    assert_eq!(ask("PUT", &path, &own, Value::Null).await.refused(405), "MethodNotAllowed");
    ask("UNLOCK", &path, &own, lock("run")).await.ok(200);

    for (path, who) in [
        (state_path("other"), own.clone()),
        (state_path("none"), own.clone()),
        (id("net"), own.clone()),
        (format!("{}/stateVersions", id("net")), own.clone()),
        (action("net", "listSecrets"), own.clone()),
        (action("net", "unlock"), own.clone()),
        (crate::server::GROUP.to_owned(), own.clone()),
        // Another run of the same operation, one of no operation, a word for another recipe's run.
        (path.clone(), word_of(&server, "net", 7, 1)),
        (path.clone(), word_of(&server, "net", 9, 2)),
        (path.clone(), (own.0.clone(), word_of(&server, "other", 7, 2).1)),
        (path.clone(), word_of(&server, "net", 8, 2)),
    ] {
        for method in ["GET", "POST"] {
            let refused = ask(method, &path, &who, json!({})).await;
            assert_eq!(refused.refused(401), "AuthenticationFailed", "{method} {path}");
        }
    }
    let bearer = format!("Bearer {}", own.1);
    let refused = server.call_with("GET", &path, Value::Null, &[("authorization", &bearer)]).await;
    assert_eq!(refused.refused(401), "AuthenticationFailed");
}

#[tokio::test]
async fn a_run_that_is_over_is_let_in_no_more() {
    let server = Server::start().await;
    Kept::of("net", 7, 0).keep(&server).await;
    let (user, word) = word_of(&server, "net", 7, 2);
    let given = basic(&user, &word);
    let refused = server
        .call_with("GET", &state_path("net"), Value::Null, &[("authorization", &given)])
        .await;
    assert_eq!(refused.refused(401), "AuthenticationFailed");
}

#[tokio::test]
async fn a_large_state_is_kept_and_one_that_is_too_large_is_not() {
    let server = with_recipe().await;
    let large = filled(1, &"x".repeat(12 << 20));
    push(&server, "", &large).await.ok(200);
    let got = server.get(&state_path("net")).await;
    assert!(got.status == 200 && got.text == large, "longer than any other answer may be");
    let long = filled(2, &"x".repeat(64 << 20));
    assert_eq!(push(&server, "", &long).await.refused(413), "RequestEntityTooLarge");
}

#[tokio::test]
async fn no_state_and_no_secret_parameter_is_stored_in_the_clear() {
    let server = with_recipe().await;
    push(&server, "", &filled(1, "hush-hush-state")).await.ok(200);
    let stored = server.stored_bytes();
    let holds = |text: &str| stored.windows(text.len()).any(|it| it == text.as_bytes());
    assert!(stored.is_empty() || holds("./hello"), "it was looked where it is kept");
    assert!(!holds("terraform_version") && !holds("hush-hush"));
}
