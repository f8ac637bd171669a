//! Hangar's ids in properties of AWS resources.

use std::collections::BTreeMap;

use hangar_template::deployment::{Inputs, MissingParameter};
use hangar_template::program::compile;
use hangar_template::source::Sources;

use super::fixture::schema_of;
use crate::template_check::check;

const VPC: &str = "resource vpc 'AWS.EC2/VPC@default' = {\n  alias: 'vpc'\n  properties: { CidrBlock: '10.0.0.0/16' }\n}\n";

/// What is said of a security group with these properties; declarations stand before it.
fn of(declarations: &str, properties: &str) -> Vec<String> {
    let text = format!(
        "{VPC}{declarations}\nresource group 'AWS.EC2/SecurityGroup@default' = {{\n  alias: 'group'\n  \
         properties: {{ GroupDescription: 'x', {properties} }}\n}}\n"
    );
    said(&text)
}

fn said(text: &str) -> Vec<String> {
    said_of(&[("main.bicep", &format!("{text}\nextension aws\n"))], "main.bicep")
}

fn is_reported(declarations: &str, properties: &str) -> bool {
    of(declarations, properties).iter().any(|it| it.contains("TMPL0240"))
}

#[test]
fn the_id_of_a_resource_in_a_property_is_an_error_that_names_the_property_to_write() {
    assert_eq!(
        of("", "VpcId: vpc.id"),
        [
            "main.bicep TMPL0240 «vpc.id» `VpcId` of AWS.EC2/SecurityGroup holds Hangar's id of `vpc`, \
             which AWS does not know: write `vpc.properties.VpcId`"
        ]
    );
}

#[test]
fn an_id_is_followed_through_everything_that_passes_values_on() {
    for (declarations, properties) in [
        ("", "VpcId: vpc['id']"),
        ("", "VpcId: vpc!.id"),
        ("", "VpcId: vpc.?id"),
        ("", "VpcId: any(vpc.id)"),
        ("", "VpcId: '${vpc.id}'"),
        ("", "VpcId: 'x-${toLower(vpc.id)}'"),
        ("", "VpcId: '${vpc.properties.VpcId}${vpc.id}'"),
        ("", "VpcId: format('{0}', vpc.id)"),
        ("", "VpcId: last(split(vpc.id, '/'))"),
        ("", "VpcId: first([vpc.id])"),
        ("", "VpcId: null ?? vpc.id"),
        ("var v = vpc.id", "VpcId: v"),
        ("var v = { a: { b: [vpc.id] } }", "VpcId: v.a.b[0]"),
        ("var v = { VpcId: vpc.id }", "...v"),
        ("var k = 'b'\nvar v = { a: 'x', b: vpc.id }", "VpcId: v[k]"),
        ("param p bool", "VpcId: p ? vpc.id : 'x'"),
        ("param p bool = false", "VpcId: p ? vpc.id : 'x'"),
        ("param p array", "VpcId: map(p, it => vpc.id)[0]"),
        ("func f(a string) string => 'f${a}'", "VpcId: f(vpc.id)"),
        ("func f(a object) string => a.b", "VpcId: f({ b: vpc.id })"),
        ("", "Tags: [{ Key: 'a', Value: vpc.id }]"),
        ("", "Tags: [for i in range(0, 2): { Key: 'a', Value: vpc.id }]"),
        ("", "Tags: [for r in [vpc]: { Key: 'a', Value: r.id }]"),
        ("var v = map([vpc], it => it.id)", "VpcId: v[0]"),
        ("var v = toObject(['a'], it => it, it => vpc.id)", "VpcId: v.a"),
        ("var v = reduce(['a'], '', (sum, it) => '${sum}${vpc.id}')", "VpcId: v"),
        ("var v = union({ a: 1 }, { b: vpc.id })", "VpcId: v.b"),
        ("var v = [for i in range(0, 2): vpc.id]", "VpcId: v[1]"),
        ("var v = items({ a: vpc.id })", "VpcId: v[0].value"),
        ("resource old 'AWS.EC2/VPC@default' existing = {\n  alias: 'old'\n}", "VpcId: old.id"),
        (
            "resource all 'AWS.EC2/VPC@default' = [for i in range(0, 2): {\n  alias: 'v${i}'\n}]",
            "VpcId: all[1].id",
        ),
        (
            "resource all 'AWS.EC2/VPC@default' = [for i in range(0, 2): {\n  alias: 'v${i}'\n}]\n\
             var v = map(all, it => it.id)",
            "VpcId: v[0]",
        ),
    ] {
        assert!(is_reported(declarations, properties), "{declarations}\n{properties}");
    }
}

#[test]
fn only_the_part_of_a_value_that_holds_an_id_counts() {
    for (declarations, properties) in [
        ("", "VpcId: vpc.properties.VpcId"),
        ("", "VpcId: vpc.name"),
        ("", "GroupName: 'x-${uniqueString(vpc.id)}'"),
        ("", "GroupName: guid(vpc.id)"),
        ("", "GroupName: 'x-${length(vpc.id)}'"),
        ("", "GroupName: contains(vpc.id, 'a') ? 'x' : 'y'"),
        ("", "GroupName: vpc.id == 'a' ? 'x' : 'y'"),
        ("var v = { a: vpc.id, b: 'x' }", "GroupName: v.b"),
        ("var v = { ...{ a: vpc.id }, a: 'x' }", "GroupName: v.a"),
        ("var v = [for i in range(0, 2): { a: vpc.id, b: 'x' }]", "GroupName: v[0].b"),
        ("var v = map([vpc], it => it.properties.VpcId)", "VpcId: v[0]"),
        ("var v = filter([{ a: vpc.id, b: 'x' }], it => it.a != '')", "GroupName: v[0].b"),
        ("var unused = vpc.id\noutput o string = unused\noutput p object = vpc", "GroupName: 'x'"),
        ("", "Tags: []\n  #disable-next-line TMPL0240\n  VpcId: vpc.id\n"),
    ] {
        assert!(!is_reported(declarations, properties), "{declarations}\n{properties}");
    }
}

#[test]
fn the_hint_names_what_the_property_wants() {
    let role = "resource role 'AWS.IAM/Role@default' = {\n  alias: 'role'\n  properties: { \
                AssumeRolePolicyDocument: {} }\n}\n";
    let hint_of = |resource: &str| {
        let said = said(&format!("{VPC}{role}{resource}"));
        let found = said.into_iter().find(|it| it.contains("TMPL0240")).unwrap();
        found.rsplit_once(": ").unwrap().1.to_owned()
    };
    assert_eq!(
        hint_of(
            "resource f 'AWS.Lambda/Function@default' = {\n  alias: 'f'\n  properties: { Code: {}, Role: \
             role.id }\n}\n"
        ),
        "write `role.properties.RoleName` or `role.properties.Arn`"
    );
    assert_eq!(
        hint_of(
            "resource g 'AWS.EC2/SecurityGroup@default' = {\n  alias: 'g'\n  properties: { GroupDescription: \
             'x' }\n}\nresource l 'AWS.Lambda/Function@default' = {\n  alias: 'l'\n  properties: { Code: {}, \
             Role: 'x', VpcConfig: { SecurityGroupIds: [g.id] } }\n}\n"
        ),
        "write `g.properties.GroupId`"
    );
    assert_eq!(
        hint_of("resource v 'AWS.EC2/VPC@default' existing = {\n  name: vpc.id\n}\n"),
        "write `vpc.name`, its identifier in AWS"
    );
}

fn said_of(files: &[(&str, &str)], entry: &str) -> Vec<String> {
    let mut sources = Sources::default();
    for (path, text) in files {
        sources.insert(*path, text.as_bytes());
    }
    let compiled = compile(&sources, entry);
    let Some(program) = compiled.program else { panic!("{:#?}", compiled.problems) };
    let inputs = Inputs {
        parameters: BTreeMap::new(),
        missing: MissingParameter::Unknown,
        ..Inputs::default()
    };
    let started = program.start(&inputs);
    let Some(deployment) = started.deployment else { panic!("{:#?}", started.problems) };
    let problems = check(&deployment, &schema_of).into_iter();
    problems
        .map(|it| {
            let text = sources.text(&it.file).unwrap();
            let labels =
                it.diagnostic.labels.iter().map(|label| &text[label.span.start..label.span.end]);
            let labels = labels.collect::<Vec<_>>().join("» «");
            let (code, message) = (it.diagnostic.code, it.diagnostic.message);
            format!("{} {code} «{labels}» {message}: {}", it.file, it.diagnostic.hints.join("; "))
        })
        .collect()
}

const GROUP: &str = "extension aws\nparam network string\nparam name string\nresource group 'AWS.EC2/SecurityGroup@default' = \
                     {\n  alias: name\n  properties: { GroupDescription: 'x', VpcId: network }\n}\n\
                     output group string = group.id\noutput both object = { a: group.id, b: 'x' }\n";

#[test]
fn an_id_is_followed_into_and_out_of_modules() {
    let main = format!(
        "extension aws\n{VPC}module m 'group.bicep' = {{\n  params: {{ name: 'm', network: vpc.id }}\n}}\n\
         module n 'group.bicep' = {{\n  params: {{ name: 'n', network: vpc.properties.VpcId }}\n}}\n\
         resource s 'AWS.EC2/SecurityGroup@default' = {{\n  alias: 's'\n  properties: {{ GroupDescription: \
         m.outputs.both.b, VpcId: m.outputs.group }}\n}}\n"
    );
    assert_eq!(
        said_of(&[("main.bicep", &main), ("group.bicep", GROUP)], "main.bicep"),
        [
            "group.bicep TMPL0240 «network» `VpcId` of AWS.EC2/SecurityGroup holds Hangar's id of `vpc`, which \
             AWS does not know: write `vpc.properties.VpcId` at main.bicep:7:33, where the id is read",
            "main.bicep TMPL0240 «m.outputs.group» `VpcId` of AWS.EC2/SecurityGroup holds Hangar's id of \
             `group`, which AWS does not know: write `group.properties.VpcId` at \
             group.bicep:8:23, where the id is read",
        ]
    );
}

#[test]
fn recipes_outputs_and_depends_on_may_hold_ids() {
    let main = format!(
        "extension aws\nextension hangar\n{VPC}resource r 'Hangar.Recipes/recipes@2023-10-01-preview' = {{\n  name: 'r'\n  \
         properties: {{ source: './m', parameters: {{ vpc: vpc.id }} }}\n}}\n\
         resource s 'AWS.EC2/SecurityGroup@default' = {{\n  alias: 's'\n  properties: {{ GroupDescription: \
         'x' }}\n  dependsOn: [vpc]\n}}\noutput o string = vpc.id\n"
    );
    let found = said_of(&[("main.bicep", &main)], "main.bicep");
    assert!(!found.iter().any(|it| it.contains("TMPL0240")), "{found:?}");
}

#[test]
fn ids_in_arm_json_are_followed_too() {
    let main = r#"{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
  "languageVersion": "2.0",
  "contentVersion": "1.0.0.0",
  "imports": { "aws": { "provider": "AWS", "version": "1.0.0" } },
  "resources": {
    "vpc": { "import": "aws", "type": "AWS.EC2/VPC@default",
      "properties": { "alias": "vpc", "properties": { "CidrBlock": "10.0.0.0/16" } } },
    "subnet": { "import": "aws", "type": "AWS.EC2/Subnet@default",
      "properties": { "alias": "subnet", "properties": { "CidrBlock": "10.0.0.0/24",
        "VpcId": "[reference('vpc').id]" } } }
  }
}"#;
    let found = said_of(&[("main.json", main)], "main.json");
    assert_eq!(
        found,
        [
            "main.json TMPL0240 «reference('vpc').id» `VpcId` of AWS.EC2/Subnet holds Hangar's id of \
          `reference('vpc')`, which AWS does not know: write `reference('vpc').properties.VpcId`"
        ]
    );
}

#[test]
fn a_long_chain_and_a_deep_value_exhaust_nothing() {
    use std::fmt::Write as _;
    let mut text = String::from("var v0 = [vpc.id]\nfunc f0(a string) string => a\n");
    for at in 1..3000 {
        let _ = writeln!(text, "var v{at} = [v{}, v{}]", at - 1, at - 1);
        let _ = writeln!(
            text,
            "func f{at}(a string) string => '${{f{}(a)}}${{f{}(a)}}'",
            at - 1,
            at - 1
        );
    }
    assert!(!is_reported(&text, "VpcId: vpc.properties.VpcId"));
}
