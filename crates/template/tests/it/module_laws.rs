//! Moving resources into a module changes no alias, no body and no order.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use hangar_template::deployment::{Deployment, Target};
use proptest::prelude::*;
use serde_json::json;

use crate::language::{World, body};
use crate::project::Project;

/// Resources, each with those before it that it reads.
#[derive(Debug, Clone)]
struct Shape {
    reads: Vec<Vec<usize>>,
    /// Those that are moved, one after another: what is outside feeds in before them and reads out after them.
    moved: std::ops::Range<usize>,
    /// Those that are there already.
    known: Vec<bool>,
}

fn shapes() -> impl Strategy<Value = Shape> {
    (2_usize..8).prop_flat_map(|count| {
        let reads = (0..count).map(|at| proptest::collection::vec(0..at.max(1), 0..3));
        let reads: Vec<_> = reads.collect();
        let known = proptest::collection::vec(any::<bool>(), count);
        (reads, 0..count, 0..=count, known).prop_map(|(mut reads, from, length, known)| {
            reads[0].clear();
            for read in &mut reads {
                read.sort_unstable();
                read.dedup();
            }
            let moved = from..(from + length).min(reads.len());
            Shape { reads, moved, known }
        })
    })
}

/// The text of a resource; `arn` and `name` tell how another one is read.
fn resource(at: usize, reads: &[usize], read: impl Fn(usize, &str) -> String) -> String {
    let mut text = format!(
        "resource r{at} 'AWS.S3/Bucket@default' = {{\n  alias: 'a{at}'\n  properties: {{\n"
    );
    writeln!(text, "    Name: 'n{at}-${{flag ? 'on' : 'off'}}'").unwrap();
    for other in reads {
        writeln!(text, "    Arn{other}: {}", read(*other, "Arn")).unwrap();
        writeln!(text, "    Named{other}: 'of ${{{}}}'", read(*other, "Name")).unwrap();
    }
    text + "  }\n}\n"
}

fn flat(shape: &Shape) -> Project {
    let mut text = "extension aws\nparam flag bool = true\n".to_owned();
    for (at, reads) in shape.reads.iter().enumerate() {
        text += &resource(at, reads, |other, name| format!("r{other}.properties.{name}"));
    }
    Project::of(&[("main.bicep", &text)])
}

fn split(shape: &Shape) -> Project {
    let mut main = "extension aws\nparam flag bool = true\n".to_owned();
    let mut module = "extension aws\nparam flag bool\n".to_owned();
    let mut given = String::new();
    for other in 0..shape.moved.start {
        for name in ["Arn", "Name"] {
            writeln!(module, "param p{other}{name} string").unwrap();
            writeln!(given, "    p{other}{name}: r{other}.properties.{name}").unwrap();
        }
    }
    for (at, reads) in shape.reads.iter().enumerate() {
        if shape.moved.contains(&at) {
            module += &resource(at, reads, |other, name| {
                if shape.moved.contains(&other) {
                    format!("r{other}.properties.{name}")
                } else {
                    format!("p{other}{name}")
                }
            });
            for name in ["Arn", "Name"] {
                writeln!(module, "output o{at}{name} string = r{at}.properties.{name}").unwrap();
            }
        } else {
            main += &resource(at, reads, |other, name| {
                if shape.moved.contains(&other) {
                    format!("m.outputs.o{other}{name}")
                } else {
                    format!("r{other}.properties.{name}")
                }
            });
        }
    }
    writeln!(main, "module m 'm.bicep' = {{\n  params: {{\n    flag: flag\n{given}  }}\n}}")
        .unwrap();
    Project::of(&[("main.bicep", &main), ("m.bicep", &module)])
}

/// For each alias the body with some resources known, and what is waited for, by alias.
fn told(deployment: &Deployment, known: &[bool]) -> BTreeMap<String, (String, Vec<String>)> {
    let alias = |node: usize| {
        let Target::Managed { alias } = &deployment.nodes()[node].target else {
            panic!("{node} is only read")
        };
        alias.to_string()
    };
    let mut world = World::default();
    for node in 0..deployment.nodes().len() {
        let alias = alias(node);
        if known[alias[1..].parse::<usize>().unwrap()] {
            world = world.with(node, json!({"Arn": format!("arn:{alias}")}), true);
        }
    }
    let nodes = deployment.nodes().iter().enumerate();
    let told = nodes.map(|(at, node)| {
        let mut needs: Vec<String> = node.depends_on.iter().map(|it| alias(*it)).collect();
        needs.sort_unstable();
        // An address tells where a resource is declared; nothing else may.
        (alias(at), (body(deployment, at, &world).replace("«m/", "«"), needs))
    });
    told.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn moving_resources_into_a_module_changes_no_alias_no_body_and_no_order(shape in shapes()) {
        let flat = flat(&shape).deployed(&json!({"flag": false}));
        let split = split(&shape).deployed(&json!({"flag": false}));
        prop_assert_eq!(told(&flat, &shape.known), told(&split, &shape.known));
    }
}
