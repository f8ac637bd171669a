//! `hangar restore`: everything is looked at before anything is moved.

use std::fs;
use std::process::Stdio;
use std::time::Duration;

use crate::backup::refused;
use crate::place::{Place, Running, put};
use crate::serving::Server;
use crate::simulator::Simulator;

fn aliases(place: &Place) -> Vec<String> {
    let listed = place.json(&["resource", "list"]);
    let listed = listed.as_array().unwrap();
    listed.iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect()
}

/// The names of files in the data directory that begin so.
fn files(place: &Place, begin: &str) -> Vec<String> {
    let entries = fs::read_dir(place.dir()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.starts_with(begin)).collect();
    names.sort();
    names
}

#[test]
fn a_store_is_replaced_by_force_only_and_kept_aside() {
    let place = Place::new();
    place.put("one", &[]);
    place.stdout(&["backup", "copy.db"]);
    place.put("two", &[]);
    let said = refused(&place, &["restore", "copy.db"]);
    assert!(
        said.starts_with("error[BAK0005]: a store already exists at .hangar/hangar.db"),
        "{said}"
    );
    assert_eq!(aliases(&place), ["one", "two"]);
    let output = place.run(&["restore", "copy.db", "--force"]);
    let said = String::from_utf8(output.stdout).unwrap();
    let told = "restored .hangar/hangar.db from copy.db: 1 reference and 1 operation as of 2";
    assert!(said.starts_with(told), "{said}");
    let notes = String::from_utf8(output.stderr).unwrap();
    for note in ["kept as .hangar/hangar.db.before-restore-2", "`hangar drift`", "discover`"] {
        assert!(notes.contains(note), "{notes}");
    }
    assert_eq!(aliases(&place), ["one"]);
    assert!(place.put("one", &[]).starts_with("unchanged"));
    // The way back.
    let kept = files(&place, "hangar.db.before-restore-");
    assert_eq!(kept.len(), 1, "{kept:?}");
    let kept = format!(".hangar/{}", kept[0]);
    let back = place.json(&["restore", &kept, "--force"]);
    assert_eq!(back["references"], 2);
    assert_eq!(aliases(&place), ["one", "two"]);
    assert_eq!(files(&place, "hangar.db.restoring"), [""; 0]);
}

#[test]
fn what_is_open_in_a_copy_is_told_and_goes_on_with_the_next_start() {
    let place = Place::new();
    let mut running = Running::start(&mut place.command(&put("net", &[])));
    running.until("create sent");
    place.stdout(&["backup", "copy.db"]);
    let (code, said) = running.end();
    assert_eq!(code, Some(0), "{said}");
    let identifier = || {
        let shown = place.json(&["resource", "show", "AWS.EC2/VPC", "net"]);
        shown["mapsTo"]["primaryIdentifier"].as_str().unwrap().to_owned()
    };
    let before = identifier();
    let output = place.run(&["restore", "copy.db", "--force"]);
    let notes = String::from_utf8(output.stderr).unwrap();
    let told = "note: 1 operation was open at that time and continues at the next start: put AWS.EC2/VPC net\n";
    assert!(notes.contains(told), "{notes}");
    let open = place.json(&["operation", "list"])[0]["name"].as_str().unwrap().to_owned();
    place.stdout(&["operation", "wait", &open]);
    assert_eq!(identifier(), before, "the same call has the same answer");
}

#[test]
fn a_directory_that_is_in_use_is_left_alone() {
    let place = Place::new();
    place.put("net", &[]);
    place.stdout(&["backup", "copy.db"]);
    let server = Server::start(&place, &[]);
    let said = refused(&place, &["restore", "copy.db", "--force"]);
    let told =
        format!("error[SRV0005]: process {} is running the control plane of .hangar", server.pid());
    assert!(said.starts_with(&told) && said.contains("stop it, restore"), "{said}");
    assert_eq!(files(&place, "hangar.db."), [""; 0]);
}

#[test]
fn a_store_that_the_server_of_another_directory_has_open_is_left_alone() {
    let place = Place::new();
    place.put("one", &[]);
    place.stdout(&["backup", "copy.db"]);
    let server = Server::start(&place, &[]);
    let elsewhere = ["--data-dir", "other", "--store", "sqlite:.hangar/hangar.db"];
    let key = ["--key-file", ".hangar/key", "--aws", "simulator", "--force"];
    let restore = [&["restore", "copy.db"][..], &elsewhere, &key].concat();
    let said = refused(&place, &restore);
    let told = "error[BAK0006]: cannot replace .hangar/hangar.db with the copy: another process still uses it";
    assert!(said.starts_with(told) && said.contains("stop the server that uses it"), "{said}");
    // What it acknowledges is in the store still.
    place.put("two", &[]);
    drop(server);
    assert_eq!(aliases(&place), ["one", "two"]);
    place.stdout(&restore);
    assert_eq!(aliases(&place), ["one"]);
}

#[test]
fn what_is_no_copy_of_a_store_is_refused_and_nothing_changes() {
    let place = Place::new();
    place.put("net", &[]);
    place.stdout(&["backup", "copy.db"]);
    let whole = fs::read(place.path().join("copy.db")).unwrap();
    let unfit = |content: &[u8], why: &str| {
        fs::write(place.path().join("bad.db"), content).unwrap();
        let said = refused(&place, &["restore", "bad.db", "--force"]);
        let told = format!("error[BAK0004]: cannot restore `bad.db`: {why}");
        assert!(said.starts_with(&told) && said.contains("nothing was changed"), "{said}");
    };
    unfit(b"", "it is not a database");
    unfit(&[7; 5000], "it is not a database");
    // An empty database of SQLite's own making: one page, no table.
    let mut foreign = whole[..4096].to_vec();
    foreign[28..32].copy_from_slice(&1_u32.to_be_bytes());
    foreign[100..108].copy_from_slice(&[13, 0, 0, 0, 0, 0x10, 0, 0]);
    unfit(&foreign, "it is a database, but not a Hangar store");
    unfit(&whole[..whole.len() - 4096], "it is damaged: ");
    unfit(&newer(&whole), "it was written by a newer version of Hangar (migration 45");
    assert!(refused(&place, &["restore", "none.db"]).starts_with("error[CLI0002]"));
    assert!(refused(&place, &["restore", "."]).starts_with("error[CLI0003]"));
    fs::write(place.path().join("copy.db-wal"), "a log").unwrap();
    let said = refused(&place, &["restore", "copy.db", "--force"]);
    assert!(said.starts_with("error[BAK0004]: `copy.db` is a store that is in use"), "{said}");
    assert_eq!(files(&place, "hangar.db."), [""; 0]);
    assert_eq!(aliases(&place), ["net"]);
}

/// The same store with a last migration that is 45: its row has the number for a key, then the sizes of
/// a name and of a checksum.
fn newer(store: &[u8]) -> Vec<u8> {
    let is_row = |at: &usize| match store[*at..*at + 7] {
        [_, 6, 0, _, 0x81, 0x0d, size] => size == 5 || size == 6,
        _ => false,
    };
    let last = (0..store.len() - 7).filter(is_row).max_by_key(|at| store[*at]).unwrap();
    let mut newer = store.to_vec();
    newer[last] = 45;
    newer
}

#[test]
fn a_key_that_does_not_open_the_copy_is_refused() {
    let place = Place::new();
    place.put("net", &[]);
    place.stdout(&["backup", "copy.db"]);
    let restore = ["restore", "copy.db", "--data-dir", "new"];
    let said = refused(&place, &restore);
    assert!(
        said.starts_with("error[SRV0007]: cannot open the copy with the key `new/key`"),
        "{said}"
    );
    fs::write(place.path().join("new/key"), "0".repeat(64)).unwrap();
    let said = refused(&place, &restore);
    assert!(
        said.contains("the key does not belong to this store") && said.contains("--key-file"),
        "{said}"
    );
    assert!(!place.path().join("new/hangar.db").exists());
    let with_key = [&restore[..], &["--key-file", ".hangar/key"]].concat();
    let output = place.run(&with_key);
    let notes = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{notes}");
    assert!(notes.contains(
        "note: new/key is not the key of this store: start the server with `hangar serve --key-file"
    ));
    assert!(notes.contains("restore new/simulator.db too"), "{notes}");
}

#[test]
fn a_copy_from_before_a_rotation_of_the_key_is_opened_by_the_new_file() {
    let place = Place::new();
    place.put("net", &[]);
    place.stdout(&["backup", "copy.db"]);
    place.stdout(&["key", "rotate"]);
    place.stdout(&["restore", "copy.db", "--force"]);
    assert!(place.put("net", &[]).starts_with("unchanged"));
    place.stdout(&["key", "rotate"]);
    assert!(place.put("net", &[]).starts_with("unchanged"));
}

#[test]
fn a_copy_goes_on_with_the_aws_that_it_was_used_with() {
    let place = Place::new();
    let simulator = Simulator::start(&["--latency", "0..0"]);
    place.put("net", &["--aws", simulator.url()]);
    place.stdout(&["backup", "copy.db"]);
    let other = Place::new();
    let copy = place.path().join("copy.db").display().to_string();
    // A directory that was used with another AWS, and has no store any more.
    other.stdout(&["group", "create", "g"]);
    fs::remove_file(other.file("hangar.db")).unwrap();
    fs::copy(place.file("key"), other.file("key")).unwrap();
    let said = refused(&other, &["restore", &copy]);
    assert!(said.starts_with("error[SRV0008]: the references in `"), "{said}");
    assert!(!other.file("hangar.db").exists());
    other.stdout(&["restore", &copy, "--aws", simulator.url()]);
    assert_eq!(fs::read_to_string(other.file("aws")).unwrap().trim(), simulator.url());
    assert!(other.put("net", &[]).starts_with("unchanged"));
}

#[test]
fn a_restore_that_is_killed_leaves_the_old_store_or_the_new_one() {
    let place = Place::new();
    place.put("old", &[]);
    place.stdout(&["backup", "old.db"]);
    place.put("new", &[]);
    place.stdout(&["backup", "both.db"]);
    let (mut killed, mut ended) = (0, 0);
    for millis in (0..).step_by(4) {
        let (copy, expected) =
            if millis % 8 == 0 { ("old.db", "old") } else { ("both.db", "new old") };
        let before = aliases(&place).join(" ");
        let mut child = place
            .command(&["restore", copy, "--force", "-o", "json"])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(millis));
        child.kill().unwrap();
        if child.wait().unwrap().success() {
            ended += 1;
        } else {
            killed += 1;
        }
        let after = aliases(&place).join(" ");
        assert!(after == before || after == expected, "{millis} ms: {before}, then {after}");
        assert!(place.put("old", &[]).starts_with("unchanged"));
        if ended >= 3 {
            break;
        }
    }
    assert!(killed > 3, "{killed}");
    let kept = files(&place, "hangar.db.before-restore-").len();
    assert!(kept >= ended, "{kept} of {ended}");
}
