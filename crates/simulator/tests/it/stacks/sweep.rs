//! Every type that can be made, alone in a stack.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use hangar_diag::Diagnostic;
use hangar_manifest::cloudformation::physical_id::parts;
use hangar_schema::sample::{Sampler, Size};
use hangar_schema::{Catalog, Purpose, TypeSchema, validate};
use serde_json::{Value, json};

use super::{create, physical_id, status};
use crate::caller::{Caller, texts};

#[derive(Debug, Default)]
struct Counts {
    deployed: usize,
    by_table: usize,
    composite: usize,
    without_handlers: usize,
    /// Top-level read-only properties, and those of them that the model has no value for.
    attributes: [usize; 2],
    failures: Vec<String>,
}

#[test]
fn every_type_deploys_in_a_stack_of_its_own() {
    let catalog = Catalog::bundled();
    let names: Vec<&str> = match std::env::var("HANGAR_TEST_TYPE") {
        Ok(wanted) => catalog.names().filter(|name| name.contains(&wanted)).collect(),
        Err(_) => catalog.names().collect(),
    };
    let next = AtomicUsize::new(0);
    let total = Mutex::new(Counts::default());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from).min(4) {
            scope.spawn(|| {
                let mut counts = Counts::default();
                while let Some(name) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if *name == "AWS::CloudFormation::Stack" {
                        continue;
                    }
                    let schema = catalog.get(name).unwrap();
                    if let Err(why) = deploy(&schema, &mut counts) {
                        counts.failures.push(format!("{name}: {why}"));
                    }
                }
                let mut total = total.lock().unwrap();
                total.deployed += counts.deployed;
                total.by_table += counts.by_table;
                total.composite += counts.composite;
                total.without_handlers += counts.without_handlers;
                for (total, count) in total.attributes.iter_mut().zip(counts.attributes) {
                    *total += count;
                }
                total.failures.extend(counts.failures);
            });
        }
    });
    let total = total.into_inner().unwrap();
    println!(
        "counted: stacks of one type each: {} deployed, of which {} have a physical id by the table, {} a \
         composite one, {} no handler to make them",
        total.deployed, total.by_table, total.composite, total.without_handlers
    );
    let [all, missing] = total.attributes;
    println!(
        "counted: attributes of types that are made in stacks: {all}, without a value {missing}"
    );
    total.failures.iter().take(40).for_each(|failure| println!("{failure}"));
    assert!(total.failures.is_empty(), "{} types failed", total.failures.len());
}

/// A stack of one resource, from a document that the schema allows.
fn deploy(schema: &TypeSchema, counts: &mut Counts) -> Result<(), String> {
    let name = schema.name();
    let mut sampler = Sampler::new(schema);
    let is_whole = |desired: &Value| {
        !validate(schema, desired, Purpose::Desired).iter().any(Diagnostic::is_error)
    };
    let mut candidates = (0..10).map(|again| sampler.desired(1000 * again, Size::Medium));
    let desired = candidates.find(is_whole).ok_or("no document")?;
    let mut caller = Caller::new();
    let template = json!({"Resources": {"It": {"Type": name, "Properties": desired}}});
    let id = create(&mut caller, "S", &template.to_string()).map_err(|it| it.1)?;
    let (now, _) = status(&mut caller, "S");
    if now != "CREATE_COMPLETE" {
        let xml = caller.stacks("DescribeStackEvents", &[("StackName", &id)]).unwrap();
        return Err(texts(&xml, "ResourceStatusReason").join(" / "));
    }
    let physical_id = physical_id(&mut caller, "S", "It");
    counts.deployed += 1;
    if schema.handlers().create.is_none() {
        counts.without_handlers += 1;
        return if physical_id.is_empty() { Err("no physical id".to_owned()) } else { Ok(()) };
    }
    check(schema, &mut caller, &physical_id, counts)?;
    caller.stacks("DeleteStack", &[("StackName", "S")]).map_err(|it| it.1)?;
    let left = caller.world.state().regions[&caller.place].resources.get(name);
    match left.map_or(0, std::collections::BTreeMap::len) {
        0 => Ok(()),
        left => Err(format!("{left} left after the deletion")),
    }
}

fn check(
    schema: &TypeSchema,
    caller: &mut Caller,
    physical_id: &str,
    counts: &mut Counts,
) -> Result<(), String> {
    let region = &caller.world.state().regions[&caller.place];
    let made = region.resources.get(schema.name()).ok_or("nothing is there")?;
    let (identifier, resource) = made.iter().next().ok_or("nothing is there")?;
    let document = resource.document.as_ref().ok_or("no document")?;
    let values: Value = serde_json::from_str(document.whole()).map_err(|it| it.to_string())?;
    for pointer in &schema.lists().read_only {
        if let Some([name]) = pointer.member_names().as_deref() {
            counts.attributes[0] += 1;
            counts.attributes[1] += usize::from(values.get(*name).is_none());
        }
    }
    if schema.primary_identifier().len() > 1 {
        counts.composite += 1;
    }
    let expected = match parts(schema.name()) {
        None => identifier.to_string(),
        Some(parts) => {
            counts.by_table += 1;
            let text = |part: &&str| match values.get(*part) {
                Some(Value::String(text)) => Some(text.clone()),
                Some(value @ (Value::Number(_) | Value::Bool(_))) => Some(value.to_string()),
                _ => None,
            };
            let texts: Vec<String> = parts.iter().filter_map(text).collect();
            if texts.is_empty() {
                return Err(format!("{parts:?} has no value in the model"));
            }
            texts.join("|")
        }
    };
    if physical_id != expected {
        return Err(format!("the physical id is {physical_id} and not {expected}"));
    }
    if schema.handlers().read.is_some() {
        let identifier = identifier.to_string();
        caller.read(schema.name(), &identifier).map_err(|it| it.1)?;
    }
    Ok(())
}
