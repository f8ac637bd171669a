//! A simulator with stacks in it, and manifests that are resolved against it by the real binary.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::hangar;
use crate::http::Connection;
use crate::simulator::Simulator;

/// So many references one run is given.
const A_RUN: usize = 400;

pub(crate) struct Rig {
    pub(crate) simulator: Simulator,
    folder: TempDir,
}

/// A reference that has no value: what programs are told of it.
#[derive(Debug, Clone)]
pub(crate) struct Refusal(pub(crate) Value);

impl Refusal {
    pub(crate) fn code(&self) -> &str {
        self.0["code"].as_str().unwrap()
    }

    /// All that it says.
    pub(crate) fn text(&self) -> String {
        let hints = self.0["hints"].as_array().unwrap();
        let hints = hints.iter().filter_map(Value::as_str);
        let all: Vec<&str> =
            std::iter::once(self.0["message"].as_str().unwrap()).chain(hints).collect();
        all.join("\n")
    }
}

impl Rig {
    /// With a simulator whose stacks are there at once.
    pub(crate) fn new() -> Self {
        Self::with(&[])
    }

    pub(crate) fn with(simulator: &[&str]) -> Self {
        Self { simulator: Simulator::start(simulator), folder: tempfile::tempdir().unwrap() }
    }

    /// Where commands run.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn url(&self) -> &str {
        self.simulator.url()
    }

    /// Writes a file into the folder.
    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = hangar(arguments);
        for name in ["AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_ENDPOINT_URL"] {
            command.env_remove(name);
        }
        command.current_dir(self.path());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Deploys templates as stacks of their names, and gives what is told of them.
    pub(crate) fn deploy(&self, templates: &[(&str, &Value)]) -> Value {
        let output = self.try_deploy(templates, &[]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    pub(crate) fn try_deploy(&self, templates: &[(&str, &Value)], more: &[&str]) -> Output {
        let files = templates.iter().map(|(name, template)| {
            self.write(&format!("templates/{name}.json"), template.to_string())
        });
        let files: Vec<PathBuf> = files.collect();
        self.command(&["simulator", "deploy", "--resources", "--endpoint", self.url()])
            .args(["-o", "json"])
            .args(more)
            .args(files)
            .output()
            .unwrap()
    }

    /// Has a stack made, and does not wait for it.
    pub(crate) fn begin_stack(&self, name: &str, template: &Value) {
        let encoded = |text: &str| {
            text.bytes().fold(String::new(), |mut all, byte| {
                write!(all, "%{byte:02X}").unwrap();
                all
            })
        };
        let body = format!(
            "Action=CreateStack&Version=2010-05-15&StackName={name}&TemplateBody={}",
            encoded(&template.to_string())
        );
        let request = format!(
            "POST / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
             content-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut stream = TcpStream::connect(self.simulator.address()).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }

    /// Resolves files, or standard input where the arguments name none.
    pub(crate) fn resolve(&self, arguments: &[&str]) -> Output {
        self.run(&[&["resolve", "--aws", self.url()], arguments].concat())
    }

    /// What a resolution that succeeds prints of one manifest.
    pub(crate) fn resolved(&self, manifest: &str, arguments: &[&str]) -> String {
        self.write("manifest.yaml", manifest);
        let output = self.resolve(&[&["-f", "manifest.yaml"], arguments].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{said}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// What is said of a manifest that cannot be resolved; nothing is printed of it.
    pub(crate) fn refused(&self, manifest: &str, arguments: &[&str]) -> String {
        self.write("manifest.yaml", manifest);
        let output = self.resolve(&[&["-f", "manifest.yaml"], arguments].concat());
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
        said
    }

    /// The value of each reference, or why it has none. Those that have one are all resolved by one run once
    /// the others are left out.
    pub(crate) fn values(&self, references: &[String]) -> Vec<Result<Value, Refusal>> {
        references.chunks(A_RUN).flat_map(|some| self.some_values(some)).collect()
    }

    fn some_values(&self, references: &[String]) -> Vec<Result<Value, Refusal>> {
        let mut found: BTreeMap<usize, Result<Value, Refusal>> = BTreeMap::new();
        for _ in 0..2 {
            let left = references.iter().enumerate().filter(|(at, _)| !found.contains_key(at));
            self.write("values.yaml", config_map(left));
            let output = self.resolve(&["-f", "values.yaml", "-o", "json", "--allow-secrets"]);
            if output.status.success() {
                let told: Value = serde_json::from_slice(&output.stdout).unwrap();
                for used in told["references"].as_array().unwrap() {
                    let value = if used["isSecret"] == true {
                        written(&told["manifests"][0]["text"], index(used))
                    } else {
                        used["value"].clone()
                    };
                    found.insert(index(used), Ok(value));
                }
                break;
            }
            assert!(output.stdout.is_empty());
            let told: Value = serde_json::from_slice(&output.stderr).unwrap();
            // One mistake is told once.
            let several = told["error"]["details"].as_array().filter(|all| !all.is_empty());
            let all = several.map_or_else(|| std::slice::from_ref(&told["error"]), Vec::as_slice);
            for refusal in all {
                found.insert(index(refusal), Err(Refusal(refusal.clone())));
            }
        }
        assert_eq!(found.len(), references.len(), "every reference has a value or a reason");
        found.into_values().collect()
    }

    /// The value of one reference.
    pub(crate) fn value(&self, reference: &str) -> Value {
        let found = self.values(&[reference.to_owned()]).remove(0);
        found.unwrap_or_else(|refusal| panic!("{reference}: {}", refusal.text()))
    }

    /// Why a reference has no value.
    pub(crate) fn refusal(&self, reference: &str) -> Refusal {
        let found = self.values(&[reference.to_owned()]).remove(0);
        found.expect_err(reference)
    }

    pub(crate) fn control(&self, method: &str, path: &str, input: &Value) -> Value {
        let mut connection = Connection::open(self.simulator.address()).unwrap();
        let answer = connection.control(method, path, input).unwrap();
        assert!((200..300).contains(&answer.status), "{path}: {answer:?}");
        answer.body
    }

    /// Orders a fault for a call to meet.
    pub(crate) fn fault(&self, fault: &Value) {
        self.control("POST", "faults", fault);
    }

    /// Forgets the calls so far.
    pub(crate) fn forget_calls(&self) {
        self.control("DELETE", "calls", &Value::Null);
    }

    /// How often each operation was called.
    pub(crate) fn calls(&self) -> BTreeMap<String, u64> {
        let counters = self.control("GET", "counters", &Value::Null);
        let all = counters["byOperation"].as_object().unwrap();
        all.iter().map(|(name, count)| (name.clone(), count.as_u64().unwrap())).collect()
    }

    /// All resources that exist: type, identifier and properties.
    pub(crate) fn resources(&self) -> Vec<(String, String, Value)> {
        let (mut all, mut after) = (Vec::new(), String::new());
        loop {
            let page = self.control("GET", &format!("resources?limit=1000{after}"), &Value::Null);
            for resource in page["resources"].as_array().unwrap() {
                let text = |name: &str| resource[name].as_str().unwrap().to_owned();
                all.push((text("type"), text("identifier"), resource["properties"].clone()));
            }
            match page["next"].as_str() {
                Some(next) => after = format!("&after={next}"),
                None => return all,
            }
        }
    }
}

/// A manifest that holds each of these.
fn config_map<'a>(references: impl Iterator<Item = (usize, &'a String)>) -> String {
    let mut manifest =
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: values\ndata:\n".to_owned();
    for (at, reference) in references {
        writeln!(manifest, "  r{at}: {}", json!(reference)).unwrap();
    }
    manifest
}

/// What stands in the manifest for a secret, which is told nowhere else.
fn written(text: &Value, index: usize) -> Value {
    let key = format!("r{index}: ");
    let lines = text.as_str().unwrap().lines();
    let value = lines.map(str::trim_start).find_map(|line| line.strip_prefix(&key)).unwrap();
    value.trim_matches(['"', '\'']).into()
}

/// Which reference of [`config_map`] something is told of.
fn index(told: &Value) -> usize {
    told["pointer"].as_str().unwrap().strip_prefix("/data/r").unwrap().parse().unwrap()
}
