//! From the text of a template to what is said of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use hangar_diag::position_of;
use hangar_ids::TypeName;
use hangar_schema::{Catalog, Source, TypeSchema};
use hangar_template::deployment::{Body, Node, Read, Target, Written};
use hangar_template::source::{Place, Problem};
use hangar_template::syntax::ast::{
    self, Expression, LiteralValue, ObjectItem, PropertyKey, Statement,
};
use hangar_template::syntax::{Dialect, parse};
use hangar_template::value::{Because, Data, Members, Value};
use serde_json::{Value as Json, json};

use crate::template_check::check_nodes;

/// What is said of a template that is looked at with these values of its parameters.
pub(super) fn problems_with(text: &str, parameters: &Json) -> Vec<Problem> {
    let parsed = parse(text, Dialect::Template);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    let mut it = Template {
        parameters,
        secure: Vec::new(),
        nodes: Vec::new(),
        bodies: Vec::new(),
        reads: Vec::new(),
    };
    let file = ast::File::of(&parsed.tree);
    for statement in file.statements() {
        it.statement(statement);
    }
    let body = |index: usize| Ok(it.bodies[index].clone());
    check_nodes(&it.nodes, &body, &it.reads, &schema_of)
}

struct Template<'a> {
    parameters: &'a Json,
    secure: Vec<String>,
    nodes: Vec<Node>,
    bodies: Vec<Body>,
    reads: Vec<Read>,
}

fn place(span: hangar_diag::Span) -> Place {
    Place { file: "main.bicep".into(), span }
}

impl Template<'_> {
    fn statement(&mut self, statement: Statement<'_>) {
        match statement {
            Statement::Param(param) => {
                let name = param.name().unwrap().text().to_owned();
                if statement.decorators().next().is_some() {
                    self.secure.push(name);
                }
            }
            Statement::Output(output) => {
                self.value(output.value().unwrap(), "", &mut BTreeMap::new());
            }
            Statement::Resource(resource) => self.resource(resource),
            _ => {}
        }
    }

    fn resource(&mut self, resource: ast::Resource<'_>) {
        let name = resource.name().unwrap();
        let kind = resource.resource_type().unwrap().literal().unwrap();
        let target = if resource.is_existing() {
            Target::Existing { alias: None, or_null: false }
        } else {
            Target::Managed { alias: name.text().into() }
        };
        let mut body =
            Body { properties: Value::object(Members::new()), name: None, places: BTreeMap::new() };
        let Some(Expression::Object(object)) = resource.value() else { panic!("a body") };
        for item in object.items() {
            let ObjectItem::Property(property) = item else { continue };
            let Some(PropertyKey::Name(key)) = property.key() else { continue };
            if key.text() == "properties" {
                let value = property.value().unwrap();
                body.properties = self.value(value, "", &mut body.places);
                body.places.insert(
                    String::new(),
                    Written { key: place(key.span()), value: place(value.span()) },
                );
            }
        }
        self.bodies.push(body);
        self.nodes.push(Node {
            address: name.text().into(),
            place: place(name.span()),
            type_name: TypeName::parse(kind.split('@').next().unwrap()).unwrap(),
            target,
            account: None,
            region: None,
            depends_on: Vec::new(),
        });
    }

    fn value(
        &mut self,
        expression: Expression<'_>,
        pointer: &str,
        places: &mut BTreeMap<String, Written>,
    ) -> Value {
        match expression {
            Expression::Literal(literal) => match literal.value().unwrap() {
                LiteralValue::Number(number) => Value::int(i64::try_from(number).unwrap()),
                LiteralValue::Bool(truth) => Value::bool(truth),
                LiteralValue::Null => Value::NULL,
            },
            Expression::Unary(unary) => {
                match self.value(unary.operand().unwrap(), pointer, places).data {
                    Data::Int(number) => Value::int(-number),
                    _ => panic!("a number"),
                }
            }
            Expression::String(string) => Value::string(string.literal().unwrap()),
            Expression::Array(array) => {
                let mut items = Vec::new();
                for (index, item) in array.items().enumerate() {
                    let ast::Item::Value(item) = item else { continue };
                    let pointer = format!("{pointer}/{index}");
                    items.push(self.value(item, &pointer, places));
                    places.insert(
                        pointer,
                        Written { key: place(item.span()), value: place(item.span()) },
                    );
                }
                Value::array(items)
            }
            Expression::Object(object) => {
                let mut members = Members::new();
                for item in object.items() {
                    let ObjectItem::Property(property) = item else { continue };
                    let (key, span) = match property.key().unwrap() {
                        PropertyKey::Name(name) => (name.text().to_owned(), name.span()),
                        PropertyKey::String(string) => (string.literal().unwrap(), string.span()),
                    };
                    let pointer =
                        format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
                    let expression = property.value().unwrap();
                    let value = self.value(expression, &pointer, places);
                    if value.data != Data::Null {
                        places.insert(
                            pointer,
                            Written { key: place(span), value: place(expression.span()) },
                        );
                        members.insert(key.into(), value);
                    }
                }
                Value::object(members)
            }
            Expression::Variable(variable) => {
                let secret = self.secure.iter().any(|name| name == variable.name());
                match self.parameters.get(variable.name()) {
                    Some(value) => Value::from_json(value, secret),
                    None => Value::unknown(None, Because::Parameter(variable.name().into()))
                        .tainted(secret),
                }
            }
            Expression::Member(member) => {
                let mut path: Vec<Arc<str>> = Vec::new();
                let mut at = Expression::Member(member);
                let mut is_safe = false;
                let span = member.name().unwrap().span();
                while let Expression::Member(inner) = at {
                    is_safe |= inner.is_safe();
                    path.insert(0, inner.name().unwrap().text().into());
                    at = inner.base().unwrap();
                }
                let Expression::Variable(symbol) = at else { panic!("a symbol") };
                let node =
                    self.nodes.iter().position(|node| *node.address == *symbol.name()).unwrap();
                path.remove(0);
                self.reads.push(Read { node, path, is_safe, place: place(span) });
                Value::unknown(None, Because::Moment)
            }
            Expression::Call(call) => {
                let argument = self.value(call.arguments().next().unwrap(), pointer, places);
                let Data::String(text) = argument.data else { panic!("a text") };
                Value::from_json(&serde_json::from_str(&text).unwrap(), false)
            }
            other => panic!("{other:?}"),
        }
    }
}

/// The schemas of tests, and the catalog.
pub(super) fn schema_of(name: &TypeName) -> Option<Arc<TypeSchema>> {
    if name.vendor() != "Test" {
        return Catalog::bundled().get(&name.cloud_formation()).ok().map(Arc::new);
    }
    let handlers = json!({"create": {}, "read": {}, "update": {}, "delete": {}, "list": {}});
    let mut schema = json!({
        "typeName": name.cloud_formation(),
        "additionalProperties": false,
        "properties": {
            "Id": {"type": "string"},
            "Name": {"type": "string", "minLength": 2, "maxLength": 5, "pattern": "^[a-z-]+$"},
            "Count": {"type": "integer", "minimum": 2, "maximum": 10, "multipleOf": 2},
            "Flag": {"type": "boolean"},
            "Mode": {"type": "string", "enum": ["fast", "slow", "a", "b", "c", "d", "e", "f", "g", "h"]},
            "Modes": {"type": "array", "items": {"type": "string", "enum": ["fast", "slow"]}},
            "List": {"type": "array", "minItems": 1, "maxItems": 2, "uniqueItems": true, "items": {"type": "string"}},
            "When": {"type": "string", "format": "date-time"},
            "Old": {"type": "string"},
            "Secret": {"type": "string"},
            "Map": {"type": "object", "minProperties": 1, "additionalProperties": {"type": "string"}},
            "Deep": {"type": "object", "additionalProperties": false, "required": ["In", "Out"],
                "properties": {"In": {"type": "string"}, "Out": {"type": "array", "items": {"type": "string"}}}},
            "Pair": {"type": "object", "additionalProperties": false,
                "dependencies": {"A": ["B"]},
                "properties": {"A": {"type": "string"}, "B": {"type": "string"}}},
            "Choice": {"type": "object", "additionalProperties": false,
                "oneOf": [{"required": ["X"]}, {"required": ["Y"]}],
                "properties": {"X": {"type": "string"}, "Y": {"type": "string"}}},
            "Either": {"oneOf": [
                {"type": "object", "additionalProperties": false, "required": ["L"], "properties": {"L": {"type": "string"}}},
                {"type": "object", "additionalProperties": false, "required": ["R"], "properties": {"R": {"type": "integer"}}},
            ]},
        },
        "readOnlyProperties": ["/properties/Id"],
        "writeOnlyProperties": ["/properties/Secret"],
        "deprecatedProperties": ["/properties/Old"],
        "primaryIdentifier": ["/properties/Id"],
        "additionalIdentifiers": [["/properties/Name"]],
        "handlers": handlers,
    });
    let test = name.cloud_formation();
    match test.rsplit("::").next().unwrap() {
        "Thing" => {}
        "Strict" => schema["required"] = json!(["Name", "Count"]),
        "Bare" => schema["handlers"] = json!({"list": {}}),
        "Fixed" => schema["handlers"] = json!({"read": {}}),
        _ => return None,
    }
    Some(Arc::new(TypeSchema::compile(&schema, Source::Aws).unwrap()))
}

/// Nothing is said.
pub(super) const NOTHING: [&str; 0] = [];

/// One line for each problem: severity, code, line and column, the text at that place, the message.
/// Hints follow, each on a line of its own; the one that names the schema is checked and left out.
pub(super) fn said_with(text: &str, parameters: &Json) -> Vec<String> {
    let mut said = Vec::new();
    for problem in problems_with(text, parameters) {
        assert_eq!(&*problem.file, "main.bicep");
        let diagnostic = &problem.diagnostic;
        let span = diagnostic.span().unwrap();
        let at = position_of(text, span.start);
        let shown = &text[span.start..span.end];
        let head = format!("{} {}", diagnostic.severity.as_str(), diagnostic.code);
        said.push(format!("{head} {}:{} «{shown}» {}", at.line, at.column, diagnostic.message));
        let (last, hints) = diagnostic.hints.split_last().unwrap();
        let is_origin = ["by the bundled schema of ", "the bundled catalog has "];
        assert!(is_origin.iter().any(|words| last.starts_with(words)), "{last}");
        said.extend(hints.iter().map(|hint| format!("  {hint}")));
    }
    said
}

pub(super) fn said(text: &str) -> Vec<String> {
    said_with(text, &json!({}))
}

/// A template of one resource of a test type with these properties, from the third line on.
pub(super) fn thing(kind: &str, properties: &str) -> String {
    format!(
        "resource it 'Test.Small/{kind}@default' = {{\nalias: 'it', properties: {{\n{properties}\n}}}}\n"
    )
}
