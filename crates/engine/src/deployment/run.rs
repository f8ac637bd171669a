//! Runs a template: what was begun is looked at, what may begin is begun, and the end is told with the outputs.

use std::collections::BTreeMap;
use std::time::Duration;

use hangar_plan::deployment::{
    DeploymentTask, Holding, RowState, RowTarget, Sight, Stated, advance, ending,
};
use hangar_plan::operation::{Attempt, Ending, Failure, FailureKind, Verb};
use hangar_plan::record::OperationRecord;
use serde_json::{Map, Value, json};

use super::begin::{self, Begun};
use super::prepared::of_problems;
use super::tidy::{self, Tidied};
use super::{Course, Next, Stopped, recipe, verify, waits};

/// How long a look waits for others to end, for each row: every look reads and writes all rows, and the end of
/// each part asks for one.
const GATHER: Duration = Duration::from_micros(50);

/// Drives a run until it has to wait.
pub(super) async fn run(course: &mut Course<'_>) -> Result<Option<Duration>, Stopped> {
    if course.work.holding == Holding::Unverified
        && let Some(again_in) = verify::verify(course).await?
    {
        return Ok(again_in);
    }
    let rows = u32::try_from(course.work.rows.len()).unwrap_or(u32::MAX);
    tokio::time::sleep(GATHER.saturating_mul(rows)).await;
    // What was found on the way and is not written down yet.
    let mut found: BTreeMap<usize, Sight> = BTreeMap::new();
    loop {
        let unbegun = look(course, &mut found).await?;
        course.work.waiting = None;
        let now = course.now().await?;
        let seen: Vec<(usize, Sight)> = std::mem::take(&mut found).into_iter().collect();
        let decided = advance(&course.work, &seen, now);
        if decided.is_over {
            let (mut work, message, tidied) =
                tidy::go_on(course, decided.work, decided.message).await?;
            return match tidied {
                Tidied::Waits(again_in) => Ok(again_in),
                Tidied::Done(stays) => {
                    work.holdings.retiring = stays;
                    finish(course, work, message).await
                }
            };
        }
        if course.shared.is_stopping() {
            let work = course.work.clone();
            return course.commit(work, Next::LookAfter(Duration::ZERO), None).await;
        }
        let mut launch = decided.launch;
        if launch.is_empty() && unbegun.is_empty() {
            let next = Next::LookAfter(decided.look_after);
            return course.commit(decided.work, next, decided.message).await;
        }
        if launch.is_empty() && seen.is_empty() {
            course.work.tries = decided.work.tries;
        } else {
            course.commit(decided.work, Next::GoOn, decided.message).await?;
        }
        if course.work.cancel_requested {
            launch.clear();
        }
        launch.extend(unbegun);
        let begun = begin::all(course, &launch).await?;
        let mut waits = false;
        for (index, begun) in begun {
            match begun {
                Begun::Over(sight) => drop(found.insert(index, sight)),
                Begun::UnderWay => {}
                Begun::NotNow(failure) => {
                    waits = true;
                    let stopped = waits::put_off(&mut course.work, index, failure, now);
                    found.extend(stopped.map(|sight| (index, sight)));
                }
            }
        }
        if found.is_empty() {
            let span = if waits { decided.look_after.max(BACK_OFF) } else { decided.look_after };
            let work = course.work.clone();
            return course.commit(work, Next::LookAfter(span), None).await;
        }
    }
}

/// How soon something is asked for again that was turned away for now.
const BACK_OFF: Duration = Duration::from_millis(300);

/// What became of rows that were begun; gives those of which nothing was asked yet, or nothing is left of it.
async fn look(
    course: &mut Course<'_>,
    found: &mut BTreeMap<usize, Sight>,
) -> Result<Vec<usize>, Stopped> {
    let mut unbegun = Vec::new();
    let mut waits = Vec::new();
    for (index, row) in course.work.rows.iter().enumerate() {
        if !matches!(row.state, RowState::Begun { .. }) || found.contains_key(&index) {
            continue;
        }
        if matches!(row.target, RowTarget::Existing { .. }) {
            unbegun.push(index);
            continue;
        }
        let Some(record) = course.shared.store.operation_find(row.operation).await? else {
            unbegun.push(index);
            continue;
        };
        recipe::stop_with(course, row, &record).await?;
        waits::stop_idle(course, &record).await?;
        waits.push((index, record.waiting(), verb_of(&record)));
        if let Some(mut sight) = sight(&record) {
            if let Sight::Done { made, .. } = &mut sight {
                *made = recipe::made(course, row).await?;
            }
            found.insert(index, sight);
        }
    }
    for (index, waiting, verb) in waits {
        let row = &mut course.work.rows[index];
        (row.waiting, row.verb) = (waiting, verb);
    }
    Ok(unbegun)
}

/// What an operation on a resource asks AWS for right now.
fn verb_of(record: &OperationRecord) -> Option<Verb> {
    record.resource()?.operation.current().map(|attempt| attempt.verb)
}

/// What an operation that has ended came to.
fn sight(record: &OperationRecord) -> Option<Sight> {
    let identifier = record.resource().and_then(|work| work.operation.identifier.clone());
    let changed = record.resource().map(|work| work.operation.changed.clone()).unwrap_or_default();
    Some(match record.ending()? {
        Ending::Succeeded(success) => {
            let (stated, made) = (Stated::Put(success.kind), Vec::new());
            let is_of_old = |it: &Attempt| it.verb == Verb::Delete && it.replaces.is_some();
            let retires = record.attempts().iter().any(is_of_old);
            Sight::Done { stated, identifier, changed, made, retires }
        }
        Ending::Failed(failure) | Ending::Canceled(failure) => {
            Sight::Failed { failure: failure.clone(), place: None }
        }
    })
}

/// Every row is over: the outputs, and the end.
async fn finish(
    course: &mut Course<'_>,
    mut work: hangar_plan::deployment::DeploymentWork,
    message: Option<String>,
) -> Result<Option<Duration>, Stopped> {
    let mut end = ending(&work);
    if matches!(end, Ending::Succeeded(_)) && work.task == DeploymentTask::Deploy {
        course.work.rows.clone_from(&work.rows);
        let every: Vec<usize> = (0..work.rows.len()).collect();
        match begin::learn(course, &every).await? {
            Ok(()) => match outputs(course) {
                Ok(outputs) => work.result = Some(outputs),
                Err(failure) => end = Ending::Failed(failure),
            },
            // The cloud or the store is away: what is known is kept, and the outputs are told later.
            Err(failure) if crate::drift::is_passing(&failure) => {
                waits::of_run(&mut work, &failure, course.now().await?, BACK_OFF);
                return course.commit(work, Next::LookAfter(BACK_OFF), message).await;
            }
            Err(failure) => end = Ending::Failed(failure),
        }
    }
    let told = match &end {
        Ending::Succeeded(success) => success.kind.as_str().to_owned(),
        Ending::Failed(failure) => format!("failed: {}: {}", failure.code, failure.message),
        Ending::Canceled(failure) => format!("canceled: {}", failure.message),
    };
    let message = message.map_or(told.clone(), |message| format!("{message}; {told}"));
    work.ending = Some(end);
    course.commit(work, Next::End, Some(message)).await
}

/// The outputs of a run by name; of one that is secret as a whole only its type, of another one all but its secrets.
fn outputs(course: &Course<'_>) -> Result<Value, Failure> {
    let prepared = &course.prepared;
    let outputs = prepared.deployment.outputs(&prepared.sights());
    let outputs = outputs.map_err(|problems| of_problems(&problems, &prepared.sources).0)?;
    let mut told = Map::new();
    for output in outputs {
        let described = if output.secure || output.value.secret {
            let kind = if &*output.type_text == "object" { "secureObject" } else { "securestring" };
            json!({ "type": kind })
        } else {
            let value = output.value.to_masked_json().ok_or_else(|| Failure {
                kind: FailureKind::Internal,
                code: "OutputUnknown".to_owned(),
                message: format!(
                    "the output {} is unknown although all resources are done",
                    output.name
                ),
                findings: Vec::new(),
            })?;
            json!({ "type": &*output.type_text, "value": value })
        };
        told.insert(output.name.to_string(), described);
    }
    Ok(Value::Object(told))
}
