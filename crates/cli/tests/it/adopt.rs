//! Templates for what exists: `--print-bicep` of discover and import, and `deploy --adopt` over what has the names.

use std::collections::BTreeSet;
use std::fs;

use hangar_schema::sample::{Sampler, Size};
use hangar_schema::{Catalog, IdentifierChoice};
use serde_json::{Value, json};

use crate::http::Connection;
use crate::world::{Host, World};

const ROLE: &str = "AWS::IAM::Role";

fn exit_of(world: &World, arguments: &[&str]) -> (i32, String, String) {
    let output = world.run(arguments);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn write(world: &World, file: &str, text: &str) {
    fs::write(world.place.path().join(file), text).unwrap();
}

fn read(world: &World, file: &str) -> String {
    fs::read_to_string(world.place.path().join(file)).unwrap()
}

/// Makes a resource, unless the simulator has something against it.
fn try_make(world: &World, type_name: &str, properties: &Value) -> Option<String> {
    let mut connection = Connection::open(world.simulator.address()).unwrap();
    let body = json!({"type": type_name, "properties": properties});
    let answer = connection.control("POST", "resources", &body).unwrap();
    if !(200..300).contains(&answer.status) {
        return None;
    }
    answer.body["identifier"].as_str().map(str::to_owned)
}

fn shown(world: &World, type_name: &str, identifier: &str, member: &str) -> String {
    world.live(type_name, identifier)[member].as_str().unwrap().to_owned()
}

/// A network, roles, functions, queues and buckets that name each other; gives how many.
fn landscape(world: &World) -> usize {
    let mut count = 0;
    let mut make = |type_name: &str, properties: Value| {
        count += 1;
        world.make(type_name, &properties)
    };
    for net in 0..2 {
        let named = |name: &str| json!([{"Key": "Name", "Value": format!("{name}-{net}")}]);
        let vpc = make(
            "AWS::EC2::VPC",
            json!({"CidrBlock": format!("10.{net}.0.0/16"), "Tags": named("net")}),
        );
        let table = make("AWS::EC2::RouteTable", json!({"VpcId": vpc, "Tags": named("routes")}));
        let group = make(
            "AWS::EC2::SecurityGroup",
            json!({"GroupDescription": "web", "VpcId": vpc, "Tags": named("web"),
                "SecurityGroupIngress": [{"IpProtocol": "tcp", "FromPort": 443, "ToPort": 443,
                    "CidrIp": "0.0.0.0/0"}]}),
        );
        make(
            "AWS::EC2::SecurityGroup",
            json!({"GroupDescription": "db", "VpcId": vpc, "Tags": named("db"),
                "SecurityGroupIngress": [{"IpProtocol": "tcp", "FromPort": 5432, "ToPort": 5432,
                    "SourceSecurityGroupId": group}]}),
        );
        for subnet in 0..3 {
            let subnet = make(
                "AWS::EC2::Subnet",
                json!({"VpcId": vpc, "CidrBlock": format!("10.{net}.{subnet}.0/24"),
                    "AvailabilityZone": "us-east-1a", "Tags": named(&format!("subnet-{subnet}"))}),
            );
            make(
                "AWS::EC2::SubnetRouteTableAssociation",
                json!({"SubnetId": subnet, "RouteTableId": table}),
            );
        }
    }
    for at in 0..6 {
        let trust = json!({"Version": "2012-10-17", "Statement": [{"Effect": "Allow",
            "Principal": {"Service": "lambda.amazonaws.com"}, "Action": "sts:AssumeRole"}]});
        let bucket = make("AWS::S3::Bucket", json!({"BucketName": format!("acme-logs-{at}")}));
        let bucket_arn = shown(world, "AWS::S3::Bucket", &bucket, "Arn");
        let role = make(
            ROLE,
            json!({"RoleName": format!("svc-{at}"), "AssumeRolePolicyDocument": trust, "Policies": [
                {"PolicyName": "logs", "PolicyDocument": {"Version": "2012-10-17", "Statement": [
                    {"Effect": "Allow", "Action": "s3:PutObject",
                     "Resource": format!("{bucket_arn}/*")}]}}]}),
        );
        let role_arn = shown(world, ROLE, &role, "Arn");
        let queue = make("AWS::SQS::Queue", json!({"QueueName": format!("jobs-{at}")}));
        let queue_arn = shown(world, "AWS::SQS::Queue", &queue, "Arn");
        make(
            "AWS::SecretsManager::Secret",
            json!({"Name": format!("secret-{at}"), "SecretString": "canary"}),
        );
        make("AWS::Logs::LogGroup", json!({"LogGroupName": format!("/aws/lambda/fn-{at}")}));
        let function = make(
            "AWS::Lambda::Function",
            json!({"FunctionName": format!("fn-{at}"), "Role": role_arn, "Handler": "index.handler",
                "Runtime": "nodejs22.x", "Code": {"ZipFile": "exports.handler = () => 1"},
                "DeadLetterConfig": {"TargetArn": queue_arn},
                "Environment": {"Variables": {"BUCKET": bucket, "note": "it's ${x}\nline"}}}),
        );
        let topic = make("AWS::SNS::Topic", json!({"TopicName": format!("news-{at}")}));
        make(
            "AWS::SNS::Subscription",
            json!({"TopicArn": topic, "Protocol": "sqs", "Endpoint": queue_arn}),
        );
        make(
            "AWS::Lambda::Version",
            json!({"FunctionName": function, "Description": format!("v {at}")}),
        );
    }
    count
}

/// Resources of types that nothing above has, from samples; gives how many.
fn samples(world: &World, wanted: usize) -> usize {
    let catalog = Catalog::bundled();
    let mut count = 0;
    // Every so many types, so that many services are among them.
    for name in catalog.names().step_by(9) {
        let schema = catalog.get(name).unwrap();
        let handlers = schema.handlers();
        let is_listed = handlers.list.as_ref().is_some_and(|list| list.parents.is_empty());
        if !is_listed || handlers.read.is_none() || handlers.create.is_none() {
            continue;
        }
        let mut sampler = Sampler::new(&schema);
        let each =
            if schema.identifier_choice() == Some(IdentifierChoice::Generated) { 2 } else { 1 };
        for seed in 0..each {
            if count < wanted {
                let document = sampler.desired(seed, Size::Medium);
                count += usize::from(try_make(world, name, &document).is_some());
            }
        }
    }
    count
}

#[test]
fn two_hundred_resources_that_exist_become_a_template_that_changes_nothing() {
    let world = World::of(Host::Server);
    let made = landscape(&world);
    let made = made + samples(&world, 210 - made);
    assert!(made >= 200, "{made}");

    let discover = ["resource", "discover", "--all", "--print-bicep", "--out", "main.bicep"];
    let found = world.json(&discover);
    let resources = found["resources"].as_array().unwrap();
    let types: BTreeSet<&str> = resources.iter().map(|it| it["type"].as_str().unwrap()).collect();
    assert_eq!(found["unread"], Value::Null, "{found}");
    assert!(resources.len() >= 200 && types.len() >= 30, "{} {}", resources.len(), types.len());
    write(&world, "found.json", &found.to_string());
    let text = read(&world, "main.bicep");
    let count = |what: &str| text.matches(what).count();
    println!(
        "counted: {} resources of {} types in {} bytes, {} reads, {} parameters, {} silenced",
        resources.len(),
        types.len(),
        text.len(),
        count(".properties."),
        count("\nparam "),
        count("#disable-next-line"),
    );
    assert_eq!((count("\nresource "), count("canary")), (resources.len(), 0));
    for read in ["VpcId: net0.properties.VpcId", "Role: svc1.properties.Arn", ".properties.Arn}/*'"]
    {
        assert!(text.contains(read), "{read}: {text}");
    }

    let (code, lint, said) = exit_of(&world, &["lint", "main.bicep", "-o", "json"]);
    assert_eq!((code, lint.trim()), (0, "[]"), "{said}");
    let imported = world.stdout(&["resource", "import", "--from", "found.json"]);
    assert_eq!(imported.matches("imported ").count(), resources.len(), "{imported}");
    let (code, plan, said) = exit_of(&world, &["plan", "main.bicep"]);
    assert_eq!(code, 0, "{plan}{said}");
    let unchanged = format!("plan: no changes ({} unchanged)\n", resources.len());
    assert!(plan.contains(&unchanged), "{plan}");

    let mut connection = Connection::open(world.simulator.address()).unwrap();
    let mut writes = || {
        let requests = connection.control("GET", "requests", &Value::Null).unwrap().body;
        requests["requests"].as_array().unwrap().len()
    };
    let before = writes();
    let deployed = world.stdout(&["deploy", "main.bicep"]);
    let unchanged = format!("main: no changes ({} unchanged) in ", resources.len());
    assert!(deployed.contains(&unchanged), "{deployed}");
    assert_eq!(writes(), before, "nothing is written");
    let (code, plan, _) = exit_of(&world, &["plan", "main.bicep"]);
    assert_eq!(code, 0, "{plan}");
}

#[test]
fn discover_prints_a_template_in_place_of_the_table() {
    let world = World::new();
    let vpc = world.make(
        "AWS::EC2::VPC",
        &json!({"CidrBlock": "10.0.0.0/16", "Tags": [{"Key": "Name", "Value": "net"}]}),
    );
    world.make(
        "AWS::EC2::Subnet",
        &json!({"VpcId": vpc, "CidrBlock": "10.0.1.0/24",
        "Tags": [{"Key": "Name", "Value": "resource"}, {"Key": "it's", "Value": "${x}"}]}),
    );
    let discover = ["resource", "discover", "AWS.EC2/Subnet", "AWS.EC2/VPC", "--print-bicep"];
    let (code, text, said) = exit_of(&world, &discover);
    assert_eq!(code, 0, "{said}");
    assert!(
        text.starts_with("// 2 resources of account 000000000000 in us-east-1, read at 2"),
        "{text}"
    );
    assert!(
        text.contains(
            "//   hangar resource import --from found.json\n//   hangar plan main.bicep\n"
        ),
        "{text}"
    );
    let (vpc_at, subnet_at) = (text.find("resource net "), text.find("resource resource2 "));
    assert!(vpc_at.unwrap() < subnet_at.unwrap(), "{text}");
    assert!(text.contains("    VpcId: net.properties.VpcId\n"), "{text}");
    assert!(said.contains("note: 2 resources of 2 types, 1 value read from others"), "{said}");
    let plain = world.stdout(&[&discover[..], &["--no-references"]].concat());
    assert!(plain.contains(&format!("    VpcId: '{vpc}'\n")), "{plain}");

    let found = world.json(&discover);
    assert!(found["bicep"].as_str().unwrap().contains("VpcId: net.properties.VpcId"), "{found}");
    write(&world, "found.json", &found.to_string());
    write(&world, "main.bicep", found["bicep"].as_str().unwrap());
    world.stdout(&["resource", "import", "--from", "found.json"]);
    assert_eq!(exit_of(&world, &["plan", "main.bicep"]).0, 0);

    // What has an alias is not written again, unless it is asked for.
    let (_, text, _) = exit_of(&world, &discover);
    assert!(!text.contains("\nresource "), "{text}");
    world.put("AWS.EC2/VPC", "ours", &["CidrBlock=10.2.0.0/16", "EnableDnsSupport=true"]);
    let mapped = world.stdout(&[&discover[..], &["--mapped", "--out", "all.bicep"]].concat());
    assert!(mapped.starts_with("TYPE"), "{mapped}");
    let text = read(&world, "all.bicep");
    assert!(text.contains("EnableDnsSupport: true") && text.contains("alias: 'ours'"), "{text}");
    let (code, plan, _) = exit_of(&world, &["plan", "all.bicep"]);
    assert_eq!(code, 0, "{plan}");
}

#[test]
fn what_cannot_be_read_is_told_and_left_out_of_the_template() {
    let world = World::new();
    let (one, other) = ("one-bucket", "other-bucket");
    for name in [one, other] {
        world.make("AWS::S3::Bucket", &json!({"BucketName": name}));
    }
    world.fault(&json!({"operation": "GetResource", "identifier": other, "times": 100,
        "effect": "exception", "exception": "AccessDeniedException", "message": "not yours"}));
    let (code, text, said) =
        exit_of(&world, &["resource", "discover", "AWS.S3/Bucket", "--print-bicep"]);
    assert_eq!(code, 0, "{said}");
    assert!(
        said.contains("warning[CLI0045]: AWS.S3/Bucket other-bucket is not in the template: "),
        "{said}"
    );
    assert_eq!(text.matches("\nresource ").count(), 1, "{text}");
    assert!(text.contains("// Not in this template:\n//   AWS.S3/Bucket other-bucket: "), "{text}");
    assert!(said.contains("not yours"), "{said}");
}

#[test]
fn an_import_prints_the_template_of_what_it_imported() {
    let world = World::new();
    let topic = world.make("AWS::SNS::Topic", &json!({"TopicName": "news"}));
    let import =
        ["resource", "import", "AWS.SNS/Topic", &topic, "--alias", "news", "--print-bicep"];
    let dry = [&import[..], &["--dry-run"]].concat();
    let (code, text, said) = exit_of(&world, &dry);
    assert_eq!(code, 0, "{said}");
    assert!(
        text.contains("resource news 'AWS.SNS/Topic@default' = {\n  alias: 'news'\n"),
        "{text}"
    );
    assert!(said.contains("would import AWS.SNS/Topic `news`"), "{said}");
    assert_eq!(world.stdout(&["resource", "list"]), "no resources in group default\n");

    let (code, text, said) = exit_of(&world, &import);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("imported AWS.SNS/Topic `news`"), "{said}");
    assert!(
        !text.contains("resource import") && text.contains("//   hangar plan main.bicep"),
        "{text}"
    );
    write(&world, "main.bicep", &text);
    assert_eq!(exit_of(&world, &["lint", "main.bicep", "-o", "json"]).1.trim(), "[]");
    assert_eq!(exit_of(&world, &["plan", "main.bicep"]).0, 0);
    let again = world.json(&import);
    assert_eq!(again["resources"][0]["outcome"], "noop", "{again}");
    assert!(again["bicep"].as_str().unwrap().contains("TopicName: 'news'"), "{again}");

    let refused = world.run(&[&import[..], &["--no-wait"]].concat());
    assert_ne!(refused.status.code(), Some(0));
}

#[test]
fn a_value_that_aws_never_returns_is_a_parameter_and_is_sent_once_it_is_given() {
    let world = World::new();
    let role = json!({"RoleName": "svc", "AssumeRolePolicyDocument": {"Version": "2012-10-17",
        "Statement": []}});
    let role = world.make(ROLE, &role);
    let function = world.make(
        "AWS::Lambda::Function",
        &json!({"FunctionName": "fn", "Role": shown(&world, ROLE, &role, "Arn"), "Runtime": "nodejs22.x",
            "Handler": "index.handler", "Code": {"ZipFile": "canary"}}),
    );
    let import = ["resource", "import", "AWS.Lambda/Function", &function, "--alias", "fn"];
    let text = world.stdout(&[&import[..], &["--print-bicep"]].concat());
    assert!(text.contains("@secure()\nparam fnCode object?\n"), "{text}");
    assert!(!text.contains("canary"), "{text}");
    write(&world, "main.bicep", &text);
    assert_eq!(exit_of(&world, &["lint", "main.bicep", "-o", "json"]).1.trim(), "[]");
    assert_eq!(exit_of(&world, &["plan", "main.bicep"]).0, 0);
    let given = ["plan", "main.bicep", "-p", "fnCode={\"ZipFile\": \"other\"}"];
    let (code, plan, said) = exit_of(&world, &given);
    assert_eq!(code, 2, "{plan}{said}");
    assert!(plan.contains("Code") && !plan.contains("other"), "{plan}");
}

#[test]
fn what_has_the_names_of_a_template_is_adopted_compared_and_owned() {
    let world = World::of(Host::Server);
    for name in ["a", "b"] {
        world.make("AWS::Logs::LogGroup", &json!({"LogGroupName": name, "RetentionInDays": 7}));
    }
    let group = |name: &str, days: u32| {
        format!(
            "resource {name} 'AWS.Logs/LogGroup@default' = {{\n  alias: '{name}'\n  properties: {{\n    LogGroupName: '{name}'\n    RetentionInDays: {days}\n  }}\n}}\n"
        )
    };
    write(&world, "app.bicep", &format!("extension aws\n{}{}", group("a", 7), group("b", 30)));
    let (_, _, said) = exit_of(&world, &["plan", "app.bicep", "--adopt"]);
    assert!(said.contains("name conflicts are detected at deployment"), "{said}");
    world.put("AWS.Logs/LogGroup", "other", &["LogGroupName=other"]);
    let (code, plan, _) = exit_of(&world, &["plan", "app.bicep"]);
    assert_eq!(code, 1, "{plan}");
    assert!(plan.contains("plan: 2 would fail") && plan.contains("--adopt"), "{plan}");

    let plan = world.run(&["plan", "app.bicep", "--adopt", "-o", "json"]);
    let plan: Value = serde_json::from_slice(&plan.stdout).unwrap();
    let change = |at: usize| &plan["properties"]["changes"][at];
    assert_eq!(
        (&change(0)["action"], &change(1)["action"]),
        (&json!("adopt"), &json!("adopt")),
        "{plan}"
    );
    assert_eq!(change(0)["changed"], json!([]), "{plan}");
    let changed = &change(1)["changed"];
    assert_eq!(changed.as_array().map(Vec::len), Some(1), "{plan}");
    assert_eq!(
        (&changed[0]["path"], &changed[0]["before"], &changed[0]["after"]),
        (&json!("/RetentionInDays"), &json!(7), &json!(30)),
        "{plan}"
    );
    assert_eq!(changed[0]["cause"], "no-record", "{plan}");
    assert_eq!(change(1)["identifier"], "b", "{plan}");

    let told = world.stdout(&["deploy", "app.bicep", "--adopt"]);
    assert!(told.contains("2 imported"), "{told}");
    assert_eq!(world.live("AWS::Logs::LogGroup", "b")["RetentionInDays"], 30);
    let (code, plan, _) = exit_of(&world, &["plan", "app.bicep"]);
    assert_eq!(code, 0, "{plan}");
    let shown = world.shown("AWS.Logs/LogGroup", "a");
    assert_eq!(shown["ownedResource"], true, "{shown}");
    let listed = world.stdout(&["resource", "list"]);
    assert!(listed.contains("MANAGED BY") && listed.contains("app"), "{listed}");
    world.stdout(&["destroy", "app", "--yes"]);
    assert_eq!(world.existing("AWS::Logs::LogGroup"), ["other"]);
}

#[test]
fn what_was_imported_and_is_then_deployed_stays_when_the_deployment_goes() {
    let world = World::of(Host::Server);
    world.make("AWS::Logs::LogGroup", &json!({"LogGroupName": "a"}));
    let import = ["resource", "import", "AWS.Logs/LogGroup", "a", "--alias", "a", "--print-bicep"];
    write(&world, "app.bicep", &world.stdout(&import));
    let told = world.stdout(&["deploy", "app.bicep"]);
    assert!(told.contains("app: no changes (1 unchanged) in "), "{told}");
    world.stdout(&["destroy", "app", "--yes"]);
    assert_eq!(world.existing("AWS::Logs::LogGroup"), ["a"]);
}

#[test]
fn what_was_imported_is_replaced_once_it_is_owned_and_that_is_said_for_commands() {
    let world = World::new();
    world.make("AWS::Logs::LogGroup", &json!({"LogGroupName": "old"}));
    let import = ["resource", "import", "AWS.Logs/LogGroup", "old", "--alias", "logs"];
    world.stdout(&import);
    let text = "extension aws\nresource logs 'AWS.Logs/LogGroup@default' = {\n  alias: 'logs'\n  properties: { LogGroupName: 'new' }\n}\n";
    fs::write(world.place.path().join("app.bicep"), text).unwrap();
    let deploy = ["deploy", "app.bicep", "--replace", "--yes"];
    let put = [
        "resource",
        "put",
        "AWS.Logs/LogGroup",
        "--alias",
        "logs",
        "--replace",
        "--properties",
        "LogGroupName=new",
    ];
    for command in [&deploy[..], &put] {
        let said = world.refused(command);
        assert!(said.contains("requires a new resource (NotOwned)"), "{said}");
        assert!(said.contains("IDENTIFIER --alias ALIAS --owned`"), "{said}");
        let error = said.split_once("error[").unwrap().1;
        assert!(!error.contains("ownedResource"), "{said}");
    }
    world.stdout(&[&import[..], &["--owned"]].concat());
    assert!(world.stdout(&deploy).contains("app: 1 replaced in "));
}

const WITH_SECRETS: &str = "extension aws

@secure()
param key string

resource role 'AWS.IAM/Role@default' = {
  alias: 'role'
  properties: {
    RoleName: 'role'
    AssumeRolePolicyDocument: { Version: '2012-10-17', Statement: [] }
  }
}
resource api 'AWS.Lambda/Function@default' = {
  alias: 'api'
  properties: {
    FunctionName: 'api'
    Role: role.properties.Arn
    Runtime: 'nodejs22.x'
    Handler: 'index.handler'
    Code: { ZipFile: 'exports.handler = () => 1' }
    Environment: { Variables: { API_KEY: key } }
  }
}
resource secret 'AWS.SecretsManager/Secret@default' = {
  alias: 'secret'
  properties: { Name: 'db', SecretString: key }
}
";

/// The command that a template names in its head.
fn command_in(text: &str) -> Vec<&str> {
    let line = text.lines().find(|line| line.starts_with("//   hangar plan ")).unwrap();
    line.trim_start_matches("//   hangar ").split(' ').collect()
}

#[test]
fn a_template_of_what_has_hidden_secrets_asks_for_them_and_removes_nothing() {
    let world = World::of(Host::Server);
    write(&world, "app.bicep", WITH_SECRETS);
    let place = ["--aws-account", "123456789012", "--aws-region", "eu-west-1"];
    world.stdout(&[&["deploy", "app.bicep", "-p", "key=canary-1"][..], &place].concat());
    let types = ["AWS.Lambda/Function", "AWS.SecretsManager/Secret", "AWS.IAM/Role"];
    let discover = ["resource", "discover", "--mapped", "--print-bicep"];
    let (code, text, said) =
        exit_of(&world, &[&discover[..], &types, &place, &["--out", "main.bicep"]].concat());
    assert_eq!(code, 0, "{text}{said}");
    let text = read(&world, "main.bicep");
    assert!(!text.contains("canary"), "{text}");
    let extension = "extension aws with { account: '123456789012', region: 'eu-west-1' }\n";
    assert!(text.contains(extension), "{text}");
    assert!(text.contains("@secure()\nparam apiAPIKEY string\n"), "{text}");
    assert!(text.contains("API_KEY: apiAPIKEY\n"), "{text}");
    assert_eq!(exit_of(&world, &["lint", "main.bicep", "-o", "json"]).1.trim(), "[]");
    let command = command_in(&text);
    // Without the values it is refused, and nothing would be removed.
    let bare: Vec<&str> =
        command.iter().copied().filter(|it| !it.contains('=') && *it != "-p").collect();
    let (code, _, said) = exit_of(&world, &bare);
    assert!(code == 1 && said.contains("error[BCP258]"), "{said}");
    // With them, exactly the command of its head plans no change.
    let mut run = world.place.command(&command);
    for word in command.iter().filter_map(|word| word.split_once("=env:")) {
        run.env(word.1, "canary-1");
    }
    let output = run.output().unwrap();
    let told = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert_eq!(output.status.code(), Some(0), "{command:?}\n{text}\n{told}");
    assert!(told.contains("plan: no changes"), "{told}");
}

#[test]
fn a_template_of_another_account_and_region_plans_as_its_head_says() {
    let world = World::new();
    let place = ["--aws-account", "123456789012", "--aws-region", "eu-west-1"];
    world.put(
        "AWS.SNS/Topic",
        "news",
        &["TopicName=news", "--aws-account", "123456789012", "--aws-region", "eu-west-1"],
    );
    let discover = ["resource", "discover", "AWS.SNS/Topic", "--mapped", "--print-bicep"];
    let text = world.stdout(&[&discover[..], &place].concat());
    write(&world, "main.bicep", &text);
    let (code, plan, said) = exit_of(&world, &command_in(&text));
    assert_eq!(code, 0, "{text}{plan}{said}");
}
