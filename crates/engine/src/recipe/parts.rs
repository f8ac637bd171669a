//! The parts of a run, whoever makes it: what is known of its group, the files that Terraform gets, and what the module
//! declares once it is fetched.

use std::collections::BTreeMap;

use hangar_manifest::recipe::configuration::{
    Configuration, ConfigurationError, ConfigurationProblem, Parts, configuration,
};
use hangar_manifest::recipe::context::{Aws, Azure, Context, Kubernetes, Named, Resource};
use hangar_manifest::recipe::module::{Outline, modules_json, outline};
use hangar_manifest::recipe::source::Source;
use hangar_plan::Timestamp;
use hangar_plan::operation::{Failure, FailureKind, Finding};
use hangar_plan::record::{AwsScope, Group, GroupName, GroupState, RecipeName, Version};
use hangar_provider::{Credential, CredentialSource as _};
use hangar_store::StoreError;
use hangar_store::keys::Secret;
use serde_json::{Map, Value};

use super::environment::{
    Backend, Known, SETTINGS_FILE, Surroundings, subscription_of, surroundings,
};
use super::runner::{Files, RunId, Runner};
use super::settings::{RecipeSettings, open_secrets};
use super::state::password;
use super::terms::{MODULE_DIRECTORY, RecipeSource, RecipeTerms};
use super::{Recipes, failure};
use crate::StoredCredentials;
use crate::engine::Shared;
use crate::hash::sha256;
use crate::read::unavailable;
use crate::redact::collect_texts;
use crate::translate;

/// How much of what a failed program printed is told.
const TOLD_LINES: usize = 30;

/// What is known of the group that a recipe runs for.
pub(super) struct Place {
    group: Group,
    scope: Option<AwsScope>,
    credential: Option<Credential>,
    settings: RecipeSettings,
    secrets: BTreeMap<String, Secret<String>>,
    backend: Backend,
    aws: super::RecipeAws,
}

/// Why nothing is known of a group.
pub(super) enum NoPlace {
    /// The store is away.
    Store(StoreError),
    /// There is none, or its credential cannot be had.
    For(Failure),
}

impl From<Failure> for NoPlace {
    fn from(failure: Failure) -> Self {
        Self::For(failure)
    }
}

impl Place {
    /// What a run is surrounded by that needs these modules.
    pub(super) fn surroundings(&self, modules: &[&Outline]) -> Result<Surroundings, Failure> {
        let known = Known {
            aws: &self.aws,
            scope: self.scope.as_ref(),
            credential: self.credential.as_ref(),
            group: &self.group,
            settings: &self.settings,
            secrets: &self.secrets,
            backend: &self.backend,
        };
        surroundings(&known, modules)
    }
}

impl Place {
    /// That of a recipe's group.
    pub(super) async fn of_group(
        shared: &Shared,
        recipes: &Recipes,
        recipe: &RecipeName,
        run: RunId,
    ) -> Result<Self, NoPlace> {
        let found = shared.store.group_find(&recipe.group).await.map_err(NoPlace::Store)?;
        let group = found.ok_or_else(|| {
            failure(FailureKind::NotFound, "ResourceGroupNotFound", "the group no longer exists")
        })?;
        let scope = group.aws_scope.clone().or_else(|| shared.config.default_scope.clone());
        let credential = match &scope {
            Some(scope) => {
                let stored = StoredCredentials::new(shared.store.clone(), shared.keys.clone());
                let chosen = stored.credential(&translate::place(scope)).await;
                let chosen = chosen.map_err(|error| unavailable(&error.message))?;
                chosen.map(|it| it.credential)
            }
            None => None,
        };
        let backend = Backend {
            url: format!("{}{}/state", recipes.url, recipe.id()),
            lasting: recipes.lasting,
            user: run.to_string(),
            password: password(&shared.keys, recipe, run),
        };
        Ok(Self {
            settings: RecipeSettings::of_group(&group),
            secrets: open_secrets(&shared.keys, &group),
            aws: recipes.aws.clone(),
            group,
            scope,
            credential,
            backend,
        })
    }

    /// That of a group that does not exist: it has no settings and no credential.
    pub(super) fn of_new_group(
        recipes: &Recipes,
        group: &GroupName,
        scope: Option<&AwsScope>,
    ) -> Self {
        let now = Timestamp::from_micros(0);
        let group = Group {
            name: group.clone(),
            state: GroupState::Ready,
            operation: None,
            location: None,
            tags: BTreeMap::new(),
            aws_scope: None,
            properties: BTreeMap::new(),
            secrets: BTreeMap::new(),
            created_at: now,
            updated_at: now,
            version: Version(0),
        };
        let (url, user, password) = Default::default();
        Self {
            settings: RecipeSettings::default(),
            secrets: BTreeMap::new(),
            aws: recipes.aws.clone(),
            group,
            scope: scope.cloned(),
            credential: None,
            backend: Backend { url, lasting: false, user, password },
        }
    }

    /// What the module gets for its variable `context`.
    pub(super) fn context(&self, recipe: &RecipeName, parameters: &Value) -> Context {
        let group = &self.group;
        let namespace =
            self.settings.kubernetes_namespace.clone().unwrap_or_else(|| "default".to_owned());
        let properties: Map<String, Value> = match parameters {
            Value::Object(shown) => shown.clone(),
            _ => Map::new(),
        };
        let azure = group.properties.get("providers").and_then(|it| it.pointer("/azure/scope"));
        let azure = azure.and_then(Value::as_str).and_then(|scope| azure_of(scope, &recipe.id()));
        Context {
            resource: Resource {
                id: recipe.id(),
                name: recipe.name.clone(),
                kind: "Hangar.Recipes/recipes".to_owned(),
                properties,
            },
            connections: BTreeMap::new(),
            application: None,
            environment: Named { id: group.name.id(), name: group.name.group.clone() },
            kubernetes: Kubernetes { environment_namespace: namespace.clone(), namespace },
            azure,
            aws: self.scope.as_ref().map(|scope| Aws {
                region: scope.region.to_string(),
                account: scope.account.to_string(),
            }),
        }
    }
}

/// What must not be told of the parameters.
pub(super) fn secret_texts(terms: &RecipeTerms, module: Option<&Outline>) -> Vec<String> {
    let (_, secret) = terms.shown(module);
    let mut texts = terms.source.credentials();
    for value in secret.iter().filter_map(|name| terms.parameters.get(name)) {
        collect_texts(value, &mut texts);
    }
    texts
}

/// The files that are enough to fetch the module: the configuration, the settings, and the module if it was sent along.
pub(super) fn first_files(terms: &RecipeTerms, main_tf: &Value, bare: &Surroundings) -> Files {
    let mut files: Files = vec![
        ("main.tf.json".to_owned(), main_tf.to_string().into_bytes()),
        (SETTINGS_FILE.to_owned(), bare.settings_file.clone()),
    ];
    if let RecipeSource::Files { files: sent, .. } = &terms.source {
        let sent = sent.iter();
        files.extend(
            sent.map(|(path, content)| (format!("{MODULE_DIRECTORY}/{path}"), content.clone())),
        );
    }
    files
}

/// The files of a run whose module was fetched.
pub(super) fn final_files(made: &Configuration, around: &Surroundings) -> Files {
    vec![
        ("main.tf.json".to_owned(), pretty(&made.main_tf)),
        ("hangar.auto.tfvars.json".to_owned(), pretty(&made.variables)),
        (SETTINGS_FILE.to_owned(), around.settings_file.clone()),
    ]
}

/// The configuration of a run whose module was fetched.
pub(super) fn configured(
    terms: &RecipeTerms,
    source: &Source,
    fetched: &Fetched,
    around: &Surroundings,
    context: &Context,
) -> Result<Configuration, Failure> {
    let given = terms.given();
    let parts = Parts {
        source,
        module: &fetched.module,
        nested: &fetched.nested,
        parameters: &[&given],
        secret_parameters: &terms.secret_parameters,
        context,
        providers: &around.providers,
        facts: &around.facts,
    };
    configuration(&parts).map_err(|error| refused_parts(&error))
}

/// The last lines that say something, in one: Terraform draws a frame around its errors.
pub(super) fn tail(printed: &str) -> String {
    let bare = |line: &str| {
        line.trim_matches(|it: char| it.is_whitespace() || "│╷╵".contains(it)).to_owned()
    };
    let lines: Vec<String> = printed.lines().map(bare).filter(|it| !it.is_empty()).collect();
    lines[lines.len().saturating_sub(TOLD_LINES)..].join(" ")
}

/// What the module and those that it calls declare.
pub(super) struct Fetched {
    pub(super) module: Outline,
    nested: Vec<Outline>,
}

impl Fetched {
    /// All of them, the module first.
    pub(super) fn all(&self) -> Vec<&Outline> {
        std::iter::once(&self.module).chain(&self.nested).collect()
    }
}

/// What the module and those that it calls declare, as they were fetched.
pub(super) async fn outlines(runner: &dyn Runner, run: RunId) -> Result<Fetched, Failure> {
    let odd = |what: String| failure(FailureKind::Provider, "RecipeDownloadFailed", what);
    let listed = runner.read(run, ".terraform/modules/modules.json").await?.unwrap_or_default();
    let listed: Value = serde_json::from_slice(&listed).unwrap_or_default();
    let directories = modules_json(&listed).map_err(|error| odd(error.to_string()))?;
    let module = outline_of(&runner.read_all(run, &directories.recipe).await?);
    let mut nested = Vec::new();
    for directory in &directories.nested {
        nested.push(outline_of(&runner.read_all(run, directory).await?));
    }
    Ok(Fetched { module, nested })
}

fn outline_of(files: &Files) -> Outline {
    let files: Vec<(&str, &[u8])> =
        files.iter().map(|(name, content)| (name.as_str(), content.as_slice())).collect();
    outline(&files)
}

fn refused_parts(error: &ConfigurationError) -> Failure {
    let finding = |problem: &ConfigurationProblem| Finding {
        code: "InvalidParameter".to_owned(),
        path: "/properties/parameters".to_owned(),
        message: problem.to_string(),
    };
    Failure {
        kind: FailureKind::Invalid,
        code: "InvalidRecipeParameters".to_owned(),
        message: error.to_string(),
        findings: error.problems.iter().map(finding).collect(),
    }
}

fn pretty(value: &Value) -> Vec<u8> {
    serde_json::to_vec_pretty(value).expect("text for keys, and numbers that print")
}

fn azure_of(scope: &str, id: &str) -> Option<Azure> {
    let subscription = subscription_of(scope)?.to_owned();
    let name = scope.split('/').rfind(|it| !it.is_empty())?.to_owned();
    let hash = sha256(id).get(..13).unwrap_or_default().to_owned();
    Some(Azure {
        resource_group: Named { id: scope.to_owned(), name },
        subscription,
        resource_name_hash: hash,
    })
}
