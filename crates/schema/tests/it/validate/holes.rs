//! What is said of a document of which parts are not known yet.

use hangar_schema::finding::Finding;
use hangar_schema::sample::{Sampler, Size};
use hangar_schema::{Catalog, Holes, Purpose, Reading, Source, TypeSchema, findings, reading};
use serde_json::{Value, json};

use super::{small, with};

const HOLE: &str = "?";

/// Severity, kind of problem and pointer of each finding.
fn found(schema: &Value, document: &Value) -> Vec<String> {
    let schema = TypeSchema::compile(schema, Source::Aws).unwrap();
    let found = findings(&schema, document, Purpose::Desired, Holes::marked(HOLE));
    let problem = |it: &hangar_schema::finding::Problem<'_>| {
        let text = format!("{it:?}");
        text.split([' ', '{']).next().unwrap().to_owned()
    };
    found.iter().map(|it| format!("{} {}", problem(&it.problem), it.pointer())).collect()
}

fn nothing() -> Vec<String> {
    Vec::new()
}

#[test]
fn a_value_that_is_not_known_is_of_any_type_and_within_any_limit() {
    for schema in [
        json!({"type": "integer", "minimum": 3}),
        json!({"type": "object", "required": ["X"]}),
        json!({"type": "string", "enum": ["a"], "pattern": "^a$", "minLength": 9, "format": "date"}),
        json!({"type": "array", "minItems": 2, "items": {"type": "boolean"}}),
    ] {
        let schema = small(&json!({"P": schema}));
        assert_eq!(found(&schema, &json!({"P": HOLE})), nothing());
        // Without the mark it is a text as any other.
        let compiled = TypeSchema::compile(&schema, Source::Aws).unwrap();
        let document = json!({"P": HOLE});
        assert!(!findings(&compiled, &document, Purpose::Desired, Holes::NONE).is_empty());
    }
    assert_eq!(found(&small(&json!({})), &json!(HOLE)), nothing());
}

#[test]
fn a_required_member_that_is_not_known_is_there_and_its_name_is_looked_at() {
    let schema = with(small(&json!({"P": {"type": "string"}})), &json!({"required": ["P"]}));
    assert_eq!(found(&schema, &json!({"P": HOLE})), nothing());
    assert_eq!(found(&schema, &json!({"P": HOLE, "Q": HOLE})), ["Unknown /Q"]);
}

#[test]
fn elements_that_are_not_known_may_differ() {
    let schema = small(&json!({"P": {"type": "array", "uniqueItems": true}}));
    assert_eq!(found(&schema, &json!({"P": [HOLE, HOLE]})), nothing());
    assert_eq!(found(&schema, &json!({"P": [{"A": HOLE}, {"A": HOLE}]})), nothing());
    assert_eq!(found(&schema, &json!({"P": [1, HOLE, 1]})), ["Duplicate /P/2"]);
}

#[test]
fn what_may_come_to_null_is_counted_neither_way() {
    let schema = small(&json!({"P": {"type": "object", "minProperties": 2, "maxProperties": 2}}));
    let of = |members: Value| found(&schema, &json!({"P": members}));
    assert_eq!(of(json!({"A": 1, "B": HOLE, "C": HOLE})), nothing());
    assert_eq!(of(json!({"A": 1, "B": HOLE})), nothing());
    assert_eq!(of(json!({"A": HOLE})), ["Count /P"]);
    assert_eq!(of(json!({"A": 1, "B": 1, "C": 1, "D": HOLE})), ["Count /P"]);
}

#[test]
fn a_member_that_may_come_to_null_asks_for_no_other() {
    let properties = small(&json!({"A": {"type": "string"}, "B": {"type": "string"}}));
    let schema = with(properties, &json!({"dependencies": {"A": ["B"]}}));
    assert_eq!(found(&schema, &json!({"A": HOLE})), nothing());
    assert_eq!(found(&schema, &json!({"A": "x"})), ["MissingBeside "]);
    assert_eq!(found(&schema, &json!({"A": "x", "B": HOLE})), nothing());
}

#[test]
fn alternatives_above_a_hole_are_judged_by_the_rest_alone() {
    let one = |name: &str| {
        json!({"type": "object", "additionalProperties": false, "required": [name],
               "properties": {name: {"type": "string"}}})
    };
    let schema = small(&json!({"P": {"oneOf": [one("A"), one("B")]}}));
    let of = |members: Value| found(&schema, &json!({"P": members}));
    assert_eq!(of(json!({"A": HOLE})), nothing());
    assert_eq!(of(json!({"A": HOLE, "B": "x"})), nothing());
    assert_eq!(of(json!({"A": 1})), ["WrongType /P/A"]);
    assert_eq!(of(json!({"A": HOLE, "C": 1})), ["Unknown /P/C"]);

    let kinds = json!({"oneOf": [
        {"type": "object", "properties": {"K": {"type": "string", "enum": ["a"]}}},
        {"type": "object", "properties": {"K": {"type": "string", "enum": ["b"]}}},
    ]});
    let schema = small(&json!({"P": kinds}));
    assert_eq!(found(&schema, &json!({"P": {"K": HOLE}})), nothing());
}

#[test]
fn two_groups_are_too_many_only_where_both_are_surely_stated() {
    let members =
        json!({"A": {"type": "string"}, "B": {"type": "string"}, "C": {"type": "string"}});
    let choice = json!({"oneOf": [{"required": ["A"]}, {"required": ["B"]}]});
    let schema = with(small(&members), &choice);
    assert_eq!(found(&schema, &json!({"A": "x", "B": HOLE})), nothing());
    assert_eq!(found(&schema, &json!({"A": "x", "B": "y", "C": HOLE})), ["SeveralAlternatives "]);
}

#[test]
fn a_read_is_of_a_name_that_the_schema_has_and_that_aws_returns() {
    let properties = small(&json!({
        "Arn": {"type": "string"},
        "Secret": {"type": "string"},
        "Map": {"type": "object", "patternProperties": {".+": {"type": "string"}}},
        "Open": {"type": "object", "properties": {"In": {"type": "string"}}},
        "Any": {},
    }));
    let lists = json!({"readOnlyProperties": ["/properties/Arn"], "writeOnlyProperties": ["/properties/Secret"]});
    let schema = TypeSchema::compile(&with(properties, &lists), Source::Aws).unwrap();
    for fine in [&["Arn"][..], &["Map", "x"], &["Open", "In"], &["Any", "x", "y"], &[]] {
        assert_eq!(reading(&schema, fine), Reading::Fine, "{fine:?}");
    }
    assert_eq!(reading(&schema, &["Secret"]), Reading::WriteOnly { step: 0 });
    let names = vec!["Any", "Arn", "Map", "Open"];
    assert_eq!(reading(&schema, &["Ar"]), Reading::Unknown { step: 0, names, is_closed: true });
    let names = vec!["In"];
    assert_eq!(
        reading(&schema, &["Open", "On"]),
        Reading::Unknown { step: 1, names, is_closed: false }
    );
    assert!(matches!(reading(&schema, &["Arn", "x"]), Reading::NoObject { step: 1, .. }));
    assert!(matches!(reading(&schema, &["Map", "x", "y"]), Reading::NoObject { step: 2, .. }));
}

/// Every value of a document in turn, not known.
fn each_with_a_hole(document: &Value) -> Vec<Value> {
    fn visit(at: &Value, put: &dyn Fn(Value) -> Value, made: &mut Vec<Value>) {
        match at {
            Value::Object(members) => {
                for (name, member) in members {
                    let put_here = |inner: Value| {
                        let mut members = members.clone();
                        members.insert(name.clone(), inner);
                        put(Value::Object(members))
                    };
                    made.push(put_here(json!(HOLE)));
                    visit(member, &put_here, made);
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    let put_here = |inner: Value| {
                        let mut items = items.clone();
                        items[index] = inner;
                        put(Value::Array(items))
                    };
                    made.push(put_here(json!(HOLE)));
                    visit(item, &put_here, made);
                }
            }
            _ => {}
        }
    }
    let mut made = Vec::new();
    visit(document, &|whole| whole, &mut made);
    made
}

#[test]
fn a_hole_anywhere_in_a_document_that_aws_takes_is_no_error() {
    let catalog = Catalog::bundled();
    let mut tried = 0;
    let step = if std::env::var_os("HANGAR_TEST_FULL").is_some() { 1 } else { 12 };
    for name in catalog.names().step_by(step) {
        let schema = catalog.get(name).unwrap();
        let document = Sampler::new(&schema).desired(3, Size::Medium);
        let errors = |document: &Value| {
            let found = findings(&schema, document, Purpose::Desired, Holes::marked(HOLE));
            let errors = found.into_iter().filter(Finding::is_error);
            errors.map(|it| it.pointer().to_owned()).collect::<Vec<_>>()
        };
        if !errors(&document).is_empty() {
            continue;
        }
        for open in each_with_a_hole(&document).iter().take(200) {
            assert_eq!(errors(open), nothing(), "{name}: {open}");
            tried += 1;
        }
    }
    assert!(tried > 1_000, "{tried}");
}
