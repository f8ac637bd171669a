//! `hangar run` over real apps of cdk8s, and what `hangar resolve` makes of their manifests: the AWS CDK with the simulator as
//! AWS, CDKTF and CDK Terrain with a real `terraform apply`, TypeScript, JavaScript and Python.

#![allow(clippy::print_stdout, reason = "a test tells the test command what it skipped or counted")]

mod app;
mod examples;
mod failures;
mod fixtures;
mod leaks;
mod page;
mod same_bytes;
mod stacks;
mod terraform;
