//! What decorators add to declarations.

use super::Printer;
use crate::arm::expression::literal;
use crate::arm::json::{Json, Kind};
use crate::codes;
use crate::syntax::ast;

/// The name of a decorator, without its namespace.
pub(super) fn name(decorator: ast::Decorator<'_>) -> Option<&str> {
    match decorator.expression()? {
        ast::Expression::Call(call) => call.name().map(ast::Name::text),
        ast::Expression::MethodCall(call) => call.name().map(ast::Name::text),
        _ => None,
    }
}

pub(super) fn argument(decorator: ast::Decorator<'_>) -> Option<ast::Expression<'_>> {
    match decorator.expression()? {
        ast::Expression::Call(call) => call.arguments().next(),
        ast::Expression::MethodCall(call) => call.arguments().next(),
        _ => None,
    }
}

impl<'t> Printer<'t, '_, '_> {
    /// Adds what decorators say to the description of a type.
    pub(super) fn decorate(&mut self, json: &mut Json, decorators: &[ast::Decorator<'t>]) {
        // A type may bring metadata of its own.
        let mut metadata = json.get("metadata").cloned();
        // Of two that say the same, the upper one holds; `@description()` holds before `@metadata()`.
        let is_metadata = |it: &&ast::Decorator<'t>| name(**it) == Some("metadata");
        let (first, then): (Vec<&ast::Decorator<'t>>, Vec<_>) =
            decorators.iter().rev().partition(is_metadata);
        for decorator in first.into_iter().chain(then) {
            let Some(name) = name(*decorator) else { continue };
            match (name, argument(*decorator)) {
                ("metadata", Some(object)) => {
                    let object = self.value(object);
                    let metadata = metadata.get_or_insert_with(Json::object);
                    for member in object.members() {
                        metadata.replace(&member.name, member.value.clone());
                    }
                }
                ("description", Some(text)) => {
                    let text = self.description(text);
                    metadata.get_or_insert_with(Json::object).replace("description", text);
                }
                ("export", _) => {
                    let metadata = metadata.get_or_insert_with(Json::object);
                    metadata.replace("__bicep_export!", Json::bool(true));
                }
                ("allowed", Some(values)) => {
                    let values = self.value(values);
                    json.replace("allowedValues", values);
                }
                ("minLength" | "maxLength" | "minValue" | "maxValue", Some(bound)) => {
                    let bound = self.value(bound);
                    json.replace(name, bound);
                }
                ("secure", _) => secure(json),
                ("sealed", _) => json.replace("additionalProperties", Json::bool(false)),
                ("validate", _) => self.refuse(*decorator, name),
                _ => {}
            }
        }
        if let Some(metadata) = metadata {
            json.replace("metadata", metadata);
        }
    }

    /// The text of `@description()`: the indentation that its lines after the first share is that of the file.
    pub(super) fn description(&mut self, view: ast::Expression<'t>) -> Json {
        match view {
            ast::Expression::String(string) => match string.literal() {
                Some(text) => Json::text(literal(&without_indentation(&text))),
                None => self.value(view),
            },
            _ => self.value(view),
        }
    }

    /// A decorator that is not left out without a word.
    fn refuse(&mut self, decorator: ast::Decorator<'t>, name: &str) {
        let message = format!("`@{name}` is not supported in a build yet");
        let hint = "remove it, or build the template with Bicep's own compiler";
        let error = self.error(codes::NOT_SUPPORTED, decorator.span(), message);
        error.hints.push(hint.to_owned());
    }

    pub(super) fn batch_size(&mut self, index: usize) -> Option<Json> {
        let statement = self.bound.resources[index].statement;
        let batch = statement.decorators().find(|it| name(*it) == Some("batchSize"))?;
        argument(batch).map(|size| self.value(size))
    }

    pub(super) fn resource_decorators(&mut self, index: usize, json: &mut Json) {
        let statement = self.bound.resources[index].statement;
        let mut options = Json::object();
        for decorator in statement.decorators() {
            match (name(decorator), argument(decorator)) {
                (Some("description"), Some(text)) => {
                    let text = self.description(text);
                    json.set("metadata", Json::object().with("description", text));
                }
                (Some(option @ ("onlyIfNotExists" | "nullIfNotFound")), _) => {
                    options.set(option, Json::bool(true));
                }
                (Some(name @ ("retryOn" | "waitUntil")), _) => self.refuse(decorator, name),
                _ => {}
            }
        }
        if !options.members().is_empty() {
            json.set("@options", options);
        }
    }
}

/// A text without the indentation that all its lines after the first have in common.
fn without_indentation(text: &str) -> String {
    let indentation = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let shared = text.lines().skip(1).filter(|line| !line.trim().is_empty()).map(indentation).min();
    let Some(shared) = shared.filter(|it| *it > 0) else { return text.to_owned() };
    let lines = text.split_inclusive('\n').enumerate();
    let lines =
        lines.map(|(at, line)| if at == 0 { line } else { &line[shared.min(indentation(line))..] });
    lines.collect()
}

/// Makes a type the one of secrets.
fn secure(json: &mut Json) {
    let Kind::Object(members) = &mut json.kind else { return };
    for member in members.iter_mut().filter(|it| it.name == "type") {
        let secure = match member.value.as_text() {
            Some("string") => "securestring",
            Some("object") => "secureObject",
            _ => continue,
        };
        member.value = Json::text(secure);
    }
}
