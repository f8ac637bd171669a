//! One resource type, compiled: what its properties are, what may be done with them, and how its
//! resources are named. Made once per type; every other function of this crate works on it.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::class::{Class, Classes};
use crate::handlers::Handlers;
use crate::node::{self, NodeId, Nodes};
use crate::overrides::{self, Rule};
use crate::pointer::{self, PropertyPointer, Step};
use crate::shape::{self, ShapeId, Shapes};
use crate::tagging::Tagging;
use crate::transform::Transform;

/// Where a schema comes from, and so how far its refusals can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// As AWS publishes it.
    Aws,
    /// As cfn-lint carries it: restricted beyond what AWS refuses.
    CfnLint,
    /// A file that the user gave.
    File,
}

impl Source {
    /// The word used in output.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Aws => "aws",
            Self::CfnLint => "cfn-lint",
            Self::File => "file",
        }
    }
}

/// In which order a replacement works, where the schema says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplacementStrategy {
    /// Make the new one, then delete the old one.
    CreateThenDelete,
    /// Delete the old one, then make the new one.
    DeleteThenCreate,
}

/// Who chooses the primary identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdentifierChoice {
    /// The caller, always: every part is a required property.
    CallerChosen,
    /// The caller may; the service makes up what is left out.
    Optional,
    /// The service: some part is read-only.
    Generated,
}

impl IdentifierChoice {
    /// The words used in output.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CallerChosen => "caller-chosen",
            Self::Optional => "optional",
            Self::Generated => "generated",
        }
    }
}

/// Something in a schema that leads nowhere; reported, never fatal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unresolved {
    /// The keyword that holds it (`readOnlyProperties`, `$ref`, …).
    pub keyword: &'static str,
    /// The text as written.
    pub text: String,
}

/// The pointers of each class, resolved, as the schema lists them.
#[derive(Debug, Clone, Default)]
pub struct PropertyLists {
    /// Returned by reads, never set by a caller.
    pub read_only: Vec<PropertyPointer>,
    /// Set at creation only.
    pub create_only: Vec<PropertyPointer>,
    /// Set by a caller, never returned.
    pub write_only: Vec<PropertyPointer>,
    /// Can be updated under conditions.
    pub conditional_create_only: Vec<PropertyPointer>,
    /// Still accepted.
    pub deprecated: Vec<PropertyPointer>,
    /// Used but not visible.
    pub non_public: Vec<PropertyPointer>,
}

/// Why a document is not a schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    /// Not an object.
    #[error("a resource type schema must be a JSON object")]
    NotAnObject,
    /// No `typeName`.
    #[error("the schema has no `typeName`")]
    NoTypeName,
    /// No `properties`.
    #[error("the schema of {type_name} has no `properties`")]
    NoProperties {
        /// The type.
        type_name: String,
    },
}

/// A compiled resource type.
#[derive(Debug)]
pub struct TypeSchema {
    name: String,
    source: Source,
    arn_template: Option<String>,
    pub(crate) nodes: Nodes,
    pub(crate) root_node: NodeId,
    pub(crate) shapes: Shapes,
    pub(crate) root_shape: ShapeId,
    pub(crate) classes: Classes,
    pub(crate) transforms: Vec<Option<Transform>>,
    pub(crate) removal_values: Vec<Value>,
    lists: PropertyLists,
    primary_identifier: Vec<PropertyPointer>,
    additional_identifiers: Vec<Vec<PropertyPointer>>,
    handlers: Handlers,
    tagging: Tagging,
    tag_property: Option<PropertyPointer>,
    replacement_strategy: Option<ReplacementStrategy>,
    unresolved: Vec<Unresolved>,
}

impl TypeSchema {
    /// Compiles a schema document.
    ///
    /// Total: whatever cannot be understood inside a schema is left out and listed in
    /// [`TypeSchema::unresolved`].
    pub fn compile(document: &Value, source: Source) -> Result<Self, CompileError> {
        let document = document.as_object().ok_or(CompileError::NotAnObject)?;
        let name =
            document.get("typeName").and_then(Value::as_str).ok_or(CompileError::NoTypeName)?;
        if !document.get("properties").is_some_and(Value::is_object) {
            return Err(CompileError::NoProperties { type_name: name.to_owned() });
        }
        let (nodes, root_node, dangling) = node::read(document);
        let (shapes, root_shape) = shape::merge(&nodes, root_node);
        let mut compiler = Compiler {
            document,
            shapes: &shapes,
            root: root_shape,
            classes: Classes::new(),
            unresolved: dangling
                .into_iter()
                .map(|reference| Unresolved { keyword: "$ref", text: reference.0 })
                .collect(),
        };
        let lists = compiler.property_lists();
        let primary_identifier = compiler.pointers("primaryIdentifier");
        let additional_identifiers = compiler.pointer_sets("additionalIdentifiers");
        let (tagging, tag_property) = Tagging::read_from(document);
        let tag_property = compiler.tag_property(&tag_property);
        let transforms = compiler.transforms();
        let removal_values = compiler.overrides(name);
        compiler.classes.finish();
        let (classes, unresolved) = (compiler.classes, compiler.unresolved);
        Ok(Self {
            name: name.to_owned(),
            source,
            arn_template: None,
            nodes,
            root_node,
            shapes,
            root_shape,
            classes,
            transforms,
            removal_values,
            lists,
            primary_identifier,
            additional_identifiers,
            handlers: Handlers::read_from(document),
            tagging,
            tag_property,
            replacement_strategy: replacement_strategy(document),
            unresolved,
        })
    }

    pub(crate) fn with_arn_template(mut self, template: Option<String>) -> Self {
        self.arn_template = template;
        self
    }

    /// The name in CloudFormation's spelling, `AWS::EC2::VPC`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where the schema comes from.
    pub fn source(&self) -> Source {
        self.source
    }

    /// The shape of the type's ARNs, where it is known: `arn:${Partition}:ec2:…`.
    pub fn arn_template(&self) -> Option<&str> {
        self.arn_template.as_deref()
    }

    /// The pointers of each class.
    pub fn lists(&self) -> &PropertyLists {
        &self.lists
    }

    /// The parts of the primary identifier, in order.
    pub fn primary_identifier(&self) -> &[PropertyPointer] {
        &self.primary_identifier
    }

    /// Other sets of properties that name a resource.
    pub fn additional_identifiers(&self) -> &[Vec<PropertyPointer>] {
        &self.additional_identifiers
    }

    /// What can be done with the type.
    pub fn handlers(&self) -> &Handlers {
        &self.handlers
    }

    /// How the type is tagged.
    pub fn tagging(&self) -> Tagging {
        self.tagging
    }

    /// Where the tags are, if the type has any.
    pub fn tag_property(&self) -> Option<&PropertyPointer> {
        self.tag_property.as_ref()
    }

    /// In which order a replacement works, where the schema says.
    pub fn replacement_strategy(&self) -> Option<ReplacementStrategy> {
        self.replacement_strategy
    }

    /// What leads nowhere in the schema.
    pub fn unresolved(&self) -> &[Unresolved] {
        &self.unresolved
    }

    /// The names of the top-level properties that must be given.
    pub fn required(&self) -> impl Iterator<Item = &str> {
        self.nodes.get(self.root_node).required.iter().map(AsRef::as_ref)
    }

    /// The names of the top-level properties, sorted.
    pub fn property_names(&self) -> impl Iterator<Item = &str> {
        self.shapes.get(self.root_shape).members().map(|(name, _)| name)
    }

    /// How many property transforms the schema states.
    pub fn transform_count(&self) -> usize {
        self.transforms.len()
    }

    /// Who chooses the identifier; none where the type has none.
    pub fn identifier_choice(&self) -> Option<IdentifierChoice> {
        if self.primary_identifier.is_empty() {
            return None;
        }
        let mut choice = IdentifierChoice::CallerChosen;
        for part in &self.primary_identifier {
            let place = self.place_of(part);
            if self.classes.at(place).has(Class::ReadOnly) {
                return Some(IdentifierChoice::Generated);
            }
            if !self.is_required(part) {
                choice = IdentifierChoice::Optional;
            }
        }
        Some(choice)
    }

    /// How a property may be used, in words, for people.
    pub fn classes_of(&self, pointer: &PropertyPointer) -> crate::class::ClassSet {
        self.classes.at(self.place_of(pointer))
    }

    /// The JSON types that the schema allows at a place, in words; empty when it does not say.
    pub fn kinds_at(&self, pointer: &PropertyPointer) -> crate::kind::Kinds {
        self.shapes.get(self.shape_at(pointer)).kinds
    }

    fn place_of(&self, pointer: &PropertyPointer) -> crate::class::Place {
        pointer.steps().iter().fold(Classes::ROOT, |place, step| match step {
            Step::Member(name) => self.classes.member(place, name),
            Step::Each => self.classes.element(place),
        })
    }

    fn shape_at(&self, pointer: &PropertyPointer) -> ShapeId {
        pointer.steps().iter().fold(self.root_shape, |at, step| {
            let shape = self.shapes.get(at);
            match step {
                Step::Member(name) => shape.member(name),
                Step::Each if shape.has_elements() => shape.element(),
                Step::Each => shape.find_other().unwrap_or(ShapeId::UNKNOWN),
            }
        })
    }

    /// Whether every step of a pointer is a required member of the object that holds it.
    pub fn is_required(&self, pointer: &PropertyPointer) -> bool {
        let mut node = self.root_node;
        for step in pointer.steps() {
            let Step::Member(name) = step else { return false };
            let here = self.nodes.get(node);
            if !here.required.iter().any(|required| required == name) {
                return false;
            }
            let Some(next) = here.member(name) else { return false };
            node = self.nodes.get(next).reference.unwrap_or(next);
        }
        true
    }
}

fn replacement_strategy(document: &Map<String, Value>) -> Option<ReplacementStrategy> {
    match document.get("replacementStrategy")?.as_str()? {
        "create_then_delete" => Some(ReplacementStrategy::CreateThenDelete),
        "delete_then_create" => Some(ReplacementStrategy::DeleteThenCreate),
        _ => None,
    }
}

struct Compiler<'a> {
    document: &'a Map<String, Value>,
    shapes: &'a Shapes,
    root: ShapeId,
    classes: Classes,
    unresolved: Vec<Unresolved>,
}

impl Compiler<'_> {
    fn property_lists(&mut self) -> PropertyLists {
        let lists = PropertyLists {
            read_only: self.pointers("readOnlyProperties"),
            create_only: self.pointers("createOnlyProperties"),
            write_only: self.pointers("writeOnlyProperties"),
            conditional_create_only: self.pointers("conditionalCreateOnlyProperties"),
            deprecated: self.pointers("deprecatedProperties"),
            non_public: self.pointers("nonPublicProperties"),
        };
        let marks = [
            (&lists.read_only, Class::ReadOnly),
            (&lists.create_only, Class::CreateOnly),
            (&lists.write_only, Class::WriteOnly),
            (&lists.conditional_create_only, Class::ConditionalCreateOnly),
            (&lists.deprecated, Class::Deprecated),
            (&lists.non_public, Class::NonPublic),
        ];
        for (pointers, class) in marks {
            for pointer in pointers {
                // Four types list a property as read-only and create-only at once; their
                // documentation lets a caller set it at creation, so create-only is the truth.
                let is_both = class == Class::ReadOnly && lists.create_only.contains(pointer);
                if !is_both {
                    self.classes.mark(pointer, class);
                }
            }
        }
        lists
    }

    fn pointers(&mut self, keyword: &'static str) -> Vec<PropertyPointer> {
        let Some(Value::Array(texts)) = self.document.get(keyword) else { return Vec::new() };
        let mut pointers = Vec::with_capacity(texts.len());
        for text in texts.iter().filter_map(Value::as_str) {
            pointers.extend(self.resolve(keyword, text));
        }
        pointers
    }

    fn pointer_sets(&mut self, keyword: &'static str) -> Vec<Vec<PropertyPointer>> {
        let Some(Value::Array(sets)) = self.document.get(keyword) else { return Vec::new() };
        let mut resolved = Vec::with_capacity(sets.len());
        for texts in sets.iter().filter_map(Value::as_array) {
            let set: Vec<_> = texts
                .iter()
                .filter_map(Value::as_str)
                .flat_map(|text| self.resolve(keyword, text))
                .collect();
            resolved.push(set);
        }
        resolved
    }

    fn resolve(&mut self, keyword: &'static str, text: &str) -> Vec<PropertyPointer> {
        let found = match text.strip_prefix("/definitions/") {
            Some(rest) => self.below_definition(rest),
            None => pointer::resolve(text, self.shapes, self.root).into_iter().collect(),
        };
        if found.is_empty() {
            self.unresolved.push(Unresolved { keyword, text: text.to_owned() });
        }
        found
    }

    /// `/definitions/Name/properties/Member` means that member wherever the definition is used.
    fn below_definition(&self, rest: &str) -> Vec<PropertyPointer> {
        let Some((name, tail)) = rest.split_once('/') else { return Vec::new() };
        let Some(Value::Object(properties)) = self.document.get("properties") else {
            return Vec::new();
        };
        let reference = format!("#/definitions/{name}");
        // Deeper uses have not been seen in any public schema; this finds those of the top level.
        let mut found = Vec::new();
        for (property, schema) in properties {
            let direct = schema.get("$ref").and_then(Value::as_str);
            let element = schema.pointer("/items/$ref").and_then(Value::as_str);
            let is_array = match (direct, element) {
                (Some(text), _) if text == reference => false,
                (_, Some(text)) if text == reference => true,
                _ => continue,
            };
            let mut head = vec![Step::Member(property.as_str().into())];
            let mut shape = self.shapes.get(self.root).member(property);
            if is_array {
                head.push(Step::Each);
                shape = self.shapes.get(shape).element();
            }
            if let Some(tail) = pointer::resolve(tail, self.shapes, shape) {
                found.push(pointer::join(&head, &tail));
            }
        }
        found
    }

    fn tag_property(&mut self, text: &str) -> Option<PropertyPointer> {
        let pointer = pointer::resolve(text, self.shapes, self.root)?;
        self.classes.mark(&pointer, Class::Tags);
        Some(pointer)
    }

    fn transforms(&mut self) -> Vec<Option<Transform>> {
        let Some(Value::Object(table)) = self.document.get("propertyTransform") else {
            return Vec::new();
        };
        let mut transforms = Vec::with_capacity(table.len());
        for (text, expression) in table {
            let Some(expression) = expression.as_str() else { continue };
            for pointer in self.resolve("propertyTransform", text) {
                self.classes.set_transform(&pointer, transforms.len());
            }
            transforms.push(Transform::parse(expression));
        }
        transforms
    }

    fn overrides(&mut self, type_name: &str) -> Vec<Value> {
        let mut removal_values = Vec::new();
        let mut seen = HashSet::new();
        for correction in overrides::of_type(type_name) {
            for pointer in self.resolve("overrides.tsv", correction.pointer) {
                if !seen.insert((pointer.clone(), std::mem::discriminant(&correction.rule))) {
                    continue;
                }
                match &correction.rule {
                    Rule::Ordered => self.classes.mark(&pointer, Class::Ordered),
                    Rule::NoResend => self.classes.mark(&pointer, Class::NoResend),
                    Rule::RemovalIgnored(value) => {
                        self.classes.set_removal(&pointer, removal_values.len());
                        removal_values.push(value.clone());
                    }
                }
            }
        }
        removal_values
    }
}
