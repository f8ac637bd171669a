//! Examples of every form of identifier, and of every way to get one wrong.

use hangar_diag::Code;
use proptest::prelude::*;

use super::*;

const STAGE: [&str; 2] = ["RestApiId", "StageName"];

fn stage(text: &str) -> Result<NamedIdentifier, Diagnostic> {
    Identifier::read(text, &STAGE, &[vec!["StageArn"], vec!["RestApiId", "Alias"]])
}

#[test]
fn every_form_gives_the_one_canonical_identifier() {
    for text in [
        "a|b",
        r#"{"RestApiId":"a","StageName":"b"}"#,
        " {\"StageName\":\"b\",\n\"RestApiId\":\"a\"} ",
        "RestApiId=a,StageName=b",
        "StageName=b RestApiId=a",
        "StageName=b, RestApiId=a",
    ] {
        let named = stage(text).unwrap_or_else(|diagnostic| panic!("{text}: {diagnostic}"));
        assert_eq!(
            (named.set, named.identifier.as_str()),
            (IdentifierSet::Primary, "a|b"),
            "{text}"
        );
    }
}

#[test]
fn an_additional_set_is_named_by_its_fields() {
    for (text, index, identifier) in [
        ("StageArn=arn:x", 0, "arn:x"),
        (r#"{"StageArn":"arn:x"}"#, 0, "arn:x"),
        ("Alias=b,RestApiId=a", 1, "a|b"),
    ] {
        let named = stage(text).expect(text);
        assert_eq!(named.set, IdentifierSet::Additional(index), "{text}");
        assert_eq!(named.identifier.as_str(), identifier, "{text}");
    }
}

#[test]
fn numbers_and_booleans_are_taken_as_they_are_written() {
    let read = |text| Identifier::read(text, &["Id"], &[]).map(|named| named.identifier.0);
    assert_eq!(
        read(r#"{"Id": 12345678901234567890123}"#).as_deref(),
        Ok("12345678901234567890123")
    );
    assert_eq!(read(r#"{"Id": 1.50}"#).as_deref(), Ok("1.50"));
    assert_eq!(read(r#"{"Id": true}"#).as_deref(), Ok("true"));
}

#[test]
fn a_single_part_may_hold_anything() {
    for text in ["a|b", "key=value", "Id", "x,Id=y", "arn:aws:s3:::b", " a "] {
        let named = Identifier::read(text, &["Id"], &[]).expect(text);
        assert_eq!(named.identifier.as_str(), text);
    }
    assert_eq!(Identifier::read("Id=x", &["Id"], &[]).unwrap().identifier.as_str(), "x");
}

#[test]
fn a_wrong_identifier_is_refused_and_the_error_lists_the_parts() {
    let cases: &[(&str, Code)] = &[
        ("", codes::IDENTIFIER_EMPTY),
        ("a", codes::IDENTIFIER_PARTS),
        ("a|b|c", codes::IDENTIFIER_PARTS),
        ("a|", codes::IDENTIFIER_EMPTY),
        ("a\0|b", codes::IDENTIFIER_NUL),
        ("RestApiId=a", codes::IDENTIFIER_FIELDS),
        ("RestApiId=a,StageName=b,Alias=c", codes::IDENTIFIER_FIELDS),
        ("RestApiId=a,RestApiId=b", codes::IDENTIFIER_DUPLICATE),
        ("RestApiId=,StageName=b", codes::IDENTIFIER_EMPTY),
        ("RestApiId=a|c,StageName=b", codes::IDENTIFIER_BAR),
        ("RestApiId=a,Other=b", codes::IDENTIFIER_PARTS),
        ("{}", codes::IDENTIFIER_FIELDS),
        (r#"{"RestApiId":"a""#, codes::IDENTIFIER_JSON),
        (r#"{"RestApiId":"a","StageName":"b"} x"#, codes::IDENTIFIER_JSON),
        (r#"{"RestApiId":"a","StageNam":"b"}"#, codes::IDENTIFIER_FIELDS),
        (r#"{"RestApiId":"a","StageName":"b","X":"c"}"#, codes::IDENTIFIER_FIELDS),
        (r#"{"RestApiId":"a","RestApiId":"b"}"#, codes::IDENTIFIER_DUPLICATE),
        (r#"{"RestApiId":null,"StageName":"b"}"#, codes::IDENTIFIER_VALUE),
        (r#"{"RestApiId":{"a":1},"StageName":"b"}"#, codes::IDENTIFIER_VALUE),
        (r#"{"RestApiId":["a"],"StageName":"b"}"#, codes::IDENTIFIER_VALUE),
        (r#"{"RestApiId":"","StageName":"b"}"#, codes::IDENTIFIER_EMPTY),
    ];
    for &(text, code) in cases {
        let diagnostic = stage(text).expect_err(text);
        assert_eq!(diagnostic.code, code, "{text}");
        let span = diagnostic.span().expect("a place");
        assert!(span.end <= text.len() && text.is_char_boundary(span.start), "{text} {span:?}");
        let hints = diagnostic.hints.join("; ");
        assert!(hints.contains("`RestApiId|StageName`"), "{text}: {hints}");
    }
}

#[test]
fn a_near_name_is_proposed_and_missing_ones_are_named() {
    let near = stage(r#"{"RestApiId":"a","StageNam":"b"}"#).expect_err("near");
    insta::assert_snapshot!(near.hints.join("
"), @r"
    did you mean `StageName`?
    the schema's primary identifier is `RestApiId|StageName`; its additional identifiers are `StageArn`, `RestApiId|Alias`
    ");
    let missing = stage("RestApiId=a").expect_err("missing");
    insta::assert_snapshot!(missing, @"error[ID0035]: the identifier lacks `StageName`");
}

#[test]
fn broken_json_is_refused_where_it_breaks() {
    for (text, start) in [("{\"é\" x}", 6), ("{\n \"A\": ]}", 8), ("{", 0)] {
        let diagnostic = stage(text).expect_err(text);
        assert_eq!(diagnostic.span().map(|span| span.start), Some(start), "{text}");
    }
}

#[test]
fn a_wrong_value_is_placed_in_the_text_that_was_typed() {
    for text in ["RestApiId=é\0,StageName=b", r#"{"RestApiId":"\u0000","StageName":"b"}"#] {
        let diagnostic = stage(text).expect_err(text);
        assert_eq!(diagnostic.code, codes::IDENTIFIER_NUL);
        assert_eq!(diagnostic.span(), Some(Span::new(0, text.len())), "{text}");
    }
}

#[test]
fn a_schema_without_an_identifier_refuses_all_text() {
    assert_eq!(Identifier::read("a", &[], &[]).expect_err("none").code, codes::IDENTIFIER_PARTS);
    assert_eq!(Identifier::read("{}", &[], &[]).expect_err("none").code, codes::IDENTIFIER_FIELDS);
}

#[test]
fn length_is_counted_in_characters() {
    assert!(Identifier::parse(&"é".repeat(1024)).is_ok());
    let diagnostic = Identifier::parse(&"é".repeat(1025)).expect_err("too long");
    assert_eq!(diagnostic.code, codes::IDENTIFIER_TOO_LONG);
    assert_eq!(diagnostic.span(), Some(Span::new(2048, 2050)));
}

#[test]
fn a_bar_inside_a_composite_part_is_refused_and_in_a_single_one_is_not() {
    assert_eq!(Identifier::from_parts(&["a|b", "c"]).expect_err("bar").code, codes::IDENTIFIER_BAR);
    assert_eq!(Identifier::from_parts(&["a|b"]).unwrap().parts(1).unwrap(), ["a|b"]);
    assert!(Identifier::from_parts::<&str>(&[]).is_err());
    assert!(Identifier::parse("a").unwrap().parts(0).is_err());
}

proptest! {
    #[test]
    fn parts_come_back_as_they_were_joined(parts in prop::collection::vec("[^|\0]{1,20}", 1..5)) {
        let identifier = Identifier::from_parts(&parts).unwrap();
        prop_assert_eq!(identifier.parts(parts.len()).unwrap(), parts);
    }

    #[test]
    fn what_json_names_is_what_is_joined(a in "[^|\0]{1,20}", b in "[^|\0]{1,20}") {
        let text = serde_json::json!({"StageName": b, "RestApiId": a}).to_string();
        prop_assert_eq!(stage(&text).unwrap().identifier.0, format!("{a}|{b}"));
    }

    #[test]
    fn reading_never_panics_and_points_into_the_text(
        text in r#"([{}"=,: |a\n]|RestApiId|StageName|é|[^a]){0,24}"#,
    ) {
        if let Err(diagnostic) = stage(&text) {
            let span = diagnostic.span().unwrap();
            prop_assert!(text.get(span.start..span.end).is_some());
        }
    }
}
