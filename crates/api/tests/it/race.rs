//! Many at once on one alias: one is accepted, the others are told.

use std::sync::Arc;

use hangar_simulator::core::settings::Settings;
use serde_json::{Value, json};

use crate::server::{GROUP, SCOPE, Server};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn eight_puts_for_one_new_alias_are_one_create_and_seven_conflicts() {
    let latency = "3s..3s".parse().unwrap();
    let server = Arc::new(Server::start_with(Settings { latency, ..Settings::default() }).await);
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let server = server.clone();
        tasks.spawn(async move {
            let body = json!({
                "trackedBy": format!("{GROUP}/providers/AWS.EC2/VPC:reference/net"),
                "properties": {"CidrBlock": "10.0.0.0/16"},
            });
            let path = format!("{SCOPE}/providers/AWS.EC2/VPC/:put");
            server.call_with("POST", &path, body, &[("prefer", "wait=30")]).await
        });
    }
    let mut statuses = Vec::new();
    while let Some(reply) = tasks.join_next().await {
        let reply = reply.unwrap();
        if reply.status == 409 {
            assert_eq!(reply.refused(409), "Conflict");
            assert_eq!(reply.header("retry-after"), "");
        }
        statuses.push(reply.status);
    }
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409, 409, 409, 409, 409, 409, 409]);
    let counted = server.control("GET", "counters", Value::Null).await;
    assert_eq!(counted["byOperation"]["CreateResource"], json!(1));
}
