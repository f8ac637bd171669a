//! Seed 001's test plan from the command line: with commands that run the control plane themselves,
//! and with `hangar serve`.

use serde_json::json;

use crate::world::{World, hosts};

const VPC: &str = "AWS.EC2/VPC";
const AWS_VPC: &str = "AWS::EC2::VPC";
const CIDR: &str = "CidrBlock=10.0.0.0/16";

/// The identifier at the end of a line.
fn identifier(line: &str) -> String {
    line.trim_end().rsplit(' ').next().unwrap().to_owned()
}

#[test]
fn a_new_vpc_is_created_once() {
    for host in hosts("seed_001::a_new_vpc_is_created_once") {
        let world = World::of(host);
        let created = world.put(VPC, "my-vpc-alias", &[CIDR]);
        assert!(created.starts_with("created AWS.EC2/VPC `my-vpc-alias`: vpc-"), "{created}");
        assert_eq!(
            world.put(VPC, "my-vpc-alias", &[CIDR]),
            created.replace("created", "unchanged")
        );
        assert_eq!(world.existing(AWS_VPC), [identifier(&created)]);
        let shown = world.shown(VPC, "my-vpc-alias");
        assert_eq!(shown["ownedResource"], true);
        assert_eq!(shown["mapsTo"]["primaryIdentifier"], *identifier(&created));
    }
}

#[test]
fn a_vpc_that_was_created_is_updated_by_the_same_put() {
    for host in hosts("seed_001::a_vpc_that_was_created_is_updated_by_the_same_put") {
        let world = World::of(host);
        let vpc = identifier(&world.put(VPC, "net", &[CIDR]));
        let updated = world.put(VPC, "net", &[CIDR, "EnableDnsHostnames=true"]);
        assert_eq!(updated, format!("updated AWS.EC2/VPC `net`: {vpc}\n"));
        assert_eq!(world.live(AWS_VPC, &vpc)["EnableDnsHostnames"], true);
        assert_eq!(world.existing(AWS_VPC).len(), 1);
    }
}

#[test]
fn a_vpc_that_others_made_is_imported_and_then_updated() {
    for host in hosts("seed_001::a_vpc_that_others_made_is_imported_and_then_updated") {
        let world = World::of(host);
        let vpc = world.make(AWS_VPC, &json!({"CidrBlock": "10.0.0.0/16"}));
        let imported = world.stdout(&["resource", "import", VPC, &vpc, "--alias", "net"]);
        assert_eq!(imported, format!("imported AWS.EC2/VPC `net`: {vpc}\n"));
        assert_eq!(world.shown(VPC, "net")["ownedResource"], false);
        let updated = world.put(VPC, "net", &[CIDR, "EnableDnsHostnames=true"]);
        assert_eq!(updated, format!("updated AWS.EC2/VPC `net`: {vpc}\n"));
        assert_eq!(world.live(AWS_VPC, &vpc)["EnableDnsHostnames"], true);
        world.stdout(&["resource", "delete", VPC, "net", "--yes"]);
        assert_eq!(world.existing(AWS_VPC), [vpc], "what was imported is not ours to delete");
    }
}

#[test]
fn a_vpc_that_others_deleted_is_made_again() {
    for host in hosts("seed_001::a_vpc_that_others_deleted_is_made_again") {
        let world = World::of(host);
        let old = identifier(&world.put(VPC, "net", &[CIDR]));
        world.remove(AWS_VPC, &old);
        let again = world.put(VPC, "net", &[CIDR]);
        assert!(again.starts_with("created AWS.EC2/VPC `net`: vpc-"), "{again}");
        let new = identifier(&again);
        assert_ne!(new, old);
        assert_eq!(world.shown(VPC, "net")["mapsTo"]["primaryIdentifier"], *new);
        assert_eq!(world.existing(AWS_VPC), [new]);
    }
}

#[test]
fn a_vpc_that_others_changed_is_what_was_put_again() {
    for host in hosts("seed_001::a_vpc_that_others_changed_is_what_was_put_again") {
        let world = World::of(host);
        let properties = [CIDR, "EnableDnsSupport=true"];
        let vpc = identifier(&world.put(VPC, "net", &properties));
        world.change(AWS_VPC, &vpc, &json!({"EnableDnsSupport": false}));
        let again = world.put(VPC, "net", &properties);
        assert_eq!(again, format!("updated AWS.EC2/VPC `net`: {vpc}\n"));
        assert_eq!(world.live(AWS_VPC, &vpc)["EnableDnsSupport"], true);
    }
}

#[test]
fn other_types_live_as_they_did() {
    let world = World::new();
    for (type_name, alias, first, next) in [
        ("AWS.S3/Bucket", "logs", "BucketName=logs-1", "VersioningConfiguration.Status=Enabled"),
        ("AWS.Logs/LogGroup", "log", "LogGroupName=/app/log", "RetentionInDays=7"),
        ("AWS.SQS/Queue", "jobs", "QueueName=jobs", "VisibilityTimeout=60"),
        ("AWS.SNS/Topic", "news", "TopicName=news", "DisplayName=News"),
        (
            "AWS.EC2/SecurityGroup",
            "web",
            "GroupDescription=web",
            "Tags=[{\"Key\":\"a\",\"Value\":\"b\"}]",
        ),
    ] {
        assert!(world.put(type_name, alias, &[first]).starts_with("created "), "{type_name}");
        assert!(world.put(type_name, alias, &[first]).starts_with("unchanged "), "{type_name}");
        assert!(world.put(type_name, alias, &[first, next]).starts_with("updated "), "{type_name}");
        let deleted = world.stdout(&["resource", "delete", type_name, alias, "--yes"]);
        assert_eq!(deleted, format!("deleted {type_name} `{alias}`\n"));
    }
    // What has the name that its caller chose is not taken for ours, and is adopted on request.
    world.make("AWS::S3::Bucket", &json!({"BucketName": "taken"}));
    let put =
        ["resource", "put", "AWS.S3/Bucket", "--alias", "b", "--properties", "BucketName=taken"];
    let said = world.refused(&put);
    assert!(said.contains("(AlreadyExists)") && said.contains("--adopt"), "{said}");
    assert_eq!(world.stdout(&["resource", "list"]), "no resources in group default\n");
}
