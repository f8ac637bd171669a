//! A command that is run in the place of ours: it has our input and output, and our signals reach it.

use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{ExitStatus, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, ChildStdout, Command};
use tokio::signal::unix::{SignalKind, signal};

use super::held::{Held, HeldFrom, HeldOutput};

/// Where the command prints to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prints {
    /// To our standard output.
    Here,
    /// To our standard error: the other is for programs.
    Aside,
}

/// When the output of the command is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Timing {
    /// By the command itself.
    AtOnce,
    /// Manifests are held from this line on, so that they can be looked at first.
    ManifestsHeld(HeldFrom),
}

/// How a command ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ended {
    /// The exit code, as a shell would tell it.
    pub(crate) code: u8,
    /// Whether somebody wanted us to stop meanwhile.
    pub(crate) was_stopped: bool,
    /// The output that was not printed yet.
    pub(crate) held: Held,
}

/// Runs a command to its end.
pub(crate) fn run(
    command: &[OsString],
    variables: &[(&'static str, String)],
    prints: Prints,
    timing: Timing,
) -> io::Result<Ended> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let (program, arguments) = command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut process = Command::new(program);
        process.args(arguments).envs(variables.iter().map(|(name, value)| (name, value)));
        if matches!(timing, Timing::ManifestsHeld(_)) {
            process.stdout(Stdio::piped());
        } else if prints == Prints::Aside {
            process.stdout(Stdio::from(io::stderr().as_fd().try_clone_to_owned()?));
        }
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let mut hang_up = signal(SignalKind::hangup())?;
        let mut child = process.spawn()?;
        let mut was_stopped = false;
        let from = match timing {
            Timing::ManifestsHeld(from) => from,
            Timing::AtOnce => HeldFrom::Object,
        };
        let (mut stdout, mut held, mut ended) = (child.stdout.take(), HeldOutput::new(from), None);
        // We outlive it, so that nothing of ours is left behind.
        let status = loop {
            if let Some(status) = ended
                && (stdout.is_none() || was_stopped)
            {
                break status;
            }
            let passed_on = tokio::select! {
                status = child.wait(), if ended.is_none() => {
                    ended = Some(status?);
                    continue;
                }
                bytes = read_some(&mut stdout), if stdout.is_some() => {
                    print(&held.push(&bytes?), prints)?;
                    continue;
                }
                _ = interrupt.recv() => Signal::INT,
                _ = terminate.recv() => Signal::TERM,
                _ = hang_up.recv() => Signal::HUP,
            };
            was_stopped = true;
            // A terminal has told it already.
            if passed_on != Signal::INT || !io::stdin().is_terminal() {
                tell(&child, passed_on);
            }
        };
        Ok(Ended { code: code_of(status), was_stopped, held: held.finish() })
    })
}

/// Reads from an output; at its end there is none any more.
async fn read_some(stdout: &mut Option<ChildStdout>) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; 64 * 1024];
    let count = match stdout {
        Some(stdout) => stdout.read(&mut bytes).await?,
        None => 0,
    };
    if count == 0 {
        *stdout = None;
    }
    bytes.truncate(count);
    Ok(bytes)
}

/// Prints output of the command. If nobody reads it, the command still runs to its end.
pub(crate) fn print(bytes: &[u8], prints: Prints) -> io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    let written = match prints {
        Prints::Here => {
            let mut stdout = io::stdout().lock();
            stdout.write_all(bytes).and_then(|()| stdout.flush())
        }
        Prints::Aside => io::stderr().lock().write_all(bytes),
    };
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

fn tell(child: &Child, signal: Signal) {
    let id = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    if let Some(id) = id {
        // It may have ended just now.
        let _ = kill_process(id, signal);
    }
}

fn code_of(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}
