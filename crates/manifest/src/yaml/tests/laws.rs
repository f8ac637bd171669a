//! What holds for every text, every style and every edit.

use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::yaml::{Edit, Place, Scalar, SpliceError, Stream, With, read, splice};

/// A value as a person would write it; `manner` picks among the styles that can hold it.
#[derive(Debug, Clone)]
enum Tree {
    Scalar { text: String, manner: u8, remark: bool },
    List(Vec<Tree>, bool),
    Map(Vec<(String, u8, Tree)>, bool),
}

fn words() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => Just("${x}".to_owned()),
        2 => "[a-z]{1,4}",
        1 => Just(" and ".to_owned()),
        1 => prop::sample::select(vec![
            " ", "  ", "\n", "\n\n", "'", "\"", "\\", "#", " #", ": ", ":", "- ", "-", "12", "1.5", "yes", "é", "😀",
            "*", "&", "%", "{", "}", "[", "]", ",", "|", ">", "\t", "\u{85}", "\u{2028}", "---", "...", "~", "null",
        ]).prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

fn tree() -> impl Strategy<Value = Tree> {
    let leaf = (words(), 0..8u8, any::<bool>()).prop_map(|(text, manner, remark)| Tree::Scalar {
        text,
        manner,
        remark,
    });
    leaf.prop_recursive(4, 30, 5, |inner| {
        prop_oneof![
            (prop::collection::vec(inner.clone(), 0..5), prop::bool::weighted(0.3))
                .prop_map(|(items, flow)| Tree::List(items, flow)),
            (prop::collection::vec((words(), 0..8u8, inner), 0..5), prop::bool::weighted(0.3))
                .prop_map(|(members, flow)| Tree::Map(members, flow)),
        ]
    })
}

/// One line for a text, in some style that can hold it by rules told here anew.
fn on_one_line(text: &str, manner: u8) -> String {
    let is_simple = text.chars().all(|c| c.is_ascii_alphanumeric() || "${} -".contains(c))
        && text.starts_with(|c: char| c.is_ascii_lowercase() || c == '$')
        && !text.ends_with(' ')
        && !matches!(text, "yes" | "null" | "no" | "on" | "off" | "y" | "n" | "true" | "false");
    match manner {
        0..=2 if is_simple => text.to_owned(),
        3 | 4 if !text.contains(['\n', '\t', '\u{85}', '\u{2028}']) => {
            format!("'{}'", text.replace('\'', "''"))
        }
        _ => serde_json::to_string(text).unwrap(),
    }
}

/// Words over several lines, folded, plain or in quotes.
fn lines(text: &str, manner: u8, line: &str) -> Option<String> {
    let is_word = |word: &str| {
        !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || "${}".contains(c))
    };
    if !text.contains(' ') || !text.split(' ').all(is_word) {
        return None;
    }
    let words = text.replace(' ', line);
    match manner {
        0 | 1 if !text.starts_with(['{', '}']) => Some(format!(" {words}")),
        2 | 3 => Some(format!(" '{words}'")),
        4 => Some(format!(" \"{words}\"")),
        5 | 6 => Some(format!(" >-{line}{words}")),
        _ => None,
    }
}

fn write_flow(tree: &Tree, out: &mut String) {
    match tree {
        Tree::Scalar { text, manner, .. } => {
            let has_indicator = text.contains(['{', '}', '[', ']', ',']);
            out.push_str(&on_one_line(text, if has_indicator { 7 } else { *manner }));
        }
        Tree::List(items, _) => {
            out.push('[');
            for item in items {
                write_flow(item, out);
                out.push_str(", ");
            }
            out.push(']');
        }
        Tree::Map(members, _) => {
            out.push('{');
            for (key, manner, member) in members {
                let has_indicator = key.contains(['{', '}', '[', ']', ',']);
                out.push_str(&on_one_line(key, if has_indicator { 7 } else { *manner }));
                out.push_str(": ");
                write_flow(member, out);
                out.push_str(", ");
            }
            out.push('}');
        }
    }
}

fn write_block(tree: &Tree, indent: usize, out: &mut String) {
    let pad = " ".repeat(indent);
    match tree {
        Tree::Scalar { text, manner, remark } => {
            let remark = if *remark { "  # ${x} | a remark" } else { "" };
            let anchor = if remark.is_empty() { "" } else { " &a" };
            if let Some(lines) = lines(text, *manner, &format!("\n{pad}    ")) {
                let _ = writeln!(out, "{anchor}{lines}");
                return;
            }
            out.push_str(anchor);
            let is_literal = *manner >= 6
                && text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '$')
                && !text.contains(['\u{85}', '\u{2028}', '\t'])
                && !text.ends_with(' ')
                && !text.trim_end_matches('\n').ends_with(' ');
            if is_literal {
                let chomp = match text.len() - text.trim_end_matches('\n').len() {
                    0 => "-",
                    1 => "",
                    _ => "+",
                };
                let _ = writeln!(out, " |{chomp}{remark}");
                for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
                    let line =
                        if line.is_empty() { String::new() } else { format!("{pad}  {line}") };
                    let _ = writeln!(out, "{line}");
                }
            } else {
                let _ = writeln!(out, " {}{remark}", on_one_line(text, *manner));
            }
        }
        Tree::List(items, flow) if *flow || items.is_empty() => {
            out.push(' ');
            write_flow(&Tree::List(items.clone(), true), out);
            out.push('\n');
        }
        Tree::Map(members, flow) if *flow || members.is_empty() => {
            out.push(' ');
            write_flow(&Tree::Map(members.clone(), true), out);
            out.push('\n');
        }
        Tree::List(items, _) => {
            out.push('\n');
            for item in items {
                let _ = write!(out, "{pad}  -");
                write_block(item, indent + 4, out);
            }
        }
        Tree::Map(members, _) => {
            out.push('\n');
            for (key, manner, member) in members {
                let _ = write!(out, "{pad}  {}:", on_one_line(key, *manner));
                write_block(member, indent + 2, out);
            }
        }
    }
}

/// The texts of the scalars, in their order.
fn texts(tree: &Tree, out: &mut Vec<String>) {
    match tree {
        Tree::Scalar { text, .. } => out.push(text.clone()),
        Tree::List(items, _) => items.iter().for_each(|item| texts(item, out)),
        Tree::Map(members, _) => {
            for (key, _, member) in members {
                out.push(key.clone());
                texts(member, out);
            }
        }
    }
}

fn document(trees: &[Tree], is_crlf: bool, has_end: bool) -> String {
    let mut text = "# ${x} a remark\n".to_owned();
    for tree in trees {
        text.push_str("---");
        write_block(tree, 0, &mut text);
    }
    if !has_end {
        text.truncate(text.trim_end_matches('\n').len());
    }
    if is_crlf { text.replace('\n', "\r\n") } else { text }
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => words().prop_map(Value::String),
        1 => any::<String>().prop_map(Value::String),
        1 => any::<i64>().prop_map(Value::from),
        1 => any::<f64>().prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(Value::Null),
        1 => (words(), words()).prop_map(|(a, b)| json!([a, {b: 1}, [], {}])),
    ]
}

/// One edit a chosen scalar: its references replaced, or all of it.
fn edits(stream: &Stream<'_>, choices: &[(u8, Value)], every: bool) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (index, scalar) in stream.scalars().iter().enumerate() {
        let (choice, value) = &choices[index % choices.len()];
        if scalar.is_unwritten() && !every {
            continue;
        }
        let with = match choice {
            0 | 1 => {
                let with = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                let found = scalar.text.match_indices("${x}");
                With::Parts(found.map(|(at, _)| (at..at + 4, with.clone())).collect())
            }
            2 if scalar.place == Place::Value || value.is_string() || every => {
                With::Whole(value.clone())
            }
            _ => continue,
        };
        edits.push(Edit { scalar: index, with });
    }
    edits
}

/// What stands between the edited scalars stands there still, in order, and nothing else does.
fn is_kept(stream: &Stream<'_>, edits: &[Edit], result: &str) -> bool {
    let text = stream.text();
    let mut done = 0;
    let mut rest = result;
    for (at, edit) in edits.iter().enumerate() {
        let span = stream.scalars()[edit.scalar].span;
        let gap = &text[done..span.start];
        match (at, rest.find(gap)) {
            (0, Some(0)) => rest = &rest[gap.len()..],
            (1.., Some(found)) => rest = &rest[found + gap.len()..],
            _ => return false,
        }
        done = span.end;
    }
    rest.ends_with(&text[done..])
}

fn told<'s>(stream: &'s Stream<'_>, scalar: &'s Scalar<'_>) -> (String, Value, bool) {
    (stream.object(scalar).document.to_string(), scalar.value(), scalar.place == Place::Key)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn every_tree_is_read_as_it_was_written(
        trees in prop::collection::vec(tree(), 1..3), is_crlf in any::<bool>(), has_end in any::<bool>(),
    ) {
        let text = document(&trees, is_crlf, has_end);
        let stream = read(&text).map_err(|error| TestCaseError::fail(format!("{error} in {text:?}")))?;
        let mut wanted = Vec::new();
        for tree in &trees {
            texts(tree, &mut wanted);
        }
        let found: Vec<&str> = stream.scalars().iter().map(|scalar| &*scalar.text).collect();
        // What ends a text without a line break has none to keep.
        if has_end {
            prop_assert_eq!(found, wanted, "{}", text);
        } else {
            prop_assert_eq!(found.len(), wanted.len(), "{}", text);
        }
        prop_assert_eq!(splice(&stream, &[]).unwrap(), text);
    }

    #[test]
    fn every_edit_is_made_and_nothing_else_changes(
        trees in prop::collection::vec(tree(), 1..3), is_crlf in any::<bool>(), has_end in any::<bool>(),
        choices in prop::collection::vec((0..5u8, value()), 1..6),
    ) {
        let text = document(&trees, is_crlf, has_end);
        let stream = read(&text).unwrap();
        let edits = edits(&stream, &choices, false);
        let result = splice(&stream, &edits)
            .map_err(|error| TestCaseError::fail(format!("{error} in {text:?} by {edits:?}")))?;
        prop_assert!(is_kept(&stream, &edits, &result), "{text:?} became {result:?}");
        let is_scalar = |edit: &Edit| !matches!(&edit.with, With::Whole(Value::Array(_) | Value::Object(_)));
        if edits.iter().all(is_scalar) {
            let after = read(&result).unwrap();
            prop_assert_eq!(after.scalars().len(), stream.scalars().len());
            for (index, scalar) in stream.scalars().iter().enumerate() {
                let mut wanted = told(&stream, scalar);
                if let Some(edit) = edits.iter().find(|edit| edit.scalar == index) {
                    wanted.1 = match &edit.with {
                        With::Whole(value) => value.clone(),
                        With::Parts(parts) => {
                            let with = parts.first().map_or("", |(_, with)| with);
                            Value::String(scalar.text.replace("${x}", with))
                        }
                    };
                }
                prop_assert_eq!(told(&after, &after.scalars()[index]), wanted);
            }
        }
    }

    #[test]
    fn any_text_is_read_or_refused_and_any_edit_made_or_refused(
        text in prop_oneof![
            any::<String>(),
            "[-?:,\\[\\]{}#&*!|>'\"%@ab$1~ \n\t\r]{0,80}",
            "(a: |k: >|- |\\? |: |\n|\n  |\n    |x|\"|'|\\[|\\]|\\{|\\}|, |#c| |\\$\\{x\\}|&a |\\*a|!!str |---|\r\n|1|\\|2|\\|\\+){0,30}",
        ],
        choices in prop::collection::vec((0..4u8, value()), 1..6),
    ) {
        let Ok(stream) = read(&text) else { return Ok(()) };
        for scalar in stream.scalars() {
            prop_assert!(text.get(scalar.span.start..scalar.span.end).is_some());
            let _ = (stream.key(scalar).pointer(), stream.object(scalar).to_string(), scalar.value());
        }
        prop_assert_eq!(&splice(&stream, &[]).unwrap(), &text);
        let edits = edits(&stream, &choices, true);
        match splice(&stream, &edits) {
            Ok(result) => prop_assert!(read(&result).is_ok()),
            Err(error) => prop_assert!(!matches!(error, SpliceError::Edit { .. }), "{}", error),
        }
    }
}
