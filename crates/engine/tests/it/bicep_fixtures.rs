//! The AWS templates of the public repositories, deployed twice: the second time nothing is written.
//!
//! Nothing is tried in a clone without `../shared`.

use std::path::Path;

use hangar_engine::DeploymentRefused;
use hangar_plan::operation::SuccessKind;
use serde_json::{Value, json};

use crate::deployments::asking;
use crate::plane::{Plane, done};
use crate::team::{left, make_elsewhere};

/// A type, and a document of it.
type Before = (&'static str, fn() -> Value);

/// One template: what must exist before, and what it is given.
struct Case {
    file: &'static str,
    /// What other hands have made.
    before: Option<Before>,
    parameters: fn() -> Value,
    /// How many references there are after.
    references: usize,
}

const CASES: &[Case] = &[
    Case {
        file: "aws-mechanics-redeploy-withupdatedresource.bicep",
        before: None,
        parameters: || json!({"logGroupName": "app", "retentionInDays": "7", "creationTimestamp": "2026"}),
        references: 1,
    },
    Case {
        file: "aws-multi-identifier.bicep",
        before: None,
        parameters: || json!({"logGroupName": "app", "filterName": "404s", "creationTimestamp": "2026"}),
        references: 2,
    },
    Case {
        file: "aws-s3-bucket.bicep",
        before: None,
        parameters: || json!({"bucketName": "my-bucket", "creationTimestamp": "2026"}),
        references: 1,
    },
    Case {
        file: "recipe-rediscaches.bicep",
        before: Some(("AWS::EKS::Cluster", || {
            json!({
                "Name": "cluster",
                "RoleArn": "arn:aws:iam::42:role/cluster",
                "ResourcesVpcConfig": {"SubnetIds": ["subnet-1", "subnet-2"]},
            })
        })),
        parameters: || {
            json!({
                "eksClusterName": "cluster",
                "context": {
                    "resource": {"id": "/planes/radius/local/r"},
                    "environment": {"id": "/planes/radius/local/e"},
                    "application": {"id": "/planes/radius/local/a"},
                },
            })
        },
        references: 2,
    },
];

fn read(file: &str) -> Option<String> {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/fixtures/bicep/aws-input");
    folder.is_dir().then(|| std::fs::read_to_string(folder.join(file)).unwrap())
}

async fn twice(case: &Case) {
    let Some(text) = read(case.file) else { return };
    let plane = Plane::start().await;
    if let Some((type_name, document)) = case.before {
        make_elsewhere(&plane, type_name, document()).await;
    }
    let run = async || {
        let accepted = plane.engine.deployment_submit(asking(&text, (case.parameters)())).await;
        let accepted = accepted.unwrap_or_else(|refused| panic!("{}: {refused:#?}", case.file));
        plane.finish(accepted).await
    };
    let first = run().await;
    assert_eq!(done(&first), SuccessKind::Deployed, "{}: {first:#?}", case.file);
    assert_eq!(left(&plane).await.len(), case.references, "{}", case.file);
    let writes = plane.writes().await;
    let second = run().await;
    assert_eq!(done(&second), SuccessKind::Noop, "{}: {second:#?}", case.file);
    assert_eq!(plane.writes().await, writes, "{}: written the second time", case.file);
}

#[tokio::test]
async fn a_log_group_deploys_twice() {
    twice(&CASES[0]).await;
}

#[tokio::test]
async fn a_metric_filter_of_two_identifiers_deploys_twice() {
    twice(&CASES[1]).await;
}

#[tokio::test]
async fn a_bucket_deploys_twice() {
    twice(&CASES[2]).await;
}

#[tokio::test]
async fn a_recipe_on_a_cluster_that_exists_deploys_twice() {
    twice(&CASES[3]).await;
}

#[tokio::test]
async fn what_is_not_of_aws_is_told_one_by_one_and_nothing_is_started() {
    let Some(text) = read("sample-awss3.bicep") else { return };
    let plane = Plane::start().await;
    let parameters = json!({"environment": "e", "bucket": "b", "aws_access_key_id": "k",
                            "aws_secret_access_key": "s", "aws_region": "r"});
    let refused = plane.engine.deployment_submit(asking(&text, parameters.clone())).await;
    let Err(DeploymentRefused::Template(problems)) = refused else { panic!("{refused:?}") };
    let errors: Vec<_> = problems.iter().filter(|it| it.is_error()).collect();
    assert_eq!(errors.len(), 2, "{errors:#?}");
    for (error, symbol) in
        errors.iter().zip(["Applications.Core/applications", "Applications.Core/containers"])
    {
        let span = error.diagnostic.span().unwrap();
        assert!(text[span.start..].lines().next().unwrap().contains(symbol), "{error:#?}");
    }
    assert!(left(&plane).await.is_empty());
    assert_eq!(plane.writes().await, 0);

    // Without them it is a bucket.
    let mut ask = asking(&text, parameters);
    ask.leave.skip_unsupported = true;
    let accepted = plane.engine.deployment_submit(ask).await.unwrap();
    assert_eq!(done(&plane.finish(accepted).await), SuccessKind::Deployed);
    assert_eq!(left(&plane).await.len(), 1);
}
