//! What a template names that another deployment manages, and what it does not name any more.

use std::collections::HashSet;

use hangar_diag::Diagnostic;
use hangar_plan::deployment::{Left, Member, OnRemove, Row, RowTarget, Standing, fate, members_of};
use hangar_plan::operation::Failure;
use hangar_plan::record::{DeploymentName, DeploymentRecord, GroupName};
use hangar_plan::template_check::codes;
use hangar_store::StoreError;
use hangar_template::deployment::Deployment;
use hangar_template::source::Problem;

use super::hold;
use crate::ask::Reach;
use crate::engine::Shared;
use crate::read::unavailable;

/// The names of the template that are another deployment's, with their places: mistakes, or where they may change
/// hands only worth a word.
pub(super) async fn managed_elsewhere(
    shared: &Shared,
    own: &DeploymentName,
    deployment: &Deployment,
    rows: &[Row],
    reach: Reach,
) -> Result<Vec<Problem>, Failure> {
    let mut problems = Vec::new();
    for (node, row) in deployment.nodes().iter().zip(rows) {
        if !matches!(row.target, RowTarget::Managed(_)) {
            continue;
        }
        let manager = manager(shared, row, &own.group).await.map_err(|error| away(&error))?;
        let other =
            hold::other(shared, manager.as_ref(), own).await.map_err(|error| away(&error))?;
        let Some(other) = other else { continue };
        let word = if row.aws().is_some() { "alias" } else { "recipe" };
        let name = row.name().unwrap_or_default();
        let message = format!("the {word} `{name}` is managed by the deployment `{}`", other.name);
        let diagnostic = match reach {
            Reach::TakeOver => {
                let message = format!("{message}; this deployment takes it over");
                Diagnostic::warning(codes::MANAGED_ELSEWHERE, message)
            }
            Reach::Free => Diagnostic::error(codes::MANAGED_ELSEWHERE, message).hint(
                "remove it from the other template, read it here with `existing`, or take it over \
                 with `--take-over` (`\"takeOver\": true` in a request)",
            ),
        };
        let diagnostic = diagnostic.at(node.place.span, "");
        problems.push(Problem { file: node.place.file.clone(), diagnostic });
    }
    Ok(problems)
}

async fn manager(
    shared: &Shared,
    row: &Row,
    group: &GroupName,
) -> Result<Option<DeploymentName>, StoreError> {
    if let Some(name) = row.reference(group) {
        let found = shared.store.reference_find(&name).await?;
        return Ok(found.and_then(|reference| reference.managed_by));
    }
    let Some(name) = row.recipe(group) else { return Ok(None) };
    Ok(shared.store.recipe_find(&name).await?.and_then(|recipe| recipe.managed_by))
}

/// What the deployment manages and the rows of its template do not name, and what becomes of that.
pub(super) async fn leaving(
    shared: &Shared,
    before: &DeploymentRecord,
    rows: &[Row],
    on_remove: OnRemove,
) -> Result<Vec<Left>, Failure> {
    let group = &before.name.group;
    let named: HashSet<String> =
        members_of(rows, group).iter().map(|member| member.key(group)).collect();
    let is_marked = before.holdings.managed.is_some();
    let mut seen = HashSet::new();
    let mut left = Vec::new();
    for mut member in before.members() {
        let key = member.key(group);
        if named.contains(&key) || !seen.insert(key) {
            continue;
        }
        let standing =
            standing(shared, &before.name, &member).await.map_err(|error| away(&error))?;
        let Some(fate) = fate(&member, &standing, on_remove, is_marked) else { continue };
        let mut identifier = None;
        if let Standing::Own { identifier: found, depends_on, .. } = standing {
            identifier = found;
            let more = depends_on.into_iter().filter(|id| !member.depends_on.contains(id));
            let more: Vec<String> = more.collect();
            member.depends_on.extend(more);
        }
        left.push(Left { member, identifier, fate });
    }
    Ok(left)
}

async fn standing(
    shared: &Shared,
    own: &DeploymentName,
    member: &Member,
) -> Result<Standing, StoreError> {
    let (manager, own_standing) = if let Some(name) = member.reference(&own.group) {
        let Some(found) = shared.store.reference_find(&name).await? else {
            return Ok(Standing::Absent);
        };
        // A create of ours that is not settled is ours to delete.
        let owned = found.entry.owned || !found.entry.unsettled.is_empty();
        let (identifier, depends_on) = (found.entry.identifier, found.depends_on);
        (found.managed_by, Standing::Own { owned, identifier, depends_on })
    } else if let Some(name) = member.recipe(&own.group) {
        let Some(found) = shared.store.recipe_find(&name).await? else {
            return Ok(Standing::Absent);
        };
        let own = Standing::Own { owned: true, identifier: None, depends_on: Vec::new() };
        (found.managed_by, own)
    } else {
        return Ok(Standing::Absent);
    };
    if manager.as_ref().is_some_and(|it| it.is_same(own)) {
        return Ok(own_standing);
    }
    let other = hold::other(shared, manager.as_ref(), own).await?;
    Ok(other.map_or(Standing::Nobody, |other| Standing::Other(other.clone())))
}

/// All that a deployment may come to manage with a run: what it did before, and what the rows name.
pub(crate) fn managed_with(
    before: Option<&DeploymentRecord>,
    rows: &[Row],
    group: &GroupName,
) -> Vec<Member> {
    let mut managed = members_of(rows, group);
    let named: HashSet<String> = managed.iter().map(|member| member.key(group)).collect();
    let before = before.map(DeploymentRecord::members).unwrap_or_default();
    managed.extend(before.into_iter().filter(|member| !named.contains(&member.key(group))));
    managed
}

fn away(error: &StoreError) -> Failure {
    unavailable(&error.to_string())
}
