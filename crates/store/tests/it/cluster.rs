//! A server of one's own is there when it is asked for, and gone with whoever asked.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hangar_store::postgres::cluster::{Cluster, ClusterError, ClusterOptions, Stop};

/// Set for the copy of this program that is killed.
const DOOMED: &str = "HANGAR_TEST_DOOMED_CLUSTER";

/// A server of this test's own; none, and told, where PostgreSQL is not installed.
pub(crate) fn own(test: &str, options: ClusterOptions) -> Option<Cluster> {
    or_skipped(test, Cluster::start(options))
}

/// The server of all tests that do not stop it.
pub(crate) fn shared(test: &str) -> Option<&'static Cluster> {
    or_skipped(test, Cluster::shared())
}

#[allow(clippy::print_stdout, reason = "a skip is counted by what a test says")]
fn or_skipped<T>(test: &str, started: Result<T, ClusterError>) -> Option<T> {
    match started {
        Ok(cluster) => Some(cluster),
        Err(why @ (ClusterError::Missing(_) | ClusterError::OnlyRoot)) => {
            println!("skipped: {test} ({why})");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_server_that_is_stopped_any_way_starts_again_on_its_port_with_what_it_held() {
    let Some(cluster) = own("cluster::a_server_that_is_stopped", ClusterOptions::default()) else {
        return;
    };
    let url = cluster.create_database().unwrap();
    for mode in [Stop::Smart, Stop::Fast, Stop::Immediate, Stop::Kill] {
        cluster.stop(mode).unwrap();
        assert!(cluster.run("SELECT 1").is_err(), "{mode:?}");
        cluster.start_again().unwrap();
        let name = url.rsplit('/').next().unwrap();
        let again = cluster.run(&format!("CREATE DATABASE {name}")).unwrap_err();
        assert!(again.to_string().contains("already exists"), "{again}");
    }
    let directory = cluster.directory().to_owned();
    assert!(directory.join("data/postmaster.pid").exists());
    drop(cluster);
    assert!(!directory.exists());
}

#[test]
fn a_server_is_gone_when_its_process_is_killed() {
    if let Some(path) = std::env::var_os(DOOMED) {
        let cluster = Cluster::start(ClusterOptions::default()).unwrap();
        let told = cluster.directory().display().to_string();
        std::fs::write(Path::new(&path).with_extension("part"), told).unwrap();
        std::fs::rename(Path::new(&path).with_extension("part"), &path).unwrap();
        loop {
            std::thread::park();
        }
    }
    if shared("cluster::a_server_is_gone").is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let told = folder.path().join("directory");
    let mut doomed = Command::new(std::env::current_exe().unwrap())
        .args(["a_server_is_gone_when_its_process_is_killed", "--nocapture"])
        .env(DOOMED, &told)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    wait_until("it has started", || told.exists());
    let directory = PathBuf::from(std::fs::read_to_string(&told).unwrap());
    let pid = std::fs::read_to_string(directory.join("data/postmaster.pid")).unwrap();
    let process = Path::new("/proc").join(pid.lines().next().unwrap());
    assert!(process.exists());
    // SIGKILL: nothing of it runs any more.
    doomed.kill().unwrap();
    doomed.wait().unwrap();
    wait_until("the server is gone", || !process.exists() && !directory.exists());
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_mins(1), "{what}: not within a minute");
        std::thread::sleep(Duration::from_millis(20));
    }
}
