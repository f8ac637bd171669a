//! First contact with AWS: `--aws real` with the endpoint, credentials and region of the environment.
//!
//! AWS is a TLS endpoint on loopback whose answers are the simulator's. No other address is called: the
//! metadata service is off, and every service has that endpoint.

mod front;

use std::path::PathBuf;
use std::process::Output;

use serde_json::Value;

use crate::place::Place;
use crate::simulator::Simulator;
use front::{EXPIRED, Front, UNKNOWN, ca_bundle};

/// With the simulator an access key of twelve digits is the account's own.
const ACCOUNT: &str = "123456789012";

const TEMPLATE: &str = "extension aws

resource q 'AWS.SQS/Queue@default' = {
  alias: 'q'
  properties: {
    QueueName: 'q'
  }
}
";

struct Cloud {
    place: Place,
    _simulator: Simulator,
    front: Front,
}

impl Cloud {
    fn start() -> Self {
        let simulator = Simulator::start(&[]);
        let front = Front::start(simulator.address());
        let place = Place::new();
        std::fs::write(place.path().join("ok.bicep"), TEMPLATE).unwrap();
        Self { place, _simulator: simulator, front }
    }

    /// Runs a command whose AWS is the endpoint, and which knows nothing else of the machine.
    fn run(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
        let mut command = self.place.command(arguments);
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("AWS_")) {
            command.env_remove(name);
        }
        command
            .env("HOME", "/nonexistent")
            .env("AWS_EC2_METADATA_DISABLED", "true")
            .env("AWS_CA_BUNDLE", ca_bundle())
            .env("AWS_ENDPOINT_URL", self.front.url())
            .envs(variables.iter().copied());
        command.output().unwrap()
    }

    /// Runs a command that fails, and gives its only error.
    fn error(&self, arguments: &[&str], variables: &[(&str, &str)]) -> String {
        let output = self.run(arguments, variables);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {text}");
        assert_eq!(text.matches("error[").count(), 1, "{arguments:?}: {text}");
        assert!(!text.contains("\\n"), "{text}");
        text
    }

    /// Runs a command that succeeds, and gives what it prints for programs.
    fn json(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Value {
        let output = self.run(&[arguments, &["-o", "json"]].concat(), variables);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {text}");
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn deploy(&self, arguments: &[&str], variables: &[(&str, &str)]) {
        let output = self.run(&[&["deploy", "ok.bicep"], arguments].concat(), variables);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?} {variables:?}: {text}");
    }

    /// The account and region of the queue.
    fn scope(&self, variables: &[(&str, &str)]) -> String {
        let shown = self.json(&["resource", "show", "AWS.SQS/Queue", "q"], variables);
        let scope = shown["mapsTo"]["scope"].as_str().unwrap();
        let scope = scope.trim_start_matches("/planes/aws/aws/");
        scope.split("/providers/").next().unwrap().to_owned()
    }
}

fn keys(access_key: &str) -> [(&str, &str); 2] {
    [("AWS_ACCESS_KEY_ID", access_key), ("AWS_SECRET_ACCESS_KEY", "simulator")]
}

const COMMANDS: [&[&str]; 5] = [
    &["plan", "ok.bicep", "--aws", "real"],
    &["deploy", "ok.bicep", "--aws", "real"],
    &["destroy", "ok", "--yes", "--aws", "real"],
    &["drift", "--aws", "real"],
    &[
        "resource",
        "put",
        "AWS.SQS/Queue",
        "--alias",
        "a",
        "--properties",
        "QueueName=a",
        "--aws",
        "real",
    ],
];

#[test]
fn without_credentials_every_command_stops_with_one_message_and_leaves_nothing() {
    let cloud = Cloud::start();
    for command in COMMANDS {
        let text = cloud.error(command, &[("AWS_REGION", "eu-west-1")]);
        assert!(text.contains("error[CLI0100]: no AWS credentials found"), "{text}");
        assert!(text.contains("aws sso login") && text.contains("AWS_PROFILE"), "{text}");
        assert!(!cloud.place.dir().exists(), "{command:?} left a data directory");
    }
}

#[test]
fn credentials_that_expired_or_that_aws_does_not_know_are_one_message() {
    let cloud = Cloud::start();
    for (key, code) in [(EXPIRED, "CLI0101"), (UNKNOWN, "CLI0102")] {
        let variables = [&keys(key)[..], &[("AWS_REGION", "eu-west-1")]].concat();
        for command in COMMANDS {
            let text = cloud.error(command, &variables);
            assert!(text.contains(&format!("error[{code}]")), "{text}");
            assert!(!cloud.place.dir().exists(), "{command:?} left a data directory");
        }
        assert!(cloud.front.was_signed_by(key));
    }
}

#[test]
fn credentials_that_expire_later_stop_a_command_on_a_used_directory() {
    let cloud = Cloud::start();
    let region = [("AWS_REGION", "eu-west-1")];
    cloud.deploy(&["--aws", "real"], &[&keys(ACCOUNT)[..], &region].concat());
    let expired = [&keys(EXPIRED)[..], &region].concat();
    for command in [&["plan", "ok.bicep"][..], &["deploy", "ok.bicep"], &["drift"]] {
        let text = cloud.error(command, &expired);
        assert!(text.contains("error[CLI0101]"), "{text}");
    }
    // What is only stored can be shown anyway.
    assert!(cloud.json(&["resource", "list"], &expired).to_string().contains("/q"));
}

#[test]
fn the_account_is_that_of_the_credentials_and_the_region_comes_from_each_source() {
    let folder = tempfile::tempdir().unwrap();
    let config: PathBuf = folder.path().join("config");
    let text = "[default]\nregion = ap-south-1\n[profile work]\nregion = sa-east-1\n";
    std::fs::write(&config, text).unwrap();
    let config = config.to_str().unwrap();
    let file = ("AWS_CONFIG_FILE", config);
    for (variables, flags, region) in [
        (
            vec![("AWS_REGION", "eu-west-1"), ("AWS_DEFAULT_REGION", "eu-west-2")],
            &[][..],
            "eu-west-1",
        ),
        (vec![("AWS_DEFAULT_REGION", "eu-west-2")], &[][..], "eu-west-2"),
        (vec![file], &[][..], "ap-south-1"),
        (vec![file, ("AWS_PROFILE", "work")], &[][..], "sa-east-1"),
        (vec![("AWS_REGION", "eu-west-1")], &["--aws-region", "us-west-2"][..], "us-west-2"),
    ] {
        let cloud = Cloud::start();
        let variables = [&keys(ACCOUNT)[..], &variables].concat();
        cloud.deploy(&[flags, &["--aws", "real"]].concat(), &variables);
        assert_eq!(cloud.scope(&variables), format!("accounts/{ACCOUNT}/regions/{region}"));
        assert!(cloud.front.was_signed_by(ACCOUNT));
        // The same again is no change: the data directory knows its AWS.
        let again = cloud.run(&[&["plan", "ok.bicep"], flags].concat(), &variables);
        assert_eq!(again.status.code(), Some(0), "{}", String::from_utf8_lossy(&again.stderr));
    }
}

#[test]
fn without_a_region_that_is_the_only_error() {
    let cloud = Cloud::start();
    for command in [&COMMANDS[0], &COMMANDS[1], &COMMANDS[4]] {
        let text = cloud.error(command, &keys(ACCOUNT));
        assert!(text.contains("error[CLI0103]"), "{text}");
        assert!(text.contains("AWS_REGION"), "{text}");
    }
}

#[test]
fn a_group_and_then_a_put_and_a_discovery_use_the_callers_account_too() {
    let cloud = Cloud::start();
    let variables = [&keys(ACCOUNT)[..], &[("AWS_REGION", "eu-west-1")]].concat();
    cloud.json(COMMANDS[4], &variables);
    let shown = cloud.json(&["resource", "show", "AWS.SQS/Queue", "a"], &variables);
    let scope = shown["mapsTo"]["scope"].as_str().unwrap();
    assert!(scope.contains(&format!("/accounts/{ACCOUNT}/regions/eu-west-1/")), "{scope}");
    let found = cloud.json(&["resource", "discover", "AWS.SQS/Queue", "--mapped"], &variables);
    assert!(found.to_string().contains(&format!("/{ACCOUNT}/a")), "{found}");
}

#[test]
fn each_service_can_have_its_own_endpoint() {
    let cloud = Cloud::start();
    let url = cloud.front.url();
    let variables = [
        &keys(ACCOUNT)[..],
        &[
            ("AWS_REGION", "eu-west-1"),
            // Nothing listens there.
            ("AWS_ENDPOINT_URL", "http://127.0.0.1:9"),
            ("AWS_ENDPOINT_URL_STS", &url),
            ("AWS_ENDPOINT_URL_CLOUDCONTROL", &url),
            ("AWS_ENDPOINT_URL_CLOUDFORMATION", &url),
        ],
    ]
    .concat();
    cloud.deploy(&["--aws", "real"], &variables);
    assert!(cloud.front.was_signed_by(ACCOUNT));
}

#[test]
fn without_a_flag_a_new_directory_uses_the_endpoint_of_the_environment_and_keeps_it() {
    let cloud = Cloud::start();
    let variables = [&keys(ACCOUNT)[..], &[("AWS_REGION", "eu-west-1")]].concat();
    let output = cloud.run(&["deploy", "ok.bicep"], &variables);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{text}");
    assert!(text.contains(&format!("AWS is {}", cloud.front.url())), "{text}");
    assert_eq!(cloud.scope(&variables), format!("accounts/{ACCOUNT}/regions/eu-west-1"));
    let kept = std::fs::read_to_string(cloud.place.file("aws")).unwrap();
    assert_eq!(kept.trim(), cloud.front.url());
}

#[test]
fn resolve_reports_what_is_wrong_with_the_credentials_once_and_as_deploy_does() {
    let cloud = Cloud::start();
    let line = |at: usize| {
        format!(
            "  k{at}: ${{cfn:app{}/Out?account=123456789012&region=eu-west-1}}\n  l{at}: ${{cfn:app/R{at}#Arn}}\n",
            at % 7
        )
    };
    let lines: String = (0..30).map(line).collect();
    let manifest = format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n{lines}");
    std::fs::write(cloud.place.path().join("m.yaml"), manifest).unwrap();
    let region = ("AWS_REGION", "eu-west-1");
    let bad = |key| [&keys(key)[..], &[region]].concat();
    for (variables, code, says) in [
        (vec![region], "CLI0100", ["no AWS credentials found", "aws sso login"]),
        (vec![region, ("AWS_PROFILE", "nope")], "CLI0100", ["profile `nope`", "list-profiles"]),
        (bad(EXPIRED), "CLI0101", ["have expired", "aws sso login"]),
        (bad(UNKNOWN), "CLI0102", ["rejects the credentials", "get-caller-identity"]),
        (keys(ACCOUNT).to_vec(), "CLI0103", ["no AWS region is set", "AWS_REGION"]),
    ] {
        let text = cloud.error(&["resolve", "--aws", "real", "-f", "m.yaml"], &variables);
        assert!(text.contains(&format!("error[{code}]")), "{text}");
        assert!(says.iter().all(|it| text.contains(it)), "{text}");
        assert!(!text.contains("allow the caller"), "{text}");
    }
    let text = cloud.error(COMMANDS[0], &[region, ("AWS_PROFILE", "nope")]);
    assert!(text.contains("error[CLI0100]") && text.contains("profile `nope`"), "{text}");
}

/// Says the account of a plan of an endpoint that the environment names, or the code of its error; and the code of a
/// resolve.
fn endpoint_says(cloud: &Cloud, variables: &[(&str, &str)]) -> (String, Option<String>) {
    let manifest = "kind: ConfigMap\ndata:\n  a: ${cfn:app/Out}\n";
    std::fs::write(cloud.place.path().join("m.yaml"), manifest).unwrap();
    let code = |text: &str| {
        let (_, rest) = text.split_once("error[")?;
        Some(rest.split(']').next().unwrap().to_owned())
    };
    let variables = [&[("AWS_REGION", "eu-west-1")][..], variables].concat();
    let plan = cloud.run(&["plan", "ok.bicep"], &variables);
    let (said, text) =
        (String::from_utf8_lossy(&plan.stderr), String::from_utf8_lossy(&plan.stdout).into_owned());
    let account = || text.split("account ").nth(1).map(|rest| rest[..12].to_owned());
    let resolve = cloud.run(&["resolve", "-f", "m.yaml"], &variables);
    (
        code(&said).or_else(account).unwrap_or_default(),
        code(&String::from_utf8_lossy(&resolve.stderr)),
    )
}

#[test]
fn an_endpoint_of_the_environment_gets_no_made_up_account_in_place_of_the_callers() {
    let cloud = Cloud::start();
    let half = |name| [(name, "some")];
    let [key, secret] = keys(ACCOUNT);
    for (variables, code) in [
        (&[key, secret, ("AWS_ENDPOINT_URL_STS", "http://127.0.0.1:9")][..], "CLI0104"),
        (&[key, secret, ("AWS_ENDPOINT_URL", "http://127.0.0.1:9")], "CLI0104"),
        (&[("AWS_PROFILE", "nope")], "CLI0100"),
        (&half("AWS_ACCESS_KEY_ID"), "CLI0100"),
        (&half("AWS_SECRET_ACCESS_KEY"), "CLI0100"),
        (&keys(EXPIRED), "CLI0101"),
        (&keys(UNKNOWN), "CLI0102"),
    ] {
        let said = endpoint_says(&cloud, variables);
        assert_eq!(said, (code.to_owned(), Some(code.to_owned())), "{variables:?}");
        assert!(!cloud.place.dir().exists());
    }
    assert_eq!(endpoint_says(&cloud, &[key, secret]).0, ACCOUNT);
}

#[test]
fn an_endpoint_that_answers_that_it_has_no_sts_has_the_usual_account() {
    use crate::fake_api::{FakeApi, json};
    let cloud = Cloud::start();
    let without = FakeApi::start(|_, _| json(404, Value::Null));
    let url = without.url();
    let [key, secret] = keys(ACCOUNT);
    let said = endpoint_says(&cloud, &[key, secret, ("AWS_ENDPOINT_URL_STS", &url)]);
    assert_eq!(said.0, "000000000000");
    assert!(!without.received().is_empty());
}

#[test]
fn the_default_profile_of_the_aws_files_is_the_caller_of_the_endpoint_of_the_environment() {
    let cloud = Cloud::start();
    let file = cloud.place.path().join("credentials");
    let text =
        format!("[default]\naws_access_key_id = {ACCOUNT}\naws_secret_access_key = simulator\n");
    std::fs::write(&file, text).unwrap();
    let file = ("AWS_SHARED_CREDENTIALS_FILE", file.to_str().unwrap());
    assert_eq!(endpoint_says(&cloud, &[file]).0, ACCOUNT);
}

#[test]
fn a_metadata_service_that_refuses_means_no_credentials() {
    use crate::fake_api::{FakeApi, json};
    let cloud = Cloud::start();
    let metadata = FakeApi::start(|_, _| json(403, Value::Null));
    let url = metadata.url();
    let variables = [
        ("AWS_REGION", "eu-west-1"),
        ("AWS_EC2_METADATA_DISABLED", "false"),
        ("AWS_EC2_METADATA_SERVICE_ENDPOINT", &url),
    ];
    for command in [COMMANDS[0], COMMANDS[1]] {
        let text = cloud.error(command, &variables);
        assert!(text.contains("error[CLI0100]: no AWS credentials found"), "{text}");
    }
    assert!(!metadata.received().is_empty());
}

#[test]
fn a_new_data_directory_is_announced_only_if_it_stays() {
    let cloud = Cloud::start();
    for arguments in [&["-g", "nosuch"][..], &["-g", "default"]] {
        let deploy = [&["deploy", "ok.bicep", "--aws", "real"][..], arguments].concat();
        // Without a region the default group fails, too.
        let text = cloud.error(&deploy, &keys(ACCOUNT));
        assert!(!text.contains("created the data directory"), "{text}");
        assert!(!cloud.place.dir().exists());
    }
    let variables = [&keys(ACCOUNT)[..], &[("AWS_REGION", "eu-west-1")]].concat();
    let output = cloud.run(&["deploy", "ok.bicep", "--aws", "real"], &variables);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(text.matches("created the data directory").count(), 1, "{text}");
}

#[test]
fn messages_name_flags_and_commands_and_no_ids_or_routes_of_the_api() {
    let place = Place::new();
    std::fs::write(place.path().join("ok.bicep"), TEMPLATE).unwrap();
    let put = ["resource", "put", "AWS.SQS/Queue", "--alias", "q", "--properties", "QueueName=q"];
    place.stdout(&put);
    let refused = |arguments: &[&str]| {
        let output = place.run(arguments);
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stderr).unwrap()
    };
    let text = refused(&["resource", "show", "AWS.SQS/Queue", "q", "-g", "nosuch"]);
    assert!(!text.contains("PUT /planes"), "{text}");
    assert!(text.contains("`hangar group create nosuch` creates it"), "{text}");
    let text = refused(&[&put[..], &["--aws-account", "42"]].concat());
    assert!(!text.contains("/planes/"), "{text}");
    assert!(text.contains("`q` is in account 000000000000, region us-east-1"), "{text}");
    assert!(text.contains("--aws-account 000000000000 --aws-region us-east-1"), "{text}");
}

#[test]
fn an_unusable_ca_bundle_is_named() {
    let cloud = Cloud::start();
    let text = cloud.error(COMMANDS[1], &[("AWS_CA_BUNDLE", "ok.bicep")]);
    assert!(text.contains("error[CLI0105]") && text.contains("ok.bicep"), "{text}");
}
