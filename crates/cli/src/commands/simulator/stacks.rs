//! `hangar simulator stacks` and `hangar simulator undeploy`: what is there, and taking it away.

use clap::Args;
use hangar_diag::Diagnostic;
use serde_json::json;

use super::rows::{Row, table};
use super::stack::Stacks;
use super::target::TargetArgs;
use crate::codes;
use crate::connection::Environment;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::resolve::aws::Trace;

/// Which stacks are listed.
#[derive(Debug, Args)]
pub(crate) struct StacksArgs {
    /// Also print the resources with their physical ids
    #[arg(long)]
    resources: bool,
    #[command(flatten)]
    target: TargetArgs,
}

/// Which stacks are deleted.
#[derive(Debug, Args)]
pub(crate) struct UndeployArgs {
    /// Names or ARNs of stacks
    #[arg(value_name = "STACK", required = true)]
    stacks: Vec<String>,
    #[command(flatten)]
    target: TargetArgs,
}

pub(super) const DESCRIPTION: &str = "Each account and region has its own stacks.";

pub(super) const EXAMPLES: &str = r"Examples:
  hangar simulator stacks
  hangar simulator stacks --resources --account 111122223333 \
    --region eu-west-1 -o json";

pub(super) const UNDEPLOY_DESCRIPTION: &str = "\
A stack is deleted after the stacks that use its exports.";

pub(super) const UNDEPLOY_EXAMPLES: &str = "Examples:
  hangar simulator undeploy Compute Storage
  hangar simulator undeploy Prod-App --account 111122223333 --region eu-west-1";

pub(super) async fn run(
    args: &StacksArgs,
    environment: &Environment,
    printer: &mut Printer,
) -> Result<Exit, Failure> {
    args.target.check()?;
    let target = args.target.reach(environment, Trace::None).await?;
    let place = args.target.place(&target, None, None)?;
    let stacks = Stacks { provider: &target.provider, place: &place };
    let mut rows = Vec::new();
    for stack in stacks.all().await? {
        let id = stack.id.clone();
        let row = Row::new(&place, stack, None);
        rows.push(if args.resources {
            row.with_resources(stacks.resources(&id).await?)
        } else {
            row
        });
    }
    target.close().await?;
    let none = || {
        let (account, region) = (place.account.padded(), place.region.as_str());
        format!("no stacks in {account}/{region}; `hangar simulator deploy PATH` creates them")
    };
    let width = printer.width();
    printer.show(
        || if rows.is_empty() { none() } else { table(&rows, width) },
        || json!({"stacks": rows}),
    )?;
    Ok(Exit::Success)
}

pub(super) async fn undeploy(
    args: &UndeployArgs,
    environment: &Environment,
    printer: &mut Printer,
) -> Result<Exit, Failure> {
    args.target.check()?;
    let target = args.target.reach(environment, Trace::None).await?;
    let place = args.target.place(&target, None, None)?;
    let stacks = Stacks { provider: &target.provider, place: &place };
    let missing = missing(&stacks, &args.stacks).await?;
    if !missing.is_empty() {
        let (account, region) = (place.account.padded(), place.region.as_str());
        let message =
            format!("stack `{}` does not exist in {account}/{region}", missing.join("`, `"));
        return Err(Diagnostic::error(codes::SIMULATOR_STACK, message)
            .hint("`hangar simulator stacks` lists the stacks; --account and --region select where")
            .into());
    }
    let mut left: Vec<&str> = args.stacks.iter().map(String::as_str).collect();
    let (mut deleted, mut failure) = (Vec::new(), None);
    // One whose exports are in use can go once those who use them have.
    while !left.is_empty() {
        let before = left.len();
        let mut stay = Vec::new();
        for name in left {
            printer.begin(&format!("deleting {name}"));
            match stacks.delete(name).await {
                Ok(_) => {
                    printer.done();
                    printer.progress_line(&format!("{name}: deleted"));
                    deleted.push(name);
                }
                Err(error) => {
                    stay.push(name);
                    failure.get_or_insert(error);
                }
            }
        }
        printer.done();
        left = stay;
        if left.len() == before {
            break;
        }
        failure = None;
    }
    target.close().await?;
    if !deleted.is_empty() {
        printer.show(
            || format!("deleted {}", deleted.join(", ")),
            || json!({"deleted": deleted, "left": left}),
        )?;
    }
    match failure {
        Some(failure) => Err(failure),
        None => Ok(Exit::Success),
    }
}

/// Those of the names that no stack has.
async fn missing(stacks: &Stacks<'_>, names: &[String]) -> Result<Vec<String>, Failure> {
    let mut missing = Vec::new();
    for name in names {
        if stacks.find(name).await?.is_none() {
            missing.push(name.clone());
        }
    }
    Ok(missing)
}
