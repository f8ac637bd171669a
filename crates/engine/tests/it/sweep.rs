//! Every type of the catalog by alias: put, the same again, changed, the same again, delete.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hangar_diag::Diagnostic;
use hangar_engine::{Ask, DeleteMode};
use hangar_plan::operation::{Ending, Failure, SuccessKind};
use hangar_schema::sample::{Sampler, Size};
use hangar_schema::{
    Catalog, Inputs, Outcome, Purpose, TypeSchema, patch, target, touched, validate,
    without_secrets,
};
use serde_json::{Value, json};
use tokio::sync::Mutex;

use crate::plane::{Plane, put, subject};

/// The steps of a life, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Put,
    Same,
    Changed,
    SameAgain,
    Delete,
}

/// How a step came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Came {
    Run,
    /// For lack of a handler.
    Refused,
    /// The type has nothing that an update could change.
    NothingToChange,
    Failed,
}

#[derive(Debug, Default)]
struct Counts {
    steps: BTreeMap<Step, BTreeMap<Came, usize>>,
    failures: Vec<String>,
}

impl Counts {
    fn add(&mut self, step: Step, came: Came) {
        *self.steps.entry(step).or_default().entry(came).or_default() += 1;
    }
}

const AT_ONCE: usize = 32;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_type_is_put_changed_and_deleted_by_alias() {
    let catalog = Catalog::bundled();
    let names: Arc<Vec<&str>> = Arc::new(match std::env::var("HANGAR_TEST_TYPE") {
        Ok(wanted) => catalog.names().filter(|name| name.contains(&wanted)).collect(),
        Err(_) => catalog.names().collect(),
    });
    let plane = Arc::new(Plane::start().await);
    let counts = Arc::new(Mutex::new(Counts::default()));
    let next = Arc::new(AtomicUsize::new(0));
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..AT_ONCE {
        let (plane, counts, next, names) =
            (plane.clone(), counts.clone(), next.clone(), names.clone());
        tasks.spawn(async move {
            while let Some(name) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
                let schema = Catalog::bundled().get(name).unwrap();
                live(&plane, &schema, &counts).await;
            }
        });
    }
    while let Some(ended) = tasks.join_next().await {
        ended.unwrap();
    }
    let counts = counts.lock().await;
    for (step, came) in &counts.steps {
        println!("counted: aliases over {} types, {step:?}: {came:?}", names.len());
    }
    counts.failures.iter().take(60).for_each(|failure| println!("{failure}"));
    assert!(counts.failures.is_empty(), "{} steps failed", counts.failures.len());
    let of = |step: Step, came: Came| {
        let counted = counts.steps.get(&step).and_then(|it| it.get(&came));
        u64::try_from(counted.copied().unwrap_or(0)).unwrap()
    };
    assert_eq!(plane.calls("CreateResource").await, of(Step::Put, Came::Run));
    assert_eq!(plane.calls("UpdateResource").await, of(Step::Changed, Came::Run));
    assert_eq!(plane.calls("DeleteResource").await, of(Step::Delete, Came::Run));
}

/// One alias from its first put to its end.
async fn live(plane: &Plane, schema: &TypeSchema, counts: &Mutex<Counts>) {
    let mut sampler = Sampler::new(schema);
    let is_whole =
        |it: &Value| !validate(schema, it, Purpose::Desired).iter().any(Diagnostic::is_error);
    let mut candidates = (0..10).map(|again| sampler.desired(1000 * again, Size::Medium));
    let desired = candidates.find(is_whole).expect("a document");
    drop(candidates);
    let handlers = schema.handlers();
    let created =
        check(plane, schema, counts, Step::Put, put(desired.clone()), SuccessKind::Created).await;
    if !created {
        return;
    }
    check(plane, schema, counts, Step::Same, put(desired.clone()), SuccessKind::Noop).await;
    if handlers.update.is_none() {
        counts.lock().await.add(Step::Changed, Came::Refused);
    } else if let Some(changed) = change(plane, schema, &desired).await {
        let ask = put(changed.clone());
        if check(plane, schema, counts, Step::Changed, ask, SuccessKind::Updated).await {
            check(plane, schema, counts, Step::SameAgain, put(changed), SuccessKind::Noop).await;
        }
    } else {
        counts.lock().await.add(Step::Changed, Came::NothingToChange);
    }
    let delete = Ask::Delete { identifier: None, mode: DeleteMode::ByOwnership };
    check(plane, schema, counts, Step::Delete, delete, SuccessKind::Deleted).await;
}

/// Runs one operation to its end; whether it did what it should.
async fn check(
    plane: &Plane,
    schema: &TypeSchema,
    counts: &Mutex<Counts>,
    step: Step,
    ask: Ask,
    wanted: SuccessKind,
) -> bool {
    let said = format!("{ask:?}");
    let outcome = match plane.submit(schema.name(), "one", ask).await {
        Ok(accepted) => plane.finish(accepted).await.operation.ending.unwrap(),
        Err(failure) => Ending::Failed(failure),
    };
    let handlers = schema.handlers();
    let mut counts = counts.lock().await;
    match outcome {
        Ending::Succeeded(success) if success.kind == wanted => {
            counts.add(step, Came::Run);
            return true;
        }
        Ending::Failed(Failure { code, .. })
            if code == "UnsupportedAction"
                && ((step == Step::Put && handlers.create.is_none())
                    || (step == Step::Delete && handlers.delete.is_none())) =>
        {
            counts.add(step, Came::Refused);
        }
        other => {
            counts.add(step, Came::Failed);
            counts.failures.push(format!("{} {step:?}: {other:?} {said}", schema.name()));
        }
    }
    false
}

/// A document that an update can make of `desired`, if there is one.
async fn change(plane: &Plane, schema: &TypeSchema, desired: &Value) -> Option<Value> {
    let reference = plane.reference(schema.name(), "one").await.unwrap();
    let identifier = reference.entry.identifier.unwrap();
    let read = plane.engine.read(&subject(schema.name(), "one"), &identifier).await;
    let live = match read {
        Ok(live) => live.map_or(json!({}), |live| live.properties),
        Err(_) => without_secrets(schema, desired),
    };
    let mut sampler = Sampler::new(schema);
    (0..24).find_map(|attempt| {
        let (changed, _) = sampler.changed(desired, attempt);
        let is_wrong =
            validate(schema, &changed, Purpose::Desired).iter().any(Diagnostic::is_error);
        if is_wrong || !touched(schema.primary_identifier(), desired, &changed).is_empty() {
            return None;
        }
        let inputs = Inputs { live: &live, desired: &changed, applied: Some(desired) };
        let patch = patch(schema, &inputs).ok()?;
        let errors = |document: &Value| -> Vec<Diagnostic> {
            let found = validate(schema, document, Purpose::Merged);
            found.into_iter().filter(Diagnostic::is_error).collect()
        };
        let known = errors(&live);
        let breaks = errors(&target(&live, &patch)).iter().any(|error| !known.contains(error));
        (patch.outcome == Outcome::Update && !breaks).then_some(changed)
    })
}
