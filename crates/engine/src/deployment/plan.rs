//! Tells what a run would do: every resource is read once, side by side, and nothing is written. A run that is held to a
//! plan begins with the same look.
//!
//! Whoever drives it does all of it again from the beginning if it is cut off: reading twice harms nobody.

use std::sync::Arc;
use std::time::Duration;

use hangar_plan::deployment::{Fate, Left, Member, Row, RowTarget};
use hangar_plan::operation::{Convergence, Ending, Failure, FailureKind, Success, SuccessKind};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::changes::{Looked, Presence, left_change, look};
use super::outputs::outputs;
use super::seal::{self, Sealed};
use super::{Course, Next, Stopped, waits};
use crate::drift::is_passing;
use crate::plural::resources;

/// Resources that are looked at side by side.
const AT_ONCE: usize = 64;

/// How soon it is tried again where the cloud is away.
const BACK_OFF: Duration = Duration::from_secs(1);

/// How often that is done.
const TRIES: u32 = 60;

/// What came of a look.
pub(super) enum Surveyed {
    /// It is not over, or it ended the run: look again then.
    Not(Option<Duration>),
    /// All was looked at.
    All(Sealed),
}

/// Looks at everything, and ends.
pub(super) async fn run(course: &mut Course<'_>) -> Result<Option<Duration>, Stopped> {
    let sealed = match survey(course).await? {
        Surveyed::Not(again_in) => return Ok(again_in),
        Surveyed::All(sealed) => sealed,
    };
    let deployment = course.work.deployment.id().to_ascii_lowercase();
    let seal = course.shared.keys.plan_mac(None, &deployment, SEAL, &sealed.content);
    let changes: Vec<Value> = sealed.found.into_iter().map(|found| found.change).collect();
    let timeless = sealed.timeless.as_ref();
    let last = course.shared.store.deployment_find(&course.work.deployment).await?;
    let mut result = json!({
        "scope": course.prepared.charter.scope.as_ref().map(ToString::to_string),
        "needsReplace": needing_replace(&changes, course.prepared.charter.leave().replace),
        "changes": changes,
        "seal": seal,
    });
    let defaults = course.prepared.charter.defaults.after(&course.prepared.deployment.moments());
    if let Some(defaults) = defaults.seal_for_plan(&course.shared.keys, &course.work.deployment) {
        result["keptDefaults"] = defaults.into();
    }
    let before = last.as_ref().and_then(|last| last.outputs.as_ref());
    match outputs(&course.prepared, timeless, before) {
        Ok(outputs) => result["outputs"] = Value::Object(outputs),
        Err(problem) => result["outputProblem"] = problem,
    }
    let success = Success {
        kind: SuccessKind::Planned,
        convergence: Convergence::Converged,
        not_effective: Vec::new(),
    };
    end(course, Ending::Succeeded(success), Some(result)).await
}

/// How many of the changes a run like this one refuses, because it may not replace anything.
fn needing_replace(changes: &[Value], may_replace: bool) -> usize {
    if may_replace {
        return 0;
    }
    changes.iter().filter(|change| change["action"] == "replace").count()
}

/// What the seal of a plan is of, among the keyed hashes of its deployment.
pub(super) const SEAL: &str = "seal";

/// Looks at everything.
pub(super) async fn survey(course: &mut Course<'_>) -> Result<Surveyed, Stopped> {
    course.prepared.forget_looks();
    let ended = |again_in| Ok(Surveyed::Not(again_in));
    let of_template = course.work.rows.iter().filter(|row| !row.is_removal());
    let rows: Arc<Vec<Row>> = Arc::new(of_template.cloned().collect());
    let group = course.work.deployment.group.clone();
    let mut waits_for: Vec<usize> = rows.iter().map(|row| row.depends_on.len()).collect();
    let mut ready: Vec<usize> = (0..rows.len()).filter(|it| waits_for[*it] == 0).collect();
    let mut changes: Vec<Option<Value>> = vec![None; rows.len()];
    let mut looks = JoinSet::new();
    loop {
        if course.shared.is_stopping() || course.work.cancel_requested {
            looks.shutdown().await;
            return ended(stop(course).await?);
        }
        while looks.len() < AT_ONCE
            && let Some(index) = ready.pop()
        {
            let (shared, prepared) = (course.shared.clone(), course.prepared.clone());
            let (rows, group) = (rows.clone(), group.clone());
            looks.spawn(async move {
                let looked = look(&shared, &prepared, &rows[index], index, &group).await;
                (index, looked)
            });
        }
        let Some(looked) = looks.join_next().await else { break };
        let Ok((index, looked)) = looked else { continue };
        match looked {
            Ok(Looked { presence, change }) => {
                match presence {
                    Presence::There(resource) => course.prepared.learn(index, Some(resource)),
                    Presence::Missing => course.prepared.learn(index, None),
                    Presence::NotYet => {}
                }
                changes[index] = Some(change);
            }
            Err(failure) if is_passing(&failure) && course.work.tries < TRIES => {
                looks.shutdown().await;
                let mut work = course.work.clone();
                work.tries += 1;
                waits::of_run(&mut work, &failure, course.now().await?, BACK_OFF);
                let message = Some(format!("waiting: {}: {}", failure.code, failure.message));
                return ended(course.commit(work, Next::LookAfter(BACK_OFF), message).await?);
            }
            Err(failure) => {
                looks.shutdown().await;
                return ended(end(course, Ending::Failed(failure), None).await?);
            }
        }
        for (after, row) in rows.iter().enumerate() {
            if row.depends_on.contains(&index) {
                waits_for[after] = waits_for[after].saturating_sub(1);
                if waits_for[after] == 0 {
                    ready.push(after);
                }
            }
        }
    }
    let changes: Vec<Value> = changes.into_iter().flatten().collect();
    let gone = course.work.rows.iter().filter_map(going);
    let left: Vec<Left> = gone.chain(course.work.holdings.left.iter().cloned()).collect();
    let left = left.iter().map(|left| left_change(left, &group)).collect();
    match seal::sealed(course, changes, left).await {
        Ok(sealed) => Ok(Surveyed::All(sealed)),
        Err(failure) if is_passing(&failure) && course.work.tries < TRIES => {
            let mut work = course.work.clone();
            work.tries += 1;
            waits::of_run(&mut work, &failure, course.now().await?, BACK_OFF);
            let message = Some(format!("waiting: {}: {}", failure.code, failure.message));
            ended(course.commit(work, Next::LookAfter(BACK_OFF), message).await?)
        }
        Err(failure) => ended(end(course, Ending::Failed(failure), None).await?),
    }
}

/// What a row takes away, as a plan has it.
fn going(row: &Row) -> Option<Left> {
    let RowTarget::Removed { alias, how, depends_on } = &row.target else { return None };
    let member = Member {
        kind: row.kind.clone(),
        name: alias.clone(),
        address: row.address.clone(),
        depends_on: depends_on.clone(),
    };
    let fate = Fate::Removed { how: *how, because: None };
    Some(Left { member, identifier: row.identifier.clone(), fate })
}

async fn stop(course: &mut Course<'_>) -> Result<Option<Duration>, Stopped> {
    if !course.work.cancel_requested {
        let work = course.work.clone();
        return course.commit(work, Next::LookAfter(Duration::ZERO), None).await;
    }
    let (kind, code) = (FailureKind::Canceled, "OperationCanceled".to_owned());
    let message = "stopped on request before anything was changed".to_owned();
    let failure = Failure { kind, code, message, findings: Vec::new() };
    end(course, Ending::Canceled(failure), None).await
}

pub(super) async fn end(
    course: &mut Course<'_>,
    ending: Ending,
    result: Option<Value>,
) -> Result<Option<Duration>, Stopped> {
    let managed = course.work.rows.iter().filter(|row| matches!(row.target, RowTarget::Managed(_)));
    let message = match &ending {
        Ending::Succeeded(_) => format!("checked {}", resources(managed.count())),
        Ending::Failed(failure) | Ending::Canceled(failure) => {
            format!("ended: {}: {}", failure.code, failure.message)
        }
    };
    let mut work = course.work.clone();
    work.result = result;
    work.ending = Some(ending);
    course.commit(work, Next::End, Some(message)).await
}
