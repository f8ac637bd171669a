//! Resources, and the extensions that some belong to.

use super::Printer;
use super::access::Reached;
use super::bind::{Symbol, What, key};
use super::id::{Scope, Target};
use super::value::in_place;
use crate::arm::expression::Expression;
use crate::arm::json::Json;
use crate::codes;
use crate::ir::Extension;
use crate::syntax::ast::{self, ObjectItem};

impl<'t> Printer<'t, '_, '_> {
    pub(super) fn resources(&mut self) -> Json {
        let mut resources = Json::object();
        let mut printed = Vec::new();
        let mut reads = Vec::new();
        for index in 0..self.bound.resources.len() {
            printed.push(self.resource(index));
            reads.push(std::mem::take(&mut self.read));
        }
        // What one waits for may be what one that exists already is made of: all have to be read first.
        for (index, mut json) in printed.into_iter().enumerate() {
            if let Some(depends_on) = self.depends_on(index, &reads) {
                json.set("dependsOn", depends_on);
            }
            self.resource_decorators(index, &mut json);
            resources.set(self.bound.resources[index].symbol.clone(), json);
        }
        resources
    }

    /// Refuses extensions whose types are not known: which resources are theirs, and what they are called in a
    /// template, only their packages tell.
    pub(super) fn refuse_unknown_extensions(&mut self) {
        for index in 0..self.bound.extensions.len() {
            let declared = &self.bound.extensions[index];
            if declared.extension.is_none() && !matches!(declared.written.as_str(), "az" | "sys") {
                let message = format!(
                    "the types of the extension `{}` are not known, so the template cannot be built",
                    declared.written
                );
                let span = declared.span;
                self.error(codes::NOT_SUPPORTED, span, message);
            }
        }
        for index in 0..self.bound.resources.len() {
            let resource = &self.bound.resources[index];
            let span = resource.statement.node().span();
            let message = match &resource.what {
                What::Azure { type_name, version } if !is_azure_version(version) => {
                    format!("`{type_name}@{version}` does not belong to a declared extension")
                }
                What::Extension { alias, .. } if !self.is_known_extension(alias) => {
                    format!("the extension `{alias}` is not declared")
                }
                _ => continue,
            };
            self.error(codes::NOT_SUPPORTED, span, message);
        }
    }

    fn is_known_extension(&self, alias: &str) -> bool {
        let is_own = [Extension::Aws, Extension::Hangar].iter().any(|it| it.as_str() == alias);
        is_own || self.bound.extensions.iter().any(|it| it.alias == alias)
    }

    pub(super) fn imports(&mut self) -> Option<Json> {
        let mut imports = Json::object();
        for index in 0..self.bound.extensions.len() {
            let declared = &self.bound.extensions[index];
            let (provider, version) = provider(declared.extension, &declared.written);
            let (alias, configuration) = (declared.alias, declared.configuration);
            let mut import = Json::object()
                .with("provider", Json::text(provider))
                .with("version", Json::text(version));
            if let Some(configuration) = configuration {
                let configuration = self.value(ast::Expression::Object(configuration));
                import.set("config", configuration);
            }
            imports.set(alias, import);
        }
        for extension in [Extension::Aws, Extension::Hangar] {
            let is_used = self.bound.resources.iter().any(
                |it| matches!(&it.what, What::Extension { alias, .. } if alias == extension.as_str()),
            );
            if is_used && imports.get(extension.as_str()).is_none() {
                let (provider, version) = provider(Some(extension), "");
                let import = Json::object()
                    .with("provider", Json::text(provider))
                    .with("version", Json::text(version));
                imports.set(extension.as_str(), import);
            }
        }
        (!imports.members().is_empty()).then_some(imports)
    }

    fn resource(&mut self, index: usize) -> Json {
        let resource = self.bound.resources[index].clone();
        let reached = Reached { resource: index, index: None };
        self.read.clear();
        self.owner = Some(index);
        let mut json = Json::object();
        if let Some(repeat) = resource.repeat {
            let list = self.optional(repeat.list());
            let count = Expression::call("length", vec![list.clone()]);
            let mut copy = Json::object()
                .with("name", Json::text(resource.symbol.as_str()))
                .with("count", in_place(count));
            if let Some(size) = self.batch_size(index) {
                copy.set("mode", Json::text("serial"));
                copy.set("batchSize", size);
            }
            json.set("copy", copy);
            self.bind_own_loop(repeat, list);
        }
        if let Some(condition) = self.condition(index) {
            json.set("condition", condition);
        }
        if resource.is_existing {
            json.set("existing", Json::bool(true));
        }
        match &resource.what {
            What::Azure { type_name, version } => {
                json.set("type", Json::text(type_name.as_str()));
                json.set("apiVersion", Json::text(version.as_str()));
                self.azure_body(&reached, &mut json);
            }
            What::Extension { alias, type_name } => {
                json.set("import", Json::text(alias.as_str()));
                json.set("type", Json::text(type_name.as_str()));
                let skipped = ["dependsOn", "parent", "scope"];
                let body = self.body(index, &skipped);
                json.set("properties", body);
            }
            What::Module { path } => self.module_body(&reached, *path, &mut json),
        }
        self.order(&reached);
        self.locals.clear();
        self.owner = None;
        json
    }

    /// Its condition, and those of the resources that it is written in.
    fn condition(&mut self, index: usize) -> Option<Json> {
        if let [only] = self.condition_chain(index).as_slice() {
            return Some(self.value(*only));
        }
        self.whole_condition(index).map(in_place)
    }

    /// The conditions of a resource and of those that it is written in, the outermost first.
    fn condition_chain(&self, index: usize) -> Vec<ast::Expression<'t>> {
        let mut chain = Vec::new();
        let mut around = Some(index);
        while let Some(at) = around {
            chain.extend(self.bound.resources[at].condition);
            around = self.bound.resources[at].outer;
        }
        chain.reverse();
        chain
    }

    /// The same as one expression; nothing if there is no condition.
    pub(super) fn whole_condition(&mut self, index: usize) -> Option<Expression> {
        let mut conditions = self.condition_chain(index).into_iter();
        let first = conditions.next()?;
        let mut whole = self.expression(first);
        for condition in conditions {
            let condition = self.expression(condition);
            whole = Expression::call("and", vec![whole, condition]);
        }
        Some(whole)
    }

    fn azure_body(&mut self, reached: &Reached, json: &mut Json) {
        self.scope_members(reached, json);
        let name = self.named(reached);
        json.set("name", in_place(name));
        let skipped = ["name", "dependsOn", "parent", "scope"];
        let body = self.body(reached.resource, &skipped);
        for member in body.members() {
            json.set(&member.name, member.value.clone());
        }
    }

    /// The name of the resource that is printed: what is read in it is noted.
    pub(super) fn named(&mut self, reached: &Reached) -> Expression {
        if let Some(name) = self.bound.resources[reached.resource].property("name") {
            self.expression(name);
        }
        self.whole_name(reached)
    }

    /// Where it goes, if not where the template does.
    pub(super) fn scope_members(&mut self, reached: &Reached, json: &mut Json) {
        let scope = self.scope(reached);
        if let Some(view) = self.bound.resources[reached.resource].property("scope")
            && self.resource_named(view).is_none()
        {
            self.scope_of(view);
        }
        match scope {
            Scope::Here => {}
            Scope::Group { subscription, name } => {
                if let Some(subscription) = subscription {
                    json.set("subscriptionId", in_place(subscription));
                }
                json.set("resourceGroup", in_place(name));
            }
            Scope::Subscription { id: None } if self.target == Target::Subscription => {}
            Scope::Subscription { id } => {
                let own = Expression::call("subscription", vec![]).member("subscriptionId");
                json.set("subscriptionId", in_place(id.unwrap_or(own)));
            }
            Scope::ManagementGroup { name: None } if self.target == Target::ManagementGroup => {}
            Scope::ManagementGroup { name } => {
                let own = Expression::call("managementGroup", vec![]).member("name");
                let pattern = Expression::text("Microsoft.Management/managementGroups/{0}");
                let scope = Expression::call("format", vec![pattern, name.unwrap_or(own)]);
                json.set("scope", in_place(scope));
            }
            Scope::Tenant => json.set("scope", Json::text("/")),
            Scope::Resource(other) => match self.type_of(&other) {
                Some("Microsoft.Resources/resourceGroups") => {
                    let name = self.own_name(&other);
                    json.set("resourceGroup", in_place(name));
                }
                Some("Microsoft.Management/managementGroups") => {
                    let name = self.own_name(&other);
                    let pattern = Expression::text("Microsoft.Management/managementGroups/{0}");
                    let scope = Expression::call("format", vec![pattern, name]);
                    json.set("scope", in_place(scope));
                }
                _ => {
                    let id = self.id(&other);
                    json.set("scope", in_place(id));
                }
            },
        }
    }

    /// All properties of a body but some.
    fn body(&mut self, index: usize, skipped: &[&str]) -> Json {
        let Some(body) = self.bound.resources[index].body else { return Json::object() };
        let is_skipped = |item: &ObjectItem<'t>| match item {
            ObjectItem::Property(property) => {
                key(*property).is_some_and(|it| skipped.contains(&it.as_str()))
            }
            ObjectItem::Resource(_) => true,
            ObjectItem::Spread(_) => false,
        };
        let items: Vec<_> = body.items().filter(|it| !is_skipped(it)).collect();
        self.members(&items)
    }

    /// Notes what orders the resource and is no value: `parent`, `scope` and `dependsOn`.
    fn order(&mut self, reached: &Reached) {
        let resource = self.bound.resources[reached.resource].clone();
        if let Some(outer) = resource.outer {
            self.note(&Reached { resource: outer, index: None }, false);
        }
        for property in ["parent", "scope"] {
            if let Some(view) = resource.property(property)
                && let Some(other) = self.resource_named(view)
            {
                self.note(&other, false);
            }
        }
        let Some(list) = resource.property("dependsOn") else { return };
        // Every resource that is named in it is waited for, whatever the list comes to: the compiler of Bicep does the
        // same. A file that is loaded there becomes no variable.
        let was = std::mem::replace(&mut self.is_trial, true);
        match list {
            ast::Expression::Array(array) => {
                for item in array.items() {
                    match item {
                        ast::Item::Value(value) => self.depends_on_one(value),
                        ast::Item::Spread(spread) => {
                            spread.value().into_iter().for_each(|it| self.depends_on_one(it));
                        }
                    }
                }
            }
            other => self.depends_on_one(other),
        }
        self.is_trial = was;
    }

    fn depends_on_one(&mut self, value: ast::Expression<'t>) {
        if let Some(other) = self.resource_named(value) {
            self.note(&other, true);
            return;
        }
        match value {
            ast::Expression::Variable(variable) => {
                if let Some(Symbol::Variable(index)) = self.symbol_of(variable.name()) {
                    self.note_variable(index);
                } else {
                    self.expression(value);
                }
            }
            other => {
                self.expression(other);
            }
        }
    }
}

/// Versions of Azure's types are dates: `2024-01-01-preview`. A nested type may have none.
fn is_azure_version(version: &str) -> bool {
    let date = version.get(..10).unwrap_or(version);
    let is_date = date.len() == 10
        && date.bytes().enumerate().all(|(at, it)| match at {
            4 | 7 => it == b'-',
            _ => it.is_ascii_digit(),
        });
    version.is_empty() || is_date
}

/// How an extension is called in a template.
fn provider(extension: Option<Extension>, written: &str) -> (String, String) {
    let version = written.split_once('@').map(|(_, version)| version);
    let (name, default) = match extension {
        Some(Extension::Aws) => ("AWS", "latest"),
        Some(Extension::Kubernetes) => ("Kubernetes", "1.0.0"),
        Some(Extension::Radius) => ("Radius", "latest"),
        Some(Extension::Hangar) => ("Hangar", "latest"),
        None => (written.split('@').next().unwrap_or(written), "latest"),
    };
    (name.to_owned(), version.unwrap_or(default).to_owned())
}
