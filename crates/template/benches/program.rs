//! How long a template of 500 resources takes from its text to all its bodies: `cargo bench -p hangar-template`.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use hangar_template::deployment::{Inputs, NothingKnown};
use hangar_template::program::compile;
use hangar_template::source::Sources;

const ROUNDS: usize = 20;

fn main() {
    for (name, text) in
        [("written out", written_out()), ("in loops", in_loops()), ("a chain", chain())]
    {
        let sources = Sources::of("main.bicep", text.as_bytes());
        let mut best = [Duration::MAX; 3];
        let mut nodes = 0;
        for _ in 0..ROUNDS {
            let begin = Instant::now();
            let program = compile(&sources, "main.bicep").program.expect("the template is right");
            let compiled = begin.elapsed();
            let begin = Instant::now();
            let started = program.start(&Inputs::default());
            let start = begin.elapsed();
            let deployment = started.deployment.expect("the template starts");
            let begin = Instant::now();
            nodes = deployment.nodes().len();
            for node in 0..nodes {
                deployment.body(node, &NothingKnown).expect("a body is known");
            }
            let bodies = begin.elapsed();
            for (best, took) in best.iter_mut().zip([compiled, start, bodies]) {
                *best = (*best).min(took);
            }
        }
        let [compiled, start, bodies] = best;
        println!(
            "{nodes} resources {name} ({} KiB): compile {compiled:?}, start {start:?}, all bodies {bodies:?}",
            text.len() / 1024
        );
    }
}

/// Networks of ten resources each.
fn written_out() -> String {
    let mut text = "extension aws\nparam stage string = 'dev'\nvar tags = [for name in ['a', 'b']: { Key: name, Value: '${stage}-${name}' }]\n".to_owned();
    for net in 0..50 {
        write!(
            text,
            "resource vpc{net} 'AWS.EC2/VPC@default' = {{\n  alias: '${{stage}}-vpc{net}'\n  properties: {{\n    CidrBlock: '10.{net}.0.0/16'\n    Tags: tags\n  }}\n}}\n"
        )
        .expect("a string takes all");
        for at in 0..9 {
            write!(
                text,
                "resource subnet{net}x{at} 'AWS.EC2/Subnet@default' = {{\n  alias: '${{stage}}-{net}-{at}'\n  properties: {{\n    VpcId: vpc{net}.properties.VpcId\n    CidrBlock: '10.{net}.{at}.0/24'\n    MapPublicIpOnLaunch: stage == 'prod' ? true : null\n    Tags: concat(tags, [{{ Key: 'vpc', Value: vpc{net}.properties.CidrBlock }}])\n  }}\n}}\n"
            )
            .expect("a string takes all");
        }
    }
    text
}

fn in_loops() -> String {
    "extension aws
param stage string = 'dev'
var tags = [for name in ['a', 'b']: { Key: name, Value: '${stage}-${name}' }]
resource vpcs 'AWS.EC2/VPC@default' = [for i in range(0, 50): {
  alias: '${stage}-vpc${i}'
  properties: { CidrBlock: '10.${i}.0.0/16', Tags: tags }
}]
resource subnets 'AWS.EC2/Subnet@default' = [for i in range(0, 450): {
  alias: '${stage}-subnet${i}'
  properties: {
    VpcId: vpcs[i / 9].properties.VpcId
    CidrBlock: '10.${i / 9}.${i % 9}.0/24'
    MapPublicIpOnLaunch: stage == 'prod' ? true : null
    Tags: concat(tags, [{ Key: 'vpc', Value: vpcs[i / 9].properties.CidrBlock }])
  }
}]
"
    .to_owned()
}

/// Each reads what the one before states.
fn chain() -> String {
    let mut text = "extension aws\nresource r0 'AWS.S3/Bucket@default' = {\n  alias: 'r0'\n  properties: { BucketName: 'logs' }\n}\n".to_owned();
    for at in 1..500 {
        write!(
            text,
            "resource r{at} 'AWS.S3/Bucket@default' = {{\n  alias: 'r{at}'\n  properties: {{ BucketName: r{}.properties.BucketName }}\n}}\n",
            at - 1
        )
        .expect("a string takes all");
    }
    text
}
