//! How long the ids of a large state take, beside parsing its text whole: `cargo bench -p hangar-manifest`.
//!
//! With `--write FILE` it writes the state instead, to measure the binary with.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use hangar_manifest::output_resources::{Ask, report};
use hangar_manifest::state::read;
use serde_json::Value;

const ROUNDS: usize = 7;
const SIZE: usize = 50_000_000;

fn main() {
    let mut arguments = std::env::args().skip_while(|argument| argument != "--write");
    if let Some(file) = arguments.nth(1) {
        std::fs::write(&file, raw(SIZE)).expect("the file can be written");
        println!("wrote {file}");
        return;
    }
    for (form, text) in
        [("raw", raw(SIZE)), ("show -json", show(SIZE)), ("raw, small", raw(SIZE / 1000))]
    {
        let ask = Ask {
            aws_account: Some("123456789012"),
            aws_region: Some("us-east-1"),
            ..Ask::default()
        };
        let mut best = [Duration::MAX; 3];
        let (mut instances, mut ids) = (0, 0);
        for _ in 0..ROUNDS {
            let begin = Instant::now();
            let state = read(text.as_bytes()).expect("the state is right");
            let read = begin.elapsed();
            let begin = Instant::now();
            let report = report(&state, &ask);
            let reported = begin.elapsed();
            (instances, ids) = (report.instances.len(), report.resources.len());
            let begin = Instant::now();
            let whole: Value = serde_json::from_str(&text).expect("the state is JSON");
            let baseline = begin.elapsed();
            drop(whole);
            for (best, took) in best.iter_mut().zip([read, reported, baseline]) {
                *best = (*best).min(took);
            }
        }
        let [read, reported, baseline] = best;
        println!(
            "{form} ({} KB, {instances} instances, {ids} ids): read {read:?}, ids {reported:?}, serde_json::Value {baseline:?}, ratio {:.2}",
            text.len() / 1000,
            (read + reported).as_secs_f64() / baseline.as_secs_f64()
        );
    }
}

/// Attributes of the size that real ones have: most of a state is what nobody asks for.
fn attributes(kind: usize, at: usize) -> (&'static str, &'static str, String) {
    let tags = r#""tags": {"Name": "x", "team": "platform", "cost-center": "1234"}, "tags_all": {"Name": "x", "team": "platform", "cost-center": "1234"}, "timeouts": null"#;
    match kind {
        0 => (
            "aws",
            "aws_subnet",
            format!(
                r#"{{"arn": "arn:aws:ec2:us-east-2:123456789012:subnet/subnet-{at:08x}", "id": "subnet-{at:08x}", "availability_zone": "us-east-2a", "cidr_block": "10.0.0.0/24", "enable_dns64": false, "ipv6_cidr_block": "", "map_public_ip_on_launch": false, "owner_id": "123456789012", "private_dns_hostname_type_on_launch": "ip-name", "vpc_id": "vpc-1", {tags}}}"#
            ),
        ),
        1 => (
            "aws",
            "aws_iam_role",
            format!(
                r#"{{"arn": "arn:aws:iam::123456789012:role/team/role-{at}", "id": "role-{at}", "name": "role-{at}", "assume_role_policy": "{}", "path": "/team/", "max_session_duration": 3600, {tags}}}"#,
                r#"{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":\"Allow\",\"Principal\":{\"Service\":\"ec2.amazonaws.com\"},\"Action\":\"sts:AssumeRole\"}]}"#
            ),
        ),
        2 => (
            "kubernetes",
            "kubernetes_deployment",
            format!(
                r#"{{"id": "apps/d-{at}", "metadata": [{{"name": "d-{at}", "namespace": "apps", "labels": {{"app": "d"}}, "uid": "u"}}], "spec": [{{"replicas": "3", "template": [{{"spec": [{{"container": [{{"image": "nginx", "env": [{{"name": "A", "value": "b"}}], "args": ["--x", "--y"], "resources": [{{"limits": {{"cpu": "1"}}}}]}}]}}]}}]}}]}}"#
            ),
        ),
        _ => (
            "azurerm",
            "azurerm_network_security_group",
            format!(
                r#"{{"id": "/subscriptions/0b1f/resourceGroups/rg/providers/Microsoft.Network/networkSecurityGroups/g{at}", "location": "westeurope", "security_rule": [{{"access": "Allow", "direction": "Inbound", "priority": 100, "destination_port_ranges": ["80", "443"]}}], {tags}}}"#
            ),
        ),
    }
}

fn raw(size: usize) -> String {
    let mut text = r#"{"version": 4, "terraform_version": "1.11.4", "serial": 7, "lineage": "l", "outputs": {}, "resources": ["#.to_owned();
    let mut at = 0;
    while text.len() < size {
        let comma = if at == 0 { "" } else { "," };
        let (provider, kind, attributes) = attributes(at % 4, at);
        write!(
            text,
            "{comma}\n{{\"module\": \"module.m[{}]\", \"mode\": \"managed\", \"type\": \"{kind}\", \"name\": \"n{at}\", \"provider\": \"provider[\\\"registry.terraform.io/hashicorp/{provider}\\\"]\", \"instances\": [{{\"schema_version\": 1, \"attributes\": {attributes}, \"sensitive_attributes\": [], \"private\": \"bnVsbA==\", \"dependencies\": [\"aws_vpc.v\"]}}]}}",
            at % 10
        )
        .expect("a string takes all");
        at += 1;
    }
    text + "]}"
}

fn show(size: usize) -> String {
    let mut text = r#"{"format_version": "1.0", "terraform_version": "1.11.4", "values": {"root_module": {"resources": ["#.to_owned();
    let mut at = 0;
    while text.len() < size {
        let comma = if at == 0 { "" } else { "," };
        let (provider, kind, attributes) = attributes(at % 4, at);
        write!(
            text,
            "{comma}\n{{\"address\": \"{kind}.n{at}\", \"mode\": \"managed\", \"type\": \"{kind}\", \"name\": \"n{at}\", \"provider_name\": \"registry.terraform.io/hashicorp/{provider}\", \"schema_version\": 1, \"values\": {attributes}, \"sensitive_values\": {{\"tags\": {{}}}}}}"
        )
        .expect("a string takes all");
        at += 1;
    }
    text + "]}}}"
}
