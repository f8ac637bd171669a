//! Follows a run of a recipe to its end and tells each resource that moves; Ctrl-C cancels the run, once.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use hangar_plan::operation::OperationId;
use serde_json::Value;

use super::rows::{Told, begun, glance, heartbeat, over, stage_in_words};
use crate::client::ids;
use crate::client::recipe::{Progress, Recipe};
use crate::client::request::Request;
use crate::client::shape::Operation;
use crate::failure::Failure;
use crate::follow::vigil::Vigil;
use crate::session::wakes::Wakes;
use crate::session::{CallError, Session};

/// What is left of a recipe when a run of it has ended.
pub(super) struct Ended {
    /// How the run ended.
    pub(super) operation: Operation,
    /// The recipe as it is then; nothing where it is gone.
    pub(super) recipe: Option<(Value, Recipe)>,
}

/// Follows the run that an operation is.
pub(super) async fn to_end(
    session: &mut Session<'_>,
    id: &str,
    label: &str,
    operation: OperationId,
) -> Result<Ended, CallError> {
    session.follows(operation);
    session.printer.begin_board(label, 0);
    let ended = watch(session, id, operation).await;
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
    id: &str,
    operation: OperationId,
) -> Result<Ended, CallError> {
    let wish = session.heeds_the_wish_to_stop();
    let mut wakes = Wakes::new(operation);
    let mut telling = Telling::new();
    loop {
        let found = find(session, id).await?;
        match &found {
            Some((_, recipe)) if recipe.properties.operation == Some(operation) => {
                telling.tell(session, recipe).map_err(CallError::Stopped)?;
                if recipe.properties.run_state().is_ended() {
                    return ended(session, operation, found).await;
                }
            }
            // It is gone, or another run took its place: this one is over.
            _ => return ended(session, operation, found).await,
        }
        tokio::select! {
            woken = wakes.next(session) => woken?,
            () = wish.made() => cancel(session, id).await?,
        }
    }
}

/// The recipe, if it is still there.
pub(super) async fn find(
    session: &mut Session<'_>,
    id: &str,
) -> Result<Option<(Value, Recipe)>, CallError> {
    match session.read::<Recipe>(&Request::get(id)).await {
        Ok(found) => Ok(Some(found)),
        Err(CallError::Refused(refusal)) if refusal.status == 404 => Ok(None),
        Err(error) => Err(error),
    }
}

async fn ended(
    session: &mut Session<'_>,
    operation: OperationId,
    recipe: Option<(Value, Recipe)>,
) -> Result<Ended, CallError> {
    let read = session.read::<Operation>(&Request::get(ids::operation(operation))).await;
    Ok(Ended { operation: read?.1, recipe })
}

/// Cancels the run; one that has ended meanwhile is told by its end.
async fn cancel(session: &mut Session<'_>, id: &str) -> Result<(), CallError> {
    session.printer.note(
        "canceling: Terraform finishes the changes in progress and keeps its state; press Ctrl-C again to leave at \
         once",
    );
    match session.send(&Request::post(format!("{id}/cancel"))).await {
        Err(CallError::Refused(refusal)) if refusal.status == 409 || refusal.status == 404 => {
            Ok(())
        }
        answered => answered.map(|_| ()),
    }
}

/// Prints the progress of a run.
struct Telling {
    told: Told,
    stage: Option<(&'static str, Instant)>,
    /// When each row began, by our own clock: Terraform does not say.
    began: HashMap<String, Instant>,
    vigil: Vigil,
}

impl Telling {
    fn new() -> Self {
        let vigil = Vigil::new(Instant::now());
        Self { told: Told::default(), stage: None, began: HashMap::new(), vigil }
    }

    fn tell(&mut self, session: &mut Session<'_>, recipe: &Recipe) -> Result<(), Failure> {
        let properties = &recipe.properties;
        let is_over = properties.run_state().is_ended();
        let stage = stage_in_words(properties);
        if self.stage.is_none_or(|(told, _)| told != stage) && !is_over {
            self.stage = Some((stage, Instant::now()));
            session.printer.progress_line(&format!("…   {stage}"));
        }
        for row in self.told.moved(&properties.rows) {
            match row.progress {
                Progress::Planned => {}
                Progress::Running => {
                    self.began.entry(row.address.clone()).or_insert_with(Instant::now);
                    session.printer.progress_line(&begun(row));
                }
                Progress::Done | Progress::Failed => session.printer.line(&over(row))?,
            }
        }
        if !is_over {
            let since =
                |address: &str| self.began.get(address).map_or(Duration::ZERO, Instant::elapsed);
            let in_stage = self.stage.map_or(Duration::ZERO, |(_, at)| at.elapsed());
            session.printer.glance(&glance(properties, since, in_stage));
            if self.vigil.beats(Instant::now()) {
                session.printer.progress_line(&heartbeat(properties, since, in_stage));
            }
        }
        Ok(())
    }
}
