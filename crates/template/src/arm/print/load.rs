//! Files that a template loads: they are read when it is compiled.

use super::Printer;
use super::call::plain_call;
use crate::arm::expression::{Expression, literal};
use crate::arm::json::{Json, Kind};
use crate::codes;
use crate::functions::{self, Argument, Call, Fault, ProjectFiles};
use crate::syntax::ast;
use crate::value::Value;

impl<'t> Printer<'t, '_, '_> {
    /// A file that is loaded becomes a variable of its own.
    pub(super) fn loaded(&mut self, view: ast::Expression<'t>) -> Option<Expression> {
        let loaded = self.load(view)?;
        if self.is_in_function {
            return Some(match loaded.kind {
                Kind::Text { text, .. } => Expression::text(text),
                Kind::Number(number) => Expression::number(number),
                _ => Expression::call("json", vec![Expression::text(loaded.to_string())]),
            });
        }
        let name = format!("$fxv#{}", self.loaded.len());
        if !self.is_trial {
            self.loaded.push(loaded);
        }
        Some(Expression::call("variables", vec![Expression::text(name)]))
    }

    /// A variable that is nothing but the text of a file.
    pub(super) fn loaded_text(&mut self, view: ast::Expression<'t>) -> Option<Json> {
        let (name, _) = plain_call(view)?;
        matches!(name, "loadTextContent" | "loadFileAsBase64").then(|| self.load(view))?
    }

    pub(super) fn load(&mut self, view: ast::Expression<'t>) -> Option<Json> {
        let (name, arguments) = plain_call(view)?;
        let function = functions::find(Some("sys"), name).filter(|_| name.starts_with("load"))?;
        let mut given = Vec::new();
        for argument in &arguments {
            let text = match argument {
                ast::Expression::String(string) => string.literal(),
                _ => None,
            };
            let Some(text) = text else {
                let message = format!(
                    "the argument of `{name}` must be a string literal, because the file is read \
                            when the template is compiled"
                );
                let hint = "write the path as a literal, as in `'settings.json'`".to_owned();
                self.error(codes::NOT_CONSTANT, argument.span(), message).hints.push(hint);
                return Some(Json::NULL);
            };
            given.push(Argument::Value(Value::string(text)));
        }
        let context = ProjectFiles::seen_from(&self.file, self.build.sources);
        let call = Call { arguments: given, context: &context };
        let value = match function.call(call) {
            Ok(value) => value,
            Err(Fault::Wrong { message, hint, .. }) => {
                let error = self.error(codes::FUNCTION_FAILED, view.span(), message);
                error.hints.extend(hint);
                return Some(Json::NULL);
            }
            Err(_) => return None,
        };
        let mut json = value.to_json().map_or(Json::NULL, |it| Json::of(&it));
        escape(&mut json);
        Some(json)
    }
}

/// Texts that look like expressions are none.
fn escape(json: &mut Json) {
    match &mut json.kind {
        Kind::Text { text, .. } => *text = literal(text),
        // What functions give is not nested deeper than they read.
        Kind::Array(items) => items.iter_mut().for_each(escape),
        Kind::Object(members) => members.iter_mut().for_each(|it| escape(&mut it.value)),
        _ => {}
    }
}
