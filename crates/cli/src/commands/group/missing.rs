//! Creates the group of a deployment or a recipe if it does not exist and the user wants it: a mistyped name must not
//! create everything a second time.

use hangar_diag::{Diagnostic, nearest};
use serde_json::{Value, json};

use crate::client::ids;
use crate::client::request::Request;
use crate::codes;
use crate::commands::resource::list::is_default;
use crate::failure::Failure;
use crate::follow;
use crate::printer::Said;
use crate::session::{CallError, Session};

/// Whether a command may create the group that it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CreateGroup {
    /// `--create-group` was given.
    Allowed,
    /// Ask on a terminal, refuse elsewhere.
    IfConfirmed,
    /// Questions were turned off, and the option was not given.
    Refused,
}

impl CreateGroup {
    /// From `--create-group` and `--yes`: the latter answers other questions.
    pub(crate) fn from_options(create_group: bool, yes: bool) -> Self {
        match (create_group, yes) {
            (true, _) => Self::Allowed,
            (false, true) => Self::Refused,
            (false, false) => Self::IfConfirmed,
        }
    }
}

/// What to do about a group that does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Create,
    Ask,
    Refuse,
}

/// The default group is always created: its name is typed by no one.
fn next_step(group: &str, create: CreateGroup, can_ask: bool) -> Step {
    match create {
        _ if is_default(group) => Step::Create,
        CreateGroup::Allowed => Step::Create,
        CreateGroup::IfConfirmed if can_ask => Step::Ask,
        CreateGroup::IfConfirmed | CreateGroup::Refused => Step::Refuse,
    }
}

/// Creates a group that does not exist; returns whether this call created it.
///
/// # Errors
///
/// The group may not be created, or the control plane refused it.
pub(crate) async fn create_missing(
    session: &mut Session<'_>,
    group: &str,
    create: CreateGroup,
) -> Result<bool, CallError> {
    let id = ids::group(group).map_err(CallError::Stopped)?;
    match next_step(group, create, session.printer.can_ask()) {
        Step::Create => {}
        Step::Ask => {
            let question = format!("group `{group}` does not exist. Create it?");
            if session.ask(&question).await != Said::Yes {
                let message = format!("group `{group}` does not exist and was not created");
                let declined = Diagnostic::error(codes::DECLINED, message);
                return Err(CallError::Stopped(declined.into()));
            }
        }
        Step::Refuse => return Err(CallError::Stopped(refusal(session, group).await)),
    }
    let reply = session.send(&Request::put(id, json!({}))).await?;
    if reply.status == 201 && !is_default(group) {
        session.note(&format!("created group `{group}`"));
    }
    Ok(reply.status == 201)
}

/// Deletes a group that this command created for a run that was refused; returns whether it is gone.
pub(crate) async fn remove_created(session: &mut Session<'_>, group: &str) -> bool {
    let Ok(id) = ids::group(group) else { return false };
    let Ok(reply) = session.send(&Request::delete(id)).await else { return false };
    let Some(operation) = reply.operation else { return true };
    let label = format!("deleting group `{group}`");
    let ended = follow::to_end(session, operation, &label).await;
    ended.is_ok_and(|(_, operation)| operation.error.is_none())
}

async fn refusal(session: &mut Session<'_>, group: &str) -> Failure {
    let mistake = with_nearest(session, group).await;
    mistake.hint("pass --create-group to create it; `hangar group list` shows the groups").into()
}

/// The error for a group that does not exist, for a command that only works on what exists.
pub(crate) async fn unknown_group(session: &mut Session<'_>, group: &str) -> Failure {
    with_nearest(session, group).await.hint("`hangar group list` shows the groups").into()
}

async fn with_nearest(session: &mut Session<'_>, group: &str) -> Diagnostic {
    let documents = session.list(Request::get(ids::GROUPS)).await.unwrap_or_default();
    let names: Vec<&str> =
        documents.iter().filter_map(|it| it.get("name").and_then(Value::as_str)).collect();
    let mistake =
        Diagnostic::error(codes::GROUP_MISSING, format!("group `{group}` does not exist"));
    match nearest(group, names.iter().copied()) {
        Some(near) => mistake.hint(format!("did you mean `{near}`?")),
        None => mistake,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_default_group_is_created_without_asking() {
        use CreateGroup::{Allowed, IfConfirmed, Refused};
        for (group, create, can_ask, step) in [
            ("default", IfConfirmed, false, Step::Create),
            ("default", Refused, true, Step::Create),
            ("prod", Allowed, false, Step::Create),
            ("prod", IfConfirmed, true, Step::Ask),
            ("prod", IfConfirmed, false, Step::Refuse),
            ("prod", Refused, true, Step::Refuse),
        ] {
            assert_eq!(next_step(group, create, can_ask), step, "{group} {create:?} {can_ask}");
        }
    }

    #[test]
    fn saying_yes_to_other_questions_creates_no_group() {
        assert_eq!(CreateGroup::from_options(false, true), CreateGroup::Refused);
        assert_eq!(CreateGroup::from_options(true, true), CreateGroup::Allowed);
        assert_eq!(CreateGroup::from_options(false, false), CreateGroup::IfConfirmed);
    }
}
