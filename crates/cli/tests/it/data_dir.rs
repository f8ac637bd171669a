//! Who is running the control plane of a data directory, with several processes at once.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

use serde_json::json;

use crate::fake_api::{FakeApi, json, refused};
use crate::{hangar, shown_of};

/// What a process that holds the lock leaves for others to find.
fn publish(folder: &Path, url: &str, instance: &str) {
    let file = json!({"url": url, "pid": 1, "instance": instance, "aws": "simulator",
                      "basePath": crate::fake_api::BASE_PATH, "role": "command"});
    fs::write(folder.join("server.json"), file.to_string()).unwrap();
}

#[test]
fn a_server_that_answers_is_used_with_the_directorys_token() {
    let api =
        FakeApi::start(|request, _| match (&*request.path, request.header("Authorization")) {
            ("/healthz", None) => {
                json(200, json!({"status": "ok", "instance": "i-1", "version": "1"}))
            }
            (_, Some("Bearer secret")) => json(200, json!({"value": []})),
            _ => refused(401, "Unauthorized", "no"),
        });
    let folder = tempfile::tempdir().unwrap();
    publish(folder.path(), &api.url(), "i-1");
    fs::write(folder.path().join("token"), "secret\n").unwrap();
    let list = || {
        let mut command = hangar(&["group", "list"]);
        command.current_dir(folder.path());
        command
    };
    insta::assert_snapshot!(shown_of(list().args(["--data-dir", "."])), @"
    exit: 0
    --- stdout
    no groups; `hangar group create NAME` creates one
    --- stderr
    note: AWS is the built-in simulator
    ");
    insta::assert_snapshot!(shown_of(list().env("HANGAR_DATA_DIR", ".")), @"
    exit: 0
    --- stdout
    no groups; `hangar group create NAME` creates one
    --- stderr
    note: AWS is the built-in simulator
    ");
    let other = shown_of(list().args(["--data-dir", ".", "--aws", "real"]));
    insta::assert_snapshot!(other, @"
    exit: 1
    --- stdout
    --- stderr
    error[SRV0008]: process 1 uses `.` with --aws simulator, not with --aws real
    hint: omit --aws, or use another directory: --data-dir DIR
    ");
}

#[test]
fn a_lock_that_is_held_and_not_answered_for_is_told_with_its_holder() {
    let folder = tempfile::tempdir().unwrap();
    let mut lock = File::create(folder.path().join("lock")).unwrap();
    lock.lock().unwrap();
    lock.write_all(b"4711\n").unwrap();
    // Another process has the port by now, and another instance answers.
    let api = FakeApi::start(|_, _| json(200, json!({"instance": "another"})));
    publish(folder.path(), &api.url(), "i-1");
    let mut command = hangar(&["group", "list", "--data-dir", "."]);
    insta::assert_snapshot!(shown_of(command.current_dir(folder.path())), @"
    exit: 1
    --- stdout
    --- stderr
    error[SRV0004]: process 4711 holds `./lock` and has not answered for 10s
    hint: wait for it or stop it (`kill 4711`), then try again
    hint: or use another directory: --data-dir DIR
    ");
    assert!(api.received().iter().all(|request| request.path == "/healthz"));
}

#[test]
fn a_directory_that_cannot_be_made_is_told() {
    insta::assert_snapshot!(
        shown_of(&mut hangar(&["group", "list", "--data-dir", "/dev/null/x"])),
        @"
        exit: 1
        --- stdout
        --- stderr
        error[SRV0003]: cannot use `/dev/null/x` as the data directory: `/dev/null` is a file, not a directory
        hint: check the path, its permissions and the free disk space, or choose another: --data-dir DIR
        "
    );
}

#[test]
fn a_server_is_for_this_machine_only() {
    for listen in ["0.0.0.0:0", "[::]:0", "192.0.2.1:7700"] {
        let output = hangar(&["serve", "--listen", listen]).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&output.stderr).starts_with("error[SRV0001]"), "{listen}");
    }
}

#[test]
fn a_server_is_not_started_beside_another() {
    let api = FakeApi::start(|_, _| json(200, json!({"instance": "i-1"})));
    let folder = tempfile::tempdir().unwrap();
    publish(folder.path(), &api.url(), "i-1");
    let text = fs::read_to_string(folder.path().join("server.json")).unwrap();
    fs::write(folder.path().join("server.json"), text.replace("command", "serve")).unwrap();
    let lock = File::create(folder.path().join("lock")).unwrap();
    lock.lock().unwrap();
    let mut command = hangar(&["serve", "--data-dir", ".", "--listen", "127.0.0.1:0"]);
    let told = shown_of(command.current_dir(folder.path())).replace(&api.url(), "URL");
    insta::assert_snapshot!(told, @"
    exit: 1
    --- stdout
    --- stderr
    error[SRV0005]: `.` is already served by process 1 at URL
    hint: commands with the same data directory use that server
    hint: stop it first, or serve another directory: --data-dir DIR
    ");
}
