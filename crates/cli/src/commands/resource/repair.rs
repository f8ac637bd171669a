//! `hangar resource repair`: what was applied is applied again.

use clap::Args;

use super::target::TargetArgs;
use super::write::{Verb, Wait, Writing, nowhere};
use crate::client::request::Request;
use crate::connection::Connection;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::session;

/// Which resource is repaired.
#[derive(Debug, Args)]
pub(super) struct RepairArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// Do not wait for the operation to end
    #[arg(long)]
    no_wait: bool,
}

pub(super) const DESCRIPTION: &str = "\
Repairs the drift of one resource. A missing resource is recreated if Hangar owns it. `hangar
drift` shows the differences, and `hangar drift --repair` repairs a whole group.";

pub(super) const EXAMPLES: &str = "Examples:
  hangar resource repair AWS.EC2/VPC net
  hangar resource repair AWS.EC2/VPC --alias net -g prod --no-wait";

pub(super) fn run(
    args: &RepairArgs,
    connection: Connection,
    printer: &mut Printer,
) -> Result<Exit, Failure> {
    let target = args.target.find_reference()?;
    let wait = Wait::unless(args.no_wait);
    let presence = connection.presence_for_existing(wait.presence());
    session::run(connection, printer, presence, async |session| {
        let writing = Writing {
            verb: Verb::Repair,
            id: &target.id,
            label: &target.label,
            group: args.target.group(),
            wait,
            locate: &nowhere,
        };
        writing.perform(session, &Request::post(format!("{}/:repair", target.id))).await
    })
}
