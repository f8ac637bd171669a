//! Every row of the table against Hangar's own comparison: what the service changes is no update.

use std::collections::BTreeMap;

use hangar_diag::Diagnostic;
use hangar_schema::sample::{Sampler, Size};
use hangar_schema::{Inputs, Operation, Outcome, Purpose, patch, validate};

use super::super::spelling::{LetterCase, Spelling};
use super::*;
use crate::core::call::Call;
use crate::core::reply::Reply;
use crate::core::settings::Settings;
use crate::core::time::Timestamp;
use crate::core::world::{Outcome as Answered, World};

/// A value that the habit changes, if the habit changes values that a caller states.
fn trigger(habit: &Habit, sampled: &Value) -> Option<Value> {
    let text = |change: &dyn Fn(&str) -> String| sampled.as_str().map(|it| change(it).into());
    match habit {
        Habit::Spelling(Spelling::Case(LetterCase::Lower)) => text(&str::to_uppercase),
        Habit::Spelling(Spelling::Case(LetterCase::Upper)) => text(&str::to_lowercase),
        Habit::Spelling(Spelling::Words(words)) => Some(words[0].to_uppercase().into()),
        Habit::Spelling(Spelling::Drop(end)) => text(&|it| format!("{it}{end}")),
        Habit::Spelling(Spelling::Version(_)) => Some("8.0".into()),
        Habit::Spelling(Spelling::Interval) => Some("rate(60 minutes)".into()),
        Habit::Spelling(Spelling::Arn(_)) => Some("name".into()),
        Habit::Spelling(Spelling::Last) => Some("arn:aws:iam::123456789012:role/name".into()),
        Habit::Spelling(Spelling::Replace(words)) => {
            words.keys().next().map(|it| it.as_str().into())
        }
        Habit::Spelling(Spelling::ScalarsAsText) => Some(json!({"a": 30, "b": true})),
        Habit::Spelling(Spelling::CompactJson) => Some(r#"{ "b": [1], "a": "x" }"#.into()),
        Habit::Spelling(Spelling::JsonMembers(_)) => Some(r#"[{"Value": "x"}]"#.into()),
        Habit::Spelling(Spelling::JsonText) => Some(json!({"Version": "2012-10-17", "Statement": [
            {"Effect": "Allow", "Action": "a:B", "Resource": "*", "Principal": "*"}]})),
        Habit::Policy(_) => Some(json!({"Version": "2012-10-17", "Statement": {
            "Effect": "Allow", "Action": "a:B", "Principal": {"AWS": ["123456789012"]}}})),
        _ => None,
    }
}

/// A document in which a caller states what the row is about.
fn document(schema: &TypeSchema, row: &Row) -> Option<Value> {
    let mut sampler = Sampler::new(schema);
    let is_sound =
        |it: &Value| !validate(schema, it, Purpose::Desired).iter().any(Diagnostic::is_error);
    (0..40).find_map(|seed| {
        let size = if seed < 4 { Size::Medium } else { Size::Large };
        let mut sampled = sampler.desired(seed, size);
        let mut is_met = false;
        match row.habit {
            Habit::Default(_) => visit_holders(&mut sampled, &row.steps, &mut |members, name| {
                is_met |= !members.contains_key(name);
            }),
            Habit::Element(_) => visit_holders(&mut sampled, &row.steps, &mut |_, _| is_met = true),
            _ => visit(&mut sampled, &row.steps, &mut |value| {
                if let Some(trigger) = trigger(&row.habit, value) {
                    *value = trigger;
                }
                is_met = true;
            }),
        }
        (is_met && is_sound(&sampled)).then_some(sampled)
    })
}

fn read_back(world: &mut World, schema: &TypeSchema, desired: &Value) -> Option<Value> {
    let place = Place::of_caller("123456789012", "us-east-1");
    let wall = Timestamp::from_millis(1_800_000_000_000);
    let identifier = world.create_out_of_band(&place, schema.name(), desired, wall).ok()?;
    let call = Call::GetResource { type_name: schema.name().to_owned(), identifier };
    match world.call(&place, &call, wall).outcome {
        Answered::Answered(Ok(Reply::Resource { description, .. })) => {
            serde_json::from_str(&description.properties).ok()
        }
        _ => None,
    }
}

#[test]
fn what_a_row_changes_is_no_update() {
    let catalog = Catalog::bundled();
    let mut counts: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    let mut failures = Vec::new();
    for line in rows::lines() {
        let rows::Line { type_name, row, .. } = rows::read_line(line).unwrap();
        let word = line.split('\t').nth(2).unwrap();
        if matches!(row.habit, Habit::KeepsRemoved | Habit::ShownIn) {
            continue;
        }
        let schema = catalog.get(type_name).unwrap();
        let count = counts.entry(word).or_default();
        count[0] += 1;
        // Some types have no handlers, and some places lie in alternatives that no sample has.
        let Some(desired) = document(&schema, &row) else { continue };
        let mut world = World::new(Catalog::bundled(), Settings::default());
        let Some(live) = read_back(&mut world, &schema, &desired) else { continue };
        count[1] += 1;
        let inputs = Inputs { live: &live, desired: &desired, applied: Some(&desired) };
        match patch(&schema, &inputs) {
            Ok(made) if made.outcome == Outcome::Noop => count[2] += 1,
            Ok(made) => {
                let paths: Vec<_> = made.operations.iter().map(Operation::path).collect();
                failures.push(format!("{:?} {paths:?} {:?}: {line}", made.outcome, made.reasons));
            }
            Err(problems) => failures.push(format!("{problems:?}: {line}")),
        }
    }
    println!("counted: rows of habits.tsv, created, no update: {counts:?}");
    for failure in &failures {
        println!("{failure}");
    }
    assert!(failures.is_empty(), "{} rows", failures.len());
    let [rows, created] = [0, 1].map(|at| counts.values().map(|count| count[at]).sum::<usize>());
    assert!(created * 10 > rows * 8, "{created} of {rows} rows");
}
