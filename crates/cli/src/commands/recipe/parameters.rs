//! The values of a recipe's parameters: a file of them, over it what was typed, and those that are secret.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use hangar_diag::Diagnostic;
use hangar_manifest::recipe::module::Outline;
use serde_json::{Map, Value};

use crate::codes;
use crate::failure::Failure;
use crate::input::Inputs;
use crate::template::parameters::read_json;
use crate::template::secure::without_line_end;

/// Values of parameters.
#[derive(Debug, Args)]
pub(super) struct ParameterArgs {
    /// Set a variable (repeatable)
    ///
    /// The value is taken as text for a string variable and as JSON otherwise.
    #[arg(short, long, value_name = "NAME=VALUE")]
    param: Vec<String>,
    /// JSON file with the values of variables
    ///
    /// An object of names and values, or an ARM parameter file. Values of --param override the
    /// file.
    #[arg(long, value_name = "FILE")]
    params: Option<PathBuf>,
    /// Set a secret variable (repeatable)
    ///
    /// The value is stored encrypted and never printed. Other users of this machine can see it in
    /// the list of processes while the command runs; --secret-file avoids that.
    #[arg(long, value_name = "NAME=VALUE")]
    secret: Vec<String>,
    /// Set a secret variable from a file (repeatable)
    ///
    /// `-` reads standard input.
    #[arg(long, value_name = "NAME=FILE")]
    secret_file: Vec<String>,
}

/// Values, and the names of those that are secret.
// No Debug: it holds secrets.
#[derive(Default)]
pub(super) struct Values {
    pub(super) all: Map<String, Value>,
    pub(super) secret: BTreeSet<String>,
}

impl ParameterArgs {
    /// All values; `module` tells what a text stands for, where it is here to be looked at.
    pub(super) fn read(
        &self,
        module: Option<&Outline>,
        inputs: &mut Inputs,
    ) -> Result<Values, Failure> {
        let mut values = Values::default();
        if let Some(path) = &self.params {
            refuse_tfvars(path)?;
            values.all.extend(read_json(path, inputs)?);
        }
        for pair in &self.param {
            let (name, text) = split(pair, "-p", "region=eu-west-1")?;
            values.all.insert(name.to_owned(), plain(type_of(module, name), text));
        }
        for pair in &self.secret {
            let (name, text) = split(pair, "--secret", "password=…")?;
            values.insert_secret(name, hidden(type_of(module, name), text));
        }
        for pair in &self.secret_file {
            let (name, path) = split(pair, "--secret-file", "password=password.txt")?;
            let source = inputs.read(Path::new(path))?;
            let text = without_line_end(&source.text);
            values.insert_secret(name, hidden(type_of(module, name), text));
        }
        Ok(values)
    }
}

impl Values {
    fn insert_secret(&mut self, name: &str, value: Value) {
        self.all.insert(name.to_owned(), value);
        self.secret.insert(name.to_owned());
    }

    /// What is sent of them.
    pub(super) fn add_to(&self, properties: &mut Map<String, Value>) {
        properties.insert("parameters".to_owned(), Value::Object(self.all.clone()));
        if !self.secret.is_empty() {
            let names: Vec<Value> = self.secret.iter().map(|name| name.as_str().into()).collect();
            properties.insert("secretParameters".to_owned(), names.into());
        }
    }
}

/// The type of a variable as it is declared.
fn type_of<'a>(module: Option<&'a Outline>, name: &str) -> Option<&'a str> {
    module?.variables.get(name)?.type_text.as_deref().map(str::trim)
}

/// The value that a text stands for: what is declared as text is that, else what reads as JSON is that.
fn plain(declared: Option<&str>, text: &str) -> Value {
    match declared {
        Some("string") => Value::from(text),
        _ => serde_json::from_str(text).unwrap_or_else(|_| Value::from(text)),
    }
}

/// The same of a secret, which is text unless something with parts is declared: a password may look like a number.
fn hidden(declared: Option<&str>, text: &str) -> Value {
    let has_parts = declared.is_some_and(|declared| {
        let parts = ["list", "set", "map", "object", "tuple"];
        parts.iter().any(|part| declared.starts_with(part))
    });
    if has_parts { plain(declared, text) } else { Value::from(text) }
}

fn split<'a>(pair: &'a str, flag: &str, example: &str) -> Result<(&'a str, &'a str), Failure> {
    pair.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or_else(|| {
        // What stands there may be the value of a secret.
        Diagnostic::error(codes::BAD_PARAMETER, format!("a value of {flag} is not NAME=VALUE"))
            .hint(format!("write the name of a variable before it, as in {flag} {example}"))
            .into()
    })
}

fn refuse_tfvars(path: &Path) -> Result<(), Failure> {
    if path.extension().is_none_or(|extension| extension != "tfvars") {
        return Ok(());
    }
    let message = format!("`{}` is written in Terraform's language, not in JSON", path.display());
    Err(Diagnostic::error(codes::NOT_PARAMETERS, message)
        .hint(
            "write the values as JSON, for example in a `*.tfvars.json` file, or pass them with -p",
        )
        .into())
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use hangar_manifest::recipe::module::outline;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Parser)]
    struct Typed {
        #[command(flatten)]
        parameters: ParameterArgs,
    }

    fn sent(typed: &[&str], module: Option<&Outline>) -> Value {
        let typed = ["x"].iter().chain(typed);
        let args = Typed::try_parse_from(typed).unwrap().parameters;
        let mut properties = Map::new();
        args.read(module, &mut Inputs::default()).ok().unwrap().add_to(&mut properties);
        Value::Object(properties)
    }

    #[test]
    fn a_value_is_read_by_the_type_that_the_module_declares() {
        let text =
            b"variable \"zone\" { type = string }\nvariable \"zones\" { type = list(string) }";
        let module = outline(&[("main.tf", text)]);
        let typed = ["-p", "zone=1", "-p", "zones=[\"a\"]", "-p", "odd=a b", "-p", "size=3"];
        let all = json!({"zone": "1", "zones": ["a"], "odd": "a b", "size": 3});
        assert_eq!(sent(&typed, Some(&module)), json!({"parameters": all}));
        assert_eq!(sent(&["-p", "zone=1"], None), json!({"parameters": {"zone": 1}}));
    }

    #[test]
    fn a_secret_stays_text_and_is_named_as_one() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        std::fs::write(&file, "hush\n").unwrap();
        let pair = format!("token={}", file.display());
        assert_eq!(
            sent(&["--secret", "pin=0123", "--secret-file", &pair], None),
            json!({"parameters": {"pin": "0123", "token": "hush"}, "secretParameters": ["pin", "token"]})
        );
        assert_eq!(sent(&["--secret", "pin=17"], None)["parameters"]["pin"], "17");
    }
}
