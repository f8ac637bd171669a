//! How the recipes of a group run, as it is typed: a file of settings, and secrets that no command line needs to hold.

use std::path::{Path, PathBuf};

use clap::Args;
use hangar_diag::Diagnostic;
use serde_json::{Map, Value, json};

use crate::codes;
use crate::commands::types::read_json;
use crate::failure::Failure;
use crate::input::{Inputs, Source};
use crate::printer::Printer;
use crate::template::secure::without_line_end;

/// How the recipes of a group run.
#[derive(Debug, Args)]
pub(super) struct RecipeConfigArgs {
    /// JSON file with the recipe settings, or `-`
    ///
    /// Replaces all previous settings. `-` reads standard input.
    #[arg(long, value_name = "FILE")]
    recipe_config: Option<PathBuf>,
    /// Secret for the recipe settings (repeatable)
    ///
    /// NAME=VALUE, NAME=@FILE, or NAME alone, which asks for the value or reads standard input.
    #[arg(long, value_name = "SECRET")]
    recipe_secret: Vec<String>,
}

pub(super) const HELP: &str = r#"Settings of recipes are JSON:
  {"terraform": {"providers": {"aws": [{…}]},
                 "providerMirror": {"path": "/mirror"}},
   "env": {"NAME": "text"},
   "kubernetes": {"namespace": "…", "kubeconfig": "/path"}}

In a provider or a variable, {"secret": "NAME"} instead of a text refers to a secret. Secrets are
stored encrypted and never printed."#;

/// What was typed, read. No Debug: it holds secrets.
#[derive(Default)]
pub(super) struct RecipeConfig {
    settings: Option<Map<String, Value>>,
    secrets: Vec<(String, String)>,
}

impl RecipeConfigArgs {
    /// Reads files, and asks for what is to be asked for.
    pub(super) fn read(
        &self,
        printer: &mut Printer,
        inputs: &mut Inputs,
    ) -> Result<RecipeConfig, Failure> {
        let settings = match &self.recipe_config {
            Some(path) => Some(settings(path, inputs)?),
            None => None,
        };
        let secrets = self.recipe_secret.iter();
        let secrets =
            secrets.map(|typed| secret(typed, printer, inputs)).collect::<Result<_, _>>()?;
        Ok(RecipeConfig { settings, secrets })
    }
}

fn settings(path: &Path, inputs: &mut Inputs) -> Result<Map<String, Value>, Failure> {
    let (source, document) = read_json(path, inputs)?;
    if let Value::Object(settings) = document.into_value() {
        return Ok(settings);
    }
    let mistake =
        Diagnostic::error(codes::NOT_SETTINGS, "the recipe settings must be a JSON object")
            .hint("`hangar group create --help` shows an example");
    // What is wrong is told by its name alone: settings may hold secrets.
    Err(Failure::in_source(Source { name: source.name, text: String::new() }, vec![mistake]))
}

fn secret(
    typed: &str,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> Result<(String, String), Failure> {
    let (name, value) = match typed.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (typed, None),
    };
    if name.is_empty() {
        let mistake = Diagnostic::error(codes::USAGE, "a value of --recipe-secret has no name");
        return Err(mistake.hint("write NAME=VALUE, NAME=@FILE, or NAME").into());
    }
    let text = match value {
        Some(value) => match value.strip_prefix('@') {
            Some(path) => without_line_end(&inputs.read(Path::new(path))?.text).to_owned(),
            None => value.to_owned(),
        },
        None => match printer.ask_secret(&format!("value of secret {name}: ")) {
            Some(text) => text,
            None => without_line_end(&inputs.read(Path::new("-"))?.text).to_owned(),
        },
    };
    Ok((name.to_owned(), text))
}

impl RecipeConfig {
    /// Whether anything was typed.
    pub(super) fn is_given(&self) -> bool {
        self.settings.is_some() || !self.secrets.is_empty()
    }

    /// Puts it over what a group has: settings in the place of those before, secrets beside those before.
    pub(super) fn put_over(&self, properties: &mut Value) {
        if !self.is_given() {
            return;
        }
        let before = properties.get("recipeConfig").cloned().unwrap_or_else(|| json!({}));
        let kept = before.get("secrets").cloned();
        let mut config = match &self.settings {
            Some(settings) => Value::Object(settings.clone()),
            None => before,
        };
        if config.get("secrets").is_none()
            && let Some(kept) = kept
        {
            config["secrets"] = kept;
        }
        for (name, text) in &self.secrets {
            config["secrets"][name] = text.as_str().into();
        }
        properties["recipeConfig"] = config;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(settings: Option<Value>, secrets: &[(&str, &str)], before: &Value) -> Value {
        let settings = settings.map(|it| it.as_object().unwrap().clone());
        let secrets = secrets.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        let mut properties = json!({"recipeConfig": before, "x": 1});
        RecipeConfig { settings, secrets: secrets.collect() }.put_over(&mut properties);
        assert_eq!(properties["x"], 1);
        properties["recipeConfig"].clone()
    }

    #[test]
    fn settings_are_replaced_and_secrets_that_are_not_named_stay() {
        let before = json!({"env": {"A": "1"}, "secrets": {"KEY": null}});
        assert_eq!(put(None, &[], &before), before);
        let new = json!({"env": {"B": "2"}});
        assert_eq!(
            put(Some(new), &[("TOKEN", "hush")], &before),
            json!({"env": {"B": "2"}, "secrets": {"KEY": null, "TOKEN": "hush"}})
        );
        assert_eq!(
            put(None, &[("KEY", "new")], &before),
            json!({"env": {"A": "1"}, "secrets": {"KEY": "new"}})
        );
        let own = json!({"secrets": {}});
        assert_eq!(put(Some(own.clone()), &[], &before), own);
    }
}
