//! `hangar resource import`: a resource that exists is given a name, or many at once.

mod bulk;
mod listed;

use std::path::PathBuf;

use clap::Args;
use hangar_diag::Diagnostic;
use hangar_ids::TypeName;
use hangar_schema::TypeSchema;
use serde_json::{Map, Value, json};

use super::GroupArg;
use super::bicep::BicepArgs;
use super::identifier::{self, Named};
use super::pairs::Nulls;
use super::put::{Checked, parse_pointer};
use super::stated::Stated;
use super::write::{Verb, Wait, Writing};
use crate::client::ids;
use crate::client::request::Request;
use crate::client::shape::AwsPlace;
use crate::codes;
use crate::commands::place::{PlaceArgs, UsualPlace, usual_place};
use crate::commands::types;
use crate::connection::Connection;
use crate::exit::Exit;
use crate::failure::{Failure, Report};
use crate::input::Inputs;
use crate::printer::Printer;
use crate::session::{self, Session};

/// What is imported.
#[derive(Debug, Args)]
pub(super) struct ImportArgs {
    /// Resource type, such as `AWS.EC2/VPC`
    ///
    /// The spelling of CloudFormation, `AWS::EC2::VPC`, is accepted too.
    #[arg(value_name = "TYPE", required_unless_present = "from", requires = "identifier")]
    type_name: Option<String>,
    /// Primary identifier of the resource, or its ARN
    ///
    /// An identifier of several parts is written as `A|B`, NAME=VALUE,NAME=VALUE or a JSON object.
    #[arg(value_name = "IDENTIFIER")]
    identifier: Option<String>,
    /// Alias, unique per type in its group
    #[arg(long, requires = "type_name")]
    alias: Option<String>,
    #[command(flatten)]
    group: GroupArg,
    /// Delete the resource with its alias or group
    ///
    /// Hangar then owns the resource. Without this flag, deleting the alias or the group keeps it.
    #[arg(long)]
    owned: bool,
    #[command(flatten)]
    place: PlaceArgs,
    /// Properties to apply after the import
    ///
    /// KEY=VALUE pairs, or a JSON file, or `-` for stdin.
    #[arg(long, value_name = "KEY=VALUE", num_args = 1.., requires = "type_name", conflicts_with = "from")]
    properties: Vec<String>,
    /// Resources to import, or `-` for stdin
    ///
    /// A JSON list, as `hangar resource discover -o json` prints it. With TYPE, the file has the
    /// properties to apply after the import.
    #[arg(long, value_name = "FILE|-")]
    from: Option<PathBuf>,
    /// Treat this property as secret (repeatable)
    ///
    /// A JSON pointer to a property that the schema does not mark as write-only.
    #[arg(long, value_name = "POINTER", value_parser = parse_pointer, requires = "type_name")]
    secret_path: Vec<String>,
    /// Show the result without importing
    #[arg(long, conflicts_with_all = ["properties", "no_wait"])]
    dry_run: bool,
    #[command(flatten)]
    bicep: BicepArgs,
    /// Do not wait for the operation to end
    #[arg(long, requires = "type_name")]
    no_wait: bool,
}

pub(super) const USAGE: &str = "hangar resource import [OPTIONS] --alias <ALIAS> <TYPE> <IDENTIFIER>\n       \
     hangar resource import [OPTIONS] --from <FILE|->";

pub(super) const DESCRIPTION: &str = "\
An imported resource is not owned unless --owned is given: `hangar resource delete` and `hangar
group delete` keep it in AWS. Importing the same resource again changes nothing.

A list has {\"type\", \"identifier\", \"alias\"?, \"owned\"?, \"scope\"?} for each resource. A resource that
cannot be imported does not stop the others.

With --print-bicep, a template of the resources is printed to standard output, and messages go to
standard error. `hangar plan` of this template shows no changes. With -o json the document is
{\"bicep\": …, \"resources\": […]}.";

pub(super) const EXAMPLES: &str = r"Examples:
  hangar resource import AWS.EC2/VPC vpc-0baaa0e2675526660 --alias net
  hangar resource import AWS.ApiGateway/Stage 'RestApiId=a1,StageName=prod' \
    --alias stage -g prod
  hangar resource import AWS.EC2/VPC \
    arn:aws:ec2:eu-west-1:123456789012:vpc/vpc-1 --alias old

  # Import many resources
  hangar resource discover --all -o json > found.json
  hangar resource import --from found.json --dry-run
  hangar resource import --from found.json

  # Print a template of the imported resource
  hangar resource import AWS.EC2/VPC vpc-1 --alias net --print-bicep > net.bicep

Exit codes:
  0  all resources were imported
  1  error, or a resource was not imported";

pub(super) fn run(
    args: &ImportArgs,
    connection: Connection,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    args.place.check()?;
    match (&args.type_name, &args.identifier, &args.from) {
        (Some(type_name), Some(text), _) => {
            let alias = args.alias.as_deref().ok_or_else(|| nameless(type_name))?;
            one(args, type_name, text, alias, connection, printer, inputs)
        }
        (None, _, Some(path)) => bulk::run(args, path, connection, printer, inputs),
        // The parser requires one of the two; this only keeps the match honest.
        _ => Err(Diagnostic::error(codes::USAGE, "neither TYPE nor --from was passed").into()),
    }
}

fn nameless(type_name: &str) -> Failure {
    Diagnostic::error(codes::USAGE, format!("the {type_name} needs an alias"))
        .hint("pass one: --alias NAME")
        .into()
}

/// An import of one resource, once it is read.
struct Import<'a> {
    args: &'a ImportArgs,
    schema: TypeSchema,
    type_name: TypeName,
    named: Named,
    stated: Option<Stated>,
    id: String,
    label: String,
}

fn one(
    args: &ImportArgs,
    type_name: &str,
    text: &str,
    alias: &str,
    connection: Connection,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    let schema = types::bundled(type_name)?;
    types::check_handlers(&schema)?;
    let type_name = types::parse(schema.name())?;
    let id = ids::reference(&args.group.group, &type_name, alias)?;
    let named = identifier::read(&type_name, text)?;
    if args.bicep.print_bicep
        && (args.no_wait || !args.properties.is_empty() || args.from.is_some())
    {
        let message = "--print-bicep cannot be combined with options that change the resource after its import";
        let hint = "omit --properties, --from and --no-wait, and change the template instead";
        return Err(Diagnostic::error(codes::USAGE, message).hint(hint).into());
    }
    if args.dry_run || args.bicep.print_bicep {
        let item = listed::Item::of_one(&type_name, named, text, alias, args.owned);
        return bulk::run_items(args, vec![item], connection, printer);
    }
    let stated = stated(args, &schema, inputs)?;
    let label = format!("{} `{alias}`", type_name.ucp());
    let import = Import { args, schema, type_name, named, stated, id, label };
    import.check(printer)?;
    let wait = Wait::unless(args.no_wait);
    session::run(connection, printer, wait.presence(), async |session| {
        import.perform(session, wait).await
    })
}

fn stated(
    args: &ImportArgs,
    schema: &TypeSchema,
    inputs: &mut Inputs,
) -> Result<Option<Stated>, Failure> {
    match &args.from {
        Some(path) => Stated::of_file(path, inputs).map(Some),
        None if args.properties.is_empty() => Ok(None),
        None => {
            Stated::read(&args.properties, schema, &args.secret_path, Nulls::Text, inputs).map(Some)
        }
    }
}

impl Import<'_> {
    fn locate(&self, diagnostics: Vec<Diagnostic>) -> Vec<Report> {
        match &self.stated {
            Some(stated) => stated.locate(&self.schema, &self.args.secret_path, diagnostics),
            None => vec![Report { source: None, diagnostics }],
        }
    }

    /// What is imported exists, so that nothing need be stated that it has.
    fn check(&self, printer: &mut Printer) -> Result<(), Failure> {
        let Some(stated) = &self.stated else { return Ok(()) };
        let Checked { certain, warnings, .. } = Checked::of(&self.schema, stated.value());
        if !certain.is_empty() {
            let all = certain.into_iter().chain(warnings).collect();
            return Err(Failure::Reported(self.locate(all)));
        }
        if !warnings.is_empty() {
            printer.warn(&self.locate(warnings));
        }
        Ok(())
    }

    async fn perform(&self, session: &mut Session<'_>, wait: Wait) -> Result<Exit, Failure> {
        let locate = |details| self.locate(details);
        let writing = Writing {
            verb: Verb::Import,
            id: &self.id,
            label: &self.label,
            group: &self.args.group.group,
            wait,
            locate: &locate,
        };
        let body = self.body(session, &writing).await?;
        writing.perform(session, &Request::put(&*self.id, body)).await
    }

    async fn body(
        &self,
        session: &mut Session<'_>,
        writing: &Writing<'_>,
    ) -> Result<Value, Failure> {
        let args = self.args;
        // What was not given is the caller's, where calls are made with its credentials.
        let is_callers =
            args.place.is_empty() && self.named.place.is_none() && session.is_caller_decisive();
        let needs_usual = args.place.is_half() || self.named.known().is_none() || is_callers;
        let usual = if needs_usual {
            let usual = usual_place(session, &args.group.group).await;
            usual.map_err(|error| writing.failed(error))?
        } else {
            UsualPlace::default()
        };
        let place = args.place.place(usual.clone())?.or_else(|| self.named.place.clone());
        let usual = usual.whole();
        let place = place.or_else(|| usual.clone().filter(|_| is_callers));
        let scope = |place: &AwsPlace| collection(place, &self.type_name);
        let mut maps_to = Map::new();
        let primary = if let Some(identifier) = self.named.known() {
            identifier.to_owned()
        } else {
            let place = place.as_ref().or(usual.as_ref()).ok_or_else(placeless)?;
            self.named.primary(session, &scope(place), &writing.doing()).await?
        };
        maps_to.insert("primaryIdentifier".to_owned(), primary.into());
        if let Some(place) = &place {
            maps_to.insert("scope".to_owned(), scope(place).into());
        }
        let mut body = Map::new();
        body.insert("mapsTo".to_owned(), Value::Object(maps_to));
        if args.owned {
            body.insert("ownedResource".to_owned(), true.into());
        }
        if let Some(stated) = &self.stated {
            body.insert("properties".to_owned(), stated.value().clone());
        }
        if !args.secret_path.is_empty() {
            body.insert("secretPaths".to_owned(), json!(args.secret_path));
        }
        Ok(Value::Object(body))
    }
}

/// The collection of a type in a place.
pub(super) fn collection(place: &AwsPlace, type_name: &TypeName) -> String {
    format!("{}/providers/{}", place.to_scope(), type_name.ucp())
}

/// Nobody says where to look.
pub(super) fn placeless() -> Failure {
    Diagnostic::error(
        codes::NO_PLACE,
        "no AWS account and region: neither the command nor the group sets them",
    )
    .hint(
        "pass --aws-account and --aws-region, or set them for the group: `hangar group create NAME --aws-account … \
         --aws-region …`",
    )
    .into()
}
