//! `hangar backup` beside a server that writes, and what it refuses.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, mpsc};
use std::time::{Duration, Instant};

use hangar_plan::record::{Group, GroupName, GroupState, Version};
use hangar_store::sqlite::{Sqlite, examine};
use hangar_store::{Expect, Reader as _, Store as _};

use crate::place::{Place, Running, put};
use crate::serving::Server;
use crate::simulator::Simulator;

/// What a command that fails says.
pub(crate) fn refused(place: &Place, arguments: &[&str]) -> String {
    let output = place.run(arguments);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
    said
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_copy_that_is_made_under_puts_has_all_that_was_acknowledged_before() {
    let place = Place::new();
    let simulator = Simulator::start(&["--latency", "0..0"]);
    let server = Server::start(&place, &["--aws", simulator.url()]);
    let (acknowledged, is_over) = (Mutex::new(Vec::new()), AtomicBool::new(false));
    let (told, heard) = mpsc::channel();
    let expected = std::thread::scope(|scope| {
        // Moved in: a failure here drops it, which ends the thread that puts.
        let heard: mpsc::Receiver<()> = heard;
        scope.spawn(|| {
            for number in 0.. {
                if is_over.load(Ordering::SeqCst) {
                    return;
                }
                let alias = format!("net-{number}");
                place.put(&alias, &[]);
                acknowledged.lock().unwrap().push(alias);
                if told.send(()).is_err() {
                    return;
                }
            }
        });
        let mut expected = Vec::new();
        for copy in ["1.db", "2.db", "3.db"] {
            (0..4).for_each(|_| heard.recv_timeout(Duration::from_mins(1)).unwrap());
            expected = acknowledged.lock().unwrap().clone();
            let said = place.stdout(&["backup", copy]);
            assert!(said.starts_with(&format!("copied .hangar/hangar.db to {copy}: ")), "{said}");
            assert!(said.contains("the copy does not contain the key (.hangar/key)"), "{said}");
        }
        is_over.store(true, Ordering::SeqCst);
        expected
    });
    assert!(expected.len() >= 12);
    drop(server);
    let mode = fs::metadata(place.path().join("3.db")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(!names(place.path()).iter().any(|name| name.contains("partial")));

    // On another machine: the copy, and the key, and nothing else.
    let other = Place::new();
    let copy = place.path().join("3.db").display().to_string();
    let key = place.file("key").display().to_string();
    let restored = other.json(&["restore", &copy, "--key-file", &key]);
    assert_eq!(restored["aws"], simulator.url());
    assert!(restored["references"].as_u64().unwrap() >= expected.len() as u64);
    fs::copy(&key, other.file("key")).unwrap();
    let listed = other.json(&["resource", "list"]);
    let listed: Vec<&str> =
        listed.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    for alias in &expected {
        assert!(listed.contains(&alias.as_str()), "{alias} is lost");
        assert!(other.put(alias, &[]).starts_with("unchanged"), "{alias}");
    }
}

#[test]
fn a_backup_for_programs_is_one_document() {
    let place = Place::new();
    place.put("net", &[]);
    let made = place.json(&["backup", "copy.db"]);
    assert_eq!((&made["references"], &made["operations"]), (&1.into(), &1.into()));
    assert_eq!(made["bytes"], fs::metadata(place.path().join("copy.db")).unwrap().len());
    assert_eq!((&made["file"], &made["keyFile"]), (&"copy.db".into(), &".hangar/key".into()));
    assert!(made["storeTime"].as_str().unwrap().ends_with('Z'));
}

/// Fills a store with so many MiB, in a directory that nobody serves.
fn fill(path: &Path, mebibytes: usize) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let store = Sqlite::open(path).unwrap();
        let now = store.now().await.unwrap();
        for number in 0..mebibytes {
            let group = Group {
                name: GroupName { plane: "local".to_owned(), group: format!("large-{number}") },
                state: GroupState::Ready,
                operation: None,
                location: Some("x".repeat(1 << 20)),
                tags: [].into(),
                aws_scope: None,
                properties: [].into(),
                secrets: [].into(),
                created_at: now,
                updated_at: now,
                version: Version::default(),
            };
            store.group_put(&group, Expect::Any).await.unwrap();
        }
    });
}

#[test]
fn a_backup_that_is_cut_short_leaves_no_copy_and_the_next_one_is_made() {
    let place = Place::new();
    place.stdout(&["group", "create", "g"]);
    fill(&place.file("hangar.db"), 100);
    for signal in ["-KILL", "-INT"] {
        let mut running = Running::start(&mut place.command(&["backup", "copy.db"]));
        running.until("copying the store: 1");
        let until = Instant::now() + Duration::from_secs(30);
        while !names(place.path()).iter().any(|name| name.ends_with(".partial")) {
            assert!(Instant::now() < until, "nothing is written");
            std::thread::yield_now();
        }
        running.signal(signal);
        let (code, said) = running.end();
        assert!(!place.path().join("copy.db").exists(), "{said}");
        let left = names(place.path()).iter().filter(|name| name.ends_with(".partial")).count();
        if signal == "-INT" {
            assert_eq!((code, left), (Some(1), 1), "only what the kill has left: {said}");
            assert!(said.contains("error[API0007]"), "{said}");
        }
    }
    let said = place.stdout(&["backup", "copy.db"]);
    assert!(said.contains(" MiB"), "{said}");
    assert_eq!(examine(&place.path().join("copy.db")).unwrap().groups, 101);
}

#[test]
fn what_a_copy_would_replace_is_kept_unless_it_is_forced() {
    let place = Place::new();
    let said = refused(&place, &["backup", "copy.db"]);
    assert!(said.starts_with("error[SRV0006]: no store exists at .hangar/hangar.db"), "{said}");
    assert!(!place.dir().exists());
    place.put("net", &[]);
    fs::write(place.path().join("copy.db"), "mine").unwrap();
    let said = refused(&place, &["backup", "copy.db"]);
    assert!(said.starts_with("error[BAK0001]: `copy.db` already exists"), "{said}");
    assert_eq!(fs::read(place.path().join("copy.db")).unwrap(), b"mine");
    place.stdout(&["backup", "copy.db", "--force"]);
    assert_eq!(examine(&place.path().join("copy.db")).unwrap().references, 1);
    for own in [".hangar/hangar.db", ".hangar/key", ".hangar/hangar.db-wal"] {
        let said = refused(&place, &["backup", own, "--force"]);
        assert!(
            said.starts_with(&format!("error[BAK0003]: `{own}` is a file of the store")),
            "{said}"
        );
    }
    let said = refused(&place, &["backup", "nowhere/copy.db"]);
    assert!(said.starts_with("error[BAK0002]: cannot copy .hangar/hangar.db to nowhere"), "{said}");
    assert!(refused(&place, &["backup", "."]).starts_with("error[CLI0003]"));
    let said = refused(&place, &["backup", "copy", "--store", "postgres://h/d"]);
    assert!(said.starts_with("error[BAK0007]") && said.contains("pg_dump"), "{said}");
    assert!(place.put("net", &[]).starts_with("unchanged"));
}

#[test]
fn a_password_is_in_no_copy_while_its_operation_runs_nor_after() {
    const CANARY: &str = "canary-41c8d2-password";
    let place = Place::new();
    let simulator = Simulator::start(&["--latency", "1s..1s"]);
    let _server = Server::start(&place, &["--aws", simulator.url()]);
    let password = format!("MasterUserPassword={CANARY}");
    let database = ["resource", "put", "AWS.RDS/DBInstance", "--alias", "db", "--properties"];
    let properties = [
        "DBInstanceIdentifier=db",
        "DBInstanceClass=db.t3.micro",
        "Engine=postgres",
        "AllocatedStorage=20",
        "MasterUsername=admin",
        &password,
    ];
    let put = [&database[..], &properties].concat();
    let mut running = Running::start(&mut place.command(&put));
    running.until("create sent");
    let made = place.json(&["backup", "running.db"]);
    assert_eq!(made["operations"], 1);
    let (code, said) = running.end();
    assert_eq!(code, Some(0), "{said}");
    place.stdout(&["backup", "ended.db"]);
    for copy in ["running.db", "ended.db"] {
        let bytes = fs::read(place.path().join(copy)).unwrap();
        assert!(bytes.windows(9).any(|window| window == b"db.t3.mic") || copy == "running.db");
        assert!(!bytes.windows(13).any(|window| window == &CANARY.as_bytes()[..13]), "{copy}");
    }
}

#[test]
fn a_backup_waits_for_nobody_who_holds_the_directory() {
    let place = Place::new();
    place.put("net", &[]);
    let mut running = Running::start(&mut place.command(&put("open", &[])));
    running.until("create sent");
    place.stdout(&["backup", "copy.db"]);
    let (code, said) = running.end();
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(examine(&place.path().join("copy.db")).unwrap().references, 2);
}
