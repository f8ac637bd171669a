//! `hangar explain`: what a code means.

use serde_json::Value;

use crate::{run, shown};

#[test]
fn a_code_is_explained_with_an_example_whatever_its_case() {
    insta::assert_snapshot!(shown(&["explain", "No-Unused-Vars", "error[BCP238]:"]), @"
    exit: 0
    --- stdout
    no-unused-vars (Rules of hangar lint)

    A variable is never used, and not exported.

    What to do: Remove it, or use it.

    Example:

        var size = 1

    See docs/errors.md#rules-of-hangar-lint

    BCP238 (BCP and TMPL: templates)

    A comma stands at the end of a line.

    What to do: Remove it: the new line separates already.

    Example:

        var a = [
          1,
          2
        ]

    See docs/errors.md#bcp-and-tmpl-templates
    --- stderr
    ");
}

#[test]
fn codes_of_the_http_interface_are_explained_too() {
    let told = shown(&["explain", "ReplaceRequired", "ManagedElsewhere"]);
    assert!(told.starts_with("exit: 0\n"), "{told}");
    assert!(told.contains("`--replace`") && told.contains("Another deployment took"), "{told}");
}

#[test]
fn a_code_that_is_none_is_refused_with_the_near_one() {
    insta::assert_snapshot!(shown(&["explain", "TMPL00007"]), @"
    exit: 1
    --- stdout
    --- stderr
    error[CLI0001]: unknown code `TMPL00007`
    hint: did you mean `TMPL0007`?
    ");
    let told = shown(&["explain", "what"]);
    assert!(told.contains("hangar explain --list"), "{told}");
}

#[test]
fn all_codes_are_listed_each_with_its_meaning() {
    let output = run(&["explain", "--list", "--all", "-o", "json"]);
    let all: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    assert!(all.len() > 350, "{}", all.len());
    let with_example = all.iter().filter(|it| !it["examples"].as_array().unwrap().is_empty());
    assert!(with_example.count() > 80);
    let text = String::from_utf8(run(&["explain", "--list", "--all"]).stdout).unwrap();
    assert_eq!(text.lines().count(), all.len());
    for (line, it) in text.lines().zip(&all) {
        assert!(line.starts_with(it["code"].as_str().unwrap()), "{line}");
    }
    let shown = String::from_utf8(run(&["explain", "--list"]).stdout).unwrap();
    assert!(!shown.contains("Library only") && text.contains("Library only"));
}
