//! Takes away what left the template of a deployment: each by an operation of its own, which begins only while the
//! alias says that this deployment manages it.

use hangar_plan::deployment::{Removal, Row, RowKind, Sight, Stated};
use hangar_plan::operation::Failure;
use hangar_plan::record::Subject;

use super::Course;
use super::begin::{Begun, Failed};
use crate::ask::{Ask, Condition, DeleteMode, Hold, Parent, RecipeAsk, Submission};
use crate::read::unavailable;
use crate::submit::{self, MANAGED_ELSEWHERE};

/// Asks for something to be taken away.
pub(super) async fn begin(course: &Course<'_>, row: &Row, how: Removal) -> Result<Begun, Failed> {
    let asked = match &row.kind {
        RowKind::Aws(_) => resource(course, row, how).await,
        RowKind::Recipe => recipe(course, row).await,
    };
    let Err(failure) = asked else { return Ok(Begun::UnderWay) };
    if failure.code == MANAGED_ELSEWHERE {
        return Ok(over(row, Stated::Taken));
    }
    if failure.code != "ResourceNotFound" {
        return Err(failure.into());
    }
    // It is gone: by its operation, which another worker began, or by other hands.
    let begun = course.shared.store.operation_find(row.operation).await;
    match begun.map_err(|error| unavailable(&error.to_string()))? {
        Some(_) => Ok(Begun::UnderWay),
        None => Ok(over(row, Stated::Absent)),
    }
}

fn over(row: &Row, stated: Stated) -> Begun {
    let (identifier, changed, made) = (row.identifier.clone(), Vec::new(), Vec::new());
    Begun::Over(Sight::Done { stated, identifier, changed, made, retires: false })
}

async fn resource(course: &Course<'_>, row: &Row, how: Removal) -> Result<(), Failure> {
    let Course { shared, work, .. } = course;
    let Some(name) = row.reference(&work.deployment.group) else { return Ok(()) };
    let found = shared.store.reference_find(&name).await;
    let found = found.map_err(|error| unavailable(&error.to_string()))?;
    let Some(reference) = found else { return Err(submit::reference_not_found(&name)) };
    let mode = match how {
        Removal::Delete => DeleteMode::ByOwnership,
        Removal::Detach => DeleteMode::Detach,
    };
    let subject = Subject::new(reference.scope, name.type_name.clone(), Some(name));
    let submission = Submission {
        parent: Some(Parent::Deployment(work.id)),
        hold: Some(Hold::Release { by: work.deployment.clone() }),
        held: row.plan.as_ref().and_then(|plan| plan.held.clone()),
        id: Some(row.operation),
        correlation_id: course.record.correlation_id.clone(),
        ..Submission::new(subject, Ask::Delete { identifier: None, mode })
    };
    submit::submit(shared, submission).await.map(drop)
}

async fn recipe(course: &Course<'_>, row: &Row) -> Result<(), Failure> {
    let Course { shared, work, .. } = course;
    let Some(name) = row.recipe(&work.deployment.group) else { return Ok(()) };
    let ask = RecipeAsk {
        name,
        terms: None,
        parent: Some(Parent::Deployment(work.id)),
        hold: Some(Hold::Release { by: work.deployment.clone() }),
        id: Some(row.operation),
        condition: Condition::None,
        repeatability: None,
        correlation_id: course.record.correlation_id.clone(),
    };
    submit::submit_recipe(shared, ask).await.map(drop)
}
