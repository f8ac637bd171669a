//! What is logged: one span a request with its fields, and never a body or a token.

use std::io;
use std::sync::{Arc, Mutex};

use serde_json::json;

use crate::server::{Server, TOKEN, alias};

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
    // For all tests of this binary: what others log must hold no secret either.
    tracing::subscriber::set_global_default(subscriber).unwrap();
    let server = Server::start().await;
    let wrong =
        json!({"properties": {"CidrBlock": "10.99.0.0/16", "EnableDnsSupport": "canary-3"}});
    server.put(&alias("logged-bad"), wrong).await.refused(400);
    let right = json!({"properties": {"CidrBlock": "10.99.0.0/16", "Tags": [{"Key": "k", "Value": "canary-4"}]}});
    let own_id = [("x-ms-client-request-id", "c-7"), ("x-ms-correlation-request-id", "c-8")];
    server.call_with("PUT", &alias("logged-good"), right, &own_id).await.ok(201);
    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    // The wire itself is traced by the HTTP libraries below us, at a level that nobody turns on.
    let own = text.lines().filter(|line| line.contains("\"target\":\"hangar_"));
    let own: Vec<&str> = own.collect();
    for line in &own {
        assert!(!line.contains("canary") && !line.contains(TOKEN), "{line}");
    }
    let of = |name: &str| -> Vec<&&str> {
        own.iter().filter(|line| line.contains("\"answered\"") && line.contains(name)).collect()
    };
    let [bad] = of("logged-bad")[..] else { panic!("{own:#?}") };
    let [good] = of("logged-good")[..] else { panic!("{own:#?}") };
    assert!(bad.contains("\"status\":400") && bad.contains("InvalidProperties"), "{bad}");
    for field in [
        "\"status\":201",
        "\"request.id\"",
        "\"client_request.id\":\"c-7\"",
        "\"correlation.id\":\"c-8\"",
        "\"method\"",
        "\"route\":\"reference.put\"",
        "\"resource.id\"",
        "\"operation.id\"",
        "\"elapsed_ms\"",
    ] {
        assert!(good.contains(field), "{field} is not in {good}");
    }
}
