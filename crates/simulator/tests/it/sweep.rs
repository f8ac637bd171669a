//! Every type of the catalog through its whole life, from generated documents.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use hangar_diag::Diagnostic;
use hangar_schema::sample::{Sampler, Size};
use hangar_schema::{
    Catalog, Inputs, Operation, Outcome, Purpose, TypeSchema, patch, touched, validate,
    without_secrets,
};
use serde_json::{Map, Value, json};

use crate::caller::{Caller, Refused};

/// The steps of a life, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Create,
    Read,
    Update,
    ReadUpdated,
    List,
    Delete,
}

/// How a step came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Ending {
    Run,
    /// For lack of a handler, in the words of AWS.
    Refused,
    /// The type has nothing that an update could change.
    NothingToChange,
    Failed,
}

#[derive(Debug, Default)]
struct Counts {
    steps: BTreeMap<Step, BTreeMap<Ending, usize>>,
    failures: Vec<String>,
}

impl Counts {
    fn add(&mut self, step: Step, result: Ending) {
        *self.steps.entry(step).or_default().entry(result).or_default() += 1;
    }

    fn fail(&mut self, step: Step, name: &str, why: impl fmt::Debug) {
        self.add(step, Ending::Failed);
        self.failures.push(format!("{name} {step:?}: {why:?}"));
    }
}

#[test]
fn every_type_lives_its_life() {
    let catalog = Catalog::bundled();
    let names: Vec<&str> = match std::env::var("HANGAR_TEST_TYPE") {
        Ok(wanted) => catalog.names().filter(|name| name.contains(&wanted)).collect(),
        Err(_) => catalog.names().collect(),
    };
    let rounds = if std::env::var_os("HANGAR_TEST_FULL").is_some() { 12 } else { 1 };
    let next = AtomicUsize::new(0);
    let total = Mutex::new(Counts::default());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from).min(4) {
            scope.spawn(|| {
                let mut counts = Counts::default();
                let mut caller = Caller::new();
                while let Some(name) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let schema = catalog.get(name).unwrap();
                    for seed in 0..rounds {
                        live(&schema, seed, &mut caller, &mut counts);
                    }
                }
                let mut total = total.lock().unwrap();
                for (step, results) in counts.steps {
                    for (result, count) in results {
                        *total.steps.entry(step).or_default().entry(result).or_default() += count;
                    }
                }
                total.failures.extend(counts.failures);
            });
        }
    });
    let total = total.into_inner().unwrap();
    for (step, results) in &total.steps {
        println!("counted: simulator sweep over {} types, {step:?}: {results:?}", names.len());
    }
    total.failures.iter().take(40).for_each(|failure| println!("{failure}"));
    assert!(total.failures.is_empty(), "{} steps failed", total.failures.len());
}

/// One resource from its creation to its end.
fn live(schema: &TypeSchema, seed: u64, caller: &mut Caller, counts: &mut Counts) {
    let name = schema.name();
    let mut sampler = Sampler::new(schema);
    let size = if seed == 0 { Size::Medium } else { Size::Large };
    // A large document may run into the sampler's limits and state less than the schema asks.
    let is_whole = |desired: &Value| {
        !validate(schema, desired, Purpose::Desired).iter().any(Diagnostic::is_error)
    };
    let mut candidates = (0..10).map(|again| sampler.desired(seed + 1000 * again, size));
    let Some(desired) = candidates.find(is_whole) else {
        return counts.fail(Step::Create, name, "no document");
    };
    let create = json!({"TypeName": name, "DesiredState": desired.to_string()});
    let identifier = match caller.succeed("CreateResource", &create) {
        Ok(identifier) => {
            counts.add(Step::Create, Ending::Run);
            identifier
        }
        Err(refused) if schema.handlers().create.is_none() => {
            expect_unsupported(Step::Create, "CREATE", schema, &refused, counts);
            // What a hand made, the other handlers must still serve.
            let (place, wall) = (caller.place.clone(), caller.wall());
            if schema.primary_identifier().is_empty() {
                return;
            }
            match caller.world.create_out_of_band(&place, name, &desired, wall) {
                Ok(identifier) => identifier,
                Err(refusal) => return counts.fail(Step::Create, name, refusal),
            }
        }
        Err(refused) => return counts.fail(Step::Create, name, (refused, desired)),
    };
    read(Step::Read, schema, &identifier, &desired, caller, counts);
    let updated = update(schema, seed, &identifier, &desired, caller, counts);
    if let Some(updated) = updated {
        read(Step::ReadUpdated, schema, &identifier, &updated, caller, counts);
    }
    list(schema, &identifier, caller, counts);
    delete(schema, &identifier, caller, counts);
}

fn expect_unsupported(
    step: Step,
    action: &str,
    schema: &TypeSchema,
    (exception, message): &Refused,
    counts: &mut Counts,
) {
    let words = format!("Resource type {} does not support {action} action", schema.name());
    if exception == "UnsupportedActionException" && *message == words {
        counts.add(step, Ending::Refused);
    } else {
        counts.fail(step, schema.name(), (exception, message));
    }
}

/// What was stated is there: the patch from live to it is empty.
fn read(
    step: Step,
    schema: &TypeSchema,
    identifier: &str,
    stated: &Value,
    caller: &mut Caller,
    counts: &mut Counts,
) {
    let name = schema.name();
    match caller.read(name, identifier) {
        Ok(_) if schema.handlers().read.is_none() => counts.fail(step, name, "was read"),
        Ok(live) => {
            let inputs = Inputs { live: &live, desired: stated, applied: Some(stated) };
            match patch(schema, &inputs) {
                Ok(patch) if patch.outcome == Outcome::Noop => counts.add(step, Ending::Run),
                other => counts.fail(step, name, (other, stated, live)),
            }
        }
        Err(refused) if schema.handlers().read.is_none() => {
            expect_unsupported(step, "READ", schema, &refused, counts);
        }
        Err(refused) => counts.fail(step, name, refused),
    }
}

/// Changes something that can be changed; gives what is stated then.
fn update(
    schema: &TypeSchema,
    seed: u64,
    identifier: &str,
    desired: &Value,
    caller: &mut Caller,
    counts: &mut Counts,
) -> Option<Value> {
    let name = schema.name();
    let body = |operations: &[Operation]| {
        let patch = Value::from(operations.iter().map(Operation::to_json).collect::<Vec<_>>());
        json!({"TypeName": name, "Identifier": identifier, "PatchDocument": patch.to_string()})
    };
    if schema.handlers().update.is_none() {
        let refused = caller.succeed("UpdateResource", &body(&[])).unwrap_err();
        expect_unsupported(Step::Update, "UPDATE", schema, &refused, counts);
        return None;
    }
    // Without a read handler what was applied stands for what is there.
    let live = caller.read(name, identifier).unwrap_or_else(|_| without_secrets(schema, desired));
    let mut sampler = Sampler::new(schema);
    for attempt in 0..24 {
        let (changed, _) = sampler.changed(desired, seed * 100 + attempt);
        // An edit may break what the schema asks of the whole, or name another resource.
        let is_wrong =
            validate(schema, &changed, Purpose::Desired).iter().any(Diagnostic::is_error);
        let names_another = touched(schema.primary_identifier(), desired, &changed);
        if is_wrong || !names_another.is_empty() || holds_empty_element(&changed) {
            continue;
        }
        let inputs = Inputs { live: &live, desired: &changed, applied: Some(desired) };
        let Ok(patch) = patch(schema, &inputs) else { continue };
        if patch.outcome != Outcome::Update || breaks_the_model(schema, &live, &patch.operations) {
            continue;
        }
        return match caller.succeed("UpdateResource", &body(&patch.operations)) {
            Ok(_) => {
                counts.add(Step::Update, Ending::Run);
                Some(changed)
            }
            Err(refused) => {
                counts.fail(Step::Update, name, (refused, patch.operations, desired));
                None
            }
        };
    }
    counts.add(Step::Update, Ending::NothingToChange);
    None
}

/// Whether an array holds an object that states nothing: no service takes an attribute without a
/// key.
fn holds_empty_element(value: &Value) -> bool {
    let is_empty = |item: &Value| item.as_object().is_some_and(Map::is_empty);
    match value {
        Value::Array(items) => items.iter().any(|it| is_empty(it) || holds_empty_element(it)),
        Value::Object(members) => members.values().any(holds_empty_element),
        _ => false,
    }
}

/// Whether the result would lack what the schema requires: some members cannot be removed one by
/// one, nor together because of a read-only sibling.
fn breaks_the_model(schema: &TypeSchema, live: &Value, operations: &[Operation]) -> bool {
    let operations = Value::from(operations.iter().map(Operation::to_json).collect::<Vec<_>>());
    let operations: json_patch::Patch = serde_json::from_value(operations).unwrap();
    let mut patched = live.clone();
    json_patch::patch(&mut patched, &operations).unwrap();
    let errors = |document: &Value| {
        let found = validate(schema, document, Purpose::Merged);
        found.into_iter().filter(Diagnostic::is_error).collect::<Vec<_>>()
    };
    let known = errors(live);
    errors(&patched).iter().any(|error| !known.contains(error))
}

fn list(schema: &TypeSchema, identifier: &str, caller: &mut Caller, counts: &mut Counts) {
    let name = schema.name();
    let mut body = json!({"TypeName": name});
    if let Some(handler) = &schema.handlers().list {
        let live = caller.read(name, identifier).unwrap_or_else(|_| json!({}));
        let parents: Map<String, Value> = handler
            .parents
            .iter()
            .map(|parent| (parent.clone(), live.get(parent).cloned().unwrap_or_else(|| "x".into())))
            .collect();
        if !parents.is_empty() {
            body["ResourceModel"] = Value::Object(parents).to_string().into();
        }
    }
    match caller.call("ListResources", &body) {
        Ok(answer) => {
            let listed = answer["ResourceDescriptions"].as_array().cloned().unwrap_or_default();
            if listed.iter().any(|it| it["Identifier"] == identifier) {
                counts.add(Step::List, Ending::Run);
            } else {
                counts.fail(Step::List, name, (identifier, body, answer));
            }
        }
        Err(refused) if schema.handlers().list.is_none() => {
            expect_unsupported(Step::List, "LIST", schema, &refused, counts);
        }
        Err(refused) => counts.fail(Step::List, name, refused),
    }
}

fn delete(schema: &TypeSchema, identifier: &str, caller: &mut Caller, counts: &mut Counts) {
    let name = schema.name();
    let body = json!({"TypeName": name, "Identifier": identifier});
    match caller.succeed("DeleteResource", &body) {
        Ok(_) => match caller.read(name, identifier) {
            Err((exception, _)) if exception == "ResourceNotFoundException" => {
                counts.add(Step::Delete, Ending::Run);
            }
            Err(_) if schema.handlers().read.is_none() => counts.add(Step::Delete, Ending::Run),
            other => counts.fail(Step::Delete, name, other),
        },
        Err(refused) if schema.handlers().delete.is_none() => {
            expect_unsupported(Step::Delete, "DELETE", schema, &refused, counts);
        }
        Err(refused) => counts.fail(Step::Delete, name, refused),
    }
}
