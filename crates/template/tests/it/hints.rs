//! How many errors come with a hint on what to do next.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use hangar_diag::Diagnostic;
use hangar_template::program::compile;
use hangar_template::source::Sources;

use crate::compiles::sources_of;
use crate::corpus::FIXTURES;

/// The least share of errors with a hint.
const LEAST_PERCENT: usize = 95;

/// The errors of invalid sources: Bicep's own, where they are present, and those of this crate's tests.
fn errors() -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    for case in fs::read_dir(Path::new(FIXTURES).join("diagnostics")).into_iter().flatten() {
        let sources = sources_of(&case.unwrap().path());
        problems.extend(compile(&sources, "main.bicep").problems);
    }
    for case in include_str!("../program/problems.txt").split("====\n") {
        let (text, _) = case.split_once("--\n").unwrap();
        let sources = Sources::of("main.bicep", text.as_bytes());
        problems.extend(compile(&sources, "main.bicep").problems);
    }
    let whole = include_str!("../syntax/everything.bicep");
    for (from, to) in SLIPS {
        let text = whole.replacen(from, to, 1);
        let sources = Sources::of("main.bicep", text.as_bytes());
        problems.extend(compile(&sources, "main.bicep").problems);
    }
    problems.into_iter().map(|it| it.diagnostic).filter(Diagnostic::is_error).collect()
}

/// Slips of a whole file: what is replaced, and by what.
const SLIPS: &[(&str, &str)] = &[
    ("{", ""),
    ("}", ""),
    ("[", ""),
    ("]", ""),
    ("(", ""),
    (")", ""),
    ("=", ""),
    (":", ""),
    ("'", ""),
    ("=", ":"),
    (":", "="),
    (",", ";"),
    ("param ", "parameter "),
    ("string", "String"),
];

#[test]
fn nearly_every_error_says_what_to_do_next() {
    let errors = errors();
    let mut without: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    for error in errors.iter().filter(|it| it.hints.is_empty()) {
        without.entry(error.code.as_str()).or_insert((0, &error.message)).0 += 1;
    }
    for (code, (count, message)) in &without {
        println!("no hint: {count} of {code}, such as: {message}");
    }
    let missing: usize = without.values().map(|it| it.0).sum();
    let with = errors.len() - missing;
    println!("{with} of {} errors have a hint", errors.len());
    assert!(with * 100 >= errors.len() * LEAST_PERCENT, "{with} of {}", errors.len());
}

#[test]
fn a_hint_says_what_to_write_at_its_place() {
    for (text, wanted) in [
        ("param x =\n", "write the type before the `=`, as in `param x string = …`"),
        ("param x = 5\n", "write the type before the `=`: `param x int = …`"),
        ("param x string =\n", "write the default of `x` after the `=`, or remove the `=`"),
        ("var x =\n", "write the value of `x` after the `=`"),
        ("var x\n", "write the value after it, as in `var x = 'text'`"),
        ("var x = [1, 2\n", "close it with `]`"),
        ("var x = max(1,\n", "close it with `)`"),
        ("var x = 1 +\n", "write a value on the right of `+`, or remove the `+`"),
        ("var x = 1 and 2\n", "write `&&` instead of `and`"),
        ("var x = {\n  a:\n}\n", "write the value of `a` after the `:`, or remove the property"),
        ("var x = 'it's'\n", "write `\\'` for a quote inside a string"),
        (
            "var x = y.\nvar y = {}\n",
            "write the name of a property after the `.`, or remove the `.`",
        ),
        ("let x = 1\n", "write `var` instead of `let`"),
        ("x = 1\n", "write `var` before it: `var x = …`"),
        ("var x = 1\nvar x = 2\n", "rename or remove one of them; the name `x2` is free"),
        ("output o bool = 'true'\n", "write `true` without quotes"),
        ("param n int\noutput o string = n\n", "write `string(n)`"),
        ("param p 'dev' | 'prod' = 'prd'\n", "did you mean `'prod'`?"),
        (
            "var x = replace('a', 'b')\n",
            "call it as `replace(text string, old string, new string) string`",
        ),
        (
            "var x = [for z in zones: z]\n",
            "declare it with `param zones array` or `var zones = [ … ]`",
        ),
    ] {
        let sources = Sources::of("main.bicep", text.as_bytes());
        let problems = compile(&sources, "main.bicep").problems;
        let hints: Vec<String> = problems.into_iter().flat_map(|it| it.diagnostic.hints).collect();
        assert_eq!(hints.first().map(String::as_str), Some(wanted), "{text}{hints:?}");
    }
}
