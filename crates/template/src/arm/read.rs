//! From ARM JSON to what a template says: the same that Bicep is lowered to.
//!
//! Both forms are read, resources by symbolic name and resources as a list, and both dialects of extensions.
//! A template in a deployment in a template is a unit of its own, whose places are in the same file.

mod call;
mod copy;
mod declaration;
mod expression;
mod extension;
mod identity;
mod module;
mod order;
mod reference;
mod resource;
mod types;

use std::collections::HashMap;
use std::sync::Arc;

use hangar_diag::{Code, Diagnostic, Span};

use super::json::{self, Json, Kind, Member};
use crate::codes;
use crate::ir::{Name, Unit};
use crate::near::near;
use crate::other_language::OtherLanguage;
use crate::source::Sources;
use copy::Local;
use identity::Entry;

/// How deep templates stand in each other.
const MAX_TEMPLATES: usize = 20;

/// Reads a template; it is the unit of the place that is returned, those that it holds come before it.
pub(crate) fn read(
    text: &str,
    file: &Arc<str>,
    sources: &Sources,
    units: &mut Vec<Unit>,
) -> (usize, Vec<Diagnostic>) {
    let mut found = Vec::new();
    match json::parse(text) {
        Ok(json) => {
            let mut shared = Shared { file, sources, units, found: &mut found, open: 0 };
            Reader::template(&mut shared, &json);
        }
        Err(fault) => {
            found.push(Diagnostic::error(codes::BAD_JSON, fault.message).at(fault.span, ""));
            units.push(Unit { file: file.clone(), is_faulty: true, ..Unit::default() });
        }
    }
    found.sort_by_key(|it| it.span().map(|span| (span.start, span.end)));
    (units.len() - 1, found)
}

/// What all templates of a file have in common.
struct Shared<'a> {
    file: &'a Arc<str>,
    sources: &'a Sources,
    units: &'a mut Vec<Unit>,
    found: &'a mut Vec<Diagnostic>,
    /// How many templates are around the one that is read.
    open: usize,
}

/// One template.
struct Reader<'j, 's, 'a> {
    shared: &'s mut Shared<'a>,
    unit: Unit,
    /// Its place among the units.
    own: usize,
    /// Whether resources have symbolic names.
    is_symbolic: bool,
    /// Names are the same in upper and lower case: these are in lower case.
    parameters: HashMap<String, usize>,
    variables: HashMap<String, usize>,
    functions: HashMap<String, usize>,
    types: HashMap<String, usize>,
    extensions: HashMap<String, usize>,
    entries: Vec<Entry<'j>>,
    /// The entries by their symbolic names.
    symbols: HashMap<String, usize>,
    /// How often a symbolic name was made of this text.
    made: HashMap<String, usize>,
    /// The loops, lambdas and parameters of functions around what is read, the innermost last.
    locals: Vec<Local>,
    /// How many locals are around it.
    level: usize,
    depth: usize,
    in_default: bool,
    in_function: bool,
}

/// The members that a template has.
const SECTIONS: [&str; 14] = [
    "$schema",
    "languageVersion",
    "contentVersion",
    "apiProfile",
    "metadata",
    "definitions",
    "functions",
    "parameters",
    "variables",
    "imports",
    "extensions",
    "asserts",
    "resources",
    "outputs",
];

impl<'j, 's, 'a> Reader<'j, 's, 'a> {
    /// Reads a template and what it holds; it is the last of the units.
    fn template(shared: &'s mut Shared<'a>, json: &'j Json) {
        let unit =
            Unit { file: shared.file.clone(), sources: shared.sources.clone(), ..Unit::default() };
        let mut reader = Self {
            own: 0,
            unit,
            is_symbolic: matches!(json.get("resources"), Some(it) if matches!(it.kind, Kind::Object(_))),
            parameters: HashMap::new(),
            variables: HashMap::new(),
            functions: HashMap::new(),
            types: HashMap::new(),
            extensions: HashMap::new(),
            entries: Vec::new(),
            symbols: HashMap::new(),
            made: HashMap::new(),
            locals: Vec::new(),
            level: 0,
            depth: 0,
            in_default: false,
            in_function: false,
            shared,
        };
        reader.whole(json);
        let unit = reader.unit;
        // Kinds are not looked at before a value is computed: of `any()` a compiled template knows nothing.
        reader.shared.units.push(unit);
    }

    fn whole(&mut self, json: &'j Json) {
        if !matches!(json.kind, Kind::Object(_)) {
            self.error(codes::BAD_TEMPLATE, json.span, "a template must be a JSON object");
            return;
        }
        if json.get("resources").is_none()
            && let Some(language) = OtherLanguage::of_json(json)
        {
            self.shared.found.push(language.diagnostic());
            return;
        }
        for member in json.members().iter().filter(|it| !SECTIONS.contains(&it.name.as_str())) {
            let message = format!("the property `{}` is not allowed in a template", member.name);
            let hint = near(&member.name, SECTIONS).map(|near| format!("did you mean `{near}`?"));
            let hint =
                hint.unwrap_or_else(|| format!("allowed properties: `{}`", SECTIONS.join("`, `")));
            self.error(codes::UNKNOWN_MEMBER, member.name_span, message).hints.push(hint);
        }
        if json.get("resources").is_none() {
            let message = "the template lacks the required property `resources`";
            self.error(codes::BAD_TEMPLATE, start_of(json.span), message);
        }
        self.target_scope(json);
        self.declare_extensions(json);
        self.declare_names(json);
        self.declare_resources(json);
        // Nested templates come first: after them it is known which unit this one is.
        let templates = self.nested_templates();
        self.own = self.shared.units.len();
        self.read_types(json);
        self.read_functions(json);
        self.read_parameters(json);
        self.read_variables(json);
        self.read_extensions(json);
        self.read_metadata(json);
        self.read_resources(&templates);
        self.read_outputs(json);
        self.order();
    }

    fn target_scope(&mut self, json: &Json) {
        let Some(schema) = json.get("$schema") else { return };
        let text = schema.as_text().unwrap_or_default().to_ascii_lowercase();
        let scope = match text.rsplit('/').next().unwrap_or_default() {
            it if it.starts_with("subscription") => "subscription",
            it if it.starts_with("managementgroup") => "managementGroup",
            it if it.starts_with("tenant") => "tenant",
            _ => return,
        };
        self.unit.target_scope = Some(Name { text: scope.into(), span: schema.span });
    }

    /// The members of a section, which is an object or is not there.
    fn section(&mut self, json: &'j Json, name: &str) -> &'j [Member] {
        let Some(section) = json.get(name) else { return &[] };
        if !matches!(section.kind, Kind::Object(_) | Kind::Null) {
            let message = format!("`{name}` must be an object whose keys are the declared names");
            self.error(codes::BAD_TEMPLATE, section.span, message);
        }
        section.members()
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        let at = self.shared.found.len();
        self.shared.found.push(Diagnostic::error(code, message).at(span, ""));
        &mut self.shared.found[at]
    }

    fn not_supported(&mut self, span: Span, what: &str) {
        self.error(codes::NOT_SUPPORTED, span, format!("{what} not supported yet"));
    }
}

/// The first byte of a value: a mistake of a whole object need not show all of it.
const fn start_of(span: Span) -> Span {
    Span::new(span.start, span.start + 1)
}

/// A name of a member.
fn name_of(member: &Member) -> Name {
    Name { text: member.name.as_str().into(), span: member.name_span }
}

/// A value of JSON without places.
fn plain(json: &Json) -> serde_json::Value {
    match &json.kind {
        Kind::Null => serde_json::Value::Null,
        Kind::Bool(value) => (*value).into(),
        Kind::Number(number) => {
            serde_json::from_str(number).map_or(serde_json::Value::Null, serde_json::Value::Number)
        }
        Kind::Text { text, .. } => text.as_str().into(),
        Kind::Array(items) => items.iter().map(plain).collect(),
        Kind::Object(members) => {
            members.iter().map(|it| (it.name.clone(), plain(&it.value))).collect()
        }
    }
}
