//! How replicas start, agree, and are refused.

use hangar_store::postgres::cluster::Cluster;
use serde_json::{Value, json};

use crate::deployment::{Deployment, Kind, has_postgres};
use crate::place::Place;
use crate::serve::{Server, VERSION, reference};
use crate::simulator::Simulator;

fn database() -> String {
    Cluster::shared().unwrap().create_database().unwrap()
}

#[test]
fn what_one_replica_accepts_the_other_shows_and_both_have_one_token() {
    if !has_postgres("what_one_replica_accepts_the_other_shows_and_both_have_one_token") {
        return;
    }
    let simulator = Simulator::start(&[]);
    let deployment = Deployment::start(Kind::Replicas, simulator.url());
    let [first, second] = &deployment.servers[..] else { panic!("two replicas") };
    assert_eq!(first.token(), second.token());
    let group = format!("/planes/radius/local/resourceGroups/g?{VERSION}");
    assert_eq!(first.client().must("PUT", &group, &json!({})).status, 201);
    let scope = "/planes/aws/aws/accounts/000000000000/regions/us-east-1/providers/AWS.EC2/VPC";
    let body = json!({"mapsTo": {"scope": scope}, "properties": {"CidrBlock": "10.0.0.0/16"}});
    let path = reference("g", "AWS.EC2/VPC", "net");
    assert_eq!(second.client().must("PUT", &path, &body).status, 201);
    let shown = first.client().must("GET", &path, &Value::Null);
    assert_eq!(shown.body["properties"]["provisioningState"], "Succeeded");
    assert!(shown.body["id"].as_str().unwrap().ends_with("/net"));
    let unchanged = first.client().must("PUT", &path, &body);
    assert_eq!((unchanged.status, &unchanged.body["mapsTo"]), (200, &shown.body["mapsTo"]));
}

#[test]
fn a_replica_with_another_key_is_refused_and_leaves_none_behind() {
    if !has_postgres("a_replica_with_another_key_is_refused_and_leaves_none_behind") {
        return;
    }
    let simulator = Simulator::start(&[]);
    let url = database();
    let folder = tempfile::tempdir().unwrap();
    let _first = Server::start_with(folder.path(), simulator.url(), Some(&url), &[]);
    let place = Place::new();
    let serve = ["serve", "--listen", "127.0.0.1:0", "--aws", simulator.url(), "--store", &url];
    let without = place.run(&serve);
    let said = String::from_utf8(without.stderr).unwrap();
    assert!(said.contains("error[SRV0007]") && said.contains("--key-file"), "{said}");
    assert!(!place.file("key").exists());
    let other = place.path().join("other");
    std::fs::write(&other, "ab".repeat(32)).unwrap();
    let wrong = place.run(&[&serve[..], &["--key-file", "other"]].concat());
    let said = String::from_utf8(wrong.stderr).unwrap();
    assert!(
        said.contains("error[SRV0007]") && said.contains("the key does not belong to this store"),
        "{said}"
    );
}

#[test]
fn a_key_is_not_changed_beside_a_replica_that_runs() {
    if !has_postgres("a_key_is_not_changed_beside_a_replica_that_runs") {
        return;
    }
    let simulator = Simulator::start(&[]);
    let url = database();
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start_with(folder.path(), simulator.url(), Some(&url), &[]);
    // From another machine: the replica's data directory is not seen.
    let place = Place::new();
    let key = place.path().join("key");
    std::fs::copy(folder.path().join("key"), &key).unwrap();
    let before = std::fs::read_to_string(&key).unwrap();
    let rotate = || place.run(&["key", "rotate", "--store", &url, "--data-dir", "."]);
    let refused = rotate();
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(!refused.status.success(), "{said}");
    assert!(said.contains("another replica uses it: stop all replicas first"), "{said}");
    assert_eq!(std::fs::read_to_string(&key).unwrap(), before);
    server.kill();
    let rotated = rotate();
    assert!(rotated.status.success(), "{}", String::from_utf8_lossy(&rotated.stderr));
    assert_ne!(std::fs::read_to_string(&key).unwrap(), before);
}

#[test]
fn replicas_do_not_each_have_an_aws_of_their_own() {
    if !has_postgres("replicas_do_not_each_have_an_aws_of_their_own") {
        return;
    }
    let (place, url) = (Place::new(), database());
    let refused = place.run(&["serve", "--listen", "127.0.0.1:0", "--store", &url]);
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("error[SRV0009]") && said.contains("--aws"), "{said}");
    // The second one is told by the store which AWS it is.
    let simulator = Simulator::start(&[]);
    let deployment = Deployment::start_on(Kind::Replicas, simulator.url(), Some(url.clone()), &[]);
    let group = format!("/planes/radius/local/resourceGroups/g?{VERSION}");
    assert_eq!(deployment.client().must("PUT", &group, &json!({})).status, 201);
    let scope = "/planes/aws/aws/accounts/000000000000/regions/us-east-1/providers/AWS.EC2/VPC";
    let body = json!({"mapsTo": {"scope": scope}, "properties": {"CidrBlock": "10.0.0.0/16"}});
    let path = reference("g", "AWS.EC2/VPC", "net");
    assert_eq!(deployment.client().must("PUT", &path, &body).status, 201);
    let key = deployment.folder().join("key");
    let with = ["--store", &url, "--key-file", key.to_str().unwrap()];
    let real =
        place.run(&[&["serve", "--listen", "127.0.0.1:0", "--aws", "real"][..], &with].concat());
    let said = String::from_utf8(real.stderr).unwrap();
    assert!(said.contains("error[SRV0008]"), "{said}");
}

#[test]
fn a_database_that_cannot_be_used_is_told_without_its_password() {
    if !has_postgres("a_database_that_cannot_be_used_is_told_without_its_password") {
        return;
    }
    let place = Place::new();
    let serve = |store: &str| {
        let aws = ["--aws", "http://127.0.0.1:1"];
        let arguments = ["serve", "--listen", "127.0.0.1:0", "--store", store];
        String::from_utf8(place.run(&[&arguments[..], &aws].concat()).stderr).unwrap()
    };
    let nobody = serve("postgres://me:hunter2@127.0.0.1:1/hangar");
    assert!(
        nobody
            .starts_with("error[SRV0006]: cannot use the store `postgres://me@127.0.0.1:1/hangar`"),
        "{nobody}"
    );
    assert!(!nobody.contains("hunter2"), "{nobody}");
    let none = serve(&Cluster::shared().unwrap().url("nowhere"));
    assert!(none.contains("createdb") && none.contains("nowhere"), "{none}");
    let odd = serve("mysql://h/d");
    assert!(odd.starts_with("error[CLI0001]") && odd.contains("postgres://"), "{odd}");
    let mistyped = serve("postgress://me:hunter2@h/d");
    assert!(mistyped.starts_with("error[CLI0001]") && !mistyped.contains("hunter2"), "{mistyped}");
}

#[test]
fn a_replicas_directory_does_not_begin_a_store_of_its_own() {
    if !has_postgres("a_replicas_directory_does_not_begin_a_store_of_its_own") {
        return;
    }
    let simulator = Simulator::start(&[]);
    let (place, url) = (Place::new(), database());
    std::fs::create_dir(place.dir()).unwrap();
    drop(Server::start_with(&place.dir(), simulator.url(), Some(&url), &[]));
    for command in [&["resource", "list"][..], &["serve", "--listen", "127.0.0.1:0"]] {
        let said = String::from_utf8(place.run(command).stderr).unwrap();
        assert!(said.contains("error[SRV0012]") && said.contains("--server"), "{said}");
    }
    assert!(!place.file("hangar.db").exists());
    let other = Place::new();
    let mut asked = other.command(&["resource", "list"]);
    let said = String::from_utf8(asked.env("HANGAR_STORE", &url).output().unwrap().stderr).unwrap();
    assert!(said.contains("error[SRV0012]") && said.contains("HANGAR_STORE"), "{said}");
    assert!(!other.file("hangar.db").exists());
}
