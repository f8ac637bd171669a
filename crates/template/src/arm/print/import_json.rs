//! Declarations that are imported from a template in ARM JSON: copied, with the names that they have here.

use super::Printer;
use super::bind::Symbol;
use super::import::{Origin, Used, qualified};
use crate::arm::expression::{Content, Expression, Kind as Spelled};
use crate::arm::json::{Json, Kind};

/// The member of a template's `metadata` that lists the variables which can be imported.
const EXPORTED_VARIABLES: &str = "__bicep_exported_variables!";
/// The member of a declaration's `metadata` that allows importing it.
const EXPORT: &str = "__bicep_export!";
/// The namespace of the functions that a file of Bicep declares.
const NAMESPACE: &str = "__bicep";

impl Printer<'_, '_, '_> {
    /// The kind of a declaration of a template in JSON; its number tells nothing.
    pub(super) fn compiled_symbol(json: &Json, name: &str) -> Option<Symbol> {
        if json.get("definitions").and_then(|it| it.get(name)).is_some() {
            return Some(Symbol::Type(0));
        }
        if function(json, name).is_some() {
            return Some(Symbol::Function(0));
        }
        let variables = json.get("variables");
        let is_variable = variables.and_then(|it| it.get(name)).is_some();
        (is_variable || copy(json, name).is_some()).then_some(Symbol::Variable(0))
    }

    /// The names that a template in JSON lets others import.
    pub(super) fn compiled_exports(json: &Json) -> Vec<String> {
        let is_exported = |it: &Json| {
            let metadata = it.get("metadata").and_then(|it| it.get(EXPORT));
            metadata.and_then(Json::as_bool) == Some(true)
        };
        let mut names = Vec::new();
        let definitions = json.get("definitions").map_or(&[][..], Json::members).iter();
        for member in definitions.chain(functions(json)) {
            if is_exported(&member.value) {
                names.push(member.name.clone());
            }
        }
        let listed = json.get("metadata").and_then(|it| it.get(EXPORTED_VARIABLES));
        if let Some(Kind::Array(items)) = listed.map(|it| &it.kind) {
            let listed = items.iter().filter_map(|it| it.get("name")?.as_text());
            names.extend(listed.map(str::to_owned));
        }
        names
    }

    /// Writes out a declaration of a template in JSON.
    pub(super) fn imported_of_json(
        &mut self,
        json: &Json,
        used: &Used,
        source: &str,
        definitions: &mut Json,
        functions: &mut Vec<(String, Json)>,
        variables: &mut Json,
    ) {
        let origin = Origin { source, used };
        if let Some(definition) = json.get("definitions").and_then(|it| it.get(&used.name)) {
            let mut definition = definition.clone();
            self.adopt(used.file, &mut definition);
            definition.note_origin(origin);
            definitions.set(&used.called, definition);
        } else if let Some(function) = function(json, &used.name) {
            let mut function = function.clone();
            self.adopt(used.file, &mut function);
            function.note_origin(origin);
            super::import::add_function(functions, &used.called, function);
        } else if let Some(value) = json.get("variables").and_then(|it| it.get(&used.name)) {
            let mut value = value.clone();
            self.adopt(used.file, &mut value);
            variables.set(&used.called, value);
        } else if let Some(copy) = copy(json, &used.name) {
            let mut copy = copy.clone();
            self.adopt(used.file, &mut copy);
            copy.replace("name", Json::text(used.called.as_str()));
            let mut copies = match variables.get("copy").map(|it| &it.kind) {
                Some(Kind::Array(items)) => items.clone(),
                _ => Vec::new(),
            };
            copies.push(copy);
            variables.replace("copy", Json::array(copies));
        }
    }

    /// Gives what a declaration names the names that it has here.
    fn adopt(&mut self, file: usize, json: &mut Json) {
        // The document is not nested deeper than its reader goes.
        match &mut json.kind {
            Kind::Text { text, .. } => {
                if let Ok(Content::Expression(mut expression)) = Content::of(text) {
                    self.adopt_expression(file, &mut expression);
                    *text = Content::Expression(expression).to_string();
                }
            }
            Kind::Array(items) => {
                for item in items {
                    self.adopt(file, item);
                }
            }
            Kind::Object(members) => {
                for member in members {
                    match (member.name.as_str(), &mut member.value.kind) {
                        ("$ref", Kind::Text { text, .. }) => {
                            if let Some(path) = text.strip_prefix("#/definitions/") {
                                let (name, rest) =
                                    path.find('/').map_or((path, ""), |at| path.split_at(at));
                                let name = name.replace("~1", "/").replace("~0", "~");
                                let called = self.called(file, &name);
                                let called = called.replace('~', "~0").replace('/', "~1");
                                *text = format!("#/definitions/{called}{rest}");
                            }
                        }
                        ("allowedValues", Kind::Array(items)) => {
                            if items.iter().all(|it| it.as_text().is_some()) {
                                items.sort_by(|a, b| a.as_text().cmp(&b.as_text()));
                            }
                        }
                        _ => self.adopt(file, &mut member.value),
                    }
                }
            }
            _ => {}
        }
    }

    // Expressions are not nested deeper than their parser goes.
    fn adopt_expression(&mut self, file: usize, expression: &mut Expression) {
        match &mut expression.kind {
            Spelled::Call { name, arguments } => {
                if let Some(function) =
                    name.strip_prefix(NAMESPACE).and_then(|it| it.strip_prefix('.'))
                {
                    *name = qualified(&self.called(file, function));
                }
                let names_variable = matches!(name.as_str(), "variables" | "copyIndex");
                if let (true, Some(Spelled::Text(text))) =
                    (names_variable, arguments.first_mut().map(|it| &mut it.kind))
                {
                    *text = self.called(file, text);
                }
                for argument in arguments {
                    self.adopt_expression(file, argument);
                }
            }
            Spelled::Member { base, .. } => self.adopt_expression(file, base),
            Spelled::Index { base, at } => {
                self.adopt_expression(file, base);
                self.adopt_expression(file, at);
            }
            Spelled::Text(_) | Spelled::Number(_) => {}
        }
    }
}

/// The functions of Bicep that a template declares.
fn functions(json: &Json) -> impl Iterator<Item = &crate::arm::json::Member> {
    let namespaces = match json.get("functions").map(|it| &it.kind) {
        Some(Kind::Array(items)) => items.as_slice(),
        _ => &[],
    };
    let own = namespaces
        .iter()
        .filter(|it| it.get("namespace").and_then(Json::as_text) == Some(NAMESPACE));
    own.flat_map(|it| it.get("members").map_or(&[][..], Json::members))
}

fn function<'j>(json: &'j Json, name: &str) -> Option<&'j Json> {
    functions(json).find(|it| it.name == name).map(|it| &it.value)
}

/// A variable that is a loop.
fn copy<'j>(json: &'j Json, name: &str) -> Option<&'j Json> {
    match json.get("variables")?.get("copy").map(|it| &it.kind) {
        Some(Kind::Array(items)) => {
            items.iter().find(|it| it.get("name").and_then(Json::as_text) == Some(name))
        }
        _ => None,
    }
}
