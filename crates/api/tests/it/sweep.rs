//! Every type of the catalog by alias, over HTTP: put, the same again, changed, the same again, delete.

mod template;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hangar_diag::Diagnostic;
use hangar_ids::TypeName;
use hangar_schema::sample::{Sampler, Size};
use hangar_schema::{
    Catalog, Inputs, Outcome, Purpose, TypeSchema, patch, target, touched, validate,
    without_secrets,
};
use serde_json::{Value, json};
use tokio::sync::Mutex;

use crate::server::{GROUP, Reply, SCOPE, Server};

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
    let names = Arc::new(types());
    let server = Arc::new(Server::start().await);
    let counts = Arc::new(Mutex::new(Counts::default()));
    let next = Arc::new(AtomicUsize::new(0));
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..AT_ONCE {
        let (server, counts, next, names) =
            (server.clone(), counts.clone(), next.clone(), names.clone());
        tasks.spawn(async move {
            while let Some(name) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
                let schema = Catalog::bundled().get(name).unwrap();
                live(&server, &schema, &counts).await;
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
    let puts = of(Step::Put, Came::Run);
    let repeats = of(Step::Same, Came::Run) + of(Step::SameAgain, Came::Run);
    // Nothing was written beside what was asked for: the same put twice is one write.
    let counted = server.control("GET", "counters", Value::Null).await;
    let calls = |name: &str| counted["byOperation"][name].as_u64().unwrap_or(0);
    assert_eq!(calls("CreateResource"), of(Step::Put, Came::Run));
    assert_eq!(calls("UpdateResource"), of(Step::Changed, Came::Run));
    assert_eq!(calls("DeleteResource"), of(Step::Delete, Came::Run));
    let writes =
        calls("CreateResource") + calls("UpdateResource") - puts - of(Step::Changed, Came::Run);
    println!("counted: put twice: {puts} types, {repeats} repeats, {writes} writes of the repeats");
}

/// The types that are looked at.
fn types() -> Vec<&'static str> {
    let names = Catalog::bundled().names();
    match std::env::var("HANGAR_TEST_TYPE") {
        Ok(wanted) => names.filter(|name| name.contains(&wanted)).collect(),
        Err(_) => names.collect(),
    }
}

/// What is stated of a resource of a type.
fn document(schema: &TypeSchema) -> Value {
    let mut sampler = Sampler::new(schema);
    let is_whole =
        |it: &Value| !validate(schema, it, Purpose::Desired).iter().any(Diagnostic::is_error);
    let mut candidates = (0..10).map(|again| sampler.desired(1000 * again, Size::Medium));
    candidates.find(is_whole).expect("a document")
}

/// One alias from its first put to its end.
async fn live(server: &Server, schema: &TypeSchema, counts: &Mutex<Counts>) {
    let desired = document(schema);
    let handlers = schema.handlers();
    let alias = Alias::of(schema);
    let put = |properties: &Value| alias.body(Some(properties));
    let reply = alias.act(server, ":put", put(&desired)).await;
    if !check(schema, counts, Step::Put, &reply, 201).await {
        return;
    }
    let reply = alias.act(server, ":put", put(&desired)).await;
    check(schema, counts, Step::Same, &reply, 200).await;
    if handlers.update.is_none() {
        counts.lock().await.add(Step::Changed, Came::Refused);
    } else if let Some(changed) = change(server, schema, &alias, &desired).await {
        let reply = alias.act(server, ":put", put(&changed)).await;
        if check(schema, counts, Step::Changed, &reply, 200).await {
            let reply = alias.act(server, ":put", put(&changed)).await;
            check(schema, counts, Step::SameAgain, &reply, 200).await;
        }
    } else {
        counts.lock().await.add(Step::Changed, Came::NothingToChange);
    }
    let reply = alias.act(server, ":delete", alias.body(None)).await;
    check(schema, counts, Step::Delete, &reply, 200).await;
}

/// The one alias of a type.
struct Alias {
    collection: String,
    tracked_by: String,
}

impl Alias {
    fn of(schema: &TypeSchema) -> Self {
        let type_name = TypeName::parse(schema.name()).unwrap().ucp();
        Self {
            collection: format!("{SCOPE}/providers/{type_name}"),
            tracked_by: format!("{GROUP}/providers/{type_name}:reference/one"),
        }
    }

    fn body(&self, properties: Option<&Value>) -> Value {
        match properties {
            Some(properties) => json!({"trackedBy": self.tracked_by, "properties": properties}),
            None => json!({"trackedBy": self.tracked_by}),
        }
    }

    async fn act(&self, server: &Server, action: &str, body: Value) -> Reply {
        let path = format!("{}/{action}", self.collection);
        server.call_with("POST", &path, body, &[("prefer", "wait=30")]).await
    }
}

/// Whether a step was answered as it should be.
async fn check(
    schema: &TypeSchema,
    counts: &Mutex<Counts>,
    step: Step,
    reply: &Reply,
    wanted: u16,
) -> bool {
    let handlers = schema.handlers();
    let unsupported = reply.status == 400 && reply.text.contains("UnsupportedAction");
    let lacks_it = (step == Step::Put && handlers.create.is_none())
        || (step == Step::Delete && handlers.delete.is_none());
    let mut counts = counts.lock().await;
    if reply.status == wanted {
        counts.add(step, Came::Run);
        return true;
    }
    if unsupported && lacks_it {
        counts.add(step, Came::Refused);
    } else {
        counts.add(step, Came::Failed);
        counts.failures.push(format!(
            "{} {step:?}: {} {}",
            schema.name(),
            reply.status,
            reply.text
        ));
    }
    false
}

/// A document that an update can make of `desired`, if there is one.
async fn change(
    server: &Server,
    schema: &TypeSchema,
    alias: &Alias,
    desired: &Value,
) -> Option<Value> {
    let read = alias.act(server, ":get", alias.body(None)).await;
    let live = if read.status == 200 {
        let mut live = read.json()["properties"].take();
        live.as_object_mut().unwrap().remove("provisioningState");
        live
    } else {
        without_secrets(schema, desired)
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
