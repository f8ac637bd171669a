//! What a group says of how its recipes run: `properties.recipeConfig`, read once at the edge.
//!
//! Values that are secret are kept apart, sealed one by one; where one is used it is named: `{"secret": "NAME"}`.

use std::collections::BTreeMap;

use hangar_plan::operation::Finding;
use hangar_plan::record::{Group, GroupName};
use hangar_store::hex;
use hangar_store::keys::{Keys, Secret};
use serde_json::{Map, Value};

/// The member of a group's properties.
pub const RECIPE_CONFIG: &str = "recipeConfig";

/// Where providers are installed from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProviderMirror {
    /// A directory of the server's machine.
    Filesystem(String),
    /// A server.
    Network(String),
}

/// How the recipes of a group run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecipeSettings {
    /// Settings of providers by name, one for each alias; a value may name a secret.
    pub providers: BTreeMap<String, Vec<Map<String, Value>>>,
    /// Variables of the program's environment; a value may name a secret.
    pub environment: BTreeMap<String, Setting>,
    /// Where providers come from, if not from their registry.
    pub mirror: Option<ProviderMirror>,
    /// The Kubernetes namespace of its recipes.
    pub kubernetes_namespace: Option<String>,
    /// The kubeconfig, by its path on the server's machine.
    pub kubeconfig: Option<String>,
}

/// A text, or the name of a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Setting {
    /// The text.
    Plain(String),
    /// The secret's name.
    Secret(String),
}

/// Variables that are ours to set.
const OURS: [&str; 9] = [
    "TF_HTTP_",
    "TF_CLI_",
    "TF_PLUGIN_CACHE_DIR",
    "TF_DATA_DIR",
    "TF_WORKSPACE",
    "TF_IN_AUTOMATION",
    "TF_INPUT",
    "TF_LOG_PATH",
    "LD_",
];

impl RecipeSettings {
    /// The settings of a group.
    pub fn of_group(group: &Group) -> Self {
        // What is kept was read before.
        group.properties.get(RECIPE_CONFIG).map(Self::read).and_then(Result::ok).unwrap_or_default()
    }

    /// Reads them; all that is wrong at once, with where it is.
    pub fn read(config: &Value) -> Result<Self, Vec<Finding>> {
        let mut reader = Reader { findings: Vec::new() };
        let settings = reader.settings(config);
        if reader.findings.is_empty() { Ok(settings) } else { Err(reader.findings) }
    }

    /// The names of all secrets that are used.
    pub fn secrets(&self) -> Vec<String> {
        let mut names = Vec::new();
        for setting in self.environment.values() {
            if let Setting::Secret(name) = setting {
                names.push(name.clone());
            }
        }
        for values in self.providers.values().flatten() {
            values.values().for_each(|value| name_secrets(value, &mut names));
        }
        names.sort();
        names.dedup();
        names
    }
}

/// The name of the secret that a value stands for.
pub(super) fn named_secret(value: &Value) -> Option<&str> {
    let object = value.as_object().filter(|object| object.len() == 1)?;
    object.get("secret").and_then(Value::as_str)
}

fn name_secrets(value: &Value, names: &mut Vec<String>) {
    if let Some(name) = named_secret(value) {
        names.push(name.to_owned());
        return;
    }
    match value {
        Value::Array(items) => items.iter().for_each(|item| name_secrets(item, names)),
        Value::Object(members) => members.values().for_each(|item| name_secrets(item, names)),
        _ => {}
    }
}

/// A secret of a group, sealed.
pub fn seal_secret(keys: &Keys, group: &GroupName, name: &str, text: &str) -> String {
    hex::encode(&keys.seal(place(group, name).as_bytes(), text.as_bytes()))
}

/// The secrets of a group by name; those that do not open are left out.
pub(crate) fn open_secrets(keys: &Keys, group: &Group) -> BTreeMap<String, Secret<String>> {
    let mut opened = BTreeMap::new();
    for (name, sealed) in &group.secrets {
        let Some(sealed) = hex::decode(sealed) else { continue };
        let Ok(text) = keys.open(place(&group.name, name).as_bytes(), &sealed) else { continue };
        if let Ok(text) = String::from_utf8(text.expose().clone()) {
            opened.insert(name.clone(), Secret::new(text));
        }
    }
    opened
}

fn place(group: &GroupName, name: &str) -> String {
    format!("recipe-secret/{}/{name}", group.key())
}

struct Reader {
    findings: Vec<Finding>,
}

impl Reader {
    fn settings(&mut self, config: &Value) -> RecipeSettings {
        let mut settings = RecipeSettings::default();
        for (name, value) in self.members(config, "") {
            let path = format!("/{name}");
            match name.as_str() {
                "terraform" => self.terraform(value, &path, &mut settings),
                "env" => self.environment(value, &path, &mut settings),
                "kubernetes" => self.kubernetes(value, &path, &mut settings),
                // Kept apart by whoever takes them in.
                "secrets" => {}
                _ => self.unknown(&path, "terraform, env, kubernetes, secrets"),
            }
        }
        settings
    }

    fn terraform(&mut self, value: &Value, path: &str, settings: &mut RecipeSettings) {
        for (name, value) in self.members(value, path) {
            let path = format!("{path}/{name}");
            match name.as_str() {
                "providers" => self.providers(value, &path, settings),
                "providerMirror" => settings.mirror = self.mirror(value, &path),
                _ => self.unknown(&path, "providers, providerMirror"),
            }
        }
    }

    fn providers(&mut self, value: &Value, path: &str, settings: &mut RecipeSettings) {
        for (name, value) in self.members(value, path) {
            let path = format!("{path}/{name}");
            let Some(list) = value.as_array() else {
                self.wrong(
                    &path,
                    "is not a list; write one object for each configuration of the provider",
                );
                continue;
            };
            let mut configurations = Vec::new();
            for (index, value) in list.iter().enumerate() {
                match value.as_object() {
                    Some(members) => configurations.push(members.clone()),
                    None => self.wrong(&format!("{path}/{index}"), "is not an object"),
                }
            }
            settings.providers.insert(name.clone(), configurations);
        }
    }

    fn mirror(&mut self, value: &Value, path: &str) -> Option<ProviderMirror> {
        let members = self.members(value, path);
        let text = |name: &str| {
            members.iter().find(|(it, _)| *it == name).and_then(|(_, value)| value.as_str())
        };
        match (members.len(), text("path"), text("url")) {
            (1, Some(directory), _) if directory.starts_with('/') => {
                Some(ProviderMirror::Filesystem(directory.to_owned()))
            }
            (1, _, Some(url)) if url.starts_with("https://") => {
                Some(ProviderMirror::Network(url.to_owned()))
            }
            _ => {
                self.wrong(
                    path,
                    "is neither {\"path\": an absolute path} nor {\"url\": \"https://…\"}",
                );
                None
            }
        }
    }

    fn environment(&mut self, value: &Value, path: &str, settings: &mut RecipeSettings) {
        for (name, value) in self.members(value, path) {
            let path = format!("{path}/{name}");
            if name.is_empty() || name.contains(['=', '\0']) {
                self.wrong(&path, "is not a valid name of a variable");
                continue;
            }
            if OURS.iter().any(|ours| name.starts_with(ours)) || name == "PATH" {
                self.wrong(&path, "cannot be set by a group: it would change what a run does");
                continue;
            }
            let setting = match (value.as_str(), named_secret(value)) {
                (Some(text), _) if !text.contains('\0') => Setting::Plain(text.to_owned()),
                (_, Some(secret)) => Setting::Secret(secret.to_owned()),
                _ => {
                    self.wrong(&path, "is neither a string nor {\"secret\": \"NAME\"}");
                    continue;
                }
            };
            settings.environment.insert(name.clone(), setting);
        }
    }

    fn kubernetes(&mut self, value: &Value, path: &str, settings: &mut RecipeSettings) {
        for (name, value) in self.members(value, path) {
            let path = format!("{path}/{name}");
            let text = value.as_str().map(str::to_owned);
            if text.is_none() {
                self.wrong(&path, "is not a string");
            }
            match name.as_str() {
                "namespace" => settings.kubernetes_namespace = text,
                "kubeconfig" => settings.kubeconfig = text,
                _ => self.unknown(&path, "namespace, kubeconfig"),
            }
        }
    }

    /// The members of an object, of which there are none where it is none.
    fn members<'a>(&mut self, value: &'a Value, path: &str) -> Vec<(&'a String, &'a Value)> {
        match value {
            Value::Object(members) => members.iter().collect(),
            Value::Null => Vec::new(),
            _ => {
                self.wrong(path, "is not an object");
                Vec::new()
            }
        }
    }

    fn unknown(&mut self, path: &str, known: &str) {
        self.wrong(path, &format!("is not known here; known members: {known}"));
    }

    fn wrong(&mut self, path: &str, what: &str) {
        let path = format!("/properties/{RECIPE_CONFIG}{path}");
        let message = format!("{path} {what}");
        self.findings.push(Finding { code: "InvalidRecipeConfig".to_owned(), path, message });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn settings_are_read_and_secrets_are_named() {
        let settings = RecipeSettings::read(&json!({
            "terraform": {
                "providers": {"aws": [{"region": "us-east-1", "secret_key": {"secret": "KEY"}}]},
                "providerMirror": {"path": "/mirror"},
            },
            "env": {"A": "b", "C": {"secret": "TOKEN"}},
            "secrets": {"KEY": null},
        }))
        .unwrap();
        assert_eq!(settings.mirror, Some(ProviderMirror::Filesystem("/mirror".to_owned())));
        assert_eq!(settings.secrets(), ["KEY", "TOKEN"]);
        assert_eq!(settings.environment["A"], Setting::Plain("b".to_owned()));
    }

    #[test]
    fn all_that_is_wrong_is_told_with_its_place() {
        let wrong = RecipeSettings::read(&json!({
            "terraform": {"providers": {"aws": {}}, "providerMirror": {"url": "http://x"}},
            "env": {"TF_HTTP_PASSWORD": "x", "TF_CLI_ARGS_apply": "-destroy", "PATH": "/", "A": 1},
            "bicep": {},
        }))
        .unwrap_err();
        let paths: Vec<&str> = wrong.iter().map(|it| it.path.as_str()).collect();
        let base = "/properties/recipeConfig";
        let expected = [
            "/terraform/providers/aws",
            "/terraform/providerMirror",
            "/env/TF_HTTP_PASSWORD",
            "/env/TF_CLI_ARGS_apply",
            "/env/PATH",
            "/env/A",
            "/bicep",
        ];
        let mut expected: Vec<String> = expected.iter().map(|it| format!("{base}{it}")).collect();
        let mut paths: Vec<String> = paths.into_iter().map(str::to_owned).collect();
        expected.sort();
        paths.sort();
        assert_eq!(paths, expected);
    }

    #[test]
    fn a_secret_opens_for_its_group_and_name_only() {
        let keys = Keys::generate();
        let group = |name: &str| GroupName { plane: "local".to_owned(), group: name.to_owned() };
        let sealed = seal_secret(&keys, &group("a"), "KEY", "hush");
        let sealed = hex::decode(&sealed).unwrap();
        assert!(keys.open(place(&group("a"), "KEY").as_bytes(), &sealed).is_ok());
        assert!(keys.open(place(&group("b"), "KEY").as_bytes(), &sealed).is_err());
        assert!(keys.open(place(&group("a"), "OTHER").as_bytes(), &sealed).is_err());
    }
}
