//! Stacks over a real socket, signed and unsigned, with assets from the control API.

use std::net::SocketAddr;
use std::path::Path;

use hangar_simulator::core::settings::Settings;
use hangar_simulator::server::{self, Exposure, Options, Running, Signatures};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::SHOP;
use crate::caller::{form, text};

struct Cloud(Running);

impl Cloud {
    async fn start(state: &Path) -> Self {
        let options = Options {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            exposure: Exposure::Loopback,
            state: Some(state.to_owned()),
            settings: Settings { latency: "0..0".parse().unwrap(), ..Settings::default() },
            signatures: Signatures::Read,
            faults: Vec::new(),
        };
        Self(server::start(options).await.unwrap())
    }

    async fn send(&self, line: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
        let mut head = vec![
            format!("{line} HTTP/1.1"),
            "host: localhost\r\nconnection: close".to_owned(),
            format!("content-length: {}", body.len()),
        ];
        head.extend(headers.iter().map(|(name, value)| format!("{name}: {value}")));
        let request = format!("{}\r\n\r\n{body}", head.join("\r\n"));
        let mut stream = TcpStream::connect(self.0.address()).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    async fn call(&self, key: Option<&str>, action: &str, given: &[(&str, &str)]) -> (u16, String) {
        let mut headers = vec![("content-type", "application/x-www-form-urlencoded")];
        let signature = key.map(|key| {
            format!(
                "AWS4-HMAC-SHA256 Credential={key}/20261116/eu-west-1/cloudformation/aws4_request, \
                 SignedHeaders=host;x-amz-date, Signature=00"
            )
        });
        headers.extend(signature.iter().map(|it| ("authorization", it.as_str())));
        self.send("POST /", &headers, &form(action, given)).await
    }
}

#[tokio::test]
async fn stacks_are_served_over_http_and_kept_over_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let cloud = Cloud::start(&path).await;

    let url = ("TemplateURL", "https://s3.eu-west-1.amazonaws.com/assets/a/shop.json");
    let (status, body) = cloud.call(Some("42"), "CreateStack", &[("StackName", "Shop"), url]).await;
    assert_eq!((status, text(&body, "Code").as_str()), (400, "ValidationError"), "{body}");
    assert!(text(&body, "Message").contains("PUT /_simulator/assets/assets/a/shop.json"), "{body}");
    let (status, body) = cloud.send("PUT /_simulator/assets/assets/a/shop.json", &[], SHOP).await;
    assert_eq!(status, 201, "{body}");
    let (_, body) = cloud.send("GET /_simulator/assets/assets/a/shop.json", &[], "").await;
    assert_eq!(serde_json::from_str::<Value>(&body).unwrap()["content"], json!(SHOP));

    let (status, body) = cloud.call(Some("42"), "CreateStack", &[("StackName", "Shop"), url]).await;
    assert_eq!(status, 200, "{body}");
    let id = text(&body, "StackId");
    assert!(id.starts_with("arn:aws:cloudformation:eu-west-1:000000000042:stack/Shop/"), "{id}");
    let (status, body) = cloud.call(Some("42"), "CreateStack", &[("StackName", "Shop"), url]).await;
    assert_eq!((status, text(&body, "Code").as_str()), (400, "AlreadyExistsException"));
    // Another account sees nothing of it; neither does a caller who does not sign.
    for key in [Some("43"), None] {
        let (status, body) = cloud.call(key, "DescribeStacks", &[("StackName", "Shop")]).await;
        assert_eq!((status, text(&body, "Code").as_str()), (400, "ValidationError"));
    }
    let (status, body) = cloud.call(None, "CreateStack", &[("StackName", "Mine"), url]).await;
    assert_eq!(status, 200, "{body}");
    cloud.0.stop().await.unwrap();

    let cloud = Cloud::start(&path).await;
    let (status, body) = cloud.call(Some("42"), "DescribeStacks", &[]).await;
    assert_eq!((status, text(&body, "StackId")), (200, id));
    let (_, body) = cloud.send("GET /_simulator/assets", &[], "").await;
    let listed: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(listed["assets"][0]["key"], "a/shop.json");
    let (_, body) = cloud.send("GET /_simulator/counters", &[], "").await;
    let counters: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(counters["byOperation"], json!({"DescribeStacks": 1}));
    for (line, expected) in [
        ("PUT /_simulator/assets/nothing", 400),
        ("DELETE /_simulator/assets/assets/a/shop.json", 200),
        ("DELETE /_simulator/assets/assets/a/shop.json", 404),
    ] {
        assert_eq!(cloud.send(line, &[], "x").await.0, expected, "{line}");
    }
    cloud.0.stop().await.unwrap();
}
