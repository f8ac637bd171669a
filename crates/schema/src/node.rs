//! A schema's own tree, as written: one node for each (sub)schema, references by index.
//!
//! Definitions may be recursive, so nodes live in an arena and point at each other by id. This is
//! the form that validation walks; `shape` merges it into the form that everything else walks.

use std::collections::HashMap;

use serde_json::{Map, Number, Value};

use crate::kind::Kinds;

/// The index of a node in its arena.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NodeId(u32);

impl NodeId {
    fn index(self) -> usize {
        self.0 as usize
    }
}

/// What an object allows beside the members it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Additional {
    /// Anything: the keyword is absent or `true`.
    #[default]
    Allowed,
    /// Nothing: `false`.
    Forbidden,
    /// Values of this schema.
    Schema(NodeId),
}

/// What the presence of one member asks of the object that holds it.
#[derive(Debug, Clone)]
pub(crate) enum Dependency {
    /// These members must be there too.
    Members(Vec<Box<str>>),
    /// The object must fit this schema too.
    Schema(NodeId),
}

/// How an array's elements are told apart and owned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ArrayType {
    /// The usual array: owned whole.
    #[default]
    Standard,
    /// Key/value settings of which only the stated ones are owned (`arrayType: AttributeList`).
    AttributeList,
}

/// One schema as written, keywords that we know only.
#[derive(Debug, Clone, Default)]
pub(crate) struct Node {
    pub(crate) kinds: Kinds,
    pub(crate) reference: Option<NodeId>,
    pub(crate) members: Vec<(Box<str>, NodeId)>,
    pub(crate) patterns: Vec<(Box<str>, NodeId)>,
    pub(crate) additional: Additional,
    pub(crate) required: Vec<Box<str>>,
    pub(crate) dependencies: Vec<(Box<str>, Dependency)>,
    pub(crate) items: Option<NodeId>,
    pub(crate) insertion_order: Option<bool>,
    pub(crate) array_type: ArrayType,
    pub(crate) unique_items: bool,
    pub(crate) all_of: Vec<NodeId>,
    pub(crate) any_of: Vec<NodeId>,
    pub(crate) one_of: Vec<NodeId>,
    /// `enum`, or `const` as an enumeration of one.
    pub(crate) allowed: Vec<Value>,
    pub(crate) pattern: Option<Box<str>>,
    pub(crate) format: Option<Box<str>>,
    pub(crate) default: Option<Value>,
    pub(crate) length: Bounds<u64>,
    pub(crate) item_count: Bounds<u64>,
    pub(crate) member_count: Bounds<u64>,
    pub(crate) range: Bounds<Number>,
    pub(crate) exclusive_range: Bounds<Number>,
    pub(crate) multiple_of: Option<Number>,
    /// The name of the definition that it is.
    pub(crate) definition: Option<Box<str>>,
    /// The limits that cfn-lint adds to AWS's schema.
    pub(crate) advice: Option<Box<Advice>>,
}

/// Limits on a value that cfn-lint knows and AWS's schema does not state; see [`ADVICE`].
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Advice {
    pub(crate) allowed: Vec<Value>,
    /// Whether upper and lower case count as equal in `allowed`.
    pub(crate) ignores_case: bool,
    pub(crate) pattern: Option<Box<str>>,
}

/// The keyword under which the catalog puts limits of cfn-lint into a schema before it is compiled.
pub(crate) const ADVICE: &str = "x-hangar-advice";

impl Advice {
    fn read_from(schema: &Map<String, Value>) -> Option<Box<Self>> {
        let stated = schema.get(ADVICE)?.as_object()?;
        let values = |keyword| stated.get(keyword).and_then(Value::as_array);
        let exact = values("enum");
        Some(Box::new(Self {
            allowed: exact.or(values("enumCaseInsensitive")).cloned().unwrap_or_default(),
            ignores_case: exact.is_none(),
            pattern: text(stated, "pattern"),
        }))
    }
}

/// A lower and an upper bound, each optional.
#[derive(Debug, Clone)]
pub(crate) struct Bounds<T> {
    pub(crate) minimum: Option<T>,
    pub(crate) maximum: Option<T>,
}

impl<T> Default for Bounds<T> {
    fn default() -> Self {
        Self { minimum: None, maximum: None }
    }
}

impl Node {
    /// The node of a named member.
    pub(crate) fn member(&self, name: &str) -> Option<NodeId> {
        let at = self.members.binary_search_by(|(key, _)| key.as_ref().cmp(name)).ok()?;
        Some(self.members[at].1)
    }

    /// The other schemas that describe the same place.
    pub(crate) fn alternatives(&self) -> impl Iterator<Item = NodeId> + '_ {
        let combined = self.all_of.iter().chain(&self.any_of).chain(&self.one_of);
        self.reference.iter().chain(combined).copied()
    }

    /// Whether the node says anything of arrays.
    pub(crate) fn describes_arrays(&self) -> bool {
        self.items.is_some() || self.kinds.has(crate::kind::Kind::Array)
    }
}

/// The arena.
#[derive(Debug, Clone, Default)]
pub(crate) struct Nodes(Vec<Node>);

impl Nodes {
    pub(crate) fn get(&self, id: NodeId) -> &Node {
        &self.0[id.index()]
    }
}

/// A `$ref` that leads nowhere; the place it stands at is treated as "anything".
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DanglingReference(pub(crate) String);

/// Reads the schema document into nodes; the root node is the object of `properties`.
pub(crate) fn read(document: &Map<String, Value>) -> (Nodes, NodeId, Vec<DanglingReference>) {
    let mut reader = Reader {
        document,
        nodes: Vec::new(),
        by_pointer: HashMap::new(),
        waiting: Vec::new(),
        dangling: Vec::new(),
    };
    let root = reader.node(document);
    while let Some((id, schema, pointer)) = reader.waiting.pop() {
        reader.fill(id, schema);
        let name = pointer.strip_prefix("/definitions/").filter(|name| !name.contains('/'));
        reader.nodes[id.index()].definition = name.map(Into::into);
    }
    (Nodes(reader.nodes), root, reader.dangling)
}

struct Reader<'a> {
    document: &'a Map<String, Value>,
    nodes: Vec<Node>,
    /// Nodes that a `$ref` named, so that recursion ends and definitions are read once.
    by_pointer: HashMap<&'a str, NodeId>,
    /// Definitions named but not read yet: a list and not recursion, however long the chain.
    waiting: Vec<(NodeId, &'a Map<String, Value>, &'a str)>,
    dangling: Vec<DanglingReference>,
}

impl<'a> Reader<'a> {
    fn reserve(&mut self) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push(Node::default());
        id
    }

    fn node(&mut self, schema: &'a Map<String, Value>) -> NodeId {
        // A node that only refers to a definition is that definition.
        if let (1, Some(Value::String(pointer))) = (schema.len(), schema.get("$ref")) {
            return self.referenced(pointer);
        }
        let id = self.reserve();
        self.fill(id, schema);
        id
    }

    fn fill(&mut self, id: NodeId, schema: &'a Map<String, Value>) {
        let mut node = Node {
            kinds: own_kinds(schema),
            insertion_order: schema.get("insertionOrder").and_then(Value::as_bool),
            unique_items: schema.get("uniqueItems").and_then(Value::as_bool) == Some(true),
            pattern: text(schema, "pattern"),
            format: text(schema, "format"),
            default: schema.get("default").cloned(),
            required: words(schema.get("required")),
            length: counts(schema, "minLength", "maxLength"),
            item_count: counts(schema, "minItems", "maxItems"),
            member_count: counts(schema, "minProperties", "maxProperties"),
            range: numbers(schema, "minimum", "maximum"),
            exclusive_range: numbers(schema, "exclusiveMinimum", "exclusiveMaximum"),
            multiple_of: number(schema, "multipleOf"),
            advice: Advice::read_from(schema),
            ..Node::default()
        };
        if schema.get("arrayType").and_then(Value::as_str) == Some("AttributeList") {
            node.array_type = ArrayType::AttributeList;
        }
        if let Some(Value::Array(values)) = schema.get("enum") {
            node.allowed.clone_from(values);
        } else if let Some(value) = schema.get("const") {
            node.allowed = vec![value.clone()];
        }
        if let Some(Value::String(pointer)) = schema.get("$ref") {
            node.reference = Some(self.referenced(pointer));
        }
        node.members = self.named(schema.get("properties"));
        node.members.sort_by(|a, b| a.0.cmp(&b.0));
        node.patterns = self.named(schema.get("patternProperties"));
        node.additional = match schema.get("additionalProperties") {
            Some(Value::Bool(false)) => Additional::Forbidden,
            Some(Value::Object(inner)) => Additional::Schema(self.node(inner)),
            _ => Additional::Allowed,
        };
        node.items = match schema.get("items") {
            Some(Value::Object(inner)) => Some(self.node(inner)),
            _ => None,
        };
        node.all_of = self.listed(schema.get("allOf"));
        node.any_of = self.listed(schema.get("anyOf"));
        node.one_of = self.listed(schema.get("oneOf"));
        for keyword in ["dependencies", "dependentRequired", "dependentSchemas"] {
            node.dependencies.extend(self.dependencies(schema.get(keyword)));
        }
        self.nodes[id.index()] = node;
    }

    fn referenced(&mut self, pointer: &'a str) -> NodeId {
        // A handler's schema writes `resource-schema.json#/…` for the schema that holds it.
        let pointer = pointer.split_once('#').map_or(pointer, |(_, fragment)| fragment);
        if let Some(&id) = self.by_pointer.get(pointer) {
            return id;
        }
        let id = self.reserve();
        self.by_pointer.insert(pointer, id);
        match lookup(self.document, pointer) {
            Some(schema) => self.waiting.push((id, schema, pointer)),
            None => self.dangling.push(DanglingReference(pointer.to_owned())),
        }
        id
    }

    fn named(&mut self, keyword: Option<&'a Value>) -> Vec<(Box<str>, NodeId)> {
        let Some(Value::Object(members)) = keyword else { return Vec::new() };
        members.iter().map(|(name, schema)| (name.as_str().into(), self.any_node(schema))).collect()
    }

    fn listed(&mut self, keyword: Option<&'a Value>) -> Vec<NodeId> {
        let Some(Value::Array(schemas)) = keyword else { return Vec::new() };
        schemas.iter().map(|schema| self.any_node(schema)).collect()
    }

    /// A schema that is not an object (`true`, or nonsense) allows anything.
    fn any_node(&mut self, schema: &'a Value) -> NodeId {
        match schema {
            Value::Object(inner) => self.node(inner),
            _ => self.reserve(),
        }
    }

    fn dependencies(&mut self, keyword: Option<&'a Value>) -> Vec<(Box<str>, Dependency)> {
        let Some(Value::Object(members)) = keyword else { return Vec::new() };
        let mut dependencies = Vec::new();
        for (name, rule) in members {
            let dependency = match rule {
                Value::Array(_) => Dependency::Members(words(Some(rule))),
                Value::Object(inner) => Dependency::Schema(self.node(inner)),
                _ => continue,
            };
            dependencies.push((name.as_str().into(), dependency));
        }
        dependencies
    }
}

fn lookup<'a>(document: &'a Map<String, Value>, pointer: &str) -> Option<&'a Map<String, Value>> {
    let mut segments = pointer.strip_prefix('/')?.split('/');
    let mut at = document.get(segments.next()?)?;
    for segment in segments {
        at = at.get(segment.replace("~1", "/").replace("~0", "~"))?;
    }
    at.as_object()
}

/// The type of a place is that of the definition it refers to: what stands beside `$ref` does not
/// count in JSON Schema draft 7, and `AWS::MemoryDB::Cluster` says `object` beside a reference to a string.
fn own_kinds(schema: &Map<String, Value>) -> Kinds {
    match schema.get("$ref") {
        Some(_) => Kinds::UNSTATED,
        None => Kinds::from_keyword(schema.get("type")),
    }
}

fn text(schema: &Map<String, Value>, keyword: &str) -> Option<Box<str>> {
    schema.get(keyword).and_then(Value::as_str).map(Into::into)
}

fn words(keyword: Option<&Value>) -> Vec<Box<str>> {
    let Some(Value::Array(words)) = keyword else { return Vec::new() };
    words.iter().filter_map(Value::as_str).map(Into::into).collect()
}

fn counts(schema: &Map<String, Value>, least: &str, most: &str) -> Bounds<u64> {
    let count = |keyword| schema.get(keyword).and_then(Value::as_u64);
    Bounds { minimum: count(least), maximum: count(most) }
}

fn numbers(schema: &Map<String, Value>, least: &str, most: &str) -> Bounds<Number> {
    Bounds { minimum: number(schema, least), maximum: number(schema, most) }
}

fn number(schema: &Map<String, Value>, keyword: &str) -> Option<Number> {
    match schema.get(keyword) {
        Some(Value::Number(number)) => Some(number.clone()),
        _ => None,
    }
}
