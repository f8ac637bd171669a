//! The table of expressions, by us and by Terraform itself.

use std::fs;

use hangar_manifest::deployed::Deployed;
use hangar_manifest::hcl::{parse_expression, parse_template};
use hangar_manifest::state;
use serde_json::{Map, Value, json};

use super::table::TABLE;
use crate::recipe::terraform::workspace;

const OWN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/hcl");

/// Expressions that are sensitive here because something in them is; Terraform asks it of that itself.
const HOLDING: &[&str] = &[
    "[sensitive(\"a\")]",
    "terraform_data.one.input.database",
    "values(terraform_data.one.input.database)",
];

/// Expressions that Terraform refuses, too, with a part of what is said here.
#[rustfmt::skip]
const REFUSED: &[(&str, &str)] = &[
    ("1 + \"a\"", "`+` requires a number, not a string"),
    ("null + 1", "requires a number, not null"),
    ("!1", "`!` requires a boolean"),
    ("1 < \"a\"", "`<` requires a number"),
    ("\"a\" ? 1 : 2", "the condition of `?` requires a boolean"),
    ("\"a${null}\"", "a template requires a string, a number or a boolean, not null"),
    ("\"a${[1]}\"", "or a boolean, not a list"),
    ("{ ab = 1 }.ac", "the object has no `ac`; did you mean `ab`?"),
    ("{ a = 1, b = 2 }[\"zzz\"]", "the object has no `zzz`; available: `a`, `b`"),
    ("[][0]", "the index is out of range: the length of the list is 0"),
    ("[1][1]", "the index is out of range: the length of the list is 1"),
    ("[1].a", "`[*].a` reads it from each element"),
    ("[1][\"a\"]", "must be a whole number"),
    ("toset([1])[0]", "a set has no order"),
    ("1.a", "a number has no `.a`"),
    ("[for x in 1 : x]", "`for` requires a list or an object, not a number"),
    ("{for x in [\"a\", \"a\"] : x => 1}", "two members have the same key"),
    ("{ (null) = 1 }", "a key must be a string, not null"),
    ("fromat(\"a\")", "there is no function `fromat`; did you mean `format`?"),
    ("qqqqqqqq(\"a\")", "there is no function `qqqqqqqq`"),
    ("upper()", "it takes 1 argument, not 0"),
    ("upper(\"a\", \"b\")", "it takes 1 argument, not 2"),
    ("lookup({})", "it takes 2 to 3 arguments, not 1"),
    ("min()", "it takes at least 1 argument, not 0"),
    ("upper([])", "argument 1 must be a string, not a list"),
    ("upper(null)", "argument 1 must be a string, not null"),
    ("upper(1...)", "the argument before `...` must be a list"),
    ("element([], 0)", "the list is empty"),
    ("lookup({}, \"a\")", "no such key, and no default is passed"),
    ("join(\",\", [null])", "a list that contains null"),
    ("range(2000)", "it returns at most 1024 numbers"),
    ("range(1, 5, -1)", "the step must lead from the start to the end"),
    ("one([1, 2])", "must have at most one element, not 2"),
    ("zipmap([\"a\"], [])", "as many keys as values"),
    ("slice([1], 0, 2)", "must not exceed the second"),
    ("index([\"a\"], \"b\")", "no such element"),
    ("format(\"%d\", 1.5)", "requires a whole number"),
    ("format(\"%s\")", "there is no argument for `%s`"),
    ("format(\"a\", 1)", "too many arguments: 1 passed, 0 used"),
    ("format(\"%y\", 1)", "`%y` is not a format verb"),
    ("format(\"%\")", "the format ends after `%`"),
    ("formatlist(\"%s%s\", [1], [1, 2])", "all lists must have the same length"),
    ("tonumber(\"x\")", "argument 1 must be a number"),
    ("tobool(\"yes\")", "argument 1 must be `true` or `false`"),
    ("jsondecode(\"{\")", "argument 1 is not JSON: line 1"),
    ("base64decode(\"!\")", "argument 1 is not Base64"),
    ("coalesce(\"\", null)", "every argument is null or empty"),
    ("coalescelist([], [])", "all lists are empty"),
    ("try({}.a, {}.b)", "no argument has a value"),
    ("terraform_data.nope.id", "the state has no `terraform_data.nope`"),
    ("terraform_data.one.nope", "`terraform_data.one` has no `nope`"),
    ("terraform_data.many.output", "`terraform_data.many` does not name one instance"),
    ("terraform_data.one[0].output", "`terraform_data.one[0]` does not name one instance"),
    ("terraform_data.each[\"zz\"].output", "does not name one instance; available: `terraform_data.each[\"a\"]`"),
    ("terraform_data", "`terraform_data` is not a reference"),
    ("nothing", "`nothing` is not a reference"),
    ("var.x", "`var.x` is a variable, which a state does not contain"),
    ("local.x", "`local.x` is a local value"),
    ("module.m.out", "`module.m.out` is an output of a module"),
    ("each.key", "`each.key` is a value of the instance"),
    ("1 +", "expected a value, but the text ends"),
    ("", "expected a value, but the text ends"),
    ("(1", "expected `)`"),
    ("[1 2]", "expected `,` or `]` after an element"),
    ("{ a 1 }", "expected `=` or `:` after a key"),
    ("{ a = 1 b = 2 }", "expected `,`, a new line or `}`"),
    ("{ a = 1\n+ 2 }", "expected a value"),
    ("\"a", "expected `\"` to close the string"),
    ("\"a\nb\"", "write `\\n`"),
    ("\"\\q\"", "expected one of `\\n`"),
    ("upper(\"a\"", "expected `,` or `)`"),
    ("upper(\"a\" \"b\")", "expected `,` or `)`"),
    ("a..b", "expected a name after `.`"),
    ("1 2", "unexpected text after the expression"),
    ("true ? 1", "expected `:`"),
    ("\"${1\"", "expected `}`"),
    ("\"%{ if true }a\"", "`%{if}` has no `%{endif}`"),
    ("\"%{ endif }\"", "`%{endif}` has no matching start"),
    ("\"%{ for x in [] }%{ endif }\"", "`%{for}` has no `%{endfor}`"),
    ("\"%{ while true }\"", "expected `if`, `else`"),
    ("[for x of []: x]", "expected `in`"),
    ("[for x in [] x]", "expected `:`"),
    ("{for x in [] : x}", "expected `=>`"),
    ("a[", "expected a value"),
    ("a[*", "expected `[*]`"),
    ("1 /* x", "the comment is not closed"),
    ("provider::aws", "expected `(`"),
    ("@", "expected a value"),
];

/// Expressions that Terraform computes and that are refused here by name.
const NOT_COMPUTED: &[(&str, &str)] = &[
    ("<<EOT\nx\nEOT\n", "heredocs (`<<`) are not supported here"),
    ("1 % 0", "division by zero (`%`)"),
    ("1 / 0", "division by zero (`/`)"),
    ("md5(\"a\")", "the function `md5` is not supported: Hangar does not compute hashes"),
    (
        "yamlencode({})",
        "the function `yamlencode` is not supported: Hangar does not convert this format",
    ),
    (
        "replace(\"a\", \"/a/\", \"b\")",
        "the function `replace` is not supported: `/…/` is a regular expression",
    ),
    ("file(\"main.tf.json\")", "it works with files"),
    ("terraform.workspace", "`terraform.workspace` is a value of the Terraform run"),
    ("path.module", "`path.module` is a path in the configuration"),
];

#[test]
fn expressions_have_the_values_that_terraform_gives_them() {
    let mut wrong = Vec::new();
    for file in ["terraform.tfstate", "show.json"] {
        let text = fs::read(format!("{OWN}/{file}")).unwrap();
        let state = state::read(&text).unwrap();
        let deployed = Deployed::new(&state);
        for (expression, expected, sensitive) in TABLE {
            let expected: Value = serde_json::from_str(expected).unwrap();
            let tree = match parse_expression(expression) {
                Ok(tree) => tree,
                Err(error) => {
                    wrong.push(format!("{expression}: {error} {:?}", error.span));
                    continue;
                }
            };
            let whole = parse_template(&format!("${{{expression}}}")).unwrap();
            match (deployed.evaluate(&tree), deployed.evaluate(&whole)) {
                (Ok(found), Ok(again)) => {
                    if found.value != expected {
                        wrong.push(format!("{expression}: {} instead of {expected}", found.value));
                    }
                    assert_eq!(found, again, "{expression}");
                    if *sensitive && !found.sensitive {
                        wrong.push(format!("{expression}: not sensitive"));
                    }
                    if found.sensitive && !sensitive && !HOLDING.contains(expression) {
                        wrong.push(format!("{expression}: sensitive"));
                    }
                }
                (Err(error), _) | (_, Err(error)) => wrong.push(format!("{expression}: {error}")),
            }
        }
    }
    assert_eq!(wrong, [""; 0], "{}", wrong.join("\n"));
}

#[test]
fn the_table_is_what_terraform_says() {
    let Some(workspace) = workspace("the_table_is_what_terraform_says") else { return };
    let text = fs::read_to_string(format!("{OWN}/main.tf.json")).unwrap();
    let mut configuration: Value = serde_json::from_str(&text).unwrap();
    let mut outputs = Map::new();
    for (at, (expression, ..)) in TABLE.iter().enumerate() {
        let output = |value: String| json!({"value": value, "sensitive": true});
        outputs.insert(format!("v{at}"), output(format!("${{{expression}}}")));
        outputs.insert(format!("s{at}"), output(format!("${{issensitive({expression})}}")));
    }
    configuration["output"] = outputs.into();
    workspace.write("all/main.tf.json", configuration.to_string());
    workspace.succeed("all", &["init", "-no-color"]);
    workspace.succeed("all", &["apply", "-auto-approve", "-no-color"]);
    let outputs = workspace.json("all", &["output", "-json"]);
    for (at, (expression, expected, sensitive)) in TABLE.iter().enumerate() {
        let expected: Value = serde_json::from_str(expected).unwrap();
        let value = outputs.get(format!("v{at}")).map_or(&Value::Null, |it| &it["value"]);
        assert_eq!(*value, expected, "{expression}");
        assert_eq!(outputs[format!("s{at}")]["value"], *sensitive, "{expression}");
    }
}

fn refusal(deployed: &Deployed<'_>, expression: &str) -> String {
    match parse_expression(expression) {
        Ok(tree) => match deployed.evaluate(&tree) {
            Ok(found) => panic!("{expression} is {}", found.value),
            Err(error) => error.to_string(),
        },
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_is_no_expression_or_has_no_value_is_told_with_the_reason() {
    let text = fs::read(format!("{OWN}/terraform.tfstate")).unwrap();
    let state = state::read(&text).unwrap();
    let deployed = Deployed::new(&state);
    for (expression, part) in REFUSED.iter().chain(NOT_COMPUTED) {
        let refused = refusal(&deployed, expression);
        assert!(refused.contains(part), "{expression}: {refused}");
    }
}

#[test]
fn what_is_refused_is_refused_by_terraform_too() {
    let Some(workspace) = workspace("what_is_refused_is_refused_by_terraform_too") else { return };
    let text = fs::read_to_string(format!("{OWN}/main.tf.json")).unwrap();
    let mut configuration: Value = serde_json::from_str(&text).unwrap();
    workspace.write("one/main.tf.json", &text);
    workspace.succeed("one", &["init", "-no-color"]);
    let mut taken = Vec::new();
    for (expression, _) in REFUSED {
        configuration["output"] = json!({"o": {"value": format!("${{{expression}}}")}});
        workspace.write("one/main.tf.json", configuration.to_string());
        let output = workspace.run("one", &["plan", "-no-color"]);
        if output.status.success() {
            taken.push(*expression);
        }
    }
    assert_eq!(taken, [""; 0], "terraform takes them");
}
