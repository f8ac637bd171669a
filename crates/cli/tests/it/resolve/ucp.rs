//! `${ucp:…}`: resources of the control plane, with `hangar serve` running and without.

use crate::world::{Host, World};

fn manifest(reference: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: net}}\ndata:\n  vpc: {reference}\n")
}

/// A world with a VPC that somebody put.
fn world(host: Host) -> World {
    let world = World::of(host);
    world.put("AWS.EC2/VPC", "main", &["CidrBlock=10.0.0.0/16"]);
    world
}

fn resolved(world: &World, reference: &str) -> String {
    std::fs::write(world.place.path().join("manifest.yaml"), manifest(reference)).unwrap();
    let text = world.stdout(&["resolve", "-f", "manifest.yaml"]);
    text.lines().last().unwrap().strip_prefix("  vpc: ").unwrap().to_owned()
}

#[test]
fn a_resource_is_found_by_its_alias_and_by_its_whole_id() {
    for host in [Host::Command, Host::Server] {
        let world = world(host);
        let shown = world.shown("AWS.EC2/VPC", "main");
        let part = |name: &str| shown["mapsTo"][name].as_str().unwrap().to_owned();
        let id = format!("{}/{}", part("scope"), part("primaryIdentifier"));
        let vpc = resolved(&world, "${ucp:default/AWS.EC2/VPC/main#VpcId}");
        assert!(vpc.starts_with("vpc-"), "{vpc}");
        assert_eq!(resolved(&world, &format!("${{ucp:{id}#VpcId}}")), vpc);
        assert_eq!(resolved(&world, &format!("${{ucp:{id}#CidrBlock}}")), "10.0.0.0/16");
    }
}

#[test]
fn what_the_control_plane_does_not_have_is_refused() {
    for host in [Host::Command, Host::Server] {
        let world = world(host);
        for (reference, near) in [
            ("${ucp:default/AWS.EC2/VPC/other#VpcId}", "hangar resource list"),
            ("${ucp:default/AWS.EC2/VPC/main#VpcIdd}", "did you mean `VpcId`?"),
        ] {
            std::fs::write(world.place.path().join("manifest.yaml"), manifest(reference)).unwrap();
            let said = world.refused(&["resolve", "-f", "manifest.yaml"]);
            assert!(said.contains("error[REF0017]") && said.contains(near), "{said}");
            assert!(said.contains("/data/vpc"), "{said}");
        }
    }
}
