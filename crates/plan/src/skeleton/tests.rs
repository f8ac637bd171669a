//! Skeletons of real types, checked as `hangar lint` checks a file.

use hangar_schema::Catalog;
use hangar_template::deployment::{Inputs, MissingParameter};
use hangar_template::lint::{Config, lint};
use hangar_template::program::compile;
use hangar_template::source::Sources;
use hangar_template::syntax::Dialect;

use super::*;
use crate::template_check::check;

/// Every problem of a template, warnings and rules included.
fn problems(text: &str) -> Vec<String> {
    let compiled = compile(&Sources::of("main.bicep", text.as_bytes()), "main.bicep");
    let mut found = compiled.problems;
    if let Some(program) = compiled.program {
        let inputs = Inputs { missing: MissingParameter::Unknown, ..Inputs::default() };
        let started = program.start(&inputs);
        found.extend(started.problems);
        if let Some(deployment) = &started.deployment {
            let schema_of = |name: &TypeName| {
                Catalog::bundled().get(&name.cloud_formation()).ok().map(std::sync::Arc::new)
            };
            found.extend(check(deployment, &schema_of));
        }
    }
    let by_rules = lint(text, Dialect::Template, &Config::default());
    let all = found.into_iter().map(|problem| problem.diagnostic).chain(by_rules);
    all.map(|it| format!("{}: {}", it.code, it.message)).collect()
}

#[test]
fn the_skeleton_of_every_type_that_can_be_created_lints_clean() {
    let catalog = Catalog::bundled();
    let (mut wrong, mut tried) = (Vec::new(), 0);
    for name in catalog.names() {
        let schema = catalog.get(name).unwrap();
        // Types that Cloud Control cannot create have no skeleton.
        if schema.handlers().create.is_none() {
            continue;
        }
        tried += 1;
        let text = template(&schema);
        let problems = problems(&text);
        if !problems.is_empty() {
            wrong.push(format!("{name}: {problems:?}\n{text}"));
        }
    }
    assert!(tried > 1_500, "{tried}");
    assert!(wrong.is_empty(), "{} types\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn an_arn_names_the_account_and_the_region_of_the_deployment() {
    let expression = |text: &str| portable_arn(text);
    assert_eq!(
        expression("arn:aws:iam::123456789012:role/it's").as_deref(),
        Some(r"'arn:aws:iam::${aws.accountId()}:role/it\'s'")
    );
    assert_eq!(
        expression("arn:aws:sqs:us-east-1:123456789012:a").as_deref(),
        Some("'arn:aws:sqs:${aws.region()}:${aws.accountId()}:a'")
    );
    assert_eq!(expression("arn:aws:s3:::bucket"), None);
    assert_eq!(expression("10.0.0.0/16"), None);
}
