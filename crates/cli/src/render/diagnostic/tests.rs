//! What people and programs see of a diagnostic.

use hangar_diag::{Cause, Code};
use proptest::prelude::*;

use super::*;

fn plain(source: Source, diagnostics: Vec<Diagnostic>) -> String {
    let text = to_text(&[Report { source: Some(source), diagnostics }], None);
    format!("{}\n", anstream::adapter::strip_str(&text))
}

fn file(text: &str) -> Source {
    Source { name: Some("vpc.json".to_owned()), text: text.to_owned() }
}

fn wrong() -> Diagnostic {
    Diagnostic::error(Code::new("ID0003"), "a segment is empty")
}

#[test]
fn a_file_shows_its_name_line_and_label() {
    let text = "{\n  \"CidrBlok\": 1\n}\n";
    let found = wrong().at(Span::new(4, 14), "no such property").hint("did you mean `CidrBlock`?");
    insta::assert_snapshot!(plain(file(text), vec![found]), @r#"
    error[ID0003]: a segment is empty
     --> vpc.json:2:3
      |
    2 |   "CidrBlok": 1
      |   ^^^^^^^^^^ no such property
    hint: did you mean `CidrBlock`?
    "#);
}

#[test]
fn on_a_terminal_messages_and_hints_are_wrapped_and_lines_of_the_source_are_not() {
    let line = "resource queue 'AWS.SQS/Queue@default' = { alias: 'a', properties: {} }";
    let message = "the property can only be set when the resource is created";
    let found = Diagnostic::error(Code::new("ID0003"), message).at(Span::new(9, 14), "here").hint(
        "pass `--replace` to recreate the resource, or restore the old value in the template",
    );
    let report = Report { source: Some(file(line)), diagnostics: vec![found] };
    let text = |columns| {
        anstream::adapter::strip_str(&to_text(std::slice::from_ref(&report), columns)).to_string()
    };
    insta::assert_snapshot!(text(Some(40)), @"
    error[ID0003]: the property can only be
          set when the resource is created
     --> vpc.json:1:10
      |
    1 | resource queue 'AWS.SQS/Queue@default' = { alias: 'a', properties: {} }
      |          ^^^^^ here
    hint: pass `--replace` to recreate the
          resource, or restore the old value
          in the template
    ");
    assert_eq!(text(None).lines().count(), 6);
}

#[test]
fn an_argument_is_its_own_source() {
    let found = wrong().at(Span::new(7, 8), "").at(Span::new(0, 7), "after this");
    insta::assert_snapshot!(plain(Source::argument("/planes//aws"), vec![found]), @"
    error[ID0003]: a segment is empty
      |
    1 | /planes//aws
      | -------^
      | |
      | after this
    ");
}

#[test]
fn without_a_place_the_file_and_the_pointer_are_named() {
    let found = wrong().pointer("/Tags/0");
    insta::assert_snapshot!(plain(file("{}"), vec![found, Diagnostic::warning(Code::new("ID0004"), "odd")]), @"
    error[ID0003]: a segment is empty
    --> vpc.json
     = at: /Tags/0

    warning[ID0004]: odd
    --> vpc.json
    ");
}

#[test]
fn a_line_too_long_to_show_is_named_by_its_place() {
    let text = format!("[\n{}", "1,".repeat(MAX_SHOWN));
    let found = wrong().at(Span::new(12, 13), "here");
    insta::assert_snapshot!(plain(file(&text), vec![found]), @"
    error[ID0003]: a segment is empty
    --> vpc.json:2:11
    ");
}

#[test]
fn no_control_character_reaches_the_terminal() {
    let evil = "\u{1b}[2J\u{7}";
    let found = Diagnostic::error(Code::new("ID0003"), format!("bad {evil}"))
        .at(Span::new(0, 4), evil)
        .pointer(evil)
        .hint(evil);
    let source = Some(Source { name: Some(evil.to_owned()), text: evil.to_owned() });
    let text = to_text(&[Report { source, diagnostics: vec![found] }], None);
    assert!(!text.contains("\u{1b}[2J") && !text.contains('\u{7}'), "{text:?}");
}

#[test]
fn json_has_every_member_and_details_for_several() {
    let one = wrong().at(Span::new(2, 3), "").hint("first").hint("second");
    let reports = [Report { source: Some(file("é\nab")), diagnostics: vec![one] }];
    insta::assert_snapshot!(error_to_json(&reports, None), @r#"
    {
      "error": {
        "code": "ID0003",
        "severity": "error",
        "message": "a segment is empty",
        "file": "vpc.json",
        "line": 1,
        "column": 2,
        "span": {
          "start": 2,
          "end": 3
        },
        "pointer": null,
        "hint": "first",
        "hints": [
          "first",
          "second"
        ],
        "cause": null,
        "details": []
      }
    }
    "#);
    let warning = Diagnostic::warning(Code::new("ID0004"), "odd");
    let several = [Report { source: None, diagnostics: vec![warning, wrong()] }];
    let value: serde_json::Value = serde_json::from_str(&error_to_json(&several, None)).unwrap();
    assert_eq!(value["error"]["code"], "ID0003");
    assert_eq!(value["error"]["details"].as_array().map(Vec::len), Some(2));
}

proptest! {
    #[test]
    fn any_spans_over_any_text_are_shown(
        text in "(?s).{0,40}",
        spans in prop::collection::vec((0usize..60, 0usize..60), 0..4),
    ) {
        let found = spans.iter().fold(wrong(), |found, (start, end)| {
            found.at(Span::new(*start, *end), "here")
        });
        let reports = [Report { source: Some(file(&text)), diagnostics: vec![found] }];
        prop_assert!(to_text(&reports, None).contains("ID0003"));
        prop_assert!(error_to_json(&reports, None).contains("ID0003"));
    }
}

fn because(key: &str, place: &str) -> Diagnostic {
    let text = |text: &str| text.to_owned();
    let (message, general) = (format!("{key} at {place}"), format!("{key} anywhere"));
    let cause = Cause { key: text(key), message, general, detail: None, place: text(place) };
    wrong().hint("mend it").because(cause)
}

#[test]
fn what_differs_between_places_of_one_cause_is_shown_once_each() {
    let detailed = |detail: &str, place: &str| {
        let mut found = because("down", place);
        let cause = found.cause.as_mut().unwrap();
        cause.detail = Some(detail.to_owned());
        found
    };
    let all = vec![detailed("`x`", "a"), detailed("`y`", "b"), detailed("`x`", "c")];
    insta::assert_snapshot!(plain(file("{}"), all), @"
    error[ID0003]: down anywhere (3 places)
    --> vpc.json
     = at: `x` (2 places): a
     = at: `y`: b
    hint: mend it
    ");
}

#[test]
fn one_cause_is_shown_once_with_the_first_of_its_places() {
    let mut all: Vec<Diagnostic> = ('a'..='g').map(|at| because("down", &at.to_string())).collect();
    all.insert(3, because("gone", "z"));
    all[0].hints.push("only here".to_owned());
    insta::assert_snapshot!(plain(file("{}"), all), @"
    error[ID0003]: down anywhere (7 places)
    --> vpc.json
     = at: a
     = at: b
     = at: c
     = at: d
     = at: e
     = at: 2 more places; `-o json` lists all of them
    hint: mend it

    error[ID0003]: a segment is empty
    --> vpc.json
    hint: mend it
    ");
}

#[test]
fn causes_beyond_a_hundred_are_counted() {
    let all = (0..250).map(|at| because(&(at % 110).to_string(), "a")).collect();
    let text = plain(file("{}"), all);
    assert_eq!(text.matches("error[").count(), 101);
    assert!(text.contains("error[ID0003]: and 20 more\n"), "{text}");
}
