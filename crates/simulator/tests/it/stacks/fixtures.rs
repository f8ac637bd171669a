//! What CDK synthesized, deployed; skipped by name in a clone which does not have it.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::{create, outputs, physical_id, status};
use crate::caller::{Caller, text};

const SHARED: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/fixtures/cdk8s/aws/cdk.out");

const BUCKET: &str = "cdk-hnb659fds-assets-111122223333-eu-west-1";
const KEY: &str = "55fd1e56ff243de9e4d799ea2a802b90d2877058db705a41dcbded4c5c19197b.json";

fn template(name: &str) -> String {
    fs::read_to_string(Path::new(SHARED).join(name)).unwrap()
}

#[test]
fn the_stacks_of_cdk_deploy() {
    if !Path::new(SHARED).exists() {
        println!("skipped: the_stacks_of_cdk_deploy (no ../shared)");
        return;
    }
    let mut caller = Caller::new();
    create(&mut caller, "Storage", &template("Storage.template.json")).unwrap();
    create(&mut caller, "Compute", &template("Compute.template.json")).unwrap();
    let bucket = physical_id(&mut caller, "Storage", "Bucket83908E77");
    let told = outputs(&mut caller, "Storage");
    assert_eq!(told["Endpoint"], json!(format!("https://{bucket}.s3.amazonaws.com/x")));
    let name = told["ExportsOutputFnGetAttQueue4A7E3555QueueName07D5D357"].as_str().unwrap();
    assert!(name.starts_with("Storage-Queue4A7E3555-"), "{name}");
    let consumer = physical_id(&mut caller, "Compute", "Consumer8D6BE417");
    assert!(consumer.ends_with(&format!("/c-{name}")), "{consumer}");
    assert!(bucket.starts_with("storage-bucket83908e77-"), "{bucket}");

    let nested = template("assembly-Prod/ProdAppNested516A0552.nested.template.json");
    caller.world.put_asset(BUCKET, KEY, Some(&nested));
    create(&mut caller, "ProdApp", &template("assembly-Prod/ProdAppB2A2DCC5.template.json"))
        .unwrap();
    assert_eq!(status(&mut caller, "ProdApp"), ("CREATE_COMPLETE".into(), None));
    assert_eq!(physical_id(&mut caller, "ProdApp", "Stage"), "prod");
    let logical_id = "NestedNestedStackNestedNestedStackResourceDEFDAA4D";
    let child = physical_id(&mut caller, "ProdApp", logical_id);
    assert!(child.contains(":stack/ProdApp-Nested"), "{child}");
    let xml = caller.stacks("DescribeStacks", &[("StackName", &child)]).unwrap();
    assert!(text(&xml, "ParentId").contains(":stack/ProdApp/"), "{xml}");
    assert_eq!(text(&xml, "RootId"), text(&xml, "ParentId"));
    let queue = physical_id(&mut caller, &child, "Queue4A7E3555");
    assert!(caller.read("AWS::SQS::Queue", &queue).is_ok());
    let database = physical_id(&mut caller, "ProdApp", "Db");
    let read = caller.read("AWS::RDS::DBInstance", &database).unwrap();
    assert!(read["Endpoint"]["Address"].as_str().unwrap().starts_with(&database), "{read}");
    println!("counted: stacks of CDK deployed: 4");
}
