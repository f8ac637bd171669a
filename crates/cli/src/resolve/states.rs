//! Where the Terraform state of a name is: what was said, a CDKTF stack, a file or a directory.
//!
//! States hold secrets in clear text: what is told of them here is where they are, and never what is in
//! them.

mod pull;
mod stack;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hangar_diag::Diagnostic;
use hangar_manifest::resolve::{Fact, Trouble};
use serde_json::Value;

use crate::codes;
use crate::connection::Variables;
use crate::failure::Failure;
use crate::terraform_host::TerraformHost;

/// A larger file is not read.
const LARGEST: u64 = 1 << 30;

/// How long Terraform may take to fetch a state.
const PULL_WITHIN: Duration = Duration::from_mins(2);

/// What a state of no workspace is called.
const STATE_FILE: &str = "terraform.tfstate";

/// What is known of where states are. The environment in it does not print.
pub(crate) struct StateAsk {
    /// What `--state` says.
    given: BTreeMap<String, PathBuf>,
    /// What names of files and directories are relative to.
    directory: PathBuf,
    /// The program that fetches states, if there is one.
    program: Option<PathBuf>,
    /// What the program gets: it is the user's own Terraform, in the user's own directory.
    environment: Vec<(String, String)>,
    patience: Duration,
}

impl StateAsk {
    /// As it was typed, seen from a directory.
    pub(crate) fn new(
        given: &[String],
        directory: &Path,
        variables: &Variables,
    ) -> Result<Self, Failure> {
        let mut all = BTreeMap::new();
        for pair in given {
            let parts =
                pair.split_once('=').filter(|(name, path)| !name.is_empty() && !path.is_empty());
            let Some((name, path)) = parts else {
                let message = format!("`--state {pair}` has no path");
                return Err(Diagnostic::error(codes::USAGE, message)
                    .hint("write it as `--state NAME=PATH`, with a state file or a directory")
                    .into());
            };
            if all.insert(name.to_owned(), directory.join(path)).is_some() {
                let message = format!("`--state` is set twice for the state `{name}`");
                return Err(Diagnostic::error(codes::USAGE, message).hint("set it once").into());
            }
        }
        let environment = variables.all().map(|(name, value)| (name.to_owned(), value.to_owned()));
        Ok(Self {
            given: all,
            directory: directory.to_owned(),
            program: TerraformHost::of(variables).find_program(),
            environment: environment.collect(),
            patience: PULL_WITHIN,
        })
    }
}

impl fmt::Debug for StateAsk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StateAsk").field("given", &self.given).finish_non_exhaustive()
    }
}

/// A look for a state: where it was looked for, for who is told that it is nowhere.
struct Look<'a> {
    ask: &'a StateAsk,
    name: &'a str,
    places: Vec<String>,
}

type Looked = Result<Option<Vec<u8>>, Trouble>;

/// The text of the state of a name.
///
/// In this order: what `--state` says; a stack of a CDKTF app here; a directory of that name, and where the
/// name has a slash or a dot also a file.
pub(crate) async fn find_state(name: &str, ask: &StateAsk) -> Result<Fact, Trouble> {
    let mut look = Look { ask, name, places: Vec::new() };
    if let Some(path) = ask.given.get(name) {
        let found = look.at(path).await?;
        // What was said and is wrong is no absence, for which something else could stand.
        return found.map(Fact::State).ok_or_else(|| match look.missing() {
            Trouble::Missing { message, hint } => Trouble::Failed { message, hint: Some(hint) },
            other => other,
        });
    }
    if let Some(text) = look.of_stack().await? {
        return Ok(Fact::State(text));
    }
    let path = ask.directory.join(name);
    let is_path = name.contains(['/', '.', std::path::MAIN_SEPARATOR]);
    let found = match is_path {
        true => look.at(&path).await?,
        // A bare name is never a file: a reference does not become a path by accident.
        false if !name.is_empty() && path.is_dir() => look.in_directory(&path).await?,
        false => {
            look.tried(&path);
            None
        }
    };
    found.map(Fact::State).ok_or_else(|| look.missing())
}

impl Look<'_> {
    /// In a file, or in a directory.
    async fn at(&mut self, path: &Path) -> Looked {
        if path.is_dir() {
            return self.in_directory(path).await;
        }
        self.file(path).await
    }

    async fn file(&mut self, path: &Path) -> Looked {
        self.tried(path);
        let cannot = |error: &io::Error| Trouble::Failed {
            message: format!("cannot read state `{}`: {error}", path.display()),
            hint: Some("make it readable, or pass its path with --state".to_owned()),
        };
        match tokio::fs::metadata(path).await {
            Ok(facts) if facts.len() > LARGEST => {
                return Err(cannot(&io::Error::other("it is larger than 1 GiB")));
            }
            Ok(facts) if facts.is_file() => {}
            Ok(_) => return Ok(None),
            Err(error) if is_absence(&error) => return Ok(None),
            Err(error) => return Err(cannot(&error)),
        }
        tokio::fs::read(path).await.map(Some).map_err(|error| cannot(&error))
    }

    /// In the directory of a configuration: where its backend keeps it, else beside it.
    async fn in_directory(&mut self, directory: &Path) -> Looked {
        let workspace = self.workspace(directory).await;
        if let Some(backend) = json(&directory.join(".terraform").join(STATE_FILE)).await
            && let Some(backend) = backend.get("backend").filter(|it| it.is_object())
        {
            let kind = backend.get("type").and_then(Value::as_str).unwrap_or_default();
            if kind != "local" {
                return pull::pull(self, directory).await;
            }
            if workspace.is_none() {
                let path = backend.pointer("/config/path").and_then(Value::as_str);
                return self.file(&directory.join(path.unwrap_or(STATE_FILE))).await;
            }
        }
        let file = match &workspace {
            Some(workspace) => {
                directory.join("terraform.tfstate.d").join(workspace).join(STATE_FILE)
            }
            None => directory.join(STATE_FILE),
        };
        if let Some(text) = self.file(&file).await? {
            return Ok(Some(text));
        }
        self.synthesized(directory, &directory.join(stack::CONFIGURATION)).await
    }

    /// The workspace that is chosen in a directory; none for the one that everything begins with.
    async fn workspace(&self, directory: &Path) -> Option<String> {
        let variables = &self.ask.environment;
        let said =
            variables.iter().find(|(name, value)| name == "TF_WORKSPACE" && !value.is_empty());
        let chosen = match said {
            Some((_, workspace)) => Some(workspace.clone()),
            None => tokio::fs::read_to_string(directory.join(".terraform/environment")).await.ok(),
        };
        let chosen = chosen.map(|it| it.trim().to_owned());
        // It becomes a part of a path.
        chosen.filter(|it| {
            !it.is_empty() && it != "default" && !it.contains(['/', '\\']) && it != ".."
        })
    }

    fn tried(&mut self, path: &Path) {
        let place = path.display().to_string();
        if !self.places.contains(&place) {
            self.places.push(place);
        }
    }

    fn missing(&self) -> Trouble {
        let places: Vec<String> = self.places.iter().map(|place| format!("`{place}`")).collect();
        Trouble::Missing {
            message: format!(
                "state `{}` does not exist; searched for {}",
                self.name,
                places.join(", ")
            ),
            hint: "Are you sure you deployed the CDKTF stack? --state NAME=PATH sets the path of a state"
                .to_owned(),
        }
    }
}

/// A file of JSON; none where there is no such file, or it is no JSON.
async fn json(path: &Path) -> Option<Value> {
    serde_json::from_slice(&tokio::fs::read(path).await.ok()?).ok()
}

fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
