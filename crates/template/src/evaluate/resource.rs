//! What is read of resources: their own body tells some of it before they exist, the rest comes from a read.

use std::sync::Arc;

use hangar_diag::Span;
use serde_json::Value as Json;

use super::access::{Absence, At, Reached, Step, To, segment};
use super::facts::{Instance, Repeated, position};
use super::{Evaluated, Evaluator};
use crate::codes;
use crate::deployment::{MissingParameter, Resource, Sight};
use crate::ir::{
    Entry, Expression, ExpressionKind, Key, READABLE, RECIPE_READABLE, ResourceDeclaration,
    SECRETS, What,
};
use crate::recipe::RECIPE_TYPE;
use crate::source::Problem;
use crate::value::{Because, Data, Kind, Members, Value};

impl Evaluator<'_> {
    pub(super) fn reach_resource(
        &self,
        resource: usize,
        span: Span,
    ) -> Result<Reached, Vec<Problem>> {
        let declared = &self.unit.resources[resource];
        if let What::Foreign { written } = &declared.what {
            let inputs = &self.shared.facts.inputs;
            let is_looked_at = inputs.missing == MissingParameter::Unknown;
            if inputs.skip_unsupported && !is_looked_at {
                let message = format!(
                    "`{}` is skipped: Hangar cannot deploy `{}` yet",
                    declared.name.text, written.text
                );
                return self.fail(codes::LEFT_OUT_READ, span, message);
            }
            return Ok(Reached::Value(unresolved()));
        }
        let Some(instances) = self.frame.instances[resource].get() else {
            // Its loop or condition is wrong, and was reported.
            return Ok(Reached::Value(unresolved()));
        };
        if declared.repeat.is_some() {
            return Ok(Reached::Collection(resource));
        }
        Ok(self.instance_or_absence(At { resource, instance: 0 }, instances))
    }

    fn instance_or_absence(&self, at: At, instances: &[Option<Instance>]) -> Reached {
        let Some(Some(instance)) = instances.get(at.instance) else {
            return Reached::Missing(Absence::LeftOut(self.name_of(at)));
        };
        match self.shared.known.resource(instance.node()) {
            Sight::Absent => Reached::Missing(Absence::NotFound(self.name_of(at))),
            Sight::Unknown | Sight::Known(_) => Reached::Resource(at),
        }
    }

    fn name_of(&self, at: At) -> Arc<str> {
        self.unit.resources[at.resource].name.text.clone()
    }

    pub(super) fn not_there<T>(&self, absence: Absence, span: Span) -> Result<T, Vec<Problem>> {
        let (message, hint) = match absence {
            Absence::LeftOut(name) => (
                format!(
                    "`{name}` is not deployed because its condition is false, so it cannot be read"
                ),
                "use `.?`, or read it under the same condition",
            ),
            Absence::NotFound(name) => {
                (format!("`{name}` was not found, so it cannot be read"), "use `.?`")
            }
        };
        self.fail_with(codes::NULL_READ, span, message, hint)
    }

    pub(super) fn step_into_collection(
        &self,
        resource: usize,
        step: &Step,
    ) -> Result<Reached, Vec<Problem>> {
        let instances = self.frame.instances_of(resource);
        if let To::Member(_) = step.to {
            let message = "this is a collection of resources from a loop; select one with an index";
            return self.fail(codes::COLLECTION_READ, step.span, message);
        }
        match position(instances, |count| step.to.position(count)) {
            Some(instance) => Ok(self.instance_or_absence(At { resource, instance }, instances)),
            None if step.safe => Ok(Reached::Nothing { secret: false }),
            None => Err(vec![self.no_such_item(instances.len(), step)]),
        }
    }

    pub(super) fn step_into_resource(&self, at: At, step: &Step) -> Result<Reached, Vec<Problem>> {
        let Some((declared, instance)) = self.instance(at) else {
            return Ok(Reached::Value(unresolved()));
        };
        let To::Member(name) = &step.to else {
            let message = "the index of a resource must be the name of a property";
            return self.fail(codes::OBJECT_INDEX, step.span, message);
        };
        let is_recipe = matches!(declared.what, What::Recipe);
        let value = match &**name {
            "properties" => return Ok(Reached::Properties(at, Vec::new())),
            "name" if is_recipe => stated_name(instance),
            "id" | "name" => self.identity(instance, name),
            "type" => type_of(declared),
            "alias" if !is_recipe => stated_name(instance),
            SECRETS if is_recipe => self.secrets(instance),
            _ => {
                let names = if is_recipe { &RECIPE_READABLE[..] } else { &READABLE[..] };
                return Err(vec![self.no_such_member(names.iter().copied(), step)]);
            }
        };
        Ok(Reached::Value(value))
    }

    fn instance(&self, at: At) -> Option<(&ResourceDeclaration, &Instance)> {
        let instance = self.frame.instances_of(at.resource).get(at.instance)?.as_ref()?;
        Some((&self.unit.resources[at.resource], instance))
    }

    /// The id or the name.
    fn identity(&self, instance: &Instance, name: &str) -> Value {
        match self.shared.known.resource(instance.node()) {
            Sight::Known(resource) if name == "id" => Value::string(resource.id.as_str()),
            Sight::Known(resource) => Value::string(resource.name.as_str()),
            Sight::Unknown | Sight::Absent => {
                let kind = Some(Kind::String);
                Value::unknown(kind, because(instance, format!("/{name}")))
            }
        }
    }

    /// The secrets of a recipe.
    fn secrets(&self, instance: &Instance) -> Value {
        let value = match self.shared.known.resource(instance.node()) {
            Sight::Known(Resource { secrets: Some(secrets), .. }) => {
                Value::from_json(secrets.expose(), true)
            }
            Sight::Known(_) | Sight::Unknown | Sight::Absent => {
                Value::unknown(Some(Kind::Object), because(instance, format!("/{SECRETS}")))
            }
        };
        value.tainted(true)
    }

    /// The value of what a chain has reached.
    pub(super) fn settle(&self, reached: Reached) -> Evaluated {
        match reached {
            Reached::Value(value) => Ok(value),
            Reached::Missing(_) => Ok(Value::NULL),
            Reached::Nothing { secret } => Ok(Value::NULL.tainted(secret)),
            Reached::Properties(at, steps) => self.properties(at, &steps),
            Reached::Resource(at) => self.whole(at),
            Reached::Module(at) => self.whole_module(at),
            Reached::Modules(module) => self.whole_modules(module),
            Reached::Outputs(at) => self.all_outputs(at),
            Reached::Collection(resource) => {
                if let [Some(only)] = self.frame.instances_of(resource)
                    && let Some(because) = only.stands_for_all()
                {
                    return Ok(Value::unknown(Some(Kind::Array), because.clone()));
                }
                let mut values = Vec::new();
                for (index, instance) in self.frame.instances_of(resource).iter().enumerate() {
                    values.push(match instance {
                        Some(_) => self.whole(At { resource, instance: index })?,
                        None => Value::NULL,
                    });
                }
                Ok(Value::array(values))
            }
        }
    }

    /// A resource as an object.
    fn whole(&self, at: At) -> Evaluated {
        let Some((declared, instance)) = self.instance(at) else { return Ok(unresolved()) };
        let is_recipe = matches!(declared.what, What::Recipe);
        let name = if is_recipe { stated_name(instance) } else { self.identity(instance, "name") };
        let mut members = Members::from([
            ("id".into(), self.identity(instance, "id")),
            ("name".into(), name),
            ("type".into(), type_of(declared)),
            ("properties".into(), self.properties(at, &[])?),
        ]);
        if !is_recipe {
            members.insert("alias".into(), stated_name(instance));
        }
        Ok(Value::object(members))
    }

    /// Something in the properties of a resource.
    fn properties(&self, at: At, steps: &[Step]) -> Evaluated {
        let Some((_, instance)) = self.instance(at) else { return Ok(unresolved()) };
        match self.shared.known.resource(instance.node()) {
            Sight::Absent => Ok(Value::NULL),
            Sight::Unknown => {
                // What a body states is a part of all properties: the whole is not known.
                let stated = if steps.is_empty() { None } else { self.stated(at, steps)? };
                Ok(stated.unwrap_or_else(|| unknown_part(instance, steps)))
            }
            Sight::Known(resource) => self.known_properties(at, instance, resource, steps),
        }
    }

    fn known_properties(
        &self,
        at: At,
        instance: &Instance,
        resource: &Resource,
        steps: &[Step],
    ) -> Evaluated {
        let read = read(&resource.properties, steps);
        let shown = read.ok().filter(|it| !it.is_null()).map(|it| Value::from_json(it, false));
        // Only what a read does not settle needs the body: its own value goes first where the resource is
        // about to change, and write-only values are in no read.
        let needs_body =
            resource.changing || shown.as_ref().is_none_or(|it| matches!(it.data, Data::Object(_)));
        let stated = if needs_body { self.stated(at, steps)? } else { None };
        let value = match (resource.changing, stated, shown) {
            (true, Some(stated), Some(shown)) => merged(stated, &shown),
            (false, Some(stated), Some(shown)) => merged(shown, &stated),
            (_, Some(value), None) | (_, None, Some(value)) => value,
            (true, None, None) => unknown_part(instance, steps),
            (false, None, None) => return self.not_in_read(&resource.properties, steps),
        };
        Ok(self.tainted_as_stated(value, instance, steps))
    }

    /// Secrets of the own body stay secret when they are read.
    fn tainted_as_stated(&self, value: Value, instance: &Instance, steps: &[Step]) -> Value {
        let outline = self.shared.facts.outlines.get().and_then(|it| it.get(instance.node()));
        let Some(Some(outline)) = outline else { return value };
        let mut at = outline.clone();
        let mut secret = at.secret;
        for step in steps {
            let part = match (&at.data, &step.to) {
                (Data::Object(members), To::Member(name)) => members.get(name).cloned(),
                (Data::Array(items), to) => {
                    to.position(items.len()).and_then(|at| items.get(at).cloned())
                }
                _ => None,
            };
            let Some(part) = part else { return value.tainted(secret) };
            secret |= part.secret;
            at = part;
        }
        tainted_like(value.tainted(secret), &at)
    }

    /// Neither the body nor a read has it, and nothing is to change.
    fn not_in_read(&self, properties: &Json, steps: &[Step]) -> Evaluated {
        let Err(missing) = read(properties, steps) else { return Ok(Value::NULL) };
        let step = &steps[missing.step];
        if step.safe || steps[..missing.step].iter().any(|it| it.safe) && missing.at.is_null() {
            return Ok(Value::NULL);
        }
        Err(vec![match missing.at {
            Json::Object(members) => self.no_such_member(members.keys().map(String::as_str), step),
            Json::Array(items) => self.no_such_item(items.len(), step),
            _ => self.no_such_member(std::iter::empty(), step),
        }])
    }

    /// What the own body states there; nothing where it does not, or states null.
    fn stated(&self, at: At, steps: &[Step]) -> Result<Option<Value>, Vec<Problem>> {
        let Some((declared, instance)) = self.instance(at) else { return Ok(None) };
        let Some(properties) = &declared.properties else { return Ok(None) };
        let Some((expression, taken)) = written(properties, steps) else { return Ok(None) };
        let mut value = self.part_of_body(at, instance, expression)?;
        for step in &steps[taken..] {
            match self.part(&value, step)? {
                Some(part) => value = part,
                None => return Ok(None),
            }
        }
        Ok(Some(value).filter(|it| !matches!(it.data, Data::Null)))
    }

    pub(super) fn part_of_body(
        &self,
        at: At,
        instance: &Instance,
        expression: &Expression,
    ) -> Evaluated {
        let key = (self.frame.id, at.resource, at.instance, expression.span);
        if let Some(value) = self.shared.stated.borrow().get(&key) {
            return value.clone();
        }
        let value = instance.with_scope(|scope| self.value(expression, scope));
        self.shared.stated.borrow_mut().insert(key, value.clone());
        value
    }
}

/// A value that nothing is done with: what it hangs on was reported.
pub(super) fn unresolved() -> Value {
    Value::unknown(None, Because::Moment)
}

fn type_of(declared: &ResourceDeclaration) -> Value {
    match &declared.what {
        What::Aws { type_name, .. } => Value::string(type_name.ucp()),
        What::Recipe => Value::string(RECIPE_TYPE),
        What::Foreign { .. } | What::Faulty => unresolved(),
    }
}

/// What the body calls it by: the alias, or a recipe's name.
fn stated_name(instance: &Instance) -> Value {
    instance.alias.clone().unwrap_or(Value::NULL)
}

fn because(instance: &Instance, pointer: String) -> Because {
    Because::Resource {
        node: instance.node(),
        address: instance.address.clone(),
        pointer: pointer.into(),
    }
}

fn unknown_part(instance: &Instance, steps: &[Step]) -> Value {
    let path: String = steps.iter().map(|step| segment(&step.to)).collect();
    Value::unknown(None, because(instance, format!("/properties{path}")))
}

/// The expression that states a part of a body, and how many steps lead to it; nothing where the body plainly
/// has no such part.
fn written<'e>(properties: &'e Expression, steps: &[Step]) -> Option<(&'e Expression, usize)> {
    let mut expression = properties;
    for (taken, step) in steps.iter().enumerate() {
        let (ExpressionKind::Object(entries), To::Member(name)) = (&expression.kind, &step.to)
        else {
            return Some((expression, taken));
        };
        let mut found = None;
        for entry in entries {
            match entry {
                Entry::Member { key: Key::Fixed(key), value } if key.text == *name => {
                    found = Some(value);
                }
                Entry::Member { key: Key::Fixed(_), .. } => {}
                // Any name may come from here.
                Entry::Member { .. } | Entry::Spread(_) => return Some((expression, taken)),
            }
        }
        expression = found?;
    }
    Some((expression, steps.len()))
}

/// Where a path ends before its end.
struct Cut<'a> {
    step: usize,
    at: &'a Json,
}

fn read<'a>(properties: &'a Json, steps: &[Step]) -> Result<&'a Json, Cut<'a>> {
    let mut at = properties;
    for (index, step) in steps.iter().enumerate() {
        let part = match (at, &step.to) {
            (Json::Object(members), To::Member(name)) => members.get(&**name),
            (Json::Array(items), to) => to.position(items.len()).and_then(|at| items.get(at)),
            _ => None,
        };
        at = part.ok_or(Cut { step: index, at })?;
    }
    Ok(at)
}

/// Objects put together, member by member; else the first.
fn merged(first: Value, second: &Value) -> Value {
    let (Data::Object(members), Data::Object(others)) = (&first.data, &second.data) else {
        return first;
    };
    let mut members = Members::clone(members);
    for (name, other) in others.iter() {
        let value = match members.remove(name) {
            Some(member) => merged(member, other),
            None => other.clone(),
        };
        members.insert(name.clone(), value);
    }
    Value { data: Data::Object(Arc::new(members)), secret: first.secret || second.secret }
}

/// A value of which is secret what is secret in another.
fn tainted_like(value: Value, like: &Value) -> Value {
    if !like.holds_secret() {
        return value;
    }
    let secret = value.secret || like.secret;
    let data = match (&value.data, &like.data) {
        (Data::Object(members), Data::Object(others)) => {
            let members = members.iter().map(|(name, it)| {
                let it = it.clone().tainted(like.secret);
                let it = others.get(name).map_or(it.clone(), |other| tainted_like(it, other));
                (name.clone(), it)
            });
            Data::Object(Arc::new(members.collect()))
        }
        (Data::Array(items), Data::Array(others)) if items.len() == others.len() => {
            let items = items.iter().zip(others.iter());
            Data::Array(Arc::new(
                items.map(|(it, other)| tainted_like(it.clone(), other)).collect(),
            ))
        }
        // What it became cannot be told apart: all of it is secret.
        (_, Data::Array(_) | Data::Object(_)) => {
            return Value { data: value.data, secret: true };
        }
        (data, _) => data.clone(),
    };
    Value { data, secret }
}
