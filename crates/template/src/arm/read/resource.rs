//! Resources: what they are, their loops and conditions, and their bodies.

use hangar_diag::Span;
use hangar_ids::TypeName;

use super::copy::Local;
use super::identity::{Which, is_true};
use super::{Reader, start_of};
use crate::arm::json::{Json, Kind};
use crate::codes;
use crate::ir::{
    Expression, ExpressionKind, Extension, LoopNames, Name, Remarks, Repeat, ResourceDeclaration,
    What,
};
use crate::recipe::{RECIPE_TYPE, RECIPE_VERSION};
use crate::value::{Data, Value};

/// What a body of another extension does not have of its own.
const FRAME: [&str; 12] = [
    "type",
    "apiVersion",
    "copy",
    "condition",
    "existing",
    "dependsOn",
    "import",
    "extension",
    "metadata",
    "comments",
    "resources",
    "@options",
];

impl<'j> Reader<'j, '_, '_> {
    /// Reads all resources and deployments; `templates` are the units of the latter's.
    pub(super) fn read_resources(&mut self, templates: &[usize]) {
        // What a resource is has to be known before another one reads something of it.
        let mut kinds = Vec::new();
        for entry in 0..self.entries.len() {
            if matches!(self.entries[entry].what, Which::Resource(_)) {
                let what = self.what(entry);
                kinds.push((entry, what));
            }
        }
        let declared = kinds.into_iter().map(|(entry, what)| self.empty(entry, what));
        self.unit.resources = declared.collect();
        for entry in 0..self.entries.len() {
            match self.entries[entry].what {
                Which::Resource(index) => self.resource(entry, index),
                Which::Module(index) => self.module(entry, templates.get(index).copied()),
                Which::Group(_) => {}
            }
        }
    }

    fn what(&mut self, entry: usize) -> What {
        let json = self.entries[entry].json;
        let type_name = self.entries[entry].type_name.clone();
        let span = json.get("type").map_or(json.span, |it| it.span);
        let extension = match self.extension_of(json) {
            Some(Ok(at)) => Some(at),
            Some(Err(())) => return What::Faulty,
            None => None,
        };
        let version = json.get("apiVersion").and_then(Json::as_text);
        let (name, version) = match type_name.split_once('@') {
            Some((name, version)) => (name, Some(version)),
            None => (type_name.as_str(), version),
        };
        let kind = extension.map(|it| self.unit.extensions[it].extension);
        let is_aws = name.get(..4).is_some_and(|it| it.eq_ignore_ascii_case("aws."));
        if is_aws && matches!(kind, None | Some(Extension::Aws)) {
            if version.is_some_and(|it| it != "default") {
                return self.bad_type(span, &type_name, &format!("write `{name}@default`"));
            }
            let Ok(type_name) = TypeName::parse(name) else {
                return self.bad_type(
                    span,
                    &type_name,
                    "write the type in the form `AWS.EC2/VPC@default`",
                );
            };
            let extension = extension.unwrap_or_else(|| self.aws_extension(span));
            return What::Aws { type_name, extension };
        }
        if name.eq_ignore_ascii_case(RECIPE_TYPE) {
            if version.is_some_and(|it| it != RECIPE_VERSION) {
                let hint = format!("write `{name}@{RECIPE_VERSION}`");
                return self.bad_type(span, &type_name, &hint);
            }
            return What::Recipe;
        }
        let written = match version {
            Some(version) => format!("{name}@{version}"),
            None => name.to_owned(),
        };
        What::Foreign { written: Name { text: written.into(), span } }
    }

    fn bad_type(&mut self, span: Span, text: &str, hint: &str) -> What {
        let message = format!("`{text}` is not a valid resource type");
        self.error(codes::BAD_RESOURCE_TYPE, span, message).hints.push(hint.to_owned());
        What::Faulty
    }

    fn empty(&self, entry: usize, what: What) -> ResourceDeclaration {
        let entry = &self.entries[entry];
        let json = entry.json;
        let (outer, name) = match entry.symbol.rsplit_once("::") {
            // The compiler writes resources in resources by both names.
            Some((outer, name)) if self.symbols.contains_key(outer) => {
                (self.symbols.get(outer).copied(), name)
            }
            _ => (entry.outer, entry.symbol.as_str()),
        };
        let parent = outer.and_then(|outer| match self.entries[outer].what {
            Which::Resource(index) => Some(index),
            _ => None,
        });
        let description = json.get("metadata").and_then(|it| it.get("description"));
        let description = description.and_then(Json::as_text).map(Into::into);
        let options = json.get("@options");
        ResourceDeclaration {
            name: Name { text: name.into(), span: entry.span },
            what,
            existing: is_true(json.get("existing")),
            parent,
            repeat: None,
            condition: None,
            alias: None,
            identifier: None,
            properties: None,
            depends_on: Vec::new(),
            whole: None,
            body: json.span,
            batch: None,
            or_null: is_true(options.and_then(|it| it.get("nullIfNotFound"))),
            remarks: Remarks { description, ..Remarks::default() },
        }
    }

    fn resource(&mut self, entry: usize, index: usize) {
        let json = self.entries[entry].json;
        let (repeat, batch) = self.repeat(json.get("copy"));
        let condition = json.get("condition").map(|it| self.value(it));
        let depends_on = self.depends_on(json.get("dependsOn"));
        let declared = &mut self.unit.resources[index];
        (declared.repeat, declared.batch) = (repeat, batch);
        declared.condition = condition;
        declared.depends_on = depends_on;
        match declared.what {
            What::Aws { .. } => self.aws_body(index, json),
            What::Recipe => self.recipe_body(index, json),
            What::Foreign { .. } | What::Faulty => {
                let of_extension = json.get("import").or_else(|| json.get("extension"));
                let body = of_extension.and_then(|_| json.get("properties"));
                let whole = if let Some(body) = body {
                    self.value(body)
                } else {
                    let entries = self.entries(json, &FRAME);
                    Expression::new(ExpressionKind::Object(entries), json.span)
                };
                self.unit.resources[index].whole = Some(whole);
            }
        }
        self.end_repeat();
        self.check_identity(index);
    }

    /// The loop of a resource or a deployment: until it ends, its index is known.
    pub(super) fn repeat(&mut self, copy: Option<&'j Json>) -> (Option<Repeat>, Option<usize>) {
        // Invariant: nothing repeats around a resource, so its locals have the levels 0 and 1.
        self.level = 0;
        let Some(copy) = copy else { return (None, None) };
        let list = self.list(copy.get("count"), copy.span);
        let name = copy.get("name").and_then(Json::as_text).map(str::to_owned);
        self.locals.push(Local::Own { name, level: 1 });
        self.level = 2;
        let is_serial = copy
            .get("mode")
            .and_then(Json::as_text)
            .is_some_and(|it| it.eq_ignore_ascii_case("serial"));
        let batch = is_serial.then(|| self.batch(copy)).flatten();
        (Some(Repeat { list, names: LoopNames::default() }), batch)
    }

    fn batch(&mut self, copy: &'j Json) -> Option<usize> {
        let Some(size) = copy.get("batchSize") else { return Some(1) };
        let value = self.value(size);
        let number = match &value.kind {
            ExpressionKind::Constant(Value { data: Data::Int(number), .. }) => *number,
            _ => 0,
        };
        match usize::try_from(number) {
            Ok(number) if number > 0 => Some(number),
            _ => {
                let message = "`batchSize` must be a whole number of at least 1";
                self.error(codes::BATCH_SIZE, size.span, message);
                None
            }
        }
    }

    pub(super) fn end_repeat(&mut self) {
        self.locals.clear();
        self.level = 0;
    }

    /// `properties`: `alias`, `properties` and, of one that exists, `name`.
    fn aws_body(&mut self, index: usize, json: &'j Json) {
        let Some(body) = self.body(json, "alias") else { return };
        let existing = self.unit.resources[index].existing;
        for member in body.members() {
            let is_known = match member.name.as_str() {
                "alias" | "properties" => true,
                "name" => existing,
                _ => false,
            };
            if !is_known {
                let message =
                    format!("the property `{}` is not allowed on an AWS resource", member.name);
                let hint = "allowed properties: `alias`, `properties` and, if it is `existing`, `name`; AWS \
                           properties go into the inner `properties`";
                let error = self.error(codes::UNKNOWN_MEMBER, member.name_span, message);
                error.hints.push(hint.to_owned());
                continue;
            }
            let value = Some(self.value(&member.value));
            let declared = &mut self.unit.resources[index];
            match member.name.as_str() {
                "alias" => declared.alias = value,
                "name" => declared.identifier = value,
                _ => declared.properties = value,
            }
        }
    }

    fn recipe_body(&mut self, index: usize, json: &'j Json) {
        let Some(body) = self.body(json, "name") else { return };
        for member in body.members() {
            let value = Some(self.value(&member.value));
            let declared = &mut self.unit.resources[index];
            match member.name.as_str() {
                "name" => declared.alias = value,
                "properties" if !declared.existing => declared.properties = value,
                name => {
                    let message = format!("the property `{name}` is not allowed on a recipe here");
                    let hint =
                        "allowed properties: `name` and, unless it is `existing`, `properties`";
                    let error = self.error(codes::UNKNOWN_MEMBER, member.name_span, message);
                    error.hints.push(hint.to_owned());
                }
            }
        }
    }

    /// The body of a resource of an extension, which is under `properties`.
    fn body(&mut self, json: &'j Json, first: &str) -> Option<&'j Json> {
        let body = json.get("properties");
        let body = body.filter(|it| matches!(it.kind, Kind::Object(_)));
        if body.is_none() {
            let message = "an extension resource must have its body as an object in `properties`";
            let hint = format!("write `\"properties\": {{\"{first}\": …, \"properties\": {{…}}}}`");
            let span = start_of(json.span);
            self.error(codes::BAD_TEMPLATE, span, message).hints.push(hint);
        }
        body
    }

    /// Whether a body says which resource it is about.
    fn check_identity(&mut self, index: usize) {
        let declared = &self.unit.resources[index];
        if declared.alias.is_some() {
            return;
        }
        let (symbol, span) = (declared.name.text.clone(), declared.name.span);
        let (message, hint) = match declared.what {
            What::Recipe => (
                format!("the recipe `{symbol}` has no `name`"),
                "add `\"name\"` to its `properties`; Hangar finds the recipe by this name in the next deployment",
            ),
            What::Aws { .. } if !declared.existing => (
                format!("the resource `{symbol}` has no `alias`"),
                "add `\"alias\"` to its `properties`; Hangar finds the resource by this alias in the next \
                deployment",
            ),
            What::Aws { .. } if declared.identifier.is_none() && declared.properties.is_none() => (
                format!("the existing resource `{symbol}` has neither an `alias` nor a `name`"),
                "add its `alias`, or its primary identifier as `name`",
            ),
            _ => return,
        };
        self.error(codes::MISSING_ALIAS, span, message).hints.push(hint.to_owned());
    }
}
