//! All that a run of a recipe rests on, sealed with the recipe: deleting needs it as deploying does.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use hangar_manifest::recipe::configuration::{ConfigurationProblem, Facts, Parts, configuration};
use hangar_manifest::recipe::context::Context;
use hangar_manifest::recipe::module::{Outline, outline};
use hangar_manifest::recipe::source::{self, Source, SourceError};
use hangar_plan::recipe::RecipeTask;
use hangar_plan::record::RecipeName;
use hangar_store::keys::Keys;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Where the files of a module that was sent along are in a run's directory.
pub(super) const MODULE_DIRECTORY: &str = "module";

/// Where a recipe's module comes from.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecipeSource {
    /// Files that were sent along, by their path in the module.
    Files {
        /// What their sender calls the directory.
        label: String,
        /// The files.
        files: BTreeMap<String, Vec<u8>>,
    },
    /// An address that Terraform fetches.
    Remote {
        /// As it was typed; credentials may be in it.
        address: String,
        /// The version, of a registry's module.
        version: Option<String>,
    },
}

impl RecipeSource {
    /// As Terraform is told it.
    pub(crate) fn parse(&self) -> Result<Source, SourceError> {
        match self {
            Self::Files { .. } => source::parse(&format!("./{MODULE_DIRECTORY}"), None),
            Self::Remote { address, version } => source::parse(address, version.as_deref()),
        }
    }

    /// As it may be shown.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Files { label, .. } => label.clone(),
            Self::Remote { address, .. } => {
                source::parse(address, None).map_or_else(|_| String::new(), |it| it.to_string())
            }
        }
    }

    /// The names of its files as the user knows them.
    pub(super) fn file_names(&self) -> FileNames {
        match self {
            Self::Files { label, .. } => FileNames(Some(label.trim_end_matches('/').to_owned())),
            Self::Remote { .. } => FileNames(None),
        }
    }

    /// What of the address must not be told.
    pub(crate) fn credentials(&self) -> Vec<String> {
        self.parse().map(|source| source.credentials()).unwrap_or_default()
    }

    pub(crate) fn version(&self) -> Option<String> {
        match self {
            Self::Files { .. } => None,
            Self::Remote { version, .. } => version.clone(),
        }
    }

    /// Whether there is anything for Terraform at the top of the files that were sent along.
    pub(crate) fn has_terraform(&self) -> bool {
        let Self::Files { files, .. } = self else { return true };
        let is_one = |path: &str| {
            let path = path.strip_suffix(".json").unwrap_or(path);
            path.strip_suffix(".tf").is_some() && !path.contains('/')
        };
        files.keys().any(|path| is_one(path))
    }

    /// What the module declares, where its files were sent along.
    pub(crate) fn outline(&self) -> Option<Outline> {
        let Self::Files { files, .. } = self else { return None };
        let top = files.iter().filter(|(path, _)| !path.contains('/'));
        let top: Vec<(&str, &[u8])> =
            top.map(|(path, content)| (path.as_str(), content.as_slice())).collect();
        Some(outline(&top))
    }
}

/// The files of a run as the user knows them: `module/main.tf` is `./network/main.tf`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileNames(Option<String>);

impl FileNames {
    /// The name of one file.
    pub(super) fn name(&self, file: &str) -> String {
        let path = file.strip_prefix(MODULE_DIRECTORY).and_then(|rest| rest.strip_prefix('/'));
        match (&self.0, path) {
            (Some(label), Some(path)) => format!("{label}/{path}"),
            _ => file.to_owned(),
        }
    }

    /// The text of Terraform's errors, which name a file as `on module/main.tf line 2`.
    pub(super) fn in_text(&self, text: &str) -> String {
        match &self.0 {
            Some(label) => {
                text.replace(&format!("on {MODULE_DIRECTORY}/"), &format!("on {label}/"))
            }
            None => text.to_owned(),
        }
    }
}

/// What a recipe is run with.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct RecipeTerms {
    /// Where the module comes from.
    pub source: RecipeSource,
    /// Values of the module's variables; they may be secret.
    pub parameters: BTreeMap<String, Value>,
    /// Those that are secret though the module may not say so.
    pub secret_parameters: BTreeSet<String>,
}

impl fmt::Debug for RecipeTerms {
    /// Without files and parameters: they can hold passwords.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RecipeTerms({})", self.source.shown())
    }
}

impl RecipeTerms {
    /// What is wrong with the parameters for a module that is known.
    pub(crate) fn mistakes(&self, module: &Outline) -> Vec<String> {
        self.misfits(module).iter().map(ToString::to_string).collect()
    }

    /// The same, as what they are.
    pub(crate) fn misfits(&self, module: &Outline) -> Vec<ConfigurationProblem> {
        use ConfigurationProblem::{ContextGiven, MissingParameter, UnknownParameter};
        let Ok(source) = self.source.parse() else { return Vec::new() };
        let given = self.given();
        let parts = Parts {
            source: &source,
            module,
            nested: &[],
            parameters: &[&given],
            secret_parameters: &self.secret_parameters,
            context: &Context::default(),
            providers: &BTreeMap::new(),
            facts: &Facts::default(),
        };
        // Of what else may be wrong not enough is known yet.
        let is_ours = |it: &ConfigurationProblem| {
            matches!(it, UnknownParameter { .. } | MissingParameter { .. } | ContextGiven)
        };
        let wrong = configuration(&parts).err();
        wrong.into_iter().flat_map(|it| it.problems).filter(is_ours).collect()
    }

    /// The parameters as a module takes them.
    pub(crate) fn given(&self) -> Map<String, Value> {
        self.parameters.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// What may be shown of the parameters, and the names of those that may not: what the caller or the
    /// module calls secret. Of a module that nobody has seen yet all are.
    pub(crate) fn shown(&self, module: Option<&Outline>) -> (Value, Vec<String>) {
        let is_secret = |name: &str| {
            let by_module = module
                .is_none_or(|it| it.variables.get(name).is_none_or(|variable| variable.sensitive));
            by_module || self.secret_parameters.contains(name)
        };
        let (mut shown, mut secret) = (Map::new(), Vec::new());
        for (name, value) in &self.parameters {
            if is_secret(name) {
                secret.push(name.clone());
            } else {
                shown.insert(name.clone(), value.clone());
            }
        }
        (Value::Object(shown), secret)
    }
}

/// What is kept of a recipe's terms: those that were asked for last, and those that Terraform was last run with. What
/// was never run cannot be what is to be destroyed.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct KeptTerms {
    pub(crate) asked: RecipeTerms,
    pub(crate) applied: Option<RecipeTerms>,
}

impl KeptTerms {
    pub(crate) fn seal(&self, keys: &Keys, recipe: &RecipeName) -> Vec<u8> {
        let content = serde_json::to_vec(self).expect("text for keys, and numbers that print");
        keys.seal(place(recipe).as_bytes(), &content)
    }

    /// Opened again; nothing where it is not ours or not whole.
    pub(crate) fn open(keys: &Keys, recipe: &RecipeName, sealed: &[u8]) -> Option<Self> {
        let content = keys.open(place(recipe).as_bytes(), sealed).ok()?;
        serde_json::from_slice(content.expose()).ok()
    }

    /// What a run is made with.
    pub(crate) fn of(&self, task: RecipeTask) -> &RecipeTerms {
        match task {
            RecipeTask::Deploy => &self.asked,
            RecipeTask::Delete => self.applied.as_ref().unwrap_or(&self.asked),
        }
    }
}

fn place(recipe: &RecipeName) -> String {
    format!("recipe/{}", recipe.key())
}
