//! Defaults with `newGuid()` and `utcNow()`: the same values again for as long as the default's text is the same.

use std::collections::BTreeMap;

use hangar_template::deployment::{DefaultMoment, Deployment, Inputs, NothingKnown};
use hangar_template::program::compile;
use hangar_template::source::Sources;
use serde_json::{Value as Json, json};

use crate::language::inputs;

const LEAF: &str = "
param key string
param made string = newGuid()
param either string = empty(key) ? newGuid() : key
output made string = made
output either string = either
";

/// One run of a template; each has a clock and a seed of its own.
fn run(text: &str, run: u8, given: &Json, kept: &BTreeMap<String, DefaultMoment>) -> Deployment {
    let mut sources = Sources::of("main.bicep", text.as_bytes());
    sources.insert("leaf.bicep", LEAF.as_bytes());
    let inputs = Inputs {
        now: Some(1_767_225_600_000_000 + i64::from(run) * 1_000_000),
        seed: Some(u128::from(run)),
        moments: kept.clone(),
        ..inputs(given)
    };
    let started = compile(&sources, "main.bicep").program.unwrap().start(&inputs);
    started.deployment.unwrap_or_else(|| panic!("{:?}", started.problems))
}

/// Its outputs by name, secrets included.
fn outputs_of(deployment: &Deployment) -> Json {
    let outputs = deployment.outputs(&NothingKnown).unwrap().into_iter();
    outputs.map(|it| (it.name.to_string(), it.value.to_json().unwrap())).collect()
}

const MAIN: &str = "
param prefix string = 'a'
@secure()
param password string = toUpper(newGuid())
param name string = '${prefix}-${utcNow('yyyyMMddHHmmss')}'
param through string = '${name}/${length(password)}'
module one 'leaf.bicep' = { params: { key: prefix } }
module many 'leaf.bicep' = [for i in range(0, 2): { params: { key: '' } }]
output all array = [name, through, one.outputs.made, many[0].outputs.made, many[1].outputs.either]
@secure()
output password string = password
";

#[test]
fn a_run_with_the_moments_of_the_last_one_comes_to_the_same() {
    let first = run(MAIN, 1, &json!({}), &BTreeMap::new());
    let kept = first.moments();
    let names: Vec<&str> = kept.keys().map(String::as_str).collect();
    let expected = [
        "many[0]/either",
        "many[0]/made",
        "many[1]/either",
        "many[1]/made",
        "name",
        "one/either",
        "one/made",
        "password",
    ];
    assert_eq!(
        names, expected,
        "a branch that is not taken counts, a default that reads one does not"
    );
    assert!(!format!("{kept:?}").contains("seed"), "{kept:?}");
    let second = run(MAIN, 2, &json!({}), &kept);
    assert_eq!(outputs_of(&second), outputs_of(&first));
    assert_eq!(second.moments(), kept);
    let without = run(MAIN, 2, &json!({}), &BTreeMap::new());
    let differ = |at: usize| outputs_of(&without)["all"][at] != outputs_of(&first)["all"][at];
    assert!((0..5).all(differ));
}

#[test]
fn a_default_that_reads_another_parameter_follows_it() {
    let kept = run(MAIN, 1, &json!({}), &BTreeMap::new()).moments();
    let other = run(MAIN, 2, &json!({"prefix": "b"}), &kept);
    assert_eq!(outputs_of(&other)["all"][0], "b-20260101000001");
}

#[test]
fn a_given_value_wins_and_the_kept_one_comes_back_after_it() {
    let first = run(MAIN, 1, &json!({}), &BTreeMap::new());
    let given = json!({"name": "given"});
    let none = run(MAIN, 2, &given, &BTreeMap::new()).moments();
    assert!(!none.contains_key("name"), "a given value is not kept");
    let kept = run(MAIN, 2, &given, &first.moments());
    assert_eq!(outputs_of(&kept)["all"][0], "given");
    assert_eq!(outputs_of(&run(MAIN, 3, &json!({}), &kept.moments())), outputs_of(&first));
}

#[test]
fn another_text_of_a_default_is_evaluated_again_and_spaces_and_comments_do_not_count() {
    let text = "param id string = concat('a', newGuid())\noutput id string = id\n";
    let first = run(text, 1, &json!({}), &BTreeMap::new());
    let spaced = text.replace("concat('a', ", "concat(/* the first */ 'a' ,");
    let same = run(&spaced, 2, &json!({}), &first.moments());
    assert_eq!(outputs_of(&same), outputs_of(&first));
    let other = run(&text.replace("'a'", "'a '"), 2, &json!({}), &first.moments());
    let cut = |deployment: &Deployment| outputs_of(deployment)["id"].to_string()[3..].to_owned();
    assert_ne!(cut(&other)[1..], cut(&first));
    assert_eq!(other.moments().len(), 1, "the old one is gone");
}
