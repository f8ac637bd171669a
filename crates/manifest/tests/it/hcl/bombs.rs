//! Texts made to exhaust whoever reads or evaluates them.

use hangar_manifest::deployed::{Deployed, codes};
use hangar_manifest::hcl::{EvaluateError, Reason, parse_expression, parse_template};
use hangar_manifest::state;

use super::laws::laws;

const STATE: &[u8] = br#"{"version": 4, "serial": 1, "lineage": "x", "resources": [{"mode": "managed", "type": "t", "name": "n",
  "provider": "provider[\"x/y/z\"]", "instances": [{"attributes": {"id": "i"}}]}]}"#;

#[test]
fn nesting_exhausts_nobody() {
    for piece in [
        "(",
        "[",
        "{a=",
        "{\"",
        "\"${",
        "-",
        "!",
        "f(",
        "a[",
        "a[*]",
        "a.*",
        "a.b",
        "1?",
        "1+",
        "1?1:",
        "1==",
        "[for x in ",
        "{for x in ",
        "[for x in []:",
        "${",
        "%{if true}",
        "%{for x in []}",
        "%{",
        "\"%{if \"",
        "/*",
        "#",
        "\\",
        "$",
        "try(",
        "t.n[t.n.id",
    ] {
        laws(&piece.repeat(1_000));
        let _ = parse_expression(&piece.repeat(500_000 / piece.len()));
        let _ = parse_template(&piece.repeat(500_000 / piece.len()));
    }
}

#[test]
fn a_tree_is_at_most_a_hundred_levels_deep() {
    let nested = |count: usize| format!("{}1{}", "(".repeat(count), ")".repeat(count));
    assert!(parse_expression(&nested(99)).is_ok());
    assert_eq!(parse_expression(&nested(100)).unwrap_err().reason, Reason::TooDeep);
    let chain = format!("1{}", " + 1".repeat(10_000));
    assert!(parse_expression(&chain).is_ok(), "a chain is not deep");
}

#[test]
fn a_very_long_text_is_no_expression() {
    let long = "1 ".repeat(1 << 20);
    let refused = parse_expression(&long).unwrap_err();
    assert_eq!(refused.code(), codes::TOO_LARGE);
}

#[test]
fn no_expression_takes_more_than_its_share() {
    let state = state::read(STATE).unwrap();
    let deployed = Deployed::new(&state);
    let thousand = |each: &str| format!("[for i in range(1000) : {each}]");
    let long = "x".repeat(1000);
    let megabyte = format!("join(\"\", {})", thousand(&format!("\"{long}\"")));
    let doubled =
        (0..40).fold("a".to_owned(), |inner, _| format!("[for a in [\"${{a}}${{a}}\"] : {inner}]"));
    for expression in [
        thousand(&thousand(&thousand("i"))),
        thousand(&thousand("t.n.id")),
        thousand(&thousand("try(t.n.nothing, {}.a, 1)")),
        format!("join({megabyte}, range(1000))"),
        format!("replace({megabyte}, \"\", {megabyte})"),
        format!("formatlist(\"%s%s\", range(1000), {megabyte})"),
        format!("\"{}\"", format!("${{{megabyte}}}").repeat(10)),
        doubled.replacen("[for a in [\"${a}${a}\"]", "[for a in [\"${\"xxxxxxxx\"}\"]", 1),
        thousand(&thousand(&format!("1{} / 7", "0".repeat(300)))),
    ] {
        let tree =
            parse_expression(&expression).unwrap_or_else(|error| panic!("{error}: {expression}"));
        let refused = deployed.evaluate(&tree).unwrap_err();
        assert!(matches!(refused, EvaluateError::TooMuch { .. }), "{refused}");
        assert_eq!(refused.code(), codes::TOO_MUCH);
    }
}

#[test]
fn a_width_without_end_is_refused() {
    let state = state::read(STATE).unwrap();
    for expression in [
        "format(\"%99999999999d\", 1)",
        "format(\"%.99999999f\", 1)",
        "1e99999999",
        "1e300 * 1e300",
    ] {
        let refused = match parse_expression(expression) {
            Ok(tree) => Deployed::new(&state).evaluate(&tree).unwrap_err().to_string(),
            Err(error) => error.to_string(),
        };
        assert!(refused.contains("at most") || refused.contains("too many digits"), "{refused}");
    }
}
