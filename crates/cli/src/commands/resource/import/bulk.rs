//! Many imports, a few at once: a line for each as it ends, and what became of all of them.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use hangar_diag::Diagnostic;
use hangar_ids::encode_identifier;
use hangar_plan::adoption::Existing;
use serde::Serialize;
use serde_json::{Value, json};

use super::listed::{self, Item};
use super::{ImportArgs, collection};
use crate::client::arm_error::ArmError;
use crate::client::ids;
use crate::client::request::Request;
use crate::client::shape::{AwsPlace, LastOperation, Mapped, Named as Shown, Reference};
use crate::codes;
use crate::commands::place::usual_place;
use crate::commands::resource::bicep::{self, Origin, Schemas, Shown as Portrayed, Unread, Wanted};
use crate::commands::resource::list::is_default;
use crate::connection::Connection;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::follow;
use crate::input::Inputs;
use crate::printer::Printer;
use crate::render::printable;
use crate::session::caller::{Caller, Unanswered};
use crate::session::{self, CallError, Presence, Session};

/// How long the server may wait for the end of an import: it is one read, mostly.
const WAIT: u8 = 20;

/// What became of one resource.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Fate {
    Imported {
        identifier: String,
    },
    Unchanged {
        identifier: String,
    },
    /// With --dry-run: it would be imported.
    Possible {
        identifier: String,
    },
    Failed {
        code: String,
        message: String,
    },
}

/// What `-o json` prints of each.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Told {
    r#type: String,
    identifier: String,
    alias: String,
    id: String,
    /// `imported`, `noop`, `failed`; with --dry-run `import` where it would be.
    outcome: &'static str,
    error: Option<Value>,
}

/// What an import is told besides its item.
#[derive(Clone)]
struct Way {
    group: String,
    /// Where resources are whose item does not say: what was typed, and where to look at all.
    typed: Option<AwsPlace>,
    usual: Option<AwsPlace>,
    owned: bool,
    dry_run: bool,
}

pub(super) fn run(
    args: &ImportArgs,
    path: &Path,
    connection: Connection,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    let items = listed::read(path, inputs)?;
    run_items(args, items, connection, printer)
}

pub(super) fn run_items(
    args: &ImportArgs,
    items: Vec<Item>,
    connection: Connection,
    printer: &mut Printer,
) -> Result<Exit, Failure> {
    // An alias that cannot be one is told before anything is done.
    for item in &items {
        ids::reference(&args.group.group, &item.type_name, &item.alias)?;
    }
    session::run(connection, printer, Presence::ToTheEnd, async |session| {
        import_all(session, args, items).await
    })
}

async fn import_all(
    session: &mut Session<'_>,
    args: &ImportArgs,
    items: Vec<Item>,
) -> Result<Exit, Failure> {
    let group = args.group.group.clone();
    prepare_group(session, &group, args.dry_run).await?;
    let usual = usual_place(session, &group).await.map_err(Failure::from)?;
    let typed = args.place.place(usual.clone())?;
    let usual = usual.whole();
    let typed = typed.or_else(|| usual.clone().filter(|_| session.is_caller_decisive()));
    let way = Way { group, typed, usual, owned: args.owned, dry_run: args.dry_run };
    let total = items.len();
    let items: Vec<(usize, Item)> = items.into_iter().enumerate().collect();
    let mut told: Vec<(usize, Told)> = Vec::with_capacity(total);
    let mut tally = Tally::default();
    let mut portraits: Vec<(usize, Portrait)> = Vec::new();
    session.printer.begin_bar(if way.dry_run { "looking" } else { "importing" }, total);
    if !way.dry_run {
        session.writes();
    }
    let work = {
        let way = way.clone();
        move |caller: Caller, numbered: Arc<(usize, Item)>| {
            let way = way.clone();
            async move { import_one(&caller, &numbered.1, &way).await }
        }
    };
    session
        .each(items, work, |session, (at, item), ended| {
            let fate = match ended {
                Ok(fate) => fate,
                Err(refusal) => failed(&refusal.error),
            };
            tally.add(&fate);
            if args.bicep.prints() {
                // Standard output is the template.
                session.printer.aside(&line(item, &fate));
            } else {
                session.printer.line(&line(item, &fate))?;
            }
            if args.bicep.print_bicep {
                portraits.extend(Portrait::of(item, &fate, &way).map(|it| (*at, it)));
            }
            session.printer.counted(tally.done(), &tally.told());
            told.push((*at, to_told(item, &fate, &way.group)?));
            Ok(())
        })
        .await?;
    session.has_written();
    session.printer.done();
    told.sort_by_key(|(at, _)| *at);
    let told: Vec<Told> = told.into_iter().map(|(_, told)| told).collect();
    if args.bicep.print_bicep {
        portraits.sort_by_key(|(at, _)| *at);
        let portraits = portraits.into_iter().map(|(_, it)| it).collect();
        let text = write_template(session, args, portraits, &way).await?;
        let bicep = args.bicep.prints().then_some(text);
        session.printer.whole(|| json!({ "bicep": bicep, "resources": told }))?;
    } else {
        session.printer.whole(|| &told)?;
    }
    session.note(&tally.summary(total));
    if tally.failed == 0 {
        return Ok(Exit::Success);
    }
    let not = if way.dry_run { "could not be" } else { "were not" };
    let message = format!("{} of {total} resources {not} imported", tally.failed);
    let hint = if way.dry_run {
        "each line above shows the reason; without --dry-run the others are imported anyway"
    } else {
        "each line above shows the reason; fix the errors and run the command again: imported resources are not \
         touched"
    };
    Err(Diagnostic::error(codes::NOT_ALL, message).hint(hint).into())
}

/// A resource that goes into a template.
struct Portrait {
    alias: String,
    place: Option<AwsPlace>,
    wanted: Wanted,
}

impl Portrait {
    /// How it is read: by its alias where that stands for it, else as AWS calls it.
    fn of(item: &Item, fate: &Fate, way: &Way) -> Option<Self> {
        let place = item.place.as_ref().or(way.typed.as_ref()).or(way.usual.as_ref());
        let (identifier, id) = match fate {
            Fate::Failed { .. } => return None,
            Fate::Imported { identifier } | Fate::Unchanged { identifier } => {
                (identifier, reference_id(item, &way.group))
            }
            Fate::Possible { identifier } => {
                let collection = collection(place?, &item.type_name);
                (identifier, format!("{collection}/{}", encode_identifier(identifier)))
            }
        };
        let (type_name, identifier) = (item.type_name.clone(), identifier.clone());
        let wanted = Wanted { type_name, identifier, id };
        Some(Self { alias: item.alias.clone(), place: place.cloned(), wanted })
    }
}

/// Reads what was imported and writes the template that states it; gives its text.
async fn write_template(
    session: &mut Session<'_>,
    args: &ImportArgs,
    portraits: Vec<Portrait>,
    way: &Way,
) -> Result<String, Failure> {
    let (mut existing, mut unread, mut schemas) = (Vec::new(), Vec::new(), Schemas::default());
    let mut places: Vec<AwsPlace> = portraits.iter().filter_map(|it| it.place.clone()).collect();
    places.dedup();
    let (aliases, wanted): (Vec<String>, Vec<Wanted>) =
        portraits.into_iter().map(|it| (it.alias, it.wanted)).unzip();
    let mut managers = BTreeSet::new();
    let read = bicep::read_all(session, wanted).await?;
    for (alias, (wanted, shown)) in aliases.into_iter().zip(read) {
        let Wanted { type_name, identifier, .. } = wanted.clone();
        match (shown, schemas.get(&type_name)) {
            (Ok(Portrayed { live, applied, hidden, manager }), Some(schema)) => {
                managers.extend(manager);
                existing.push(Existing {
                    type_name,
                    schema,
                    identifier,
                    alias,
                    live,
                    applied,
                    hidden,
                });
            }
            (Err(error), _) => unread.push(Unread::new(&wanted, &error)),
            (Ok(_), None) => {}
        }
    }
    // Several places have no one sentence.
    let place = places.first().filter(|_| places.len() == 1);
    let imported = !way.dry_run;
    let origin = Origin { place, group: &way.group, imported, managers: &managers };
    let written = bicep::compose(session, &args.bicep, &origin, &existing, &unread);
    bicep::deliver(session, &args.bicep, &written)?;
    Ok(written.text)
}

/// The group must be there; the default one is made on demand.
async fn prepare_group(
    session: &mut Session<'_>,
    group: &str,
    dry_run: bool,
) -> Result<(), Failure> {
    let id = ids::group(group)?;
    match session.send(&Request::get(&*id).query("$top", "1")).await {
        Ok(_) => Ok(()),
        Err(CallError::Refused(refusal)) if refusal.status == 404 && is_default(group) => {
            if dry_run {
                return Ok(());
            }
            session.send(&Request::put(id, json!({}))).await?;
            Ok(())
        }
        Err(error) => Err(error.while_doing(&format!("cannot import into group `{group}`"))),
    }
}

async fn import_one(caller: &Caller, item: &Item, way: &Way) -> Result<Fate, Unanswered> {
    let place = item.place.as_ref().or(way.typed.as_ref());
    let looked_in = place.or(way.usual.as_ref()).map(|place| collection(place, &item.type_name));
    if way.dry_run {
        return look(caller, item, way, looked_in.as_deref()).await;
    }
    let primary = match (item.named.known(), &looked_in) {
        (Some(identifier), _) => identifier.to_owned(),
        (None, Some(collection)) => {
            caller.read::<Shown>(&item.named.request(collection)).await?.name
        }
        (None, None) => return Ok(nowhere()),
    };
    let owned = item.owned.or(way.owned.then_some(true));
    let is_mapped =
        match caller.read::<Reference>(&Request::get(reference_id(item, &way.group))).await {
            Ok(before) => {
                let is_owned = owned.is_none() || owned == before.owned_resource;
                is_owned && before.identifier() == Some(primary.as_str())
            }
            Err(Unanswered::Refused(refusal)) if refusal.status == 404 => false,
            Err(error) => return Err(error),
        };
    let request = item.request.get_or_init(|| {
        let mut maps_to = json!({"primaryIdentifier": primary});
        if let Some(place) = place {
            maps_to["scope"] = collection(place, &item.type_name).into();
        }
        let mut body = json!({"mapsTo": maps_to});
        if let Some(owned) = owned {
            body["ownedResource"] = owned.into();
        }
        Request::put(reference_id(item, &way.group), body).waiting(WAIT)
    });
    let reply = caller.send(request).await?;
    let operation = if reply.operation.is_some() {
        reply.operation
    } else {
        // It ended before it was answered.
        let reference: Reference = reply.read_as()?;
        reference.last_operation.as_ref().and_then(LastOperation::operation_id)
    };
    let Some(operation) = operation else { return Ok(Fate::Imported { identifier: primary }) };
    let ended = caller.ended(operation).await?;
    if let Some(error) = &ended.error {
        return Ok(failed(error));
    }
    let result = ended.properties.as_ref();
    let identifier = result.and_then(|result| result.identifier.clone()).unwrap_or(primary);
    Ok(if is_mapped { Fate::Unchanged { identifier } } else { Fate::Imported { identifier } })
}

/// What an import would do: reads only.
async fn look(
    caller: &Caller,
    item: &Item,
    way: &Way,
    collection: Option<&str>,
) -> Result<Fate, Unanswered> {
    let Some(collection) = collection else { return Ok(nowhere()) };
    let own = reference_id(item, &way.group);
    let reply = caller.send(&item.named.request(collection)).await?;
    let identifier = reply.read_as::<Shown>()?.name;
    let mapped: Mapped = reply.read_as()?;
    match mapped.tracked_by {
        Some(id) if id.eq_ignore_ascii_case(&own) => return Ok(Fate::Unchanged { identifier }),
        Some(id) => {
            let message = format!("{identifier} is already mapped by {id}");
            return Ok(Fate::Failed { code: "ResourceMapped".to_owned(), message });
        }
        None => {}
    }
    match caller.read::<Reference>(&Request::get(own)).await {
        Ok(other) => {
            let stands_for = other.identifier().unwrap_or("an unknown resource");
            let message = format!("the alias already maps to {stands_for}");
            Ok(Fate::Failed { code: "AliasMapped".to_owned(), message })
        }
        Err(Unanswered::Refused(refusal)) if refusal.status == 404 => {
            Ok(Fate::Possible { identifier })
        }
        Err(error) => Err(error),
    }
}

fn nowhere() -> Fate {
    Fate::Failed {
        code: "ScopeRequired".to_owned(),
        message: "its account and region are not known; pass --aws-account and --aws-region"
            .to_owned(),
    }
}

fn failed(error: &ArmError) -> Fate {
    let message = error.message.trim().trim_end_matches('.').to_owned();
    Fate::Failed { code: error.code.clone(), message }
}

/// Its id was made before, so that it can be made.
fn reference_id(item: &Item, group: &str) -> String {
    ids::reference(group, &item.type_name, &item.alias).unwrap_or_default()
}

fn line(item: &Item, fate: &Fate) -> String {
    let label = item.label();
    match fate {
        Fate::Imported { identifier } => follow::outcome_line("imported", &label, Some(identifier)),
        Fate::Unchanged { identifier } => follow::outcome_line("noop", &label, Some(identifier)),
        Fate::Possible { identifier } => {
            follow::outcome_line("would import", &label, Some(identifier))
        }
        Fate::Failed { code, message } => {
            let why = format!("{}: {message} ({code})", item.text);
            follow::outcome_line("failed", &label, Some(&printable(&why)))
        }
    }
}

fn to_told(item: &Item, fate: &Fate, group: &str) -> Result<Told, Failure> {
    let (outcome, identifier, error) = match fate {
        Fate::Imported { identifier } => ("imported", identifier, None),
        Fate::Unchanged { identifier } => ("noop", identifier, None),
        Fate::Possible { identifier } => ("import", identifier, None),
        Fate::Failed { code, message } => {
            ("failed", &item.text, Some(json!({"code": code, "message": message})))
        }
    };
    Ok(Told {
        r#type: item.type_name.ucp(),
        identifier: identifier.clone(),
        alias: item.alias.clone(),
        id: ids::reference(group, &item.type_name, &item.alias)?,
        outcome,
        error,
    })
}

/// How many ended how.
#[derive(Debug, Default)]
struct Tally {
    imported: u64,
    unchanged: u64,
    possible: u64,
    failed: u64,
}

impl Tally {
    fn add(&mut self, fate: &Fate) {
        *match fate {
            Fate::Imported { .. } => &mut self.imported,
            Fate::Unchanged { .. } => &mut self.unchanged,
            Fate::Possible { .. } => &mut self.possible,
            Fate::Failed { .. } => &mut self.failed,
        } += 1;
    }

    fn done(&self) -> u64 {
        self.imported + self.unchanged + self.possible + self.failed
    }

    fn told(&self) -> String {
        let counts = [
            (self.imported, "imported"),
            (self.possible, "to import"),
            (self.unchanged, "unchanged"),
            (self.failed, "failed"),
        ];
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        counts.map(|(count, word)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
    }

    fn summary(&self, total: usize) -> String {
        if total == 0 { "the list is empty".to_owned() } else { self.told() }
    }
}
