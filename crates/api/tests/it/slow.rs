//! Callers that keep the server waiting are cut off, and others do not notice.

use std::time::{Duration, Instant};

use hangar_api::Patience;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::server::{GROUP, Server, TOKEN, VERSION, alias, vpc};

const SHORT: Duration = Duration::from_millis(300);
const LONG: Duration = Duration::from_mins(1);

/// What a connection says until it is closed, and how long that took.
async fn rest(stream: &mut TcpStream) -> (String, Duration) {
    let since = Instant::now();
    let mut bytes = Vec::new();
    // A reset is an end too.
    let _ = tokio::time::timeout(LONG, stream.read_to_end(&mut bytes)).await.unwrap();
    (String::from_utf8_lossy(&bytes).into_owned(), since.elapsed())
}

#[tokio::test]
async fn a_head_that_is_not_sent_ends_the_connection() {
    let patience = Patience { head: SHORT, ..Patience::default() };
    let server = Server::start_impatient(patience).await;
    for sent in ["", "GET / HT", "GET / HTTP/1.1\r\nhost: loc"] {
        let mut stream = TcpStream::connect(server.serving.address).await.unwrap();
        stream.write_all(sent.as_bytes()).await.unwrap();
        let (said, took) = rest(&mut stream).await;
        assert!(!said.contains("200") && took < LONG / 4, "{sent:?}: {said} after {took:?}");
    }
    // One that sends a byte now and then is no better off.
    let mut stream = TcpStream::connect(server.serving.address).await.unwrap();
    let since = Instant::now();
    let mut sent = 0;
    while stream.write_all(b"x").await.is_ok() && since.elapsed() < LONG / 4 {
        sent += 1;
        tokio::time::sleep(SHORT / 10).await;
    }
    assert!(since.elapsed() < LONG / 4, "{sent} bytes were taken");
}

#[tokio::test]
async fn a_connection_that_is_idle_is_closed() {
    let patience = Patience { head: SHORT, ..Patience::default() };
    let server = Server::start_impatient(patience).await;
    let mut stream = TcpStream::connect(server.serving.address).await.unwrap();
    stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
    let (said, took) = rest(&mut stream).await;
    assert!(said.starts_with("HTTP/1.1 200") && took < LONG / 4, "{said} after {took:?}");
    assert_eq!(said.matches("HTTP/1.1").count(), 1, "{said}");
}

#[tokio::test]
async fn a_body_that_dribbles_is_408_however_steadily_it_comes() {
    let patience = Patience { body: SHORT, ..Patience::default() };
    let server = Server::start_impatient(patience).await;
    let mut stream = TcpStream::connect(server.serving.address).await.unwrap();
    let path = server.request("PUT", &format!("{GROUP}?{VERSION}"), &json!({})).uri().clone();
    let head = format!(
        "PUT {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {TOKEN}\r\n\
         content-type: application/json\r\ncontent-length: 60000\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let (mut reading, mut writing) = stream.into_split();
    let dribbling = tokio::spawn(async move {
        while writing.write_all(b" ").await.is_ok() {
            tokio::time::sleep(SHORT / 10).await;
        }
    });
    let mut said = [0; 1024];
    let read = tokio::time::timeout(LONG / 4, reading.read(&mut said)).await.unwrap().unwrap();
    let said = String::from_utf8_lossy(&said[..read]);
    assert!(said.starts_with("HTTP/1.1 408") && said.contains("RequestTimeout"), "{said}");
    tokio::time::timeout(LONG / 4, dribbling).await.unwrap().unwrap();
}

#[tokio::test]
async fn an_answer_that_nobody_takes_ends_the_connection() {
    let patience = Patience { answer: SHORT, ..Patience::default() };
    let server = Server::start_impatient(patience).await;
    let large =
        json!({"properties": {"AssumeRolePolicyDocument": {"Statement": "x".repeat(250_000)}}});
    let role = |name: &str| alias(name).replace("AWS.EC2/VPC", "AWS.IAM/Role");
    server.put(&role("one"), large).await.ok(201);
    let path = server.request("GET", &role("one"), &json!(null)).uri().clone();
    let ask =
        format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {TOKEN}\r\n\r\n");
    let mut stream = TcpStream::connect(server.serving.address).await.unwrap();
    // As many as no socket's buffers hold.
    let asked = ask.repeat(200);
    let (mut reading, mut writing) = stream.split();
    let sending = async {
        // The server stops reading, and then closes: then this fails.
        let mut sent = 0;
        while writing.write_all(asked.as_bytes()).await.is_ok() {
            sent += 1;
        }
        sent
    };
    let sent = tokio::time::timeout(LONG / 2, sending).await;
    assert!(sent.is_ok(), "the connection is still there");
    let mut taken = Vec::new();
    let _ = tokio::time::timeout(LONG / 4, reading.read_to_end(&mut taken)).await.unwrap();
    // Others were served all the while.
    server.put(&alias("net"), vpc(true)).await.ok(201);
}
