//! Answers that no AWS gives: cut, garbled, from something in between; and none at all.

use std::time::Duration;

use hangar_provider::{ErrorClass, Provider};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::cloud::{VPC, hasty_provider, nobody, place, provider, target};

/// Answers every request with these bytes and closes; without waiting for all of the request.
pub(crate) async fn answering(bytes: impl Into<String>) -> String {
    let bytes = bytes.into();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut some = [0; 1024];
            let _ = stream.read(&mut some).await;
            let _ = stream.write_all(bytes.as_bytes()).await;
            let _ = stream.shutdown().await;
            // Unread bytes would turn the end into a reset that can overtake the answer.
            while stream.read(&mut some).await.is_ok_and(|read| read > 0) {}
        }
    });
    url
}

const CUT: &str = "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{\"ProgressEvent\": {";

#[tokio::test]
async fn an_answer_that_cannot_be_used_leaves_a_write_unanswered() {
    for (answer, code) in [
        ("", "ConnectionLost"),
        ("HTTP/1.1 200 ", "ConnectionLost"),
        ("SSH-2.0-OpenSSH_9.6\r\n", "ConnectionLost"),
        (CUT, "UnreadableAnswer"),
        ("HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\n{\"Progr", "UnreadableAnswer"),
        ("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}", "UnreadableAnswer"),
        ("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", "UnreadableAnswer"),
        ("HTTP/1.1 302 Found\r\nlocation: /login\r\ncontent-length: 0\r\n\r\n", "Http302"),
        ("HTTP/1.1 404 Not Found\r\ncontent-length: 9\r\n\r\n<p>no</p>", "Http404"),
        ("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 9\r\n\r\n<p>no</p>", "Http502"),
        ("HTTP/1.1 500 Oh\r\ncontent-length: 16\r\n\r\n{\"__type\":\"New\"}", "New"),
    ] {
        let (provider, _) = provider(&answering(answer).await);
        let vpcs = target(VPC);
        let desired = json!({"CidrBlock": "10.0.0.0/16"});
        let error = provider.create(&vpcs, &desired, "t").await.unwrap_err();
        assert_eq!((error.class, error.code.as_str()), (ErrorClass::Unanswered, code), "{answer}");
        // A read that failed is no absence either.
        let error = provider.observe(&vpcs, "vpc-1").await.unwrap_err();
        assert_eq!(error.class, ErrorClass::Unanswered, "{answer}");
        for error in [
            provider.describe_type(&vpcs).await.unwrap_err(),
            provider.identity(&place()).await.unwrap_err(),
        ] {
            assert_eq!(error.class, ErrorClass::Unanswered, "{answer}: {error}");
        }
    }
}

#[tokio::test]
async fn a_code_is_believed_whatever_the_status_and_says_when_to_come_back() {
    let url = answering(
        "HTTP/1.1 503 Busy\r\nretry-after: 7\r\ncontent-length: 32\r\n\r\n\
         {\"__type\":\"ThrottlingException\"}",
    )
    .await;
    let (provider, _) = provider(&url);
    let error = provider.poll(&place(), "r").await.unwrap_err();
    assert_eq!(error.class, ErrorClass::Throttled);
    assert_eq!(error.retry_after, Some(Duration::from_secs(7)));
}

#[tokio::test]
async fn a_host_without_a_name_or_a_listener_is_unreachable() {
    for url in [nobody(), "http://no-such-host.invalid:1".to_owned()] {
        let (provider, _) = provider(&url);
        let error = provider.delete(&target(VPC), "vpc-1", "t").await.unwrap_err();
        assert_eq!(error.class, ErrorClass::Unreachable, "{url}: {error}");
        let error = provider.describe_type(&target(VPC)).await.unwrap_err();
        assert_eq!(error.class, ErrorClass::Unreachable, "{url}: {error}");
    }
}

#[tokio::test]
async fn a_connection_that_is_not_taken_in_time_is_unreachable() {
    // Nobody accepts, and the queue of those who wait is full.
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let mut waiting = Vec::new();
    for _ in 0..8 {
        let connect = tokio::net::TcpStream::connect(address);
        waiting.push(tokio::time::timeout(Duration::from_millis(50), connect).await);
    }
    let provider = hasty_provider(&format!("http://{address}"));
    let error = provider.delete(&target(VPC), "vpc-1", "t").await.unwrap_err();
    let told = (error.class, error.code.as_str());
    assert_eq!(told, (ErrorClass::Unreachable, "ConnectTimeout"), "{error}");
}

#[tokio::test]
async fn a_server_that_does_not_speak_tls_is_unreachable() {
    let url = answering("HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n").await;
    let (provider, _) = provider(&url.replace("http:", "https:"));
    let error = provider.delete(&target(VPC), "vpc-1", "t").await.unwrap_err();
    assert_eq!(error.class, ErrorClass::Unreachable, "{error}");
}

#[tokio::test]
async fn no_secret_is_shown() {
    let (provider, _) = provider(&nobody());
    provider.poll(&place(), "r").await.unwrap_err();
    let shown = format!("{provider:?}");
    assert!(!shown.contains("simulator"), "{shown}");
}
