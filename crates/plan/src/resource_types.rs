//! The types that templates derive from AWS's resources, made of the schemas.

mod text_rules;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use hangar_diag::nearest;
use hangar_ids::TypeName;
use hangar_schema::outline::{Member, Outline, OutlineKey};
use hangar_schema::{Catalog, Kind, Source, TypeSchema};
use hangar_template::resource_types::{
    ResourceForm, ResourceMember, ResourceNode, ResourceSide, ResourceType, ResourceTypeLookup,
    ResourceTypes, TextRules,
};
use hangar_template::value::{Kind as ValueKind, Value};
use text_rules::PlaceRules;

/// The types of the bundled catalog. Each is made when it is first asked for.
#[derive(Debug, Default)]
pub struct CatalogTypes {
    known: Mutex<HashMap<(String, ResourceSide), Arc<ResourceType>>>,
}

impl ResourceTypes for CatalogTypes {
    fn find(&self, type_name: &TypeName, side: ResourceSide) -> ResourceTypeLookup {
        let catalog = Catalog::bundled();
        let name = type_name.cloud_formation();
        let key = (name.to_ascii_lowercase(), side);
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get(&key) {
            return ResourceTypeLookup::Found(found.clone());
        }
        let Ok(schema) = catalog.get(&name) else {
            let near = nearest(&name, catalog.names()).and_then(|near| TypeName::parse(near).ok());
            return ResourceTypeLookup::Missing { near: near.map(|near| near.ucp()) };
        };
        let made = Arc::new(resource_type(&schema, side));
        known().insert(key, made.clone());
        ResourceTypeLookup::Found(made)
    }
}

/// The type of a resource of this schema.
///
/// As it is declared, it has the properties that can be stated, with the limits that AWS's schema proves. As it is
/// read, nothing is required: AWS returns less than it was given, and more than its schemas know.
pub fn resource_type(schema: &TypeSchema, side: ResourceSide) -> ResourceType {
    let mut graph = Graph { nodes: Vec::new(), by_place: HashMap::new(), side, schema };
    let root = graph.reserve("resource");
    let text = graph.add("string", ResourceForm::Kind(ValueKind::String));
    let properties = graph.place(schema.outline(), "properties");
    let member =
        |name: &str, node, is_required| ResourceMember { name: name.into(), node, is_required };
    let mut members = vec![member("name", text, false), member("alias", text, false)];
    if side == ResourceSide::Output {
        members.extend([member("id", text, false), member("type", text, false)]);
    }
    let has_required = schema.outline().members().any(|member| member.is_required);
    members.push(member("properties", properties, has_required && side == ResourceSide::Input));
    let is_closed = side == ResourceSide::Input;
    graph.nodes[root].form = ResourceForm::Object { members, others: None, is_closed };
    ResourceType { nodes: graph.nodes }
}

/// A type has fewer places than this; what is beyond may be anything.
const MAX_NODES: usize = 20_000;

struct Graph<'s> {
    nodes: Vec<ResourceNode>,
    by_place: HashMap<OutlineKey, usize>,
    side: ResourceSide,
    schema: &'s TypeSchema,
}

impl<'s> Graph<'s> {
    fn reserve(&mut self, name: &str) -> usize {
        self.add(name, ResourceForm::Any)
    }

    fn add(&mut self, name: &str, form: ResourceForm) -> usize {
        self.nodes.push(ResourceNode {
            name: name.into(),
            form,
            min_length: None,
            max_length: None,
            min_value: None,
            max_value: None,
            text_rules: None,
        });
        self.nodes.len() - 1
    }

    /// The index of the type of a place.
    fn place(&mut self, place: Outline<'s>, name: &str) -> usize {
        if let Some(known) = self.by_place.get(&place.key()) {
            return *known;
        }
        let index = self.reserve(place.definition().unwrap_or(name));
        self.by_place.insert(place.key(), index);
        if self.nodes.len() < MAX_NODES {
            let form = self.form(place, name);
            self.nodes[index].form = form;
            self.limit(index, place);
        }
        index
    }

    fn form(&mut self, place: Outline<'s>, name: &str) -> ResourceForm {
        let mut kinds = place.kinds().iter().filter(|kind| *kind != Kind::Null);
        let (Some(kind), None) = (kinds.next(), kinds.next()) else { return ResourceForm::Any };
        match kind {
            Kind::Boolean => ResourceForm::Kind(ValueKind::Bool),
            Kind::Integer => {
                self.one_of(place, |value| value.as_i64().map(Value::int), ValueKind::Int)
            }
            Kind::String => {
                self.one_of(place, |value| value.as_str().map(Value::string), ValueKind::String)
            }
            Kind::Array => match place.element() {
                Some(element) => ResourceForm::List(self.place(element, name)),
                None => ResourceForm::Kind(ValueKind::Array),
            },
            Kind::Object => self.object(place),
            // The language has no numbers with a fraction, but `json('0.5')` makes one.
            Kind::Number | Kind::Null => ResourceForm::Any,
        }
    }

    /// The values that AWS lists, if it lists them all and the language has them, else any of the kind.
    fn one_of(
        &self,
        place: Outline<'s>,
        value_of: impl Fn(&serde_json::Value) -> Option<Value>,
        kind: ValueKind,
    ) -> ResourceForm {
        let allowed = place.limits().allowed;
        let values: Option<Vec<Value>> = allowed.iter().map(|value| value_of(value)).collect();
        match values.filter(|values| !values.is_empty() && self.has_limits()) {
            Some(values) => ResourceForm::OneOf(values),
            None => ResourceForm::Kind(kind),
        }
    }

    fn object(&mut self, place: Outline<'s>) -> ResourceForm {
        let is_input = self.side == ResourceSide::Input;
        let is_there = |member: &Member<'_>| {
            if is_input {
                !member.outline.is_read_only()
            } else {
                !member.outline.classes().is_hidden()
            }
        };
        let named: Vec<Member<'s>> = place.members().filter(is_there).collect();
        let members: Vec<ResourceMember> = named
            .into_iter()
            .map(|member| ResourceMember {
                name: member.name.into(),
                node: self.place(member.outline, member.name),
                is_required: is_input && member.is_required,
            })
            .collect();
        let others = place.others().map(|others| self.place(others, "value"));
        if members.is_empty() && others.is_none() && !place.is_closed() {
            return ResourceForm::Kind(ValueKind::Object);
        }
        let is_closed = is_input && place.is_closed();
        ResourceForm::Object { members, others, is_closed }
    }

    /// Whether values are held to limits: only where AWS itself states them, and only of what is declared.
    fn has_limits(&self) -> bool {
        self.side == ResourceSide::Input && self.schema.source() != Source::CfnLint
    }

    fn limit(&mut self, index: usize, place: Outline<'s>) {
        let limits = place.limits();
        let is_text = matches!(self.nodes[index].form, ResourceForm::Kind(ValueKind::String));
        if is_text && self.side == ResourceSide::Input {
            let rules = PlaceRules::of(place, &limits, self.schema);
            self.nodes[index].text_rules = rules.map(|rules| Arc::new(rules) as Arc<dyn TextRules>);
        }
        if !self.has_limits() {
            return;
        }
        let whole = |number: Option<u64>| number.and_then(|it| i64::try_from(it).ok());
        let is_list = matches!(self.nodes[index].form, ResourceForm::List(_));
        let (least, most) = match (is_text, is_list) {
            (true, _) => limits.length,
            (_, true) => limits.item_count,
            _ => (None, None),
        };
        let node = &mut self.nodes[index];
        (node.min_length, node.max_length) = (whole(least), whole(most));
        if matches!(node.form, ResourceForm::Kind(ValueKind::Int)) {
            node.min_value = limits.range.0.and_then(serde_json::Number::as_i64);
            node.max_value = limits.range.1.and_then(serde_json::Number::as_i64);
        }
    }
}

#[cfg(test)]
mod tests;
