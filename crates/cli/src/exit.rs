//! How the program ends, as the shell sees it.

use std::process::ExitCode;

/// The documented exit codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// 0: done, or nothing to do.
    Success,
    /// 1: an error, which stderr explains.
    Failure,
    /// 2: changes were found, from commands whose help says so.
    Changes,
    /// 2: no command was given, so that the help was printed.
    NoCommand,
    /// That of the command that was run.
    Of(u8),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Success => Self::SUCCESS,
            Exit::Failure => Self::FAILURE,
            Exit::Changes | Exit::NoCommand => Self::from(2),
            Exit::Of(code) => Self::from(code),
        }
    }
}
