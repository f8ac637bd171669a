//! What is logged: one span a request with its fields, and never a body or a token.

use std::io;
use std::sync::{Arc, Mutex};

use serde_json::json;

use crate::server::{Server, TOKEN, alias, collection};

/// Everything that was logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_request_is_logged_once_with_its_fields_and_without_its_body() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .json()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    // All that runs in this test runs in its thread.
    let guard = tracing::subscriber::set_default(subscriber);
    let server = Server::start().await;
    let secret =
        json!({"properties": {"CidrBlock": "10.99.0.0/16", "EnableDnsSupport": "canary-1"}});
    server.put(&alias("bad"), secret).await.refused(400);
    let bucket = json!({"properties": {"BucketName": "logged-1", "Tags": [{"Key": "k", "Value": "canary-2"}]}});
    server.put(&alias("good").replace("AWS.EC2/VPC", "AWS.S3/Bucket"), bucket).await.ok(201);
    server.get(&collection("AWS.S3/Bucket")).await.ok(200);
    drop(guard);
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    // The wire itself is traced by the HTTP libraries below us, at a level that nobody turns on.
    let own: Vec<&str> =
        text.lines().filter(|line| line.contains("\"target\":\"hangar_")).collect();
    for line in &own {
        assert!(!line.contains("canary") && !line.contains(TOKEN), "{line}");
    }
    let answered: Vec<&&str> = own.iter().filter(|line| line.contains("\"answered\"")).collect();
    // The group's PUT of the fixture, and the three above.
    assert_eq!(answered.len(), 4, "{own:#?}");
    let good = answered
        .iter()
        .find(|line| line.contains("\"status\":201") && line.contains("good"))
        .unwrap();
    for field in [
        "request.id",
        "method",
        "\"route\":\"reference.put\"",
        "resource.id",
        "operation.id",
        "elapsed_ms",
    ] {
        assert!(good.contains(field), "{field} is not in {good}");
    }
}
