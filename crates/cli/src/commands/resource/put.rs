//! `hangar resource put`: create, update or nothing, by a name that stays.

use clap::Args;
use hangar_diag::Diagnostic;
use hangar_ids::TypeName;
use hangar_schema::{Purpose, TypeSchema, codes as schema_codes, validate};
use serde_json::{Map, Value, json};

use super::GroupArg;
use super::depends::DependsArgs;
use super::pairs::Nulls;
use super::stated::Stated;
use super::write::{Verb, Wait, Writing};
use crate::client::ids;
use crate::client::request::Request;
use crate::commands::place::{PlaceArgs, usual_place};
use crate::commands::types;
use crate::connection::Connection;
use crate::exit::Exit;
use crate::failure::{Failure, Report};
use crate::input::Inputs;
use crate::printer::Printer;
use crate::session::aws_caller::no_region;
use crate::session::{self, CallError, Session};

/// What is put.
#[derive(Debug, Args)]
pub(super) struct PutArgs {
    /// Resource type, such as `AWS.EC2/VPC`
    ///
    /// The spelling of CloudFormation, `AWS::EC2::VPC`, is accepted too.
    #[arg(value_name = "TYPE")]
    type_name: String,
    /// Alias, unique per type in its group
    #[arg(long)]
    alias: String,
    #[command(flatten)]
    group: GroupArg,
    /// Properties: KEY=VALUE pairs, JSON file or `-`
    ///
    /// A KEY names a nested property with dots (`Tags.0.Key`) or as a JSON pointer. A VALUE is text
    /// for a string property and JSON otherwise. Instead of pairs, one word can name a JSON file,
    /// or `-` for stdin.
    #[arg(long, value_name = "KEY=VALUE", num_args = 1.., required = true)]
    properties: Vec<String>,
    #[command(flatten)]
    place: PlaceArgs,
    /// Treat this property as secret (repeatable)
    ///
    /// A JSON pointer to a property that the schema does not mark as write-only.
    #[arg(long, value_name = "POINTER", value_parser = parse_pointer)]
    secret_path: Vec<String>,
    /// Recreate it if it cannot change in place
    ///
    /// For a change of a create-only property, a new resource is created and the old one is
    /// deleted. Without this flag such a change is an error.
    #[arg(long)]
    replace: bool,
    /// Adopt an existing resource with the same name
    ///
    /// If AWS reports that the name is taken, Hangar imports the existing resource and applies the
    /// properties. Hangar does not own the resource: deleting the alias keeps it. Without this flag
    /// the command fails.
    #[arg(long)]
    adopt: bool,
    #[command(flatten)]
    depends: DependsArgs,
    /// Do not wait for the operation to end
    #[arg(long)]
    no_wait: bool,
}

pub(super) const DESCRIPTION: &str = "\
The first put creates the resource, and later ones change exactly the properties that differ. A
put without changes makes no write call. A property that an earlier put set and that is now left
out is removed.

A change of a create-only property is an error without --replace. A resource that is not owned is
never replaced.

With -o json the reference is printed. Its member `outcome` is created, updated, replaced,
imported, noop, or accepted (with --no-wait); `operation` is the id of the operation.";

pub(super) const EXAMPLES: &str = r"Examples:
  hangar resource put AWS.EC2/VPC --alias net --properties CidrBlock=10.0.0.0/16
  hangar resource put AWS.EC2/VPC --alias net -g prod --properties vpc.json
  hangar resource put AWS.S3/Bucket --alias logs --properties BucketName=logs \
    VersioningConfiguration.Status=Enabled Tags.0.Key=team Tags.0.Value=network
  jq .vpc all.json | hangar resource put AWS.EC2/VPC --alias net --properties -
  hangar resource put AWS.EC2/Subnet --alias a --properties s.json \
    --depends-on AWS.EC2/VPC/net
  hangar resource put AWS.EC2/VPC --alias net \
    --properties CidrBlock=10.1.0.0/16 --replace";

pub(super) fn parse_pointer(text: &str) -> Result<String, String> {
    if text.starts_with('/') {
        Ok(text.to_owned())
    } else {
        Err("write a JSON pointer, as in /MasterUserPassword".to_owned())
    }
}

/// What a put is about, once it is read.
struct Put<'a> {
    args: &'a PutArgs,
    schema: TypeSchema,
    type_name: TypeName,
    stated: Stated,
    depends_on: Option<Vec<String>>,
    id: String,
    label: String,
}

pub(super) fn run(
    args: &PutArgs,
    connection: Connection,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    let schema = types::bundled(&args.type_name)?;
    types::check_handlers(&schema)?;
    let type_name = types::parse(schema.name())?;
    args.place.check()?;
    let id = ids::reference(&args.group.group, &type_name, &args.alias)?;
    let depends_on = args.depends.ids(&args.group.group, &type_name)?;
    let nulls = Nulls::Text;
    let stated = Stated::read(&args.properties, &schema, &args.secret_path, nulls, inputs)?;
    let label = format!("{} `{}`", type_name.ucp(), args.alias);
    let put = Put { args, schema, type_name, stated, depends_on, id, label };
    let Checked { certain, on_create, warnings } = Checked::of(&put.schema, put.stated.value());
    if !certain.is_empty() {
        // Whoever mends the one wants to know of the other.
        let all = certain.into_iter().chain(on_create).chain(warnings).collect();
        return Err(Failure::Reported(put.locate(all)));
    }
    if !warnings.is_empty() {
        printer.warn(&put.locate(warnings));
    }
    let presence = Wait::unless(args.no_wait).presence();
    session::run(connection, printer, presence, async |session| {
        put.perform(session, on_create).await
    })
}

/// What the schema finds fault with, by what can be said before AWS is asked.
#[derive(Default)]
pub(super) struct Checked {
    /// Wrong, whatever exists.
    pub(super) certain: Vec<Diagnostic>,
    /// Wrong if there is nothing yet; else what exists may mend it.
    pub(super) on_create: Vec<Diagnostic>,
    pub(super) warnings: Vec<Diagnostic>,
}

impl Checked {
    /// A put states a part, and what exists is the rest: a required property that is left out, or a
    /// read-only one that is as it was read, is right in an update.
    pub(super) fn of(schema: &TypeSchema, stated: &Value) -> Self {
        let mut checked = Self::default();
        for found in validate(schema, stated, Purpose::Desired) {
            let may_be_mended = matches!(
                found.code,
                schema_codes::MISSING_PROPERTY
                    | schema_codes::READ_ONLY_PROPERTY
                    | schema_codes::MISSING_DEPENDENCY
                    | schema_codes::NO_ALTERNATIVE
                    | schema_codes::MEMBER_COUNT
            );
            match (found.is_error(), may_be_mended) {
                (true, true) => checked.on_create.push(found),
                (true, false) => checked.certain.push(found),
                (false, _) => checked.warnings.push(found),
            }
        }
        checked
    }
}

impl Put<'_> {
    fn locate(&self, diagnostics: Vec<Diagnostic>) -> Vec<Report> {
        self.stated.locate(&self.schema, &self.args.secret_path, diagnostics)
    }

    async fn perform(
        &self,
        session: &mut Session<'_>,
        on_create: Vec<Diagnostic>,
    ) -> Result<Exit, Failure> {
        let locate = |details| self.locate(details);
        let writing = Writing {
            verb: Verb::Put,
            id: &self.id,
            label: &self.label,
            group: &self.args.group.group,
            wait: Wait::unless(self.args.no_wait),
            locate: &locate,
        };
        if !on_create.is_empty() && !self.exists(session, &writing).await? {
            return Err(Failure::Reported(self.locate(on_create)));
        }
        let request = Request::put(&*self.id, self.body(session, &writing).await?);
        writing.perform(session, &request).await
    }

    async fn exists(
        &self,
        session: &mut Session<'_>,
        writing: &Writing<'_>,
    ) -> Result<bool, Failure> {
        match session.send(&Request::get(&*self.id)).await {
            Ok(_) => Ok(true),
            Err(CallError::Refused(refusal)) if refusal.status == 404 => Ok(false),
            Err(error) => Err(writing.failed(error)),
        }
    }

    async fn body(
        &self,
        session: &mut Session<'_>,
        writing: &Writing<'_>,
    ) -> Result<Value, Failure> {
        let Self { args, .. } = self;
        // An alias that is there keeps its account and region.
        let needs_caller = args.place.is_empty()
            && session.is_caller_decisive()
            && !self.exists(session, writing).await?;
        let place = if args.place.is_half() || needs_caller {
            let usual = usual_place(session, &args.group.group).await;
            let usual = usual.map_err(|error| writing.failed(error))?;
            Some(args.place.place_or_usual(usual)?.ok_or_else(no_region)?)
        } else {
            args.place.whole()
        };
        let mut body = Map::new();
        body.insert("properties".to_owned(), self.stated.value().clone());
        if let Some(place) = place {
            let scope = format!("{}/providers/{}", place.to_scope(), self.type_name.ucp());
            body.insert("mapsTo".to_owned(), json!({"scope": scope}));
        }
        if !args.secret_path.is_empty() {
            body.insert("secretPaths".to_owned(), json!(args.secret_path));
        }
        if args.replace {
            body.insert("replace".to_owned(), "allow".into());
        }
        if args.adopt {
            body.insert("adopt".to_owned(), true.into());
        }
        if let Some(ids) = &self.depends_on {
            body.insert("dependsOn".to_owned(), json!(ids));
        }
        Ok(Value::Object(body))
    }
}
