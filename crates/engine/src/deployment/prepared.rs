//! A template as one run evaluates it, and what is known of its resources so far: kept between looks, made anew by
//! whoever drives the run next.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hangar_diag::{Diagnostic, position_of};
use hangar_plan::deployment::{DeploymentWork, Row, RowTarget, SourcePlace};
use hangar_plan::operation::{Failure, FailureKind, Finding, OperationId};
use hangar_plan::record::Reference;
use hangar_store::keys::Keys;
use hangar_template::deployment::{Deployment, Known, Resource, Sight, Target};
use hangar_template::program::compile;
use hangar_template::source::{Place, Problem, Sources};
use serde_json::Value;

use super::envelope::Charter;

/// One run's template.
pub(crate) struct Prepared {
    pub(crate) deployment: Deployment,
    pub(crate) charter: Charter,
    pub(crate) sources: Sources,
    resources: Mutex<HashMap<usize, Option<Arc<Resource>>>>,
    seen: Mutex<HashMap<usize, Arc<Seen>>>,
}

/// What a look found of a resource that an alias stands for: it can be secret, and is kept for as long as the look takes.
pub(crate) struct Seen {
    pub(crate) reference: Reference,
    pub(crate) live: Value,
}

/// Runs that this process drives, or drove a moment ago.
#[derive(Default)]
pub(crate) struct Preparations(Mutex<HashMap<OperationId, Arc<Prepared>>>);

impl std::fmt::Debug for Preparations {
    /// Without what they hold: it can be secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Preparations({})", self.lock().len())
    }
}

/// How many are kept: one that is not is made anew.
const KEPT: usize = 64;

impl Preparations {
    /// What was kept of a run.
    pub(crate) fn find(&self, id: OperationId) -> Option<Arc<Prepared>> {
        self.lock().get(&id).cloned()
    }

    /// Keeps what a run needs.
    pub(crate) fn keep(&self, id: OperationId, prepared: Arc<Prepared>) {
        let mut all = self.lock();
        if all.len() >= KEPT
            && let Some(any) = all.keys().next().copied()
        {
            all.remove(&any);
        }
        all.insert(id, prepared);
    }

    /// A run is over.
    pub(crate) fn forget(&self, id: OperationId) {
        self.lock().remove(&id);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<OperationId, Arc<Prepared>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Prepared {
    pub(crate) fn new(deployment: Deployment, charter: Charter, sources: Sources) -> Self {
        Self { deployment, charter, sources, resources: Mutex::default(), seen: Mutex::default() }
    }

    /// Opens what the run rests on and evaluates it as it was when it was accepted.
    pub(crate) fn of(keys: &Keys, work: &DeploymentWork, envelope: &[u8]) -> Result<Self, Failure> {
        let lost = || {
            internal(
                "DocumentLost",
                "the stored template of the deployment cannot be decrypted; deploy it again",
            )
        };
        let charter = Charter::open(keys, work.id, envelope).ok_or_else(lost)?;
        let sources = charter.sources();
        let compiled = compile(&sources, &charter.entry);
        let inputs = charter.inputs(&work.deployment.name, work.id, work.started_at);
        let started = compiled.program.map(|program| program.start(&inputs));
        let problems =
            started.as_ref().map_or(compiled.problems, |started| started.problems.clone());
        let Some(deployment) = started.and_then(|started| started.deployment) else {
            return Err(of_problems(&problems, &sources).0);
        };
        let rows: Vec<&Row> = work.rows.iter().filter(|row| !row.is_removal()).collect();
        let same = deployment.nodes().len() == rows.len()
            && deployment.nodes().iter().zip(rows).all(|(node, row)| *node.address == *row.address);
        if !same {
            let message = "the template evaluates to other resources than when it was accepted; \
                           deploy it again";
            return Err(internal("TemplateMoved", message));
        }
        Ok(Self::new(deployment, charter, sources))
    }

    /// Whether a node was looked at.
    pub(crate) fn knows(&self, node: usize) -> bool {
        self.lock().contains_key(&node)
    }

    /// Notes what a node is; nothing where it is not there and may be missing.
    pub(crate) fn learn(&self, node: usize, resource: Option<Resource>) {
        self.lock().insert(node, resource.map(Arc::new));
    }

    /// Notes what a look compared with what a node states.
    pub(crate) fn saw(&self, node: usize, reference: &Reference, live: &Value) {
        let seen = Seen { reference: reference.clone(), live: live.clone() };
        self.lock_seen().insert(node, Arc::new(seen));
    }

    /// What a look compared with what a node states.
    pub(crate) fn seen(&self, node: usize) -> Option<Arc<Seen>> {
        self.lock_seen().get(&node).cloned()
    }

    /// What a look found is worth nothing once anything may have been written.
    pub(crate) fn forget_looks(&self) {
        self.lock().clear();
        self.lock_seen().clear();
    }

    /// What is known right now.
    pub(crate) fn sights(&self) -> Sights {
        Sights(self.lock().clone())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<usize, Option<Arc<Resource>>>> {
        self.resources.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_seen(&self) -> MutexGuard<'_, HashMap<usize, Arc<Seen>>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What was known at an instant.
pub(crate) struct Sights(HashMap<usize, Option<Arc<Resource>>>);

impl Known for Sights {
    fn resource(&self, node: usize) -> Sight<'_> {
        match self.0.get(&node) {
            None => Sight::Unknown,
            Some(None) => Sight::Absent,
            Some(Some(resource)) => Sight::Known(resource),
        }
    }
}

/// All rows that a row rests on, however far back.
pub(crate) fn rests_on(rows: &[Row], row: usize) -> Vec<usize> {
    let mut found = vec![false; rows.len()];
    let mut open = vec![row];
    while let Some(next) = open.pop() {
        let before = rows.get(next).map(|row| row.depends_on.as_slice()).unwrap_or_default();
        for &index in before {
            if let Some(seen) = found.get_mut(index)
                && !*seen
            {
                *seen = true;
                open.push(index);
            }
        }
    }
    (0..rows.len()).filter(|index| found[*index]).collect()
}

/// What is to be done with a node, as a row has it.
pub(crate) fn row_target(target: &Target) -> RowTarget {
    match target {
        Target::Managed { alias } => RowTarget::Managed(alias.to_string()),
        Target::Existing { alias, or_null } => RowTarget::Existing {
            alias: alias.as_ref().map(ToString::to_string),
            or_null: *or_null,
        },
    }
}

/// Where a place is, for people.
pub(crate) fn source_place(sources: &Sources, place: &Place) -> SourcePlace {
    let text = sources.text(&place.file).unwrap_or_default();
    let position = position_of(text, place.span.start);
    SourcePlace {
        file: place.file.to_string(),
        line: position.line,
        column: position.column,
        start: place.span.start,
        end: place.span.end,
    }
}

/// Mistakes in a template that only showed when it ran, as a failure and the place of the first.
pub(crate) fn of_problems(
    problems: &[Problem],
    sources: &Sources,
) -> (Failure, Option<SourcePlace>) {
    let mut errors = problems.iter().filter(|problem| problem.is_error());
    let Some(first) = errors.next() else {
        return (internal("TemplateFailed", "the template could not be evaluated"), None);
    };
    let place = |problem: &Problem| {
        let span = problem.diagnostic.span()?;
        Some(source_place(sources, &Place { file: problem.file.clone(), span }))
    };
    let findings = errors.map(|problem| Finding {
        code: problem.diagnostic.code.to_string(),
        path: place(problem)
            .map(|it| format!("{}({},{})", it.file, it.line, it.column))
            .unwrap_or_default(),
        message: told(&problem.diagnostic),
    });
    let failure = Failure {
        kind: FailureKind::Invalid,
        code: first.diagnostic.code.to_string(),
        message: told(&first.diagnostic),
        findings: findings.collect(),
    };
    (failure, place(first))
}

fn told(diagnostic: &Diagnostic) -> String {
    match diagnostic.hints.first() {
        Some(hint) => format!("{}; {hint}", diagnostic.message),
        None => diagnostic.message.clone(),
    }
}

pub(crate) fn internal(code: &str, message: &str) -> Failure {
    Failure {
        kind: FailureKind::Internal,
        code: code.to_owned(),
        message: message.to_owned(),
        findings: Vec::new(),
    }
}
