//! A command on a terminal: a pseudo-terminal with someone who types when a question is shown.
//!
//! Python opens it, because the standard library of Rust cannot. An answer is typed only when the question is there and,
//! for a secret, when the terminal echoes no more.
#![allow(clippy::print_stdout, reason = "a test tells the test command what it skipped")]

use std::path::Path;
use std::process::Command;

/// What is typed when a question is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Answer<'a> {
    /// In the open.
    Shown { question: &'a str, text: &'a str },
    /// With the echo turned off.
    Hidden { question: &'a str, text: &'a str },
}

/// How a command ended, and all that the terminal showed.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) code: i32,
    pub(crate) screen: String,
}

const TYPIST: &str = r#"
import fcntl, json, os, pty, select, struct, subprocess, sys, termios, time
folder, answers, command = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3:]
master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
child = subprocess.Popen(command, cwd=folder, stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
screen, seen, deadline = b"", 0, time.monotonic() + 60
while time.monotonic() < deadline:
    if select.select([master], [], [], 0.02)[0]:
        screen += os.read(master, 65536)
    elif child.poll() is not None:
        break
    if answers:
        question, text, hidden = answers[0]
        at = screen.find(question.encode(), seen)
        echoes = termios.tcgetattr(slave)[3] & termios.ECHO
        if at >= 0 and bool(echoes) != hidden:
            seen = at + len(question.encode())
            os.write(master, text.encode() + b"\n")
            answers.pop(0)
else:
    child.kill()
sys.stdout.buffer.write(screen)
sys.exit(child.wait() if not answers else 99)
"#;

/// Runs `hangar` on a terminal in a folder; none where there is no Python.
pub(crate) fn run(
    test: &str,
    folder: &Path,
    arguments: &[&str],
    answers: &[Answer<'_>],
) -> Option<Session> {
    if Command::new("python3").arg("--version").output().is_err() {
        println!("skipped: {test} (no python3)");
        return None;
    }
    let answers: Vec<(&str, &str, bool)> = answers
        .iter()
        .map(|answer| match *answer {
            Answer::Shown { question, text } => (question, text, false),
            Answer::Hidden { question, text } => (question, text, true),
        })
        .collect();
    let mut command = Command::new("python3");
    command.args(["-c", TYPIST]).arg(folder).arg(serde_json::to_string(&answers).unwrap());
    command.arg(env!("CARGO_BIN_EXE_hangar")).args(arguments);
    command.env("TERM", "xterm").env_remove("HANGAR_SERVER").env_remove("HANGAR_DATA_DIR");
    let output = command.output().unwrap();
    let screen = String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(Session { code: output.status.code().unwrap(), screen })
}

#[test]
fn hints_are_wrapped_between_words_on_a_terminal() {
    let name = "hints_are_wrapped_between_words_on_a_terminal";
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["group", "list", "--server", "https://127.0.0.1:7700"];
    let Some(session) = run(name, folder.path(), &arguments, &[]) else { return };
    assert_eq!(session.code, 1);
    let shown = anstream::adapter::strip_str(&session.screen).to_string();
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    let hint = "\nhint: use http:// with a server on this machine; for a server elsewhere, forward\n      \
                its port: `ssh -L 7700:127.0.0.1:7700 HOST`\n";
    assert!(shown.contains(hint), "{shown}");
    // Without a terminal a message stays on one line.
    let piped = crate::shown(&arguments);
    assert!(piped.contains("forward its port: `ssh -L"), "{piped}");
}
