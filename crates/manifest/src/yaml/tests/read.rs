//! What is read of a text, and what is refused.

use serde_json::{Value, json};

use crate::yaml::{Place, Style, Tag, YamlError, read};

/// Every scalar as `pointer place text raw`.
fn told(text: &str) -> Vec<String> {
    let stream = read(text).unwrap();
    let tell = |scalar: &crate::yaml::Scalar<'_>| {
        let place = if scalar.place == Place::Key { "key" } else { "value" };
        let raw = &text[scalar.span.start..scalar.span.end];
        format!("{} {place} {:?} {raw:?}", stream.key(scalar), scalar.text)
    };
    stream.scalars().iter().map(tell).collect()
}

#[test]
fn every_style_has_its_text_and_its_bytes() {
    let text = "\u{feff}a: b # é\r\n'c': \"d\\n\"\r\ne: |- # note\r\n  f\r\n\r\n  g\r\n\r\nh: >\r\n  i\r\n  j\r\n # less\r\nk: [l, 'it''s',\r\n  m]\r\n";
    assert_eq!(
        told(text),
        [
            r#"/a key "a" "a""#,
            r#"/a value "b" "b""#,
            r#"/c key "c" "'c'""#,
            r#"/c value "d\n" "\"d\\n\"""#,
            r#"/e key "e" "e""#,
            r#"/e value "f\n\ng" "|- # note\r\n  f\r\n\r\n  g""#,
            r#"/h key "h" "h""#,
            r#"/h value "i j\n" ">\r\n  i\r\n  j""#,
            r#"/k key "k" "k""#,
            r#"/k/0 value "l" "l""#,
            r#"/k/1 value "it's" "'it''s'""#,
            r#"/k/2 value "m" "m""#,
        ]
    );
}

#[test]
fn a_block_begins_at_its_header_wherever_that_stands() {
    for (text, raw) in [
        ("a: |\n  x\nb: c\n", "|\n  x"),
        ("a: &x|y |\n  x\n", "|\n  x"),
        ("a: !!str >+\n  x\n\n\n", ">+\n  x"),
        ("a: # | not here\n  # nor > here\n  |2-\n    x  \n", "|2-\n    x  "),
        ("- |\n x\n", "|\n x"),
        ("? |\n  x\n: y\n", "|\n  x"),
        ("|\n x\n", "|\n x"),
        ("--- |\nx\n", "|\nx"),
        ("a: |\n\n\n  x\nb: c\n", "|\n\n\n  x"),
        ("a: |\nb: c\n", "|"),
        ("a: |+ # r\n\n", "|+"),
        ("a: |", "|"),
        ("a: |\n  x", "|\n  x"),
        ("\"k | # x\": |\n  x", "|\n  x"),
        ("- a: |\n    x\n\n- b\n", "|\n    x"),
        ("a: |\n  x | \n  > \nb: c\n", "|\n  x | \n  > "),
    ] {
        let stream = read(text).unwrap();
        let block = |scalar: &&crate::yaml::Scalar<'_>| {
            matches!(scalar.style, Style::Literal | Style::Folded)
        };
        let scalar = stream.scalars().iter().find(block).unwrap();
        assert_eq!(&text[scalar.span.start..scalar.span.end], raw, "{text:?}");
    }
}

#[test]
fn a_block_at_the_end_of_a_text_ends_its_last_line_as_kubectl_reads_it() {
    for (text, said) in [
        ("a: |\n  x", "x\n"),
        ("a: |\n  x\n", "x\n"),
        ("a: >\r\n  x\r\n  y", "x y\n"),
        ("a: |-\n  x", "x"),
        ("a: |\n  x\n# end", "x\n"),
    ] {
        assert_eq!(read(text).unwrap().scalars()[1].text, said, "{text:?}");
    }
}

#[test]
fn values_are_what_kubectl_reads() {
    for (text, value) in [
        ("12", json!(12)),
        ("'12'", json!("12")),
        ("\"12\"", json!("12")),
        ("!!str 12", json!("12")),
        ("! 12", json!("12")),
        ("!!int '12'", json!(12)),
        ("!!float 1.50", serde_json::from_str("1.50").unwrap()),
        ("!!bool 'yes'", json!(true)),
        ("!!null ''", Value::Null),
        ("!!binary aGk=", json!("aGk=")),
        ("!own 12", json!("12")),
        ("yes", json!(true)),
        ("~", Value::Null),
        ("", Value::Null),
        ("|\n  12\n", json!("12\n")),
        ("2010-09-09", json!("2010-09-09")),
    ] {
        let text = format!("a: {text}");
        let stream = read(&text).unwrap();
        assert_eq!(stream.scalars()[1].value(), value, "{text}");
    }
}

#[test]
fn tags_and_unwritten_values_are_told() {
    let stream = read("a: !!str\nb:\nc: !own x\nd: ''\n").unwrap();
    let of = |at: usize| (stream.scalars()[at].tag, stream.scalars()[at].is_unwritten());
    assert_eq!(
        [of(1), of(3), of(5), of(7)],
        [(Some(Tag::Text), true), (None, true), (Some(Tag::Other), false), (None, false)]
    );
    assert_eq!(stream.scalars()[3].text, "");
}

#[test]
fn pointers_escape_and_names_are_the_steps() {
    let text = "a/b:\n  c~d:\n  - x\n  - {e: y}\n*z : 1\n".replace("*z", "f");
    let stream = read(&text).unwrap();
    let y = stream.scalars().iter().find(|scalar| scalar.text == "y").unwrap();
    assert_eq!(stream.key(y).pointer(), "/a~1b/c~0d/1/e");
    assert_eq!(stream.key(y).names(), ["a/b", "c~d", "1", "e"]);
}

#[test]
fn an_alias_is_no_scalar_but_names_a_key() {
    let stream = read("a: &x k\nb: *x\n*x : {c: d}\n").unwrap();
    let texts: Vec<_> = stream.scalars().iter().map(|scalar| &*scalar.text).collect();
    assert_eq!(texts, ["a", "k", "b", "c", "d"]);
    assert_eq!(stream.key(&stream.scalars()[4]).pointer(), "/k/c");
}

#[test]
fn keys_that_are_no_scalars_are_passed_through() {
    let stream = read("? [a, b]\n: c\n? {d: e}\n: f\ng: h\n").unwrap();
    let places: Vec<_> =
        stream.scalars().iter().map(|scalar| (&*scalar.text, scalar.place == Place::Key)).collect();
    assert_eq!(
        places,
        [
            ("a", true),
            ("b", true),
            ("c", false),
            ("d", true),
            ("e", true),
            ("f", false),
            ("g", true),
            ("h", false)
        ]
    );
    assert_eq!(stream.key(&stream.scalars()[7]).pointer(), "/g");
}

#[test]
fn json_and_keys_that_are_there_twice_are_read() {
    assert_eq!(read("{\n\t\"a\": [1, {\"b\": \"\\u00e9\"}]\n}\n").unwrap().scalars()[3].text, "é");
    assert_eq!(read("a: 1\na: 2\n").unwrap().scalars().len(), 4);
}

#[test]
fn a_reference_without_quotes_in_a_flow_collection_is_told_by_name() {
    for text in [
        "[${cfn:A/B}]",
        "a: [x, ${cfn:A/B#C}, y]",
        "a: {b: ${tf:x}}",
        "{\"a\": ${cfn:A/B}}",
        "a: [pre-${x}]",
        "a: [\n  ${x},\n]\n",
        "{${x}: 1}",
    ] {
        let error = read(text).unwrap_err();
        assert!(matches!(error, YamlError::Unquoted { .. }), "{text}: {error:?}");
        assert_eq!(&text[error.span().start..error.span().end], "${", "{text}");
        assert!(error.hint().starts_with("quote it"));
    }
}

#[test]
fn what_is_no_yaml_is_refused_with_its_place_and_a_hint() {
    for (text, place, hint) in [
        ("a: b\0c\n", 4, "UTF-16"),
        ("a:\n\tb: c\n", 4, "spaces"),
        ("a: *nobody\n", 3, "anchor"),
        ("a: {{ include \"x\" . }}-b\n", 22, "helm template"),
        ("a: 'b\n", 6, "quote"),
        ("a: b: c\n", 4, "quote"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.hint().contains(hint), "{text:?}: {error:?}");
        assert_eq!(error.span().start, place, "{text:?}: {error:?}");
        assert!(error.diagnostic().is_error());
    }
}

#[test]
fn depth_is_bounded() {
    for open in ["[", "{a: ", "- ", "? ", "[{a: "] {
        assert!(matches!(read(&open.repeat(5000)), Err(YamlError::TooDeep { .. })), "{open}");
    }
    let lines: Vec<String> = (0..300).map(|level| " ".repeat(level) + "a:\n").collect();
    let lines = lines.concat();
    assert!(matches!(read(&lines), Err(YamlError::TooDeep { .. })));
    assert!(read(&format!("{}{}", "[".repeat(199), "]".repeat(199))).is_ok());
}

#[test]
fn many_comments_in_a_row_are_fine() {
    let text = format!("a:\n{}  b: c\n", "  # x\n".repeat(500));
    assert_eq!(read(&text).unwrap().scalars().len(), 3);
}
