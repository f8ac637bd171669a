//! The way in for recipes: what can be told to be wrong before anything runs is told, and one run of a recipe is
//! under way at a time.

use hangar_manifest::recipe::module::Outline;
use hangar_manifest::recipe::source::SourceKind;
use hangar_plan::Timestamp;
use hangar_plan::operation::{Failure, FailureKind, Finding, OperationId};
use hangar_plan::recipe::{RecipeTask, RecipeWork};
use hangar_plan::record::{
    Group, GroupState, OperationRecord, RecipeRecord, RecipeStatus, Version, Work,
};
use hangar_store::{GroupHold, RecipeWrite, Reservation, ReserveError};

use super::check::check_condition;
use super::hold::{self, Present};
use super::refuse::{conflict, stopping};
use super::{DECISIONS, Refused, find_repeated};
use crate::ask::{Accepted, Parent, RecipeAsk};
use crate::engine::Shared;
use crate::etag::etag_of_recipe;
use crate::read::unavailable;
use crate::recipe::{KeptTerms, RecipeSource, RecipeTerms};

/// Accepts a run of a recipe, or says why not.
pub(crate) async fn submit(shared: &Shared, ask: RecipeAsk) -> Result<Accepted, Failure> {
    if shared.is_stopping() {
        return Err(stopping());
    }
    let outline = match &ask.terms {
        Some(terms) => check(terms)?,
        None => None,
    };
    for _ in 0..DECISIONS {
        if let Some(repeated) = find_repeated(shared, ask.repeatability.as_ref()).await? {
            return Ok(repeated);
        }
        match reserve(shared, &ask, outline.as_ref()).await {
            Err(Refused::Stale | Refused::Repeated) => {
                if let Some(begun) = begun_before(shared, &ask).await? {
                    return Ok(begun);
                }
            }
            Err(Refused::For(failure)) => return Err(failure),
            Ok(accepted) => {
                tracing::info!(
                    operation.id = %accepted.record.id(),
                    resource.id = ask.name.id(),
                    operation.kind = accepted.record.kind(),
                    request.correlation = ask.correlation_id,
                    "accepted"
                );
                return Ok(accepted);
            }
        }
    }
    Err(conflict("Conflict", "the recipe is being changed by other requests; try again"))
}

/// The operation of a name that its parent chose: asked for twice, it is begun once.
async fn begun_before(shared: &Shared, ask: &RecipeAsk) -> Result<Option<Accepted>, Failure> {
    let Some(id) = ask.id else { return Ok(None) };
    let found = shared.store.operation_find(id).await;
    let found = found.map_err(|error| unavailable(&error.to_string()))?;
    Ok(found.map(|record| Accepted { record, existed: true, reference: None }))
}

/// What the module declares, where its files were sent along; all that is wrong with them and the parameters.
fn check(terms: &RecipeTerms) -> Result<Option<Outline>, Failure> {
    let source = terms.source.parse();
    let source =
        source.map_err(|error| invalid(vec![("/properties/source", error.to_string())]))?;
    if source.kind == SourceKind::Local && matches!(terms.source, RecipeSource::Remote { .. }) {
        // A directory of the server's machine is none of its callers' business.
        let message = format!(
            "`{source}` is a directory, which the server cannot read; send its files in `files`"
        );
        return Err(invalid(vec![("/properties/source", message)]));
    }
    if let RecipeSource::Files { files, .. } = &terms.source {
        let odd = |path: &&String| {
            path.is_empty()
                || path.starts_with('/')
                || path.contains('\\')
                || path.split('/').any(|part| part.is_empty() || part == ".." || part == ".")
        };
        let wrong: Vec<_> = files.keys().filter(odd).collect();
        if !wrong.is_empty() {
            let told = |path: &&String| {
                ("/properties/files", format!("`{path}` is not a path inside the module"))
            };
            return Err(invalid(wrong.iter().map(told).collect()));
        }
    }
    let Some(outline) = terms.source.outline() else { return Ok(None) };
    let mut problems = Vec::new();
    if !terms.source.has_terraform() {
        let message = "the module has no Terraform file (`*.tf`, `*.tf.json`) at its top level";
        problems.push(("/properties/files", message.to_owned()));
    }
    for problem in &outline.problems {
        let told = format!("{}:{}: {}", problem.file, problem.line, problem.message);
        problems.push(("/properties/files", told));
    }
    if problems.is_empty() {
        let mistakes = terms.mistakes(&outline);
        problems.extend(mistakes.into_iter().map(|it| ("/properties/parameters", it)));
    }
    if problems.is_empty() { Ok(Some(outline)) } else { Err(invalid(problems)) }
}

fn invalid(problems: Vec<(&str, String)>) -> Failure {
    let finding = |(path, message): (&str, String)| Finding {
        code: "InvalidRecipe".to_owned(),
        path: path.to_owned(),
        message,
    };
    let findings: Vec<Finding> = problems.into_iter().map(finding).collect();
    let message = match findings.as_slice() {
        [only] => only.message.clone(),
        _ => "the recipe is not valid; nothing was changed".to_owned(),
    };
    Failure { kind: FailureKind::Invalid, code: "InvalidRecipe".to_owned(), message, findings }
}

async fn open_group(shared: &Shared, ask: &RecipeAsk) -> Result<Group, Refused> {
    let Some(group) = shared.store.group_find(&ask.name.group).await? else {
        return Err(Refused::For(Failure {
            kind: FailureKind::NotFound,
            code: "ResourceGroupNotFound".to_owned(),
            message: format!("there is no {}; create it first", ask.name.group.id()),
            findings: Vec::new(),
        }));
    };
    let within = matches!(ask.parent, Some(Parent::Deletion(_)));
    if group.state == GroupState::Deleting && !within {
        return Err(Refused::For(deleting()));
    }
    Ok(group)
}

fn deleting() -> Failure {
    conflict("GroupDeleting", "the group is being deleted and accepts no writes")
}

async fn reserve(
    shared: &Shared,
    ask: &RecipeAsk,
    outline: Option<&Outline>,
) -> Result<Accepted, Refused> {
    let group = open_group(shared, ask).await?;
    let now = shared.store.now().await?;
    let before = shared.store.recipe_find(&ask.name).await?;
    let present = Present::of(before.as_ref(), |it| it.managed_by.as_ref());
    let managed_by = hold::manager(shared, ask.hold.as_ref(), present, &ask.name.id()).await?;
    let found = before.as_ref().map(|it| (etag_of_recipe(it), it.version));
    check_condition(&ask.condition, "recipe", found)?;
    if let Some(before) = before.as_ref().filter(|before| before.ending.is_none()) {
        let running = shared.store.operation_find(before.operation).await?;
        if let Some(running) = running.filter(|it| !it.is_ended()) {
            if ask.id == Some(running.id()) {
                return Ok(Accepted { record: running, existed: true, reference: None });
            }
            return Err(Refused::For(busy(&before.name.id(), running.id())));
        }
    }
    let id = ask.id.unwrap_or_else(|| shared.config.dice.new_id(now));
    let mut record = match (&ask.terms, &before) {
        (Some(terms), before) => deployed(shared, ask, terms, outline, before.as_ref(), (id, now)),
        (None, Some(before)) => begun(before.clone(), RecipeTask::Delete, (id, now)),
        (None, None) => {
            return Err(Refused::For(Failure {
                kind: FailureKind::NotFound,
                code: "ResourceNotFound".to_owned(),
                message: format!("there is no {}", ask.name.id()),
                findings: Vec::new(),
            }));
        }
    };
    record.managed_by = managed_by;
    let work = RecipeWork::new(id, record.name.clone(), record.task, now);
    let operation = OperationRecord {
        parent: ask.parent.map(Parent::id),
        repeatability: ask.repeatability.clone(),
        correlation_id: ask.correlation_id.clone(),
        ..OperationRecord::new(Work::Recipe(Box::new(work)), now)
    };
    let hold = match ask.parent {
        Some(Parent::Deletion(_)) => GroupHold::Within(group.name),
        _ => GroupHold::Open(group.name),
    };
    let seen = before.as_ref().map(|it| it.version);
    let reservation = Reservation {
        record: operation.clone(),
        reference: None,
        deployment: None,
        recipe: Some(RecipeWrite { record, seen }),
        group: Some(hold),
        resource_keys: Vec::new(),
        envelope: None,
        message: "accepted".to_owned(),
    };
    match shared.store.operation_reserve(reservation).await {
        Ok(()) => Ok(Accepted { record: operation, existed: before.is_some(), reference: None }),
        Err(ReserveError::Stale | ReserveError::NoGroup) => Err(Refused::Stale),
        Err(ReserveError::Repeated(_)) => Err(Refused::Repeated),
        Err(ReserveError::GroupDeleting(_)) => Err(Refused::For(deleting())),
        Err(ReserveError::Store(error)) => Err(Refused::For(unavailable(&error.to_string()))),
        Err(error) => Err(Refused::For(conflict("Conflict", &error.to_string()))),
    }
}

fn busy(id: &str, operation: OperationId) -> Failure {
    conflict(
        "Conflict",
        &format!(
            "operation {operation} is running on {id}; wait for it (`hangar operation wait \
             {operation}`) or cancel it (`hangar operation cancel {operation}`)"
        ),
    )
}

/// A recipe of which a run begins.
fn begun(
    before: RecipeRecord,
    task: RecipeTask,
    (id, now): (OperationId, Timestamp),
) -> RecipeRecord {
    RecipeRecord { operation: id, task, started_at: now, ended_at: None, ending: None, ..before }
}

/// A recipe that is deployed: what it came to before stays until the run has come to something.
fn deployed(
    shared: &Shared,
    ask: &RecipeAsk,
    terms: &RecipeTerms,
    outline: Option<&Outline>,
    before: Option<&RecipeRecord>,
    when: (OperationId, Timestamp),
) -> RecipeRecord {
    let name = before.map_or_else(|| ask.name.clone(), |it| it.name.clone());
    let (parameters, secret_parameters) = terms.shown(outline);
    let (id, now) = when;
    let before_kept = before.and_then(|it| KeptTerms::open(&shared.keys, &it.name, &it.sealed));
    let applied = before_kept.and_then(|it| it.applied);
    let kept = KeptTerms { asked: terms.clone(), applied };
    let record = RecipeRecord {
        sealed: kept.seal(&shared.keys, &name),
        name,
        operation: id,
        task: RecipeTask::Deploy,
        started_at: now,
        ended_at: None,
        ending: None,
        source: terms.source.shown(),
        source_version: terms.source.version(),
        parameters,
        secret_parameters,
        status: before.map_or_else(RecipeStatus::default, |it| it.status.clone()),
        managed_by: None,
        created_at: before.map_or(now, |it| it.created_at),
        version: before.map_or(Version(0), |it| it.version),
    };
    begun(record, RecipeTask::Deploy, when)
}
