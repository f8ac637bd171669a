//! Templates as they are published, deployed twice by the real binary: the second time nothing changes.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::place::Place;

/// All that the public templates do: a generated password and name, an instant, `name` beside `alias`, a module with a
/// generated value, and a recipe's `result` that holds a secret.
const TEMPLATE: &str = "extension aws

@description('Radius-provided object')
param context object = { resource: { id: 'r-1' } }
@secure()
param adminPassword string = newGuid()
param createdAt string = utcNow()
param queueName string = 'jobs-${take(newGuid(), 8)}'
param identifier string = 'db-${uniqueString(context.resource.id)}'

resource queue 'AWS.SQS/Queue@default' = {
  name: queueName
  alias: 'jobs'
  properties: {
    QueueName: queueName
    Tags: [{ Key: 'createdAt', Value: createdAt }]
  }
}

resource login 'AWS.SecretsManager/Secret@default' = {
  alias: identifier
  properties: { Name: identifier, SecretString: adminPassword }
}

module inner 'inner.bicep' = {
  name: 'inner'
  params: { prefix: identifier }
}

output result object = {
  values: { host: login.properties.Name, queue: queue.properties.QueueName, logs: inner.outputs.name }
  #disable-next-line outputs-should-not-contain-secrets
  secrets: { password: adminPassword, url: 'db://admin:${adminPassword}@host' }
}
";

const INNER: &str = "extension aws
param prefix string
param group string = '${prefix}-${newGuid()}'
resource logs 'AWS.Logs/LogGroup@default' = { alias: 'logs', properties: { LogGroupName: group } }
output name string = group
";

fn place() -> Place {
    let place = Place::new();
    fs::write(place.path().join("app.bicep"), TEMPLATE).unwrap();
    fs::write(place.path().join("inner.bicep"), INNER).unwrap();
    place
}

fn run(place: &Place, arguments: &[&str]) -> (i32, String) {
    let output = place.run(arguments);
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    (output.status.code().unwrap(), said)
}

fn result(place: &Place) -> Value {
    place.json(&["output", "app", "result"])
}

#[test]
fn a_template_with_generated_values_changes_nothing_the_second_time() {
    let place = place();
    let (code, said) = run(&place, &["deploy", "app.bicep"]);
    assert!(code == 0 && said.contains("app: 3 created"), "{said}");
    assert!(!said.contains("outputs-should-not-contain-secrets"), "{said}");
    let first = result(&place);
    assert_eq!(first["secrets"], json!({"password": "«secret»", "url": "«secret»"}));
    let (code, said) = run(&place, &["plan", "app.bicep"]);
    assert!(code == 0 && said.contains("plan: no changes (3 unchanged)"), "{said}");
    let (code, said) = run(&place, &["deploy", "app.bicep"]);
    assert!(code == 0 && said.contains("app: no changes (3 unchanged)"), "{said}");

    // The plan of new values goes on to be what is deployed.
    let plan = ["plan", "app.bicep", "--refresh-defaults", "--replace", "--out", "plan.json"];
    let (code, said) = run(&place, &plan);
    assert!(code == 2 && said.contains("evaluated when it is deployed, then kept"), "{said}");
    let (code, said) = run(&place, &["deploy", "--plan-file", "plan.json"]);
    assert_eq!(code, 0, "{said}");
    let second = result(&place);
    assert_ne!(second["values"]["queue"], first["values"]["queue"]);
    let (code, said) = run(&place, &["deploy", "app.bicep"]);
    assert!(code == 0 && said.contains("app: no changes (3 unchanged)"), "{said}");
    assert_eq!(result(&place), second);
}

#[test]
fn a_secret_of_an_output_is_in_no_answer_and_no_file_and_the_rest_of_it_is() {
    let place = place();
    fs::write(place.path().join("key.txt"), "canary-0000-1111").unwrap();
    let secret = ["-p", "adminPassword=@key.txt"];
    let of = |arguments: &[&str]| run(&place, &[arguments, &secret[..]].concat());
    let mut all = vec![
        of(&["plan", "app.bicep"]),
        of(&["plan", "app.bicep", "-o", "json"]),
        of(&["deploy", "app.bicep", "-o", "json"]),
        of(&["deploy", "app.bicep"]),
        of(&["plan", "app.bicep", "--all", "--out", "plan.json"]),
        (0, fs::read_to_string(place.path().join("plan.json")).unwrap()),
    ];
    for read in [
        &["output", "app"][..],
        &["output", "app", "-o", "json"],
        &["output", "app", "result"],
        &["deployment", "show", "app"],
        &["deployment", "show", "app", "-o", "json"],
        &["group", "show", "default", "-o", "json"],
    ] {
        all.push(run(&place, read));
    }
    for (code, said) in &all {
        assert!(!said.contains("canary"), "{said}");
        assert!([0, 2].contains(code), "{said}");
    }
    let shown = place.json(&["deployment", "show", "app"]);
    let value = &shown["properties"]["outputs"]["result"]["value"];
    assert_eq!(value["values"]["host"].as_str().map(|it| it.starts_with("db-")), Some(true));
    assert_eq!(value["secrets"]["url"], "«secret»");
    for file in ["hangar.db", "hangar.db-wal"] {
        let bytes = fs::read(place.file(file)).unwrap_or_default();
        assert!(!bytes.windows(6).any(|window| window == b"canary"), "{file}");
    }
    assert!(place.file("hangar.db").exists());
}

/// The public templates of `../shared`; nothing where that is absent.
#[test]
#[allow(clippy::print_stdout, reason = "a test tells the test command what it skipped")]
fn every_public_aws_template_deploys_twice_with_no_changes() {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/fixtures/bicep/aws-input");
    if !folder.is_dir() {
        println!("skipped: every_public_aws_template_deploys_twice_with_no_changes (no ../shared)");
        return;
    }
    let context =
        json!({"resource": {"id": "r"}, "environment": {"id": "e"}, "application": {"id": "a"}});
    let context = format!("context={context}");
    let cases: [(&str, &[&str]); 5] = [
        (
            "aws-mechanics-redeploy-withupdatedresource.bicep",
            &["-p", "logGroupName=app", "-p", "retentionInDays=7"],
        ),
        ("aws-multi-identifier.bicep", &["-p", "logGroupName=app2", "-p", "filterName=404s"]),
        ("aws-s3-bucket.bicep", &["-p", "bucketName=my-bucket"]),
        ("recipe-rediscaches.bicep", &["-p", "eksClusterName=cluster", "-p", &context]),
        (
            "sample-awss3.bicep",
            &[
                "--skip-unsupported",
                "-p",
                "environment=e",
                "-p",
                "bucket=b",
                "-p",
                "aws_region=r",
                "-p",
                "aws_access_key_id=@key.txt",
                "-p",
                "aws_secret_access_key=@key.txt",
            ],
        ),
    ];
    let place = Place::new();
    fs::write(place.path().join("key.txt"), "canary").unwrap();
    let cluster = "ResourcesVpcConfig={\"SubnetIds\":[\"subnet-1\",\"subnet-2\"]}";
    let put = [
        "resource",
        "put",
        "AWS.EKS/Cluster",
        "--alias",
        "cluster",
        "--properties",
        "Name=cluster",
        "--properties",
        "RoleArn=arn:aws:iam::42:role/cluster",
        "--properties",
        cluster,
    ];
    place.stdout(&put);
    for (file, parameters) in cases {
        // The timestamp is generated, as the templates' own callers do.
        let text = fs::read_to_string(folder.join(file)).unwrap();
        let text = text
            .replace("param creationTimestamp string", "param creationTimestamp string = utcNow()");
        fs::write(place.path().join(file), text).unwrap();
        let deploy = [&["deploy", file][..], parameters].concat();
        let (code, said) = run(&place, &deploy);
        assert!(code == 0 && said.contains("created"), "{file}: {said}");
        let (code, said) = run(&place, &deploy);
        assert!(code == 0 && said.contains("no changes"), "{file}: {said}");
        let (code, said) = run(&place, &[&["plan", file][..], parameters].concat());
        assert!(code == 0 && said.contains("no changes"), "{file}: {said}");
    }
}
