//! Schemas from the cloud: fetched once, kept in the store, and named by what was applied with them.

use hangar_engine::{Config, SchemaSource};
use hangar_plan::operation::SuccessKind;
use hangar_simulator::core::settings::Settings;
use serde_json::json;

use crate::plane::{Plane, VPC, done, vpc};

async fn start() -> Plane {
    let settings = Settings { latency: "0..0".parse().unwrap(), ..Settings::default() };
    let config = Config { schemas: SchemaSource::Live, ..Config::default() };
    Plane::start_as(settings, config).await
}

#[tokio::test]
async fn a_schema_is_fetched_once_and_kept_over_a_restart() {
    let mut plane = start().await;
    assert_eq!(done(&plane.put("net", vpc(true)).await), SuccessKind::Created);
    let kept = plane.store.schema_find("eu-central-1", "AWS::EC2::VPC").await.unwrap().unwrap();
    let reference = plane.reference(VPC, "net").await.unwrap();
    assert_eq!(reference.documents.schema_hash, Some(kept.hash));
    plane.restart().await;
    assert_eq!(done(&plane.put("net", vpc(false)).await), SuccessKind::Updated);
    assert_eq!(plane.calls("DescribeType").await, 1);
    plane.pass(25, 0).await;
    plane.restart().await;
    plane.put("net", vpc(true)).await;
    assert_eq!(plane.calls("DescribeType").await, 2);
}

#[tokio::test]
async fn the_catalog_serves_where_the_cloud_does_not() {
    let plane = start().await;
    plane
        .arm(json!({"operation": "DescribeType", "times": 1000, "effect": "exception",
                    "exception": "ThrottlingException"}))
        .await;
    assert_eq!(done(&plane.put("net", vpc(true)).await), SuccessKind::Created);
    let reference = plane.reference(VPC, "net").await.unwrap();
    assert_eq!(reference.documents.schema_hash, None);
}
