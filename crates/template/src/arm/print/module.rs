//! Modules: deployments in a deployment, the compiled template in them.

use std::sync::Arc;

use super::access::Reached;
use super::bind::What;
use super::id::{Scope, Target};
use super::value::in_place;
use super::{Extent, MAX_MODULE_BYTES, MAX_MODULES, MAX_TEMPLATES, Printer};
use crate::arm::expression::Expression;
use crate::arm::json::Json;
use crate::codes;
use crate::syntax::ast::{self, ObjectItem};

/// The version of deployments that are written.
pub(super) const MODULE_VERSION: &str = "2025-04-01";

impl<'t> Printer<'t, '_, '_> {
    pub(super) fn module_body(
        &mut self,
        reached: &Reached,
        path: Option<ast::String<'t>>,
        json: &mut Json,
    ) {
        json.set("type", Json::text("Microsoft.Resources/deployments"));
        json.set("apiVersion", Json::text(MODULE_VERSION));
        let name = self.named(reached);
        json.set("name", in_place(name));
        self.scope_members(reached, json);
        let template = path.and_then(|path| {
            let file = self.path(path)?;
            self.extend_by_module(&file, path).then(|| self.build.template(&file))?
        });
        let (target, template) =
            template.map_or((Target::Group, Json::NULL), |it| (it.target, it.json));
        let scope = self.scope(reached);
        // A deployment in a group has that group's place; all others need one of their own.
        let is_here = matches!(scope, Scope::Here) && self.target == Target::Group;
        if target != Target::Group && !is_here {
            let location = match self.target {
                Target::Group => "[resourceGroup().location]",
                _ => "[deployment().location]",
            };
            json.set("location", Json::text(location));
        }
        let evaluation = Json::object().with("scope", Json::text("inner"));
        let mut properties = Json::object()
            .with("expressionEvaluationOptions", evaluation)
            .with("mode", Json::text("Incremental"));
        let parameters = self.bound.resources[reached.resource].property("params");
        if let Some(parameters) = parameters {
            let parameters = self.module_parameters(parameters);
            properties.set("parameters", parameters);
        }
        properties.set("template", template);
        json.set("properties", properties);
    }

    /// Counts a module that is written into the template; `false` if it is broken or too much, which is reported.
    fn extend_by_module(&mut self, file: &Arc<str>, path: ast::String<'t>) -> bool {
        if !self.print_module(file, path) {
            return false;
        }
        let Some(Some(template)) = self.build.done.get(file) else { return false };
        let Extent { templates, bytes } = template.extent;
        self.modules.templates += templates;
        self.modules.bytes += bytes;
        let message = if self.modules.templates >= MAX_TEMPLATES {
            format!("the modules contain more than {MAX_TEMPLATES} templates in total")
        } else if self.modules.bytes > MAX_MODULE_BYTES {
            format!("the modules have more than {MAX_MODULE_BYTES} bytes in total")
        } else {
            return true;
        };
        let hint =
            "a build copies each module to every place that uses it; use fewer or smaller modules";
        self.error(codes::TOO_MUCH, path.span(), message).hints.push(hint.to_owned());
        false
    }

    /// Prints the template of a module, once; `false` if it is broken, which is reported.
    fn print_module(&mut self, file: &Arc<str>, path: ast::String<'t>) -> bool {
        let open = &self.build.open;
        let wrong = if open.contains(file) {
            let mut names: Vec<&str> = open.iter().map(|it| &**it).collect();
            names.push(file);
            Some((codes::FILE_CIRCLE, format!("the modules form a cycle: {}", names.join(" → "))))
        } else if open.len() >= MAX_MODULES {
            Some((
                codes::TOO_DEEP,
                format!("modules are nested more than {MAX_MODULES} levels deep"),
            ))
        } else if self.build.sources.get(file).is_none() {
            Some((codes::UNREADABLE_FILE, format!("the file `{file}` was not found")))
        } else {
            None
        };
        if let Some((code, message)) = wrong {
            self.error(code, path.span(), message);
            return false;
        }
        if !self.build.done.contains_key(file) {
            self.build.template(file);
        }
        let is_there = matches!(self.build.done.get(file), Some(Some(_)));
        if !is_there && self.build.problems.is_empty() {
            self.error(codes::UNREADABLE_FILE, path.span(), "the module cannot be compiled");
        }
        is_there
    }

    fn module_parameters(&mut self, view: ast::Expression<'t>) -> Json {
        let mut parameters = Json::object();
        let ast::Expression::Object(object) = view else {
            return self.value(view);
        };
        for item in object.items() {
            let ObjectItem::Property(property) = item else { continue };
            let (Some(name), Some(value)) = (super::bind::key(property), property.value()) else {
                continue;
            };
            let parameter = if let ast::Expression::Loop(repeat) = value {
                Json::object().with("copy", Json::array(vec![self.copy("value", repeat)]))
            } else if let Some(secret) = self.secret(value) {
                secret
            } else {
                Json::object().with("value", self.value(value))
            };
            parameters.set(name, parameter);
        }
        parameters
    }

    /// `vault.getSecret('name', 'version')`, which the deployment reads and nobody else sees; also in the branches of
    /// a choice.
    fn secret(&mut self, view: ast::Expression<'t>) -> Option<Json> {
        if let ast::Expression::Ternary(_) = view {
            let choice = self.secret_choice(view)?;
            return Some(in_place(choice));
        }
        let (id, name, version) = self.secret_parts(view)?;
        let vault = Json::object().with("id", in_place(id));
        let mut reference =
            Json::object().with("keyVault", vault).with("secretName", in_place(name));
        if let Some(version) = version {
            reference.set("secretVersion", in_place(version));
        }
        Some(Json::object().with("reference", reference))
    }

    fn secret_parts(
        &mut self,
        view: ast::Expression<'t>,
    ) -> Option<(Expression, Expression, Option<Expression>)> {
        let call = match view {
            ast::Expression::MethodCall(call) => call,
            ast::Expression::Parenthesized(view) => return self.secret_parts(view.inner()?),
            _ => return None,
        };
        if call.name()?.text() != "getSecret" {
            return None;
        }
        let vault = self.resource_named(call.base()?)?;
        self.note(&vault, false);
        let id = self.id(&vault);
        let mut arguments = call.arguments().map(|it| self.expression(it));
        let name = arguments.next()?;
        let version = arguments.next();
        drop(arguments);
        Some((id, name, version))
    }

    /// A choice: each branch is wrapped, for one may be a secret and the other a value.
    fn secret_choice(&mut self, view: ast::Expression<'t>) -> Option<Expression> {
        match view {
            ast::Expression::Ternary(ternary) => {
                let condition = self.optional(ternary.condition());
                let mut branches = vec![condition];
                for branch in [ternary.then()?, ternary.otherwise()?] {
                    let choice = self.secret_choice(branch);
                    branches.push(choice.unwrap_or_else(|| {
                        let value = self.expression(branch);
                        Expression::call("createObject", vec![Expression::text("value"), value])
                    }));
                }
                Some(Expression::call("if", branches))
            }
            other => {
                let (id, name, version) = self.secret_parts(other)?;
                let object = |members: Vec<Expression>| Expression::call("createObject", members);
                let vault = object(vec![Expression::text("id"), id]);
                let mut members =
                    vec![Expression::text("keyVault"), vault, Expression::text("secretName"), name];
                if let Some(version) = version {
                    members.extend([Expression::text("secretVersion"), version]);
                }
                Some(object(vec![Expression::text("reference"), object(members)]))
            }
        }
    }

    /// The name of a module that states none.
    pub(super) fn module_name(&mut self, reached: &Reached) -> Expression {
        let resource = &self.bound.resources[reached.resource];
        let symbol = resource.name;
        let index = reached
            .index
            .clone()
            .or_else(|| resource.repeat.map(|_| Expression::call("copyIndex", vec![])));
        let deployment = Expression::call("deployment", vec![]).member("name");
        let unique = Expression::call("uniqueString", vec![Expression::text(symbol), deployment]);
        match index {
            None => {
                let pattern = Expression::text(format!("{symbol}-{{0}}"));
                Expression::call("format", vec![pattern, unique])
            }
            Some(index) => {
                let pattern = Expression::text(format!("{symbol}-{{0}}-{{1}}"));
                Expression::call("format", vec![pattern, index, unique])
            }
        }
    }

    pub(super) fn is_secure_output(&mut self, resource: usize, name: &str) -> bool {
        let What::Module { path: Some(path) } = self.bound.resources[resource].what else {
            return false;
        };
        let before = self.build.problems.len();
        let file = self.path(path);
        if let Some(file) = &file {
            self.print_module(file, path);
        }
        // It is reported where the module is printed.
        self.build.problems.truncate(before);
        let template = file.and_then(|file| self.build.done.get(&file)?.as_ref());
        template.is_some_and(|it| it.secure_outputs.iter().any(|it| it == name))
    }
}
