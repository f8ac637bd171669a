//! Commands with no server: each runs the control plane itself, on the built-in simulator.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use crate::http::Connection;
use crate::place::{Place, Running, put};
use crate::simulator::Simulator;

const NOTE: &str = "note: AWS is the built-in simulator (state in .hangar/simulator.db)\n";

#[test]
fn a_name_is_created_updated_left_alone_and_deleted() {
    let place = Place::new();
    let created = place.put("net", &[]);
    assert!(created.starts_with("created AWS.EC2/VPC `net`: vpc-"), "{created}");
    assert_eq!(place.put("net", &[]), created.replace("created", "unchanged"));
    let more = ["EnableDnsHostnames=true"];
    assert_eq!(place.put("net", &more), created.replace("created", "updated"));
    assert_eq!(place.put("net", &more), created.replace("created", "unchanged"));
    let shown = place.json(&["resource", "show", "AWS.EC2/VPC", "net", "--live"]);
    assert_eq!(shown["properties"]["EnableDnsHostnames"], true);
    assert_eq!(shown["properties"]["CidrBlock"], "10.0.0.0/16");
    assert_eq!(place.json(&["resource", "list"])[0]["state"], "ready");
    let deleted = place.stdout(&["resource", "delete", "AWS.EC2/VPC", "net", "--yes"]);
    assert_eq!(deleted, "deleted AWS.EC2/VPC `net`\n");
    assert_eq!(place.stdout(&["resource", "list"]), "no resources in group default\n");
    let outcomes: Vec<_> = place
        .json(&["operation", "list"])
        .as_array()
        .unwrap()
        .iter()
        .map(|operation| operation["properties"]["outcome"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(outcomes, ["deleted", "noop", "updated", "noop", "created"]);
}

#[test]
fn every_command_says_that_aws_is_simulated_and_programs_are_not_told() {
    let place = Place::new();
    place.put("net", &[]);
    for arguments in [&["group", "list"][..], &["resource", "list"], &["operation", "list"]] {
        let output = place.run(arguments);
        assert_eq!(String::from_utf8_lossy(&output.stderr), NOTE, "{arguments:?}");
    }
    let output = place.run(&put("net", &["-o", "json"]));
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let reference: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(reference["name"], "net");
}

#[test]
fn a_command_that_only_reads_names_no_state_file_in_an_empty_folder() {
    let place = Place::new();
    fs::write(place.path().join("main.bicep"), "extension aws\n").unwrap();
    for arguments in [
        &["plan", "main.bicep"][..],
        &["drift"],
        &["resource", "list"],
        &["group", "list"],
        &["operation", "list"],
    ] {
        let output = place.run(arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("note: AWS is the built-in simulator\n"), "{arguments:?}: {said}");
        assert!(!said.contains("simulator.db"), "{arguments:?}: {said}");
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1, "{arguments:?}");
    }
}

#[test]
fn a_change_that_needs_a_replacement_is_refused_where_it_stands() {
    let place = Place::new();
    place.put("net", &[]);
    fs::write(place.path().join("vpc.json"), "{\"CidrBlock\": \"10.1.0.0/16\"}\n").unwrap();
    let put = ["resource", "put", "AWS.EC2/VPC", "--alias", "net", "--properties", "vpc.json"];
    let output = place.run(&put);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("(ReplaceRequired)"), "{said}");
    assert!(said.contains(" --> vpc.json:1:15\n"), "{said}");
    let error = place.run(&[&put[..], &["-o", "json"]].concat()).stderr;
    let error: serde_json::Value = serde_json::from_slice(&error).unwrap();
    assert_eq!(error["error"]["cause"]["code"], "ReplaceRequired");
    assert_eq!(error["error"]["details"][1]["pointer"], "/CidrBlock");
}

#[test]
fn what_is_kept_is_its_owners_and_nothing_points_at_a_server_that_is_gone() {
    let place = Place::new();
    place.stdout(&["group", "create", "g"]);
    let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(place.dir()), 0o700);
    for name in ["key", "token", "lock", "hangar.db"] {
        assert_eq!(mode(place.file(name)), 0o600, "{name}");
    }
    assert!(!place.file("server.json").exists());
}

#[test]
fn what_dead_processes_left_stands_in_nobodys_way() {
    let place = Place::new();
    place.stdout(&["group", "create", "g"]);
    fs::write(place.file("lock"), "4194304999\n").unwrap();
    let stale = json!({"url": "http://127.99.99.99:1", "pid": 4_194_304, "instance": "gone",
                       "basePath": "/b", "aws": "real", "role": "serve"});
    fs::write(place.file("server.json"), stale.to_string()).unwrap();
    place.put("net", &[]);
    assert!(!place.file("server.json").exists());
}

#[test]
fn commands_at_once_share_one_control_plane_and_outlive_it() {
    let place = Place::new();
    let aliases = ["a", "b", "c", "d", "e"];
    let all: Vec<_> =
        aliases.iter().map(|alias| Running::start(&mut place.command(&put(alias, &[])))).collect();
    for (alias, running) in aliases.iter().zip(all) {
        let (code, said) = running.end();
        assert_eq!(code, Some(0), "{alias}: {said}");
    }
    let listed = place.json(&["resource", "list"]);
    let states: Vec<_> = listed.as_array().unwrap().iter().map(|one| &one["state"]).collect();
    assert_eq!(states, ["ready"; 5]);
    assert_eq!(vpcs(&place), 5);
}

#[test]
fn ctrl_c_leaves_the_operation_open_and_the_next_command_goes_on_with_it() {
    let place = Place::new();
    let mut running = Running::start(&mut place.command(&put("net", &[])));
    running.until("create sent");
    running.signal("-INT");
    let (code, said) = running.end();
    assert_eq!(code, Some(1));
    let (_, after) = said.split_once("error[API0007]: stopped waiting; operation ").unwrap();
    let (id, hints) = after.split_once(" is still open\n").unwrap();
    assert!(hints.contains(&format!("`hangar operation wait {id}`")), "{hints}");
    assert!(!place.file("server.json").exists());
    let output = place.run(&["operation", "wait", id]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("note: 1 operation was unfinished; continuing\n"), "{said}");
    assert!(output.stdout.starts_with(b"created AWS.EC2/VPC `net`: vpc-"), "{said}");
    assert_eq!(vpcs(&place), 1);
}

#[test]
fn a_kill_at_any_moment_leaves_one_resource_for_one_name() {
    for moment in ["`net`: accepted", "create sent", "accepted by AWS"] {
        let place = Place::new();
        let mut running = Running::start(&mut place.command(&put("net", &[])));
        running.until(moment);
        running.signal("-KILL");
        running.end();
        let open = place.json(&["operation", "list"])[0]["name"].as_str().unwrap().to_owned();
        place.stdout(&["operation", "wait", &open]);
        let again = place.put("net", &[]);
        assert!(again.starts_with("unchanged"), "{moment}: {again}");
        assert_eq!(vpcs(&place), 1, "{moment}");
    }
}

#[test]
fn an_operation_that_nobody_waits_for_goes_on_with_the_next_command() {
    let place = Place::new();
    let output = place.run(&put("net", &["--no-wait"]));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("note: no server is running, so it continues with the next command"),
        "{said}"
    );
    let open = place.json(&["operation", "list", "--running"])[0]["name"].clone();
    let waited = place.stdout(&["operation", "wait", open.as_str().unwrap()]);
    assert!(waited.starts_with("created AWS.EC2/VPC `net`: vpc-"), "{waited}");
}

#[test]
fn a_directory_stays_with_the_aws_that_its_names_live_in() {
    let place = Place::new();
    let simulator = Simulator::start(&[]);
    // Nothing lives in it yet.
    place.stdout(&["group", "list"]);
    place.put("net", &["--aws", simulator.url()]);
    let output = place.run(&["resource", "list"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(said, format!("note: AWS is {}\n", simulator.url()));
    let refused = place.run(&["resource", "list", "--aws", "simulator"]);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(said.starts_with("error[SRV0008]: the references in `.hangar` belong to"), "{said}");
    let moved = Simulator::start(&[]);
    place.stdout(&["resource", "list", "--aws", moved.url()]);
}

#[test]
fn account_and_region_come_from_the_command_the_group_or_the_simulator() {
    let place = Place::new();
    place.stdout(&["group", "create", "prod", "--aws-account", "12", "--aws-region", "eu-west-1"]);
    place.put("group", &["-g", "prod"]);
    place.put("half", &["-g", "prod", "--aws-region", "us-west-2"]);
    place.put("none", &[]);
    let scope = |group: &str, alias: &str| {
        let shown = place.json(&["resource", "show", "AWS.EC2/VPC", alias, "-g", group]);
        let scope = shown["mapsTo"]["scope"].as_str().unwrap().to_owned();
        scope.replace("/planes/aws/aws/accounts/", "").replace("/providers/AWS.EC2/VPC", "")
    };
    assert_eq!(scope("prod", "group"), "12/regions/eu-west-1");
    assert_eq!(scope("prod", "half"), "12/regions/us-west-2");
    assert_eq!(scope("default", "none"), "000000000000/regions/us-east-1");
}

#[test]
fn a_key_that_is_not_the_stores_is_told() {
    let place = Place::new();
    place.stdout(&["group", "create", "g"]);
    fs::remove_file(place.file("key")).unwrap();
    let said = String::from_utf8(place.run(&["group", "list"]).stderr).unwrap();
    assert!(said.starts_with("error[SRV0007]: cannot use the key `.hangar/key`"), "{said}");
    fs::write(place.file("key"), "0".repeat(64)).unwrap();
    let said = String::from_utf8(place.run(&["group", "list"]).stderr).unwrap();
    let told = "error[SRV0007]: cannot use the key `.hangar/key`: the key does not belong to this \
            store";
    assert!(said.starts_with(told) && !said.contains("--key-file"), "{said}");
}

#[test]
fn detaching_by_an_aws_id_forgets_the_alias_and_nothing_else() {
    let place = Place::new();
    place.put("net", &[]);
    let shown = place.json(&["resource", "show", "AWS.EC2/VPC", "net"]);
    let scope = shown["mapsTo"]["scope"].as_str().unwrap();
    let id = format!("{scope}/{}", shown["mapsTo"]["primaryIdentifier"].as_str().unwrap());
    let unasked = String::from_utf8(place.run(&["resource", "delete", &id]).stderr).unwrap();
    assert!(unasked.contains("error[CLI0012]"), "{unasked}");
    place.stdout(&["resource", "delete", &id, "--detach"]);
    assert_eq!(place.stdout(&["resource", "list"]), "no resources in group default\n");
    assert_eq!(vpcs(&place), 1);
    let again = place.run(&["resource", "delete", &id, "--detach"]);
    let said = String::from_utf8(again.stderr).unwrap();
    assert!(said.contains("error[CLI0017]: nothing to detach"), "{said}");
    assert_eq!(vpcs(&place), 1);
    place.stdout(&["resource", "delete", &id, "--yes"]);
    assert_eq!(vpcs(&place), 0);
}

#[test]
fn a_damaged_aws_file_is_not_taken_for_the_simulator() {
    let place = Place::new();
    let simulator = Simulator::start(&[]);
    place.put("net", &["--aws", simulator.url()]);
    for damage in ["htp:/x", ""] {
        fs::write(place.file("aws"), damage).unwrap();
        let said = String::from_utf8(place.run(&["resource", "list"]).stderr).unwrap();
        let told = "error[SRV0010]: cannot determine which AWS to use from `.hangar/aws`";
        assert!(said.starts_with(told), "{damage:?}: {said}");
        assert!(said.contains("--aws real"), "{said}");
    }
    assert!(!place.file("simulator.db").exists());
    place.stdout(&["resource", "list", "--aws", simulator.url()]);
    place.put("net", &["--aws", simulator.url()]);
    assert_eq!(fs::read_to_string(place.file("aws")).unwrap().trim(), simulator.url());
    assert!(place.put("net", &[]).starts_with("unchanged"));
}

#[test]
fn a_store_remembers_its_aws_where_the_directory_has_forgotten_it() {
    let place = Place::new();
    let simulator = Simulator::start(&[]);
    place.put("net", &["--aws", simulator.url()]);
    fs::remove_file(place.file("aws")).unwrap();
    assert!(place.put("net", &[]).starts_with("unchanged"));
    assert_eq!(fs::read_to_string(place.file("aws")).unwrap().trim(), simulator.url());
    // Nor does it believe a directory that it is not from.
    fs::write(place.file("aws"), "simulator\n").unwrap();
    let said = String::from_utf8(place.run(&["resource", "list"]).stderr).unwrap();
    let told =
        format!("error[SRV0008]: the references in `.hangar` belong to --aws {}", simulator.url());
    assert!(said.starts_with(&told), "{said}");
    assert!(!place.file("simulator.db").exists());
}

#[test]
fn a_lost_store_beside_its_key_is_not_taken_for_a_new_one() {
    let place = Place::new();
    place.put("net", &[]);
    let copy = fs::read(place.file("hangar.db")).unwrap();
    for empty in [false, true] {
        fs::remove_file(place.file("hangar.db")).unwrap();
        if empty {
            fs::write(place.file("hangar.db"), "").unwrap();
        }
        let said = String::from_utf8(place.run(&["resource", "list"]).stderr).unwrap();
        let told = "error[SRV0011]: the store `.hangar/hangar.db` is missing or empty";
        assert!(
            said.starts_with(told) && said.contains("move `.hangar/key` to another place"),
            "{said}"
        );
        assert_eq!(place.file("hangar.db").exists(), empty, "nothing was made");
        fs::write(place.file("hangar.db"), &copy).unwrap();
    }
    assert!(place.put("net", &[]).starts_with("unchanged"));
    fs::remove_file(place.file("hangar.db")).unwrap();
    fs::rename(place.file("key"), place.file("key.old")).unwrap();
    assert_eq!(place.stdout(&["resource", "list"]), "no resources in group default\n");
}

#[test]
fn a_start_that_ended_between_the_key_and_the_first_row_is_gone_on_with() {
    for has_empty_store in [false, true] {
        let place = Place::new();
        fs::create_dir(place.dir()).unwrap();
        fs::write(place.file("key"), "ab".repeat(32)).unwrap();
        if has_empty_store {
            fs::write(place.file("hangar.db"), "").unwrap();
        }
        place.put("net", &[]);
        assert_eq!(fs::read_to_string(place.file("key")).unwrap(), "ab".repeat(32));
        // It lies in a repository, perhaps.
        place.stdout(&["resource", "list"]);
        assert_eq!(fs::read_to_string(place.file(".gitignore")).unwrap(), "*\n");
    }
}

#[test]
fn a_put_during_the_same_put_names_the_operation_to_wait_for() {
    let place = Place::new();
    let output = place.run(&put("net", &["--no-wait"]));
    assert!(output.status.success());
    let open = place.json(&["operation", "list", "--running"])[0]["name"].clone();
    let wait = format!("`hangar operation wait {}", open.as_str().unwrap());
    let listed = String::from_utf8(place.run(&["resource", "list"]).stderr).unwrap();
    let told = format!("note: 1 operation is open; {wait}` continues it\n");
    assert!(listed.contains(&told) || !listed.contains("open"), "{listed}");
    let again = place.run(&put("net", &["--data-dir", ".hangar"]));
    let said = String::from_utf8(again.stderr).unwrap();
    let told = format!("{wait} --data-dir .hangar`");
    assert!(again.status.success() || said.contains(&told), "{said}");
}

#[test]
fn a_put_says_what_it_did_and_spells_the_name_as_it_was_first() {
    let place = Place::new();
    let created = place.json(&put("Net", &[]));
    assert_eq!(created["outcome"], "created");
    let operation = created["operation"].as_str().unwrap();
    assert_eq!(place.json(&["operation", "show", operation])["kind"], "put");
    assert_eq!(place.json(&put("net", &[]))["outcome"], "noop");
    let again = place.put("nET", &[]);
    assert!(again.starts_with("unchanged AWS.EC2/VPC `Net`: vpc-"), "{again}");
}

#[test]
fn a_name_may_hold_what_a_url_cannot() {
    let place = Place::new();
    for alias in ["a`b", "a\"b", "a{b}", "a^b", "a|b"] {
        place.put(alias, &[]);
        let shown = place.json(&["resource", "show", "AWS.EC2/VPC", alias]);
        assert_eq!(shown["name"], alias);
    }
}

#[test]
fn what_is_not_there_is_told_as_absent() {
    let place = Place::new();
    let said = |arguments: &[&str]| String::from_utf8(place.run(arguments).stderr).unwrap();
    let shown = said(&["resource", "show", "AWS.EC2/VPC", "nope"]);
    assert!(shown.contains("it does not exist (ResourceNotFound)"), "{shown}");
    for yes in [&[][..], &["--yes"]] {
        let deleted =
            place.stdout(&[&["resource", "delete", "AWS.EC2/VPC", "nope"][..], yes].concat());
        assert_eq!(deleted, "AWS.EC2/VPC `nope` does not exist; nothing to delete\n");
    }
    let listed = said(&["operation", "list", "-g", "nope"]);
    assert!(listed.contains("(ResourceGroupNotFound)"), "{listed}");
    assert!(listed.contains("`hangar group create nope`"), "{listed}");
    assert_eq!(place.stdout(&["operation", "list", "-g", "default"]), "no operations\n");
}

#[test]
fn a_data_directory_that_is_a_file_is_told_as_such() {
    let place = Place::new();
    fs::write(place.dir(), "").unwrap();
    let said = String::from_utf8(place.run(&["group", "list"]).stderr).unwrap();
    assert!(said.contains("`.hangar` is a file, not a directory"), "{said}");
}

/// How many VPCs there are, whoever remembers them.
fn vpcs(place: &Place) -> usize {
    let simulator = Simulator::start_on(&place.file("simulator.db"), &[]);
    let mut connection = Connection::open(simulator.address()).unwrap();
    let listed = connection.call("ListResources", &json!({"TypeName": "AWS::EC2::VPC"})).unwrap();
    listed.body["ResourceDescriptions"].as_array().unwrap().len()
}
