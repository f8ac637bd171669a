//! `hangar resource discover`: what exists in AWS and has no alias yet.

mod choose;
mod found;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use clap::Args;
use hangar_diag::Diagnostic;
use hangar_ids::{TypeName, encode_identifier};
use hangar_plan::adoption::Existing;
use serde_json::Value;

use super::GroupArg;
use super::alias::{Aliases, named_by_identifier, named_by_properties, shows_tags};
use super::bicep::{self, BicepArgs, Origin, Schemas, Shown, Unread, Wanted};
use super::identifier::unmistakable;
use super::import::{collection, placeless};
use crate::client::ids;
use crate::client::request::Request;
use crate::client::shape::{AwsPlace, Found as Listed};
use crate::codes;
use crate::commands::place::{PlaceArgs, usual_place};
use crate::commands::types;
use crate::connection::Connection;
use crate::exit::Exit;
use crate::failure::{Failure, Report};
use crate::printer::Printer;
use crate::session::caller::{Caller, Unanswered};
use crate::session::{self, CallError, Presence, Session};
use choose::{Asked, Chosen};
use found::{Failed, Found, Report as Discovery};

/// What is looked for.
#[derive(Debug, Args)]
pub(super) struct DiscoverArgs {
    /// Resource types, such as `AWS.EC2/VPC`
    ///
    /// The spelling of CloudFormation, `AWS::EC2::VPC`, is accepted too.
    #[arg(value_name = "TYPE", required_unless_present = "all")]
    types: Vec<String>,
    /// Discover all types
    ///
    /// Types that AWS lists only below a parent are skipped.
    #[arg(long, conflicts_with = "types")]
    all: bool,
    /// Include resources that have an alias
    #[arg(long)]
    mapped: bool,
    /// Parent of the resources (repeatable)
    ///
    /// For a type that AWS lists below a parent, such as RestApiId=a1.
    #[arg(long, value_name = "KEY=VALUE", value_parser = parse_parent, conflicts_with = "all")]
    parent: Vec<(String, String)>,
    /// Do not read Name tags; faster
    ///
    /// The proposed aliases then use only the data of the list.
    #[arg(long)]
    no_names: bool,
    #[command(flatten)]
    bicep: BicepArgs,
    #[command(flatten)]
    group: GroupArg,
    #[command(flatten)]
    place: PlaceArgs,
}

pub(super) const USAGE: &str = "hangar resource discover [OPTIONS] <TYPE>...\n       \
                                hangar resource discover [OPTIONS] --all";

pub(super) const DESCRIPTION: &str = "\
Lists the resources of one AWS account and region, and proposes an alias for each: its Name tag or
its name, else its identifier. Account and region are those of the group unless flags name others.
`hangar resource import --from` reads the list that -o json prints.

With --print-bicep, each resource is read, and a template is printed instead of the table. The
template contains the properties that a template can set, with references between resources. After
an import of the list, `hangar plan` of this template shows no changes. With -o json the template
is the member `bicep`. With --out it is written to a file, and the list is printed as well.

With --all, types that AWS lists only below a parent are skipped and counted, and a type that
cannot be listed does not stop the command.";

pub(super) const EXAMPLES: &str = r"Examples:
  hangar resource discover AWS.EC2/VPC AWS.S3/Bucket
  hangar resource discover AWS.ApiGateway/Stage --parent RestApiId=a1

  # Import everything in a region
  hangar resource discover --all --aws-region eu-west-1 -o json > found.json
  hangar resource import --from found.json

  # Write a template of it, too
  hangar resource discover --all --print-bicep --out main.bicep \
    -o json > found.json";

fn parse_parent(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() && !value.is_empty() => {
            Ok((key.to_owned(), value.to_owned()))
        }
        _ => Err("write KEY=VALUE, as in RestApiId=a1".to_owned()),
    }
}

pub(super) fn run(
    args: &DiscoverArgs,
    connection: Connection,
    printer: &mut Printer,
) -> Result<Exit, Failure> {
    args.place.check()?;
    ids::group(&args.group.group)?;
    let chosen = if args.all { choose::all()? } else { choose::named(&args.types, &args.parent)? };
    session::run(connection, printer, Presence::ReadingAws, async |session| {
        discover(session, args, chosen).await
    })
}

async fn discover(
    session: &mut Session<'_>,
    args: &DiscoverArgs,
    chosen: Chosen,
) -> Result<Exit, Failure> {
    let group = args.group.group.as_str();
    let doing = "cannot discover resources";
    let usual = usual_place(session, group).await;
    let usual = usual.map_err(|error| error.while_doing(doing))?;
    let place = args.place.place_or_usual(usual)?.ok_or_else(placeless)?;
    let mut aliases = taken(session, group).await?;
    let Chosen { asked, skipped } = chosen;
    let (mut candidates, failed) = list_all(session, args, asked, &place).await?;
    let mut portraits = if args.bicep.print_bicep {
        portray(session, args, &place, &mut candidates).await?
    } else {
        name_all(session, &mut candidates).await?;
        Portraits::default()
    };
    let scope = place.to_scope();
    let mut discovery = Discovery::new(place.clone(), skipped, failed);
    for (at, Candidate { type_name: of, listed, name }) in candidates.into_iter().enumerate() {
        let type_name = of.ucp();
        let (Name::Known(name) | Name::Tagged { otherwise: name, .. }) = name;
        let is_mapped = listed.alias.is_some();
        discovery.count(is_mapped);
        if is_mapped && !args.mapped || portraits.failed.contains(&at) {
            continue;
        }
        let alias = listed.alias.unwrap_or_else(|| aliases.propose(&type_name, &name));
        portraits.name(at, &of, &listed.name, &alias);
        discovery.resources.push(Found {
            r#type: type_name,
            written: written(&of, &listed.name),
            identifier: listed.name,
            alias,
            scope: scope.clone(),
            tracked_by: listed.tracked_by,
        });
    }
    if args.bicep.print_bicep {
        let Portraits { existing, unread, managers, .. } = &portraits;
        let imported = discovery.resources.iter().all(|found| found.tracked_by.is_some());
        let origin = Origin { place: Some(&place), group, imported, managers };
        let written = bicep::compose(session, &args.bicep, &origin, existing, unread);
        bicep::deliver(session, &args.bicep, &written)?;
        discovery.bicep = args.bicep.prints().then_some(written.text);
        discovery.unread = portraits.unread;
    }
    let width = session.printer.width();
    if discovery.bicep.is_none() {
        session.printer.show(|| discovery.table(args.mapped, width), || &discovery)?;
    } else {
        session.printer.whole(|| &discovery)?;
    }
    tell_failed(session, args, &discovery.failed)?;
    if let Some(note) = discovery.note(group, args.all) {
        session.note(&note);
    }
    Ok(Exit::Success)
}

/// An identifier as an import reads it.
fn written(type_name: &TypeName, identifier: &str) -> Value {
    // Only an ARN can be taken for something else.
    let schema =
        identifier.starts_with("arn:").then(|| types::bundled(&type_name.cloud_formation()));
    match schema {
        Some(Ok(schema)) => unmistakable(&schema, identifier),
        _ => identifier.into(),
    }
}

/// The aliases that the group has.
async fn taken(session: &mut Session<'_>, group: &str) -> Result<Aliases, Failure> {
    let mut aliases = Aliases::default();
    let request = Request::get(format!("{}/resources", ids::group(group)?));
    let listed = match session.list(request).await {
        // It is made with its first resource.
        Err(CallError::Refused(refusal)) if refusal.status == 404 => Vec::new(),
        listed => listed.map_err(|error| {
            error.while_doing(&format!("cannot list the resources of group `{group}`"))
        })?,
    };
    for document in &listed {
        let text = |name: &str| document.get(name).and_then(Value::as_str).unwrap_or_default();
        // What recipes have made has no alias.
        if let Some(type_name) = text("type").strip_suffix(":reference") {
            aliases.take(type_name, text("name"));
        }
    }
    Ok(aliases)
}

/// One resource that a list shows.
struct Candidate {
    type_name: TypeName,
    listed: Listed,
    /// What it could be called.
    name: Name,
}

/// What a resource could be called.
enum Name {
    Known(String),
    /// A read may show its Name tag.
    Tagged {
        collection: String,
        otherwise: String,
    },
}

/// Lists every type, several at once; gives what there is in the order in which it was asked for.
async fn list_all(
    session: &mut Session<'_>,
    args: &DiscoverArgs,
    asked: Vec<Asked>,
    place: &AwsPlace,
) -> Result<(Vec<Candidate>, Vec<Failed>), Failure> {
    let total = asked.len();
    let mut listings: Vec<(usize, Vec<Candidate>)> = Vec::new();
    let mut failed: Vec<(usize, Failed)> = Vec::new();
    let (mut done, mut count) = (0, 0);
    session.printer.begin_counting("listing types", total);
    let (place, reads_names) = (place.clone(), !args.no_names);
    let work = move |caller: Caller, numbered: Arc<(usize, Asked)>| {
        let place = place.clone();
        async move { list_one(&caller, &numbered.1, &place, reads_names).await }
    };
    let numbered = asked.into_iter().enumerate().collect();
    session
        .each(numbered, work, |session, (at, asked), ended| {
            done += 1;
            match ended {
                Ok(candidates) => {
                    count += candidates.len();
                    listings.push((*at, candidates));
                }
                Err(refusal) => {
                    failed.push((*at, Failed::new(asked.type_name.ucp(), refusal.error)));
                }
            }
            session.printer.counted(done, &format!("{count} found"));
            Ok(())
        })
        .await?;
    session.printer.done();
    listings.sort_by_key(|(at, _)| *at);
    failed.sort_by_key(|(at, _)| *at);
    let listings = listings.into_iter().flat_map(|(_, candidates)| candidates).collect();
    Ok((listings, failed.into_iter().map(|(_, failed)| failed).collect()))
}

async fn list_one(
    caller: &Caller,
    asked: &Asked,
    place: &AwsPlace,
    reads_names: bool,
) -> Result<Vec<Candidate>, Unanswered> {
    let collection = collection(place, &asked.type_name);
    let mut request = Request::get(&*collection);
    for (key, value) in &asked.parent {
        request = request.query(format!("parent.{key}"), value.as_str());
    }
    let documents = caller.list(request).await?;
    // Compiled only where there is something to name.
    let schema = match documents.as_slice() {
        [] => return Ok(Vec::new()),
        _ => types::bundled(&asked.type_name.cloud_formation()).ok(),
    };
    let mut candidates = Vec::with_capacity(documents.len());
    for document in documents {
        let listed: Listed = crate::client::reply::read_as(&document)?;
        let properties = document.get("properties").unwrap_or(&Value::Null);
        let named = schema.as_ref().and_then(|schema| named_by_properties(schema, properties));
        let named = named.unwrap_or_else(|| named_by_identifier(&listed.name));
        let may_be_tagged = listed.alias.is_none()
            && reads_names
            && schema.as_ref().is_some_and(|schema| {
                let is_readable = schema.handlers().read.is_some();
                is_readable && schema.tag_property().is_some() && !shows_tags(schema, properties)
            });
        let name = if may_be_tagged {
            Name::Tagged { collection: collection.clone(), otherwise: named }
        } else {
            Name::Known(named)
        };
        candidates.push(Candidate { type_name: asked.type_name.clone(), listed, name });
    }
    Ok(candidates)
}

/// Reads what may have a Name tag, several at once.
async fn name_all(session: &mut Session<'_>, candidates: &mut [Candidate]) -> Result<(), Failure> {
    let tagged: Vec<(usize, String, String)> = candidates
        .iter()
        .enumerate()
        .filter_map(|(at, candidate)| {
            let Name::Tagged { collection, .. } = &candidate.name else { return None };
            let id = format!("{collection}/{}", encode_identifier(&candidate.listed.name));
            Some((at, candidate.type_name.cloud_formation(), id))
        })
        .collect();
    if tagged.is_empty() {
        return Ok(());
    }
    session.printer.begin_counting("reading names", tagged.len());
    let mut done = 0;
    let work = |caller: Caller, tagged: Arc<(usize, String, String)>| async move {
        let mut reply = caller.send(&Request::get(&*tagged.2)).await?;
        let properties = reply.body.get_mut("properties").map(Value::take);
        let schema = types::bundled(&tagged.1).ok();
        Ok(schema.zip(properties).and_then(|(schema, it)| named_by_properties(&schema, &it)))
    };
    session
        .each(tagged, work, |session, (at, _, _), named| {
            // One that is gone by now, or may not be read, has what AWS calls it.
            if let (Ok(Some(name)), Some(candidate)) = (named, candidates.get_mut(*at)) {
                candidate.name = Name::Known(name);
            }
            done += 1;
            session.printer.counted(done, "");
            Ok(())
        })
        .await?;
    session.printer.done();
    Ok(())
}

/// What was read of candidates for a template.
#[derive(Default)]
struct Portraits {
    /// By the place of the candidate.
    shown: HashMap<usize, Shown>,
    schemas: Schemas,
    existing: Vec<Existing>,
    managers: BTreeSet<String>,
    unread: Vec<Unread>,
    /// The candidates that could not be read.
    failed: HashSet<usize>,
}

impl Portraits {
    /// A candidate has its alias: it goes into the template.
    fn name(&mut self, at: usize, type_name: &TypeName, identifier: &str, alias: &str) {
        let Some(Shown { live, applied, hidden, manager }) = self.shown.remove(&at) else { return };
        let Some(schema) = self.schemas.get(type_name) else { return };
        self.managers.extend(manager);
        let type_name = type_name.clone();
        let (identifier, alias) = (identifier.to_owned(), alias.to_owned());
        self.existing.push(Existing {
            type_name,
            schema,
            identifier,
            alias,
            live,
            applied,
            hidden,
        });
    }
}

/// Reads every candidate that goes into a template, and its name with it.
async fn portray(
    session: &mut Session<'_>,
    args: &DiscoverArgs,
    place: &AwsPlace,
    candidates: &mut [Candidate],
) -> Result<Portraits, Failure> {
    let mut portraits = Portraits::default();
    let (mut places, mut wanted) = (Vec::new(), Vec::new());
    for (at, Candidate { type_name, listed, .. }) in candidates.iter().enumerate() {
        let of_aws =
            || format!("{}/{}", collection(place, type_name), encode_identifier(&listed.name));
        let id = match &listed.tracked_by {
            None => of_aws(),
            Some(_) if !args.mapped => continue,
            Some(id) => {
                let group = ids::group_of(id).unwrap_or_default();
                if !group.eq_ignore_ascii_case(&args.group.group) {
                    portraits.unread.push(Unread {
                        type_name: type_name.ucp(),
                        identifier: listed.name.clone(),
                        why: format!("it already has an alias in group `{group}`"),
                    });
                    continue;
                }
                id.clone()
            }
        };
        places.push(at);
        wanted.push(Wanted { type_name: type_name.clone(), identifier: listed.name.clone(), id });
    }
    let read = bicep::read_all(session, wanted).await?;
    for (at, (wanted, shown)) in places.into_iter().zip(read) {
        let shown = match shown {
            Ok(shown) => shown,
            Err(error) => {
                portraits.unread.push(Unread::new(&wanted, &error));
                portraits.failed.insert(at);
                continue;
            }
        };
        let schema = portraits.schemas.get(&wanted.type_name).filter(|_| !args.no_names);
        if let Some(name) = schema.and_then(|schema| named_by_properties(&schema, &shown.live)) {
            candidates[at].name = Name::Known(name);
        }
        portraits.shown.insert(at, shown);
    }
    Ok(portraits)
}

/// Types that could not be listed: among all of them they are no more than a warning.
fn tell_failed(
    session: &mut Session<'_>,
    args: &DiscoverArgs,
    failed: &[Failed],
) -> Result<(), Failure> {
    if failed.is_empty() {
        return Ok(());
    }
    let message = |failed: &Failed| {
        format!("cannot list {}: {} ({})", failed.r#type, failed.message, failed.code)
    };
    if args.all {
        let diagnostics = failed
            .iter()
            .map(|failed| Diagnostic::warning(codes::NOT_LISTED, message(failed)))
            .collect();
        session.printer.warn(&[Report { source: None, diagnostics }]);
        return Ok(());
    }
    let diagnostics = failed
        .iter()
        .map(|failed| {
            let mistake = Diagnostic::error(codes::NOT_LISTED, message(failed));
            match failed.code.as_str() {
                "ParentRequired" => mistake.hint("pass the parent: --parent KEY=VALUE"),
                _ => mistake,
            }
        })
        .collect();
    Err(Failure::Reported(vec![Report { source: None, diagnostics }]))
}
