//! Whatever the text is: no panic, nothing lost, an end, and a stack that suffices.
//!
//! `PROPTEST_CASES` makes the runs longer.

use hangar_template::syntax::{Dialect, parse};
use proptest::prelude::*;

use crate::laws;
use crate::program_laws::program_laws;

/// A template with a bit of everything.
const SEED: &str = include_str!("../syntax/everything.bicep");

/// A template with a bit of everything that is evaluated.
const RUNS: &str = include_str!("../syntax/evaluated.bicep");

/// What holds for every text.
fn laws(text: &str) {
    laws::laws(text);
    program_laws(text);
}

/// Pieces that turn up where they should not.
const PIECES: &[&str] = &[
    "'",
    "'''",
    "$'''",
    "$$'''",
    "${",
    "}",
    "{",
    "[",
    "]",
    "(",
    ")",
    "<",
    ">",
    ",",
    ":",
    "::",
    ".",
    ".?",
    "...",
    "?",
    "??",
    "!",
    "=",
    "==",
    "=>",
    "|",
    "||",
    "&&",
    "@",
    "#",
    "\\",
    "\\u{",
    "\n",
    "\r\n",
    " ",
    "/*",
    "*/",
    "//",
    "for ",
    " in ",
    "if ",
    "resource ",
    "param ",
    "existing",
    "#disable-next-line ",
    "a",
    "0",
    "99999999999999999999",
    "é",
    "\u{feff}",
    "\0",
    "*",
    "^",
    "-",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_mutated_template_is_read(
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..40, 0..PIECES.len()), 1..12)
    ) {
        for seed in [SEED, RUNS] {
            let mut text = seed.to_owned();
            for (at, cut, piece) in &changes {
                let start = boundary(&text, at.index(text.len() + 1));
                let end = boundary(&text, (start + cut).min(text.len()));
                text.replace_range(start..end, PIECES[*piece]);
            }
            laws(&text);
        }
    }

    /// Changes that mostly leave the syntax right, so that they reach the names and the values.
    #[test]
    fn a_template_with_its_words_mixed_up_is_evaluated(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..6)
    ) {
        let mut words: Vec<&str> = RUNS.split_inclusive(|c: char| !c.is_ascii_alphanumeric()).collect();
        for (to, from) in changes {
            let from = words[from.index(words.len())];
            let at = to.index(words.len());
            let (last, wanted) = (words[at].chars().last(), from.chars().last());
            if last == wanted {
                words[at] = from;
            }
        }
        program_laws(&words.concat());
    }

    #[test]
    fn any_pieces_in_any_order_are_read(pieces in prop::collection::vec(0..PIECES.len(), 0..60)) {
        laws(&pieces.iter().map(|piece| PIECES[*piece]).collect::<String>());
    }

    #[test]
    fn any_text_is_read(text in any::<String>()) {
        laws(&text);
    }
}

fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[test]
fn a_hundred_thousand_brackets_are_a_mistake_and_no_overflow() {
    const COUNT: usize = 100_000;
    let deep = format!("var a = {}1{}\n", "[".repeat(COUNT), "]".repeat(COUNT));
    laws(&deep);
    let found = parse(&deep, Dialect::Template).diagnostics;
    assert!(found.iter().any(|diagnostic| diagnostic.code.as_str() == "TMPL0001"), "{found:?}");
    assert!(found.len() < 10, "{} messages for one mistake", found.len());
}

#[test]
fn nothing_can_be_repeated_until_the_stack_overflows() {
    const COUNT: usize = 10_000;
    for open in [
        "[",
        "{a:",
        "(",
        "f(",
        "'${",
        "$'''${",
        "[[",
        "!",
        "-",
        "a?b:",
        "x=>",
        "a[",
        "if(",
        "@a(",
        "{\n a: {\n",
        "[\n",
        "a.",
        "a.b",
        "1+",
        "a??",
        "[for x in ",
    ] {
        laws(&format!("var a = {}", open.repeat(COUNT)));
    }
    for open in ["[", "{a:", "(", "string[]", "string?", "a.b", "a<", "a|"] {
        laws(&format!("type a = {}", open.repeat(COUNT)));
        laws(&format!("param a {}", open.repeat(COUNT)));
    }
    laws(&"@a\n".repeat(COUNT));
    laws(&"resource a 'b' = {\n".repeat(COUNT));
}

#[test]
fn time_grows_with_the_text_and_no_faster() {
    // A quadratic parser or lexer would need minutes for these.
    for line in ["var a = [\n", "}\n", "a ? b :\n", "'${\n", "\n \n", "/*", "@", ",", "$", "(\n"] {
        laws(&line.repeat(50_000));
    }
}
