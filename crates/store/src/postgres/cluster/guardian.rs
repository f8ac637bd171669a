//! The one who starts and stops a server: a shell that does what it reads from us, one thing at a time.
//!
//! When there is nothing more to read (we closed the pipe, or died, with whatever signal) it stops the
//! server and removes the directory. Because it does one thing at a time, it never misses a server that
//! is just starting.

use std::fmt;
use std::fs;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::programs::Programs;
use super::{ClusterError, failed};

/// The server's files, in the directory.
pub(super) const DATA: &str = "data";
/// What the programs say, in the directory.
const LOG: &str = "log";

// It must outlive a signal that is sent to all of us, and an answer that nobody reads. `$0` is its name,
// `$1` the directory, `$2` whose that is to be, `$3` initdb, `$4` pg_ctl; what follows makes one the owner.
const SCRIPT: &str = r#"
trap '' HUP INT TERM PIPE
directory=$1 owner=$2 initdb=$3 pg_ctl=$4
shift 4
cd "$directory"
: >log
if [ -n "$owner" ]; then chown "$owner" . log; fi
chmod 700 .
# The first of them is killed; the others notice, and must have gone before another may start.
murder() {
    read -r first <data/postmaster.pid || return 1
    others=$(cat "/proc/$first/task/$first/children") || return 1
    kill -9 "$first" || return 1
    for other in $first $others; do
        for _ in 1 2 3 4 5 6 7 8 9 10; do
            if [ -e "/proc/$other/exe" ] && kill -0 "$other"; then sleep 0.2; else continue 2; fi
        done
        kill -9 "$other"
    done
    # Nobody may have asked yet how the first one ended, and then it seems to be there.
    rm -f data/postmaster.pid .s.PGSQL.*
}
while read -r word argument; do
    case $word in
    init) "$@" "$initdb" -D data -U "$argument" -A trust -E UTF8 --locale=C --no-sync ;;
    start) "$@" "$pg_ctl" start -D data -l log -w -t 60 -o "-p $argument" ;;
    stop) "$@" "$pg_ctl" stop -D data -w -t 60 -m "$argument" ;;
    kill) murder ;;
    *) false ;;
    esac >>log 2>&1 </dev/null
    echo "$?"
done
if [ -e data/postmaster.pid ]; then "$@" "$pg_ctl" stop -D data -w -t 60 -m immediate; fi >/dev/null 2>&1
cd /
rm -rf "$directory"
"#;

/// The shell, and the ends of its pipes that are ours.
pub(super) struct Guardian {
    child: Child,
    /// Closed to end it.
    words: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    log: PathBuf,
}

impl Guardian {
    pub(super) fn start(directory: &Path, programs: &Programs) -> Result<Self, ClusterError> {
        let mut child = Command::new("sh")
            .args(["-c", SCRIPT, "guardian"])
            .arg(directory)
            .arg(programs.owner.unwrap_or_default())
            .arg(&programs.initdb)
            .arg(&programs.pg_ctl)
            .args(&programs.become_owner)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // What a terminal sends to all of our group must not reach it.
            .process_group(0)
            .spawn()
            .map_err(|error| failed("start a shell for", error))?;
        let (words, answers) = (child.stdin.take(), child.stdout.take());
        let answers = answers.ok_or_else(|| failed("hear a shell for", "it has no output"))?;
        let log = directory.join(LOG);
        Ok(Self { child, words, answers: BufReader::new(answers), log })
    }

    pub(super) fn init(&mut self, user: &str) -> Result<(), ClusterError> {
        self.ask("make a cluster of", &format!("init {user}"))
    }

    pub(super) fn start_server(&mut self, port: u16) -> Result<(), ClusterError> {
        self.ask("start", &format!("start {port}"))
    }

    pub(super) fn stop_server(&mut self, mode: &str) -> Result<(), ClusterError> {
        self.ask("stop", &format!("stop {mode}"))
    }

    pub(super) fn kill_server(&mut self) -> Result<(), ClusterError> {
        self.ask("kill", "kill")
    }

    fn ask(&mut self, doing: &'static str, words: &str) -> Result<(), ClusterError> {
        let before = fs::metadata(&self.log).map_or(0, |log| log.len());
        let answer = self.answer(words).map_err(|error| failed(doing, error))?;
        if answer == "0" {
            return Ok(());
        }
        let log = fs::read(&self.log).unwrap_or_default();
        let said = log.get(usize::try_from(before).unwrap_or_default()..).unwrap_or_default();
        Err(failed(doing, String::from_utf8_lossy(said).trim()))
    }

    /// The exit code of what the words ask for.
    fn answer(&mut self, words: &str) -> io::Result<String> {
        let to = self.words.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        writeln!(to, "{words}")?;
        to.flush()?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        if answer.is_empty() {
            Err(io::ErrorKind::UnexpectedEof.into())
        } else {
            Ok(answer.trim().to_owned())
        }
    }
}

impl Drop for Guardian {
    fn drop(&mut self) {
        drop(self.words.take());
        // Whatever came of it: there is nobody to tell.
        let _ = self.child.wait();
    }
}

impl fmt::Debug for Guardian {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Guardian")
    }
}
