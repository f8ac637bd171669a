//! A type's properties as a tree that people and other tools can be shown: members, kinds, limits, classes.
//!
//! Where a place has alternatives, a limit is only given if every value there obeys it.

use serde_json::{Number, Value};

use crate::class::{Class, ClassSet};
use crate::kind::Kinds;
use crate::node::{Additional, Advice, Bounds, Node, NodeId};
use crate::shape::{Order, Shape, ShapeId};
use crate::spot::Spot;
use crate::type_schema::TypeSchema;

/// One place in documents of a type; cheap to copy.
///
/// ```
/// use hangar_schema::Catalog;
///
/// let group = Catalog::bundled().get("AWS::EC2::SecurityGroup")?;
/// let rule = group.outline().find_member("SecurityGroupIngress").unwrap().element().unwrap();
/// assert_eq!(rule.definition(), Some("Ingress"));
/// assert!(rule.members().any(|member| member.name == "IpProtocol" && member.is_required));
/// # Ok::<(), hangar_schema::CatalogError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Outline<'s> {
    schema: &'s TypeSchema,
    spot: Spot,
}

/// Tells places apart that are described by different schemas: a recursive definition has the same one again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OutlineId(ShapeId);

/// Tells places apart that differ in their schema or in what may be done with them and with what they hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OutlineKey(Spot);

/// A named member of an object.
#[derive(Debug, Clone, Copy)]
pub struct Member<'s> {
    /// Its name.
    pub name: &'s str,
    /// Whether an object must state it.
    pub is_required: bool,
    /// What it is.
    pub outline: Outline<'s>,
}

/// What the values of a place must obey.
#[derive(Debug, Clone, Default)]
pub struct Limits<'s> {
    /// The only values; empty if there are others.
    pub allowed: Vec<&'s Value>,
    /// The values that cfn-lint knows, where AWS's schema states none.
    pub advised: Vec<&'s Value>,
    /// The pattern of texts.
    pub pattern: Option<&'s str>,
    /// The pattern that cfn-lint knows, where AWS's schema states none.
    pub advised_pattern: Option<&'s str>,
    /// The format of texts.
    pub format: Option<&'s str>,
    /// The value that the service takes if none is stated.
    pub default: Option<&'s Value>,
    /// The fewest and the most characters of a text.
    pub length: (Option<u64>, Option<u64>),
    /// The fewest and the most items of an array.
    pub item_count: (Option<u64>, Option<u64>),
    /// The least and the greatest number.
    pub range: (Option<&'s Number>, Option<&'s Number>),
    /// Whether the items of an array must differ.
    pub has_unique_items: bool,
}

/// As far as references and alternatives are followed at one place.
const MAX_CHAIN: usize = 32;

impl TypeSchema {
    /// The properties of a resource of this type.
    pub fn outline(&self) -> Outline<'_> {
        Outline { schema: self, spot: self.root() }
    }
}

impl<'s> Outline<'s> {
    /// What tells the schema of the place from others.
    pub fn id(self) -> OutlineId {
        OutlineId(self.spot.shape_id())
    }

    /// What tells the place from others that are described or used in another way.
    pub fn key(self) -> OutlineKey {
        OutlineKey(self.spot)
    }

    /// Whether objects here have no other members than those that the schema names.
    pub fn is_closed(self) -> bool {
        let roots = &self.shape().roots;
        let is_closed = |root: &NodeId| {
            let mut nodes = self.always(*root).into_iter();
            nodes.any(|node| node.additional == Additional::Forbidden)
        };
        !roots.is_empty() && roots.iter().all(is_closed)
    }

    /// The JSON types of its values.
    pub fn kinds(self) -> Kinds {
        self.shape().kinds
    }

    /// What may be done with it.
    pub fn classes(self) -> ClassSet {
        self.schema.at(self.spot)
    }

    /// Whether only AWS sets it, and nothing in it can be set.
    pub fn is_read_only(self) -> bool {
        let below = self.schema.below(self.spot);
        self.classes().has(Class::ReadOnly) && !below.has(Class::CreateOnly) && !below.is_hidden()
    }

    /// The name of the definition that describes it.
    pub fn definition(self) -> Option<&'s str> {
        let roots = self.shape().roots.iter();
        let mut named = roots.flat_map(|root| self.always(*root));
        named.find_map(|node| node.definition.as_deref())
    }

    /// The members that the schema names, sorted.
    pub fn members(self) -> impl Iterator<Item = Member<'s>> {
        self.shape().members().map(move |(name, _)| {
            let outline = self.step_into(name);
            let is_required = self.requires(name) && !outline.is_read_only();
            Member { name, is_required, outline }
        })
    }

    /// A member that the schema names.
    pub fn find_member(self, name: &str) -> Option<Self> {
        self.shape().find_named(name)?;
        Some(self.step_into(name))
    }

    /// The members that the schema does not name, if it describes them.
    pub fn others(self) -> Option<Self> {
        self.shape().find_other()?;
        // No schema names a member by an empty text.
        Some(self.step_into(""))
    }

    /// The items of an array, if the schema describes them.
    pub fn element(self) -> Option<Self> {
        let has_elements = self.shape().has_elements();
        has_elements.then(|| Self { spot: self.schema.element(self.spot), ..self })
    }

    /// Whether the order of an array's items means something; none if the schema does not state it.
    pub fn insertion_order(self) -> Option<bool> {
        match self.shape().order {
            Order::Ordered => Some(true),
            Order::Unordered => Some(false),
            Order::Unstated => None,
        }
    }

    /// What its values must obey.
    pub fn limits(self) -> Limits<'s> {
        let roots = &self.shape().roots;
        let mut limits = Limits {
            allowed: self.union_of(roots, &|node| {
                (!node.allowed.is_empty()).then(|| node.allowed.iter().collect())
            }),
            advised: self.union_of(roots, &|node| {
                let advice = node.advice.as_deref().filter(|advice| !advice.allowed.is_empty())?;
                Some(advice.allowed.iter().collect())
            }),
            ..Limits::default()
        };
        if let [root] = roots.as_slice() {
            for node in self.always(*root) {
                limits.add(node);
            }
        }
        limits
    }

    /// Whether upper and lower case count as equal in the values that cfn-lint knows.
    pub fn ignores_case_of_advised(self) -> bool {
        let mut nodes = self.shape().roots.iter().flat_map(|root| self.always(*root));
        nodes.any(|node| node.advice.as_deref().is_some_and(|it: &Advice| it.ignores_case))
    }

    fn step_into(self, name: &str) -> Self {
        Self { spot: self.schema.member(self.spot, name), ..self }
    }

    fn shape(self) -> &'s Shape {
        self.schema.shape(self.spot)
    }

    /// The schemas that hold whatever the value is.
    fn always(self, root: NodeId) -> Vec<&'s Node> {
        let mut reached: Vec<NodeId> = vec![root];
        let mut at = 0;
        while at < reached.len().min(MAX_CHAIN) {
            let node = self.schema.nodes.get(reached[at]);
            for next in node.reference.iter().chain(&node.all_of) {
                if !reached.contains(next) {
                    reached.push(*next);
                }
            }
            at += 1;
        }
        reached.into_iter().map(|id| self.schema.nodes.get(id)).collect()
    }

    fn requires(self, name: &str) -> bool {
        let roots = &self.shape().roots;
        let requires = |root: &NodeId| {
            let mut nodes = self.always(*root).into_iter();
            nodes.any(|node| node.required.iter().any(|it| **it == *name))
        };
        !roots.is_empty() && roots.iter().all(requires)
    }

    /// All values that some alternative allows; empty where one of them allows any.
    fn union_of(
        self,
        roots: &[NodeId],
        values: &dyn Fn(&'s Node) -> Option<Vec<&'s Value>>,
    ) -> Vec<&'s Value> {
        let mut union: Vec<&'s Value> = Vec::new();
        for root in roots {
            let Some(found) = self.values_of(*root, values, MAX_CHAIN) else { return Vec::new() };
            union.extend(found);
        }
        let mut seen = std::collections::HashSet::new();
        union.retain(|value| seen.insert(value.to_string()));
        union
    }

    fn values_of(
        self,
        id: NodeId,
        values: &dyn Fn(&'s Node) -> Option<Vec<&'s Value>>,
        left: usize,
    ) -> Option<Vec<&'s Value>> {
        let left = left.checked_sub(1)?;
        let node = self.schema.nodes.get(id);
        // What stands beside a `$ref` counts for nothing.
        if let Some(reference) = node.reference {
            return self.values_of(reference, values, left);
        }
        let every = |ids: &[NodeId]| -> Option<Vec<&'s Value>> {
            let mut all = Vec::new();
            for id in ids {
                all.extend(self.values_of(*id, values, left)?);
            }
            (!all.is_empty()).then_some(all)
        };
        values(node)
            .or_else(|| node.all_of.iter().find_map(|id| self.values_of(*id, values, left)))
            .or_else(|| every(&node.any_of))
            .or_else(|| every(&node.one_of))
    }
}

impl<'s> Limits<'s> {
    fn add(&mut self, node: &'s Node) {
        self.pattern = self.pattern.or(node.pattern.as_deref());
        let advised = node.advice.as_deref().and_then(|advice| advice.pattern.as_deref());
        self.advised_pattern = self.advised_pattern.or(advised);
        self.format = self.format.or(node.format.as_deref());
        self.default = self.default.or(node.default.as_ref());
        self.length = both(self.length, &node.length);
        self.item_count = both(self.item_count, &node.item_count);
        let range = &node.range;
        self.range =
            (self.range.0.or(range.minimum.as_ref()), self.range.1.or(range.maximum.as_ref()));
        self.has_unique_items |= node.unique_items;
    }
}

fn both(limits: (Option<u64>, Option<u64>), bounds: &Bounds<u64>) -> (Option<u64>, Option<u64>) {
    (
        limits.0.max(bounds.minimum),
        match (limits.1, bounds.maximum) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        },
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::type_schema::Source;

    #[test]
    fn values_are_listed_only_if_no_alternative_allows_others() {
        let schema = json!({"typeName": "A::B::C", "properties": {
            "All": {"anyOf": [{"enum": ["a", "b"]}, {"enum": ["b", "c"]}]},
            "Some": {"anyOf": [{"enum": ["a"]}, {"type": "string"}]},
            "Named": {"$ref": "#/definitions/Mode"},
        }, "definitions": {"Mode": {"type": "string", "enum": ["x"]}}});
        let schema = TypeSchema::compile(&schema, Source::Aws).unwrap();
        let allowed = |name| schema.outline().find_member(name).unwrap().limits().allowed;
        assert_eq!(allowed("All"), [&json!("a"), &json!("b"), &json!("c")]);
        assert!(allowed("Some").is_empty());
        assert_eq!(allowed("Named"), [&json!("x")]);
        let named = schema.outline().find_member("Named").unwrap();
        assert_eq!(named.definition(), Some("Mode"));
    }
}
