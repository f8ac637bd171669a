//! The way in for deployments: the template is compiled, evaluated as far as it can be before anything exists, and
//! held against the schemas; what is wrong is told with its place, and nothing is started.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use hangar_diag::Diagnostic;
use hangar_ids::TypeName;
use hangar_plan::Timestamp;
use hangar_plan::deployment::{
    AwsRow, DeploymentTask, DeploymentWork, Fate, Holding, Holdings, Left, OnRemove, Planned, Row,
    RowKind, RowState, removal_rows,
};
use hangar_plan::operation::{Failure, FailureKind, OperationId};
use hangar_plan::record::{
    AwsScope, DeploymentName, DeploymentRecord, Group, GroupState, OperationRecord, Version, Work,
    is_same_template,
};
use hangar_plan::resource_types::CatalogTypes;
use hangar_plan::template_check;
use hangar_schema::TypeSchema;
use hangar_store::{DeploymentWrite, GroupHold, Reservation, ReserveError};
use hangar_template::deployment::{AwsNode, Deployment, GroupFacts, Node, NodeKind};
use hangar_template::program::compile;
use hangar_template::source::Problem;

use super::leaving::{leaving, managed_elsewhere, managed_with};
use super::refuse::{conflict, stopping};
use super::{DECISIONS, find_repeated};
use crate::ask::{Accepted, DefaultValues, DeploymentAsk, DeploymentRefused, Reach};
use crate::deployment::{Charter, KeptDefaults, Prepared, Terms, row_target, source_place};
use crate::engine::Shared;
use crate::hash::sha256;
use crate::read::unavailable;
use crate::recipe::recipe_problems;

/// Accepts a run of a template, or says why not.
pub(crate) async fn submit(
    shared: &Shared,
    ask: DeploymentAsk,
) -> Result<Accepted, DeploymentRefused> {
    if shared.is_stopping() {
        return Err(stopping().into());
    }
    // Later runs of the same files need not look again.
    let sources = ask.sources.clone().with_resource_types(Arc::new(CatalogTypes::default()));
    let compiled = compile(&sources, &ask.entry);
    let Some(program) = compiled.program else {
        return Err(DeploymentRefused::Template(compiled.problems));
    };
    for _ in 0..DECISIONS {
        if let Some(repeated) = find_repeated(shared, ask.repeatability.as_ref()).await? {
            return Ok(repeated);
        }
        let group = open_group(shared, &ask).await?;
        let now = shared.store.now().await.map_err(|error| unavailable(&error.to_string()))?;
        let id = shared.config.dice.new_id(now);
        let scope = ask.scope.clone().or_else(|| group.aws_scope.clone());
        let scope = scope.or_else(|| shared.config.default_scope.clone());
        let before = shared.store.deployment_find(&ask.name).await;
        let before = before.map_err(|error| unavailable(&error.to_string()))?;
        let plan = ask.plan.as_ref().filter(|_| ask.task == DeploymentTask::Deploy);
        let charter = Charter::new(Terms {
            sources: &ask.sources,
            entry: &ask.entry,
            parameters: &ask.parameters,
            scope: scope.as_ref(),
            group: facts(&group),
            leave: ask.leave,
            plan,
            defaults: kept_defaults(shared, &ask, plan, before.as_ref())?,
        });
        let started = program.start(&charter.inputs(&ask.name.name, id, now));
        let mut problems = compiled.problems.clone();
        problems.extend(started.problems);
        let Some(deployment) = started.deployment else {
            return Err(DeploymentRefused::Template(problems));
        };
        let rows =
            rows(shared, &ask, &deployment, scope.as_ref(), (id, now), &mut problems).await?;
        if rows.len() == deployment.nodes().len() {
            let reach = ask.leave.reach;
            let elsewhere = managed_elsewhere(shared, &ask.name, &deployment, &rows, reach);
            problems.extend(elsewhere.await?);
        }
        if problems.iter().any(Problem::is_error) {
            return Err(DeploymentRefused::Template(problems));
        }
        let draft = Draft { before, charter, deployment, rows, problems, id, now };
        match reserve(shared, &ask, &group, draft).await {
            Err(Refusal::Again) => {}
            Err(Refusal::For(refused)) => return Err(refused),
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
    Err(conflict("Conflict", "the deployment is being changed by other requests; try again").into())
}

/// Why a run was not reserved.
enum Refusal {
    /// Something moved: decide again.
    Again,
    /// It is refused.
    For(DeploymentRefused),
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self::For(failure.into())
    }
}

/// A run that is ready to be reserved.
struct Draft {
    /// The deployment as it was when the run was evaluated.
    before: Option<DeploymentRecord>,
    charter: Charter,
    deployment: Deployment,
    rows: Vec<Row>,
    problems: Vec<Problem>,
    id: OperationId,
    now: Timestamp,
}

async fn open_group(shared: &Shared, ask: &DeploymentAsk) -> Result<Group, Failure> {
    let found = shared.store.group_find(&ask.name.group).await;
    let found = found.map_err(|error| unavailable(&error.to_string()))?;
    let Some(group) = found else {
        return Err(Failure {
            kind: FailureKind::NotFound,
            code: "ResourceGroupNotFound".to_owned(),
            message: format!("there is no {}; create it first", ask.name.group.id()),
            findings: Vec::new(),
        });
    };
    if group.state == GroupState::Deleting {
        return Err(conflict("GroupDeleting", "the group is being deleted and accepts no writes"));
    }
    Ok(group)
}

fn facts(group: &Group) -> GroupFacts {
    GroupFacts {
        id: group.name.id(),
        name: group.name.group.clone(),
        location: group.location.clone().unwrap_or_default(),
        tags: group.tags.clone(),
    }
}

/// A row for each node, where every node has a place and a type that is known; all that is wrong otherwise.
async fn rows(
    shared: &Shared,
    ask: &DeploymentAsk,
    deployment: &Deployment,
    default: Option<&AwsScope>,
    (id, now): (OperationId, Timestamp),
    problems: &mut Vec<Problem>,
) -> Result<Vec<Row>, Failure> {
    let mut schemas: HashMap<String, Arc<TypeSchema>> = HashMap::new();
    let mut rows = Vec::new();
    for node in deployment.nodes() {
        let NodeKind::Aws(aws) = &node.kind else {
            rows.push(row(ask, node, RowKind::Recipe, rows.len(), (id, now)));
            continue;
        };
        let Some(scope) = scope_of(aws, default) else {
            // One mistake, and without a place there is no schema to check the rest with.
            problems.push(no_scope(node));
            return Ok(Vec::new());
        };
        let type_name =
            shared.schemas.spelling(&aws.type_name).unwrap_or_else(|| aws.type_name.clone());
        let key = type_name.ucp().to_ascii_lowercase();
        if let Entry::Vacant(slot) = schemas.entry(key) {
            match shared.schemas.get(&*shared.store, &shared.cloud, &scope, &type_name).await {
                Ok(schema) => drop(slot.insert(schema.compiled)),
                // An unknown type is told with its place by the check.
                Err(failure)
                    if failure.kind == FailureKind::NotFound
                        || failure.kind == FailureKind::Invalid => {}
                Err(failure) => return Err(failure),
            }
        }
        let kind = RowKind::Aws(AwsRow { type_name, scope });
        rows.push(row(ask, node, kind, rows.len(), (id, now)));
    }
    let schema_of = |name: &TypeName| schemas.get(&name.ucp().to_ascii_lowercase()).cloned();
    let checked = template_check::check(deployment, &schema_of);
    problems.extend(checked);
    problems.extend(recipe_problems(deployment, &ask.sources));
    Ok(rows)
}

fn row(
    ask: &DeploymentAsk,
    node: &Node,
    kind: RowKind,
    index: usize,
    (id, now): (OperationId, Timestamp),
) -> Row {
    Row {
        address: node.address.to_string(),
        kind,
        target: row_target(&node.target),
        depends_on: node.depends_on.clone(),
        place: Some(source_place(&ask.sources, &node.place)),
        operation: child(id, now, &format!("{index}/{}", node.address)),
        identifier: None,
        changed: Vec::new(),
        made: Vec::new(),
        retires: false,
        plan: None,
        waiting: None,
        verb: None,
        state: RowState::Waiting,
    }
}

/// Where a node goes: as its extension says, else as the run says.
fn scope_of(node: &AwsNode, default: Option<&AwsScope>) -> Option<AwsScope> {
    let account = node.account.clone().or_else(|| default.map(|scope| scope.account.clone()))?;
    let region = node.region.clone().or_else(|| default.map(|scope| scope.region.clone()))?;
    let plane = default.map_or_else(|| "aws".to_owned(), |scope| scope.plane.clone());
    Some(AwsScope { plane, account, region })
}

fn no_scope(node: &Node) -> Problem {
    let message = format!("no AWS account and region are known for {}", node.address);
    let diagnostic = Diagnostic::error(template_check::codes::NO_SCOPE, message)
        .at(node.place.span, "")
        .hint("pass `--aws-account` and `--aws-region`, set them for the group, or write them into the template: `extension aws with { account: '…', region: '…' }`");
    Problem { file: node.place.file.clone(), diagnostic }
}

async fn reserve(
    shared: &Shared,
    ask: &DeploymentAsk,
    group: &Group,
    draft: Draft,
) -> Result<Accepted, Refusal> {
    let Draft { before, charter, deployment, mut rows, problems, id, now } = draft;
    let away = |error: hangar_store::StoreError| Refusal::from(unavailable(&error.to_string()));
    let name = before.as_ref().map_or_else(|| ask.name.clone(), |before| before.name.clone());
    let on_remove = ask.leave.on_remove;
    let mut holdings = Holdings::default();
    if let Some(before) = &before {
        refuse_another_template(ask, before)?;
        holdings.left = leaving(shared, before, &rows, on_remove).await?;
        holdings.detached.clone_from(&before.holdings.detached);
    } else if ask.task == DeploymentTask::Destroy {
        return Err(no_deployment(&name).into());
    }
    let mut write = None;
    if ask.task != DeploymentTask::Plan {
        let gone = |key: &str| child(id, now, &format!("removal/{key}"));
        let removals = removal_rows(&holdings.left, &name.group, &rows, gone);
        holdings.left.retain(|left| !matches!(left.fate, Fate::Removed { .. }));
        if let Some(before) = before.as_ref().filter(|before| before.ending.is_none()) {
            let running = shared.store.operation_find(before.operation).await.map_err(away)?;
            if running.is_some_and(|running| !running.is_ended()) {
                return Err(Refusal::For(DeploymentRefused::Running(before.operation)));
            }
        }
        write = Some(DeploymentWrite {
            seen: before.as_ref().map(|before| before.version),
            record: DeploymentRecord {
                kept_defaults: defaults_of_run(shared, ask, &charter, &deployment, before.as_ref()),
                ..begun(
                    &name,
                    id,
                    now,
                    before.as_ref(),
                    &rows,
                    &charter,
                    ask.template_path.as_ref(),
                )
            },
        });
        let is_stuck = ask.task == DeploymentTask::Destroy && on_remove != OnRemove::Keep;
        let unmarked = before.as_ref().filter(|it| it.holdings.managed.is_none());
        if is_stuck && unmarked.is_some() && is_unmarked(&holdings.left) {
            return Err(not_marked(&name).into());
        }
        rows.extend(removals);
    }
    let mut work = DeploymentWork::new(id, name, ask.task, rows, now);
    work.on_remove = on_remove;
    if charter.plan.is_some() {
        work.holding = Holding::Unverified;
    }
    work.holdings = holdings;
    let warnings = problems.iter().map(|problem| warning(ask, problem)).collect();
    let record = OperationRecord {
        repeatability: ask.repeatability.clone(),
        correlation_id: ask.correlation_id.clone(),
        warnings,
        ..OperationRecord::new(Work::Deployment(Box::new(work)), now)
    };
    let reservation = Reservation {
        record: record.clone(),
        reference: None,
        group: Some(GroupHold::Open(group.name.clone())),
        deployment: write,
        recipe: None,
        resource_keys: Vec::new(),
        envelope: Some(charter.seal(&shared.keys, id)),
        message: "accepted".to_owned(),
    };
    // Before the worker hears of it: it need not evaluate all of it again.
    let prepared = Prepared::new(deployment, charter, ask.sources.clone());
    shared.preparations.keep(id, Arc::new(prepared));
    let refused = match shared.store.operation_reserve(reservation).await {
        Ok(()) => return Ok(Accepted { record, existed: before.is_some(), reference: None }),
        Err(ReserveError::Stale | ReserveError::Repeated(_)) => Refusal::Again,
        Err(ReserveError::NoGroup) => match open_group(shared, ask).await {
            Err(failure) => failure.into(),
            Ok(_) => Refusal::Again,
        },
        Err(ReserveError::GroupDeleting(_)) => {
            conflict("GroupDeleting", "the group is being deleted and accepts no writes").into()
        }
        Err(ReserveError::Store(error)) => away(error),
        Err(error) => conflict("Conflict", &error.to_string()).into(),
    };
    shared.preparations.forget(id);
    Err(refused)
}

/// The moments of defaults that a run is evaluated with: those of the plan that it is held to, else those that the
/// deployment keeps. Values that are refreshed, and a destroyed template, need none.
fn kept_defaults(
    shared: &Shared,
    ask: &DeploymentAsk,
    plan: Option<&Planned>,
    before: Option<&DeploymentRecord>,
) -> Result<KeptDefaults, Failure> {
    if let Some(sealed) = plan.and_then(|plan| plan.kept_defaults.as_ref()) {
        return KeptDefaults::of_plan(&shared.keys, &ask.name, sealed);
    }
    match (ask.task, ask.leave.defaults, before) {
        (DeploymentTask::Deploy | DeploymentTask::Plan, DefaultValues::Kept, Some(before)) => {
            let sealed = before.kept_defaults.as_ref();
            KeptDefaults::of_record(&shared.keys, &before.name, sealed)
        }
        _ => Ok(KeptDefaults::default()),
    }
}

/// The moments that the deployment keeps from the beginning of a run on, sealed; nothing where those of before stay. A run
/// that is held to a plan keeps its own once the plan was found to hold.
fn defaults_of_run(
    shared: &Shared,
    ask: &DeploymentAsk,
    charter: &Charter,
    deployment: &Deployment,
    before: Option<&DeploymentRecord>,
) -> Option<String> {
    if ask.task != DeploymentTask::Deploy || charter.plan.is_some() {
        return None;
    }
    let kept = charter.defaults.after(&deployment.moments());
    // Those of parameters that are gone go, too.
    let had_some = before.is_some_and(|before| before.kept_defaults.is_some());
    (had_some || !kept.is_empty()).then(|| kept.seal_for_record(&shared.keys, &ask.name))
}

/// The deployment while its run is under way: what it came to before stays until then.
fn begun(
    name: &DeploymentName,
    id: OperationId,
    now: Timestamp,
    before: Option<&DeploymentRecord>,
    rows: &[Row],
    charter: &Charter,
    template_path: Option<&String>,
) -> DeploymentRecord {
    // All that this run may come to manage is written down before any of it does. One that is held to a plan manages
    // nothing more before it has found that the plan holds.
    let held = charter.plan.is_some();
    let managed = managed_with(before, if held { &[] } else { rows }, &name.group);
    let managed = match before {
        Some(before) if held => before.holdings.managed.clone(),
        _ => Some(managed),
    };
    let holdings = before.map(|before| before.holdings.clone()).unwrap_or_default();
    DeploymentRecord {
        name: name.clone(),
        operation: id,
        started_at: now,
        ended_at: None,
        ending: None,
        rows: before.map(|before| before.rows.clone()).unwrap_or_default(),
        outputs: before.and_then(|before| before.outputs.clone()),
        holdings: Holdings { managed, ..holdings },
        template_path: template_path.cloned(),
        kept_defaults: None,
        created_at: before.map_or(now, |before| before.created_at),
        version: before.map_or(Version(0), |before| before.version),
    }
}

/// Two templates with one deployment would each see the resources of the other as removed.
fn refuse_another_template(ask: &DeploymentAsk, before: &DeploymentRecord) -> Result<(), Failure> {
    match (&before.template_path, &ask.template_path) {
        (Some(used), Some(asked))
            if !is_same_template(used, asked) && ask.leave.reach != Reach::TakeOver =>
        {
            let message = format!(
                "deployment `{}` belongs to the template `{used}`, not to `{asked}`; nothing was changed",
                before.name.name
            );
            Err(conflict("DeploymentOfAnotherTemplate", &message))
        }
        _ => Ok(()),
    }
}

fn no_deployment(name: &DeploymentName) -> Failure {
    Failure {
        kind: FailureKind::NotFound,
        code: "DeploymentNotFound".to_owned(),
        message: format!("there is no {}", name.id()),
        findings: Vec::new(),
    }
}

/// Whether it is not known of any who manages it.
fn is_unmarked(left: &[Left]) -> bool {
    left.iter().any(|left| matches!(left.fate, Fate::Kept { because: Some(_) }))
}

fn not_marked(name: &DeploymentName) -> Failure {
    let message = format!(
        "{} was last deployed before Hangar recorded which deployment manages an alias; deploy it \
         once more, then destroy it",
        name.id()
    );
    conflict("DeploymentUnmarked", &message)
}

fn warning(ask: &DeploymentAsk, problem: &Problem) -> String {
    let place = problem.diagnostic.span().map(|span| {
        let place = hangar_template::source::Place { file: problem.file.clone(), span };
        let place = source_place(&ask.sources, &place);
        format!("{}({},{})", place.file, place.line, place.column)
    });
    let place = place.unwrap_or_else(|| problem.file.to_string());
    format!("{place}: {}: {}", problem.diagnostic.code, problem.diagnostic.message)
}

/// The name of an operation that is a part of this run: a UUID of version 7, of when the run began.
pub(crate) fn child(run: OperationId, began_at: Timestamp, row: &str) -> OperationId {
    let hash = sha256(&format!("{run}/{row}"));
    let bits = hash.get(..32).and_then(|digits| u128::from_str_radix(digits, 16).ok());
    OperationId::of_parts(began_at, bits.unwrap_or_default())
}
