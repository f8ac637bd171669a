//! How long the check of a template takes: 500 resources of five types, each with what a schema can say.
//!
//! ```sh
//! cargo run --release -p hangar-plan --example template_check
//! ```

#![allow(clippy::print_stdout, reason = "it is here to print a figure")]

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hangar_ids::TypeName;
use hangar_plan::template_check::check;
use hangar_schema::{Catalog, TypeSchema};
use hangar_template::deployment::{Deployment, Inputs, NothingKnown};
use hangar_template::program::compile;
use hangar_template::source::Sources;

const RESOURCES: usize = 500;

/// A type, and the properties of its `{n}`th resource.
const BODIES: [(&str, &str); 5] = [
    (
        "AWS.EC2/VPC",
        "CidrBlock: '10.0.0.0/16'\n EnableDnsSupport: true\n Tags: [ { Key: 'n', Value: '{n}' } ]",
    ),
    (
        "AWS.EC2/Subnet",
        "VpcId: r0.properties.VpcId\n CidrBlock: '10.0.1.0/24'\n Tags: [ { Key: 'n', Value: '{n}' } ]",
    ),
    (
        "AWS.S3/Bucket",
        "BucketName: 'bucket-{n}'\n VersioningConfiguration: { Status: 'Enabled' }\n \
         PublicAccessBlockConfiguration: { BlockPublicAcls: true, IgnorePublicAcls: true }",
    ),
    (
        "AWS.IAM/Role",
        "RoleName: 'role-{n}'\n AssumeRolePolicyDocument: { Version: '2012-10-17', Statement: [ { \
         Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: 'ec2.amazonaws.com' } } ] }",
    ),
    (
        "AWS.Lambda/Function",
        "Role: r3.properties.Arn\n Runtime: 'python3.12'\n Handler: 'a.b'\n MemorySize: 256\n \
         Code: { ZipFile: 'x{n}' }\n Environment: { Variables: { NUMBER: '{n}' } }",
    ),
];

fn main() {
    let mut text = "extension aws\n".to_owned();
    for n in 0..RESOURCES {
        let (kind, body) = BODIES[n % BODIES.len()];
        let body = body.replace("{n}", &n.to_string());
        let _ = writeln!(
            text,
            "resource r{n} '{kind}@default' = {{\n alias: 'r{n}'\n properties: {{\n {body}\n }}\n}}"
        );
    }
    let schemas: HashMap<TypeName, Arc<TypeSchema>> = BODIES
        .iter()
        .filter_map(|(kind, _)| {
            let name = TypeName::parse(kind).ok()?;
            let schema = Catalog::bundled().get(&name.cloud_formation()).ok()?;
            Some((name, Arc::new(schema)))
        })
        .collect();
    let Some(deployment) = started(text) else { return };
    let schema_of = |name: &TypeName| schemas.get(name).cloned();
    let problems = check(&deployment, &schema_of);
    for problem in &problems {
        println!("{}", problem.diagnostic);
    }
    let whole = fastest(|| check(&deployment, &schema_of).len());
    let evaluated =
        fastest(|| (0..RESOURCES).filter(|n| deployment.body(*n, &NothingKnown).is_ok()).count());
    println!(
        "{RESOURCES} resources, {} types, {} reads: checked in {whole:.2?}, of which {evaluated:.2?} evaluate the bodies",
        schemas.len(),
        deployment.reads().len(),
    );
}

fn started(text: String) -> Option<Deployment> {
    let compiled = compile(&Sources::of("main.bicep", text.into_bytes()), "main.bicep");
    let started = compiled.program.as_ref().map(|program| program.start(&Inputs::default()));
    let problems = started.iter().flat_map(|it| &it.problems).chain(&compiled.problems);
    for problem in problems {
        println!("{}", problem.diagnostic);
    }
    started?.deployment
}

fn fastest(work: impl Fn() -> usize) -> Duration {
    let times = (0..20).map(|_| {
        let begun = Instant::now();
        std::hint::black_box(work());
        begun.elapsed()
    });
    times.min().unwrap_or_default()
}
