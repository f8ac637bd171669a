//! The formatter: what it does to a text, and what it never does.

use std::path::{Path, PathBuf};

use hangar_template::arm::build;
use hangar_template::format::{FormatError, format};
use hangar_template::syntax::{Dialect, TokenKind, Tree, TriviaKind, parse};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::corpus::{FIXTURES, files, templates};
use crate::laws::formats;

const EVERYTHING: &str = include_str!("../syntax/everything.bicep");
const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");

fn formatted(text: &str) -> String {
    format(text, Dialect::Template).unwrap()
}

#[track_caller]
fn becomes(text: &str, wanted: &str) {
    let found = formatted(text);
    assert_eq!(found, wanted, "\nfound:\n{found}\nwanted:\n{wanted}");
    assert_eq!(formatted(&found), found, "not settled");
}

#[track_caller]
fn stays(text: &str) {
    becomes(text, text);
}

#[test]
fn spaces_stand_around_operators_and_after_colons() {
    becomes("var  a=1+2 *3\n", "var a = 1 + 2 * 3\n");
    becomes("var a = ! b&&c .d [ 0 ]\n", "var a = !b && c.d[0]\n");
    becomes("var a={b :1,'c':- 2}", "var a = { b: 1, 'c': -2 }\n");
    becomes("param a string='b'\n", "param a string = 'b'\n");
    becomes("var a = b( c ,d )?e:f\n", "var a = b(c, d) ? e : f\n");
    becomes("var a=map( b,c=>c )\n", "var a = map(b, c => c)\n");
    becomes("func a(b   string,c int)string=>b\n", "func a(b string, c int) string => b\n");
    becomes("type a='b'|'c' | int [ ] ?\n", "type a = 'b' | 'c' | int[]?\n");
    becomes("import {a  as b,c} from 'd.bicep'\n", "import { a as b, c } from 'd.bicep'\n");
    becomes("var a = [...b,  ...c]\n", "var a = [...b, ...c]\n");
}

#[test]
fn at_most_one_empty_line_is_kept_and_none_at_the_ends() {
    becomes(
        "\n\n\nvar a = 1\n\n\n\nvar b = 2\nvar c = 3\n  \n  \n",
        "var a = 1\n\nvar b = 2\nvar c = 3\n",
    );
    becomes("var a = {\n\n\n  b: 1\n\n\n\n  c: 2\n\n}\n", "var a = {\n  b: 1\n\n  c: 2\n}\n");
    becomes("", "");
    becomes("\n \n", "");
    becomes("// only\n\n", "// only\n");
}

#[test]
fn what_was_broken_stays_broken_and_what_was_not_does_not_break() {
    stays("var a = { b: 1, c: [1, 2] }\n");
    stays("var a = {\n  b: 1\n}\n");
    stays("var a = [\n  1\n]\n");
    becomes("var a = [1\n 2, 3]\n", "var a = [\n  1\n  2\n  3\n]\n");
    becomes("var a = {\n}\n", "var a = {}\n");
    becomes(
        "var a = [{\n b: 1\n}, {\n c: 2\n}]\n",
        "var a = [\n  {\n    b: 1\n  }\n  {\n    c: 2\n  }\n]\n",
    );
    becomes("var a = b\n? 1\n: 2\n", "var a = b\n  ? 1\n  : 2\n");
    becomes("type a = 'b'\n|'c'\n", "type a = 'b'\n  | 'c'\n");
    becomes("var a = [\n  for b in c: b\n]\n", "var a = [for b in c: b]\n");
    becomes("var a = concat(\n  b,\n  c\n)\n", "var a = concat(b, c)\n");
}

#[test]
fn what_holds_a_broken_object_is_broken_around_it() {
    becomes(
        "var a = b ? {\n    c: {\n        d: 1\n    }\n} : {}\n",
        "var a = b\n  ? {\n      c: {\n        d: 1\n      }\n    }\n  : {}\n",
    );
    becomes(
        "var a = [for (b, c) in d: {\n  e: c\n}]\n",
        "var a = [\n  for (b, c) in d: {\n    e: c\n  }\n]\n",
    );
    becomes(
        "resource a 'b' = [for c in d: if (c) {\n  e: c\n}]\n",
        "resource a 'b' = [\n  for c in d: if (c) {\n    e: c\n  }\n]\n",
    );
    becomes("var a = union({\n  b: 1\n}, {})\n", "var a = union(\n  {\n    b: 1\n  },\n  {}\n)\n");
}

#[test]
fn a_last_argument_that_is_broken_leaves_the_others_on_their_line() {
    stays("var a = any({\n  b: 1\n})\n");
    stays("var a = any(any({\n  b: 1\n}))\n");
    stays("var a = map(range(0, 3), b => {\n  c: b\n})\n");
    stays("var a = flatten(map(range(1, 3), b => [\n  b\n]))\n");
    becomes("var a = concat([\n\n], [\n  true\n])\n", "var a = concat([], [\n  true\n])\n");
}

#[test]
fn what_is_too_long_for_a_line_is_broken_outside_in() {
    let long = "x".repeat(60);
    becomes(
        &format!("var a = {{ b: '{long}', c: ['{long}'] }}\n"),
        &format!("var a = {{\n  b: '{long}'\n  c: ['{long}']\n}}\n"),
    );
    becomes(
        &format!("var a = concat('{long}', '{long}')\n"),
        &format!("var a = concat(\n  '{long}',\n  '{long}'\n)\n"),
    );
    becomes(
        &format!("var a = b ? '{long}' : '{long}'\n"),
        &format!("var a = b\n  ? '{long}'\n  : '{long}'\n"),
    );
    becomes(
        &format!("type a = '{long}' | '{long}'\n"),
        &format!("type a = '{long}'\n  | '{long}'\n"),
    );
    // One text in parentheses gets no line of its own, and no line can be broken at an operator.
    stays(&format!("@description('{long}{long}')\nparam a string\n"));
    stays(&format!("var a = '{long}' == '{long}'\n"));
}

#[test]
fn comments_stay_where_they_are() {
    stays("// before\nvar a = 1 // after\n/* between */\nvar b = 2\n// end\n");
    becomes(
        "var a = {   // open\n b: 1 // one\n\n // alone\n /* c */ c: 2\n // last\n}\n",
        "var a = { // open\n  b: 1 // one\n\n  // alone\n  /* c */ c: 2\n  // last\n}\n",
    );
    becomes(
        "var a = [1/* one */,/* two */2/* end */]\n",
        "var a = [1 /* one */, /* two */ 2 /* end */]\n",
    );
    becomes("var a = {// nothing\n}\n", "var a = { // nothing\n}\n");
    becomes(
        "var a = b( // why\nc,// c\nd\n// end\n)\n",
        "var a = b( // why\n  c, // c\n  d\n  // end\n)\n",
    );
    becomes("var a = b // why\n? c // c\n: d\n", "var a = b // why\n  ? c // c\n  : d\n");
    becomes(
        "@secure() // why\n// more\n\nparam a string\n",
        "@secure() // why\n// more\nparam a string\n",
    );
    stays("var a = [\n  // first\n  for b in c: b\n  // last\n]\n");
    stays("/* two\n   lines */\nvar a = 1\n");
    stays("var a = { /* only */ }\n");
    becomes("var a = {/* only */}\n", "var a = { /* only */ }\n");
    becomes("var a = [/* only */]\n", "var a = [ /* only */ ]\n");
}

#[test]
fn directives_stay_on_lines_of_their_own() {
    becomes(
        "   #disable-next-line BCP081   no-unused-vars  \nvar   a = 1\n",
        "#disable-next-line BCP081   no-unused-vars\nvar a = 1\n",
    );
    stays("var a = {\n  #disable-next-line BCP036\n  b: 1\n}\n");
}

#[test]
fn decorators_have_lines_of_their_own() {
    becomes(
        "@secure()   @minLength( 3 )\n\nparam a string\n",
        "@secure()\n@minLength(3)\nparam a string\n",
    );
    becomes("@description('a') param a string\n", "@description('a')\nparam a string\n");
    becomes(
        "type a = { @minLength(1) b: string, c: int }\n",
        "type a = {\n  @minLength(1)\n  b: string\n  c: int\n}\n",
    );
}

#[test]
fn strings_are_not_touched() {
    stays("var a = 'b${ c+d }e'\n");
    stays("var a = '''\n  b  \n\tc\n'''\n");
    stays("var a = $'''\n${ b }\n'''\n");
    stays("var a = format('''\nb\n''', 'c')\n");
}

#[test]
fn a_file_keeps_its_line_ends_and_its_byte_order_mark() {
    becomes(
        "\u{feff}var a=1\r\nvar b = {\r\nc:1\r\n}",
        "\u{feff}var a = 1\r\nvar b = {\r\n  c: 1\r\n}\r\n",
    );
    becomes("var a = 1\r\nvar b = 2\nvar c = 3\n", "var a = 1\nvar b = 2\nvar c = 3\n");
}

#[test]
fn a_file_of_parameters_is_formatted_too() {
    let text = "using   'main.bicep'\nparam a={b:1}\n";
    let wanted = "using 'main.bicep'\nparam a = { b: 1 }\n";
    assert_eq!(format(text, Dialect::Parameters).as_deref(), Ok(wanted));
}

#[test]
fn a_text_with_a_mistake_is_refused_with_it() {
    let refused = format("var   a = \nvar b=1\n", Dialect::Template);
    let Err(FormatError::Mistakes(found)) = refused else { panic!("{refused:?}") };
    assert_eq!(found.iter().map(|it| it.code.as_str()).collect::<Vec<_>>(), ["BCP009"]);
}

#[test]
fn nested_as_deep_as_the_parser_follows_is_formatted() {
    for (open, close) in [("[", "]"), ("{a:", "}"), ("any(", ")"), ("(", ")")] {
        let text = format!("var a = {}1{}\n", open.repeat(190), close.repeat(190));
        formats(&text, Dialect::Template);
        assert!(format(&text, Dialect::Template).is_ok(), "{open}");
    }
    let union = format!("type a = {}int{}\n", "{ a: 'b' | ".repeat(60), " }".repeat(60));
    assert!(format(&union, Dialect::Template).is_ok());
    let ternary = format!("var a = {}1\n", "b ? 2 : ".repeat(150));
    formats(&ternary, Dialect::Template);
}

/// The tokens without new lines and commas, and the comments.
fn content(tree: &Tree) -> (Vec<String>, Vec<String>) {
    let text =
        |start: u32, end: u32| tree.text()[start as usize..end as usize].trim_end().to_owned();
    let tokens = tree.tokens().iter();
    let tokens = tokens.filter(|it| !matches!(it.kind, TokenKind::NewLine | TokenKind::Comma));
    let comments = tree.trivia().iter().filter(|it| it.kind != TriviaKind::Whitespace);
    (
        tokens.map(|it| text(it.start, it.end)).collect(),
        comments.map(|it| text(it.start, it.end)).collect(),
    )
}

#[test]
fn every_file_keeps_its_tokens_its_comments_and_what_it_comes_to() {
    let mut found = templates();
    if found.is_empty() {
        println!(
            "skipped: every_file_keeps_its_tokens_its_comments_and_what_it_comes_to (no ../shared)"
        );
    }
    let mut examples = Vec::new();
    files(Path::new(EXAMPLES), &mut examples);
    for path in examples {
        let dialect = match path.extension().and_then(|it| it.to_str()) {
            Some("bicep") => Dialect::Template,
            Some("bicepparam") => Dialect::Parameters,
            _ => continue,
        };
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(
            format(&text, dialect).as_deref(),
            Ok(&*text),
            "{} is not formatted",
            path.display()
        );
        found.push((path, dialect, text));
    }
    assert!(found.len() > 5);
    let (mut done, mut refused, mut same, mut built) = (0, 0, 0, 0);
    let (mut real, mut same_real) = (0, 0);
    for (path, dialect, text) in &found {
        let before = parse(text, *dialect);
        let after = match format(text, *dialect) {
            Ok(after) => after,
            Err(FormatError::Mistakes(_)) => {
                refused += 1;
                continue;
            }
            Err(FormatError::Unfaithful) => panic!("{} is not the same", path.display()),
        };
        done += 1;
        same += usize::from(after == *text);
        if path.to_string_lossy().contains("compile-real") {
            real += 1;
            same_real += usize::from(after == *text);
            if after != *text && std::env::var_os("SHOW_FORMATTED").is_some() {
                println!("=== {}\n{after}", path.display());
            }
        }
        formats(text, *dialect);
        let parsed = parse(&after, *dialect);
        assert_eq!(content(&parsed.tree), content(&before.tree), "{}", path.display());
        if *dialect == Dialect::Template {
            built += usize::from(builds_the_same(path, &after));
        }
    }
    println!(
        "{done} formatted ({same} unchanged; of the real ones {same_real} of {real}), {refused} refused, {built} built to the same"
    );
}

/// Whether a template is built, and then to the same as with its text formatted.
fn builds_the_same(path: &Path, after: &str) -> bool {
    // A case of the fixtures is two folders below them, one of the examples one.
    let (root, depth) = if path.starts_with(FIXTURES) { (FIXTURES, 2) } else { (EXAMPLES, 1) };
    let below: PathBuf = path.strip_prefix(root).unwrap().components().take(depth).collect();
    let case = Path::new(root).join(below);
    let folder = if case.is_dir() { &case } else { path.parent().unwrap() };
    let mut sources = crate::compiles::sources_of(folder);
    let Ok(name) = path.strip_prefix(folder) else { return false };
    let name = name.to_string_lossy().into_owned();
    let Some(before) = build(&sources, &name).template else { return false };
    sources.insert(&*name, after.as_bytes());
    assert_eq!(build(&sources, &name).template, Some(before), "{}", path.display());
    true
}

/// What may stand between any two tokens, or not.
const BETWEEN: &[&str] = &[
    " ",
    "\t",
    "\n",
    "\r\n",
    "\n\n\n",
    "/* c */",
    "/* c\n */",
    "// c\n",
    " // c\n  // d\n",
    "\n#disable-next-line X\n",
    ",",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_stands_between_the_tokens_the_laws_hold(
        places in prop::collection::vec((any::<Index>(), any::<Index>()), 1..12),
        statement in any::<Index>(),
    ) {
        // One statement alone: of the whole file most are broken by so many pieces.
        let statements: Vec<&str> = {
            let tree = parse(EVERYTHING, Dialect::Template).tree;
            let spans: Vec<_> = tree.root().children().map(hangar_template::syntax::Node::span).collect();
            spans.into_iter().map(|it| &EVERYTHING[it.start..it.end]).collect()
        };
        let mut text = statement.get(&statements).to_string();
        for (place, piece) in &places {
            let tree = parse(&text, Dialect::Template).tree;
            let token = place.get(tree.tokens());
            let changed = format!("{}{}{}", &text[..token.start as usize], piece.get(BETWEEN), &text[token.start as usize..]);
            formats(&changed, Dialect::Template);
            // What breaks the text is left out, so that much of it is tried.
            if format(&changed, Dialect::Template).is_ok() {
                text = changed;
            }
        }
    }
}
