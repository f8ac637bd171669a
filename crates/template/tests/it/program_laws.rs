//! What holds for every template that is compiled and started; panics where it does not.
//!
//! The fuzz target includes this file, so it uses nothing but the crate.

use std::collections::BTreeMap;

use hangar_template::deployment::{Inputs, MissingParameter, NothingKnown};
use hangar_template::parameters_file::{environment_of, files_of, parameters_file};
use hangar_template::program::{Started, compile};
use hangar_template::source::{Problem, Sources};

/// What holds for every text, taken as a template, as a module of one, and as a parameters file.
pub(crate) fn program_laws(text: &str) {
    template_laws(&Sources::of("main.bicep", text.as_bytes()));
    let mut sources = Sources::of("main.bicep", &b"module m 'm.bicep' = {}\n"[..]);
    sources.insert("m.bicep", text.as_bytes());
    template_laws(&sources);
    files_of(text, "main.bicep");
    environment_of(text);
    let sources = Sources::of("main.bicepparam", text.as_bytes());
    let file = parameters_file(&sources, "main.bicepparam", &BTreeMap::new());
    places(&sources, &file.problems);
}

/// What is wrong is looked at as far as it can be, and nothing panics.
fn checked_in_part(sources: &Sources, started: &Started) {
    places(sources, &started.problems);
    let Some(deployment) = started.deployment.as_ref().or(started.partial.as_ref()) else { return };
    for index in 0..deployment.nodes().len() {
        let _ = deployment.body(index, &NothingKnown);
    }
    for found in deployment.id_uses() {
        let text = sources.text(&found.place.file).unwrap();
        assert!(text.get(found.place.span.start..found.place.span.end).is_some(), "{found:?}");
    }
}

fn template_laws(sources: &Sources) {
    let compiled = compile(sources, "main.bicep");
    places(sources, &compiled.problems);
    assert_eq!(
        compiled.program.is_none(),
        compiled.problems.iter().any(Problem::is_error),
        "a program is there exactly if no problem is an error"
    );
    if let Some(partial) = compiled.partial {
        let inputs = Inputs { missing: MissingParameter::Unknown, ..Inputs::default() };
        checked_in_part(sources, &partial.start(&inputs));
    }
    let Some(program) = compiled.program else { return };
    for missing in [MissingParameter::Unknown, MissingParameter::Refused] {
        let skip_unsupported = missing == MissingParameter::Unknown;
        let inputs = Inputs { missing, skip_unsupported, ..Inputs::default() };
        let started = program.start(&inputs);
        places(sources, &started.problems);
        let is_wrong = started.problems.iter().any(Problem::is_error);
        assert_eq!(started.deployment.is_none(), is_wrong, "{:?}", started.problems);
        checked_in_part(sources, &started);
        let Some(deployment) = started.deployment else { continue };
        for (index, node) in deployment.nodes().iter().enumerate() {
            assert!(node.depends_on.is_sorted(), "{node:?}");
            assert!(!node.depends_on.contains(&index), "{node:?} needs itself");
            let body = deployment.body(index, &NothingKnown);
            assert!(body.is_ok(), "a start evaluates all bodies: {body:?}");
        }
        assert!(deployment.outputs(&NothingKnown).is_ok(), "a start evaluates all outputs");
        is_acyclic(deployment.nodes());
    }
}

fn places(sources: &Sources, problems: &[Problem]) {
    for problem in problems {
        let text = sources.text(&problem.file).expect("a problem is in one of the files");
        for label in &problem.diagnostic.labels {
            let span = label.span;
            assert!(text.get(span.start..span.end).is_some(), "{problem:?}");
        }
        assert!(!problem.diagnostic.message.is_empty(), "{problem:?}");
    }
}

fn is_acyclic(nodes: &[hangar_template::deployment::Node]) {
    let mut waits: Vec<usize> = nodes.iter().map(|node| node.depends_on.len()).collect();
    let mut needed_by = vec![Vec::new(); nodes.len()];
    for (index, node) in nodes.iter().enumerate() {
        for needed in &node.depends_on {
            needed_by[*needed].push(index);
        }
    }
    let mut ready: Vec<usize> = (0..nodes.len()).filter(|it| waits[*it] == 0).collect();
    let mut done = 0;
    while let Some(index) = ready.pop() {
        done += 1;
        for other in &needed_by[index] {
            waits[*other] -= 1;
            if waits[*other] == 0 {
                ready.push(*other);
            }
        }
    }
    assert_eq!(done, nodes.len(), "nodes wait for each other");
}
