//! Which resource of a template something names: by symbol, by id, or by name.

use hangar_diag::Span;

use super::{Reader, start_of};
use crate::arm::expression::{self as written, Content};
use crate::arm::json::{Json, Kind};
use crate::codes;

/// A resource or a deployment of the template.
#[derive(Debug)]
pub(super) struct Entry<'j> {
    /// Its symbolic name; one that is made up where resources are a list.
    pub(super) symbol: String,
    pub(super) span: Span,
    pub(super) json: &'j Json,
    pub(super) what: Which,
    pub(super) type_name: String,
    /// The parts of its name, for an id; of an extension's there are none.
    pub(super) names: Vec<written::Expression>,
    /// Its whole name.
    pub(super) name: Option<written::Expression>,
    /// What its `copy` is called.
    pub(super) loop_name: Option<String>,
    /// The entry it is written in.
    pub(super) outer: Option<usize>,
}

/// What an entry is, and its place in the list of its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Which {
    Resource(usize),
    Module(usize),
    /// A deployment whose template is evaluated with the names around it: its resources are those of this template.
    Group(Vec<usize>),
}

/// An entry that was found, and which one of its loop.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) entry: usize,
    pub(super) index: Option<written::Expression>,
}

pub(super) const DEPLOYMENT: &str = "Microsoft.Resources/deployments";

/// The functions that make ids.
const IDS: [&str; 5] = [
    "resourceid",
    "subscriptionresourceid",
    "tenantresourceid",
    "managementgroupresourceid",
    "extensionresourceid",
];

impl<'j> Reader<'j, '_, '_> {
    /// Declares all resources, so that each can be named by all others.
    pub(super) fn declare_resources(&mut self, json: &'j Json) {
        let Some(resources) = json.get("resources") else { return };
        self.declare_in(resources, None);
    }

    fn declare_in(&mut self, resources: &'j Json, outer: Option<usize>) {
        match &resources.kind {
            Kind::Object(members) => {
                for member in members {
                    self.declare(&member.value, Some(&member.name), member.name_span, outer);
                }
            }
            Kind::Array(items) => {
                for item in items {
                    self.declare(item, None, start_of(item.span), outer);
                }
            }
            _ => {
                let message =
                    "`resources` must be an array, or an object whose keys are symbolic names";
                self.error(codes::BAD_TEMPLATE, resources.span, message);
            }
        }
    }

    fn declare(&mut self, json: &'j Json, symbol: Option<&str>, span: Span, outer: Option<usize>) {
        if !matches!(json.kind, Kind::Object(_)) {
            self.error(codes::BAD_TEMPLATE, json.span, "a resource must be a JSON object");
            return;
        }
        let Some(type_name) = json.get("type").and_then(Json::as_text) else {
            let message = "the resource lacks the required property `type`";
            self.error(codes::BAD_RESOURCE_TYPE, span, message);
            return;
        };
        let around = outer.map(|outer| &self.entries[outer]);
        // A resource in a resource says the rest of its type and of its name only.
        let is_rest = around.is_some_and(|it| it.what_is_deployed() && !type_name.contains('.'));
        let type_name = match around {
            Some(around) if is_rest => format!("{}/{type_name}", around.type_name),
            _ => type_name.to_owned(),
        };
        let name = json.get("name").and_then(Json::as_text).and_then(|it| Content::of(it).ok());
        let name = name.map(|it| match it {
            Content::Text(text) => written::Expression::text(text),
            Content::Expression(expression) => expression,
        });
        let count = type_name.split('/').count() - 1;
        let mut names = name.as_ref().map(|name| segments(name, count)).unwrap_or_default();
        if let Some(around) = around.filter(|_| is_rest) {
            names = around.names.iter().cloned().chain(name.clone()).collect();
        }
        let loop_name = json.get("copy").and_then(|it| it.get("name")).and_then(Json::as_text);
        let symbol =
            symbol.map_or_else(|| self.made_symbol(&type_name, name.as_ref()), str::to_owned);
        let at = self.entries.len();
        self.symbols.insert(symbol.clone(), at);
        self.entries.push(Entry {
            symbol,
            span,
            json,
            what: Which::Group(Vec::new()),
            type_name,
            names,
            name,
            loop_name: loop_name.map(str::to_owned),
            outer,
        });
        self.entries[at].what = self.which(at);
        if let Some(nested) = json.get("resources") {
            self.declare_in(nested, Some(at));
        }
    }

    fn which(&mut self, at: usize) -> Which {
        let entry = &self.entries[at];
        let is_deployment = entry.type_name.eq_ignore_ascii_case(DEPLOYMENT)
            && entry.json.get("import").is_none()
            && entry.json.get("extension").is_none()
            && !is_true(entry.json.get("existing"));
        if !is_deployment {
            let resources = self.entries.iter().filter(|it| matches!(it.what, Which::Resource(_)));
            return Which::Resource(resources.count());
        }
        let properties = entry.json.get("properties");
        let scope = properties
            .and_then(|it| it.get("expressionEvaluationOptions"))
            .and_then(|it| it.get("scope"))
            .and_then(Json::as_text);
        if scope.is_some_and(|it| it.eq_ignore_ascii_case("inner")) {
            let modules = self.entries.iter().filter(|it| matches!(it.what, Which::Module(_)));
            return Which::Module(modules.count());
        }
        let (json, span) = (entry.json, entry.span);
        self.outer_scope(json, span)
    }

    /// A deployment in the outer scope is nothing but its resources, where it declares nothing else.
    fn outer_scope(&mut self, json: &'j Json, span: Span) -> Which {
        let template = json.get("properties").and_then(|it| it.get("template"));
        let declares = ["parameters", "variables", "outputs", "functions", "copy"];
        let is_empty = |it: &Json| it.members().is_empty() && !matches!(it.kind, Kind::Array(_));
        let declared = template.and_then(|template| {
            let mut declared = declares
                .into_iter()
                .filter(|name| template.get(name).is_some_and(|it| !is_empty(it)));
            declared.next()
        });
        let own = ["copy", "condition"].into_iter().find(|name| json.get(name).is_some());
        let Some(template) = template.filter(|_| declared.is_none() && own.is_none()) else {
            let what = declared.or(own).map_or_else(String::new, |name| format!(" with `{name}`"));
            let message = format!(
                "a deployment{what} whose template is evaluated in the outer scope is not supported"
            );
            let hint = "add `\"expressionEvaluationOptions\": {\"scope\": \"inner\"}` to it, and pass the \
                       values that it needs as parameters";
            self.error(codes::NOT_SUPPORTED, span, message).hints.push(hint.to_owned());
            return Which::Group(Vec::new());
        };
        let before = self.entries.len();
        if let Some(resources) = template.get("resources") {
            self.declare_in(resources, Some(before - 1));
        }
        Which::Group((before..self.entries.len()).collect())
    }

    /// A symbolic name for a resource of a list: that of its type, with a number where it is taken.
    fn made_symbol(&mut self, type_name: &str, name: Option<&written::Expression>) -> String {
        let base = match name.map(|it| &it.kind) {
            Some(written::Kind::Text(text)) if !text.is_empty() => text.clone(),
            _ => type_name
                .split('@')
                .next()
                .unwrap_or_default()
                .rsplit('/')
                .next()
                .unwrap_or_default()
                .to_owned(),
        };
        let count = self.made.entry(base.clone()).or_default();
        loop {
            *count += 1;
            let symbol = if *count == 1 { base.clone() } else { format!("{base}{count}") };
            if !self.symbols.contains_key(&symbol) {
                return symbol;
            }
        }
    }

    /// The entry that an expression names.
    pub(super) fn entry_of(&self, named: &written::Expression) -> Option<Found> {
        match &named.kind {
            written::Kind::Text(text) => self.entry_by_text(text),
            written::Kind::Call { name, arguments } => {
                if name.eq_ignore_ascii_case("format")
                    && let [pattern, index] = arguments.as_slice()
                    && let written::Kind::Text(pattern) = &pattern.kind
                    && let Some(symbol) = pattern.strip_suffix("[{0}]")
                    && let Some(entry) = self.by_symbol(symbol)
                {
                    return Some(Found { entry, index: Some(index.clone()) });
                }
                let by_id = self.entry_by_id(name, arguments);
                by_id.or_else(|| self.entry_by_name(named))
            }
            _ => self.entry_by_name(named),
        }
    }

    fn by_symbol(&self, symbol: &str) -> Option<usize> {
        self.symbols.get(symbol).copied().filter(|_| self.is_symbolic)
    }

    fn entry_by_text(&self, text: &str) -> Option<Found> {
        let whole = |entry| Found { entry, index: None };
        if let Some(entry) = self.by_symbol(text) {
            return Some(whole(entry));
        }
        if let Some((symbol, rest)) = text.split_once('[')
            && let Some(index) = rest.strip_suffix(']')
            && index.parse::<u32>().is_ok()
            && let Some(entry) = self.by_symbol(symbol)
        {
            return Some(Found { entry, index: Some(written::Expression::number(index)) });
        }
        let is_loop = |it: &Entry<'_>| {
            it.loop_name.as_deref().is_some_and(|it| it.eq_ignore_ascii_case(text))
        };
        let by_loop = self.entries.iter().position(is_loop).map(whole);
        by_loop.or_else(|| self.entry_by_name(&written::Expression::text(text)))
    }

    /// Where resources are a list: one whose name is the same expression.
    fn entry_by_name(&self, named: &written::Expression) -> Option<Found> {
        let mut found = self.entries.iter().enumerate().filter_map(|(entry, it)| {
            let mut index = None;
            let is_same = unify(it.name.as_ref()?, named, &mut index);
            is_same.then_some(Found { entry, index })
        });
        let first = found.next();
        // Two of a name are told apart by their ids only.
        if found.next().is_some() { None } else { first }
    }

    /// `resourceId('type', 'name')` of a resource of the template.
    pub(super) fn entry_by_id(
        &self,
        function: &str,
        arguments: &[written::Expression],
    ) -> Option<Found> {
        if !IDS.contains(&function.to_ascii_lowercase().as_str()) {
            return None;
        }
        let at = arguments.iter().position(|it| {
            matches!(&it.kind, written::Kind::Text(text)
                if text.split_once('/').is_some_and(|(provider, _)| provider.contains('.')))
        })?;
        let written::Kind::Text(type_name) = &arguments[at].kind else { return None };
        let names = &arguments[at + 1..];
        self.entries.iter().enumerate().find_map(|(entry, it)| {
            if !it.type_name.eq_ignore_ascii_case(type_name) || it.names.len() != names.len() {
                return None;
            }
            // The compiler writes the parts of a name, or cuts the whole name.
            let cut = it.name.as_ref().map(|name| cut(name, names.len())).unwrap_or_default();
            [&it.names, &cut].into_iter().find_map(|own| {
                let mut index = None;
                let is_same = own.len() == names.len()
                    && own.iter().zip(names).all(|(own, given)| unify(own, given, &mut index));
                is_same.then_some(Found { entry, index })
            })
        })
    }
}

impl Entry<'_> {
    const fn what_is_deployed(&self) -> bool {
        !matches!(self.what, Which::Group(_))
    }
}

pub(super) fn is_true(json: Option<&Json>) -> bool {
    json.is_some_and(|it| matches!(it.kind, Kind::Bool(true)))
}

/// Whether an expression is another one in which the index of the loop may be anything, but always the same.
fn unify(
    own: &written::Expression,
    given: &written::Expression,
    index: &mut Option<written::Expression>,
) -> bool {
    if let written::Kind::Call { name, .. } = &own.kind
        && name.eq_ignore_ascii_case("copyIndex")
    {
        return *index.get_or_insert_with(|| given.clone()) == *given;
    }
    match (&own.kind, &given.kind) {
        (
            written::Kind::Call { name, arguments },
            written::Kind::Call { name: other, arguments: others },
        ) => {
            name.eq_ignore_ascii_case(other)
                && arguments.len() == others.len()
                && arguments.iter().zip(others).all(|(own, given)| unify(own, given, index))
        }
        (
            written::Kind::Member { base, name },
            written::Kind::Member { base: other, name: other_name },
        ) => name.eq_ignore_ascii_case(other_name) && unify(base, other, index),
        (written::Kind::Index { base, at }, written::Kind::Index { base: other, at: other_at }) => {
            unify(base, other, index) && unify(at, other_at, index)
        }
        (own, given) => own == given,
    }
}

/// The parts of a name between slashes, as ids take them.
fn segments(name: &written::Expression, count: usize) -> Vec<written::Expression> {
    if count <= 1 {
        return vec![name.clone()];
    }
    let parts = match &name.kind {
        written::Kind::Text(text) => text.split('/').map(written::Expression::text).collect(),
        written::Kind::Call { name: function, arguments } if function == "format" => {
            format_segments(arguments).unwrap_or_default()
        }
        written::Kind::Call { name: function, arguments } if function == "concat" => {
            concat_segments(arguments)
        }
        _ => Vec::new(),
    };
    if parts.len() == count {
        return parts;
    }
    cut(name, count)
}

/// The parts of a name that is cut when it is known.
fn cut(name: &written::Expression, count: usize) -> Vec<written::Expression> {
    let slash = written::Expression::text("/");
    let split = written::Expression::call("split", vec![name.clone(), slash]);
    (0..count).map(|at| split.clone().index(written::Expression::number(at))).collect()
}

/// `format('{0}/{1}', a, b)`: every part a hole of its own, or a text.
fn format_segments(arguments: &[written::Expression]) -> Option<Vec<written::Expression>> {
    let (first, given) = arguments.split_first()?;
    let written::Kind::Text(pattern) = &first.kind else { return None };
    let parts = pattern.split('/').map(|part| {
        if !part.contains('{') {
            return Some(written::Expression::text(part));
        }
        let at: usize = part.strip_prefix('{')?.strip_suffix('}')?.parse().ok()?;
        given.get(at).cloned()
    });
    parts.collect()
}

/// `concat(a, '/b')`: as far as each part is one argument.
fn concat_segments(arguments: &[written::Expression]) -> Vec<written::Expression> {
    let mut parts: Vec<Vec<written::Expression>> = vec![Vec::new()];
    for argument in arguments {
        if let written::Kind::Text(text) = &argument.kind {
            for (at, piece) in text.split('/').enumerate() {
                if at > 0 {
                    parts.push(Vec::new());
                }
                if let (false, Some(last)) = (piece.is_empty(), parts.last_mut()) {
                    last.push(written::Expression::text(piece));
                }
            }
        } else if let Some(last) = parts.last_mut() {
            last.push(argument.clone());
        }
    }
    let joined = parts.into_iter().map(|mut part| match part.len() {
        1 => part.remove(0),
        _ => written::Expression::call("concat", part),
    });
    joined.collect()
}
