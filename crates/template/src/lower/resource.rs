//! Resources: their body's members, what they are repeated over, and those nested in them.

use hangar_diag::{Diagnostic, Span};

use super::decorator::Target;
use super::expression::{Here, loop_names};
use super::object::{ONE_OF_THEM, repeated};
use super::symbols::{Scope, Symbol, body_of};
use super::{Lowering, Reference};
use crate::codes;
use crate::ir::{Entry, Expression, ExpressionKind, Key, Name, Repeat, ResourceDeclaration, What};
use crate::near::near;
use crate::syntax::ast::{self, ObjectItem, PropertyKey, Statement};

impl<'t> Lowering<'t> {
    /// Lowers the resources that are written in the bodies of others.
    pub(super) fn nested_resources(&mut self) {
        for index in 0..self.outlines.len() {
            let (view, parent) = (self.outlines[index].view, self.outlines[index].parent);
            let Some(parent) = parent else { continue };
            self.owner = Some(Symbol::Resource(index));
            let span = view.name().map_or(view.span(), ast::Name::span);
            let to = Symbol::Resource(parent);
            self.references.push(Reference { from: Symbol::Resource(index), to, span });
            if self.outlines[parent].repeats {
                let message = "a resource cannot be nested in a loop";
                let hint = "move it out of the body, and write a separate loop for it";
                self.error(codes::NESTED_IN_LOOP, span, message).hints.push(hint.to_owned());
            }
            let depth = self.enter_bodies(Some(parent));
            self.resource(index, view);
            self.scopes.truncate(self.scopes.len() - depth);
        }
    }

    /// The names that the bodies around a nested resource add.
    fn enter_bodies(&mut self, parent: Option<usize>) -> usize {
        let Some(index) = parent else { return 0 };
        let depth = self.enter_bodies(self.outlines[index].parent);
        self.enter_body(index);
        depth + 1
    }

    fn enter_body(&mut self, index: usize) {
        let nested = self.outlines[index].nested.iter();
        let scope: Scope<'t> =
            nested.map(|(name, child)| (*name, Symbol::Resource(*child))).collect();
        self.scopes.push(scope);
    }

    pub(super) fn resource(&mut self, index: usize, view: ast::Resource<'t>) {
        let name = Self::name(view.name());
        let what = self.resource_type(view, self.outlines[index].parent);
        let said = self.decorators(Statement::Resource(view), Target::Resource, None);
        let (repeats, object) = body_of(view.value());
        let mut lowered = ResourceDeclaration {
            name,
            what,
            existing: view.is_existing(),
            parent: self.outlines[index].parent,
            repeat: None,
            condition: None,
            alias: None,
            identifier: None,
            properties: None,
            depends_on: Vec::new(),
            whole: None,
            body: object.map_or(view.span(), ast::Object::span),
            batch: None,
            or_null: said.or_null.is_some(),
            remarks: said.remarks,
        };
        if let Some((size, span)) = said.batch {
            lowered.batch = self.batch(size, span, repeats);
        }
        if let Some(span) = said.or_null.filter(|_| !lowered.existing) {
            let message = "`@nullIfNotFound` can only be used on `existing` resources";
            let hint = "remove it, or write `existing` after the resource's type";
            self.error(codes::DECORATOR_TYPE, span, message).hints.push(hint.to_owned());
        }
        self.resource_value(&mut lowered, index, view.value());
        if !lowered.existing && matches!(lowered.what, What::Aws { .. }) {
            let name = lowered.identifier.take();
            lowered.alias = lowered.alias.or(name);
        }
        let variable = match view.value() {
            Some(ast::Expression::Loop(repeat)) => repeat.index().or_else(|| repeat.item()),
            _ => None,
        };
        self.check_identity(&lowered, variable.map(ast::Name::text));
        if !lowered.existing {
            let identity: Vec<&Expression> = match &lowered.whole {
                Some(whole) => identity_of_foreign(whole),
                None => lowered.alias.iter().collect(),
            };
            self.check_name_in_loop(&lowered.name, view.value(), &identity);
        }
        self.resources[index] = Some(lowered);
    }

    /// Warns of a loop whose rounds all make one resource or module: its name or alias does not use the loop's
    /// variables.
    pub(super) fn check_name_in_loop(
        &mut self,
        name: &Name,
        value: Option<ast::Expression<'t>>,
        identity: &[&Expression],
    ) {
        let Some(ast::Expression::Loop(view)) = value else { return };
        if identity.iter().any(|it| reads_local(it)) {
            return;
        }
        let [identity, ..] = identity else { return };
        let variable = view.index().or_else(|| view.item()).map_or("item", ast::Name::text);
        let message = format!("every iteration of the loop gives `{}` the same name", name.text);
        let written = self.text_at(identity.span);
        let hint = match written.strip_suffix('\'') {
            Some(text) if !text.contains('\n') => {
                format!("use the loop variable: `{text}-${{{variable}}}'`")
            }
            _ => format!("use the loop variable in it: `${{{variable}}}`"),
        };
        let warning = Diagnostic::warning(codes::SAME_IN_LOOP, message);
        self.tell(
            warning.at(name.span, "").at(identity.span, "the same in every iteration").hint(hint),
        );
    }

    pub(super) fn batch(&mut self, size: i64, span: Span, repeats: bool) -> Option<usize> {
        if !repeats {
            let message = "`@batchSize` can only be used on loops";
            let hint = "remove it, or repeat the declaration with `[for item in list: { … }]`";
            self.error(codes::BATCH_WITHOUT_LOOP, span, message).hints.push(hint.to_owned());
            return None;
        }
        match usize::try_from(size) {
            Ok(size) if size > 0 => Some(size),
            _ => {
                let message = format!("the batch size must be at least 1, found {size}");
                let hint = "write `@batchSize(1)` to deploy one resource at a time";
                self.error(codes::BATCH_SIZE, span, message).hints.push(hint.to_owned());
                None
            }
        }
    }

    /// The loop, the condition and the body.
    fn resource_value(
        &mut self,
        lowered: &mut ResourceDeclaration,
        index: usize,
        value: Option<ast::Expression<'t>>,
    ) {
        match value {
            Some(ast::Expression::Loop(view)) => {
                let list = self.expression_or_faulty(view.list(), Here::Value, view.span());
                lowered.repeat = Some(Repeat { list, names: loop_names(view) });
                // Invariant: nothing repeats around a resource, so its locals have the levels 0 and 1.
                let level = std::mem::replace(&mut self.level, 0);
                self.enter_loop(view);
                match view.body() {
                    Some(ast::Expression::Loop(_)) | None => {}
                    body => self.resource_value(lowered, index, body),
                }
                self.leave(2);
                self.level = level;
            }
            Some(ast::Expression::Condition(view)) => {
                let asked = view.condition().map(ast::Expression::Parenthesized);
                let condition = self.expression_or_faulty(asked, Here::Value, view.span());
                lowered.condition = Some(condition);
                if let Some(body) = view.body() {
                    self.body(lowered, index, body);
                }
            }
            Some(ast::Expression::Object(body)) => self.body(lowered, index, body),
            _ => {}
        }
    }

    fn body(&mut self, lowered: &mut ResourceDeclaration, index: usize, body: ast::Object<'t>) {
        self.enter_body(index);
        self.in_body = true;
        if !matches!(lowered.what, What::Aws { .. } | What::Recipe) {
            lowered.whole = Some(self.object_without_resources(body));
            self.in_body = false;
            self.scopes.pop();
            return;
        }
        let mut keys = Vec::new();
        for item in body.items() {
            match item {
                ObjectItem::Property(property) => {
                    let value = self.expression_or_faulty(
                        property.value(),
                        Here::Declaration,
                        property.span(),
                    );
                    let (name, span) = match property.key() {
                        Some(PropertyKey::Name(name)) => (name.text().to_owned(), name.span()),
                        Some(PropertyKey::String(string)) => match string.literal() {
                            Some(text) => (text, string.span()),
                            None => (String::new(), string.span()),
                        },
                        None => continue,
                    };
                    keys.push((name.clone(), span));
                    self.member_of_body(lowered, &name, span, value);
                }
                ObjectItem::Spread(spread) => {
                    let message = "a spread is not allowed in the body of a resource";
                    let hint =
                        "use the spread inside `properties`, as in `properties: { ...defaults }`";
                    self.error(codes::SPREAD_HERE, spread.span(), message)
                        .hints
                        .push(hint.to_owned());
                }
                ObjectItem::Resource(_) => {}
            }
        }
        for (name, span) in repeated(keys.iter().map(|(name, span)| (name.as_str(), *span))) {
            let message = format!("the property `{name}` is declared more than once");
            self.error(codes::DUPLICATE_PROPERTY, span, message).hints.push(ONE_OF_THEM.to_owned());
        }
        self.in_body = false;
        self.scopes.pop();
    }

    fn member_of_body(
        &mut self,
        lowered: &mut ResourceDeclaration,
        name: &str,
        span: Span,
        value: Expression,
    ) {
        if matches!(lowered.what, What::Recipe) {
            return self.member_of_recipe(lowered, name, span, value);
        }
        match name {
            "alias" => lowered.alias = Some(value),
            // Of an existing resource the primary identifier. Of any other the default of `alias`, as Radius's types
            // have it: AWS never sees it.
            "name" => lowered.identifier = Some(value),
            "properties" => lowered.properties = Some(self.stated_properties(value)),
            "dependsOn" => lowered.depends_on = self.depends_on(value),
            _ => self.unknown_member(name, span),
        }
    }

    /// The properties of a resource: never another resource or a module as a whole.
    fn stated_properties(&mut self, value: Expression) -> Expression {
        let what = match value.kind {
            ExpressionKind::Resource(_) => "a resource",
            ExpressionKind::Module(_) => "a module",
            _ => return value,
        };
        let name = self.text_at(value.span);
        let message = format!("expected an `object` of properties, found {what}");
        let hint = format!(
            "write `properties: {{ … }}`, and read single values of `{name}`, as in `{name}.properties.Arn`"
        );
        self.faulty_with(codes::WRONG_PROPERTY, value.span, message, hint)
    }

    fn member_of_recipe(
        &mut self,
        lowered: &mut ResourceDeclaration,
        name: &str,
        span: Span,
        value: Expression,
    ) {
        let known: &[&str] = if lowered.existing {
            &["name", "dependsOn"]
        } else {
            &["name", "properties", "dependsOn"]
        };
        match name {
            "name" => lowered.alias = Some(value),
            "dependsOn" => lowered.depends_on = self.depends_on(value),
            "properties" if !lowered.existing => lowered.properties = Some(value),
            "properties" => {
                let message = "`properties` is not allowed on an `existing` recipe, which is read and not run";
                let hint = "write only its `name`";
                self.error(codes::UNKNOWN_MEMBER, span, message).hints.push(hint.to_owned());
            }
            _ => {
                let message = format!("the property `{name}` is not allowed on a recipe");
                let more = "`source` and `parameters` go into `properties`";
                self.no_such_member_of_body((name, span), message, known, more);
            }
        }
    }

    fn unknown_member(&mut self, name: &str, span: Span) {
        let known: &[&str] = &["alias", "name", "properties", "dependsOn"];
        let message = format!("the property `{name}` is not allowed on an AWS resource");
        let instead = match name {
            "parent" => {
                "AWS resources have no parents: reference the other resource in `properties`, or in \
                `dependsOn` for the order"
            }
            "scope" => {
                "the account and the region come from the deployment or from `extension aws with { … }`"
            }
            _ => "",
        };
        if !instead.is_empty() {
            self.error(codes::UNKNOWN_MEMBER, span, message).hints.push(instead.to_owned());
            return;
        }
        let more = "AWS properties go into `properties`";
        self.no_such_member_of_body((name, span), message, known, more);
    }

    pub(super) fn no_such_member_of_body(
        &mut self,
        (name, span): (&str, Span),
        message: String,
        known: &[&str],
        more: &str,
    ) {
        let (code, hint) = if let Some(near) = near(name, known.iter().copied()) {
            (codes::UNKNOWN_MEMBER_NEAR, format!("did you mean `{near}`?"))
        } else {
            let members = known.join("`, `");
            (codes::UNKNOWN_MEMBER, format!("allowed properties: `{members}`; {more}"))
        };
        self.error(code, span, message).hints.push(hint);
    }

    /// Whether an expression is `any(…)`, which is reported: what is named here must be known.
    pub(super) fn is_any(&mut self, expression: &Expression) -> bool {
        if !matches!(expression.kind, ExpressionKind::Any(_)) {
            return false;
        }
        let message = "`any()` cannot be used for a resource, a module or a scope";
        let hint = "write the name of a declared resource or module, without `any()`";
        self.error(codes::ANY_HERE, expression.span, message).hints.push(hint.to_owned());
        true
    }

    /// Whether a body says which resource it is about.
    fn check_identity(&mut self, lowered: &ResourceDeclaration, variable: Option<&str>) {
        let span = lowered.name.span;
        if lowered.alias.is_some() {
            return;
        }
        let symbol = &lowered.name.text;
        let alias = proposed_alias(symbol);
        let alias = match variable {
            Some(variable) => format!("'{alias}-${{{variable}}}'"),
            None => format!("'{alias}'"),
        };
        match lowered.what {
            What::Aws { .. } => {}
            What::Recipe => {
                let message = format!("the recipe `{symbol}` has no `name`");
                let hint = format!(
                    "add `name: {alias}`; Hangar finds the recipe by this name in the next \
                                   deployment"
                );
                self.error(codes::MISSING_ALIAS, span, message).hints.push(hint);
                return;
            }
            What::Foreign { .. } | What::Faulty => return,
        }
        if !lowered.existing {
            let message = format!("the resource `{symbol}` has no `alias`");
            let hint = format!(
                "add `alias: {alias}`; Hangar finds the resource by this alias in the next deployment"
            );
            self.error(codes::MISSING_ALIAS, span, message).hints.push(hint);
        } else if lowered.identifier.is_none() && lowered.properties.is_none() {
            let message =
                format!("the existing resource `{symbol}` has neither an `alias` nor a `name`");
            let hint = "add its `alias`, or its primary identifier as `name`";
            self.error(codes::MISSING_ALIAS, span, message).hints.push(hint.to_owned());
        }
    }
}

/// What names a resource that Hangar cannot deploy: its `name`, which comes first, and what it is in. Nothing where its
/// body is not written out.
fn identity_of_foreign(whole: &Expression) -> Vec<&Expression> {
    let ExpressionKind::Object(entries) = &whole.kind else { return Vec::new() };
    let member = |wanted: &str| {
        entries.iter().find_map(|entry| match entry {
            Entry::Member { key: Key::Fixed(name), value } if &*name.text == wanted => Some(value),
            _ => None,
        })
    };
    if member("name").is_none() || entries.iter().any(|it| matches!(it, Entry::Spread(_))) {
        return Vec::new();
    }
    ["name", "parent", "scope"].into_iter().filter_map(member).collect()
}

/// Whether an expression reads a variable of a loop, or was reported.
fn reads_local(expression: &Expression) -> bool {
    let mut open = vec![expression];
    while let Some(at) = open.pop() {
        if matches!(at.kind, ExpressionKind::Local(0 | 1) | ExpressionKind::Faulty) {
            return true;
        }
        at.for_each_part(|part| open.push(part));
    }
    false
}

/// `logGroup` as an alias: `log-group`.
fn proposed_alias(symbol: &str) -> String {
    let mut alias = String::new();
    let mut after_lower = false;
    for letter in symbol.chars() {
        if letter.is_ascii_uppercase() && after_lower {
            alias.push('-');
        }
        after_lower = letter.is_ascii_lowercase() || letter.is_ascii_digit();
        alias.push(if letter == '_' { '-' } else { letter.to_ascii_lowercase() });
    }
    alias
}
