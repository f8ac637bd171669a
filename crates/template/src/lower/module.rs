//! Modules: their file, what they are given, and what they are repeated over.

use hangar_diag::Span;

use super::Lowering;
use super::decorator::Target;
use super::expression::{Here, loop_names};
use super::object::{ONE_OF_THEM, repeated};
use super::symbols::body_of;
use crate::codes;
use crate::ir::{
    Entry, Expression, ExpressionKind, Key, ModuleDeclaration, ModuleParameter, Name, Repeat,
};
use crate::near::near;
use crate::syntax::ast::{self, ObjectItem, PropertyKey, Statement};

/// What is known of a module before it is lowered.
#[derive(Clone, Copy)]
pub(super) struct ModuleOutline {
    pub(super) repeats: bool,
    /// Its file; nothing where its path is wrong.
    pub(super) unit: Option<usize>,
}

/// What a body of a module may state.
const MEMBERS: [&str; 4] = ["name", "params", "scope", "dependsOn"];

/// What can be read of a module.
const READABLE: [&str; 2] = ["name", "outputs"];

impl<'t> Lowering<'t> {
    pub(super) fn module_outline(&mut self, view: ast::Module<'t>) -> usize {
        let unit = view.path().and_then(|path| self.file_of(path));
        self.module_outlines.push(ModuleOutline { repeats: body_of(view.value()).0, unit });
        self.modules.push(None);
        self.modules.len() - 1
    }

    pub(super) fn module(&mut self, index: usize, view: ast::Module<'t>) {
        let name = Self::name(view.name());
        let said = self.decorators(Statement::Module(view), Target::Module, None);
        let outline = self.module_outlines[index];
        let path = view.path();
        let path_span = path.map_or(name.span, ast::String::span);
        let text = path.and_then(ast::String::literal).unwrap_or_default();
        let mut lowered = ModuleDeclaration {
            params_span: name.span,
            path: Name { text: text.into(), span: path_span },
            name,
            // A module whose file is not there is reported, and never started.
            unit: outline.unit.unwrap_or(self.around.units.len()),
            repeat: None,
            condition: None,
            title: None,
            params: Vec::new(),
            scope: None,
            depends_on: Vec::new(),
            others: Vec::new(),
            batch: said.batch.and_then(|(size, span)| self.batch(size, span, outline.repeats)),
            remarks: said.remarks,
        };
        let reported = self.found.len();
        let has_body = self.module_value(&mut lowered, view.value());
        if has_body && outline.unit.is_some() && self.found.len() == reported {
            self.check_given(&lowered);
        }
        if lowered.title.is_some() {
            let identity: Vec<&Expression> = lowered.title.iter().chain(&lowered.scope).collect();
            self.check_name_in_loop(&lowered.name, view.value(), &identity);
        }
        self.modules[index] = Some(lowered);
    }

    /// The loop, the condition and the body; says whether there is one.
    fn module_value(
        &mut self,
        lowered: &mut ModuleDeclaration,
        value: Option<ast::Expression<'t>>,
    ) -> bool {
        match value {
            Some(ast::Expression::Loop(view)) => {
                let list = self.expression_or_faulty(view.list(), Here::Value, view.span());
                lowered.repeat = Some(Repeat { list, names: loop_names(view) });
                // Invariant: nothing repeats around a module, so its locals have the levels 0 and 1.
                let level = std::mem::replace(&mut self.level, 0);
                self.enter_loop(view);
                let has_body = match view.body() {
                    Some(ast::Expression::Loop(_)) | None => false,
                    body => self.module_value(lowered, body),
                };
                self.leave(2);
                self.level = level;
                has_body
            }
            Some(ast::Expression::Condition(view)) => {
                let asked = view.condition().map(ast::Expression::Parenthesized);
                let condition = self.expression_or_faulty(asked, Here::Value, view.span());
                lowered.condition = Some(condition);
                view.body().map(|body| self.module_body(lowered, body)).is_some()
            }
            Some(ast::Expression::Object(body)) => {
                self.module_body(lowered, body);
                true
            }
            _ => false,
        }
    }

    fn module_body(&mut self, lowered: &mut ModuleDeclaration, body: ast::Object<'t>) {
        self.in_body = true;
        let mut keys = Vec::new();
        for item in body.items() {
            let property = match item {
                ObjectItem::Property(property) => property,
                ObjectItem::Spread(spread) => {
                    let message = "a spread is not allowed in the body of a module";
                    let hint =
                        "write the properties one by one: `name`, `params`, `scope`, `dependsOn`";
                    self.error(codes::SPREAD_HERE, spread.span(), message)
                        .hints
                        .push(hint.to_owned());
                    continue;
                }
                ObjectItem::Resource(nested) => {
                    let span = nested.name().map_or(nested.span(), ast::Name::span);
                    let message = "a resource cannot be nested in a module";
                    let hint = "move it to the file of the module";
                    self.error(codes::UNKNOWN_MEMBER, span, message).hints.push(hint.to_owned());
                    continue;
                }
            };
            let value =
                self.expression_or_faulty(property.value(), Here::Declaration, property.span());
            let key = match property.key() {
                Some(PropertyKey::Name(name)) => Self::name(Some(name)),
                Some(PropertyKey::String(string)) => {
                    let text = string.literal().unwrap_or_default();
                    Name { text: text.into(), span: string.span() }
                }
                None => continue,
            };
            keys.push((key.text.clone(), key.span));
            self.member_of_module(lowered, key, value);
        }
        self.in_body = false;
        for (name, span) in repeated(keys.iter().map(|(name, span)| (&**name, *span))) {
            let message = format!("the property `{name}` is declared more than once");
            self.error(codes::DUPLICATE_PROPERTY, span, message).hints.push(ONE_OF_THEM.to_owned());
        }
    }

    fn member_of_module(&mut self, lowered: &mut ModuleDeclaration, key: Name, value: Expression) {
        match &*key.text {
            "name" => lowered.title = Some(value),
            "scope" => {
                self.is_any(&value);
                lowered.scope = Some(value);
            }
            "dependsOn" => lowered.depends_on = self.depends_on(value),
            "params" => {
                lowered.params_span = key.span;
                lowered.params = self.params(value);
            }
            "extensionConfigs" => lowered.others.push((key, value)),
            name => {
                let message = format!("the property `{name}` is not allowed on a module");
                let more = "the parameters of its file go into `params`";
                self.no_such_member_of_body((name, key.span), message, &MEMBERS, more);
            }
        }
    }

    /// `params`: an object that is written out.
    fn params(&mut self, value: Expression) -> Vec<ModuleParameter> {
        let entries = match value.kind {
            ExpressionKind::Object(entries) => entries,
            ExpressionKind::Faulty => return Vec::new(),
            _ => {
                let message = "`params` must be an object literal";
                let hint = "write an object in braces: `{ name: value }`";
                self.error(codes::WRONG_PROPERTY, value.span, message).hints.push(hint.to_owned());
                return Vec::new();
            }
        };
        let mut params = Vec::new();
        for entry in entries {
            match entry {
                Entry::Member { key: Key::Fixed(name), value } => {
                    params.push(ModuleParameter { name, value });
                }
                Entry::Member { key: Key::Computed(it), .. } | Entry::Spread(it) => {
                    let message = "the parameters of a module must be written one by one";
                    let hint = "write each parameter as `name: value`";
                    self.error(codes::SPREAD_HERE, it.span, message).hints.push(hint.to_owned());
                }
            }
        }
        params
    }

    /// Whether a module is given what its file takes.
    fn check_given(&mut self, lowered: &ModuleDeclaration) {
        let unit = &self.around.units[lowered.unit];
        if unit.is_faulty {
            return;
        }
        let table = self.table();
        let missing: Vec<String> = unit
            .parameters
            .iter()
            .filter(|it| it.default.is_none() && !table.is_nullable(&it.value_type))
            .filter(|it| !lowered.params.iter().any(|given| given.name.text == it.name.text))
            .map(|it| format!("`{}`", it.name.text))
            .collect();
        let names: Vec<&str> = unit.parameters.iter().map(|it| &*it.name.text).collect();
        let file = unit.file.clone();
        if !missing.is_empty() {
            let (parameters, values, defaults) = match missing.len() {
                1 => ("parameter", "a value", "default for it"),
                _ => ("parameters", "values", "defaults for them"),
            };
            let message = format!(
                "the module `{}` lacks the required {parameters} {}",
                lowered.name.text,
                missing.join(", ")
            );
            let hint = format!("add {values} to `params`: `{file}` has no {defaults}");
            self.error(codes::MISSING_MEMBER, lowered.params_span, message).hints.push(hint);
        }
        for given in &lowered.params {
            if names.contains(&&*given.name.text) {
                continue;
            }
            let message = format!("the parameter `{}` does not exist in `{file}`", given.name.text);
            let near = near(&given.name.text, names.iter().copied());
            let (code, hint) = match near {
                Some(near) => (codes::UNKNOWN_MEMBER_NEAR, format!("did you mean `{near}`?")),
                None if names.is_empty() => {
                    (codes::UNKNOWN_MEMBER, "the file has no parameters".to_owned())
                }
                None => (
                    codes::UNKNOWN_MEMBER,
                    format!("available parameters: `{}`", names.join("`, `")),
                ),
            };
            self.error(code, given.name.span, message).hints.push(hint);
        }
    }

    /// Whether a module has what is read of it.
    pub(super) fn check_module_member(&mut self, base: &Expression, name: &str, span: Span) {
        if let ExpressionKind::Member(member) = &base.kind
            && &*member.name.text == "outputs"
            && let Some((module, true)) = self.one_module(&member.base)
            && let Some(unit) = self.module_outlines[module].unit
        {
            let unit = &self.around.units[unit];
            let names: Vec<&str> = unit.outputs.iter().map(|it| &*it.name.text).collect();
            if unit.is_faulty || names.contains(&name) {
                return;
            }
            let message = format!("the output `{name}` does not exist in `{}`", unit.file);
            self.no_such_part(message, name, &names, span);
            return;
        }
        match self.one_module(base) {
            Some((_, false)) => {
                let message = "this is a collection of modules from a loop";
                let hint = "select one with an index, as in `networks[0]`";
                self.error(codes::COLLECTION_READ, base.span, message).hints.push(hint.to_owned());
            }
            Some((_, true)) if !READABLE.contains(&name) => {
                let message = format!("the property `{name}` does not exist on a module");
                self.no_such_part(message, name, &READABLE, span);
            }
            _ => {}
        }
    }

    fn no_such_part(&mut self, message: String, name: &str, names: &[&str], span: Span) {
        let (code, hint) = match near(name, names.iter().copied()) {
            Some(near) => (codes::NO_SUCH_PROPERTY_NEAR, format!("did you mean `{near}`?")),
            None if names.is_empty() => (codes::EMPTY_OBJECT, "the module has none".to_owned()),
            None => (codes::NO_SUCH_PROPERTY, format!("available names: `{}`", names.join("`, `"))),
        };
        self.error(code, span, message).hints.push(hint);
    }

    /// The module that an expression is, and whether it is one of it: by its name, or of a loop with an index.
    fn one_module(&self, base: &Expression) -> Option<(usize, bool)> {
        match &base.kind {
            ExpressionKind::Module(module) => {
                Some((*module, !self.module_outlines[*module].repeats))
            }
            ExpressionKind::Index(index) => match index.base.kind {
                ExpressionKind::Module(module) if self.module_outlines[module].repeats => {
                    Some((module, true))
                }
                _ => None,
            },
            ExpressionKind::NonNull(inner) => self.one_module(inner),
            _ => None,
        }
    }
}
