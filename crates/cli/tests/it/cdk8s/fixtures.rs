//! The apps that were measured with: every kind of token that the AWS CDK has, and manifests in which tokens went out.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::app::{App, fixture_file, physical, variables};

const APP: [&str; 2] = ["node", "app.js"];
const VARIABLES: &str = "/spec/jobTemplate/spec/template/spec/containers/0/env";

/// The text of an app without the cases of these names.
fn without(text: &str, cases: &[&str]) -> String {
    let is_case =
        |line: &str| cases.iter().any(|it| line.trim_start().starts_with(&format!("{it}: ")));
    let kept: Vec<&str> = text.lines().filter(|line| !is_case(line)).collect();
    kept.join("\n")
}

#[test]
fn every_token_of_the_measured_app_becomes_its_value_or_is_refused_by_name() {
    let test = "every_token_of_the_measured_app_becomes_its_value_or_is_refused_by_name";
    let Some(app) = App::fixture(test, "aws") else { return };

    let refused = app.run(&[], &APP);
    assert_eq!(refused.code, Some(1), "{}", refused.stderr);
    for (at, why) in [
        ("22/value (LOWERCASED)", "letter case was changed"),
        ("23/value (BASE64)", "base64 encoding of a token"),
    ] {
        let place = format!("CronJob manifest-cronjob-c86481e8, {VARIABLES}/{at}: ");
        let line = refused.stderr.lines().find(|line| line.contains(&place));
        assert!(line.is_some_and(|line| line.contains(why)), "{place}\n{}", refused.stderr);
    }
    assert!(refused.stderr.contains("construct: Manifest/CronJob/Resource"), "{}", refused.stderr);
    assert!(app.files("out-aws/dist").is_empty());

    app.edit("app.js", |text| without(text, &["LOWERCASED", "BASE64"]));
    app.synthesize(&[], &APP);
    let deployed = app.deploy("out-aws/cdk.out");
    let refused = app.resolve("out-aws/dist", "resolved");
    assert_eq!(refused.code, Some(1));
    let told: Vec<&str> = refused.stderr.lines().filter(|line| line.starts_with("error")).collect();
    let [secret, import] = told[..] else { panic!("{told:#?}") };
    for (told, code, case) in [
        (secret, "REF0012", "20/value (SECRET_DYNREF)"),
        (import, "REF0016", "21/value (IMPORT_VALUE)"),
    ] {
        let place =
            format!("error[{code}]: CronJob manifest-cronjob-c86481e8, {VARIABLES}/{case}: ");
        assert!(told.starts_with(&place), "{told}");
    }
    assert!(import.contains("export `some-export` does not exist"), "{import}");
    assert!(app.files("resolved").is_empty());

    app.edit("app.js", |text| without(text, &["SECRET_DYNREF", "IMPORT_VALUE"]));
    app.synthesize(&[], &APP);
    let objects = app.resolved("out-aws/dist", "resolved");
    let expected = Expected::of(&app, &deployed);
    let values = variables(&objects);
    for (name, value) in &expected.variables {
        assert_eq!(values[*name], *value, "{name}");
    }
    assert_eq!(values.len(), expected.variables.len(), "each case is compared: {values:#?}");
    println!("counted: {} tokens of the measured app have their values", values.len());
    let typed = &objects[1];
    assert_eq!(typed["spec"], expected.typed);
    assert_eq!(typed["metadata"]["annotations"]["k-x"], expected.bucket_arn);
}

/// What the manifests must hold, by what the simulator says itself of the resources.
struct Expected {
    variables: BTreeMap<&'static str, Value>,
    typed: Value,
    bucket_arn: Value,
}

impl Expected {
    fn of(app: &App, deployed: &Value) -> Self {
        let resources = app.rig.resources();
        let properties = |stack: &str, logical_id: &str| -> Value {
            let wanted = physical(deployed, stack, logical_id);
            let found = resources.iter().find(|(_, identifier, _)| *identifier == wanted);
            found.unwrap_or_else(|| panic!("{wanted} is no resource")).2.clone()
        };
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let bucket = properties("Storage", "Bucket83908E77");
        let name = text(&bucket["BucketName"]);
        let queue = properties("Storage", "Queue4A7E3555");
        let [url, queue_name] = ["QueueUrl", "QueueName"].map(|it| text(&queue[it]));
        let database = properties("Prod-App", "Db");
        let port = text(&database["Endpoint"]["Port"]);
        let servers = properties("Prod-App", "Zone")["NameServers"].clone();
        let list: Vec<&str> =
            servers.as_array().unwrap().iter().filter_map(Value::as_str).collect();
        // The one queue of the nested stack is the one that no other stack has.
        let nested = resources.iter().find(|(kind, identifier, _)| {
            kind == "AWS::SQS::Queue" && identifier.contains("/111122223333/")
        });
        let bucket_arn = bucket["Arn"].clone();
        let variables = BTreeMap::from([
            ("PLAIN_REF", json!(name)),
            ("GETATT_ARN", queue["Arn"].clone()),
            ("CONCAT", json!(format!("https://{}/x", text(&bucket["DomainName"])))),
            ("TWO_TOKENS", json!(format!("{name}:{queue_name}"))),
            (
                "SAME_LOGICAL_ID_OTHER_STACK",
                properties("Compute", "Bucket83908E77")["BucketName"].clone(),
            ),
            ("IN_STAGE", properties("Prod-App", "Bucket83908E77")["Arn"].clone()),
            ("IN_NESTED_STACK", json!(nested.unwrap().1)),
            ("FN_JOIN", json!(format!("pre-{name}-post"))),
            ("FN_SUB", json!(format!("x-{name}"))),
            ("FN_SELECT_SPLIT", json!(queue_name)),
            ("LIST_JOINED", json!(list.join(","))),
            ("LIST_ELEMENT", json!(list[0])),
            ("NUMBER_IN_STRING", json!(format!("port={port}"))),
            ("NUMBER_AS_STRING", json!(port)),
            ("PSEUDO_REGION", json!("us-east-1")),
            ("PSEUDO_ACCOUNT", json!("000000000000")),
            ("PSEUDO_REGION_STAGE", json!("eu-west-1")),
            ("PARTITION", json!("aws")),
            ("CFN_PARAM", json!("2")),
            ("LAZY", json!(name)),
            ("JSON_BLOB", json!(format!(r#"{{"b":"{name}","p":{port}}}"#))),
            ("STACK_TOJSON", json!(format!(r#"{{"b":"{name}","q":"{url}"}}"#))),
            ("STAGE_NAME_REF", json!("prod")),
        ]);
        let typed = json!({
            "list": servers,
            "listOfOne": [name],
            "mapKey": {name: "v"},
            "number": port.parse::<u16>().unwrap(),
            "rawReference": "skipped",
        });
        Self { variables, typed, bucket_arn }
    }
}

#[test]
fn a_manifest_with_raw_tokens_is_refused_with_every_one_of_their_places() {
    let test = "a_manifest_with_raw_tokens_is_refused_with_every_one_of_their_places";
    let files = ["aws/dist.run-a.yaml", "aws/dist.run-b.yaml", "cdktf/dist.unresolved.yaml"];
    let mut count = 0;
    for file in files {
        let Some(text) = fixture_file(test, file) else { return };
        let Some(app) = App::new(test) else { return };
        std::fs::create_dir(app.path("dist")).unwrap();
        std::fs::write(app.path("dist/manifest.yaml"), text).unwrap();
        let refused = app.refusals("dist", "resolved");
        assert!(app.files("resolved").is_empty());
        let mut places = Vec::new();
        for object in app.objects("dist") {
            let name = format!(
                "{} {}",
                object["kind"].as_str().unwrap(),
                object["metadata"]["name"].as_str().unwrap()
            );
            places.extend(
                tokens(&object, "").into_iter().map(|pointer| format!("{name}, {pointer}")),
            );
        }
        for place in &places {
            let is_told = refused.iter().any(|line| is_told(line, place));
            assert!(is_told, "{file}: {place}\n{refused:#?}");
        }
        // A value with two tokens in it is reported twice.
        let errors = refused.iter().filter(|line| line.starts_with("error[REF0015]: "));
        let told: BTreeSet<&str> = errors.filter_map(|line| line.split(": `").next()).collect();
        assert_eq!(told.len(), places.len(), "{file}\n{refused:#?}");
        count += told.len();
    }
    println!("counted: {count} raw tokens are refused by their places");
}

/// Whether a mistake is told with its place; an item of a list may be named behind that.
fn is_told(said: &str, place: &str) -> bool {
    [": ", " ("].iter().any(|end| said.contains(&format!("{place}{end}")))
}

/// The places of what came from tokens, by what the fixtures are known to hold.
fn tokens(value: &Value, at: &str) -> Vec<String> {
    let is_token = |text: &str| {
        let text = text.to_lowercase();
        text.contains("token[")
            || text.contains("e+289")
            || text.contains("e+298")
            || text.starts_with("jhtub2tlb")
    };
    match value {
        Value::Object(members) => members
            .iter()
            .flat_map(|(key, value)| {
                let place = format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
                let of_key = is_token(key).then(|| place.clone());
                of_key.into_iter().chain(tokens(value, &place)).collect::<Vec<_>>()
            })
            .collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .flat_map(|(index, item)| tokens(item, &format!("{at}/{index}")))
            .collect(),
        Value::String(text) if is_token(text) => vec![at.to_owned()],
        Value::Number(number) if is_token(&number.to_string()) => vec![at.to_owned()],
        _ => Vec::new(),
    }
}
