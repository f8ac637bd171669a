//! `hangar recipe state`: the versions of a recipe's Terraform state, one of them, and another one in its place.

mod push;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use hangar_diag::Diagnostic;

use super::{RecipeName, summary};
use crate::client::instant::Instant;
use crate::client::recipe::{StateVersion, StateVersions};
use crate::client::request::Request;
use crate::codes;
use crate::connection::{Connection, Environment};
use crate::embedded::private;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::Inputs;
use crate::pack::size_of;
use crate::printer::Printer;
use crate::render::printable;
use crate::render::table::Table;
use crate::session::{self, Presence, Session};

/// What to do with a state.
#[derive(Debug, Subcommand)]
pub(super) enum StateCommand {
    /// List the versions of a state, and its lock
    #[command(long_about = LIST_DESCRIPTION, after_long_help = LIST_EXAMPLES)]
    List(RecipeName),
    /// Print a state as Terraform wrote it, with its secrets
    #[command(long_about = SHOW_DESCRIPTION, after_long_help = SHOW_EXAMPLES)]
    Show(ShowArgs),
    /// Write a state as a new version
    #[command(long_about = push::DESCRIPTION, after_long_help = push::EXAMPLES)]
    Push(push::PushArgs),
}

/// Which state is printed, and where to.
#[derive(Debug, Args)]
pub(super) struct ShowArgs {
    #[command(flatten)]
    name: RecipeName,
    /// Version [default: the current one]
    #[arg(long, value_name = "N")]
    version: Option<u64>,
    /// File to write [default: standard output]
    ///
    /// Only its owner can read the file.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(super) const EXAMPLES: &str = "Examples:
  hangar recipe state list network
  hangar recipe state show network --version 3 --out before.tfstate";

const LIST_DESCRIPTION: &str = "\
`*` marks the current version. `beside` marks a version written by a run that had ended already;
it never was the current one.";

const LIST_EXAMPLES: &str = "Examples:
  hangar recipe state list network -g prod";

const SHOW_DESCRIPTION: &str = "A state contains secrets in clear text.";

const SHOW_EXAMPLES: &str = "Examples:
  hangar recipe state show network --out network.tfstate
  hangar recipe state show network | hangar terraform ids -";

pub(super) fn run(
    command: &StateCommand,
    connection: Connection,
    environment: &Environment,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    match command {
        StateCommand::List(name) => {
            let id = name.id()?;
            session::run(connection, printer, Presence::Reading, async |session| {
                list(session, name, &id).await
            })
        }
        StateCommand::Show(args) => {
            let id = args.name.id()?;
            session::run(connection, printer, Presence::Reading, async |session| {
                show(session, args, &id).await
            })
        }
        StateCommand::Push(args) => push::run(args, connection, environment, printer, inputs),
    }
}

async fn list(session: &mut Session<'_>, name: &RecipeName, id: &str) -> Result<Exit, Failure> {
    let doing = format!("cannot list the states of recipe `{}`", name.name);
    let read = session.read::<StateVersions>(&Request::get(format!("{id}/stateVersions"))).await;
    let (document, versions) = read.map_err(|error| error.while_doing(&doing))?;
    let (now, width) = (Instant::now(), session.printer.width());
    session.printer.show(|| table(&versions, &name.name, now, width), || &document)?;
    Ok(Exit::Success)
}

fn table(versions: &StateVersions, name: &str, now: Instant, width: Option<usize>) -> String {
    let lock = match &versions.lock {
        Some(lock) => {
            let (id, holder) = (printable(&lock.id), summary::holder(lock));
            format!("\n\nlocked ({id}) by {}", printable(&holder))
        }
        None => String::new(),
    };
    if versions.value.is_empty() {
        return format!("recipe {} has no state{lock}", printable(name));
    }
    let mut table = Table::new(["VERSION", "SERIAL", "RESOURCES", "SIZE", "WRITTEN", "OPERATION"]);
    table.fit(width);
    for version in &versions.value {
        let count = |count: Option<u64>| count.map_or_else(|| "-".to_owned(), |it| it.to_string());
        table.row([
            &*number(version, versions.current),
            &count(version.serial),
            &count(version.instances),
            &version.size.map_or_else(|| "-".to_owned(), size_of),
            &version.written_at.map_or_else(|| "-".to_owned(), |at| at.age(now) + " ago"),
            version.operation.as_deref().map_or("-", |id| id.rsplit('/').next().unwrap_or(id)),
        ]);
    }
    format!("{table}{lock}")
}

/// `3 *` for the current one.
fn number(version: &StateVersion, current: Option<u64>) -> String {
    match version {
        it if current == Some(it.version) => format!("{} *", it.version),
        it if it.stray => format!("{} stray", it.version),
        it => it.version.to_string(),
    }
}

async fn show(session: &mut Session<'_>, args: &ShowArgs, id: &str) -> Result<Exit, Failure> {
    let doing = format!("cannot read the state of recipe `{}`", args.name.name);
    let mut request = Request::state(format!("{id}/state"));
    if let Some(version) = args.version {
        request = request.query("version", version.to_string());
    }
    let reply = session.send(&request).await.map_err(|error| error.while_doing(&doing))?;
    if reply.status == 204 || reply.bytes.is_empty() {
        let message = format!("recipe `{}` has no state", args.name.name);
        return Err(Diagnostic::error(codes::NO_STATE, message)
            .hint("it was not deployed yet; `hangar recipe list` lists the recipes")
            .into());
    }
    let Some(out) = &args.out else {
        session.printer.bytes(&reply.bytes)?;
        return Ok(Exit::Success);
    };
    private::write(out, &reply.bytes).map_err(|error| {
        let message = format!("cannot write `{}`: {error}", out.display());
        Failure::from(
            Diagnostic::error(codes::FILE_UNWRITABLE, message)
                .hint("check the path and its permissions"),
        )
    })?;
    let size = size_of(u64::try_from(reply.bytes.len()).unwrap_or(u64::MAX));
    let told = || format!("wrote {size} to {}", out.display());
    session.printer.show(told, || serde_json::json!({"file": out, "bytes": reply.bytes.len()}))?;
    Ok(Exit::Success)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_current_version_is_marked_and_the_lock_is_told() {
        let versions: StateVersions = serde_json::from_value(json!({
            "value": [
                {"version": 3, "serial": 9, "instances": 2, "size": 20, "stray": true},
                {"version": 2, "serial": 8, "instances": 2, "size": 2048, "writtenAt": "2026-01-02T03:04:05Z",
                 "operation": "/x/0191f3a8"},
            ],
            "current": 2, "lock": {"id": "l1", "who": "ann", "ageSeconds": 3},
        }))
        .unwrap();
        let now = Instant::try_from("2026-01-02T03:05:06Z".to_owned()).unwrap();
        insta::assert_snapshot!(table(&versions, "net", now, None), @"
        VERSION  SERIAL  RESOURCES  SIZE     WRITTEN  OPERATION
        3 stray  9       2          20 B     -        -
        2 *      8       2          2.0 KiB  1m ago   0191f3a8

        locked (l1) by ann for 3s
        ");
    }
}
