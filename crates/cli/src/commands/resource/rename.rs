//! `hangar resource rename`: another alias for the same resource.

use clap::Args;
use serde_json::json;

use super::target::TargetWordArgs;
use crate::client::request::Request;
use crate::client::shape::Reference;
use crate::connection::Connection;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::follow;
use crate::printer::Printer;
use crate::session::{self, Presence};

/// Which resource is renamed, and how.
#[derive(Debug, Args)]
pub(super) struct RenameArgs {
    #[command(flatten)]
    target: TargetWordArgs,
}

pub(super) const USAGE: &str = "hangar resource rename [OPTIONS] <TYPE> <ALIAS> <NEW>\n       \
                                hangar resource rename [OPTIONS] <ID> <NEW>";

pub(super) const DESCRIPTION: &str = "\
Nothing changes in AWS, and no AWS call is made. A put with the new alias updates the same
resource, and the old alias can be used again.";

pub(super) const EXAMPLES: &str = "Examples:
  hangar resource rename AWS.EC2/VPC net network
  hangar resource rename AWS.EC2/VPC --alias net network -g prod";

pub(super) fn run(
    args: &RenameArgs,
    connection: Connection,
    printer: &mut Printer,
) -> Result<Exit, Failure> {
    let (target, new) = args.target.find("the new alias is missing")?;
    let request = Request::post_with(format!("{}/:rename", target.id), json!({"alias": new}));
    let presence = connection.presence_for_existing(Presence::Briefly);
    session::run(connection, printer, presence, async |session| {
        let reply = session
            .send(&request)
            .await
            .map_err(|error| error.while_doing(&format!("cannot rename {}", target.label)))?;
        let reference: Reference = session.shape(&reply.body)?;
        let subject = format!("{} to `{}`", target.label, reference.name);
        let line = follow::outcome_line("renamed", &subject, reference.identifier());
        session.printer.show(|| line, || &reply.body)?;
        Ok(Exit::Success)
    })
}
