//! What else can be done with a resource that has an alias: patch, replace, rename, repair, drift,
//! adopt and abandon; with a group and with planes.

use std::process::Output;

use serde_json::{Value, json};

use crate::place::Running;
use crate::world::{Host, World};

const VPC: &str = "AWS.EC2/VPC";
const AWS_VPC: &str = "AWS::EC2::VPC";
const CIDR: &str = "CidrBlock=10.0.0.0/16";

fn identifier(world: &World, alias: &str) -> String {
    world.shown(VPC, alias)["mapsTo"]["primaryIdentifier"].as_str().unwrap().to_owned()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_patch_changes_what_it_states_and_null_removes() {
    let world = World::new();
    let tags = "Tags=[{\"Key\":\"a\",\"Value\":\"b\"}]";
    world.put(VPC, "net", &[CIDR, tags, "EnableDnsSupport=true"]);
    let vpc = identifier(&world, "net");
    let patch = ["resource", "patch", VPC, "--alias", "net"];
    let patched = world.stdout(&[&patch[..], &["--properties", "EnableDnsSupport=false"]].concat());
    assert_eq!(patched, format!("updated AWS.EC2/VPC `net`: {vpc}\n"));
    let live = world.live(AWS_VPC, &vpc);
    assert_eq!(live["EnableDnsSupport"], false);
    assert!(live["Tags"].to_string().contains("\"a\""), "{live}");
    world.stdout(&[&patch[..], &["--properties", "Tags=null"]].concat());
    assert!(!world.live(AWS_VPC, &vpc)["Tags"].to_string().contains("\"a\""));
    let absent = ["resource", "patch", VPC, "--alias", "none", "--properties", "Tags=null"];
    assert_eq!(world.error(&absent)["cause"]["code"], "ResourceNotFound");
}

#[test]
fn a_replacement_needs_its_flag_and_leaves_one_resource() {
    let world = World::new();
    world.put(VPC, "net", &[CIDR]);
    let old = identifier(&world, "net");
    let put = ["resource", "put", VPC, "--alias", "net", "--properties", "CidrBlock=10.1.0.0/16"];
    let refused = world.refused(&put);
    assert!(refused.contains("(ReplaceRequired)") && refused.contains("--replace"), "{refused}");
    assert!(refused.contains("1 | CidrBlock=10.1.0.0/16"), "{refused}");
    assert_eq!(world.existing(AWS_VPC), std::slice::from_ref(&old));

    let replaced = world.stdout(&[&put[..], &["--replace"]].concat());
    assert!(replaced.starts_with("replaced AWS.EC2/VPC `net`: vpc-"), "{replaced}");
    let new = identifier(&world, "net");
    assert_ne!(new, old);
    assert_eq!(world.existing(AWS_VPC), [new]);
    assert_eq!(
        world.put(VPC, "net", &["CidrBlock=10.1.0.0/16"]),
        replaced.replace("replaced", "unchanged")
    );
}

#[test]
fn what_has_a_chosen_name_is_deleted_before_it_is_made_anew() {
    let world = World::new();
    let bucket = ["resource", "put", "AWS.S3/Bucket", "--alias", "logs", "--properties"];
    world.stdout(&[&bucket[..], &["BucketName=logs-1"]].concat());
    let replaced = world.stdout(&[&bucket[..], &["BucketName=logs-2", "--replace"]].concat());
    assert_eq!(replaced, "replaced AWS.S3/Bucket `logs`: logs-2\n");
    assert_eq!(world.existing("AWS::S3::Bucket"), ["logs-2"]);
}

#[test]
fn what_was_replaced_and_could_not_be_deleted_is_told_and_tried_again() {
    let world = World::new();
    world.put(VPC, "net", &[CIDR]);
    let old = identifier(&world, "net");
    world.fault(
        &json!({"operation": "DeleteResource", "effect": "fail", "code": "ResourceConflict",
                        "message": "it has dependencies"}),
    );
    let put = ["resource", "put", VPC, "--alias", "net", "--properties", "CidrBlock=10.1.0.0/16"];
    let output = world.run(&[&put[..], &["--replace"]].concat());
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).contains("warning[API0011]: ") && said(&output).contains(&old));
    let shown = world.stdout(&["resource", "show", VPC, "net"]);
    let retiring = format!("retiring    {old} (replaced, not deleted yet)");
    assert!(shown.contains(&retiring), "{shown}");
    world.stdout(&put);
    assert_eq!(world.existing(AWS_VPC), [identifier(&world, "net")]);
    assert!(!world.stdout(&["resource", "show", VPC, "net"]).contains("retiring"));
}

#[test]
fn what_has_the_name_is_adopted_on_request() {
    let world = World::new();
    world.make("AWS::S3::Bucket", &json!({"BucketName": "taken"}));
    let put = ["resource", "put", "AWS.S3/Bucket", "--alias", "b", "--adopt", "--properties"];
    let properties = ["BucketName=taken", "VersioningConfiguration.Status=Enabled"];
    let adopted = world.stdout(&[&put[..], &properties].concat());
    assert!(adopted.ends_with("AWS.S3/Bucket `b`: taken\n"), "{adopted}");
    let live = world.live("AWS::S3::Bucket", "taken");
    assert_eq!(live["VersioningConfiguration"]["Status"], "Enabled");
}

#[test]
fn a_put_by_the_new_alias_updates_what_the_old_one_made() {
    let world = World::new();
    world.put(VPC, "net", &[CIDR]);
    let vpc = identifier(&world, "net");
    let renamed = world.stdout(&["resource", "rename", VPC, "net", "network"]);
    assert_eq!(renamed, format!("renamed AWS.EC2/VPC `net` to `network`: {vpc}\n"));
    let updated = world.put(VPC, "network", &[CIDR, "EnableDnsHostnames=true"]);
    assert_eq!(updated, format!("updated AWS.EC2/VPC `network`: {vpc}\n"));
    assert_eq!(world.existing(AWS_VPC).len(), 1);
    world.put(VPC, "net", &[CIDR]);
    let taken = world.error(&["resource", "rename", VPC, "--alias", "net", "network"]);
    assert_eq!(taken["cause"]["code"], "AliasTaken");
}

#[test]
fn drift_is_told_repaired_and_pruned() {
    for host in [Host::Command, Host::Server] {
        let world = World::of(host);
        world.put(VPC, "fine", &[CIDR]);
        world.put(VPC, "changed", &[CIDR, "EnableDnsSupport=true"]);
        world.put(VPC, "gone", &[CIDR]);
        assert_eq!(world.stdout(&["drift"]), "all 3 resources of group `default` are in sync\n");
        let changed = identifier(&world, "changed");
        world.change(AWS_VPC, &changed, &json!({"EnableDnsSupport": false}));
        world.remove(AWS_VPC, &identifier(&world, "gone"));

        let output = world.run(&["drift"]);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        let table = String::from_utf8(output.stdout.clone()).unwrap();
        assert_eq!(table.lines().count(), 4, "{table}");
        assert!(table.contains("~   changed  AWS.EC2/VPC  drifted  vpc-"), "{table}");
        assert!(table.contains("      ~ /EnableDnsSupport: true → false\n"), "{table}");
        assert!(table.contains("-   gone  AWS.EC2/VPC  missing  vpc-"), "{table}");
        assert!(said(&output).contains("`hangar drift --repair`"), "{}", said(&output));
        // A server keeps what it found; a command that reads keeps nothing.
        if matches!(host, Host::Server) {
            let listed = world.stdout(&["resource", "list", "--drift", "drifted"]);
            assert!(listed.contains("changed") && !listed.contains("gone"), "{listed}");
            let listed = world.stdout(&["resource", "list", "--state", "missing"]);
            assert!(listed.contains("gone") && !listed.contains("changed"), "{listed}");
        }

        let json = world.run(&["drift", "-o", "json"]);
        let json: Value = serde_json::from_slice(&json.stdout).unwrap();
        assert_eq!(
            (&json["counts"]["drifted"], &json["counts"]["missing"]),
            (&json!(1), &json!(1))
        );
        let differences = json!([{"path": "/EnableDnsSupport", "applied": true, "live": false}]);
        assert_eq!(json["resources"][0]["drift"]["differences"], differences);

        let cured = world.stdout(&["drift", "--repair", "--prune"]);
        assert_eq!(
            cured,
            "all 2 resources of group `default` are in sync (1 repaired, 1 pruned)\n"
        );
        assert_eq!(world.live(AWS_VPC, &changed)["EnableDnsSupport"], true);
        assert_eq!(world.json(&["resource", "list"]).as_array().unwrap().len(), 2);
        let parent = world
            .json(&["operation", "list"])
            .as_array()
            .unwrap()
            .iter()
            .find(|it| it["kind"] == "drift")
            .unwrap()["name"]
            .as_str()
            .unwrap()
            .to_owned();
        let shown = world.stdout(&["operation", "show", &parent]);
        assert!(shown.contains("PART") && shown.contains("changed"), "{shown}");
        let parts = world.json(&["operation", "list", "--parent", &parent]);
        assert!(!parts.as_array().unwrap().is_empty());
    }
}

#[test]
fn a_repair_recreates_what_is_missing_and_counts_it() {
    let world = World::new();
    world.put(VPC, "fine", &[CIDR]);
    world.put(VPC, "gone", &[CIDR]);
    let database = ["DBInstanceIdentifier=db", "DBInstanceClass=db.t3.micro", "Engine=postgres"];
    let secret =
        ["AllocatedStorage=20", "MasterUsername=admin", "MasterUserPassword=hunter2hunter2"];
    world.put("AWS.RDS/DBInstance", "db", &[&database[..], &secret].concat());
    world.remove(AWS_VPC, &identifier(&world, "gone"));
    world.remove("AWS::RDS::DBInstance", "db");

    let output = world.run(&["drift", "--repair"]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    let told = said(&output);
    assert!(told.contains("2 in sync, 1 missing, 1 recreated, 1 refused"), "{told}");
    assert!(told.contains("cannot be recreated without /MasterUserPassword"), "{told}");
    assert!(told.contains("`hangar deploy FILE` with its template"), "{told}");
    assert_eq!(world.existing(AWS_VPC).len(), 2);
    let pruned = world.stdout(&["drift", "--prune"]);
    assert_eq!(pruned, "all 2 resources of group `default` are in sync (1 pruned)\n");
}

#[test]
fn one_resource_is_looked_at_and_repaired() {
    let world = World::new();
    world.put(VPC, "net", &[CIDR, "EnableDnsSupport=true"]);
    let vpc = identifier(&world, "net");
    let drift = ["drift", VPC, "--alias", "net"];
    assert_eq!(world.stdout(&drift), "AWS.EC2/VPC `net` is in sync\n");
    world.change(AWS_VPC, &vpc, &json!({"EnableDnsSupport": false}));
    assert_eq!(world.run(&drift).status.code(), Some(2));
    let repaired = world.stdout(&["resource", "repair", VPC, "net"]);
    assert_eq!(repaired, format!("updated AWS.EC2/VPC `net`: {vpc}\n"));
    assert_eq!(world.live(AWS_VPC, &vpc)["EnableDnsSupport"], true);
    world.change(AWS_VPC, &vpc, &json!({"EnableDnsSupport": false}));
    let cured = world.stdout(&[&drift[..], &["--repair"]].concat());
    assert_eq!(cured, "AWS.EC2/VPC `net` is in sync (1 repaired)\n");
    world.remove(AWS_VPC, &vpc);
    let recreated = world.stdout(&[&drift[..], &["--repair"]].concat());
    assert_eq!(recreated, "AWS.EC2/VPC `net` is in sync (1 recreated)\n");
    assert_eq!(world.existing(AWS_VPC), [identifier(&world, "net")]);
    world.remove(AWS_VPC, &identifier(&world, "net"));
    assert_eq!(world.run(&drift).status.code(), Some(2));
    let pruned = world.stdout(&[&drift[..], &["--prune"]].concat());
    assert_eq!(pruned, "AWS.EC2/VPC `net` is missing in AWS (1 pruned)\n");
    assert_eq!(world.stdout(&["resource", "list"]), "no resources in group default\n");
}

#[test]
fn who_watches_is_told_of_changes_until_ctrl_c() {
    use std::io::{BufRead as _, BufReader};
    let world = World::new();
    world.put(VPC, "net", &[CIDR, "EnableDnsSupport=true"]);
    let vpc = identifier(&world, "net");
    let watch = ["drift", "--watch", "--every", "1s"];
    let mut running = Running::start(&mut world.place.command(&watch));
    let mut lines = BufReader::new(running.child.stdout.take().unwrap()).lines();
    let mut next = || lines.next().unwrap().unwrap();
    let first = next();
    assert!(first.ends_with(" the resource of group `default` is in sync"), "{first}");
    world.change(AWS_VPC, &vpc, &json!({"EnableDnsSupport": false}));
    let drifted = next();
    assert!(
        drifted.ends_with(" drifted AWS.EC2/VPC `net`: /EnableDnsSupport: true → false"),
        "{drifted}"
    );
    // Another command uses the same control plane meanwhile.
    world.stdout(&["resource", "repair", VPC, "net"]);
    let mended = next();
    assert!(mended.ends_with(" in sync AWS.EC2/VPC `net`"), "{mended}");
    running.signal("-INT");
    let (code, told) = running.end();
    assert_eq!(code, Some(0), "{told}");
    assert!(!told.contains("error"), "{told}");
    let both = world.refused(&["drift", "--watch", "-o", "json"]);
    assert!(both.contains("one document"), "{both}");
}

#[test]
fn a_server_looks_by_itself() {
    use crate::serving::Server;
    use crate::simulator::Simulator;
    let (place, simulator) = (crate::place::Place::new(), Simulator::start(&[]));
    let server = Server::start(&place, &["--aws", simulator.url(), "--drift-every", "1s"]);
    place.put("net", &[]);
    let since = std::time::Instant::now();
    loop {
        let shown = place.json(&["resource", "show", VPC, "net"]);
        if shown["drift"]["state"] == "InSync" {
            break;
        }
        assert!(since.elapsed().as_secs() < 30, "{shown}");
    }
    drop(server);
}

#[test]
fn an_alias_that_nobody_knows_is_adopted_or_abandoned() {
    let world = World::new();
    world.unknown("net");
    let output = world.run(&["resource", "list", "--state", "unknown"]);
    let table = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(table.starts_with("TYPE") && table.contains(" ago "), "{table}");
    assert!(said(&output).contains("`hangar resource adopt AWS.EC2/VPC net IDENTIFIER`"));
    assert!(said(&output).contains("`hangar resource abandon AWS.EC2/VPC net`"));
    let shown = world.stdout(&["resource", "show", VPC, "net"]);
    assert!(shown.contains("unsettled"), "{shown}");

    let made = world.make(AWS_VPC, &json!({"CidrBlock": "10.0.0.0/16"}));
    let adopted = world.stdout(&["resource", "adopt", VPC, "net", &made, "--owned"]);
    assert_eq!(adopted, format!("imported AWS.EC2/VPC `net`: {made}\n"));
    assert!(world.put(VPC, "net", &[CIDR]).starts_with("unchanged "));
    let settled = world.refused(&["resource", "adopt", VPC, "net", &made]);
    assert!(settled.contains("error[CLI0018]"), "{settled}");
    let settled = world.refused(&["resource", "abandon", VPC, "net", "--yes"]);
    assert!(settled.contains("error[CLI0018]"), "{settled}");

    world.unknown("other");
    let unasked = world.refused(&["resource", "abandon", VPC, "other"]);
    assert!(unasked.contains("error[CLI0012]"), "{unasked}");
    let abandoned = world.stdout(&["resource", "abandon", VPC, "--alias", "other", "--yes"]);
    assert_eq!(abandoned, "abandoned AWS.EC2/VPC `other`\n");
    assert!(world.put(VPC, "other", &[CIDR]).starts_with("created "));
}

#[test]
fn a_group_goes_with_what_it_owns_and_without_what_it_imported() {
    for host in [Host::Command, Host::Server] {
        let world = World::of(host);
        world.stdout(&["group", "create", "test"]);
        let put = ["resource", "put", "-g", "test"];
        world.stdout(&[&put[..], &[VPC, "--alias", "net", "--properties", CIDR]].concat());
        let vpc = world.json(&["resource", "show", VPC, "net", "-g", "test"]);
        let vpc = vpc["mapsTo"]["primaryIdentifier"].as_str().unwrap().to_owned();
        let properties = format!("VpcId={vpc}");
        let subnet = [
            "AWS.EC2/Subnet",
            "--alias",
            "sub",
            "--depends-on",
            "AWS.EC2/VPC/net",
            "--properties",
            "CidrBlock=10.0.0.0/24",
            &properties,
        ];
        world.stdout(&[&put[..], &subnet].concat());
        let foreign = world.make(AWS_VPC, &json!({"CidrBlock": "10.9.0.0/16"}));
        world.stdout(&["resource", "import", VPC, &foreign, "--alias", "old", "-g", "test"]);

        let unasked = world.refused(&["group", "delete", "test"]);
        let told = "deleting group `test` deletes 2 resources in AWS, detaches 1 resource; pass --yes to confirm";
        assert!(unasked.contains(told), "{unasked}");
        let deleted = world.stdout(&["group", "delete", "test", "--yes"]);
        assert_eq!(deleted, "deleted group `test`\n");
        assert_eq!(world.existing(AWS_VPC), [foreign]);
        assert_eq!(world.existing("AWS::EC2::Subnet").len(), 0);
        let again = world.stdout(&["group", "delete", "test", "--yes"]);
        assert_eq!(again, "group `test` does not exist; nothing to delete\n");
    }
}

#[test]
fn a_group_that_aws_does_not_let_go_is_deleted_at_the_next_try() {
    let world = World::new();
    world.stdout(&["group", "create", "test"]);
    for alias in ["one", "two"] {
        world.stdout(&[
            "resource",
            "put",
            VPC,
            "--alias",
            alias,
            "-g",
            "test",
            "--properties",
            CIDR,
        ]);
    }
    let one = world.json(&["resource", "show", VPC, "one", "-g", "test"]);
    let one = one["mapsTo"]["primaryIdentifier"].as_str().unwrap().to_owned();
    world.fault(
        &json!({"operation": "DeleteResource", "identifier": one, "times": 3, "effect": "fail",
                        "code": "InvalidRequest", "message": "it has dependencies"}),
    );
    let refused = world.refused(&["group", "delete", "test", "--yes"]);
    assert!(refused.contains("(GroupNotEmpty)"), "{refused}");
    assert!(refused.contains("it has dependencies"), "{refused}");
    assert!(refused.contains("AWS.EC2/VPC:reference/one"), "{refused}");
    assert!(refused.contains("`hangar group delete test --yes`"), "{refused}");
    assert_eq!(world.existing(AWS_VPC), [one]);
    let listed = world.json(&["resource", "list", "-g", "test"]);
    assert_eq!(listed.as_array().unwrap().len(), 1);
    // Until the fault is used up.
    let gone = (0..3).any(|_| world.run(&["group", "delete", "test", "--yes"]).status.success());
    assert!(gone);
    assert_eq!(world.existing(AWS_VPC).len(), 0);
}

#[test]
fn a_groups_tags_change_one_by_one() {
    let world = World::new();
    world.stdout(&["group", "create", "test", "--tag", "a=1", "--tag", "b=2"]);
    let update = ["group", "update", "test", "--tag", "c=3", "--remove-tag", "a"];
    assert!(world.stdout(&update).starts_with("updated group test"));
    assert!(world.stdout(&update).starts_with("unchanged group test"));
    let shown = world.json(&["group", "show", "test"]);
    assert_eq!(shown["tags"], json!({"b": "2", "c": "3"}));
    let moved = world.stdout(&["group", "update", "test", "--aws-region", "eu-west-1"]);
    assert!(moved.ends_with("region eu-west-1\n"), "{moved}");
    assert_eq!(world.json(&["group", "show", "test"])["tags"], shown["tags"]);
    let absent = world.error(&["group", "update", "none", "--tag", "a=b"]);
    assert_eq!(absent["cause"]["code"], "ResourceGroupNotFound");
}

#[test]
fn planes_are_listed_made_and_deleted() {
    let world = World::new();
    let listed = world.stdout(&["plane", "list"]);
    let rows: Vec<Vec<&str>> =
        listed.lines().skip(1).map(|line| line.split_whitespace().take(2).collect()).collect();
    assert_eq!(rows, [["aws", "aws"], ["radius", "local"]]);
    let create = ["plane", "create", "aws/sandbox", "--tag", "a=b"];
    assert_eq!(world.stdout(&create), "created plane `aws/sandbox`\n");
    assert_eq!(world.stdout(&create), "unchanged plane `aws/sandbox`\n");
    assert!(world.stdout(&["plane", "show", "aws/sandbox"]).contains("tags     a=b"));
    let unasked = world.refused(&["plane", "delete", "aws/sandbox"]);
    assert!(unasked.contains("error[CLI0012]"), "{unasked}");
    let delete = ["plane", "delete", "aws/sandbox", "--yes"];
    assert_eq!(world.stdout(&delete), "deleted plane `aws/sandbox`\n");
    assert_eq!(world.stdout(&delete), "plane `aws/sandbox` does not exist; nothing to delete\n");
    world.put(VPC, "net", &[CIDR]);
    let full = world.error(&["plane", "delete", "aws/aws", "--yes"]);
    assert_eq!(full["cause"]["code"], "PlaneNotEmpty");
}
