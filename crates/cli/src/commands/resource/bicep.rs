//! `--print-bicep`: a template for what exists, read from AWS once each and printed or written to a file.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use hangar_diag::Diagnostic;
use hangar_ids::TypeName;
use hangar_plan::adoption::{Existing, Frame, References, Template, template};
use hangar_schema::TypeSchema;
use serde::Serialize;
use serde_json::Value;

use crate::client::arm_error::ArmError;
use crate::client::ids::DEFAULT_GROUP;
use crate::client::instant::Instant;
use crate::client::request::Request;
use crate::client::shape::AwsPlace;
use crate::codes;
use crate::commands::types;
use crate::failure::{Failure, Report};
use crate::render::counted;
use crate::session::Session;
use crate::session::caller::Caller;

/// As many as one deployment takes.
const MOST_RESOURCES: usize = 5_000;

/// Whether a template is written, and how.
#[derive(Debug, Args)]
pub(super) struct BicepArgs {
    /// Print a Bicep template of the resources
    #[arg(long)]
    pub(super) print_bicep: bool,
    /// With --print-bicep, file for the template
    #[arg(long, value_name = "FILE", requires = "print_bicep")]
    pub(super) out: Option<PathBuf>,
    /// Keep identifiers and ARNs in the template
    ///
    /// Without this flag, identifiers and ARNs of other resources in the template become
    /// references.
    #[arg(long, requires = "print_bicep")]
    no_references: bool,
}

impl BicepArgs {
    /// Whether standard output is the template.
    pub(super) fn prints(&self) -> bool {
        self.print_bicep && self.out.is_none()
    }
}

/// A resource to be read.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    pub(super) type_name: TypeName,
    pub(super) identifier: String,
    /// What is read: the id of a resource of AWS, or of a reference.
    pub(super) id: String,
}

/// What a read shows.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    pub(super) live: Value,
    pub(super) applied: Option<Value>,
    /// Pointers of the secrets that were applied.
    pub(super) hidden: Vec<String>,
    /// The deployment that manages it.
    pub(super) manager: Option<String>,
}

/// A resource that is left out of the template.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Unread {
    #[serde(rename = "type")]
    pub(super) type_name: String,
    pub(super) identifier: String,
    #[serde(rename = "message")]
    pub(super) why: String,
}

impl Unread {
    pub(super) fn new(wanted: &Wanted, error: &ArmError) -> Self {
        let why = error.message.trim().trim_end_matches('.').to_owned();
        Self {
            type_name: wanted.type_name.ucp(),
            identifier: wanted.identifier.clone(),
            why: format!("{why} ({})", error.code),
        }
    }
}

/// Reads every resource once, several at a time; what becomes of each, in the order of the list.
pub(super) async fn read_all(
    session: &mut Session<'_>,
    wanted: Vec<Wanted>,
) -> Result<Vec<(Wanted, Result<Shown, ArmError>)>, Failure> {
    let total = wanted.len();
    let mut read = Vec::with_capacity(total);
    session.printer.begin_bar("reading resources", total);
    let mut done = 0;
    let work = |caller: Caller, wanted: Arc<(usize, Wanted)>| async move {
        let mut request = Request::get(&*wanted.1.id);
        if is_reference(&wanted.1.id) {
            request = request.query("live", "true");
        }
        let mut body = caller.send(&request).await?.body;
        let mut live = body.get_mut("properties").map(Value::take).unwrap_or_default();
        if let Some(members) = live.as_object_mut() {
            // Names of AWS begin with a capital: this one is the control plane's.
            members.remove("provisioningState");
        }
        let applied = body.get_mut("appliedProperties").map(Value::take);
        let hidden = body.get_mut("secretPaths").map(Value::take).unwrap_or_default();
        Ok(Shown {
            live,
            applied: applied.filter(Value::is_object),
            hidden: serde_json::from_value(hidden).unwrap_or_default(),
            manager: body.get("managedBy").and_then(Value::as_str).and_then(last_name),
        })
    };
    session
        .each(wanted.into_iter().enumerate().collect(), work, |session, (at, wanted), shown| {
            read.push((*at, wanted.clone(), shown.map_err(|refusal| refusal.error)));
            done += 1;
            session.printer.counted(done, "");
            Ok(())
        })
        .await?;
    session.printer.done();
    read.sort_by_key(|(at, _, _)| *at);
    Ok(read.into_iter().map(|(_, wanted, shown)| (wanted, shown)).collect())
}

/// The name at the end of an id.
fn last_name(id: &str) -> Option<String> {
    id.rsplit('/').next().filter(|name| !name.is_empty()).map(str::to_owned)
}

fn is_reference(id: &str) -> bool {
    id.contains(":reference/")
}

/// The schemas of types, each compiled once.
#[derive(Default)]
pub(super) struct Schemas(std::collections::HashMap<String, Option<Arc<TypeSchema>>>);

impl Schemas {
    pub(super) fn get(&mut self, type_name: &TypeName) -> Option<Arc<TypeSchema>> {
        let name = type_name.cloud_formation();
        let compiled = || types::bundled(&name).ok().map(Arc::new);
        self.0.entry(name.clone()).or_insert_with(compiled).clone()
    }
}

/// What a template is about, for its head.
pub(super) struct Origin<'a> {
    pub(super) place: Option<&'a AwsPlace>,
    pub(super) group: &'a str,
    /// Whether the resources have their aliases already.
    pub(super) imported: bool,
    /// The deployments that manage some of them.
    pub(super) managers: &'a BTreeSet<String>,
}

/// The template, with what is to be known of it told.
pub(super) fn compose(
    session: &mut Session<'_>,
    args: &BicepArgs,
    origin: &Origin<'_>,
    found: &[Existing],
    unread: &[Unread],
) -> Template {
    let references = if args.no_references { References::Never } else { References::Written };
    let frame = Frame {
        head: &|secrets| head(args, origin, found, secrets),
        apart: &apart(unread),
        place: origin.place.map(|it| (it.account.as_str(), it.region.as_str())),
    };
    let written = template(found, references, &frame);
    let mut warnings: Vec<Diagnostic> = unread
        .iter()
        .map(|it| {
            let Unread { type_name, identifier, why } = it;
            let message = format!("{type_name} {identifier} is not in the template: {why}");
            Diagnostic::warning(codes::NOT_WRITTEN, message)
        })
        .collect();
    warnings.extend(written.differs.iter().map(|(alias, type_name, paths)| {
        let message = format!(
            "deploying this template changes {type_name} `{alias}` at {}",
            paths.join(", ")
        );
        Diagnostic::warning(codes::WRITTEN_OTHERWISE, message)
            .hint("AWS normalizes these values; review them in the generated template")
    }));
    if written.resources > MOST_RESOURCES {
        let message = format!("the template has {}", counted(written.resources, "resource"));
        let hint =
            format!("a deployment can have at most {MOST_RESOURCES}: pass fewer types at a time");
        warnings.push(Diagnostic::warning(codes::TOO_MANY_WRITTEN, message).hint(hint));
    }
    if !warnings.is_empty() {
        session.printer.warn(&[Report { source: None, diagnostics: warnings }]);
    }
    written
}

/// Prints the template, or writes it to its file, and says how much it is.
pub(super) fn deliver(
    session: &mut Session<'_>,
    args: &BicepArgs,
    written: &Template,
) -> Result<(), Failure> {
    match &args.out {
        Some(out) => std::fs::write(out, &written.text).map_err(|error| {
            let message = format!("cannot write `{}`: {error}", out.display());
            Failure::from(Diagnostic::error(codes::FILE_UNWRITABLE, message))
        })?,
        None if session.printer.is_for_programs() => {}
        None => session.printer.text(&written.text)?,
    }
    let mut note = format!(
        "{} of {}, {} read from others",
        counted(written.resources, "resource"),
        counted(written.types, "type"),
        counted(written.references, "value"),
    );
    if written.parameters > 0 {
        let parameters = counted(written.parameters, "parameter");
        let _ = write!(note, ", {parameters} for values that AWS never returns");
    }
    if !written.secrets.is_empty() {
        let parameters = counted(written.secrets.len(), "secure parameter");
        let _ = write!(note, ", {parameters} for secrets that are not shown");
    }
    if let Some(out) = &args.out {
        let _ = write!(note, ", in {}", out.display());
    }
    session.note(&note);
    Ok(())
}

/// From where and when, and how to go on.
fn head(args: &BicepArgs, origin: &Origin<'_>, found: &[Existing], secrets: &[String]) -> String {
    let place = origin.place.map_or_else(String::new, |AwsPlace { account, region }| {
        format!(" of account {account} in {region}")
    });
    let now = Instant::now();
    let group = match origin.group {
        DEFAULT_GROUP => String::new(),
        group => format!(" -g {group}"),
    };
    let file = args.out.as_ref().map_or("main.bicep".into(), |out| out.display().to_string());
    let resources = counted(found.len(), "resource");
    let mut plan = format!("  hangar plan {file}{group}");
    // The deployment that manages them plans no change; two would take from each other.
    match origin.managers.iter().collect::<Vec<_>>().as_slice() {
        [] => {}
        [one] => {
            // This file takes the place of the deployment's template.
            let _ = write!(plan, " --name {one} --take-over");
        }
        _ => plan.push_str(" --take-over"),
    }
    for name in secrets {
        let _ = write!(plan, " -p {name}=env:{}", variable_for(name));
    }
    if origin.imported {
        return format!(
            "{resources}{place}, read at {now}. They have these aliases, and this plan shows no changes:\n{plan}"
        );
    }
    format!(
        "{resources}{place}, read at {now}. Next, import them with these aliases\nfrom the list that the same \
         command prints with -o json, and check that the plan shows no changes:\n  hangar resource import --from \
         found.json{group}\n{plan}"
    )
}

/// The environment variable that the head proposes for a parameter: `apiKey` is `API_KEY`.
fn variable_for(name: &str) -> String {
    let mut variable = String::new();
    let mut was_lower = false;
    for character in name.chars() {
        if character.is_ascii_uppercase() && was_lower {
            variable.push('_');
        }
        was_lower = character.is_ascii_lowercase() || character.is_ascii_digit();
        variable.push(character.to_ascii_uppercase());
    }
    variable
}

fn apart(unread: &[Unread]) -> String {
    if unread.is_empty() {
        return String::new();
    }
    let line = |it: &Unread| format!("  {} {}: {}", it.type_name, it.identifier, it.why);
    let lines: Vec<String> = unread.iter().map(line).collect();
    format!("Not in this template:\n{}", lines.join("\n"))
}
