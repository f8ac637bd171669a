//! Data directories that earlier versions made (`tests/fixtures/stores`), under the current one.

use std::fs;
use std::path::Path;

use crate::place::Place;

const STORES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/stores");

/// The versions, each with its last migration and what was imported by it.
const VERSIONS: [(&str, u32, &[&str]); 3] =
    [("d62d678", 2, &[]), ("3755bff", 3, &["imported"]), ("b8e668f", 4, &["imported"])];

const DATABASE: &[&str] = &[
    "DBInstanceIdentifier=db",
    "DBInstanceClass=db.t3.micro",
    "Engine=postgres",
    "AllocatedStorage=20",
    "MasterUsername=admin",
];
const PASSWORD: &str = "MasterUserPassword=not-a-real-password";

/// A copy of a directory that a version left.
fn left_by(version: &str) -> Place {
    let place = Place::new();
    fs::create_dir(place.dir()).unwrap();
    for file in ["aws", "hangar.db", "key", "simulator.db"] {
        fs::copy(Path::new(STORES).join(version).join(file), place.file(file)).unwrap();
    }
    place
}

fn put(place: &Place, type_name: &str, alias: &str, group: &str, properties: &[&str]) -> String {
    let put = ["resource", "put", type_name, "--alias", alias, "-g", group, "--properties"];
    place.stdout(&[&put[..], properties].concat())
}

fn aliases(place: &Place, group: &str) -> Vec<String> {
    let listed = place.json(&["resource", "list", "-g", group]);
    let names = listed.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap());
    let mut names: Vec<String> = names.map(str::to_owned).collect();
    names.sort();
    names
}

/// Every claim on one directory: what was left is all there, and everything can be done with it.
fn hold(version: &str, imported: &[&str], place: &Place) {
    let mut expected = [&["db", "jobs", "logs", "open"], imported].concat();
    expected.sort_unstable();
    assert_eq!(aliases(place, "prod"), expected, "{version}");
    assert_eq!(aliases(place, "default"), ["net"], "{version}");
    let net = place.json(&["resource", "show", "AWS.EC2/VPC", "net"]);
    assert_eq!(net["state"], "ready", "{net:#}");
    assert_eq!(net["properties"]["EnableDnsSupport"], false, "{net:#}");

    // What was cut short goes on, and makes nothing twice.
    let operations = place.json(&["operation", "list", "-g", "prod"]);
    let of = |alias: &str| {
        let mut all = operations.as_array().unwrap().iter();
        let end = format!(":reference/{alias}");
        all.find(|one| one["reference"].as_str().unwrap().ends_with(&end)).cloned()
    };
    // What has ended is forgotten after a while, and these directories grow old.
    if let Some(again) = of("again") {
        assert_eq!(again["status"], "Failed");
    }
    let open = of("open").unwrap()["name"].as_str().unwrap().to_owned();
    let ended = place.stdout(&["operation", "wait", &open]);
    assert!(ended.starts_with("created AWS.EC2/VPC `open`: vpc-"), "{version}: {ended}");
    let vpc = ["CidrBlock=10.1.0.0/16"];
    assert!(put(place, "AWS.EC2/VPC", "open", "prod", &vpc).starts_with("unchanged"));

    let same = |type_name: &str, alias: &str, group: &str, properties: &[&str]| {
        let said = put(place, type_name, alias, group, properties);
        assert!(said.starts_with("unchanged"), "{version}: {said}");
    };
    same("AWS.EC2/VPC", "net", "default", &["CidrBlock=10.0.0.0/16", "EnableDnsSupport=false"]);
    same("AWS.SQS/Queue", "jobs", "prod", &["QueueName=jobs", "DelaySeconds=5"]);
    same("AWS.Logs/LogGroup", "logs", "prod", &["LogGroupName=logs", "RetentionInDays=7"]);
    same("AWS.RDS/DBInstance", "db", "prod", &[DATABASE, &[PASSWORD]].concat());
    for alias in imported {
        same("AWS.SQS/Queue", alias, "prod", &["QueueName=old"]);
    }
    let changed =
        put(place, "AWS.SQS/Queue", "jobs", "prod", &["QueueName=jobs", "DelaySeconds=9"]);
    assert!(changed.starts_with("updated"), "{version}: {changed}");
    let secret = [DATABASE, &["MasterUserPassword=not-a-real-one-either"]].concat();
    let changed = put(place, "AWS.RDS/DBInstance", "db", "prod", &secret);
    assert!(changed.starts_with("updated"), "{version}: {changed}");

    let deleted = place.stdout(&["group", "delete", "prod", "--yes"]);
    assert!(deleted.contains("deleted group `prod`"), "{version}: {deleted}");
    assert_eq!(aliases(place, "default"), ["net"]);
}

#[test]
fn what_an_earlier_version_left_goes_on_under_this_one() {
    for (version, _, imported) in VERSIONS {
        hold(version, imported, &left_by(version));
    }
}

#[test]
fn a_copy_of_what_an_earlier_version_left_goes_on_under_this_one() {
    for (version, migration, imported) in VERSIONS {
        let place = left_by(version);
        let before = fs::read(place.file("hangar.db")).unwrap();
        let made = place.json(&["backup", "copy.db"]);
        assert_eq!(made["migration"], migration, "it is copied as it is");
        assert_eq!(fs::read(place.file("hangar.db")).unwrap(), before, "and is left as it is");
        let restored = place.json(&["restore", "copy.db", "--force"]);
        assert_eq!(restored["open"][0]["kind"], "put", "{restored}");
        hold(version, imported, &place);
    }
}
