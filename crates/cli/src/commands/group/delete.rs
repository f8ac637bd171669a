//! `hangar group delete`: what a group owns goes, what was imported is only forgotten.

use std::fmt::Write as _;

use clap::Args;
use console::measure_text_width;
use hangar_diag::Diagnostic;
use serde::Serialize;

use crate::client::ids;
use crate::client::request::Request;
use crate::client::shape::{Counts, Group, Reference};
use crate::codes;
use crate::commands::resource::list::listed;
use crate::commands::resource::write::{Wait, goes_on, nowhere};
use crate::connection::Connection;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::follow;
use crate::printer::{Printer, Said};
use crate::render::line::cut_by;
use crate::render::{counted, printable};
use crate::session::{self, CallError, Session};

/// Which group is deleted, and how.
#[derive(Debug, Args)]
pub(super) struct DeleteArgs {
    /// Name of the group
    name: String,
    /// Do not ask for confirmation
    #[arg(short, long)]
    yes: bool,
    /// Do not wait for the operation to end
    #[arg(long)]
    no_wait: bool,
}

pub(super) const DESCRIPTION: &str = "\
Deletes the resources that the group owns, dependent resources first. Imported resources that are
not owned are only detached. Recipes are destroyed before resources.

On a terminal, the command lists what it deletes and detaches, and asks for confirmation. Without
a terminal it needs --yes. If AWS refuses a deletion, the group stays with its remaining
resources; run the same command again to continue.";

pub(super) const EXAMPLES: &str = "Examples:
  hangar group delete test
  hangar group delete test --yes
  hangar group delete test --yes --no-wait";

/// So many of each are shown; a person who wants all lists them.
const SHOWN: usize = 20;

/// What `-o json` prints.
#[derive(Serialize)]
struct Deleted<'a> {
    id: &'a str,
    /// `deleted`, `accepted` with --no-wait, or `absent`: there was nothing.
    outcome: &'a str,
    operation: Option<String>,
    counts: Option<Counts>,
}

pub(super) fn run(
    args: &DeleteArgs,
    connection: Connection,
    printer: &mut Printer,
) -> Result<Exit, Failure> {
    let id = ids::group(&args.name)?;
    let wait = Wait::unless(args.no_wait);
    let presence = connection.presence_for_existing(wait.presence());
    session::run(connection, printer, presence, async |session| {
        delete(session, args, &id, wait).await
    })
}

async fn delete(
    session: &mut Session<'_>,
    args: &DeleteArgs,
    id: &str,
    wait: Wait,
) -> Result<Exit, Failure> {
    let name = args.name.as_str();
    let doing = format!("cannot delete group `{name}`");
    match session.read::<Group>(&Request::get(id)).await {
        Err(CallError::Refused(refusal)) if refusal.status == 404 => {
            return tell(session, args, id, "absent", None, None);
        }
        found => found.map_err(|error| error.while_doing(&doing))?,
    };
    let content = Content::of(session, name, id).await?;
    if !args.yes {
        confirm(session, name, &content).await?;
    }
    let reply = session.send(&Request::delete(id)).await;
    let reply = reply.map_err(|error| with_way_out(error.while_doing(&doing), name))?;
    let Some(operation) = reply.operation else {
        let outcome = if reply.status == 204 { "absent" } else { "deleted" };
        return tell(session, args, id, outcome, None, None);
    };
    if wait == Wait::No {
        session.note(&goes_on(operation, session.ends_with_us()));
        return tell(session, args, id, "accepted", Some(operation.to_string()), None);
    }
    let label = format!("deleting group `{name}`");
    let ended = follow::to_end_of(session, operation, &label, content.len()).await;
    let (_, ended) = ended.map_err(|error| error.while_doing(&doing))?;
    follow::warn(session, &ended);
    if let Some(failure) = follow::failure_of(&ended, &doing, nowhere) {
        return Err(with_way_out(failure, name));
    }
    tell(session, args, id, "deleted", Some(operation.to_string()), ended.counts)
}

/// What a group holds.
#[derive(Default)]
struct Content {
    owned: Vec<Reference>,
    imported: Vec<Reference>,
    recipes: Vec<Reference>,
    /// What the recipes have made.
    made: Vec<Reference>,
}

impl Content {
    async fn of(session: &mut Session<'_>, name: &str, id: &str) -> Result<Self, Failure> {
        let listed = listed(session, name, Request::get(format!("{id}/resources"))).await?;
        let mut content = Self::default();
        for document in &listed {
            let one: Reference = session.shape(document)?;
            let kind = if one.recipe.is_some() {
                &mut content.made
            } else if !one.is_reference() {
                &mut content.recipes
            } else if one.owned_resource == Some(false) {
                &mut content.imported
            } else {
                &mut content.owned
            };
            kind.push(one);
        }
        Ok(content)
    }

    fn len(&self) -> usize {
        self.owned.len() + self.imported.len() + self.recipes.len()
    }

    /// What goes and what stays, for a person to read before they say yes.
    fn preview(&self, name: &str, width: Option<usize>) -> Option<String> {
        let mut text = String::new();
        let lists = [
            ("these resources will be deleted in AWS", &self.owned),
            ("these resources will be detached and stay in AWS", &self.imported),
        ];
        for (fate, references) in lists.iter().filter(|(_, references)| !references.is_empty()) {
            let _ = writeln!(text, "{fate}:");
            for reference in references.iter().take(SHOWN) {
                let identifier = reference.identifier().unwrap_or("-");
                let label = format!("  {} `{}`: ", reference.resource_type(), reference.name);
                let line = format!("{}{}", printable(&label), printable(identifier));
                let excess =
                    width.map_or(0, |width| measure_text_width(&line).saturating_sub(width));
                let identifier = cut_by(&printable(identifier), excess, 20);
                let _ = writeln!(text, "{}{identifier}", printable(&label));
            }
            if let Some(more @ 1..) = references.len().checked_sub(SHOWN) {
                let name = printable(name);
                let _ = writeln!(text, "  … and {more} more: `hangar resource list -g {name}`");
            }
        }
        if !self.recipes.is_empty() {
            let _ = writeln!(text, "these recipes will be destroyed by Terraform:");
        }
        for recipe in &self.recipes {
            let made = self.made.iter().filter(|it| it.recipe.as_deref() == Some(&*recipe.id));
            let made = counted(made.count(), "resource");
            let _ = writeln!(text, "  {}: {made}", printable(&recipe.name));
        }
        (!text.is_empty()).then_some(text)
    }

    /// `deletes 2 resources in AWS, detaches 1 resource, destroys 1 recipe`.
    fn effect(&self) -> String {
        let parts = [
            ("deletes", self.owned.len(), "resource", " in AWS"),
            ("detaches", self.imported.len(), "resource", ""),
            ("destroys", self.recipes.len(), "recipe", ""),
        ];
        let parts: Vec<String> = parts
            .iter()
            .filter(|(_, count, ..)| *count > 0)
            .map(|(verb, count, noun, place)| format!("{verb} {}{place}", counted(*count, noun)))
            .collect();
        if parts.is_empty() { "deletes no resources".to_owned() } else { parts.join(", ") }
    }
}

async fn confirm(session: &mut Session<'_>, name: &str, content: &Content) -> Result<(), Failure> {
    if session.printer.can_ask()
        && let Some(preview) = content.preview(name, session.printer.width())
    {
        session.printer.preview(&preview);
    }
    match session.ask(&format!("delete group `{name}`? this {}", content.effect())).await {
        Said::Yes => Ok(()),
        Said::No => {
            let message = format!("group `{name}` was not deleted");
            Err(Diagnostic::error(codes::DECLINED, message).into())
        }
        Said::Nothing => {
            let what = format!("deleting group `{name}` {}", content.effect());
            Err(session
                .printer
                .unconfirmed(&what)
                .hint(format!("`hangar resource list -g {name}` lists its resources"))
                .into())
        }
    }
}

/// How to go on where something is left.
fn with_way_out(failure: Failure, name: &str) -> Failure {
    let Failure::Answered { cause, .. } = &failure else { return failure };
    match cause.code.as_str() {
        "GroupNotEmpty" => failure
            .hint(format!(
                "fix the cause that AWS reports, then try again: `hangar group delete {name} --yes`"
            ))
            .hint(format!(
                "or keep a resource in AWS: `hangar resource detach TYPE ALIAS -g {name}`"
            )),
        _ => failure,
    }
}

fn tell(
    session: &mut Session<'_>,
    args: &DeleteArgs,
    id: &str,
    outcome: &str,
    operation: Option<String>,
    counts: Option<Counts>,
) -> Result<Exit, Failure> {
    let subject = format!("group `{}`", args.name);
    session.printer.show(
        || match outcome {
            "absent" => format!("{} does not exist; nothing to delete", printable(&subject)),
            "accepted" => format!("deleting {}", printable(&subject)),
            outcome => follow::outcome_line(outcome, &subject, None),
        },
        || Deleted { id, outcome, operation, counts },
    )?;
    Ok(Exit::Success)
}
