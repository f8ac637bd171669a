//! What a group says of its recipes, taken apart: the settings, which are kept and shown, and the secrets, which are
//! sealed and never shown.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use hangar_engine::{RECIPE_CONFIG, RecipeSettings};
use hangar_plan::operation::Finding;
use serde_json::{Map, Value};

use super::members::below;
use crate::error::{ApiError, Code, Detail};

/// What a caller says of how the recipes of a group run.
#[derive(Clone, PartialEq, Default)]
pub(crate) struct RecipeConfig {
    /// The settings, without secrets; nothing where there are none.
    pub(crate) settings: Option<Value>,
    /// The secrets by name: a new text, or none to keep what is there. Nothing: all stay as they are.
    secrets: Option<BTreeMap<String, Option<String>>>,
    /// Those that the settings use.
    used: Vec<String>,
}

impl fmt::Debug for RecipeConfig {
    /// Without the secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&String> = self.secrets.iter().flat_map(BTreeMap::keys).collect();
        f.debug_struct("RecipeConfig")
            .field("settings", &self.settings)
            .field("secrets", &names)
            .finish_non_exhaustive()
    }
}

/// The member that holds the secrets.
pub(crate) const SECRETS: &str = "secrets";

impl RecipeConfig {
    /// Reads the member of a group's properties; all that is wrong at once.
    pub(super) fn of(config: Option<Value>) -> Result<Self, ApiError> {
        let Some(mut config) = config.filter(|config| !config.is_null()) else {
            return Ok(Self::default());
        };
        let given = config.as_object_mut().and_then(|members| members.remove(SECRETS));
        let mut findings = Vec::new();
        let secrets = match given {
            None | Some(Value::Null) => None,
            Some(Value::Object(given)) => Some(secrets_of(given, &mut findings)),
            Some(_) => {
                findings.push(finding(&secrets_place(), "is not an object"));
                None
            }
        };
        let used = match RecipeSettings::read(&config) {
            Ok(settings) => settings.secrets(),
            Err(found) => {
                findings.extend(found);
                Vec::new()
            }
        };
        told(&findings)?;
        let is_empty = config.as_object().is_some_and(Map::is_empty);
        Ok(Self { settings: Some(config).filter(|_| !is_empty), secrets, used })
    }

    /// The secrets as they are to be, given those that are there: sealed by `seal`. Refused where one that is to be
    /// kept, or that the settings use, is not there.
    pub(crate) fn sealed(
        &self,
        present: &BTreeMap<String, String>,
        seal: impl Fn(&str, &str) -> String,
    ) -> Result<BTreeMap<String, String>, ApiError> {
        let mut findings = Vec::new();
        let sealed = match &self.secrets {
            None => present.clone(),
            Some(wanted) => {
                let mut sealed = BTreeMap::new();
                for (name, text) in wanted {
                    match (text, present.get(name)) {
                        (Some(text), _) => drop(sealed.insert(name.clone(), seal(name, text))),
                        (None, Some(kept)) => drop(sealed.insert(name.clone(), kept.clone())),
                        (None, None) => findings.push(finding(
                            &below(&secrets_place(), name),
                            "cannot be kept because it does not exist; send its text",
                        )),
                    }
                }
                sealed
            }
        };
        let told_of: BTreeSet<&String> = self.secrets.iter().flat_map(BTreeMap::keys).collect();
        for name in &self.used {
            if !sealed.contains_key(name) && !told_of.contains(name) {
                let why = "is used by the settings but does not exist; send its text";
                findings.push(finding(&below(&secrets_place(), name), why));
            }
        }
        told(&findings)?;
        Ok(sealed)
    }
}

fn secrets_place() -> String {
    format!("/properties/{RECIPE_CONFIG}/{SECRETS}")
}

fn secrets_of(
    given: Map<String, Value>,
    findings: &mut Vec<Finding>,
) -> BTreeMap<String, Option<String>> {
    let mut secrets = BTreeMap::new();
    for (name, value) in given {
        let place = below(&secrets_place(), &name);
        let text = match value {
            _ if name.is_empty() || name.len() > LONGEST_NAME => {
                findings.push(finding(&secrets_place(), "has a name that is not 1 to 256 bytes"));
                continue;
            }
            Value::Null => None,
            // No variable of an environment can hold it.
            Value::String(text) if text.contains('\0') => {
                findings.push(finding(&place, "contains a NUL character"));
                continue;
            }
            Value::String(text) => Some(text),
            _ => {
                findings.push(finding(&place, "is neither a string nor null"));
                continue;
            }
        };
        secrets.insert(name, text);
    }
    secrets
}

/// No secret has a longer name.
const LONGEST_NAME: usize = 256;

fn finding(path: &str, what: &str) -> Finding {
    Finding {
        code: format!("{:?}", Code::InvalidRecipeConfig),
        path: path.to_owned(),
        message: format!("{path} {what}"),
    }
}

fn told(findings: &[Finding]) -> Result<(), ApiError> {
    let message = match findings {
        [] => return Ok(()),
        [only] => only.message.clone(),
        [first, rest @ ..] => format!("{} (and {} more)", first.message, rest.len()),
    };
    let target = findings[0].path.clone();
    let error = ApiError::new(Code::InvalidRecipeConfig, message).with_target(target);
    Err(findings.iter().fold(error, |error, it| {
        error.with_detail(Detail {
            code: it.code.clone(),
            message: it.message.clone(),
            target: Some(it.path.clone()),
            ..Detail::default()
        })
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(config: Value) -> Result<RecipeConfig, ApiError> {
        RecipeConfig::of(Some(config))
    }

    fn sealed(
        config: Value,
        present: &[(&str, &str)],
    ) -> Result<BTreeMap<String, String>, ApiError> {
        let present: BTreeMap<String, String> =
            present.iter().map(|(name, it)| ((*name).to_owned(), (*it).to_owned())).collect();
        of(config)?.sealed(&present, |name, text| format!("{name}={}", text.len()))
    }

    fn names(secrets: &BTreeMap<String, String>) -> Vec<(&str, &str)> {
        secrets.iter().map(|(name, it)| (name.as_str(), it.as_str())).collect()
    }

    #[test]
    fn secrets_are_set_kept_and_removed() {
        let present = [("A", "old"), ("B", "old")];
        for (config, expected) in [
            (Value::Null, vec![("A", "old"), ("B", "old")]),
            (json!({}), vec![("A", "old"), ("B", "old")]),
            (json!({"secrets": {}}), vec![]),
            (json!({"secrets": {"A": null}}), vec![("A", "old")]),
            (json!({"secrets": {"A": "new", "C": ""}}), vec![("A", "A=3"), ("C", "C=0")]),
        ] {
            assert_eq!(names(&sealed(config.clone(), &present).unwrap()), expected, "{config}");
        }
    }

    #[test]
    fn a_secret_that_is_kept_or_used_must_be_there() {
        let used = json!({"env": {"X": {"secret": "A"}}});
        assert!(sealed(used.clone(), &[("A", "old")]).is_ok());
        let error = sealed(used, &[]).unwrap_err();
        assert_eq!((error.status().as_u16(), error.code()), (400, "InvalidRecipeConfig"));
        assert_eq!(error.value()["target"], "/properties/recipeConfig/secrets/A");
        let error = sealed(json!({"secrets": {"A": null, "B": null}}), &[("B", "x")]).unwrap_err();
        assert_eq!(error.value()["details"].as_array().unwrap().len(), 1);
        let both = json!({"env": {"X": {"secret": "A"}}, "secrets": {"A": null}});
        let error = sealed(both, &[]).unwrap_err();
        assert_eq!(error.value()["details"].as_array().unwrap().len(), 1, "one mistake, one word");
        let left_out = json!({"env": {"X": {"secret": "A"}}, "secrets": {}});
        assert!(sealed(left_out, &[("A", "old")]).is_err());
    }

    #[test]
    fn all_findings_are_told_and_no_secret_is() {
        let error = of(json!({
            "secrets": {"A": 1, "B": "hush\0", "": "x", "C": "hush"},
            "env": {"TF_HTTP_ADDRESS": "x"}, "bicep": {},
        }))
        .unwrap_err();
        let told = error.value().to_string();
        assert_eq!(error.value()["details"].as_array().unwrap().len(), 5, "{told}");
        assert!(!told.contains("hush"), "{told}");
        assert!(!format!("{:?}", of(json!({"secrets": {"C": "hush"}})).unwrap()).contains("hush"));
        for config in [json!([]), json!({"secrets": []}), json!({"secrets": null, "x": 1})] {
            assert!(of(config.clone()).is_err(), "{config}");
        }
    }

    #[test]
    fn what_is_kept_has_no_secrets_in_it() {
        let config = of(json!({"env": {"X": "y"}, "secrets": {"A": "hush"}})).unwrap();
        assert_eq!(config.settings, Some(json!({"env": {"X": "y"}})));
        assert_eq!(of(json!({"secrets": {"A": "hush"}})).unwrap().settings, None);
        assert_eq!(of(Value::Null).unwrap(), RecipeConfig::default());
    }
}
