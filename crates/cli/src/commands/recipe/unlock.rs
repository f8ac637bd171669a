//! `hangar recipe unlock`: frees the lock of a state that whoever took it has left behind.

use clap::Args;
use serde_json::{Map, Value};

use super::{RecipeName, failed, summary};
use crate::client::recipe::Unlocked;
use crate::client::request::Request;
use crate::connection::Connection;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::render::printable;
use crate::session::{self, Presence, Session};

/// Which lock is freed.
#[derive(Debug, Args)]
pub(super) struct UnlockArgs {
    #[command(flatten)]
    name: RecipeName,
    /// Release only the lock with this id
    #[arg(long, value_name = "ID")]
    lock_id: Option<String>,
    /// Release the lock even if a run is in progress
    #[arg(long)]
    force: bool,
}

pub(super) const DESCRIPTION: &str = "\
Use this for a lock that Terraform took through the HTTP backend and whose process no longer
exists. Hangar releases the locks of its own runs. If two processes write the same state, changes
of one of them are lost.";

pub(super) const EXAMPLES: &str = r"Examples:
  hangar recipe unlock network
  hangar recipe unlock network -g prod \
    --lock-id 6638b13e-6a9c-2be4-5b1c-8a5c8a0e1d4f";

pub(super) fn run(
    args: &UnlockArgs,
    connection: Connection,
    printer: &mut Printer,
) -> Result<Exit, Failure> {
    let id = args.name.id()?;
    let presence = connection.presence_for_existing(Presence::Briefly);
    session::run(connection, printer, presence, async |session| unlock(session, args, &id).await)
}

async fn unlock(session: &mut Session<'_>, args: &UnlockArgs, id: &str) -> Result<Exit, Failure> {
    let mut body = Map::new();
    if let Some(lock) = &args.lock_id {
        body.insert("lockId".to_owned(), lock.as_str().into());
    }
    if args.force {
        body.insert("force".to_owned(), true.into());
    }
    let doing = format!("cannot unlock recipe `{}`", args.name.name);
    let request = Request::post_with(format!("{id}/unlock"), Value::Object(body));
    let reply = session.send(&request).await.map_err(|error| failed::refused(error, &doing))?;
    let freed: Unlocked = session.shape(&reply.body)?;
    let name = printable(&args.name.name);
    let text = match &freed.lock {
        Some(lock) => format!(
            "released lock {} of recipe {name}, held by {}",
            printable(&lock.id),
            printable(&summary::holder(lock))
        ),
        None => format!("the state of recipe {name} is not locked"),
    };
    session.printer.show(|| text, || &reply.body)?;
    Ok(Exit::Success)
}
