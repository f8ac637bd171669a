//! The requests that the product comes from, replayed: the base path put before them where it is missing, the
//! bodies made valid JSON; no name, value or account changed.

use serde_json::{Value, json};

use crate::server::{Server, VERSION};

const GROUP: &str = "/planes/radius/local/resourceGroups/my-rg";
const VPC: &str = "/planes/aws/aws/accounts/123456789/regions/us-west-2/providers/AWS.EC2/VPC";
const STAGE: &str =
    "/planes/aws/aws/accounts/841861948707/regions/us-east-2/providers/AWS.ApiGateway/Stage";

/// The first deployment's request.
fn create() -> Value {
    json!({
        "alias": "vpc-myuniquealias",
        "trackedBy": "/planes/radius/local/resourceGroups/my-rg/providers/AWS.EC2/VPC:reference/my-vpc-alias",
        "properties": {"CidrBlock": "10.0.0.0/24"},
    })
}

/// The request of the same template, deployed again.
fn update() -> Value {
    json!({
        "alias": "my-vpc-alias",
        "trackedBy": "/planes/radius/local/resourceGroups/my-rg/providers/AWS.EC2/VPC:reference/my-vpc-alias",
        "properties": {"CidrBlock": "10.0.0.0/24"},
    })
}

async fn with_group() -> Server {
    let server = Server::start().await;
    server.put(&format!("{GROUP}?{VERSION}"), json!({})).await.ok(201);
    server
}

#[tokio::test]
async fn a_stage_is_read_by_its_two_identifiers() {
    let server = Server::start().await;
    let body = json!({"properties": {"RestApiId": "lfx3ec07zf", "StageName": "canary"}});
    let path = format!("{STAGE}/:get");
    let absent = server.call("POST", &path, body.clone()).await;
    assert_eq!(absent.refused(404), "ResourceNotFound");
    let made = json!({"account": "841861948707", "region": "us-east-2", "type": "AWS::ApiGateway::Stage",
                      "properties": {"RestApiId": "lfx3ec07zf", "StageName": "canary"}});
    server.control("POST", "resources", made).await;
    let found = server.call("POST", &path, body).await.ok(200);
    assert_eq!(found["name"], "lfx3ec07zf|canary");
    assert_eq!(found["id"], format!("{STAGE}/lfx3ec07zf|canary"));
    assert_eq!(found["properties"]["StageName"], "canary");
}

#[tokio::test]
async fn a_vpc_is_created_once_and_listed_in_its_group() {
    let server = with_group().await;
    let path = format!("{VPC}/:put");
    let created = server.call("POST", &path, create()).await;
    // The alias and the reference differ in the seed itself: the reference counts, and it is told.
    assert!(created.header("warning").contains("my-vpc-alias"), "{created:#?}");
    let identifier = created.ok(201)["name"].clone();
    let again = server.call("POST", &path, update()).await;
    assert_eq!(again.header("warning"), "");
    assert_eq!(again.ok(200)["name"], identifier);
    assert_eq!(server.writes().await, 1);

    let group = server.get(GROUP).await.ok(200);
    let [reference] = group["resources"].as_array().unwrap().as_slice() else {
        panic!("{group:#}");
    };
    assert_eq!(reference["name"], "my-vpc-alias");
    assert_eq!(reference["id"], format!("{GROUP}/providers/AWS.EC2/VPC:reference/my-vpc-alias"));
    assert_eq!(reference["type"], "AWS.EC2/VPC:reference");
    assert_eq!(reference["mapsTo"], json!({"scope": VPC, "primaryIdentifier": identifier}));
    assert_eq!(reference["ownedResource"], json!(true));
    assert_eq!(reference["properties"]["CidrBlock"], "10.0.0.0/24");
}

#[tokio::test]
async fn a_vpc_deleted_out_of_band_is_made_again_and_one_changed_is_patched_back() {
    let server = with_group().await;
    let path = format!("{VPC}/:put");
    let first = server.call("POST", &path, create()).await.ok(201)["name"].clone();
    let place = "account=123456789&region=us-west-2&type=AWS::EC2::VPC";
    let gone = format!("resources?{place}&identifier={}", first.as_str().unwrap());
    server.control("DELETE", &gone, Value::Null).await;
    let second = server.call("POST", &path, update()).await.ok(201)["name"].clone();
    assert_ne!(first, second);

    let mut wanted = update();
    wanted["properties"]["EnableDnsSupport"] = json!(true);
    server.call("POST", &path, wanted.clone()).await.ok(200);
    let drift = json!({"account": "123456789", "region": "us-west-2", "type": "AWS::EC2::VPC",
                       "identifier": second, "properties": {"EnableDnsSupport": false}});
    server.control("PATCH", "resources", drift).await;
    server.call("POST", &path, wanted).await.ok(200);
    let live = server.control("GET", &format!("resources?{place}"), Value::Null).await;
    let resources = live["resources"].as_array().unwrap();
    assert_eq!(resources.len(), 1);
    assert_eq!(resources[0]["properties"]["EnableDnsSupport"], json!(true));
}
