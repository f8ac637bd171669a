//! The questions that `hangar deploy` asks before it changes anything.

use hangar_diag::Diagnostic;
use serde_json::{Map, Value};

use super::DeployArgs;
use super::args::Prepared;
use crate::client::deployment::{Action, Change};
use crate::client::shape::AwsPlace;
use crate::codes;
use crate::commands::plan::{self, Asked};
use crate::failure::Failure;
use crate::printer::{Printer, Said};
use crate::render::counted;
use crate::session::Session;

/// Which question a deployment needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Question {
    /// None: deploying does not ask by default.
    None,
    /// Whether resources may go: `--replace`, `--on-remove delete`.
    Loss { deed: &'static str, options: &'static str },
    /// Whether the whole plan is right: `--confirm`.
    Plan,
}

impl Question {
    /// The question for these options; `--yes` is looked at later.
    pub(super) fn of(args: &DeployArgs) -> Self {
        if args.confirm {
            return Self::Plan;
        }
        match (args.template.replaces(), args.template.deletes()) {
            (true, true) => {
                Self::Loss { deed: "replace and delete", options: "--replace and --on-remove" }
            }
            (true, false) => Self::Loss { deed: "replace", options: "--replace" },
            (false, true) => Self::Loss { deed: "delete", options: "--on-remove" },
            (false, false) => Self::None,
        }
    }

    /// Refuses a deployment that has to ask and cannot.
    pub(super) fn check(
        self,
        args: &DeployArgs,
        name: &str,
        printer: &Printer,
    ) -> Result<(), Failure> {
        if args.yes || printer.can_ask() {
            return Ok(());
        }
        let (what, options) = match self {
            Self::None => return Ok(()),
            Self::Loss { deed, options } => {
                (format!("deploying `{name}` may {deed} resources"), options)
            }
            Self::Plan => ("--confirm asks before any change".to_owned(), "--confirm"),
        };
        let hint = format!("or omit {options}; `hangar plan` shows the changes");
        Err(printer.unconfirmed(&what).hint(hint).into())
    }

    /// Shows the changes and asks. Returns without a question if there is nothing to ask about.
    pub(super) async fn ask(
        self,
        session: &mut Session<'_>,
        args: &DeployArgs,
        prepared: &Prepared,
        properties: &Map<String, Value>,
        place: Option<&AwsPlace>,
    ) -> Result<(), Failure> {
        match self {
            Self::None => Ok(()),
            Self::Loss { .. } if args.yes => Ok(()),
            Self::Loss { .. } => confirm_loss(session, args, prepared, properties).await,
            Self::Plan => confirm_plan(session, args, prepared, properties, place).await,
        }
    }
}

/// Shows the whole plan and asks whether to deploy it.
async fn confirm_plan(
    session: &mut Session<'_>,
    args: &DeployArgs,
    prepared: &Prepared,
    properties: &Map<String, Value>,
    place: Option<&AwsPlace>,
) -> Result<(), Failure> {
    let made = plan::make(session, &args.template, prepared, properties, place).await?;
    let plan = &made.plan.properties;
    if plan.changes.iter().all(|change| change.action.is_quiet()) {
        return Ok(());
    }
    let text = plan::changes_text(&plan.changes, plan.scope.as_deref());
    show_and_ask(session, args, &text, (&prepared.name, args.template.group())).await
}

/// Shows a plan and asks whether to deploy it; with `--yes` it is only shown.
pub(super) async fn show_and_ask(
    session: &mut Session<'_>,
    args: &DeployArgs,
    text: &str,
    (name, group): (&str, &str),
) -> Result<(), Failure> {
    session.printer.preview(text);
    if args.yes {
        return Ok(());
    }
    answer(session, &format!("deploy `{name}` to group `{group}`?")).await
}

/// Shows what would go or may be replaced, and asks; where nothing would be, there is nothing to ask.
async fn confirm_loss(
    session: &mut Session<'_>,
    args: &DeployArgs,
    prepared: &Prepared,
    properties: &Map<String, Value>,
) -> Result<(), Failure> {
    let Asked::Planned(_, planned) = plan::ask(session, prepared, properties).await? else {
        return Ok(());
    };
    let is_certain = |change: &Change| args.template.replaces() && change.action == Action::Replace;
    let is_deleted = |change: &Change| change.action == Action::Delete;
    let is_detached = |change: &Change| change.action == Action::Detach;
    // What depends on a new resource may have to be new itself; that is known only then.
    let is_possible = |change: &Change| {
        args.template.replaces() && change.action == Action::Unknown && change.identifier.is_some()
    };
    let mut concerned = planned.properties.changes.clone();
    concerned.retain(|change| {
        is_certain(change) || is_possible(change) || is_deleted(change) || is_detached(change)
    });
    if concerned.is_empty() {
        return Ok(());
    }
    let deeds = [
        ("replace", concerned.iter().filter(|change| is_certain(change)).count()),
        ("possibly replace", concerned.iter().filter(|change| is_possible(change)).count()),
        ("delete", concerned.iter().filter(|change| is_deleted(change)).count()),
        ("detach", concerned.iter().filter(|change| is_detached(change)).count()),
    ];
    let what = in_words(&deeds);
    session.printer.preview(&plan::changes_text(&concerned, planned.properties.scope.as_deref()));
    let question =
        format!("{what} of deployment `{}` in group `{}`?", prepared.name, args.template.group());
    answer(session, &question).await
}

/// `replace 1 resource and delete 2 resources`, without what happens to none.
fn in_words(deeds: &[(&str, usize)]) -> String {
    let deeds = deeds.iter().filter(|(_, count)| *count > 0);
    let deeds: Vec<String> =
        deeds.map(|(deed, count)| format!("{deed} {}", counted(*count, "resource"))).collect();
    match deeds.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, first)) => format!("{} and {last}", first.join(", ")),
        None => String::new(),
    }
}

async fn answer(session: &mut Session<'_>, question: &str) -> Result<(), Failure> {
    match session.ask(question).await {
        Said::Yes => Ok(()),
        Said::No | Said::Nothing => {
            Err(Diagnostic::error(codes::DECLINED, "not confirmed; nothing was changed").into())
        }
    }
}
