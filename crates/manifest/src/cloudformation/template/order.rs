//! What a template's resources and conditions wait for.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::super::intrinsic::{MAX_DEPTH, Reference, references};
use super::{Resource, Template, TemplateError};

impl Resource {
    /// The names that it mentions: what it depends on, and what its properties refer to, parameters too.
    pub fn mentions(&self) -> BTreeSet<String> {
        let named = references(&self.properties);
        let named = named.iter().map(|reference| reference.logical_id().to_owned());
        named.chain(self.depends_on.iter().cloned()).collect()
    }
}

impl Template {
    /// Whether all that is named is there.
    pub(super) fn check_names(&self) -> Result<(), TemplateError> {
        let is_known =
            |name: &str| self.resources.contains_key(name) || self.parameters.contains_key(name);
        let mut missing = BTreeSet::new();
        for resource in self.resources.values() {
            missing.extend(resource.mentions().into_iter().filter(|name| !is_known(name)));
            self.check_condition(resource.condition.as_deref())?;
        }
        refuse_missing(missing, "Resources")?;
        let mut missing = BTreeSet::new();
        for output in self.outputs.values() {
            let named = references(&output.value);
            let named = named.iter().map(Reference::logical_id);
            missing.extend(named.filter(|name| !is_known(name)).map(str::to_owned));
            self.check_condition(output.condition.as_deref())?;
        }
        refuse_missing(missing, "Outputs")
    }

    fn check_condition(&self, name: Option<&str>) -> Result<(), TemplateError> {
        match name {
            Some(name) if !self.conditions.contains_key(name) => {
                Err(TemplateError::NoCondition(name.to_owned()))
            }
            _ => Ok(()),
        }
    }

    /// The resources that each of `there` waits for, among `there`.
    pub fn dependencies(&self, there: impl Fn(&str) -> bool) -> BTreeMap<&str, BTreeSet<String>> {
        self.resources
            .iter()
            .filter(|(name, _)| there(name))
            .map(|(name, resource)| {
                let mut named = resource.mentions();
                named.retain(|other| self.resources.contains_key(other) && there(other));
                (name.as_str(), named)
            })
            .collect()
    }

    /// The logical ids for which `there` holds, each after those that it waits for.
    pub fn resource_order(&self, there: impl Fn(&str) -> bool) -> Result<Vec<&str>, TemplateError> {
        order(&self.dependencies(there)).map_err(TemplateError::Circular)
    }

    /// The names of the conditions, each after those that it names.
    pub fn condition_order(&self) -> Result<Vec<&str>, TemplateError> {
        let mut waits = BTreeMap::new();
        for (name, expression) in &self.conditions {
            let mut named = BTreeSet::new();
            conditions_in(expression, 0, &mut named);
            if let Some(unknown) = named.iter().find(|name| !self.conditions.contains_key(*name)) {
                return Err(TemplateError::NoCondition(unknown.clone()));
            }
            waits.insert(name.as_str(), named);
        }
        order(&waits).map_err(TemplateError::CircularConditions)
    }
}

fn refuse_missing(missing: BTreeSet<String>, section: &'static str) -> Result<(), TemplateError> {
    if missing.is_empty() {
        return Ok(());
    }
    Err(TemplateError::Unresolved { names: missing.into_iter().collect(), section })
}

fn conditions_in(expression: &Value, depth: usize, found: &mut BTreeSet<String>) {
    if depth > MAX_DEPTH {
        return;
    }
    match expression {
        Value::Object(object) => {
            if let (1, Some(Value::String(name))) = (object.len(), object.get("Condition")) {
                found.insert(name.clone());
            }
            if let Some(Value::String(name)) = object.get("Fn::If").and_then(|it| it.get(0)) {
                found.insert(name.clone());
            }
            object.values().for_each(|member| conditions_in(member, depth + 1, found));
        }
        Value::Array(items) => items.iter().for_each(|item| conditions_in(item, depth + 1, found)),
        _ => {}
    }
}

/// The names in an order in which each comes after what it waits for; or those that cannot be ordered.
fn order<'n>(waits: &BTreeMap<&'n str, BTreeSet<String>>) -> Result<Vec<&'n str>, Vec<String>> {
    let mut open: BTreeMap<&str, usize> =
        waits.iter().map(|(name, others)| (*name, others.len())).collect();
    let mut waited_for: BTreeMap<&str, Vec<&'n str>> = BTreeMap::new();
    for (name, others) in waits {
        for other in others {
            waited_for.entry(other).or_default().push(name);
        }
    }
    let mut ready: BTreeSet<&'n str> =
        waits.iter().filter(|(_, others)| others.is_empty()).map(|(name, _)| *name).collect();
    let mut ordered = Vec::with_capacity(waits.len());
    while let Some(name) = ready.pop_first() {
        ordered.push(name);
        for waiting in waited_for.get(name).into_iter().flatten() {
            if let Some(count) = open.get_mut(waiting) {
                *count -= 1;
                if *count == 0 {
                    ready.insert(waiting);
                }
            }
        }
    }
    if ordered.len() == waits.len() {
        return Ok(ordered);
    }
    let stuck = open.into_iter().filter(|(_, count)| *count > 0);
    Err(stuck.map(|(name, _)| name.to_owned()).collect())
}
