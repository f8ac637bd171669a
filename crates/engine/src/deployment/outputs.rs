//! The outputs that a run would end with, as far as they are known, against those of the last run.

use std::collections::HashSet;

use hangar_schema::same::same;
use hangar_template::deployment::Deployment;
use hangar_template::value::{Because, MOMENT};
use serde_json::{Map, Value, json};

use super::changes::source;
use super::prepared::{Prepared, of_problems};

/// The outputs by name; else why there would be none. `timeless` is the template without a clock and without dice.
pub(super) fn outputs(
    prepared: &Prepared,
    timeless: Option<&Deployment>,
    last: Option<&Value>,
) -> Result<Map<String, Value>, Value> {
    let found = prepared.deployment.outputs(&prepared.sights());
    let found = found.map_err(|problems| {
        let (failure, place) = of_problems(&problems, &prepared.sources);
        let mut problem = json!({ "code": failure.code, "message": failure.message });
        if let Some(place) = place {
            problem["source"] = source(&place);
        }
        problem
    })?;
    let moments = timeless.map(|it| moments(it, prepared)).unwrap_or_default();
    let mut told = Map::new();
    for output in found {
        let before = last.and_then(|last| last.get(&*output.name));
        let mut entry = json!({ "type": &*output.type_text });
        if output.secure || output.value.secret {
            entry["secret"] = true.into();
        } else if moments.contains(&*output.name) {
            entry["unknown"] = MOMENT.into();
        } else {
            match (output.value.to_masked_json(), output.value.first_unknown()) {
                (Some(value), _) => entry["value"] = value,
                (None, Some(unknown)) => entry["unknown"] = unknown.because.to_string().into(),
                (None, None) => {}
            }
        }
        compare(&mut entry, before);
        told.insert(output.name.to_string(), entry);
    }
    for (name, before) in last.and_then(Value::as_object).into_iter().flatten() {
        if !told.contains_key(name) {
            let mut entry = json!({ "type": before["type"], "change": "delete" });
            if let Some(value) = before.get("value") {
                entry["before"] = value.clone();
            }
            told.insert(name.clone(), entry);
        }
    }
    Ok(told)
}

/// The outputs that hold what is evaluated when it is deployed.
fn moments(timeless: &Deployment, prepared: &Prepared) -> HashSet<String> {
    let found = timeless.outputs(&prepared.sights()).unwrap_or_default().into_iter();
    let is_moment = |it: &hangar_template::deployment::Output| {
        let unknown = it.value.first_unknown();
        unknown.is_some_and(|unknown| unknown.because == Because::Moment)
    };
    found.filter(is_moment).map(|it| it.name.to_string()).collect()
}

/// Says what becomes of an output; of a secret that was there before nobody can.
fn compare(entry: &mut Value, before: Option<&Value>) {
    let Some(before) = before else {
        entry["change"] = "create".into();
        return;
    };
    let value = before.get("value");
    if entry.get("secret").is_some() {
        if value.is_some() {
            entry["change"] = "update".into();
        }
        return;
    }
    if entry.get("unknown").is_some() {
        entry["change"] = "unknown".into();
    } else if value.zip(entry.get("value")).is_some_and(|(value, now)| same(value, now)) {
        entry["change"] = "no-op".into();
        return;
    } else {
        entry["change"] = "update".into();
    }
    if let Some(value) = value {
        entry["before"] = value.clone();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(now: Value, before: Option<&Value>) -> Value {
        let mut entry = now;
        compare(&mut entry, before);
        entry
    }

    #[test]
    fn an_output_is_told_against_the_last_run_without_the_secrets_of_either() {
        let change =
            |now: Value, before: Option<Value>| compared(now, before.as_ref())["change"].clone();
        let was = |value: Value| Some(json!({ "type": "string", "value": value }));
        assert_eq!(change(json!({"value": "a"}), None), "create");
        assert_eq!(change(json!({"value": "a"}), was(json!("a"))), "no-op");
        assert_eq!(change(json!({"value": "a"}), was(json!("b"))), "update");
        assert_eq!(change(json!({"unknown": "x"}), was(json!("b"))), "unknown");
        let hidden = Some(json!({ "type": "securestring" }));
        assert_eq!(change(json!({"secret": true}), hidden.clone()), Value::Null);
        assert_eq!(change(json!({"value": "a"}), hidden), "update");
        let turned = compared(json!({"secret": true}), was(json!("b")).as_ref());
        assert_eq!(turned, json!({"secret": true, "change": "update"}));
    }
}
