//! `hangar recipe state push`: writes a state as a new version, with the lock held around it.

use std::path::PathBuf;

use bytes::Bytes;
use clap::Args;
use hangar_diag::{Diagnostic, Span};
use hangar_manifest::state;
use serde_json::{Value, json};
use uuid::Uuid;

use super::super::{RecipeName, failed, summary};
use crate::client::instant::Instant;
use crate::client::recipe::StateVersions;
use crate::client::request::{LockDeed, Request};
use crate::codes;
use crate::connection::{Connection, Environment};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::{Inputs, Source};
use crate::printer::Printer;
use crate::render::printable;
use crate::session::{self, CallError, Presence, Session};

/// Which state is written, and where.
#[derive(Debug, Args)]
pub(in crate::commands::recipe) struct PushArgs {
    #[command(flatten)]
    name: RecipeName,
    /// State file, or `-` for stdin
    file: PathBuf,
    /// Accept a state with another lineage or a lower serial
    #[arg(long)]
    force: bool,
}

pub(in crate::commands::recipe) const DESCRIPTION: &str = "\
The state becomes the current version, and older versions are kept. The command fails while the
state is locked.";

pub(in crate::commands::recipe) const EXAMPLES: &str = r"Examples:
  hangar recipe state push network network.tfstate
  hangar recipe state show network --version 2 \
    | hangar recipe state push network - --force";

/// What is written.
struct Pushed {
    content: Bytes,
    serial: u64,
    lineage: Option<String>,
}

pub(super) fn run(
    args: &PushArgs,
    connection: Connection,
    environment: &Environment,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    let id = args.name.id()?;
    let pushed = read(inputs.read(&args.file)?)?;
    let user = environment.variables.get("USER").unwrap_or("unknown").to_owned();
    session::run(connection, printer, Presence::Briefly, async |session| {
        push(session, args, &id, pushed, &user).await
    })
}

fn read(source: Source) -> Result<Pushed, Failure> {
    let (serial, lineage) = match state::read(source.text.as_bytes()) {
        Ok(read) => (read.serial.unwrap_or_default(), read.lineage.as_deref().map(str::to_owned)),
        Err(error) => {
            let mistake = error.diagnostic();
            let all = Span::new(0, source.text.len());
            // A state holds secrets in clear text: a place in it is told, and no line is shown.
            return Err(Failure::in_source(source.masked([all]), vec![mistake]));
        }
    };
    Ok(Pushed { content: Bytes::from(source.text), serial, lineage })
}

async fn push(
    session: &mut Session<'_>,
    args: &PushArgs,
    id: &str,
    pushed: Pushed,
    user: &str,
) -> Result<Exit, Failure> {
    let doing = format!("cannot write the state of recipe `{}`", args.name.name);
    let before = versions(session, id).await.map_err(|error| failed::refused(error, &doing))?.1;
    if !args.force {
        check(&pushed, &before, &doing)?;
    }
    let lock = Uuid::now_v7().to_string();
    let info = json!({
        "ID": lock, "Operation": "push", "Info": "", "Who": format!("{user} (hangar recipe state push)"),
        "Version": env!("CARGO_PKG_VERSION"), "Created": Instant::now().to_string(), "Path": "",
    });
    // A Ctrl-C must not leave the lock behind: what is between is short.
    let _wish = session.heeds_the_wish_to_stop();
    take(session, args, id, &lock, &info).await?;
    let request = Request::state_write(format!("{id}/state"), pushed.content).query("ID", &*lock);
    let written = session.send(&request).await;
    let freed =
        session.send(&Request::state_lock(format!("{id}/state"), LockDeed::Unlock, info)).await;
    session.heeds_no_more();
    written.map_err(|error| failed::refused(error, &doing))?;
    if let Err(error) = freed {
        let doing = "the state was written, but its lock is still held";
        let hint =
            format!("`hangar recipe unlock {} --lock-id {lock}` releases it", args.name.words());
        return Err(failed::refused(error, doing).hint(hint));
    }
    let (document, after) =
        versions(session, id).await.map_err(|error| failed::refused(error, &doing))?;
    let name = printable(&args.name.name);
    let told = || match after.current {
        Some(version) => format!("wrote version {version} of the state of recipe {name}"),
        None => format!("wrote the state of recipe {name}"),
    };
    session.printer.show(told, || document)?;
    Ok(Exit::Success)
}

async fn versions(
    session: &mut Session<'_>,
    id: &str,
) -> Result<(Value, StateVersions), CallError> {
    session.read::<StateVersions>(&Request::get(format!("{id}/stateVersions"))).await
}

/// Takes the lock, or says who holds it.
async fn take(
    session: &mut Session<'_>,
    args: &PushArgs,
    id: &str,
    lock: &str,
    info: &Value,
) -> Result<(), Failure> {
    let doing = format!("cannot lock the state of recipe `{}`", args.name.name);
    let request = Request::state_lock(format!("{id}/state"), LockDeed::Lock, info.clone());
    match session.send(&request).await {
        Ok(_) => Ok(()),
        Err(CallError::Refused(refusal)) if refusal.status == 423 => {
            let held = versions(session, id).await.ok().and_then(|(_, versions)| versions.lock);
            match held {
                // The answer to the first try was lost.
                Some(held) if held.id == lock => Ok(()),
                held => {
                    let by = held.as_ref().map_or_else(|| "unknown".to_owned(), summary::holder);
                    let message = format!("{doing}: it is held by {by}");
                    let hint = format!(
                        "wait until the lock is released; if its holder no longer runs, `hangar recipe unlock {}` \
                         releases it",
                        args.name.words()
                    );
                    Err(Diagnostic::error(codes::STATE_LOCKED, message).hint(hint).into())
                }
            }
        }
        Err(error) => Err(failed::refused(error, &doing)),
    }
}

/// Refuses what is no successor of the current state, as Terraform does.
fn check(pushed: &Pushed, before: &StateVersions, doing: &str) -> Result<(), Failure> {
    let current = before.value.iter().find(|it| Some(it.version) == before.current);
    let Some(current) = current else { return Ok(()) };
    let is_other = |line: &String| pushed.lineage.as_ref().is_some_and(|own| own != line);
    let why = if current.lineage.as_ref().is_some_and(is_other) {
        "its lineage differs from that of the current state".to_owned()
    } else if let Some(serial) = current.serial.filter(|serial| *serial > pushed.serial) {
        format!("its serial is {}, but that of the current state is {serial}", pushed.serial)
    } else {
        return Ok(());
    };
    Err(Diagnostic::error(codes::OLD_STATE, format!("{doing}: {why}"))
        .hint("pass --force to make it the current state anyway")
        .into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_that_is_no_successor_is_refused() {
        let before: StateVersions = serde_json::from_value(json!({
            "value": [{"version": 1, "serial": 4, "lineage": "a"}], "current": 1}))
        .unwrap();
        let is_fit = |serial: u64, lineage: &str| {
            let content =
                json!({"version": 4, "serial": serial, "lineage": lineage, "resources": []});
            let source = Source { name: None, text: content.to_string() };
            check(&read(source).unwrap(), &before, "x").is_ok()
        };
        assert!(is_fit(4, "a") && is_fit(5, "a"));
        assert!(!is_fit(3, "a") && !is_fit(5, "b"));
    }
}
