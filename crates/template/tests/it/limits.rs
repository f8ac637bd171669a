//! No template can exhaust whoever evaluates it: depth, time and memory are bounded.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use crate::language::{deployed, problems};
use crate::program_laws::program_laws;
use serde_json::json;

/// What is wrong, found within reasonable time in a debug build.
fn soon(text: &str) -> Vec<String> {
    let begin = Instant::now();
    let found = problems(text);
    let took = begin.elapsed();
    assert!(took < Duration::from_secs(20), "took {took:?}");
    found
}

fn only_code(text: &str, code: &str) {
    let found = soon(text);
    assert!(
        found.len() == 1 && found[0].starts_with(&format!("error[{code}]")),
        "wanted {code}: {:?}",
        found.iter().take(3).map(|it| it.chars().take(200).collect::<String>()).collect::<Vec<_>>()
    );
}

/// `var v0 = first`, then each from the one before.
fn chain(count: usize, first: &str, next: impl Fn(&str) -> String) -> String {
    let mut text = format!("var v0 = {first}\n");
    for index in 1..count {
        writeln!(text, "var v{index} = {}", next(&format!("v{}", index - 1))).unwrap();
    }
    writeln!(text, "output o array = [v{}]", count - 1).unwrap();
    text
}

#[test]
fn long_chains_of_variables_are_followed() {
    let next: [fn(&str) -> String; 3] = [
        |before| format!("{before} + 1"),
        |before| format!("length([for x in [1]: map([{before}], y => y)])"),
        |before| format!("{{ a: {before}.a }}.a + 1"),
    ];
    assert_eq!(soon(&chain(3_000, "1", next[0])), [""; 0]);
    assert_eq!(soon(&chain(3_000, "{ a: 1 }", |before| format!("{{ a: {before}.a }}"))), [""; 0]);
    // The other way round: what is needed is declared after who needs it.
    let text = chain(3_000, "1", next[0]);
    let reversed: Vec<&str> = text.lines().rev().collect();
    assert_eq!(soon(&(reversed.join("\n") + "\n")), [""; 0]);
}

#[test]
fn deep_expressions_have_room_on_the_stack() {
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("{ a: ", " }"),
        ("true ? ", " : 1"),
        ("-(", ")"),
        ("any(", ")"),
        ("string(", ")"),
        ("'${", "}'"),
        ("map([1], x => ", ")"),
        ("first([", "])"),
        ("[for x in [1]: ", "]"),
        ("{ a: [for x in [1]: ", "] }"),
    ] {
        for depth in [20, 45, 66, 99, 150, 190] {
            program_laws(&format!(
                "var a = {}1{}\noutput o array = [a]\n",
                open.repeat(depth),
                close.repeat(depth)
            ));
        }
    }
    // A chain in parentheses, with a chain, in parentheses: the parser bounds each, not all of them.
    let mut nested = "a".to_owned();
    for length in (1..190).rev() {
        nested = format!("({nested}{})", ".b".repeat(190 - length));
    }
    program_laws(&format!("var a = {{}}\noutput o array = [{nested}]\n"));
    let mut nested = "1".to_owned();
    for length in (1..190).rev() {
        nested = format!("({nested}{})", "+1".repeat(190 - length));
    }
    program_laws(&format!("output o array = [{nested}]\n"));
}

#[test]
fn deep_chains_through_bodies_are_followed() {
    // Each reads what the one before states, some of them through a variable.
    let mut statements = vec!["resource r0 'AWS.S3/Bucket@default' = {\n  alias: 'r0'\n  properties: { N: { M: 'n' } }\n}\n".to_owned()];
    for index in 1..1_000 {
        let before = index - 1;
        statements.push(format!(
            "var v{index} = r{before}.properties.N.M\nresource r{index} 'AWS.S3/Bucket@default' = {{\n  alias: 'r{index}'\n  properties: {{ N: {{ M: v{index} }} }}\n}}\n",
        ));
    }
    let forward = format!("extension aws\n{}", statements.concat());
    statements.reverse();
    let backward = format!("extension aws\n{}", statements.concat());
    for (text, last) in [(forward, 999), (backward, 0)] {
        let deployment = deployed(&text, &json!({}));
        for node in [last, 500] {
            let body = crate::language::body(
                &deployment,
                node,
                &hangar_template::deployment::NothingKnown,
            );
            assert_eq!(body, r#"{N:{M:"n"}}"#);
        }
    }
}

#[test]
fn what_doubles_is_stopped() {
    only_code(&chain(64, "[1]", |before| format!("[{before}, {before}]")), "TMPL0003");
    only_code(&chain(64, "{}", |before| format!("{{ a: {before}, b: {before} }}")), "TMPL0003");
    only_code(
        &chain(64, "'0123456789'", |before| format!("'${{{before}}}${{{before}}}'")),
        "TMPL0003",
    );
    only_code(&chain(64, "['a']", |before| format!("concat({before}, {before})")), "TMPL0006");
    only_code("output o array = reduce(range(0, 60), [1], (all, x) => [all, all])\n", "TMPL0003");
    only_code("output o array = [for x in range(0, 10000): range(0, 10000)]\n", "TMPL0003");
}

#[test]
fn loops_that_never_end_do() {
    only_code("output o array = range(0, 10000000)\n", "TMPL0006");
    only_code(
        "var n = range(0, 9000)\noutput o array = map(n, a => length(map(n, b => length(map(n, c => 1)))))\n",
        "TMPL0003",
    );
    let text = "extension aws\nresource r 'AWS.S3/Bucket@default' = [for i in range(0, 9000): {\n  alias: 'r${i}'\n}]\n";
    only_code(text, "TMPL0004");
    let mut text = "extension aws\n".to_owned();
    for at in 0..6 {
        writeln!(
            text,
            "resource r{at} 'AWS.S3/Bucket@default' = [for i in range(0, 1000): {{\n  alias: 'r${{i}}-{at}'\n}}]"
        )
        .unwrap();
    }
    only_code(&text, "TMPL0004");
}

#[test]
fn many_wrong_names_take_no_longer_than_their_text() {
    let mut text = String::new();
    for index in 0..3_000 {
        writeln!(text, "var variable{index} = {{ a: wrong{index}, b: wrog{index}() }}").unwrap();
    }
    assert_eq!(soon(&text).len(), 6_000);
}
