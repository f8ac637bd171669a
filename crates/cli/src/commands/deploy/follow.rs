//! Follows a run to its end and tells each row that moves; Ctrl-C cancels the run, once.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use hangar_plan::operation::OperationId;
use serde_json::{Value, json};

use super::rows::{Told, glance, is_quiet};
use super::waits;
use crate::client::deployment::{Deployment, Row, RowState, RunState};
use crate::client::ids;
use crate::client::instant::Instant;
use crate::client::request::Request;
use crate::client::shape::{Operation, OperationState};
use crate::failure::Failure;
use crate::follow::vigil::Vigil;
use crate::session::wakes::Wakes;
use crate::session::{CallError, Session};

/// The resources of a run that get a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rows {
    /// Those that something was done to.
    Changed,
    /// All of them.
    All,
}

/// Follows the run of a deployment that an operation is, and gives the deployment at its end.
pub(crate) async fn to_end(
    session: &mut Session<'_>,
    id: &str,
    operation: OperationId,
    first: &Value,
    shown: Rows,
) -> Result<(Value, Deployment), CallError> {
    session.follows(operation);
    let ended = watch(session, Telling::new(id, operation, shown), first).await;
    session.printer.done();
    session.heeds_no_more();
    session.followed();
    ended.map_err(|error| match error {
        CallError::Stopped(failure) => CallError::Stopped(failure.hint(format!(
            "operation {operation} was accepted and continues when the server runs again: `hangar operation wait \
             {operation}`"
        ))),
        refused @ CallError::Refused(_) => refused,
    })
}

async fn watch(
    session: &mut Session<'_>,
    mut telling: Telling<'_>,
    first: &Value,
) -> Result<(Value, Deployment), CallError> {
    let (id, operation) = (telling.id, telling.operation);
    let wish = session.heeds_the_wish_to_stop();
    let mut wakes = Wakes::new(operation);
    let mut told_first = !first.is_null();
    if told_first {
        telling.tell(session, first, &session.shape(first)?).map_err(CallError::Stopped)?;
    }
    loop {
        if std::mem::take(&mut told_first) {
            // The answer was a look.
        } else {
            let (document, mut deployment) =
                match session.read::<Deployment>(&Request::get(id)).await {
                    // It was destroyed: what became of each thing only its operation knows.
                    Err(CallError::Refused(refusal)) if refusal.status == 404 => {
                        let result = Request::get(ids::operation_result(operation));
                        session.read::<Deployment>(&result).await?
                    }
                    read => read?,
                };
            if deployment.properties.operation != Some(operation) {
                // Another run took its place, so that this one is over.
                return Ok((document, overtaken(session, deployment, operation).await?));
            }
            forget_others(&mut deployment);
            telling.tell(session, &document, &deployment).map_err(CallError::Stopped)?;
            if deployment.properties.provisioning_state.is_ended() {
                return Ok((document, deployment));
            }
        }
        tokio::select! {
            woken = wakes.next(session) => woken?,
            () = wish.made() => cancel(session, id).await?,
        }
    }
}

/// A run that began nothing leaves what the one before it came to: that is not told as its own.
fn forget_others(deployment: &mut Deployment) {
    let properties = &mut deployment.properties;
    let is_earlier =
        |row: &Row| row.started_at.zip(properties.timestamp).is_some_and(|(a, b)| a < b);
    if properties.provisioning_state.is_ended() && properties.resources.iter().any(is_earlier) {
        properties.resources.clear();
        properties.outputs.clear();
    }
}

/// A run whose rows are another's by now: only how it ended is known.
async fn overtaken(
    session: &mut Session<'_>,
    mut deployment: Deployment,
    operation: OperationId,
) -> Result<Deployment, CallError> {
    let (_, status) = session.read::<Operation>(&Request::get(ids::operation(operation))).await?;
    deployment.properties.provisioning_state = match status.status {
        OperationState::Succeeded => RunState::Succeeded,
        OperationState::Failed => RunState::Failed,
        OperationState::Canceled => RunState::Canceled,
        OperationState::Running(_) => RunState::Running,
    };
    deployment.properties.error = status.error;
    deployment.properties.resources.clear();
    deployment.properties.outputs.clear();
    Ok(deployment)
}

/// Cancels the run; one that has ended meanwhile is told by its end.
async fn cancel(session: &mut Session<'_>, id: &str) -> Result<(), CallError> {
    session.printer.note(
        "canceling: no new changes are started, and changes in progress are finished; press Ctrl-C again to leave at \
         once",
    );
    match session.send(&Request::post(format!("{id}/cancel"))).await {
        Err(CallError::Refused(refusal)) if refusal.status == 409 || refusal.status == 404 => {
            Ok(())
        }
        answered => answered.map(|_| ()),
    }
}

/// Tells a run as it goes on.
struct Telling<'a> {
    id: &'a str,
    operation: OperationId,
    told: Told,
    shown: Rows,
    vigil: Vigil,
    has_begun: bool,
    /// Since when a row is known to run.
    running: BTreeMap<usize, std::time::Instant>,
    /// The rows whose beginning has a line.
    begun: BTreeSet<usize>,
}

/// A row that changes nothing is over by then, and needs no line.
const TELL_BEGUN_AFTER: Duration = Duration::from_secs(2);

impl<'a> Telling<'a> {
    fn new(id: &'a str, operation: OperationId, shown: Rows) -> Self {
        let vigil = Vigil::new(std::time::Instant::now());
        let (told, running, begun) = (Told::default(), BTreeMap::new(), BTreeSet::new());
        Self { id, operation, told, shown, vigil, has_begun: false, running, begun }
    }

    /// Whether to print that a row began: an action runs on it, or it takes long.
    fn is_worth_a_line(&mut self, place: usize, row: &Row) -> bool {
        if row.state != RowState::Running {
            return false;
        }
        let now = std::time::Instant::now();
        let since = *self.running.entry(place).or_insert(now);
        row.verb.is_some() || now.duration_since(since) >= TELL_BEGUN_AFTER
    }

    fn tell(
        &mut self,
        session: &mut Session<'_>,
        document: &Value,
        deployment: &Deployment,
    ) -> Result<(), Failure> {
        let rows = &deployment.properties.resources;
        if !self.has_begun {
            self.has_begun = true;
            session.printer.begin_board(&deployment.name, rows.len());
            let (id, operation) = (self.id, self.operation.to_string());
            session.printer.event(|| {
                json!({"event": "started", "deployment": id, "operation": operation, "resources": rows.len()})
            })?;
        }
        let moved = self.told.moved(rows, session.printer.width());
        for place in moved {
            let Some(row) = rows.get(place) else { continue };
            let whole = document.pointer(&format!("/properties/resources/{place}"));
            session.printer.event(|| json!({"event": "resource", "resource": whole}))?;
            let is_open = self.begun.remove(&place);
            match row.state {
                // Those that nothing is done to are told by their number, and why at the end.
                RowState::Running | RowState::Waiting => {}
                RowState::Skipped | RowState::Canceled if !is_open => {}
                _ if self.shown == Rows::Changed && is_quiet(row) && !is_open => {}
                _ => session.printer.line(&self.told.over(row))?,
            }
        }
        for (place, row) in rows.iter().enumerate() {
            if self.is_worth_a_line(place, row) && self.begun.insert(place) {
                session.printer.progress_line(&self.told.begun(row));
            }
        }
        session.printer.glance(&glance(rows, Instant::now()));
        waits::tell(&mut self.vigil, session.printer, document, deployment)
    }
}
