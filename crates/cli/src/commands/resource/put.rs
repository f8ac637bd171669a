//! `hangar resource put`: create, update or nothing, by a name that stays.

use clap::Args;
use hangar_diag::Diagnostic;
use hangar_ids::TypeName;
use hangar_plan::operation::OperationId;
use hangar_schema::{Purpose, TypeSchema, codes as schema_codes, validate};
use serde_json::{Map, Value, json};

use super::GroupArg;
use super::list::is_default;
use super::stated::Stated;
use crate::client::ids;
use crate::client::reply::Reply;
use crate::client::request::Request;
use crate::client::shape::{Group, LastOperation, Operation, Reference};
use crate::commands::place::{PlaceArgs, default_place};
use crate::commands::types;
use crate::connection::Connection;
use crate::exit::Exit;
use crate::failure::{Failure, Report};
use crate::follow;
use crate::input::Inputs;
use crate::printer::Printer;
use crate::session::{self, CallError, Presence, Session};

/// What is put.
#[derive(Debug, Args)]
pub(super) struct PutArgs {
    /// The resource type, `AWS.EC2/VPC` or `AWS::EC2::VPC`
    #[arg(value_name = "TYPE")]
    type_name: String,
    /// Your name for the resource, unique per type in its group
    #[arg(long)]
    alias: String,
    #[command(flatten)]
    group: GroupArg,
    /// What is wanted: a JSON file, `-` for standard input, or KEY=VALUE pairs; a key reaches below
    /// with dots or as a JSON pointer, a value is JSON unless the property is a string
    #[arg(long, value_name = "FILE|-|KEY=VALUE", num_args = 1.., required = true)]
    properties: Vec<String>,
    #[command(flatten)]
    place: PlaceArgs,
    /// A value that is secret though the schema does not say so; may be given several times
    #[arg(long, value_name = "POINTER", value_parser = parse_pointer)]
    secret_path: Vec<String>,
    /// Do not wait for the end
    #[arg(long)]
    no_wait: bool,
}

pub(super) const EXAMPLES: &str = r"Examples:
  hangar resource put AWS.EC2/VPC --alias net --properties CidrBlock=10.0.0.0/16
  hangar resource put AWS.EC2/VPC --alias net -g prod --properties vpc.json
  hangar resource put AWS.S3/Bucket --alias logs --properties BucketName=logs \
    VersioningConfiguration.Status=Enabled Tags.0.Key=team Tags.0.Value=network
  jq .vpc all.json | hangar resource put AWS.EC2/VPC --alias net --properties -

The first put creates, the next changes exactly what you changed, and one with no change makes
no write call. A value that you stated before and leave out now is removed.

With -o json the reference is printed, and in it `outcome` (created, updated, noop, or accepted
with --no-wait) and `operation`, the id of the operation that did it.";

fn parse_pointer(text: &str) -> Result<String, String> {
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
    let stated = Stated::read(&args.properties, &schema, &args.secret_path, inputs)?;
    let label = format!("{} `{}`", type_name.ucp(), args.alias);
    let put = Put { args, schema, type_name, stated, id, label };
    let Checked { certain, on_create, warnings } = put.check();
    if !certain.is_empty() {
        // Whoever mends the one wants to know of the other.
        let all = certain.into_iter().chain(on_create).chain(warnings).collect();
        return Err(Failure::Reported(put.locate(all)));
    }
    if !warnings.is_empty() {
        printer.warn(&put.locate(warnings));
    }
    let presence = if args.no_wait { Presence::Briefly } else { Presence::ToTheEnd };
    session::run(connection, printer, presence, async |session| {
        put.perform(session, on_create).await
    })
}

/// What the schema finds fault with, by what can be said before AWS is asked.
#[derive(Default)]
struct Checked {
    /// Wrong, whatever exists.
    certain: Vec<Diagnostic>,
    /// Wrong if there is nothing yet; else what exists may mend it.
    on_create: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

impl Put<'_> {
    /// A put states a part, and what exists is the rest: a required property that is left out, or a
    /// read-only one that is as it was read, is right in an update.
    fn check(&self) -> Checked {
        let mut checked = Checked::default();
        for found in validate(&self.schema, self.stated.value(), Purpose::Desired) {
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

    fn locate(&self, diagnostics: Vec<Diagnostic>) -> Vec<Report> {
        self.stated.locate(&self.schema, &self.args.secret_path, diagnostics)
    }

    fn doing(&self) -> String {
        format!("cannot put {}", self.label)
    }

    /// The failure of a call, with the parts of it shown where they stand in what was given.
    fn failed(&self, error: CallError) -> Failure {
        match error {
            CallError::Refused(refusal) => {
                refusal.explain_in(&self.doing(), |details| self.locate(details))
            }
            CallError::Stopped(failure) => failure,
        }
    }

    async fn perform(
        &self,
        session: &mut Session<'_>,
        on_create: Vec<Diagnostic>,
    ) -> Result<Exit, Failure> {
        if !on_create.is_empty() && !self.exists(session).await? {
            return Err(Failure::Reported(self.locate(on_create)));
        }
        let request = Request::put(&*self.id, self.body(session).await?);
        let reply = match session.send(&request).await {
            Err(CallError::Refused(refusal))
                if refusal.is("ResourceGroupNotFound") && is_default(&self.args.group.group) =>
            {
                self.make_default_group(session).await?;
                session.send(&request).await
            }
            answered => answered,
        };
        let reply = reply.map_err(|error| self.failed(error))?;
        let warnings = reply.warnings.iter();
        let warnings: Vec<_> = warnings
            .map(|text| Diagnostic::warning(crate::codes::API_WARNING, text.clone()))
            .collect();
        if !warnings.is_empty() {
            session.printer.warn(&[Report { source: None, diagnostics: warnings }]);
        }
        match reply.operation {
            Some(id) if self.args.no_wait => self.accepted(session, id, &reply),
            Some(id) => {
                let label = format!("putting {}", self.label);
                let ended = follow::to_end(session, id, &label).await;
                let (_, operation) = ended.map_err(|error| self.failed(error))?;
                self.ended(session, &operation).await
            }
            // It ended before it was answered; its last operation tells how.
            None => self.answered(session, &reply).await,
        }
    }

    async fn exists(&self, session: &mut Session<'_>) -> Result<bool, Failure> {
        match session.send(&Request::get(&*self.id)).await {
            Ok(_) => Ok(true),
            Err(CallError::Refused(refusal)) if refusal.status == 404 => Ok(false),
            Err(error) => Err(self.failed(error)),
        }
    }

    async fn body(&self, session: &mut Session<'_>) -> Result<Value, Failure> {
        let is_half = self.args.place.is_half();
        let otherwise = if is_half { self.usual_place(session).await? } else { None };
        let mut body = Map::new();
        body.insert("properties".to_owned(), self.stated.value().clone());
        if let Some(place) = self.args.place.place(otherwise)? {
            let scope = format!("{}/providers/{}", place.to_scope(), self.type_name.ucp());
            body.insert("mapsTo".to_owned(), json!({"scope": scope}));
        }
        if !self.args.secret_path.is_empty() {
            body.insert("secretPaths".to_owned(), json!(self.args.secret_path));
        }
        Ok(Value::Object(body))
    }

    /// Where the group's resources go.
    async fn usual_place(
        &self,
        session: &mut Session<'_>,
    ) -> Result<Option<crate::client::shape::AwsPlace>, Failure> {
        let group = ids::group(&self.args.group.group)?;
        let place = match session.read::<Group>(&Request::get(group)).await {
            Ok((_, group)) => group.aws_place(),
            Err(CallError::Refused(refusal)) if refusal.status == 404 => None,
            Err(error) => return Err(self.failed(error)),
        };
        Ok(place.or_else(|| session.has_default_place().then(default_place)))
    }

    async fn make_default_group(&self, session: &mut Session<'_>) -> Result<(), Failure> {
        let request = Request::put(ids::group(&self.args.group.group)?, json!({}));
        session.send(&request).await.map_err(|error| self.failed(error))?;
        Ok(())
    }

    fn accepted(
        &self,
        session: &mut Session<'_>,
        id: OperationId,
        reply: &Reply,
    ) -> Result<Exit, Failure> {
        let ends_with_us = session.ends_with_us();
        session.note(&goes_on(id, ends_with_us));
        session.printer.show(
            || format!("putting {}: operation {id}", self.label),
            || with_outcome(reply.body.clone(), "accepted", Some(id)),
        )?;
        Ok(Exit::Success)
    }

    async fn answered(&self, session: &mut Session<'_>, reply: &Reply) -> Result<Exit, Failure> {
        let reference: Reference = session.shape(&reply.body)?;
        let last = reference.last_operation.as_ref().and_then(LastOperation::operation_id);
        if let Some(id) = last {
            let request = Request::get(ids::operation(id));
            let read = session.read::<Operation>(&request).await;
            let (_, operation) = read.map_err(|error| self.failed(error))?;
            return self.ended(session, &operation).await;
        }
        let outcome = if reply.status == 201 { "created" } else { "updated" };
        let line = follow::outcome_line(outcome, &label_of(&reference), reference.identifier());
        session.printer.show(|| line, || with_outcome(reply.body.clone(), outcome, None))?;
        Ok(Exit::Success)
    }

    async fn ended(
        &self,
        session: &mut Session<'_>,
        operation: &Operation,
    ) -> Result<Exit, Failure> {
        follow::warn(session, operation);
        if let Some(failure) = follow::failure(operation, |details| self.locate(details)) {
            return Err(self.with_remains(session, operation, failure).await);
        }
        let read = session.read::<Reference>(&Request::get(&*self.id)).await;
        let (document, reference) = read.map_err(|error| self.failed(error))?;
        let outcome = operation.properties.as_ref().map_or("", |result| &result.outcome);
        let line = follow::outcome_line(outcome, &label_of(&reference), reference.identifier());
        let id = operation.name;
        session.printer.show(|| line, || with_outcome(document, outcome, Some(id)))?;
        Ok(Exit::Success)
    }

    /// The failure of a create, with what it has made all the same.
    async fn with_remains(
        &self,
        session: &mut Session<'_>,
        operation: &Operation,
        failure: Failure,
    ) -> Failure {
        if !operation.attempts.iter().any(|attempt| attempt.verb == "create") {
            return failure;
        }
        // It failed, whatever can be found out besides.
        let read = session.read::<Reference>(&Request::get(&*self.id)).await;
        let reference = read.as_ref().ok().map(|(_, reference)| reference);
        let identifier = reference
            .filter(|reference| reference.state.as_deref() == Some("failed"))
            .and_then(|reference| reference.identifier());
        match identifier {
            Some(identifier) => failure.hint(format!(
                "AWS may have made {identifier} all the same, and the alias stands for it: put it again, \
                 or remove it: `hangar resource delete {}`",
                self.id
            )),
            None => failure,
        }
    }
}

/// The resource by its own spelling: the first one is kept, whatever was typed since.
fn label_of(reference: &Reference) -> String {
    format!("{} `{}`", reference.resource_type(), reference.name)
}

/// A reference, and what was done to it by which operation.
fn with_outcome(mut document: Value, outcome: &str, operation: Option<OperationId>) -> Value {
    if let Value::Object(members) = &mut document {
        members.insert("outcome".to_owned(), outcome.into());
        if let Some(id) = operation {
            members.insert("operation".to_owned(), id.to_string().into());
        }
    }
    document
}

/// How an operation that nobody waits for goes on.
pub(super) fn goes_on(id: OperationId, ends_with_us: bool) -> String {
    if ends_with_us {
        format!("no server runs, so it goes on with the next command; `hangar operation wait {id}`")
    } else {
        format!("`hangar operation wait {id}` waits for its end")
    }
}
