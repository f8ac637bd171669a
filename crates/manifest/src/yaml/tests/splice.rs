//! Edits of one scalar, as text in and text out.

use serde_json::{Value, json};

use crate::yaml::{Edit, SpliceError, With, read, splice};

/// The text with every `${x}` in a scalar's text replaced.
fn replace(text: &str, with: &str) -> Result<String, SpliceError> {
    let stream = read(text).unwrap();
    let edits: Vec<Edit> = stream
        .scalars()
        .iter()
        .enumerate()
        .filter(|(_, scalar)| scalar.text.contains("${x}"))
        .map(|(scalar, found)| {
            let parts = found.text.match_indices("${x}");
            let parts = parts.map(|(at, _)| (at..at + 4, with.to_owned())).collect();
            Edit { scalar, with: With::Parts(parts) }
        })
        .collect();
    splice(&stream, &edits)
}

/// The text with every scalar that is `${x}` replaced by a value.
fn whole(text: &str, value: &Value) -> Result<String, SpliceError> {
    let stream = read(text).unwrap();
    let edits: Vec<Edit> = (0..stream.scalars().len())
        .filter(|at| stream.scalars()[*at].text.trim_end() == "${x}")
        .map(|scalar| Edit { scalar, with: With::Whole(value.clone()) })
        .collect();
    assert!(!edits.is_empty(), "{text}");
    splice(&stream, &edits)
}

#[test]
fn a_plain_scalar_stays_plain_where_it_reads_as_the_text() {
    for (with, out) in [
        ("b", "b"),
        ("arn:aws:s3:::b", "arn:aws:s3:::b"),
        ("10.0.0.0/16", "10.0.0.0/16"),
        ("a#b", "a#b"),
        ("-x", "-x"),
        ("a, b", "a, b"),
        ("{a}", "\"{a}\""),
        ("12", "\"12\""),
        ("012345678901", "\"012345678901\""),
        ("1e3", "\"1e3\""),
        ("yes", "\"yes\""),
        ("null", "\"null\""),
        ("~", "\"~\""),
        ("", "\"\""),
        ("a: b", "\"a: b\""),
        ("a:", "\"a:\""),
        ("a #b", "\"a #b\""),
        ("*a", "\"*a\""),
        ("&a", "\"&a\""),
        ("%a", "\"%a\""),
        ("@a", "\"@a\""),
        ("- a", "\"- a\""),
        ("-", "\"-\""),
        ("---", "\"---\""),
        ("'a'", "\"'a'\""),
        ("a\"b\\", "a\"b\\"),
        ("\"a\"", "\"\\\"a\\\"\""),
        (" a", "\" a\""),
        ("a ", "\"a \""),
        ("a\nb", "\"a\\nb\""),
        ("a\tb", "\"a\\tb\""),
        ("a\u{85}\u{2028}\u{feff}\0\u{7f}", "\"a\\u0085\\u2028\\ufeff\\u0000\\u007f\""),
        ("é😀", "é😀"),
        ("2010-09-09", "\"2010-09-09\""),
        ("<<", "\"<<\""),
    ] {
        let text = "# c\na: ${x}   # d\nb: 'e'\n";
        assert_eq!(replace(text, with).unwrap(), text.replace("${x}", out), "{with}");
    }
}

#[test]
fn a_part_of_a_plain_scalar_decides_over_the_whole() {
    assert_eq!(replace("a: http://${x}/y\n", "h:1").unwrap(), "a: http://h:1/y\n");
    assert_eq!(
        replace("a: x${x}: no\n".replace(": no", "").as_str(), ": y").unwrap(),
        "a: \"x: y\"\n"
    );
    assert_eq!(replace("- ${x}2\n", "1").unwrap(), "- \"12\"\n");
    assert_eq!(replace("- ${x}-${x}", "é").unwrap(), "- é-é");
}

#[test]
fn quotes_stay_and_what_they_hold_is_escaped() {
    assert_eq!(replace("a: '${x}' # c", "it's").unwrap(), "a: 'it''s' # c");
    assert_eq!(replace("a: 'b''${x}'", "12").unwrap(), "a: 'b''12'");
    assert_eq!(replace("a: '${x}'", "a\nb").unwrap(), "a: \"a\\nb\"");
    assert_eq!(replace("a: \"${x}\\t\"", "\"\\\n").unwrap(), "a: \"\\\"\\\\\\n\\t\"");
    assert_eq!(replace("a: \"\\u0024{x}\"", "b").unwrap(), "a: \"b\"");
    assert_eq!(replace("{\"${x}\":\"${x}\"}", "a\"\u{1}").unwrap(), r#"{"a\"\u0001":"a\"\u0001"}"#);
}

#[test]
fn scalars_over_several_lines_keep_their_lines_where_they_can() {
    assert_eq!(replace("a: b\n  ${x}\n  c\n", "d").unwrap(), "a: b\n  d\n  c\n");
    assert_eq!(replace("a: b\n  ${x}\n  c\n", "#d").unwrap(), "a: \"b #d c\"\n");
    assert_eq!(replace("a: b\n  ${x}\n  c\n", "d ").unwrap(), "a: b d  c\n");
    assert_eq!(replace("a: 'b\n\n  ${x}'\n", "d").unwrap(), "a: 'b\n\n  d'\n");
    assert_eq!(replace("a: 'b\n  ${x}\n  c'\n", " d").unwrap(), "a: 'b  d c'\n");
    assert_eq!(replace("a: \"b\\\n  ${x} \\\n  c\"\n", "d").unwrap(), "a: \"b\\\n  d \\\n  c\"\n");
    assert_eq!(replace("a: \"b\n  ${x}\n  c\"\n", "d\n").unwrap(), "a: \"b\n  d\\n\n  c\"\n");
}

#[test]
fn a_literal_keeps_its_indent_and_its_line_breaks() {
    let text = "a: |-  # note\n    x=${x}\n\n    y=${x} z\nb: c\n";
    assert_eq!(replace(text, "1").unwrap(), text.replace("${x}", "1"));
    assert_eq!(
        replace(text, "1\n\n2").unwrap(),
        "a: |-  # note\n    x=1\n\n    2\n\n    y=1\n\n    2 z\nb: c\n"
    );
    assert_eq!(replace("a: |\r\n  ${x}\r\n  y", "1\n2").unwrap(), "a: |\r\n  1\r\n  2\r\n  y");
    assert_eq!(replace("a: |+\n  ${x}\n\n\nb: c", "1").unwrap(), "a: |+\n  1\n\n\nb: c");
    assert_eq!(replace("a: |2\n    ${x}\n", " 1").unwrap(), "a: |2\n     1\n");
    assert_eq!(replace("--- |\n${x}\ny\n", "1").unwrap(), "--- |\n1\ny\n");
}

#[test]
fn what_a_block_cannot_hold_is_put_in_double_quotes() {
    for (text, with, out) in [
        ("a: |  # n\n  ${x}\nb: c\n", " 1", "a: \" 1\\n\"  # n\nb: c\n"),
        ("a: |-\n  ${x}\nb: c\n", "1\n", "a: \"1\\n\"\nb: c\n"),
        ("a: |-\n  ${x}\nb: c\n", "", "a: \"\"\nb: c\n"),
        ("a: |\n  ${x}\n\n\nb: c\n", "\0", "a: \"\\u0000\\n\"\n\n\nb: c\n"),
        ("a: |\n  ${x}\n", "1\r", "a: \"1\\r\\n\"\n"),
        ("--- |\n${x}\n", "---", "--- \"---\\n\"\n"),
        ("a: >\n  b\n  ${x}\n", "1\n2", "a: \"b 1\\n2\\n\"\n"),
        ("a: >-\n  ${x}\n", " 1", "a: \" 1\"\n"),
    ] {
        assert_eq!(replace(text, with).unwrap(), out, "{text:?} {with:?}");
    }
}

#[test]
fn a_folded_block_keeps_its_lines() {
    let text = "a: >-\n   b ${x}\n   c\n\n   ${x}\nd: e";
    assert_eq!(replace(text, "1: 2 # 3").unwrap(), text.replace("${x}", "1: 2 # 3"));
}

#[test]
fn keys_are_edited_like_values() {
    assert_eq!(replace("${x}: 1\n", "a/b").unwrap(), "a/b: 1\n");
    assert_eq!(replace("${x}: 1\n", "12").unwrap(), "\"12\": 1\n");
    assert_eq!(replace("? |\n  ${x}\n: 1\n", "a").unwrap(), "? |\n  a\n: 1\n");
    assert_eq!(whole("${x}: 1\n", &json!(12)).unwrap(), "12: 1\n");
    for value in [json!(null), json!([1]), json!({})] {
        let error = whole("kind: Pod\n\"${x}\": 1\n", &value).unwrap_err();
        assert!(
            matches!(&error, SpliceError::Key { pointer, .. } if pointer == "/${x}"),
            "{error}"
        );
    }
}

#[test]
fn a_whole_value_is_written_with_its_type() {
    for (value, out) in [
        (json!(8080), "8080"),
        (serde_json::from_str("1.50").unwrap(), "1.50"),
        (serde_json::from_str("1e+300").unwrap(), "1e+300"),
        (json!(true), "true"),
        (json!(null), "null"),
        (json!([]), "[]"),
        (
            json!({"a": [1, "2", null, {"b: ": "c #\u{2028}"}]}),
            r#"{"a":[1,"2",null,{"b: ":"c #\u2028"}]}"#,
        ),
    ] {
        for (text, wrap) in [
            ("a: ${x}\n", "a: _\n"),
            ("a: \"${x}\" # c\n", "a: _ # c\n"),
            ("- &a '${x}'\n- *a\n", "- &a _\n- *a\n"),
            ("{\"a\":\"${x}\"}", "{\"a\":_}"),
            ("a: |-  # c\n  ${x}\nb: c\n", "a: _  # c\nb: c\n"),
            ("a: >\r\n  ${x}\r\n\r\nb: c\r\n", "a: _\r\n\r\nb: c\r\n"),
        ] {
            assert_eq!(whole(text, &value).unwrap(), wrap.replace('_', out), "{text:?}");
        }
    }
}

#[test]
fn a_whole_text_is_written_in_the_style_that_is_there() {
    for (text, with, out) in [
        ("a: ${x}\n", "b", "a: b\n"),
        ("a: ${x}\n", "12", "a: \"12\"\n"),
        ("a: '${x}'\n", "b", "a: 'b'\n"),
        ("a: !!str ${x}\n", "b", "a: !!str b\n"),
        ("a: |\n  ${x}\n", "b\nc\n", "a: |\n  b\n  c\n"),
        ("a: |\n  ${x}\n", "b", "a: \"b\"\n"),
        ("a: >-\n  ${x}\n", "b", "a: >-\n  b\n"),
        ("[\"${x}\"]", "b", "[\"b\"]"),
    ] {
        assert_eq!(whole(text, &json!(with)).unwrap(), out, "{text:?}");
    }
}

#[test]
fn plain_text_in_a_flow_collection_is_quoted_when_it_could_end_there() {
    for (with, out) in [("b", "b"), ("a,b", "\"a,b\""), ("a:b", "\"a:b\""), ("a]", "\"a]\"")] {
        let stream = read("[old, {k: old}]").unwrap();
        let edits = [0, 2].map(|scalar| Edit { scalar, with: With::Whole(json!(with)) });
        assert_eq!(splice(&stream, &edits).unwrap(), format!("[{out}, {{k: {out}}}]"));
    }
}

#[test]
fn what_nobody_wrote_is_written_where_there_is_room() {
    let put = |text: &str, at| {
        splice(&read(text).unwrap(), &[Edit { scalar: at, with: With::Whole(json!(1)) }])
    };
    assert_eq!(put("a:\nb: c\n", 1).unwrap(), "a: 1\nb: c\n");
    assert_eq!(put("a:   # c\n", 1).unwrap(), "a: 1   # c\n");
    assert_eq!(put("-\n- b\n", 0).unwrap(), "- 1\n- b\n");
    assert_eq!(put("a: &x\nb: *x\n", 1).unwrap(), "a: &x 1\nb: *x\n");
    assert_eq!(put("{a: , b: c}", 1).unwrap(), "{a: 1 , b: c}");
    assert!(matches!(put("{a, b: c}", 1), Err(SpliceError::Unwritten { .. })));
    assert!(matches!(put("? a\n? b\n", 1), Err(SpliceError::Unwritten { .. })));
}

#[test]
fn a_result_that_would_mean_something_else_is_refused_by_place() {
    for (text, value) in [
        ("kind: Pod\nmetadata: {name: a}\nx: !!str ${x}\n", json!(12)),
        ("kind: Pod\nmetadata: {name: a}\nx: !!int '${x}'\n", json!("b")),
        ("kind: Pod\nmetadata: {name: a}\nx: !!str '${x}'\n", json!(["b"])),
        ("kind: Pod\nmetadata: {name: a}\nx: !!binary '${x}'\n", json!("b")),
    ] {
        let error = whole(text, &value).unwrap_err();
        let SpliceError::Guard { object, pointer, span } = &error else { panic!("{error}") };
        assert_eq!((&**object, &**pointer), ("Pod a", "/x"));
        assert!(text[span.start..span.end].contains("${x}"));
        assert!(error.diagnostic().is_error());
    }
    // A key that touches its value must keep its quotes.
    assert!(whole("{\"${x}\":1}", &json!(5)).is_err());
}

#[test]
fn edits_that_do_not_fit_are_refused() {
    let stream = read("a: é\n").unwrap();
    let parts = |parts: &[(usize, usize)]| {
        With::Parts(parts.iter().map(|(start, end)| (*start..*end, String::new())).collect())
    };
    let cases = [
        (2, parts(&[])),
        (1, parts(&[(0, 1)])),
        (1, parts(&[(0, 9)])),
        (1, parts(&[(2, 2), (0, 0)])),
        (1, parts(&[(2, 0)])),
    ];
    for (scalar, with) in cases {
        let error = splice(&stream, &[Edit { scalar, with }]).unwrap_err();
        assert!(matches!(error, SpliceError::Edit { .. }), "{error}");
    }
    let twice = [1, 1].map(|scalar| Edit { scalar, with: parts(&[]) });
    assert!(matches!(splice(&stream, &twice), Err(SpliceError::Edit { .. })));
    let mut deep = json!(1);
    for _ in 0..150 {
        deep = json!([deep]);
    }
    let edit = Edit { scalar: 1, with: With::Whole(deep) };
    assert!(matches!(splice(&stream, &[edit]), Err(SpliceError::TooDeep { .. })));
}

#[test]
fn edits_come_in_any_order_and_over_documents() {
    let stream = read("a: 1\n---\nb: 2\n...\n# end").unwrap();
    let edits = [3, 1].map(|scalar| Edit { scalar, with: With::Whole(json!(["x"])) });
    assert_eq!(splice(&stream, &edits).unwrap(), "a: [\"x\"]\n---\nb: [\"x\"]\n...\n# end");
}

#[test]
fn a_reference_that_is_escaped_in_part_is_written_anew() {
    // The one that is written in plain words is not the one to replace.
    let stream = read("a: \"\\u0024{x} ${x}\"\n").unwrap();
    let edit = Edit { scalar: 1, with: With::Parts(vec![(0..4, "1".to_owned())]) };
    assert_eq!(splice(&stream, &[edit]).unwrap(), "a: \"1 ${x}\"\n");
}
