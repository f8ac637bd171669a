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
        let (message, hint) = match self {
            Self::None => return Ok(()),
            Self::Loss { deed, options } => (
                format!("deploying `{name}` may {deed} resources, and nobody can be asked"),
                format!("say --yes, or leave {options} out; `hangar plan` shows what would go"),
            ),
            Self::Plan => (
                "--confirm asks before any change, and there is no terminal to ask on".to_owned(),
                "add --yes to deploy without the question, or leave --confirm out; `hangar plan` shows the \
                 changes"
                    .to_owned(),
            ),
        };
        Err(Diagnostic::error(codes::NOT_CONFIRMED, message).hint(hint).into())
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
    let is_left = |change: &Change| matches!(change.action, Action::Delete | Action::Detach);
    // What depends on a new resource may have to be new itself; that is known only then.
    let is_possible = |change: &Change| {
        args.template.replaces() && change.action == Action::Unknown && change.identifier.is_some()
    };
    let mut concerned = planned.properties.changes.clone();
    concerned.retain(|change| is_certain(change) || is_possible(change) || is_left(change));
    let certain = concerned.iter().filter(|change| is_certain(change)).count();
    let left = concerned.iter().filter(|change| is_left(change)).count();
    let count = |count: usize| match count {
        1 => "1 resource".to_owned(),
        count => format!("{count} resources"),
    };
    let replaced = match (certain, concerned.len() - certain - left) {
        (0, 0) => None,
        (certain, 0) => Some(format!("replace {}", count(certain))),
        (0, possible) => Some(format!("replace perhaps {}", count(possible))),
        (certain, possible) => {
            Some(format!("replace {}, and perhaps {possible} more,", count(certain)))
        }
    };
    let what = match (replaced, left) {
        (None, 0) => return Ok(()),
        (Some(replaced), 0) => replaced,
        (None, left) => format!("take {} away", count(left)),
        (Some(replaced), left) => format!("{replaced} and take {} away", count(left)),
    };
    session.printer.preview(&plan::changes_text(&concerned, planned.properties.scope.as_deref()));
    let question =
        format!("{what} of deployment `{}` in group `{}`?", prepared.name, args.template.group());
    answer(session, &question).await
}

async fn answer(session: &mut Session<'_>, question: &str) -> Result<(), Failure> {
    match session.ask(question).await {
        Said::Yes => Ok(()),
        Said::No | Said::Nothing => {
            Err(Diagnostic::error(codes::DECLINED, "nothing was changed: you did not say yes")
                .into())
        }
    }
}
