//! What a person is told when there is no control plane to talk to, or no time to.

use std::io;

use hangar_diag::Diagnostic;
use hangar_engine::AwsOutage;
use hangar_plan::operation::OperationId;

use crate::aws::Aws;
use crate::client::Client;
use crate::client::exchange::ExchangeError;
use crate::codes;
use crate::embedded::data_dir::DataDir;
use crate::embedded::find::FindError;
use crate::embedded::server_file::ServerFile;
use crate::failure::Failure;
use crate::follow::vigil::rounded;

/// Nobody runs the data directory's control plane, and we cannot.
pub(crate) fn not_found(dir: &DataDir, error: &FindError) -> Failure {
    match error {
        FindError::Directory(error) => unusable(dir, error),
        FindError::Held { pid, waited } => {
            let holder = match pid {
                Some(pid) => format!("process {pid}"),
                None => "another process".to_owned(),
            };
            let message = format!(
                "{holder} holds `{}` and has not answered for {}",
                dir.lock().display(),
                rounded(*waited)
            );
            let hint = match pid {
                Some(pid) => format!("wait for it or stop it (`kill {pid}`), then try again"),
                None => "wait for it to end, then try again".to_owned(),
            };
            Diagnostic::error(codes::DATA_DIR_HELD, message)
                .hint(hint)
                .hint("or use another directory: --data-dir DIR")
                .into()
        }
        FindError::Served(file) => {
            let message =
                format!("`{dir}` is already served by process {} at {}", file.pid, file.url);
            Diagnostic::error(codes::DATA_DIR_SERVED, message)
                .hint("commands with the same data directory use that server")
                .hint("stop it first, or serve another directory: --data-dir DIR")
                .into()
        }
    }
}

/// The data directory cannot be used.
pub(crate) fn unusable(dir: &DataDir, error: &io::Error) -> Failure {
    let mut above = dir.path().ancestors().filter(|path| !path.as_os_str().is_empty());
    let why = match above.find(|path| path.exists()) {
        Some(file) if !file.is_dir() => {
            format!("`{}` is a file, not a directory", file.display())
        }
        _ => error.to_string(),
    };
    let message = format!("cannot use `{dir}` as the data directory: {why}");
    Diagnostic::error(codes::DATA_DIR, message)
        .hint("check the path, its permissions and the free disk space, or choose another: --data-dir DIR")
        .into()
}

/// Notice shown when state for real resources begins: a lost directory means that they are created again.
pub(super) fn created(dir: &DataDir) -> String {
    let path = std::path::absolute(dir.path()).unwrap_or_else(|_| dir.path().to_owned());
    format!(
        "created the data directory {}, which records the AWS resource of each alias; keep it: without it, deploying \
         again creates every resource a second time",
        path.display()
    )
}

/// The token that the other process left cannot be read.
pub(super) fn no_token(dir: &DataDir, error: &io::Error) -> Failure {
    let message = format!("cannot read a token from `{}`: {error}", dir.token().display());
    Diagnostic::error(codes::TOKEN_UNREADABLE, message)
        .hint("check its owner: only the owner can read it")
        .into()
}

/// Another process works on another AWS than was asked for.
pub(crate) fn served_with_another_aws(dir: &DataDir, file: &ServerFile, asked: &Aws) -> Failure {
    let message = format!(
        "process {1} uses `{dir}` with --aws {0}, not with --aws {asked}",
        file.aws, file.pid
    );
    Diagnostic::error(codes::OTHER_AWS, message)
        .hint("omit --aws, or use another directory: --data-dir DIR")
        .into()
}

/// There is no answer to a call.
pub(super) fn unanswered(client: &Client, error: &ExchangeError) -> Failure {
    let endpoint = client.endpoint();
    match error {
        ExchangeError::Connect(_) | ExchangeError::Broken(_) => {
            Diagnostic::error(codes::API_UNREACHABLE, format!("cannot reach {endpoint}: {error}"))
                .hint("check the URL, and that `hangar serve` is running there")
                .hint("without --server and HANGAR_SERVER, a command needs no server")
        }
        ExchangeError::TimedOut(_) => {
            Diagnostic::error(codes::API_SLOW, format!("{endpoint} is slow: {error}"))
                .hint("the request may have been accepted; `hangar operation list` shows it")
        }
        ExchangeError::Foreign(_) => Diagnostic::error(
            codes::API_FOREIGN,
            format!("{endpoint} is not a Hangar server: {error}"),
        )
        .hint("check the URL; a base path other than the default is written after the port"),
        ExchangeError::Unsendable(_) => Diagnostic::error(
            codes::API_BAD_URL,
            format!("cannot send the request to {endpoint}: {error}"),
        )
        .hint("check the URL and the token"),
    }
    .into()
}

/// AWS cannot be reached, so that the operation which is waited for does not go on.
pub(super) fn aws_out_of_reach(outage: &AwsOutage, id: Option<OperationId>) -> Failure {
    let AwsOutage { since, calls, cause, .. } = outage;
    let attempts = if *calls == 1 { "attempt" } else { "attempts" };
    let lasted = rounded(since.elapsed());
    let message = format!("{cause}; gave up after {calls} {attempts} in {lasted}");
    let failure = Diagnostic::error(codes::AWS_OUT_OF_REACH, message)
        .hint("check the endpoint (--aws), the region and the network, then run the command again");
    let Some(id) = id else { return failure.into() };
    failure
        .hint(format!(
            "operation {id} stays open: `hangar operation wait {id}` continues it, `hangar operation cancel {id}` \
             stops it"
        ))
        .into()
}

/// Somebody pressed Ctrl-C before anything was sent that could change anything.
pub(crate) fn stopped() -> Failure {
    Diagnostic::error(codes::INTERRUPTED, "stopped on request; nothing was changed").into()
}

/// Somebody pressed Ctrl-C while a write was being answered.
pub(super) fn stopped_while_writing() -> Failure {
    Diagnostic::error(
        codes::INTERRUPTED,
        "stopped on request; a write was sent and may have been accepted",
    )
    .hint("if it was, `hangar operation list --running` shows it")
    .into()
}

/// Somebody pressed Ctrl-C while an operation was followed.
pub(super) fn stopped_waiting(id: OperationId, ends: Option<&DataDir>) -> Failure {
    let message = format!("stopped waiting; operation {id} is still open");
    let hint = match ends {
        // What AWS was asked for, it goes on with; the rest waits.
        Some(dir) => format!(
            "`hangar operation wait {id}` continues it, and so does the next command that writes to `{dir}`"
        ),
        None => format!("`hangar operation wait {id}` waits until it ends"),
    };
    Diagnostic::error(codes::INTERRUPTED, message).hint(hint).into()
}
