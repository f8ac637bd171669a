//! The real parts that tests of Terraform run with: a binary, the AWS provider, and moto as AWS.
//!
//! `cargo xtask setup` makes them; a test that lacks one is skipped by name. Nothing here asks anybody
//! but loopback, and nothing reads a configuration of the machine.

#![allow(clippy::print_stdout, reason = "a test tells the test command what it skipped")]

mod moto;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) use self::moto::{Contents, Moto};

/// Where everything is, as far as AWS is concerned.
pub(crate) const REGION: &str = "us-east-1";
/// Whose everything is: moto gives it to whoever has not become another.
pub(crate) const ACCOUNT: &str = "123456789012";
/// Runs the tests with `terraform` or with `tofu`, where both are here.
const CHOICE: &str = "HANGAR_TEST_TERRAFORM";
/// What `cargo xtask setup --terraform` builds.
const BUILT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.tools/opentofu/tofu");
const MIRROR: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.tools/terraform-mirror");

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flavour {
    Terraform,
    OpenTofu,
}

/// A `terraform` or `tofu` that runs.
#[derive(Debug, Clone)]
pub(crate) struct Binary {
    pub(crate) path: PathBuf,
    pub(crate) flavour: Flavour,
    /// Such as `1.11.4`.
    pub(crate) version: String,
}

impl Binary {
    /// The first on the path, else the one that was built.
    pub(crate) fn find() -> Option<Self> {
        let choice = std::env::var(CHOICE).ok();
        let is_chosen = |name: &&str| choice.as_deref().is_none_or(|choice| choice == *name);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let on_path = ["terraform", "tofu"].into_iter().filter(is_chosen).flat_map(|name| {
            std::env::split_paths(&path).map(move |folder| folder.join(name)).collect::<Vec<_>>()
        });
        let built = Some(PathBuf::from(BUILT)).filter(|_| is_chosen(&"tofu"));
        on_path.chain(built).filter(|path| path.is_file()).find_map(Self::at)
    }

    /// The same; where there is none, the test is told to be skipped.
    pub(crate) fn find_or_skip(test: &str) -> Option<Self> {
        let found = Self::find();
        if found.is_none() {
            println!(
                "skipped: {test} (neither terraform nor tofu is on the PATH; `cargo xtask setup \
                 --terraform` builds OpenTofu)"
            );
        }
        found
    }

    fn at(path: PathBuf) -> Option<Self> {
        let mut command = Command::new(&path);
        command
            .arg("version")
            .env("TF_CLI_CONFIG_FILE", "/dev/null")
            .env("CHECKPOINT_DISABLE", "1");
        let output = command.stdin(Stdio::null()).output().ok()?;
        let told = String::from_utf8(output.stdout).ok()?;
        // A `terraform` may be OpenTofu under another name, so what it says counts.
        let (name, version) = told.lines().next()?.split_once(" v")?;
        let flavour = match name {
            "Terraform" => Flavour::Terraform,
            "OpenTofu" => Flavour::OpenTofu,
            _ => return None,
        };
        Some(Self { path, flavour, version: version.to_owned() })
    }
}

/// The providers that can be installed without asking a registry.
#[derive(Debug, Clone)]
pub(crate) struct Mirror {
    folder: PathBuf,
}

impl Mirror {
    /// The one with the AWS provider 3.39.0; none where it has not been made.
    pub(crate) fn find() -> Option<Self> {
        let folder = PathBuf::from(MIRROR);
        folder.join("installed").is_file().then_some(Self { folder })
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.canonicalize().unwrap()
    }

    /// One without any provider, for modules that need none.
    pub(crate) fn empty() -> Self {
        Self { folder: Path::new(MIRROR).join("nothing") }
    }

    /// Writes the configuration that has providers installed from here and from nowhere else; gives
    /// its path, for `TF_CLI_CONFIG_FILE`.
    pub(crate) fn write_config(&self, folder: &Path) -> PathBuf {
        let path = folder.join("terraform.rc");
        let mirror = Value::from(self.folder.to_str().unwrap());
        let text = format!(
            "disable_checkpoint = true\n\
             provider_installation {{\n  filesystem_mirror {{\n    path = {mirror}\n  }}\n}}\n"
        );
        std::fs::write(&path, text).unwrap();
        path
    }
}

/// All that a recipe on AWS runs with; where a part is missing, the test is told to be skipped.
pub(crate) fn aws(test: &str) -> Option<(Binary, Mirror, Moto)> {
    let binary = Binary::find_or_skip(test)?;
    let Some(mirror) = Mirror::find() else {
        println!("skipped: {test} (no .tools/terraform-mirror; `cargo xtask setup` makes it)");
        return None;
    };
    if !Moto::is_here() {
        println!("skipped: {test} (no .tools/python; `cargo xtask setup` makes it)");
        return None;
    }
    Some((binary, mirror, Moto::start()))
}

/// The settings of a `provider "aws"` that has moto for AWS and gives up soon.
pub(crate) fn aws_provider(url: &str) -> Value {
    json!({
        "region": REGION,
        "access_key": "any",
        "secret_key": "any",
        "max_retries": 2,
        "s3_force_path_style": true,
        "skip_credentials_validation": true,
        "skip_metadata_api_check": true,
        "endpoints": [aws_endpoints(url)],
    })
}

/// The `endpoints` of such a provider, one address for all services, by the names of 3.39.0.
pub(crate) fn aws_endpoints(url: &str) -> Value {
    let services = "acm apigateway autoscaling cloudformation cloudwatch cloudwatchevents \
                    cloudwatchlogs dynamodb ec2 ecr ecs eks elasticache elb iam kinesis kms lambda \
                    rds route53 s3 secretsmanager ses sns sqs ssm stepfunctions sts";
    let endpoints = services.split(' ').map(|service| (service.to_owned(), Value::from(url)));
    Value::Object(endpoints.collect())
}

/// A folder with one configuration, in which a binary is run by hand: its state stays in the folder.
pub(crate) struct Project<'a> {
    binary: &'a Binary,
    folder: TempDir,
    config: PathBuf,
}

impl<'a> Project<'a> {
    /// One whose `main.tf.json` is this, and is initialised.
    pub(crate) fn of(binary: &'a Binary, mirror: &Mirror, configuration: &Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = mirror.write_config(folder.path());
        std::fs::write(folder.path().join("main.tf.json"), configuration.to_string()).unwrap();
        let project = Self { binary, folder, config };
        project.succeed(&["init"]);
        project
    }

    /// What it writes on stdout.
    pub(crate) fn succeed(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {}\n{stdout}{stderr}", output.status);
        stdout
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(&self.binary.path);
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env_clear()
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .env("HOME", self.folder.path())
            .env("TF_CLI_CONFIG_FILE", &self.config)
            .env("TF_IN_AUTOMATION", "1")
            .env("TF_INPUT", "0")
            .env("TF_CLI_ARGS", "-no-color")
            .env("CHECKPOINT_DISABLE", "1")
            .env("AWS_EC2_METADATA_DISABLED", "true")
            .stdin(Stdio::null());
        command.output().unwrap()
    }

    /// An output of what was applied last.
    pub(crate) fn output(&self, name: &str) -> Value {
        serde_json::from_str(&self.succeed(&["output", "-json", name])).unwrap()
    }

    /// The addresses of what the state holds.
    pub(crate) fn addresses(&self) -> Vec<String> {
        self.succeed(&["state", "list"]).lines().map(str::to_owned).collect()
    }
}
