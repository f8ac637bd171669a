//! Bad requests over raw sockets: what each is answered with, exactly; and that the server is after
//! them as it was before.
//!
//! The cases are in `hostile/cases.rs`. The server is a process of its own, so that its memory is its own.

#![allow(clippy::print_stdout, reason = "a server of its own says where it listens")]

mod cases;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use cases::{After, Case, Expected};

use crate::server::{GROUP, Server, TOKEN};

const ADDRESS: &str = "listens on ";
const AS_A_PROCESS: &str = "HANGAR_HOSTILE_SERVER";

/// Run as a process it serves until its standard input ends; as a test it only answers once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_server_of_the_bad_requests() {
    let server = Server::start().await;
    if std::env::var_os(AS_A_PROCESS).is_some() {
        println!("{ADDRESS}{}", server.serving.address);
        let ended = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
        ended.await.unwrap().unwrap();
    }
    assert_eq!(server.get(GROUP).await.status, 200);
}

/// That test, as a process.
struct Process {
    child: Child,
    address: SocketAddr,
}

impl Process {
    fn start() -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "hostile::the_server_of_the_bad_requests", "--nocapture"])
            .env(AS_A_PROCESS, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let address = lines.find_map(|line| {
            let line = line.unwrap();
            line.split_once(ADDRESS).map(|(_, address)| address.parse().unwrap())
        });
        // What it says after that is of no interest, but must not stop it.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, address: address.unwrap() }
    }

    /// Its resident memory, in KiB; nothing where the system does not tell.
    fn resident(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        line.trim().strip_suffix("kB")?.trim().parse().ok()
    }

    /// What comes back for bytes as they are, until the server closes.
    fn raw(&self, bytes: &[u8], after: After) -> Vec<u8> {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        // A server that has seen enough closes, and need not have read all of it.
        let _ = stream.write_all(bytes);
        if after == After::CutOff {
            let _ = stream.shutdown(Shutdown::Write);
        }
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        answer
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Its input ends, and so does it; should it not, it is ended.
        drop(self.child.stdin.take());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The status and the code of each answer on a connection.
fn answers(mut bytes: &[u8]) -> Vec<Expected> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let text = String::from_utf8_lossy(bytes);
        let end = text.find("\r\n\r\n").unwrap_or_else(|| panic!("no head in {text:?}"));
        let head = &text[..end];
        let status = head.split(' ').nth(1).and_then(|it| it.parse().ok());
        let status = status.unwrap_or_else(|| panic!("no status in {head}"));
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().unwrap())
        });
        let (start, length) = (end + 4, length.unwrap_or(0_usize));
        let body = &bytes[start..(start + length).min(bytes.len())];
        let code = serde_json::from_slice::<serde_json::Value>(body).ok();
        let code = code.and_then(|it| Some(it["error"]["code"].as_str()?.to_owned()));
        found.push((status, code.unwrap_or_default()));
        bytes = &bytes[start + body.len()..];
    }
    found
}

fn check(process: &Process, cases: &[Case]) -> Vec<String> {
    let mut wrong = Vec::new();
    for Case { what, bytes, after, expected } in cases {
        let found = answers(&process.raw(bytes, *after));
        if found != *expected {
            wrong.push(format!("{what}: {found:?} and not {expected:?}"));
        }
    }
    wrong
}

#[test]
fn every_bad_request_has_its_answer_and_leaves_nothing_behind() {
    let process = Process::start();
    let cases = cases::all();
    assert!(cases.len() >= 80, "{}", cases.len());
    let mut all = cases.iter().flat_map(|case| &case.expected);
    assert!(all.all(|(status, _)| *status < 500));
    let shown = |process: &Process| {
        let bytes = process.raw(&cases::good(&format!("GET {{base}}{GROUP}")), After::Waits);
        let text = String::from_utf8(bytes).unwrap();
        text.split_once("\r\n\r\n").unwrap().1.to_owned()
    };
    let before = shown(&process);
    assert!(before.contains("\"Team\""), "{before}");
    let wrong = check(&process, &cases);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let grown_from = process.resident();
    for _ in 0..20 {
        let wrong = check(&process, &cases);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
    if let (Some(from), Some(to)) = (grown_from, process.resident()) {
        println!("counted: {} requests, {from} KiB before, {to} KiB after", 20 * cases.len());
        assert!(to < from + (16 << 10), "it grew from {from} to {to} KiB");
    } else {
        println!("skipped: hostile memory (no /proc)");
    }
    assert_eq!(shown(&process), before);
}

#[test]
fn no_answer_tells_the_token() {
    let process = Process::start();
    for case in cases::all() {
        let answer = process.raw(&case.bytes, case.after);
        let text = String::from_utf8_lossy(&answer);
        assert!(!text.contains(TOKEN), "{}: {text}", case.what);
    }
}
