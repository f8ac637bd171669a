//! Who is let in, what is read of a request, health, and how a server stops.

use std::time::Duration;

use bytes::Bytes;
use http::Method;
use http_body_util::Full;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::server::{GROUP, Server, TOKEN, VERSION, alias, collection, vpc};

#[tokio::test]
async fn the_token_is_needed_for_all_but_health() {
    let server = Server::start().await;
    for path in [GROUP, "", "/nowhere"] {
        let mut request = server.request("GET", path, &Value::Null);
        request.headers_mut().remove("authorization");
        let refused = server.send(request).await;
        assert_eq!(refused.refused(401), "AuthenticationFailed");
        assert_eq!(refused.header("www-authenticate"), "Bearer realm=\"hangar\"");
        let wrong = [("authorization", "Bearer a-token-of-others")];
        server.call_with("GET", path, Value::Null, &wrong).await.refused(401);
    }
    for (path, needs) in [("/healthz", false), ("/readyz", false), ("/metrics", true)] {
        let mut request = server.request("GET", "", &Value::Null);
        *request.uri_mut() = path.parse().unwrap();
        let with = server.send(request.clone()).await;
        assert_eq!(with.status, 200, "{path}");
        request.headers_mut().remove("authorization");
        assert_eq!(server.send(request.clone()).await.status, if needs { 401 } else { 200 });
        *request.method_mut() = Method::POST;
        request.headers_mut().insert("authorization", format!("Bearer {TOKEN}").parse().unwrap());
        assert_eq!(server.send(request).await.refused(405), "MethodNotAllowed");
    }
}

#[tokio::test]
async fn health_and_metrics_tell_what_they_should() {
    let server = Server::start_alone().await;
    server.put(&alias("net"), vpc(true)).await.ok(201);
    let outside = async |path: &str| {
        let mut request = server.request("GET", "", &Value::Null);
        *request.uri_mut() = path.parse().unwrap();
        server.send(request).await
    };
    let expected = json!({"status": "ok", "instance": "instance-1", "version": "0.0.0"});
    assert_eq!(outside("/healthz").await.json(), expected);
    assert_eq!(outside("/readyz").await.json(), expected);
    let text = outside("/metrics").await.text;
    for line in [
        "hangar_references 1",
        "hangar_requests_total{route=\"reference.put\",status=\"201\"} 1",
        "hangar_aws_calls_total{call=\"create-resource\",outcome=\"ok\"} 1",
        "hangar_operations_ended_total{kind=\"put\",outcome=\"created\"} 1",
    ] {
        assert!(text.lines().any(|it| it == line), "{line} is not in:\n{text}");
    }
    assert_eq!(server.get("").await.ok(200)["kind"], "APIResourceList");
}

#[tokio::test]
async fn the_server_gives_out_what_it_is_as_a_document() {
    let server = Server::start().await;
    let document = server.get("/openapi.json").await.ok(200);
    assert_eq!(document["openapi"], "3.0.3");
    let url = format!("http://{}", server.serving.address);
    assert_eq!(document["servers"], json!([{ "url": url }]));
    let base = server.url().replace(&url, "");
    assert!(document["paths"][format!("{base}/openapi.json")]["get"].is_object());
    assert!(document["paths"]["/healthz"]["get"].is_object());
    let mut request = server.request("GET", "/openapi.json", &Value::Null);
    request.headers_mut().remove("authorization");
    assert_eq!(server.send(request).await.refused(401), "AuthenticationFailed");
}

#[tokio::test]
async fn a_store_that_is_broken_is_not_ready_and_the_process_is_still_there() {
    let server = Server::start().await;
    server.tamper("DROP TABLE key_check").await;
    let outside = async |path: &str| {
        let mut request = server.request("GET", "", &Value::Null);
        *request.uri_mut() = path.parse().unwrap();
        server.send(request).await
    };
    let refused = outside("/readyz").await;
    let body = refused.ok(503);
    assert_eq!((&body["status"], &body["instance"]), (&json!("unavailable"), &json!("instance-1")));
    assert!(!refused.text.contains("key_check") && !refused.text.contains(".db"), "{refused:#?}");
    assert_eq!(outside("/healthz").await.ok(200)["status"], "ok");
}

#[tokio::test]
async fn other_hosts_and_other_pages_are_refused() {
    let server = Server::start().await;
    let with = async |name: &'static str, value: &str| {
        server.call_with("GET", GROUP, Value::Null, &[(name, value)]).await
    };
    assert_eq!(with("host", "evil.example").await.refused(421), "MisdirectedRequest");
    assert_eq!(with("host", "localhost:1").await.status, 200);
    assert_eq!(with("origin", "https://evil.example").await.refused(403), "ForeignOrigin");
    let own = format!("http://{}", server.serving.address);
    assert_eq!(with("origin", &own).await.status, 200);
}

#[tokio::test]
async fn every_answer_has_its_ids() {
    let server = Server::start().await;
    let ids = [
        ("x-ms-correlation-request-id", "c-1"),
        ("x-ms-client-request-id", "mine"),
        ("x-ms-return-client-request-id", "true"),
    ];
    let one = server.call_with("GET", GROUP, Value::Null, &ids).await;
    assert_eq!(one.header("x-ms-correlation-request-id"), "c-1");
    assert_eq!(one.header("x-ms-client-request-id"), "mine");
    let two = server.get("/nowhere").await;
    assert_ne!(one.header("x-ms-request-id"), two.header("x-ms-request-id"));
    assert_eq!(two.header("x-ms-correlation-request-id").len(), 36);
    assert_eq!(two.header("x-ms-client-request-id"), "");
}

#[tokio::test]
async fn bodies_are_json_whole_and_not_too_long() {
    let server = Server::start().await;
    let path = format!("{}/:put", collection("AWS.EC2/VPC"));
    let send = async |text: String, media: &'static str, path: &str| {
        let mut request = server.request("POST", path, &Value::Null);
        *request.body_mut() = Full::new(Bytes::from(text));
        request.headers_mut().insert("content-type", media.parse().unwrap());
        server.send(request).await
    };
    let json = "application/json";
    assert_eq!(send("{}".into(), "text/plain", &path).await.refused(415), "UnsupportedMediaType");
    let twice = send(r#"{"properties": {"A": 1, "A": 2}}"#.into(), json, &path).await;
    assert_eq!(twice.refused(400), "InvalidRequestContent");
    assert!(twice.text.contains("line 1, column"), "{twice:#?}");
    let deep = format!("{{\"properties\": {}{}}}", "[".repeat(70), "]".repeat(70));
    assert_eq!(send(deep, json, &path).await.refused(400), "InvalidRequestContent");
    let long = format!("{{\"properties\": {{\"A\": \"{}\"}}}}", "x".repeat(512 << 10));
    assert_eq!(send(long, json, &path).await.refused(413), "RequestEntityTooLarge");
    let longish = json!({"location": "x".repeat(65 << 10)});
    let group = format!("{GROUP}?{VERSION}");
    assert_eq!(server.put(&group, longish).await.refused(413), "RequestEntityTooLarge");
}

/// What comes back for bytes as they are, which say that the connection is to be closed: a caller that
/// closes its own side before the answer is there has gone away, and is not answered.
async fn raw(server: &Server, bytes: &[u8]) -> String {
    let mut stream = tokio::net::TcpStream::connect(server.serving.address).await.unwrap();
    stream.write_all(bytes).await.unwrap();
    let mut text = Vec::new();
    stream.read_to_end(&mut text).await.unwrap();
    String::from_utf8_lossy(&text).into_owned()
}

#[tokio::test]
async fn odd_bytes_are_answered_and_not_crashed_on() {
    let server = Server::start().await;
    let path = "/apis/api.ucp.dev/v1alpha3";
    for (line, status) in [
        (format!("GET {path}/planes/radius/../aws HTTP/1.1"), "400"),
        (format!("GET {path}/planes/radius/a%00 HTTP/1.1"), "400"),
        (format!("GET {path}///planes HTTP/1.1"), "400"),
        // As Azure's SDK for JavaScript writes it.
        (format!("GET {path}//planes HTTP/1.1"), "200"),
        (format!("GET {path}/planes/radius/local?$top=%zz HTTP/1.1"), "400"),
        (format!("GET http://evil.example{path}/planes HTTP/1.1"), "421"),
        (format!("FROB {path}{GROUP} HTTP/1.1"), "405"),
        (String::from("OPTIONS * HTTP/1.1"), "404"),
        (String::from("GET /elsewhere HTTP/1.1"), "404"),
    ] {
        let head = format!(
            "{line}\r\nhost: localhost\r\nauthorization: Bearer {TOKEN}\r\nconnection: close\r\n\r\n"
        );
        let reply = raw(&server, head.as_bytes()).await;
        assert!(reply.starts_with(&format!("HTTP/1.1 {status}")), "{line}: {reply}");
    }
    let without_host = format!(
        "GET {path}{GROUP} HTTP/1.1\r\nauthorization: Bearer {TOKEN}\r\nconnection: close\r\n\r\n"
    );
    assert!(raw(&server, without_host.as_bytes()).await.starts_with("HTTP/1.1 421"));
    assert_eq!(server.get(GROUP).await.status, 200);
}

#[tokio::test]
async fn a_server_that_stops_lets_running_requests_end() {
    let server = Server::start_slow().await;
    let address = server.serving.address;
    let request = server.request("PUT", &alias("net"), &vpc(true));
    let path = request.uri().clone();
    let body = vpc(true).to_string();
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let head = format!(
        "PUT {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {TOKEN}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\nprefer: wait=1\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    // Its operation is there, so the request is being answered.
    while server.get(&alias("net")).await.status != 200 {
        tokio::task::yield_now().await;
    }
    let stopped = tokio::time::timeout(Duration::from_secs(6), server.serving.stop()).await;
    assert!(stopped.is_ok());
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    assert!(text.starts_with("HTTP/1.1 201"), "{text}");
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
    server.engine.stop().await;
}
