//! Follows an operation to its end, and says what happens on the way.

pub(crate) mod vigil;

use std::time::Duration;

use clap::builder::styling::{AnsiColor, Style};
use hangar_diag::Diagnostic;
use hangar_plan::operation::OperationId;
use serde_json::Value;

use crate::client::ids;
use crate::client::request::Request;
use crate::client::shape::Operation;
use crate::client::stream::Heard;
use crate::codes;
use crate::failure::{Failure, Report};
use crate::render::printable;
use crate::session::listen::Hearing;
use crate::session::{CallError, Session};

/// Asks how an operation is doing until it has ended; gives the document whole and in its shape.
pub(crate) async fn to_end(
    session: &mut Session<'_>,
    id: OperationId,
    label: &str,
) -> Result<(Value, Operation), CallError> {
    session.printer.begin(label);
    let ended = quietly(session, id).await;
    session.printer.done();
    ended
}

/// The same for what works on so many resources.
pub(crate) async fn to_end_of(
    session: &mut Session<'_>,
    id: OperationId,
    label: &str,
    total: usize,
) -> Result<(Value, Operation), CallError> {
    session.printer.begin_of(label, total);
    let ended = quietly(session, id).await;
    session.printer.done();
    ended
}

/// The same as part of what is told already.
pub(crate) async fn quietly(
    session: &mut Session<'_>,
    id: OperationId,
) -> Result<(Value, Operation), CallError> {
    session.follows(id);
    let ended = watch(session, id).await;
    session.followed();
    // It was accepted, and is finished whenever a server runs: whoever cannot wait must know what to ask for.
    ended.map_err(|error| match error {
        CallError::Stopped(failure) => CallError::Stopped(failure.hint(format!(
            "operation {id} was accepted and continues when the server runs again: `hangar operation wait {id}`"
        ))),
        refused @ CallError::Refused(_) => refused,
    })
}

/// Listens to the server, and asks it where it does not tell or the connection is lost: that finds out who answers
/// by now.
async fn watch(
    session: &mut Session<'_>,
    id: OperationId,
) -> Result<(Value, Operation), CallError> {
    let request = Request::get(ids::operation(id));
    let mut hearing = Hearing::new();
    let mut listen_at = 0;
    for asked in 0.. {
        if asked >= listen_at {
            match session.listen(id, &mut hearing).await? {
                Heard::End(document, operation) => return Ok((document, *operation)),
                Heard::Broken => {}
                Heard::Nothing => listen_at = asked + LISTEN_AGAIN,
            }
        }
        let reply = session.send(&request).await?;
        let operation: Operation = session.shape(&reply.body)?;
        hearing.tell(session.printer, &operation);
        if operation.status.is_ended() {
            return Ok((reply.body, operation));
        }
        tokio::time::sleep(pause(asked, reply.retry_after, session.is_near())).await;
    }
    unreachable!("the loop has no end of its own")
}

/// After so many questions a server that did not tell by itself is asked once more to do so: it may have had too
/// many who listen.
const LISTEN_AGAIN: u32 = 30;

const SHORTEST: Duration = Duration::from_millis(200);
const LONGEST: Duration = Duration::from_secs(1);

/// How long to wait before asking again: a little longer each time, and as long as the server says
/// where asking costs more than a call on this machine.
fn pause(asked: u32, retry_after: Option<Duration>, is_near: bool) -> Duration {
    let own = (SHORTEST + Duration::from_millis(100) * asked).min(LONGEST);
    if is_near { own } else { own.max(retry_after.unwrap_or(own)) }
}

/// Warns of what the control plane says besides.
pub(crate) fn warn_of(session: &mut Session<'_>, warnings: &[String]) {
    let diagnostics = warned_of(warnings);
    if !diagnostics.is_empty() {
        session.printer.warn(&[Report { source: None, diagnostics }]);
    }
}

fn warned_of(warnings: &[String]) -> Vec<Diagnostic> {
    let warning = |text: &String| Diagnostic::warning(codes::API_WARNING, text.clone());
    warnings.iter().map(warning).collect()
}

/// Warns of what the control plane says besides, and of a write that a read does not show.
pub(crate) fn warn(session: &mut Session<'_>, operation: &Operation) {
    let mut diagnostics = warned_of(&operation.warnings);
    if let Some(result) = &operation.properties {
        diagnostics.extend(result.not_effective.iter().map(|pointer| {
            let message = "AWS accepted this value, but a read does not return it";
            Diagnostic::warning(codes::NOT_EFFECTIVE, message).pointer(pointer.clone())
        }));
    }
    if !diagnostics.is_empty() {
        session.printer.warn(&[Report { source: None, diagnostics }]);
    }
}

/// The failure of an operation that ended badly; nothing where it ended well.
pub(crate) fn failure(
    operation: &Operation,
    locate: impl FnOnce(Vec<Diagnostic>) -> Vec<Report>,
) -> Option<Failure> {
    let doing = format!("cannot {} {}", operation.deed(), operation.subject());
    failure_of(operation, &doing, locate)
}

/// The failure of an operation that was to do this, if it ended badly.
pub(crate) fn failure_of(
    operation: &Operation,
    doing: &str,
    locate: impl FnOnce(Vec<Diagnostic>) -> Vec<Report>,
) -> Option<Failure> {
    let error = operation.error.as_ref()?;
    let more = format!("`hangar operation show {}` shows what was tried", operation.name);
    Some(error.explain(codes::OPERATION_FAILED, None, doing, Some(more), locate))
}

/// One line on an operation that ended well: what was done, to what.
pub(crate) fn ended_well(operation: &Operation) -> String {
    let result = operation.properties.as_ref();
    let outcome = result.map_or("", |result| result.outcome.as_str());
    let identifier = result.and_then(|result| result.identifier.as_deref());
    outcome_line(outcome, &operation.subject(), identifier)
}

/// What was done, to what, and what AWS calls it.
pub(crate) fn outcome_line(outcome: &str, subject: &str, identifier: Option<&str>) -> String {
    let (word, style) = match outcome {
        "noop" => ("unchanged", Style::new().dimmed()),
        "created" | "imported" => (outcome, AnsiColor::Green.on_default()),
        "updated" => (outcome, AnsiColor::Yellow.on_default()),
        "replaced" => (outcome, AnsiColor::Magenta.on_default()),
        "deleted" | "failed" => (outcome, AnsiColor::Red.on_default()),
        // The resource stays; only its name is gone.
        "unlinked" => ("detached", AnsiColor::Yellow.on_default()),
        "" => ("done:", Style::new()),
        other => (other, Style::new()),
    };
    let identifier = identifier.map(|text| format!(": {}", printable(text))).unwrap_or_default();
    format!("{style}{}{style:#} {}{identifier}", printable(word), printable(subject))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asking_is_quick_at_first_and_never_slow_on_this_machine() {
        let (second, five) = (Duration::from_secs(1), Duration::from_secs(5));
        assert_eq!(pause(0, Some(second), true), Duration::from_millis(200));
        assert_eq!(pause(50, Some(five), true), second);
        assert_eq!(pause(0, Some(five), false), five);
        assert_eq!(pause(50, None, false), second);
    }
}
