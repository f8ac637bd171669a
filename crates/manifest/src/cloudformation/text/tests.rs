//! Templates in, JSON out.

use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{TemplateTextError, parse};

#[test]
fn short_forms_become_long_ones() {
    for (yaml, json) in [
        ("a: !Ref B", json!({"Ref": "B"})),
        ("a: !Condition B", json!({"Condition": "B"})),
        ("a: !GetAtt B.Arn", json!({"Fn::GetAtt": ["B", "Arn"]})),
        ("a: !GetAtt B.Outputs.X", json!({"Fn::GetAtt": ["B", "Outputs.X"]})),
        ("a: !GetAtt [B, Arn]", json!({"Fn::GetAtt": ["B", "Arn"]})),
        ("a: !GetAtt B", json!({"Fn::GetAtt": "B"})),
        ("a: !Sub '${B}-x'", json!({"Fn::Sub": "${B}-x"})),
        (
            "a: !Sub\n  - x-${B}\n  - {B: !Ref C}",
            json!({"Fn::Sub": ["x-${B}", {"B": {"Ref": "C"}}]}),
        ),
        ("a: !Join ['-', [!Ref A, b]]", json!({"Fn::Join": ["-", [{"Ref": "A"}, "b"]]})),
        ("a: !If [C, 1, !Ref AWS::NoValue]", json!({"Fn::If": ["C", 1, {"Ref": "AWS::NoValue"}]})),
        (
            "a: !Base64\n  Fn::Sub: |\n    #!/bin/sh\n    x",
            json!({"Fn::Base64": {"Fn::Sub": "#!/bin/sh\nx\n"}}),
        ),
        ("a: !Base64 12", json!({"Fn::Base64": "12"})),
        ("a: !Equals [!Ref A, 'true']", json!({"Fn::Equals": [{"Ref": "A"}, "true"]})),
        ("a: !Transform {Name: AWS::Include}", json!({"Fn::Transform": {"Name": "AWS::Include"}})),
    ] {
        assert_eq!(parse(yaml).unwrap()["a"], json, "{yaml}");
    }
}

#[test]
fn scalars_are_what_cloudformation_reads() {
    for (yaml, json) in [
        ("a: 2010-09-09", json!("2010-09-09")),
        ("a: '12'", json!("12")),
        ("a: 12", json!(12)),
        ("a: 012", json!(10)),
        ("a: 1.10", serde_json::from_str("1.10").unwrap()),
        ("a: yes", json!(true)),
        ("a: y", json!("y")),
        ("a: 12:30", json!("12:30")),
        ("a:", Value::Null),
        ("a: ~", Value::Null),
        ("a: ''", json!("")),
        ("a: !!str 12", json!("12")),
        ("a: !!int '12'", json!(12)),
        ("a: ! 12", json!("12")),
        ("a: >-\n  b\n  c", json!("b c")),
    ] {
        assert_eq!(parse(yaml).unwrap()["a"], json, "{yaml}");
    }
}

#[test]
fn anchors_and_aliases_are_written_out() {
    let template = parse("a: &x {b: &y [1, 2], &k c: 3}\nd: *x\ne: [*y, *y]\n*k : 4").unwrap();
    assert_eq!(template["d"], template["a"]);
    assert_eq!(template["e"], json!([[1, 2], [1, 2]]));
    assert_eq!(template["c"], 4);
}

#[test]
fn json_is_read_as_it_is_also_with_tabs_and_long_keys() {
    let key = "k".repeat(5000);
    let text = format!(
        "{{\n\t\"Resources\":\t{{\"\\ud83d\\ude00\\/\": [1.50, -0.0, 1E5, true, null, \"12\"],\n\t\"{key}\":{{}}}}\n}}\n"
    );
    assert_eq!(parse(&text).unwrap(), serde_json::from_str::<Value>(&text).unwrap());
}

#[test]
fn what_is_no_template_is_refused_by_name() {
    use TemplateTextError as E;
    type Check = fn(&E) -> bool;
    let cases: &[(&str, Check)] = &[
        ("", |e| matches!(e, E::Empty)),
        ("# nothing\n", |e| matches!(e, E::Empty)),
        ("---\n", |e| matches!(e, E::Empty)),
        ("- a", |e| matches!(e, E::NotMap)),
        ("text", |e| matches!(e, E::NotMap)),
        ("a: 1\n---\nb: 2", |e| matches!(e, E::Many { .. })),
        ("a: {b: 1, b: 2}", |e| matches!(e, E::KeyTwice { key, .. } if key == "b")),
        (r#"{"a": 1, "a": 2}"#, |e| matches!(e, E::KeyTwice { .. })),
        ("a: &a {b: 1}\nc:\n  <<: *a", |e| matches!(e, E::MergeKey { .. })),
        ("? [a]\n: b", |e| matches!(e, E::Key { .. })),
        ("!Ref a: b", |e| matches!(e, E::Key { .. })),
        ("a: !<tag:x.org,2000:y> b", |e| matches!(e, E::Tag { .. })),
        ("a: &a [*a]", |e| matches!(e, E::AliasOfItself { .. })),
        ("a: *b", |e| matches!(e, E::Yaml(_))),
        ("a: [", |e| matches!(e, E::Yaml(_))),
        ("a: {{ .Values.x }}", |e| matches!(e, E::Key { .. })),
        ("a: b\0", |e| matches!(e, E::Yaml(_))),
    ];
    for (text, check) in cases {
        let error = parse(text).unwrap_err();
        assert!(check(&error), "{text:?}: {error:?}");
        assert!(error.diagnostic().is_error());
    }
}

#[test]
fn a_quoted_merge_key_is_an_ordinary_key() {
    assert_eq!(parse("'<<': 1").unwrap(), json!({"<<": 1}));
}

#[test]
fn a_bomb_of_aliases_is_refused() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let below = format!("*a{}", level - 1);
        writeln!(text, "a{level}: &a{level} [{}]", vec![below; 9].join(", ")).unwrap();
    }
    assert!(matches!(parse(&text), Err(TemplateTextError::TooLarge { .. })));
}

#[test]
fn depth_is_bounded_in_the_text_and_through_aliases() {
    let deep = |open: &str, levels: usize| format!("a: {}", open.repeat(levels));
    for text in
        [deep("[", 100_000), deep("{b: ", 100_000), deep("!Ref [", 100_000), deep("- ", 5_000)]
    {
        assert!(parse(&text).is_err());
    }
    let mut text = "a0: &a0 [x]\n".to_owned();
    for level in 1..1000 {
        writeln!(text, "a{level}: &a{level} [*a{}]", level - 1).unwrap();
    }
    assert!(matches!(
        parse(&text),
        Err(TemplateTextError::Yaml(crate::yaml::YamlError::TooDeep { .. })
            | TemplateTextError::TooLarge { .. })
    ));
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::String),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            prop::collection::btree_map(any::<String>(), inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_json_object_is_read_as_serde_json_reads_it(value in json_value(), pretty in any::<bool>()) {
        let value = json!({"Resources": value});
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        prop_assert_eq!(parse(&text).unwrap(), serde_json::from_str::<Value>(&text).unwrap());
    }

    #[test]
    fn no_text_panics(text in any::<String>()) {
        let _ = parse(&text);
    }

    #[test]
    fn no_text_that_looks_like_yaml_panics(text in "[-?:,\\[\\]{}#&*!|>'\"%@ab$ \n\t]{0,60}") {
        let _ = parse(&text);
    }
}
