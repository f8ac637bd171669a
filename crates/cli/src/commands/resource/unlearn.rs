//! `hangar resource unlearn`: forgets AWS's forms of values.

use clap::Args;
use serde_json::json;

use super::target::TargetArgs;
use crate::client::request::Request;
use crate::client::shape::Reference;
use crate::connection::Connection;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::render::counted;
use crate::session::{self, Presence};

/// Which forms of which resource are forgotten.
#[derive(Debug, Args)]
pub(super) struct UnlearnArgs {
    #[command(flatten)]
    target: TargetArgs,
    /// Forget only the form of this property [default: all]
    #[arg(long, value_name = "POINTER")]
    path: Option<String>,
}

pub(super) const DESCRIPTION: &str = "\
After a create or an update, Hangar reads the resource back and remembers in which form AWS returns
a value that was sent; later this form is no difference. `hangar resource show` lists the forms.
This command removes them: a plan then shows the differences again. Nothing changes in AWS.";

pub(super) const EXAMPLES: &str = "Examples:
  hangar resource unlearn AWS.EC2/VPC net
  hangar resource unlearn AWS.SQS/Queue jobs -g prod --path /QueueName";

pub(super) fn run(
    args: &UnlearnArgs,
    connection: Connection,
    printer: &mut Printer,
) -> Result<Exit, Failure> {
    let target = args.target.find_reference()?;
    let body = args.path.as_ref().map_or_else(|| json!({}), |path| json!({ "path": path }));
    let doing = format!("cannot forget what was learned of {}", target.label);
    let presence = connection.presence_for_existing(Presence::Briefly);
    session::run(connection, printer, presence, async |session| {
        let before = session.read::<Reference>(&Request::get(&*target.id)).await;
        let (_, before) = before.map_err(|error| error.while_doing(&doing))?;
        let request = Request::post_with(format!("{}/:unlearn", target.id), body);
        let reply = session.send(&request).await.map_err(|error| error.while_doing(&doing))?;
        let after: Reference = session.shape(&reply.body)?;
        let removed = before.learned.len().saturating_sub(after.learned.len());
        let line = format!("{}: {} forgotten", target.label, counted(removed, "learned form"));
        session.printer.show(|| line, || &reply.body)?;
        Ok(Exit::Success)
    })
}
