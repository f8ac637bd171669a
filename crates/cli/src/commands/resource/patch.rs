//! `hangar resource patch`: some properties change, the rest stays as it was applied.

use std::path::PathBuf;

use clap::Args;
use hangar_schema::TypeSchema;
use serde_json::json;

use super::GroupArg;
use super::pairs::Nulls;
use super::put::{Checked, parse_pointer};
use super::stated::Stated;
use super::write::{Verb, Wait, Writing};
use crate::client::ids;
use crate::client::request::Request;
use crate::commands::types;
use crate::connection::Connection;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::input::Inputs;
use crate::printer::Printer;
use crate::session;

/// What is changed.
#[derive(Debug, Args)]
pub(super) struct PatchArgs {
    /// Resource type, such as `AWS.EC2/VPC`
    ///
    /// The spelling of CloudFormation, `AWS::EC2::VPC`, is accepted too.
    #[arg(value_name = "TYPE")]
    type_name: String,
    /// Alias of the resource
    #[arg(long)]
    alias: String,
    #[command(flatten)]
    group: GroupArg,
    /// Changes: KEY=VALUE pairs, JSON file or `-`
    ///
    /// KEY=null removes a property. Instead of pairs, one word can name a JSON file, or `-` for
    /// stdin.
    #[arg(long, value_name = "KEY=VALUE", num_args = 1.., required_unless_present = "from")]
    properties: Vec<String>,
    /// JSON file with the changes, or `-` for stdin
    ///
    /// The changes are a merge patch (RFC 7396): a null member removes the property.
    #[arg(long, value_name = "FILE|-", conflicts_with = "properties")]
    from: Option<PathBuf>,
    /// Treat this property as secret (repeatable)
    ///
    /// A JSON pointer to a property that the schema does not mark as write-only.
    #[arg(long, value_name = "POINTER", value_parser = parse_pointer)]
    secret_path: Vec<String>,
    /// Do not wait for the operation to end
    #[arg(long)]
    no_wait: bool,
}

pub(super) const DESCRIPTION: &str = "\
Given properties are set, null removes a property, and all others keep their applied values. An
array is replaced as a whole. The command never creates or replaces a resource.

If AWS would lose write-only values that an update does not repeat, such as passwords, they must
be given again.";

pub(super) const EXAMPLES: &str = r"Examples:
  hangar resource patch AWS.EC2/VPC --alias net \
    --properties EnableDnsSupport=false
  hangar resource patch AWS.EC2/VPC --alias net --properties Tags=null
  hangar resource patch AWS.EC2/VPC --alias net -g prod --from changes.json";

pub(super) fn run(
    args: &PatchArgs,
    connection: Connection,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    let schema = types::bundled(&args.type_name)?;
    types::check_handlers(&schema)?;
    let type_name = types::parse(schema.name())?;
    let id = ids::reference(&args.group.group, &type_name, &args.alias)?;
    let stated = stated(args, &schema, inputs)?;
    let locate = |diagnostics| stated.locate(&schema, &args.secret_path, diagnostics);
    // What a patch leaves out is there already.
    let Checked { certain, warnings, .. } = Checked::of(&schema, stated.value());
    if !certain.is_empty() {
        return Err(Failure::Reported(locate(certain.into_iter().chain(warnings).collect())));
    }
    if !warnings.is_empty() {
        printer.warn(&locate(warnings));
    }
    let mut body = json!({"properties": stated.value()});
    if !args.secret_path.is_empty() {
        body["secretPaths"] = json!(args.secret_path);
    }
    let label = format!("{} `{}`", type_name.ucp(), args.alias);
    let wait = Wait::unless(args.no_wait);
    let presence = connection.presence_for_existing(wait.presence());
    session::run(connection, printer, presence, async |session| {
        let writing = Writing {
            verb: Verb::Patch,
            id: &id,
            label: &label,
            group: &args.group.group,
            wait,
            locate: &locate,
        };
        writing.perform(session, &Request::patch(&*id, body)).await
    })
}

fn stated(args: &PatchArgs, schema: &TypeSchema, inputs: &mut Inputs) -> Result<Stated, Failure> {
    match &args.from {
        Some(path) => Stated::of_file(path, inputs),
        None => Stated::read(&args.properties, schema, &args.secret_path, Nulls::Remove, inputs),
    }
}
