//! Parameters, variables, functions, outputs and metadata.

use std::sync::Arc;

use super::copy::Local;
use super::types::is_exported;
use super::{Reader, name_of, plain};
use crate::arm::json::{Json, Kind, Member};
use crate::codes;
use crate::ir::{
    Expression, ExpressionKind, FunctionDeclaration, FunctionParameter, Metadata,
    OutputDeclaration, ParameterDeclaration, Remarks, Variable,
};
use crate::types::Slot;
use crate::value::Value;

impl<'j> Reader<'j, '_, '_> {
    /// Declares all names, so that each declaration can be read by itself.
    pub(super) fn declare_names(&mut self, json: &'j Json) {
        for (at, member) in self.section(json, "parameters").iter().enumerate() {
            let before = self.parameters.insert(member.name.to_ascii_lowercase(), at);
            if before.is_some() {
                self.twice("parameter", member);
            }
        }
        for (at, member) in self.section(json, "definitions").iter().enumerate() {
            self.types.insert(member.name.clone(), at);
        }
        let mut at = 0;
        for member in self.section(json, "variables") {
            if is_copies(member) {
                let Kind::Array(items) = &member.value.kind else { continue };
                for name in items.iter().filter_map(|it| it.get("name")).filter_map(Json::as_text) {
                    self.variables.insert(name.to_ascii_lowercase(), at);
                    at += 1;
                }
            } else {
                let before = self.variables.insert(member.name.to_ascii_lowercase(), at);
                if before.is_some() {
                    self.twice("variable", member);
                }
                at += 1;
            }
        }
        let mut at = 0;
        for (namespace, members) in namespaces(json) {
            for member in members {
                self.functions
                    .insert(format!("{namespace}.{}", member.name).to_ascii_lowercase(), at);
                at += 1;
            }
        }
    }

    fn twice(&mut self, what: &str, member: &Member) {
        let message = format!(
            "the {what} `{}` is declared more than once: names are not case-sensitive",
            member.name
        );
        self.error(codes::DUPLICATE_NAME, member.name_span, message);
    }

    pub(super) fn read_parameters(&mut self, json: &'j Json) {
        self.in_default = true;
        for member in self.section(json, "parameters") {
            let slot = self.slot(&member.value);
            let default = member.value.get("defaultValue").map(|it| self.value(it));
            let type_text: Arc<str> = slot.value_type.to_string().into();
            let Slot { value_type, secure, bounds, remarks } = slot;
            let name = name_of(member);
            let parameter = ParameterDeclaration {
                name,
                value_type,
                type_text,
                default,
                secure,
                bounds,
                remarks,
            };
            self.unit.parameters.push(parameter);
        }
        self.in_default = false;
    }

    pub(super) fn read_variables(&mut self, json: &'j Json) {
        for member in self.section(json, "variables") {
            if is_copies(member) {
                for (name, value) in self.copies(&member.value) {
                    let text = name.as_text().unwrap_or_default();
                    let name = crate::ir::Name { text: text.into(), span: name.span };
                    self.unit.variables.push(variable(name, value));
                }
            } else {
                let value = self.value(&member.value);
                self.unit.variables.push(variable(name_of(member), value));
            }
        }
        let exported = json.get("metadata").and_then(|it| it.get("__bicep_exported_variables!"));
        if let Some(Kind::Array(items)) = exported.map(|it| &it.kind) {
            for name in items.iter().filter_map(|it| it.get("name")?.as_text()) {
                let mut variables = self.unit.variables.iter_mut();
                if let Some(variable) = variables.find(|it| *it.name.text == *name) {
                    variable.exported = true;
                }
            }
        }
    }

    pub(super) fn read_functions(&mut self, json: &'j Json) {
        self.in_function = true;
        for (_, members) in namespaces(json) {
            for member in members {
                let function = self.function_declaration(member);
                self.unit.functions.push(function);
            }
        }
        self.in_function = false;
    }

    fn function_declaration(&mut self, member: &'j Member) -> FunctionDeclaration {
        let mut parameters = Vec::new();
        let given = member.value.get("parameters").map(|it| &it.kind);
        let given = match given {
            Some(Kind::Array(items)) => items.as_slice(),
            _ => &[],
        };
        for (level, parameter) in given.iter().enumerate() {
            let name = parameter.get("name");
            let text = name.and_then(Json::as_text).unwrap_or_default();
            let span = name.map_or(parameter.span, |it| it.span);
            let value_type = self.slot(parameter).value_type;
            self.locals.push(Local::Parameter { name: text.to_owned(), level });
            let name = crate::ir::Name { text: text.into(), span };
            parameters.push(FunctionParameter { name, value_type });
        }
        self.level = parameters.len();
        let output = member.value.get("output");
        let result =
            output.map_or_else(|| Slot::plain(crate::types::Type::Any), |it| self.slot(it));
        let body = if let Some(value) = output.and_then(|it| it.get("value")) {
            self.value(value)
        } else {
            let message = "the function lacks an `output` with a `value`";
            self.error(codes::BAD_TEMPLATE, member.name_span, message);
            Expression::new(ExpressionKind::Faulty, member.name_span)
        };
        self.locals.clear();
        self.level = 0;
        FunctionDeclaration {
            name: name_of(member),
            parameters,
            result: result.value_type,
            body,
            exported: is_exported(&member.value),
            remarks: Remarks::default(),
        }
    }

    pub(super) fn read_outputs(&mut self, json: &'j Json) {
        for member in self.section(json, "outputs") {
            let slot = self.slot(&member.value);
            let type_text: Arc<str> = slot.value_type.to_string().into();
            let value = match (member.value.get("value"), member.value.get("copy")) {
                (Some(value), _) => self.value(value),
                (None, Some(copy)) => self.repeated(copy, |level| Local::Own { name: None, level }),
                (None, None) => {
                    let message =
                        format!("the output `{}` lacks the required property `value`", member.name);
                    self.error(codes::BAD_TEMPLATE, member.name_span, message);
                    Expression::new(ExpressionKind::Faulty, member.name_span)
                }
            };
            if let Some(condition) = member.value.get("condition") {
                self.not_supported(condition.span, "the condition of an output is");
            }
            let Slot { value_type, secure, bounds, remarks } = slot;
            let name = name_of(member);
            self.unit.outputs.push(OutputDeclaration {
                name,
                value_type,
                type_text,
                secure,
                bounds,
                value,
                remarks,
            });
        }
    }

    pub(super) fn read_metadata(&mut self, json: &'j Json) {
        for member in self.section(json, "metadata").iter().filter(|it| it.name != "_generator") {
            let value = Value::from_json(&plain(&member.value), false);
            let value = Self::constant(value, member.value.span);
            self.unit.metadata.push(Metadata { name: name_of(member), value });
        }
    }
}

fn variable(name: crate::ir::Name, value: Expression) -> Variable {
    Variable {
        name,
        value_type: None,
        value,
        reaches_resource: false,
        is_constant: false,
        exported: false,
        remarks: Remarks::default(),
    }
}

/// `copy` of the variables is a list of loops; a variable may be called so too.
fn is_copies(member: &Member) -> bool {
    member.name == "copy"
        && matches!(&member.value.kind, Kind::Array(items) if items.iter().all(|it| it.get("count").is_some()))
}

/// The functions of a template by their namespaces.
fn namespaces(json: &Json) -> impl Iterator<Item = (&str, &[Member])> {
    let list = match json.get("functions").map(|it| &it.kind) {
        Some(Kind::Array(items)) => items.as_slice(),
        _ => &[],
    };
    list.iter().map(|it| {
        let namespace = it.get("namespace").and_then(Json::as_text).unwrap_or_default();
        (namespace, it.get("members").map_or(&[][..], Json::members))
    })
}
