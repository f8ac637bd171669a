//! From a schema document to a compiled type: pointers resolved, classes marked, corrections made.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{CompileError, PropertyLists, ReplacementStrategy, Source, TypeSchema, Unresolved};
use crate::class::{Class, Classes};
use crate::handlers::Handlers;
use crate::node;
use crate::overrides::{self, RefusedRepeat, Rule};
use crate::pattern::Kept;
use crate::pointer::{self, PropertyPointer, Step};
use crate::shape::{self, ShapeId, Shapes};
use crate::tagging::Tagging;
use crate::transform::Transform;

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
        let corrected = compiler.overrides(name);
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
            removal_values: corrected.removal_values,
            keywords: corrected.keywords,
            refused_repeats: corrected.refused_repeats,
            lists,
            primary_identifier,
            additional_identifiers,
            handlers: Handlers::read_from(document),
            tagging,
            tag_property,
            replacement_strategy: replacement_strategy(document),
            unresolved,
            patterns: Kept::default(),
        })
    }
}

fn replacement_strategy(document: &Map<String, Value>) -> Option<ReplacementStrategy> {
    match document.get("replacementStrategy")?.as_str()? {
        "create_then_delete" => Some(ReplacementStrategy::CreateThenDelete),
        "delete_then_create" => Some(ReplacementStrategy::DeleteThenCreate),
        _ => None,
    }
}

/// The values that overrides give to places.
#[derive(Default)]
struct Corrected {
    removal_values: Vec<Value>,
    keywords: Vec<Value>,
    refused_repeats: Vec<RefusedRepeat>,
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

    fn overrides(&mut self, type_name: &str) -> Corrected {
        let mut corrected = Corrected::default();
        let mut seen = HashSet::new();
        for correction in overrides::of_type(type_name) {
            // Its pointer may lead through any depth, which no place of the schema stands for.
            if let Rule::DropOnUpdate(repeat) = correction.rule {
                corrected.refused_repeats.push(repeat);
                continue;
            }
            for pointer in self.resolve("overrides.tsv", correction.pointer) {
                if !seen.insert((pointer.clone(), correction.rule.word())) {
                    continue;
                }
                match &correction.rule {
                    Rule::Mark(class) => self.classes.mark(&pointer, *class),
                    Rule::RemovalIgnored(None) => {
                        self.classes.mark(&pointer, Class::RemovalIgnored);
                    }
                    Rule::RemovalIgnored(Some(value)) => {
                        self.classes.set_removal(&pointer, corrected.removal_values.len());
                        corrected.removal_values.push(value.clone());
                    }
                    Rule::Keyword(word) => {
                        self.classes.set_keyword(&pointer, corrected.keywords.len());
                        corrected.keywords.push(word.clone());
                    }
                    Rule::DropOnUpdate(_) => {}
                }
            }
        }
        corrected
    }
}
