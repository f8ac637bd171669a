//! `hangar deploy --plan-file`: does what a plan says, or nothing.

use std::collections::BTreeMap;
use std::path::Path;

use super::plan_file::PlanFile;
use super::{DeployArgs, Deploying, confirm};
use crate::client::arm_error::ArmError;
use crate::client::deployment::{Action, Change, Plan};
use crate::codes;
use crate::commands::plan::changes_text;
use crate::connection::Environment;
use crate::exit::Exit;
use crate::failure::{Cause, Failure, Report};
use crate::input::Inputs;
use crate::printer::Printer;
use crate::session::{self, Presence};
use hangar_diag::Diagnostic;

/// The plan that is applied, as far as its end is told by it.
pub(super) struct Applied {
    /// The file, as it was typed.
    file: String,
    /// The template, where its text is another by now.
    changed: Option<String>,
    /// What plans it again.
    again: String,
    pub(super) is_sealed: bool,
}

pub(super) fn run(
    args: &DeployArgs,
    file: &Path,
    environment: &Environment,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<Exit, Failure> {
    let saved = PlanFile::read(file, inputs)?;
    let plan = saved.plan(file)?;
    let template = saved.template(&args.template, file)?;
    check_fit(&plan, saved.replaces(), file)?;
    if !printer.can_ask() {
        saved.check_secure(&args.template, file)?;
    }
    if args.confirm {
        confirm::Question::Plan.check(args, &saved.name, printer)?;
    }
    let chosen = template.choose(environment, printer, inputs)?;
    let connection = args.connection.choose_for(Some(&chosen.template), environment)?;
    let directory = connection.directory();
    let prepared = template.prepare(chosen, environment, directory, printer, inputs)?;
    let named = template.file()?.display().to_string();
    let is_changed = saved.is_changed(&prepared.files);
    if is_changed {
        printer.note(&format!(
            "`{named}` or a file that it loads has changed since the plan; the plan is applied only if its changes \
             are still the same"
        ));
    }
    let applied = Applied {
        file: file.display().to_string(),
        changed: is_changed.then_some(named),
        again: saved.command(file),
        is_sealed: saved.seal.is_some(),
    };
    session::run(connection, printer, Presence::ToTheEnd, async |session| {
        let place = template.place(session, &prepared).await?;
        let mut properties = template.body(&prepared, place.as_ref());
        properties.insert("plan".to_owned(), saved.held());
        let changes = &plan.properties.changes;
        let told = counted(changes);
        session.note(&format!("applying {} of {}: {told}", applied.file, saved.created_at));
        let goes = changes.iter().filter(|change| goes(change)).cloned().collect::<Vec<_>>();
        if args.confirm {
            let text = changes_text(changes, plan.properties.scope.as_deref());
            let of = (saved.name.as_str(), saved.group.as_str());
            confirm::show_and_ask(session, args, &text, of).await?;
        } else if !goes.is_empty() {
            session.printer.preview(&changes_text(&goes, plan.properties.scope.as_deref()));
        }
        let create = args.create_group(&template);
        let deploying =
            Deploying::new(&saved.group, create, &prepared, Some(&applied), args.rows());
        deploying.perform(session, properties).await
    })
}

/// Whether something is lost by a change.
fn goes(change: &Change) -> bool {
    matches!(change.action, Action::Replace | Action::Delete | Action::Detach)
}

/// `2 to create, 1 to delete`.
fn counted(changes: &[Change]) -> String {
    let mut counts: BTreeMap<Action, usize> = BTreeMap::new();
    for change in changes.iter().filter(|change| !change.action.is_quiet()) {
        *counts.entry(change.action).or_default() += 1;
    }
    let word = |action: Action| match action {
        Action::Create => "to create",
        Action::Adopt => "to adopt",
        Action::Update => "to update",
        Action::Replace => "to replace",
        Action::Run => "to run",
        Action::Detach => "to detach",
        Action::Delete => "to delete",
        _ => "not known yet",
    };
    let counts = counts.into_iter().map(|(action, count)| format!("{count} {}", word(action)));
    match counts.collect::<Vec<_>>() {
        counts if counts.is_empty() => "nothing to change".to_owned(),
        counts => counts.join(", "),
    }
}

/// Refuses a plan that says of itself that it would fail.
fn check_fit(plan: &Plan, replaces: bool, file: &Path) -> Result<(), Failure> {
    let changes = &plan.properties.changes;
    let is_refused = |change: &&Change| {
        change.action == Action::Refused || (change.action == Action::Replace && !replaces)
    };
    let Some(first) = changes.iter().find(is_refused) else { return Ok(()) };
    let (why, hint) = match first.action {
        Action::Replace => {
            ("the change requires a new resource".to_owned(), "plan again with --replace")
        }
        _ => (
            first.reason.clone().unwrap_or_else(|| "it would fail".to_owned()),
            "fix the error and plan again",
        ),
    };
    let message = format!("the plan `{}` would fail: {}: {why}", file.display(), first.address);
    Err(Diagnostic::error(codes::PLAN_UNFIT, message).hint(hint).into())
}

/// Whether a run was refused because of its plan: nothing was done then.
pub(super) fn is_moved(error: &ArmError) -> bool {
    matches!(error.code.as_str(), "PlanMoved" | "PlanWouldFail")
}

/// What is told of a plan that does not hold.
pub(super) fn moved(
    applied: &Applied,
    error: &ArmError,
    status: Option<u16>,
    made_group: Option<&str>,
) -> Failure {
    let Applied { file, changed, again, .. } = applied;
    let what = match (error.code.as_str(), changed) {
        ("PlanWouldFail", _) => "it would fail".to_owned(),
        (_, Some(changed)) => {
            format!("`{changed}` has changed since the plan, and the result is different")
        }
        (_, None) => "the changes are no longer the planned ones".to_owned(),
    };
    let done = match made_group {
        Some(group) => format!("group `{group}` was created, and nothing else was changed"),
        None => "nothing was changed".to_owned(),
    };
    let message = format!("cannot apply `{file}`: {what}; {done}");
    let main = Diagnostic::error(codes::PLAN_MOVED, message)
        .hint(format!("plan again and review it: `{again}`"));
    let details = error.details.iter().map(|detail| {
        let place = detail.target.as_deref().filter(|it| !it.is_empty());
        let text = match place {
            Some(place) => format!("{place}: {}", detail.message),
            None => detail.message.clone(),
        };
        Diagnostic::error(codes::API_DETAIL, text)
    });
    let mut reports = vec![Report { source: None, diagnostics: vec![main] }];
    reports.extend(details.map(|it| Report { source: None, diagnostics: vec![it] }));
    let cause = Cause { status, code: error.code.clone(), target: error.target.clone() };
    Failure::Answered { cause, reports }
}
