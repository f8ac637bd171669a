//! What a run is surrounded by: one builder for deploying and deleting, so that neither lacks what the other had.

use std::collections::{BTreeMap, BTreeSet};

use hangar_manifest::recipe::configuration::{
    Aws, AwsCredential, AwsEndpoint, Azure, Facts, Kubernetes, ProviderBlock, S3PathStyle,
};
use hangar_manifest::recipe::module::Outline;
use hangar_manifest::recipe::secret::Secret as Hidden;
use hangar_plan::operation::{Failure, FailureKind};
use hangar_plan::record::{AwsScope, Group};
use hangar_provider::Credential;
use hangar_store::keys::Secret;
use serde_json::{Map, Value};

use super::runner::Environment;
use super::settings::{ProviderMirror, RecipeSettings, Setting, named_secret};

/// The file that Terraform is told its settings in.
pub(super) const SETTINGS_FILE: &str = "hangar.tfrc";

/// Which AWS a control plane works on, as far as recipes are concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecipeAws {
    /// AWS itself.
    Real,
    /// Another endpoint.
    Endpoint(String),
    /// The built-in simulator, which speaks Cloud Control and none of the protocols of AWS's services.
    Simulator,
}

/// What is known before a run is surrounded.
pub(super) struct Known<'a> {
    pub(super) aws: &'a RecipeAws,
    pub(super) scope: Option<&'a AwsScope>,
    pub(super) credential: Option<&'a Credential>,
    pub(super) group: &'a Group,
    pub(super) settings: &'a RecipeSettings,
    pub(super) secrets: &'a BTreeMap<String, Secret<String>>,
    /// Where the state is, who asks for it, and by what word.
    pub(super) backend: &'a Backend,
}

/// How a run reaches its state.
#[derive(Clone)]
pub(super) struct Backend {
    pub(super) url: String,
    /// Whether the server answers there again after a restart.
    pub(super) lasting: bool,
    pub(super) user: String,
    pub(super) password: String,
}

/// What a run is surrounded by.
pub(super) struct Surroundings {
    pub(super) facts: Facts,
    pub(super) providers: BTreeMap<String, Vec<ProviderBlock>>,
    pub(super) environment: Environment,
    /// The content of [`SETTINGS_FILE`].
    pub(super) settings_file: Vec<u8>,
    /// What must not be in anything that is kept or shown.
    pub(super) secrets: Vec<String>,
}

/// What a run is surrounded by, or why it cannot be run.
pub(super) fn surroundings(
    known: &Known<'_>,
    modules: &[&Outline],
) -> Result<Surroundings, Failure> {
    let unknown: Vec<String> =
        known.settings.secrets().into_iter().filter(|it| !known.secrets.contains_key(it)).collect();
    if !unknown.is_empty() {
        return Err(refused(
            "RecipeSecretMissing",
            format!(
                "the group's recipeConfig uses secrets that it does not have: {}; set them with \
                 `hangar group update {} --recipe-secret NAME`",
                unknown.join(", "),
                known.group.name.group
            ),
        ));
    }
    if *known.aws == RecipeAws::Simulator && needs_aws(modules) && !is_configured(known, "aws") {
        return Err(refused(
            "RecipeNeedsAws",
            "the recipe uses the AWS provider, but AWS is the built-in simulator here, which has \
             only Cloud Control; start Hangar with `--aws real` or `--aws http://HOST:PORT`, or \
             configure the provider in the group's recipeConfig (terraform.providers.aws)"
                .to_owned(),
        ));
    }
    let mut secrets: Vec<String> = known.secrets.values().map(|it| it.expose().clone()).collect();
    secrets.push(known.backend.password.clone());
    let mut environment = base(known.backend);
    let facts = facts(known, modules, &mut environment, &mut secrets);
    for (name, setting) in &known.settings.environment {
        let value = match setting {
            Setting::Plain(text) => text.clone(),
            Setting::Secret(secret) => {
                known.secrets.get(secret).map(|it| it.expose().clone()).unwrap_or_default()
            }
        };
        environment.retain(|(present, _)| present != name);
        environment.push((name.clone(), value));
    }
    let providers = known.settings.providers.iter();
    Ok(Surroundings {
        facts,
        providers: providers
            .map(|(name, blocks)| {
                (name.clone(), blocks.iter().map(|it| block(it, known.secrets)).collect())
            })
            .collect(),
        environment: Environment(environment),
        settings_file: settings_file(known.settings.mirror.as_ref()),
        secrets,
    })
}

fn refused(code: &str, message: String) -> Failure {
    Failure { kind: FailureKind::Invalid, code: code.to_owned(), message, findings: Vec::new() }
}

fn needs_aws(modules: &[&Outline]) -> bool {
    modules.iter().any(|module| {
        module.used_providers.contains("aws") || module.required_providers.contains_key("aws")
    })
}

fn is_configured(known: &Known<'_>, provider: &str) -> bool {
    known.settings.providers.get(provider).is_some_and(|it| !it.is_empty())
}

/// What every run is told: where its state is, and that nobody sits before it.
fn base(backend: &Backend) -> Vec<(String, String)> {
    let told = [
        ("TF_IN_AUTOMATION", "1"),
        ("TF_INPUT", "0"),
        ("CHECKPOINT_DISABLE", "1"),
        ("TF_HTTP_ADDRESS", &backend.url),
        ("TF_HTTP_LOCK_ADDRESS", &backend.url),
        ("TF_HTTP_UNLOCK_ADDRESS", &backend.url),
        ("TF_HTTP_USERNAME", &backend.user),
        ("TF_HTTP_PASSWORD", &backend.password),
        // A server that is restarted is back by then; one that comes back elsewhere is not waited for.
        ("TF_HTTP_RETRY_MAX", if backend.lasting { "6" } else { "1" }),
        ("TF_HTTP_RETRY_WAIT_MIN", "1"),
        ("TF_HTTP_RETRY_WAIT_MAX", "5"),
    ];
    told.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

fn facts(
    known: &Known<'_>,
    modules: &[&Outline],
    environment: &mut Vec<(String, String)>,
    secrets: &mut Vec<String>,
) -> Facts {
    let aws = known.scope.map(|scope| Aws {
        region: scope.region.to_string(),
        account: (*known.aws == RecipeAws::Real).then(|| scope.account.to_string()),
        credential: credential(known, environment, secrets),
        endpoint: match known.aws {
            RecipeAws::Endpoint(url) => {
                Some(AwsEndpoint { url: url.clone(), path_style: path_style(modules) })
            }
            RecipeAws::Real | RecipeAws::Simulator => None,
        },
    });
    let azure_scope = known
        .group
        .properties
        .get("providers")
        .and_then(|it| it.pointer("/azure/scope").and_then(Value::as_str).map(str::to_owned));
    let subscription = azure_scope.as_deref().and_then(subscription_of);
    let kubernetes = known.settings.kubeconfig.clone();
    Facts {
        aws,
        azure: subscription.map(|subscription| Azure { subscription: subscription.to_owned() }),
        kubernetes: Some(Kubernetes { kubeconfig: kubernetes }),
    }
}

/// The subscription in `/subscriptions/{id}/…`.
pub(super) fn subscription_of(scope: &str) -> Option<&str> {
    let mut parts = scope.trim_start_matches('/').split('/');
    parts.next().filter(|it| it.eq_ignore_ascii_case("subscriptions"))?;
    parts.next().filter(|it| !it.is_empty())
}

fn credential(
    known: &Known<'_>,
    environment: &mut Vec<(String, String)>,
    secrets: &mut Vec<String>,
) -> AwsCredential {
    let Some(credential) = known.credential else {
        return match (known.aws, known.scope) {
            // As our own calls to it are signed: by the account's number.
            (RecipeAws::Endpoint(_), Some(scope)) => AwsCredential::Keys {
                access: Hidden::new(scope.account.to_string()),
                secret: Hidden::new("hangar"),
                session: None,
            },
            _ => AwsCredential::None,
        };
    };
    match credential {
        Credential::AccessKey(key) => {
            secrets.push(key.secret_access_key.expose().to_owned());
            secrets.extend(key.session_token.as_ref().map(|it| it.expose().to_owned()));
            AwsCredential::Keys {
                access: Hidden::new(key.access_key_id.clone()),
                secret: Hidden::new(key.secret_access_key.expose()),
                session: key.session_token.as_ref().map(|it| Hidden::new(it.expose())),
            }
        }
        Credential::WebIdentity { role_arn, token_file, .. } => AwsCredential::WebIdentity {
            role: role_arn.clone(),
            token_file: token_file.to_string_lossy().into_owned(),
        },
        Credential::AssumeRole { role_arn, external_id, source, .. } => {
            if let Some(key) = source {
                let mut set = |name: &str, value: &str| {
                    environment.push((name.to_owned(), value.to_owned()));
                };
                set("AWS_ACCESS_KEY_ID", &key.access_key_id);
                set("AWS_SECRET_ACCESS_KEY", key.secret_access_key.expose());
                secrets.push(key.secret_access_key.expose().to_owned());
                if let Some(token) = &key.session_token {
                    set("AWS_SESSION_TOKEN", token.expose());
                    secrets.push(token.expose().to_owned());
                }
            }
            let external_id = external_id.as_deref().map(Hidden::new);
            AwsCredential::AssumeRole { role: role_arn.clone(), external_id }
        }
    }
}

/// How the AWS provider that a module asks for spells its setting for S3's paths.
fn path_style(modules: &[&Outline]) -> S3PathStyle {
    let versions = modules.iter().filter_map(|it| it.required_providers.get("aws"));
    let old = versions.flat_map(|it| &it.versions).any(|constraint| {
        let first = constraint.trim_start_matches(|c: char| !c.is_ascii_digit());
        let major: String = first.chars().take_while(char::is_ascii_digit).collect();
        let exact = !constraint.trim_start().starts_with('>');
        exact && major.parse::<u32>().is_ok_and(|major| major < 4)
    });
    if old { S3PathStyle::Force } else { S3PathStyle::Use }
}

/// A provider's settings with its secrets filled in, and where they are.
fn block(
    settings: &Map<String, Value>,
    secrets: &BTreeMap<String, Secret<String>>,
) -> ProviderBlock {
    let mut filled = Value::Object(settings.clone());
    let mut paths = BTreeSet::new();
    fill(&mut filled, String::new(), secrets, &mut paths);
    let settings = match filled {
        Value::Object(settings) => settings,
        _ => Map::new(),
    };
    ProviderBlock { settings, secrets: paths }
}

fn fill(
    value: &mut Value,
    path: String,
    secrets: &BTreeMap<String, Secret<String>>,
    paths: &mut BTreeSet<String>,
) {
    if let Some(secret) = named_secret(value).and_then(|name| secrets.get(name)) {
        *value = secret.expose().as_str().into();
        paths.insert(path);
        return;
    }
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                fill(item, format!("{path}/{index}"), secrets, paths);
            }
        }
        Value::Object(members) => {
            for (name, item) in members.iter_mut() {
                let name = name.replace('~', "~0").replace('/', "~1");
                fill(item, format!("{path}/{name}"), secrets, paths);
            }
        }
        _ => {}
    }
}

/// Terraform's own settings: always ours, never those of the user that the server runs as.
fn settings_file(mirror: Option<&ProviderMirror>) -> Vec<u8> {
    // A run has no lock file of its own, so what was fetched before may be used as it is.
    let cache = "plugin_cache_may_break_dependency_lock_file = true\n";
    let installation = match mirror {
        None => String::new(),
        Some(ProviderMirror::Filesystem(path)) => {
            format!(
                "provider_installation {{\n  filesystem_mirror {{\n    path = {}\n  }}\n}}\n",
                hcl(path)
            )
        }
        Some(ProviderMirror::Network(url)) => {
            format!(
                "provider_installation {{\n  network_mirror {{\n    url = {}\n  }}\n}}\n",
                hcl(url)
            )
        }
    };
    format!("{cache}{installation}").into_bytes()
}

/// A text as HCL quotes it: as JSON does, and nothing in it is a template.
fn hcl(text: &str) -> String {
    Value::from(text).to_string().replace("${", "$${").replace("%{", "%%{")
}
