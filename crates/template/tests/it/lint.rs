//! The rules: each says what it is for, and keeps quiet elsewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use hangar_template::lint::{Config, Level, RULES, lint};
use hangar_template::syntax::Dialect;

use crate::corpus::{FIXTURES, files};

/// The codes that are found, each with the text that it is found at.
fn found(text: &str) -> Vec<(&'static str, String)> {
    let found = lint(text, Dialect::Template, &Config::default());
    let shown = |it: &hangar_diag::Diagnostic| {
        let span = it.span().unwrap();
        (it.code.as_str(), text[span.start..span.end].to_owned())
    };
    found.iter().map(shown).collect()
}

#[track_caller]
fn finds(text: &str, code: &str, at: &str) {
    assert_eq!(found(text), [(code, at.to_owned())] as [(&str, String); 1], "{text}");
}

#[track_caller]
fn is_quiet(text: &str) {
    assert_eq!(found(text), [], "{text}");
}

/// A resource of AWS with these properties.
fn resource(name: &str, properties: &str) -> String {
    format!(
        "extension aws\nresource r 'AWS.{name}@default' = {{\n  alias: 'r'\n  properties: {{\n{properties}\n  }}\n}}\n"
    )
}

#[test]
fn what_is_never_used_is_told() {
    finds("param a string\n", "no-unused-params", "a");
    finds("var a = 1\n", "no-unused-vars", "a");
    finds("import { a, b as c } from 'x.bicep'\noutput o string = a\n", "no-unused-imports", "c");
    finds("type t = 'a' | 'b'\n", "no-unused-types", "t");
    finds("import * as x from 'x.bicep'\n", "no-unused-imports", "x");
    finds(
        "resource a 'AWS.EC2/VPC@default' existing = {\n  alias: 'a'\n}\n",
        "no-unused-existing-resources",
        "a",
    );
}

#[test]
fn what_is_used_anywhere_is_not_told() {
    is_quiet("param a string\noutput o string = 'x${a}'\n");
    is_quiet("var a = [1]\nvar b = [for c in a: c]\noutput o array = b\n");
    is_quiet("import { a, f, t } from 'x.bicep'\nparam p t\noutput o string = f(a, p)\n");
    is_quiet("import * as x from 'x.bicep'\nparam p x.t\noutput o string = p\n");
    is_quiet("@export()\nvar a = 1\n");
    is_quiet("@export()\ntype t = string\n");
    is_quiet("type t = { *: u }\ntype u = 'a'\noutput o t[] = []\n");
    is_quiet("param a string\nparam b string = a\noutput o string = b\n");
    is_quiet("type t = string\nfunc f(a t) string => a\n");
}

#[test]
fn a_dependency_that_the_body_states_is_told_once_more_is_too_much() {
    let text = |depends: &str| {
        format!(
            "resource a 'AWS.EC2/VPC@default' = {{\n  alias: 'a'\n}}\nresource b 'AWS.EC2/Subnet@default' = {{\n  alias: 'b'\n  \
             properties: {{\n    VpcId: a.properties.VpcId\n  }}\n  dependsOn: [{depends}]\n}}\nresource c 'AWS.EC2/VPC@default' = {{\n  alias: 'c'\n}}\n"
        )
    };
    finds(&text("a"), "no-unnecessary-dependson", "a");
    finds(&text("c, a"), "no-unnecessary-dependson", "a");
    is_quiet(&text("c"));
}

#[test]
fn what_can_be_written_more_simply_is_told() {
    finds(
        "output o string = concat('a', string(1))\n",
        "prefer-interpolation",
        "concat('a', string(1))",
    );
    finds("param a string\noutput o string = '${a}'\n", "simplify-interpolation", "'${a}'");
    finds("output o object = { 'a': 1 }\n", "prefer-unquoted-property-names", "'a'");
    finds("param a object\noutput o int = a['b'].c\n", "prefer-unquoted-property-names", "['b']");
    is_quiet("param a object\noutput o array = [a['b-c'], a[?'b']]\n");
    is_quiet("output o object = { 'a-b': 1, '${'c'}': 2 }\n");
    // As the writer writes them.
    is_quiet("output o object = { 'null': 1, 'true': 2, 'false': 3 }\n");
    is_quiet("param a object\noutput o int = a['null']\n");
    is_quiet("output o array = concat([1], [2])\n");
    is_quiet("param a int\noutput o string = '${a}'\n");
    is_quiet("param a string\noutput o object = { '${a}': 1 }\n");
    is_quiet("param a string\noutput o array = [for a in [1]: '${a}']\noutput p string = a\n");
}

#[test]
fn a_secret_that_is_not_kept_is_told() {
    finds(
        "@secure()\nparam a string = 'x'\noutput o int = length(a)\n",
        "secure-parameter-default",
        "= 'x'",
    );
    is_quiet(
        "@secure()\nparam a string = ''\n@secure()\nparam b string = newGuid()\nvar c = [a, b]\noutput o int = length(c)\n",
    );
    finds(
        "param adminPassword string\noutput o int = length(adminPassword)\n",
        "secure-secrets-in-params",
        "adminPassword",
    );
    is_quiet("@sys.secure()\nparam adminPassword string\noutput o int = length(adminPassword)\n");
    is_quiet(
        "param secretName string\nparam passwordLength int\noutput o array = [secretName, passwordLength]\n",
    );
    finds(
        "output masterPassword string = 'x'\n",
        "outputs-should-not-contain-secrets",
        "masterPassword",
    );
    is_quiet("@secure()\noutput masterPassword string = 'x'\n");
}

#[test]
fn an_account_or_a_region_in_an_arn_is_told() {
    let queue = |arn: &str| {
        resource("SQS/Queue", &format!("    RedrivePolicy: {{ deadLetterTargetArn: '{arn}' }}"))
    };
    for arn in [
        "arn:aws:sqs:us-east-1:123456789012:dead",
        "arn:aws:sqs:${aws.region()}:123456789012:dead",
        "arn:aws:iam::123456789012:role/x",
        "arn:aws:sqs:us-gov-west-1:${aws.accountId()}:dead",
    ] {
        finds(&queue(arn), "aws-hardcoded-arn", &format!("'{arn}'"));
    }
    for arn in [
        "arn:aws:sqs:${aws.region()}:${aws.accountId()}:dead",
        "arn:aws:iam::aws:policy/ReadOnlyAccess",
        "arn:aws:s3:::bucket/*",
        "arn:aws:lambda:us-east-1:580247275435:layer:LambdaInsightsExtension:14",
        "something:else:with:five:colons:in it",
    ] {
        is_quiet(&queue(arn));
    }
    // A file without resources of AWS may well hold somebody else's.
    is_quiet("output o string = 'arn:aws:iam::123456789012:role/x'\n");
}

#[test]
fn a_secret_of_a_resource_is_wanted_from_a_secure_parameter() {
    let database =
        |value: &str| resource("RDS/DBInstance", &format!("    MasterUserPassword: {value}"));
    finds(&database("'hunter2'"), "aws-secret-not-secure", "'hunter2'");
    is_quiet(&database("'{{resolve:secretsmanager:db:SecretString:password}}'"));
    let open = format!("param key string\n{}", database("key"));
    finds(&open, "aws-secret-not-secure", "key");
    is_quiet(&format!("@secure()\nparam key string\n{}", database("key")));
    is_quiet(&resource("RDS/DBInstance", "    ManageMasterUserPassword: true"));
}

#[test]
fn a_policy_for_everybody_and_everything_is_told() {
    let policy = |statement: &str| {
        resource(
            "SQS/QueuePolicy",
            &format!("    PolicyDocument: {{ Statement: [{{ {statement} }}] }}"),
        )
    };
    finds(&policy("Effect: 'Allow', Principal: '*', Action: '*'"), "aws-open-policy", "'*'");
    finds(
        &policy("Effect: 'Allow', Principal: { AWS: ['*'] }, Action: ['sqs:SendMessage', '*']"),
        "aws-open-policy",
        "['sqs:SendMessage', '*']",
    );
    is_quiet(&policy("Effect: 'Deny', Principal: '*', Action: '*'"));
    is_quiet(&policy("Effect: 'Allow', Principal: '*', Action: 's3:GetObject'"));
    is_quiet(&policy("Effect: 'Allow', Principal: { Service: 'sns.amazonaws.com' }, Action: '*'"));
    is_quiet(&policy(
        "Effect: 'Allow', Principal: '*', Action: '*', Condition: { Bool: { x: 'true' } }",
    ));
}

#[test]
fn administration_that_is_open_to_the_internet_is_told() {
    let group = |rule: &str| {
        resource("EC2/SecurityGroup", &format!("    SecurityGroupIngress: [{{ {rule} }}]"))
    };
    let open = [
        "IpProtocol: 'tcp', FromPort: 22, ToPort: 22, CidrIp: '0.0.0.0/0'",
        "IpProtocol: 'tcp', FromPort: 3000, ToPort: 4000, CidrIpv6: '::/0'",
        "IpProtocol: '-1', CidrIp: '0.0.0.0/0'",
        "IpProtocol: 'tcp', FromPort: 0, ToPort: 65535, CidrIp: '0.0.0.0/0'",
        "IpProtocol: 'udp', FromPort: 0, ToPort: 65535, CidrIp: '0.0.0.0/0'",
        "IpProtocol: '6', FromPort: 22, ToPort: 22, CidrIp: '0.0.0.0/0'",
        "IpProtocol: '${6}', FromPort: 22, ToPort: 22, CidrIp: '0.0.0.0/0'",
    ];
    for rule in open {
        let at = if rule.contains("::/0") { "'::/0'" } else { "'0.0.0.0/0'" };
        finds(&group(rule), "aws-open-ingress", at);
    }
    let alone = open[0].replace(", ", "\n    ");
    finds(&resource("EC2/SecurityGroupIngress", &alone), "aws-open-ingress", "'0.0.0.0/0'");
    is_quiet(&group("IpProtocol: 'tcp', FromPort: 443, ToPort: 443, CidrIp: '0.0.0.0/0'"));
    is_quiet(&group("IpProtocol: 'tcp', FromPort: 22, ToPort: 22, CidrIp: '10.0.0.0/8'"));
    // SSH and RDP are not let in by these.
    for protocol in ["'udp'", "'UDP'", "'17'", "17", "'icmp'"] {
        let rule =
            format!("FromPort: 8, ToPort: 4000, CidrIp: '0.0.0.0/0', IpProtocol: {protocol}");
        is_quiet(&group(&rule));
    }
    is_quiet(&resource(
        "EC2/SecurityGroup",
        "    SecurityGroupEgress: [{ IpProtocol: '-1', CidrIp: '0.0.0.0/0' }]",
    ));
}

#[test]
fn a_bucket_for_everybody_is_told() {
    finds(
        &resource("S3/Bucket", "    AccessControl: 'PublicRead'"),
        "aws-public-bucket",
        "'PublicRead'",
    );
    finds(
        &resource(
            "S3/Bucket",
            "    PublicAccessBlockConfiguration: { BlockPublicAcls: true, BlockPublicPolicy: false }",
        ),
        "aws-public-bucket",
        "false",
    );
    is_quiet(&resource("S3/Bucket", "    AccessControl: 'Private'"));
}

#[test]
fn an_alias_that_does_not_stay_is_told() {
    let text = "param now string = utcNow()\nresource r 'AWS.S3/Bucket@default' = {\n  alias: 'logs-${now}'\n}\n";
    finds(text, "aws-unstable-alias", "'logs-${now}'");
    is_quiet(&text.replace("utcNow()", "'2020'"));
}

#[test]
fn a_rule_that_there_is_not_is_told_with_the_one_that_is_near() {
    let text = "{\"analyzers\": {\"core\": {\"rules\": {\"no-unused-parms\": {\"level\": \"off\"}, \"max-params\": {\"level\": \"off\"}, \"aws-open-policy\": {\"level\": \"off\"}, \"zzz\": {}}}}}";
    let found = Config::read(text).unwrap().warnings();
    let shown = |it: &hangar_diag::Diagnostic| {
        let span = it.span().unwrap();
        format!("{} {} {}", it.code.as_str(), &text[span.start..span.end], it.hints.join(" "))
    };
    let shown: Vec<String> = found.iter().map(shown).collect();
    assert_eq!(
        shown,
        [
            "TMPL0061 \"no-unused-parms\" did you mean `no-unused-params`?",
            "TMPL0061 \"zzz\" correct its name, or remove it"
        ]
    );
    assert!(found.iter().all(|it| !it.is_error()));
}

#[test]
fn a_directive_silences_and_a_configuration_sets_the_level() {
    is_quiet("#disable-next-line no-unused-vars\nvar a = 1\n");
    let config = |text: &str| Config::read(text).unwrap();
    let text = "var a = 1\n";
    let set = |level: &str| {
        config(&format!(
            "{{ // a comment\n\"analyzers\": {{\"core\": {{\"rules\": {{\"no-unused-vars\": {{\"level\": \"{level}\"}}, \"no-such-rule\": {{\"level\": \"off\"}}}}}}}}}}"
        ))
    };
    let levels =
        [("off", vec![]), ("Warning", vec![false]), ("info", vec![false]), ("error", vec![true])];
    for (level, wanted) in levels {
        let found = lint(text, Dialect::Template, &set(level));
        assert_eq!(
            found.iter().map(hangar_diag::Diagnostic::is_error).collect::<Vec<_>>(),
            wanted,
            "{level}"
        );
    }
    assert!(set("error").has_errors() && !set("warning").has_errors());
    let off = config("{\"analyzers\": {\"core\": {\"enabled\": false}}}");
    assert_eq!(off.level("no-unused-vars"), Level::Off);
    let loose = "{\"analyzers\": {\"core\": {\"rules\": {\"no-unused-vars\": {\"level\": \"off\",},},},}, \"l\": [1,], /* all */}";
    assert_eq!(config(loose).level("no-unused-vars"), Level::Off);
    for broken in ["{,}", "{\"a\": 1,,}", "{\"a\": [,]}", "{\"a\": [1,,]}"] {
        assert!(Config::read(broken).is_err(), "{broken}");
    }
    // An error that the configuration makes of it is silenced by a directive all the same.
    let silenced =
        lint("#disable-next-line no-unused-vars\nvar a = 1\n", Dialect::Template, &set("error"));
    assert_eq!(silenced, []);
    let wrong =
        Config::read("{\"analyzers\": {\"core\": {\"rules\": {\"a\": {\"level\": \"loud\"}}}}}")
            .unwrap_err();
    assert!(wrong.message.contains("`a`"), "{wrong:?}");
    assert!(Config::read("{").is_err());
}

#[test]
fn the_examples_have_no_warning_and_those_of_others_no_false_one() {
    let mut paths = Vec::new();
    files(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples")), &mut paths);
    let mut looked = 0;
    files(&Path::new(FIXTURES).join("aws-input"), &mut paths);
    for path in paths {
        let dialect = match path.extension().and_then(|it| it.to_str()) {
            Some("bicep") => Dialect::Template,
            Some("bicepparam") => Dialect::Parameters,
            _ => continue,
        };
        let text = fs::read_to_string(&path).unwrap();
        let found = lint(&text, dialect, &Config::default());
        assert_eq!(found, [], "{}", path.display());
        looked += 1;
    }
    println!("{looked} files without a warning");
    assert!(looked > 5);
}

/// What Bicep's own linter says of its tests, by rule: how much of it we say, and nothing else.
#[test]
fn what_bicep_says_by_these_rules_is_said_here_too() {
    const HELD: [&str; 3] = ["no-unused-params", "no-unused-vars", "secure-parameter-default"];
    let folder = Path::new(FIXTURES).join("diagnostics");
    let Ok(entries) = fs::read_dir(&folder) else {
        println!("skipped: what_bicep_says_by_these_rules_is_said_here_too (no ../shared)");
        return;
    };
    let mut cases: Vec<PathBuf> = entries.map(|it| it.unwrap().path()).collect();
    cases.sort();
    let mut tally: BTreeMap<&str, (usize, usize, usize)> = BTreeMap::new();
    let mut wrong = Vec::new();
    for case in cases {
        let text = fs::read_to_string(case.join("main.bicep")).unwrap();
        let facts = fs::read_to_string(case.join("diagnostics.json")).unwrap();
        let facts: Vec<serde_json::Value> = serde_json::from_str(&facts).unwrap();
        let place = |line: u64, start: u64| (line, start);
        let ours = lint(&text, Dialect::Template, &Config::default());
        for rule in RULES.iter().map(|it| it.as_str()) {
            let theirs: BTreeSet<_> = facts
                .iter()
                .filter(|it| it["code"] == rule)
                .map(|it| place(it["line"].as_u64().unwrap(), it["start"].as_u64().unwrap()))
                .collect();
            let ours: BTreeSet<_> = ours
                .iter()
                .filter(|it| it.code.as_str() == rule)
                .map(|it| {
                    let at = hangar_diag::position_of(&text, it.span().unwrap().start);
                    place(at.line as u64 - 1, at.column as u64 - 1)
                })
                .collect();
            let entry = tally.entry(rule).or_default();
            entry.0 += theirs.intersection(&ours).count();
            entry.1 += theirs.difference(&ours).count();
            entry.2 += ours.difference(&theirs).count();
            let name = case.file_name().unwrap().to_string_lossy().into_owned();
            wrong.extend(ours.difference(&theirs).map(|at| (name.clone(), rule, *at)));
        }
    }
    for (rule, (both, missed, more)) in tally.iter().filter(|(_, it)| **it != (0, 0, 0)) {
        println!("{rule}: {both} as Bicep, {missed} missed, {more} more");
    }
    println!("{wrong:?}");
    for rule in HELD {
        let (both, missed, _) = tally[rule];
        assert!(both > missed * 10, "{rule}: {both} found, {missed} missed");
    }
}
