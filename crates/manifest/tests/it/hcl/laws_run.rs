//! The laws, run on texts that are nearly expressions; and what is printed reads back.

use hangar_ids::InstanceKey;
use hangar_manifest::deployed::Deployed;
use hangar_manifest::hcl::{Kind, parse_expression, parse_template};
use hangar_manifest::state;
use proptest::prelude::*;
use serde_json::Value;

use super::laws::laws;

const PIECES: &[&str] = &[
    " ",
    "\n",
    "t.n",
    ".id",
    ".l",
    ".m",
    "[0]",
    "[*]",
    ".*",
    ".0",
    "data",
    ".",
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    ",",
    "=",
    ":",
    "?",
    "=>",
    "...",
    "for",
    "in",
    "if",
    "x",
    "k, v",
    "1",
    "2.5",
    "1e9",
    "-",
    "!",
    "+",
    "*",
    "/",
    "%",
    "==",
    "<",
    "&&",
    "||",
    "\"",
    "\"a\"",
    "\\",
    "\\u00e9",
    "${",
    "%{",
    "~}",
    "$${",
    "endif",
    "else",
    "endfor",
    "null",
    "true",
    "upper(",
    "format(\"%5.2f\", ",
    "join(\",\", ",
    "try(",
    "sensitive(",
    "#",
    "//",
    "/*",
    "*/",
    "<<E",
    "é",
    "::",
    "module.a[0].",
    "range(9)",
    "merge(",
    "jsonencode(",
    "split(\"\", ",
    "var.x",
];

/// A state of nothing.
const EMPTY: &[u8] = br#"{"version": 4, "serial": 1, "lineage": "x", "resources": []}"#;

fn value(expression: &str) -> Value {
    let state = state::read(EMPTY).unwrap();
    let tree = parse_expression(expression).unwrap_or_else(|error| panic!("{expression}: {error}"));
    Deployed::new(&state)
        .evaluate(&tree)
        .unwrap_or_else(|error| panic!("{expression}: {error}"))
        .value
}

fn quoted(text: &str) -> String {
    InstanceKey::Text(text.to_owned()).to_string()
}

fn json_value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::String),
    ];
    scalar.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::btree_map(any::<String>(), inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused_at_a_place(text in any::<String>()) {
        laws(&text);
    }

    #[test]
    fn any_near_expression_is_read_or_refused_at_a_place(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..25),
    ) {
        laws(&pieces.concat());
    }

    #[test]
    fn any_text_in_quotes_is_itself(text in any::<String>()) {
        prop_assert_eq!(value(&quoted(&text)), Value::Array(vec![Value::String(text)]));
    }

    #[test]
    fn any_bare_text_without_marks_is_itself(text in "[^$%]*") {
        let tree = parse_template(&text).unwrap();
        prop_assert_eq!(tree.kind, Kind::Literal(hangar_manifest::hcl::Literal::Text(text)));
    }

    #[test]
    fn any_value_goes_through_json_and_back(json in json_value()) {
        let text = json.to_string();
        let decoded = format!("jsondecode({}[0])", quoted(&text));
        prop_assert_eq!(value(&decoded), json.clone());
        let Value::String(encoded) = value(&format!("jsonencode({decoded})")) else { panic!("a text") };
        prop_assert_eq!(serde_json::from_str::<Value>(&encoded).unwrap(), json);
    }

    #[test]
    fn any_text_goes_through_base64_and_back(text in any::<String>()) {
        let back = format!("base64decode(base64encode({}[0]))", quoted(&text));
        prop_assert_eq!(value(&back), Value::String(text));
    }

    #[test]
    fn any_number_is_printed_as_it_is_written(number in "-?(0|[1-9][0-9]{0,40})(\\.[0-9]{0,20}[1-9])?") {
        let plain = if number.trim_matches('-') == "0" { "0" } else { &number };
        prop_assert_eq!(value(&format!("\"a${{{number}}}\"")), Value::String(format!("a{plain}")));
    }
}
