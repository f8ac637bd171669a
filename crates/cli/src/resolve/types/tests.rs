//! How a resource of every type is identified, whichever form its physical id has; over answers written down.
//!
//! A second resource of the same type is always there: a wrong identifier must not be taken for the right one.

#![allow(clippy::print_stdout, reason = "a test tells the test command what it counted")]

use std::collections::BTreeMap;

use hangar_diag::Diagnostic;
use hangar_manifest::cloudformation::physical_id;
use hangar_manifest::reference::{Found, find};
use hangar_manifest::resolve::{
    Evaluator, Fact, Known, ListEntry, Need, Problem, Rules, StackDescription, StackResource,
    States, Stop,
};
use hangar_schema::sample::{Sampler, Size};
use hangar_schema::{Catalog, Purpose, TypeSchema, validate};
use serde_json::{Map, Value, json};

use super::CatalogTypes;

const STACK: &str = "arn:aws:cloudformation:eu-west-1:111122223333:stack/S/u";

/// A resource as it is deployed: what its template states, and what it is.
struct Made {
    stated: Value,
    live: Value,
    parts: Vec<(String, String)>,
}

impl Made {
    fn new(schema: &TypeSchema, seed: u64, size: Size) -> Option<Self> {
        let mut sampler = Sampler::new(schema);
        let is_whole =
            |it: &Value| !validate(schema, it, Purpose::Desired).iter().any(Diagnostic::is_error);
        let stated =
            (0..10).map(|again| sampler.desired(seed + 100 * again, size)).find(is_whole)?;
        let mut live = stated.clone();
        for (name, value) in sampler.live(&stated, seed).as_object()? {
            live.as_object_mut()?.insert(name.clone(), value.clone());
        }
        let pointers = schema.primary_identifier().iter().enumerate();
        let parts = pointers.map(|(at, pointer)| {
            let names = pointer.member_names()?;
            let find = |document| names.iter().try_fold(document, |at: &Value, name| at.get(name));
            let made = match *names.last()? {
                "AccountId" | "AwsAccountId" | "CatalogId" => "111122223333".to_owned(),
                "Region" => "eu-west-1".to_owned(),
                "EventBusName" => "default".to_owned(),
                "Cluster" if schema.name().starts_with("AWS::ECS::") => "default".to_owned(),
                _ => find(&live).and_then(text).unwrap_or_else(|| format!("made-{seed}-{at}")),
            };
            Some((names.join("/"), find(&stated).and_then(text).unwrap_or(made)))
        });
        let parts = parts.collect::<Option<Vec<_>>>()?;
        Some(Self { stated, live, parts })
    }

    fn joined(&self) -> String {
        self.parts.iter().map(|(_, value)| value.as_str()).collect::<Vec<_>>().join("|")
    }

    /// Whether this is how Cloud Control would be asked for it.
    fn is_named(&self, identifier: &str) -> bool {
        let member = |(name, value): &(String, String)| {
            (name.rsplit('/').next().unwrap_or(name).to_owned(), json!(value))
        };
        let object: Map<String, Value> = self.parts.iter().map(member).collect();
        identifier == self.joined()
            || serde_json::from_str::<Value>(identifier).is_ok_and(|it| it == Value::Object(object))
    }

    /// The parts that the template does not state.
    fn unstated(&self) -> Vec<&str> {
        let is_stated = |name: &str| {
            let value = name.split('/').try_fold(&self.stated, Value::get);
            value.and_then(text).is_some()
        };
        let all = self.parts.iter().filter(|(name, _)| !is_stated(name));
        all.map(|(_, value)| value.as_str()).collect()
    }

    fn entry(&self) -> ListEntry {
        let properties: Map<String, Value> =
            self.parts.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        ListEntry { identifier: self.joined(), properties: properties.into() }
    }
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

/// The forms that a physical id may have, by name: what the table says, else all parts or just one.
fn forms(schema: &TypeSchema, made: &Made) -> BTreeMap<&'static str, String> {
    if let Some(names) = physical_id::parts(schema.name()) {
        let part = |name: &str| Some(made.parts.iter().find(|it| it.0 == name)?.1.clone());
        let value = |name: &&str| part(name).or_else(|| text(made.live.get(name)?));
        let values: Vec<String> = names.iter().filter_map(value).collect();
        let whole = if values.is_empty() { made.joined() } else { values.join("|") };
        return BTreeMap::from([("table", whole)]);
    }
    let unstated = made.unstated();
    let last = unstated.last().copied().or_else(|| made.parts.last().map(|(_, it)| it.as_str()));
    let mut all = BTreeMap::from([("joined", made.joined())]);
    all.extend(last.map(|part| ("one part", part.to_owned())));
    all.extend(arn(schema, made).map(|arn| ("arn", arn)));
    all
}

/// Its ARN, where the template of its type is all of properties.
fn arn(schema: &TypeSchema, made: &Made) -> Option<String> {
    let mut parts = schema.arn_template()?.split("${");
    let mut arn = parts.next()?.to_owned();
    for part in parts {
        let (name, literal) = part.split_once('}')?;
        let value = match name {
            "Partition" => "aws".to_owned(),
            "Region" => "eu-west-1".to_owned(),
            "Account" | "AccountId" => "111122223333".to_owned(),
            name => text(made.live.get(name)?)?,
        };
        arn = arn + &value + literal;
    }
    Some(arn)
}

/// What is answered to a question in a world of the two resources.
fn answer(schema: &TypeSchema, made: &Made, other: &Made, physical: &str, need: &Need) -> Fact {
    match need {
        Need::Stack { .. } => Fact::Stack(Some(StackDescription {
            id: STACK.to_owned(),
            name: "S".to_owned(),
            status: "CREATE_COMPLETE".to_owned(),
            ..StackDescription::default()
        })),
        Need::Resources { .. } => Fact::Resources(vec![StackResource {
            logical_id: "It".to_owned(),
            physical_id: Some(physical.to_owned()),
            type_name: schema.name().to_owned(),
            status: "CREATE_COMPLETE".to_owned(),
        }]),
        Need::Template { .. } => Fact::Template(
            json!({"Resources": {"It": {"Type": schema.name(), "Properties": made.stated}}}),
        ),
        Need::Resource { identifier, .. } => {
            let found = [(made, "right"), (other, "wrong")];
            let found = found.iter().find(|(it, _)| it.is_named(identifier));
            Fact::Resource(found.map(|(_, which)| json!({"Which": which})))
        }
        Need::List { parent, .. } => {
            let parent: Option<Value> =
                parent.as_deref().map(|it| serde_json::from_str(it).unwrap());
            let is_below = |it: &&Made| {
                let Some(Value::Object(parent)) = &parent else { return true };
                parent.iter().all(|(name, value)| it.live.get(name) == Some(value))
            };
            Fact::List([made, other].into_iter().filter(is_below).map(Made::entry).collect())
        }
        other => panic!("{other:?}"),
    }
}

/// Which resource is taken for it.
fn taken(
    types: &CatalogTypes,
    schema: &TypeSchema,
    made: &Made,
    other: &Made,
    physical: &str,
) -> Result<Value, Box<Problem>> {
    let found = find("${cfn:S/It#Which}");
    let [occurrence] = found.as_slice() else { panic!("{found:?}") };
    let Found::Reference(reference) = &occurrence.found else { panic!("{occurrence:?}") };
    let mut known = Known::default();
    for _ in 0..20 {
        let (states, rules) = (States::of(&known), Rules::default());
        let evaluator = Evaluator::new(&known, &states, types, &rules);
        let needs = match evaluator.evaluate(reference).outcome {
            Ok(resolved) => return Ok(resolved.value),
            Err(Stop::Problem(problem)) => return Err(problem),
            Err(Stop::Needs(needs)) => needs,
        };
        drop(states);
        for need in needs {
            let fact = answer(schema, made, other, physical, &need);
            known.learn(need, Ok(fact));
        }
    }
    panic!("{}: it never ends", schema.name());
}

#[test]
fn every_composite_type_is_identified_by_any_form_of_physical_id_or_refused() {
    let (catalog, types) = (Catalog::bundled(), CatalogTypes::bundled());
    let mut counts: BTreeMap<(String, &str, String), usize> = BTreeMap::new();
    let (mut wrong, mut unsampled) = (Vec::new(), Vec::new());
    for name in catalog.names() {
        let schema = catalog.get(name).unwrap();
        if schema.primary_identifier().len() < 2 || schema.handlers().read.is_none() {
            continue;
        }
        for size in [Size::Small, Size::Medium] {
            let (made, other) = (Made::new(&schema, 1, size), Made::new(&schema, 2, size));
            let (Some(made), Some(other)) = (made, other) else {
                unsampled.push(name);
                continue;
            };
            let unstated = made.unstated().len();
            for (form, physical) in forms(&schema, &made) {
                let taken = taken(&types, &schema, &made, &other, &physical);
                let outcome = match &taken {
                    Ok(which) => text(which).unwrap(),
                    Err(problem) => problem.code.to_string(),
                };
                let is_fine = match &taken {
                    Ok(which) => which == "right",
                    Err(problem) => {
                        let is_sure = unstated <= 1 && form != "arn";
                        !is_sure
                            && problem.code.to_string() == "REF0008"
                            && problem.message.contains(name)
                    }
                };
                if !is_fine {
                    wrong.push(format!(
                        "{name} {size:?} {form} `{physical}` of {:?}: {taken:?}",
                        made.parts
                    ));
                }
                *counts.entry((format!("{unstated} unstated"), form, outcome)).or_default() += 1;
            }
        }
    }
    for ((unstated, form, outcome), count) in &counts {
        println!(
            "counted: composite identifiers, {unstated}, physical id {form}: {outcome} {count}"
        );
    }
    println!("counted: composite types that could not be sampled: {}", unsampled.len());
    wrong.iter().take(60).for_each(|it| println!("{it}"));
    assert!(wrong.is_empty(), "{} are wrong", wrong.len());
    assert!(unsampled.is_empty(), "{unsampled:?}");
}
