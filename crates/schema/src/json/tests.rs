use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::same::same;

/// The diagnostic as text: message, each label with the text it points at, hints.
fn refusal(text: &str) -> String {
    let error = read(text).expect_err("refused");
    let mut lines = vec![error.to_string()];
    for label in &error.labels {
        let at = &text[label.span.start..label.span.end];
        lines.push(format!("  {}..{} {at:?} {}", label.span.start, label.span.end, label.text));
    }
    lines.extend(error.hints.iter().map(|hint| format!("  hint: {hint}")));
    lines.join("\n")
}

#[test]
fn mistakes_are_named_with_their_place() {
    for (text, expected) in [
        (
            "",
            "error[JSON0009]: found the end of the text, expected a value\n  0..0 \"\" expected a value\n  hint: check that the text is complete and that every bracket and string is closed",
        ),
        (
            r#"{"a": 1,}"#,
            "error[JSON0001]: found `}`, expected a key in double quotes\n  8..9 \"}\" expected a key in double quotes\n  hint: remove the comma before it",
        ),
        (
            "[1 2]",
            "error[JSON0001]: found `2`, expected `,` or `]`\n  3..4 \"2\" expected `,` or `]`\n  hint: check the commas, colons and quotes before this place",
        ),
        (
            "{'a': 1}",
            "error[JSON0001]: found `'`, expected a key in double quotes\n  1..2 \"'\" expected a key in double quotes\n  hint: JSON strings use double quotes",
        ),
        (
            "[True]",
            "error[JSON0001]: found `True`, expected a value\n  1..5 \"True\" expected a value\n  hint: write `true`",
        ),
        (
            r#"{"é": 1, "x": {"k": 1, "k": 2}}"#,
            "error[JSON0002]: the key `k` appears twice\n  24..27 \"\\\"k\\\"\" second occurrence\n  16..19 \"\\\"k\\\"\" first occurrence\n  hint: remove one of them",
        ),
        (
            r#"["\ud800"]"#,
            "error[JSON0004]: `\\ud800` is half of a surrogate pair\n  2..8 \"\\\\ud800\" the other half is missing\n  hint: write the character itself, or both halves as `\\ud83d\\ude00`",
        ),
        (
            "[\"a\nb\"]",
            "error[JSON0005]: a string contains a line break\n  3..4 \"\\n\" must be escaped\n  hint: close the string before it, or write `\\n`",
        ),
        (
            "1 2",
            "error[JSON0006]: found `2` after the value\n  2..3 \"2\" the JSON value ends before this\n  hint: a JSON file contains one value; write several as an array in `[` and `]`",
        ),
        (
            r#""\x""#,
            "error[JSON0007]: `\\x` is not a JSON escape\n  1..3 \"\\\\x\" not an escape\n  hint: write `\\\\` for a backslash",
        ),
        (
            "[01]",
            "error[JSON0008]: `01` is not a JSON number\n  1..3 \"01\" not a number\n  hint: write digits without a leading zero or `+`, such as `0.5` or `-1e9`",
        ),
        (
            "\"abc",
            "error[JSON0009]: the text ends inside a string, expected `\"`\n  0..4 \"\\\"abc\" the string starts here\n  hint: check that the text is complete and that every bracket and string is closed",
        ),
    ] {
        assert_eq!(refusal(text), expected, "{text}");
    }
}

#[test]
fn depth_is_limited_and_not_by_the_stack() {
    let nested = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(read(&nested(MAX_DEPTH)).is_ok());
    let error = read(&nested(MAX_DEPTH + 1)).expect_err("too deep");
    assert_eq!(error.code, crate::codes::JSON_TOO_DEEP);
    assert_eq!(error.span(), Some(Span::byte(MAX_DEPTH)));
    assert!(read(&"[{\"a\":".repeat(1_000_000)).is_err());
}

#[test]
fn a_byte_order_mark_is_tolerated_and_counted() {
    let document = read("\u{feff}{\"a\": 1}").expect("read");
    assert_eq!(document.span_of("/a"), Some(Span::new(9, 10)));
    assert!(read("{\u{feff}}").is_err());
}

#[test]
fn numbers_stay_as_written() {
    let document = read("[1.0, 1E+5, -0, 123456789012345678901234567890]").expect("read");
    let texts: Vec<_> =
        document.value().as_array().into_iter().flatten().map(ToString::to_string).collect();
    assert_eq!(texts, ["1.0", "1E+5", "-0", "123456789012345678901234567890"]);
}

#[test]
fn an_object_that_looks_like_an_inner_number_stays_an_object() {
    let document = read(r#"{"$serde_json::private::Number": "1"}"#).expect("read");
    assert!(document.value().is_object());
}

#[test]
fn pointers_find_values_and_keys() {
    let text = r#"{"b": [10, {"c/d": null}], "a~": {"": 5}}"#;
    let document = read(text).expect("read");
    let cut = |span: Option<Span>| span.map(|span| &text[span.start..span.end]);
    for (pointer, value, key) in [
        ("", Some(text), None),
        ("/b", Some(r#"[10, {"c/d": null}]"#), Some(r#""b""#)),
        ("/b/0", Some("10"), None),
        ("/b/1/c~1d", Some("null"), Some(r#""c/d""#)),
        ("/a~0/", Some("5"), Some(r#""""#)),
        ("/b/00", None, None),
        ("/b/2", None, None),
        ("/b/-", None, None),
        ("/a~2", None, None),
        ("/b/0/x", None, None),
        ("b", None, None),
    ] {
        assert_eq!(cut(document.span_of(pointer)), value, "{pointer}");
        assert_eq!(cut(document.key_span_of(pointer)), key, "{pointer}");
    }
}

/// JSON texts with the mistakes that people make sprinkled in.
fn nearly_json() -> impl Strategy<Value = String> {
    let token = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"a\"",
        "\"b\"",
        "\"\\u00e9\\n\"",
        "\"\\ud83d\\ude00\"",
        "\"\\udc00\"",
        "1",
        "-0.5e3",
        "01",
        "true",
        "null",
        " ",
        "\n",
        "é",
        "\"",
        "\\",
        "\t",
    ]);
    prop::collection::vec(token, 0..12).prop_map(|tokens| tokens.concat())
}

/// Values of every kind, without the one key that `serde_json` keeps for itself.
fn value() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(|it| json!(it)),
        any::<i64>().prop_map(|it| json!(it)),
        "\\PC{0,6}|[\\x00-\\x7f]{0,6}".prop_map(|it| json!(it)),
    ];
    leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(|it| json!(it)),
            prop::collection::btree_map("[a-c/~é]{0,3}", inner, 0..6).prop_map(|it| json!(it)),
        ]
    })
}

/// Every pointer into `value` with the value there.
fn pointers(value: &serde_json::Value, at: &str, found: &mut Vec<(String, serde_json::Value)>) {
    found.push((at.to_owned(), value.clone()));
    match value {
        serde_json::Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                pointers(item, &format!("{at}/{index}"), found);
            }
        }
        serde_json::Value::Object(members) => {
            for (key, member) in members {
                let token = key.replace('~', "~0").replace('/', "~1");
                pointers(member, &format!("{at}/{token}"), found);
            }
        }
        _ => {}
    }
}

proptest! {
    #[test]
    fn accepts_exactly_what_serde_json_accepts(text in nearly_json()) {
        match (read(&text), serde_json::from_str::<serde_json::Value>(&text)) {
            // `serde_json` spells exponents in its own way, so numbers compare by value.
            (Ok(document), Ok(oracle)) => prop_assert!(same(document.value(), &oracle)),
            (Err(error), Ok(_)) => prop_assert_eq!(error.code, crate::codes::JSON_DUPLICATE_KEY),
            (Err(_), Err(_)) => {}
            (Ok(_), Err(error)) => prop_assert!(false, "serde_json refuses {text:?}: {error}"),
        }
    }

    #[test]
    fn every_printed_value_is_read_back_with_its_places(value in value(), pretty: bool) {
        let text = if pretty { format!("{value:#}") } else { value.to_string() };
        let document = read(&text).expect("printed by serde_json");
        prop_assert_eq!(document.value(), &value);
        let mut found = Vec::new();
        pointers(&value, "", &mut found);
        for (pointer, expected) in found {
            let span = document.span_of(&pointer).expect("the pointer leads somewhere");
            let part: serde_json::Value = serde_json::from_str(&text[span.start..span.end]).expect("a value");
            prop_assert_eq!(part, expected);
        }
    }

    #[test]
    fn no_text_panics_and_every_refusal_has_a_place(text in "\\PC{0,20}|[\\[\\]{}\",:\\\\u0-9a-f]{0,20}") {
        if let Err(error) = read(&text) {
            let span = error.span().expect("a place");
            prop_assert!(text.get(span.start..span.end).is_some());
        }
    }
}
