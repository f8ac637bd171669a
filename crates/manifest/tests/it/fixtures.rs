//! Real states against the ids that the contract gives them; skipped by name in a clone which does not have them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use hangar_ids::{Kind, ResourceId, TerraformAddress};
use hangar_manifest::output_resources::{Ask, Report, report};
use hangar_manifest::state::{Form, read};
use serde_json::Value;

const SHARED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/fixtures/tfstate");
const OWN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/own-aws-moto");

#[test]
fn every_shared_state_has_the_expected_ids() {
    let folders = folders();
    if folders.is_empty() {
        println!("skipped: every_shared_state_has_the_expected_ids (no ../shared)");
        return;
    }
    let mut instances = 0;
    for folder in &folders {
        instances += check(folder, "terraform.tfstate");
    }
    println!("counted: states {}, instances {instances}", folders.len());
    assert!(instances > 100, "{instances}");
}

#[test]
fn our_own_state_has_the_expected_ids_in_both_forms() {
    let own = Path::new(OWN);
    assert_eq!(check(own, "terraform.tfstate"), 19);
    assert_eq!(check(own, "show.json"), 19);
}

#[test]
fn raw_state_and_show_of_one_apply_give_equal_reports() {
    let own = Path::new(OWN);
    let (raw, show) = (bytes(&own.join("terraform.tfstate")), bytes(&own.join("show.json")));
    let (raw, show) = (read(&raw).unwrap(), read(&show).unwrap());
    assert_eq!((raw.form, show.form), (Form::Raw4, Form::Show));
    let ask =
        Ask { aws_account: Some("123456789012"), aws_region: Some("eu-west-1"), ..Ask::default() };
    assert_eq!(report(&raw, &ask), report(&show, &ask));
    assert_eq!(raw.terraform_version, show.terraform_version);
    let names = |state: &hangar_manifest::state::State<'_>| -> Vec<String> {
        state.outputs.iter().map(|output| output.name.to_string()).collect()
    };
    assert_eq!(names(&raw), names(&show));
    for (raw, show) in raw.instances.iter().zip(&show.instances) {
        assert_eq!(
            (&raw.module, &raw.name, &raw.key, raw.mode),
            (&show.module, &show.name, &show.key, show.mode)
        );
        // Every attribute of the one form is there in the other, and is the same.
        let all = show.document.value().unwrap();
        for (name, value) in all["values"].as_object().unwrap() {
            let read = raw.attributes.get(&[name]).unwrap_or_default();
            assert_eq!(&read, value, "{} {name}", raw.address);
        }
    }
}

#[test]
fn the_links_of_our_own_state_are_as_cloud_control_names_things() {
    let text = bytes(&Path::new(OWN).join("terraform.tfstate"));
    let ask =
        Ask { aws_account: Some("123456789012"), aws_region: Some("eu-west-1"), ..Ask::default() };
    let report = report(&read(&text).unwrap(), &ask);
    let links: Vec<String> = report
        .instances
        .iter()
        .filter_map(|instance| {
            let link = instance.cloud_control.as_ref()?;
            let id = link.id.as_deref().unwrap_or("-");
            let place = id
                .split("/providers/")
                .next()
                .unwrap_or_default()
                .trim_start_matches("/planes/aws/aws/accounts/");
            ResourceId::parse(id).unwrap();
            Some(format!("{} {} {:?} {place}", link.type_name, link.identifier, link.confidence))
        })
        .collect();
    let account = "123456789012/regions";
    let arn = |rest: &str| format!("arn:aws:{rest}");
    assert_eq!(
        links,
        [
            format!("AWS.Logs/LogGroup /app/x High {account}/us-east-2"),
            format!("AWS.DynamoDB/Table tbl High {account}/us-east-2"),
            format!(
                "AWS.ECS/TaskDefinition {} High {account}/us-east-2",
                arn("ecs:us-east-2:123456789012:task-definition/orders:1")
            ),
            format!("AWS.IAM/Role svc High {account}/eu-west-1"),
            format!("AWS.KMS/Alias alias/mykey High {account}/us-east-2"),
            format!("AWS.KMS/Key ba629008-504d-43cc-a877-c730a60c9008 High {account}/us-east-2"),
            format!(
                "AWS.ElasticLoadBalancingV2/LoadBalancer {} High {account}/us-east-2",
                arn(
                    "elasticloadbalancing:us-east-2:123456789012:loadbalancer/app/front/b708d51c22e6a2a6"
                )
            ),
            format!("AWS.S3/Bucket radix-test-bucket High {account}/us-east-2"),
            format!(
                "AWS.SecretsManager/Secret {} High {account}/us-east-2",
                arn("secretsmanager:us-east-2:123456789012:secret:db/pass-FlhBJw")
            ),
            format!("AWS.EC2/SecurityGroup sg-b944b9efc83f4d9da High {account}/us-east-2"),
            format!(
                "AWS.SNS/Topic {} High {account}/us-east-2",
                arn("sns:us-east-2:123456789012:events")
            ),
            format!(
                "AWS.SQS/Queue http://127.0.0.1:5055/123456789012/orders High {account}/us-east-2"
            ),
            format!("AWS.SSM/Parameter /a/b High {account}/us-east-2"),
            format!("AWS.EC2/Subnet subnet-d9fa88565020be165 High {account}/us-east-2"),
            format!("AWS.EC2/Subnet subnet-9e63dede5098e0915 High {account}/us-east-2"),
            format!("AWS.EC2/VPC vpc-41f27e01e52a3e169 High {account}/us-east-2"),
        ]
    );
}

/// Holds the report of a state against `expected.json` beside it; gives how many instances it has.
fn check(folder: &Path, state: &str) -> usize {
    let expected: Value = serde_json::from_slice(&bytes(&folder.join("expected.json"))).unwrap();
    let text = bytes(&folder.join(state));
    let state = read(&text).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    assert!(state.warnings.is_empty(), "{}: {:?}", folder.display(), state.warnings);
    let ask = Ask { aws_account: expected["env_aws_account"].as_str(), ..Ask::default() };
    let report = report(&state, &ask);
    let place = folder.display();
    let texts = |list: &Value| -> BTreeSet<String> {
        list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let found: BTreeSet<String> = report.resources.iter().cloned().collect();
    assert_eq!(found.len(), report.resources.len(), "{place}: an id is told twice");
    assert_eq!(found, texts(&expected["resources"]), "{place}");
    let wanted = expected["instances"].as_array().unwrap();
    assert_eq!(report.instances.len(), wanted.len(), "{place}");
    for (found, wanted) in report.instances.iter().zip(wanted) {
        let text = |name: &str| wanted[name].as_str();
        let address = text("address").unwrap();
        assert_eq!(found.address, address, "{place}");
        assert_eq!(Some(found.provider.as_str()), text("provider"), "{place}: {address}");
        assert_eq!(found.id.as_deref(), text("id"), "{place}: {address}");
        assert_eq!(found.reason.as_deref(), text("reason"), "{place}: {address}");
        assert_eq!(found.beyond_id.as_deref(), text("beyond_id"), "{place}: {address}");
        assert_eq!(found.duplicate_of.as_deref(), text("duplicate_of"), "{place}: {address}");
        assert_eq!(found.arn.as_deref(), text("arn"), "{place}: {address}");
        TerraformAddress::parse(address).unwrap_or_else(|odd| panic!("{place}: {odd}"));
    }
    check_ids(&report);
    report.instances.len()
}

/// Every id is one of a resource, and prints as it was read.
fn check_ids(report: &Report) {
    let links = report.instances.iter().filter_map(|it| it.cloud_control.as_ref()?.id.as_ref());
    let beyond = report.instances.iter().filter_map(|it| it.beyond_id.as_ref());
    for text in report.resources.iter().chain(links).chain(beyond) {
        let id = ResourceId::parse(text).unwrap_or_else(|refused| panic!("{text}: {refused}"));
        assert!(matches!(id.kind(), Kind::Resource | Kind::Extension), "{text}");
        assert_eq!(&id.to_string(), text);
    }
}

fn folders() -> Vec<PathBuf> {
    let folders = fs::read_dir(SHARED).into_iter().flatten();
    let mut folders: Vec<PathBuf> = folders.flatten().map(|entry| entry.path()).collect();
    folders.retain(|folder| folder.join("expected.json").is_file());
    folders.sort();
    folders
}

fn bytes(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
