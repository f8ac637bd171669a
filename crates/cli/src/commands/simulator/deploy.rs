//! `hangar simulator deploy`: templates and assemblies of CDK, put into a simulator as stacks.

use std::path::PathBuf;

use clap::Args;
use hangar_provider::Place;
use hangar_provider_aws::{StackWrite, TemplateSource};
use serde_json::json;

use super::assembly::asset::{Env, Object};
use super::plan::{self, Wish};
use super::rows::{Row, table};
use super::stack::{Stacks, write};
use super::target::{Target, TargetArgs};
use crate::connection::Environment;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::Inputs;
use crate::printer::Printer;
use crate::resolve::aws::Trace;

/// What is deployed, and where.
#[derive(Debug, Args)]
pub(crate) struct DeployArgs {
    /// CloudFormation templates, or folders that `cdk synth` wrote
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Stack name, or stacks of an assembly (repeatable)
    ///
    /// For a template: the name of its stack. For an assembly: the stacks to deploy, with their
    /// dependencies.
    ///
    /// [default: the name of the template file; all stacks of an assembly]
    #[arg(long, value_name = "NAME")]
    stack: Vec<String>,
    /// Set a parameter (repeatable)
    #[arg(long, value_name = "KEY=VALUE", value_parser = crate::commands::simulator::parse_pair)]
    parameter: Vec<(String, String)>,
    /// Also print the resources with their physical ids
    #[arg(long)]
    resources: bool,
    #[command(flatten)]
    target: TargetArgs,
}

pub(super) const DESCRIPTION: &str = "\
Creates or updates stacks in a running simulator; `hangar simulator` starts one. Stacks of an
assembly are deployed in the order of their dependencies, to the accounts and regions that the
assembly names.";

pub(super) const EXAMPLES: &str = "Examples:
  hangar simulator deploy storage.yaml --parameter Size=2
  hangar simulator deploy cdk.out --resources
  hangar simulator deploy cdk.out --stack Storage --data-dir .hangar -o json";

/// A longer template goes by way of a bucket, as with AWS.
const LONGEST_BODY: usize = 51_200;

/// The bucket for those.
const BUCKET: &str = "hangar-templates";

pub(super) async fn run(
    args: &DeployArgs,
    environment: &Environment,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    args.target.check()?;
    let mut wishes = plan::wishes(&args.paths, &args.stack, inputs)?;
    plan::give(&mut wishes, &args.parameter)?;
    let target = args.target.reach(environment, Trace::State).await?;
    if let Some(note) = target.note() {
        printer.note(note);
    }
    let mut rows = Vec::new();
    let mut ended = Ok(());
    for wish in &wishes {
        printer.begin(&format!("deploying {}", wish.name));
        match deploy(args, &target, wish, inputs).await {
            Ok(row) => {
                printer.done();
                printer.progress_line(&row.line());
                rows.push(row);
            }
            // What comes later may need it.
            Err(failure) => {
                ended = Err(failure);
                break;
            }
        }
    }
    printer.done();
    let closed = target.close().await;
    if !rows.is_empty() || ended.is_ok() {
        let width = printer.width();
        printer.show(|| table(&rows, width), || json!({"stacks": rows}))?;
    }
    ended.and(closed).map(|()| Exit::Success)
}

async fn deploy(
    args: &DeployArgs,
    target: &Target,
    wish: &Wish,
    inputs: &mut Inputs,
) -> Result<Row, Failure> {
    let place = args.target.place(target, wish.account.as_deref(), wish.region.as_deref())?;
    let account = place.account.padded();
    let env = Env { account: &account, region: place.region.as_str() };
    for (object, text) in wish.assets(env, inputs) {
        target.put_asset(&object, &text).await?;
    }
    let write = StackWrite {
        parameters: wish.parameters.clone(),
        tags: wish.tags.clone(),
        ..write(&wish.name, source(target, wish, &place).await?)
    };
    let stacks = Stacks { provider: &target.provider, place: &place };
    let (stack, change) = stacks.deploy(&write).await?;
    let id = stack.id.clone();
    let row = Row::new(&place, stack, Some(change));
    if args.resources { Ok(row.with_resources(stacks.resources(&id).await?)) } else { Ok(row) }
}

async fn source(target: &Target, wish: &Wish, place: &Place) -> Result<TemplateSource, Failure> {
    if wish.template.len() <= LONGEST_BODY {
        return Ok(TemplateSource::Body(wish.template.clone()));
    }
    let (account, region) = (place.account.padded(), place.region.as_str());
    let key = format!("{account}/{region}/{}", wish.name);
    let url = format!("https://s3.{region}.amazonaws.com/{BUCKET}/{key}");
    target.put_asset(&Object { bucket: BUCKET.to_owned(), key }, &wish.template).await?;
    Ok(TemplateSource::Url(url))
}
