//! A real app of the AWS CDK, synthesised, deployed to the simulator, and referred to; it declares no output.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::run;
use crate::simulator::Simulator;

const APP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cdk/app.js");
const PACKAGES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../npm/node_modules");
/// Written when all of it has been installed.
const STAMP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../npm/node_modules/installed.json");

const MANIFEST: &str = "\
# what the team applies
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: prod}
spec:
  replicas: ${cfn:Prod-App/Replicas|int?account=111122223333&region=eu-west-1}
  template:
    spec:
      containers:
        - name: web
          image: web # as it is
          env:
            - {name: BUCKET, value: '${cfn:Storage/Bucket83908E77}'}
            - {name: OTHER, value: '${cfn:Compute/Bucket83908E77}'}
            - name: STAGE
              value: \"${cfn:Prod-App/Stage#DeploymentId?account=111122223333&region=eu-west-1}\"
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly}
spec:
  jobTemplate:
    spec:
      template:
        spec:
          containers:
            - name: job
              image: job
              args: [\"${HOME}\", \"$(POD_NAME)\"]
              env:
                - name: QUEUE
                  value: ${cfn:Storage/Queue4A7E3555#Arn}
                - name: SITE
                  value: https://${cfn:Storage/Bucket83908E77#DomainName}/x
                - name: NESTED
                  value: ${cfn:Prod-App/NESTED/Queue4A7E3555#QueueName?account=111122223333&region=eu-west-1}
";

#[test]
fn a_synthesised_app_is_deployed_and_its_attributes_stand_in_manifests() {
    if !Path::new(STAMP).exists() {
        println!(
            "skipped: a_synthesised_app_is_deployed_and_its_attributes_stand_in_manifests (no npm/node_modules; \
             `cargo xtask setup` makes it)"
        );
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let assembly = folder.path().join("cdk.out");
    let synthesised = Command::new("node")
        .args([APP.as_ref(), assembly.as_os_str()])
        .env("NODE_PATH", PACKAGES)
        .output();
    let synthesised = synthesised.unwrap();
    let said = String::from_utf8_lossy(&synthesised.stderr);
    assert!(synthesised.status.success(), "{said}");

    let simulator = Simulator::start(&[]);
    let assembly = assembly.to_str().unwrap();
    let deployed = run(&[
        "simulator",
        "deploy",
        assembly,
        "--endpoint",
        simulator.url(),
        "--resources",
        "-o",
        "json",
    ]);
    assert!(deployed.status.success(), "{}", String::from_utf8_lossy(&deployed.stderr));
    let deployed: Value = serde_json::from_slice(&deployed.stdout).unwrap();
    let physical = |stack: &str, logical_id: &str| -> String {
        let stacks = deployed["stacks"].as_array().unwrap();
        let stack = stacks.iter().find(|it| it["name"] == stack).unwrap();
        let resources = stack["resources"].as_array().unwrap();
        let found = resources.iter().find(|it| it["logicalId"] == logical_id).unwrap();
        found["physicalId"].as_str().unwrap().to_owned()
    };
    let stacks = deployed["stacks"].as_array().unwrap();
    assert!(
        stacks.iter().all(|stack| stack["outputs"].as_array().is_none_or(Vec::is_empty)
            || stack["name"] == "Storage"),
        "{deployed:#}"
    );

    // A nested stack's logical id has a hash that is the CDK's own.
    let resources = stacks.iter().find(|it| it["name"] == "Prod-App").unwrap()["resources"].clone();
    let nested =
        resources.as_array().unwrap().iter().find(|it| it["type"] == "AWS::CloudFormation::Stack");
    let nested = nested.unwrap()["logicalId"].as_str().unwrap().to_owned();
    let text = MANIFEST.replace("NESTED/", &format!("{nested}/"));
    let path = folder.path().join("manifest.yaml");
    std::fs::write(&path, &text).unwrap();
    let resolve = || {
        let resolved = run(&["resolve", "-f", path.to_str().unwrap(), "--aws", simulator.url()]);
        assert!(resolved.status.success(), "{}", String::from_utf8_lossy(&resolved.stderr));
        String::from_utf8(resolved.stdout).unwrap()
    };
    let resolved = resolve();
    let (bucket, other) =
        (physical("Storage", "Bucket83908E77"), physical("Compute", "Bucket83908E77"));
    assert_ne!(bucket, other);
    for line in [
        "  replicas: 2".to_owned(),
        format!("            - {{name: BUCKET, value: '{bucket}'}}"),
        format!("            - {{name: OTHER, value: '{other}'}}"),
        format!("              value: \"{}\"", physical("Prod-App", "Deployment")),
        format!("                  value: https://{bucket}.s3.amazonaws.com/x"),
        "          image: web # as it is".to_owned(),
        "              args: [\"${HOME}\", \"$(POD_NAME)\"]".to_owned(),
    ] {
        assert!(resolved.lines().any(|it| it == line), "{line}\n{resolved}");
    }
    let queue = physical("Storage", "Queue4A7E3555");
    let name = queue.rsplit('/').next().unwrap();
    assert!(
        resolved.contains(&format!("value: arn:aws:sqs:us-east-1:000000000000:{name}\n")),
        "{resolved}"
    );
    assert!(!resolved.contains("${cfn:"), "{resolved}");
    assert_eq!(resolved.lines().count(), text.lines().count());
    assert_eq!(resolve(), resolved, "twice gives the same bytes");
}
