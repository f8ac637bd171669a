//! How long it takes to resolve a large manifest, beside the parser's events alone: `cargo bench -p
//! hangar-manifest --bench yaml`.
//!
//! 10 MB of YAML in 1,000 documents: read, references found, spliced, and the guard, which reads the result.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use granit_parser::Parser;
use hangar_manifest::token;
use hangar_manifest::yaml::{Edit, With, read, splice};

const ROUNDS: usize = 7;
const DOCUMENTS: usize = 1_000;
const SIZE: usize = 10_000_000;

fn main() {
    let text = manifest();
    let mut best = [Duration::MAX; 5];
    let (mut scalars, mut edited, mut raw) = (0, 0, 0);
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        let events = Parser::new_from_str(&text).flatten().count();
        let baseline = begin.elapsed();
        assert!(events > 0);

        let begin = Instant::now();
        let stream = read(&text).expect("the manifest is right");
        let reading = begin.elapsed();
        let begin = Instant::now();
        let edits: Vec<Edit> = stream
            .scalars()
            .iter()
            .enumerate()
            .filter(|(_, scalar)| scalar.text.contains("${cfn:"))
            .map(|(at, scalar)| Edit { scalar: at, with: With::Parts(references(&scalar.text)) })
            .collect();
        let finding = begin.elapsed();
        let begin = Instant::now();
        let result = splice(&stream, &edits).expect("the edits fit");
        let splicing = begin.elapsed();
        assert!(!result.contains("${cfn:"));
        let begin = Instant::now();
        raw = stream.scalars().iter().map(|scalar| token::find(&scalar.text).len()).sum::<usize>();
        let tokens = begin.elapsed();

        (scalars, edited) = (stream.scalars().len(), edits.len());
        for (best, took) in best.iter_mut().zip([baseline, reading, finding, splicing, tokens]) {
            *best = (*best).min(took);
        }
    }
    let [baseline, reading, finding, splicing, tokens] = best;
    let whole = reading + finding + splicing;
    println!(
        "{} KB, {DOCUMENTS} documents, {scalars} scalars, {edited} edited: read {reading:?}, find {finding:?}, splice and guard {splicing:?}, in all {whole:?}; events alone {baseline:?}, ratio {:.2}; raw tokens ({raw}) {tokens:?}",
        text.len() / 1000,
        whole.as_secs_f64() / baseline.as_secs_f64(),
    );
}

fn references(text: &str) -> Vec<(std::ops::Range<usize>, String)> {
    let found = text.match_indices("${cfn:");
    found
        .filter_map(|(at, _)| Some(at..at + text[at..].find('}')? + 1))
        .map(|range| (range, "arn:aws:s3:::bucket-1a2b3c".to_owned()))
        .collect()
}

/// Deployments of many variables, each with a script beside it.
fn manifest() -> String {
    let mut text = String::with_capacity(SIZE + SIZE / 100);
    for at in 0..DOCUMENTS {
        let end = (at + 1) * (SIZE / DOCUMENTS);
        write!(
            text,
            "---\n# Deployment {at}\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web-{at}\n  namespace: default\n  annotations: {{a: \"${{cfn:Storage/Bucket{at}#Arn}}\", b: 'c'}}\nspec:\n  replicas: 3\n  template:\n    spec:\n      containers:\n      - name: main\n        image: registry.example.com/team/web:1.{at}.0  # pinned\n        command:\n        - sh\n        - -c\n        - |\n          set -eu\n          aws s3 cp \"${{cfn:Storage/Bucket{at}#DomainName}}\" /data\n          exec web --verbose\n        env:\n"
        )
        .expect("a string takes all");
        let mut variable = 0;
        while text.len() < end {
            let value = match variable % 20 {
                0 => format!("${{cfn:Storage/Queue{variable}}}"),
                1 => "'it''s quoted'".to_owned(),
                2 => "\"double\\tquoted\"".to_owned(),
                3 => "\"8080\"".to_owned(),
                _ => format!("plain-value-of-a-usual-length-{variable}"),
            };
            write!(text, "        - name: VARIABLE_NUMBER_{variable}\n          value: {value}\n")
                .expect("a string takes all");
            variable += 1;
        }
    }
    text
}
