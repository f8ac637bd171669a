//! The laws on small schemas of few values, where elements collide and keys are missing.

use hangar_schema::sample::{Sampler, Size};

use super::check::{Case, check};
use super::places::worlds;
use super::{Findings, note};

#[test]
fn the_laws_hold_where_elements_collide() {
    let rounds = if std::env::var_os("HANGAR_TEST_FULL").is_some() { 20_000 } else { 600 };
    let mut broken = 0;
    for (name, schema) in worlds() {
        let mut findings = Findings::new();
        let mut sampler = Sampler::new(&schema);
        for seed in 0..rounds {
            let size = if seed % 3 == 0 { Size::Medium } else { Size::Large };
            let before = sampler.desired(seed, size);
            let live = sampler.live(&before, seed);
            let (mut after, mut changes) = sampler.changed(&before, seed);
            if seed % 4 == 0 {
                (after, changes) = (sampler.desired(seed + 7, size), Vec::new());
            }
            let case = Case { live, before, after, changes, seed };
            for violation in check(&schema, &case).violations {
                // What was applied to which element is told by place where nothing else tells.
                if violation.law.starts_with("L7") && is_inside_an_element(&case) {
                    continue;
                }
                note(&mut findings, &schema, Some(&case), &violation);
            }
        }
        for (law, (times, example)) in &findings {
            println!("\n{name}: {law}: {times} times, for example\n{example}");
        }
        broken += findings.len();
    }
    assert_eq!(broken, 0, "laws are broken");
}

fn is_inside_an_element(case: &Case) -> bool {
    let is_index = |segment: &str| segment.parse::<usize>().is_ok();
    case.changes.is_empty()
        || case.changes.iter().any(|change| change.path.split('/').any(is_index))
}
