//! The calls into the crates that a control plane is made of; nothing is decided here.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hangar_api::Serving;
use hangar_engine::{Config, Engine, Recipes, SchemaSource, StoredCredentials};
use hangar_ids::{AccountId, Region};
use hangar_plan::record::AwsScope;
use hangar_provider::Provider;
use hangar_provider_aws::{AwsProvider, Endpoint, EndpointUrl, Options as ProviderOptions};
use hangar_simulator::core::settings::Settings as Behaviour;
use hangar_simulator::server::{self as simulator, Exposure, Options, Signatures};
use hangar_store::keys::{KeyError, Keys};
use hangar_store::postgres::{Options as PostgresOptions, Postgres};
use hangar_store::sqlite::Sqlite;
use hangar_store::{OperationFilter, ReferenceFilter, Store, StoreError};
use prometheus_client::registry::Registry;
use tokio::net::TcpListener;

use super::{Authentication, History, Settings, StartError, aws_of};
use crate::aws::{Aws, AwsRate};
use crate::client::shape::AwsPlace;
use crate::commands::place::default_place;
use crate::store_at::StoreAt;

/// What runs.
#[derive(Debug)]
pub(super) struct Parts {
    serving: Serving,
    engine: Engine,
    simulator: Option<simulator::Running>,
}

/// What a caller has to know of them.
pub(super) struct Known {
    /// What callers must show.
    pub(super) token: Option<String>,
    pub(super) aws: Aws,
    /// Where the simulator answers, where that is its AWS.
    pub(super) simulator: Option<String>,
}

impl Parts {
    /// Starts each part with those before it.
    pub(super) async fn start(
        settings: &Settings,
        listener: TcpListener,
        instance: &str,
    ) -> Result<(Self, Known), StartError> {
        let store = open_store(settings).await?;
        refuse_a_store_that_forgot(settings, store.as_ref()).await?;
        refuse_a_simulator_each(settings, store.as_ref()).await?;
        let keys = Arc::new(unlock(settings, store.as_ref()).await?);
        let aws = settle_aws(settings, store.as_ref()).await?;
        let recipes = recipes_of(settings, &listener, &aws)?;
        let simulator = match aws {
            Aws::Simulator => Some(start_simulator(Some(settings.dir.simulator())).await?),
            _ => None,
        };
        let endpoint = endpoint_of(&aws, simulator.as_ref())?;
        let credentials = StoredCredentials::new(Arc::clone(&store), Arc::clone(&keys));
        let provider = AwsProvider::new(ProviderOptions {
            credentials: Some(Arc::new(credentials)),
            ..settings.aws_client.options(&aws, endpoint)
        });
        let provider: Arc<dyn Provider> = Arc::new(provider);
        #[cfg(debug_assertions)]
        let provider = super::die::provider(settings.die_at.as_ref(), provider);
        let config = Config {
            worker: instance.to_owned(),
            schemas: if aws == Aws::Real { SchemaSource::Live } else { SchemaSource::Bundled },
            default_scope: if aws.has_default_place() {
                Some(scope_of(&default_place())?)
            } else {
                None
            },
            aws_rate: AwsRate::of(settings.aws_rate, &aws),
            drift_every: settings.drift_every,
            concurrency: settings.workers,
            drives: settings.drives,
            recipes: Some(recipes),
            ..Config::default()
        };
        let engine = Engine::start(config, store, provider, Arc::clone(&keys));
        let token = match settings.authentication {
            Authentication::Token => Some(keys.api_token().expose().clone()),
            Authentication::None => None,
        };
        let mut registry = Registry::default();
        engine.register_metrics(&mut registry);
        let served = hangar_api::Settings {
            listener,
            base_path: settings.base_path.clone(),
            public_url: settings.public_url.clone(),
            token: token.clone(),
            instance: instance.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            keys,
            registry,
        };
        match hangar_api::serve(served, engine.clone()) {
            Ok(serving) => {
                let known = Known {
                    token,
                    aws,
                    simulator: simulator.as_ref().map(simulator::Running::url),
                };
                Ok((Self { serving, engine, simulator }, known))
            }
            Err(error) => {
                engine.stop().await;
                stop_simulator(simulator).await;
                Err(StartError::Setup(error.to_string()))
            }
        }
    }

    pub(super) fn engine(&self) -> Engine {
        self.engine.clone()
    }

    /// Stops each part before those that it needs; the engine is told first, so that its last calls
    /// and the last answers of the API end together.
    pub(super) async fn stop(self) {
        tokio::join!(self.engine.stop(), self.serving.stop());
        stop_simulator(self.simulator).await;
    }
}

/// How recipes run: in the data directory, with their state kept by this very process.
fn recipes_of(
    settings: &Settings,
    listener: &TcpListener,
    aws: &Aws,
) -> Result<Recipes, StartError> {
    let address = listener.local_addr();
    let address =
        address.map_err(|source| StartError::Listen { listen: settings.listen, source })?;
    let url = format!("http://{address}{}", settings.base_path.trim_end_matches('/'));
    let path = settings.dir.recipes();
    let recipes = settings.terraform.recipes(&path, url, aws);
    let recipes = recipes.map_err(|source| StartError::Recipes { path, source })?;
    // A command has another port each time.
    Ok(Recipes { lasting: settings.listen.port() != 0, ..recipes })
}

/// The store. The one process of a file ends every lease, for whoever held one is gone: we have the lock.
/// Replicas leave each other's alone.
async fn open_store(settings: &Settings) -> Result<Arc<dyn Store>, StartError> {
    let at = store_at(settings);
    let failed = |source| StartError::Store { store: at.clone(), source };
    match &at {
        StoreAt::Postgres(url) => {
            let store = Postgres::connect(url, PostgresOptions::default()).await;
            Ok(mortal(settings, Arc::new(store.map_err(failed)?)))
        }
        StoreAt::Sqlite(path) => {
            // Before it is opened: what opening makes would lie beside the file that somebody brings back.
            if is_used_with_a_key(settings) && is_missing_or_empty(path) {
                return Err(store_lost(settings));
            }
            let opened = {
                let path = path.clone();
                tokio::task::spawn_blocking(move || Sqlite::open(&path)).await
            };
            let opened = opened.map_err(|error| StartError::Setup(error.to_string()))?;
            let store = mortal(settings, Arc::new(opened.map_err(failed)?));
            store.lease_end_all().await.map_err(failed)?;
            Ok(store)
        }
    }
}

/// In a debug build a process can be told to die at a call of its store.
fn mortal(settings: &Settings, store: Arc<dyn Store>) -> Arc<dyn Store> {
    #[cfg(debug_assertions)]
    let store = super::die::store(settings.die_at.as_ref(), store);
    let _ = settings;
    store
}

fn store_at(settings: &Settings) -> StoreAt {
    settings.store.clone().unwrap_or_else(|| StoreAt::Sqlite(settings.dir.store()))
}

/// A directory that was used has a store with a key check, so that one without is another one, or
/// has lost its rows. A start that ended between the making of the key and the first row has left
/// nothing else in the directory.
async fn refuse_a_store_that_forgot(
    settings: &Settings,
    store: &dyn Store,
) -> Result<(), StartError> {
    let check = store.key_check().await;
    let check = check.map_err(|source| StartError::Store { store: store_at(settings), source })?;
    if check.is_none() && is_used_with_a_key(settings) {
        return Err(store_lost(settings));
    }
    Ok(())
}

/// Replicas share an AWS as they share the store. Before the store gets a key: a start that is refused leaves
/// nothing behind.
async fn refuse_a_simulator_each(settings: &Settings, store: &dyn Store) -> Result<(), StartError> {
    let at = store_at(settings);
    if !at.is_shared() {
        return Ok(());
    }
    let aws = match &settings.aws {
        Some(asked) => Ok(asked.clone()),
        None => replicas_aws(settings, store).await,
    };
    match aws.map_err(|source| StartError::Store { store: at.clone(), source })? {
        Aws::Simulator => Err(StartError::SharedSimulator { store: at }),
        Aws::Real | Aws::Custom(_) => Ok(()),
    }
}

fn is_used_with_a_key(settings: &Settings) -> bool {
    key_path(settings).exists() && settings.dir.was_used()
}

fn is_missing_or_empty(path: &Path) -> bool {
    match std::fs::metadata(path) {
        Ok(metadata) => metadata.len() == 0,
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    }
}

fn store_lost(settings: &Settings) -> StartError {
    StartError::StoreLost { store: store_at(settings), key: key_path(settings) }
}

async fn unlock(settings: &Settings, store: &dyn Store) -> Result<Keys, StartError> {
    let path = key_path(settings);
    let role = settings.role;
    Keys::unlock(store, &path).await.map_err(|error| match error {
        KeyError::Store(source @ StoreError::WrongKey) => {
            StartError::Key { path, why: source.to_string(), role }
        }
        KeyError::Store(source) => StartError::Store { store: store_at(settings), source },
        error => StartError::Key { path, why: chain(&error), role },
    })
}

fn key_path(settings: &Settings) -> PathBuf {
    settings.key_file.as_deref().map_or_else(|| settings.dir.key(), Path::to_owned)
}

/// An error with its causes.
fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

/// The directory's AWS, remembered for the next start: by the directory, and by the store for when it is
/// found in another directory.
async fn settle_aws(settings: &Settings, store: &dyn Store) -> Result<Aws, StartError> {
    let dir = &settings.dir;
    let io = |source| StartError::Directory { dir: dir.clone(), source };
    let failed = |source| StartError::Store { store: store_at(settings), source };
    if store_at(settings).is_shared() {
        let aws = agree_on_aws(settings, store).await?;
        dir.write_aws(&aws).map_err(io)?;
        return Ok(aws);
    }
    let used = dir.read_aws();
    let known = used.as_ref().ok().cloned().flatten();
    let noted = noted_aws(store).await.map_err(failed)?;
    let history = history_of(store).await.map_err(failed)?;
    let first = settings.aws_client.environment_aws();
    let aws = aws_of(dir, settings.aws.as_ref(), used, noted.as_ref(), history, first)?;
    if noted.as_ref() != Some(&aws) {
        store.note_put(AWS_NOTE, &aws.to_string()).await.map_err(failed)?;
    }
    if known.as_ref() != Some(&aws) {
        dir.write_aws(&aws).map_err(io)?;
    }
    Ok(aws)
}

/// The one AWS of all replicas: what the first of them said is kept, and no other one is taken.
async fn agree_on_aws(settings: &Settings, store: &dyn Store) -> Result<Aws, StartError> {
    let at = store_at(settings);
    let failed = |source| StartError::Store { store: at.clone(), source };
    let asked = match &settings.aws {
        Some(asked) => asked.clone(),
        None => replicas_aws(settings, store).await.map_err(failed)?,
    };
    let kept = store.note_keep(AWS_NOTE, &asked.to_string()).await.map_err(failed)?;
    match kept.parse() {
        Ok(used) if used == asked => Ok(asked),
        Ok(used) => Err(StartError::OtherSharedAws { store: at, asked, used }),
        Err(_) => {
            let why = format!("its note `{AWS_NOTE}` is not a valid value of --aws");
            Err(StartError::Store { store: at, source: StoreError::Damaged(why) })
        }
    }
}

/// The AWS of a replica that was told none: the store's, else what its directory was used with.
async fn replicas_aws(settings: &Settings, store: &dyn Store) -> Result<Aws, StoreError> {
    let noted = noted_aws(store).await?;
    let used = || settings.dir.read_aws().ok().flatten();
    Ok(noted.or_else(used).unwrap_or(Aws::Simulator))
}

/// The name of the note that says which AWS a store was used with.
const AWS_NOTE: &str = "aws";

/// The AWS that a store was used with, where it says so; older ones do not.
pub(crate) async fn noted_aws(store: &dyn Store) -> Result<Option<Aws>, StoreError> {
    Ok(store.note_find(AWS_NOTE).await?.and_then(|text| text.parse().ok()))
}

async fn history_of(store: &dyn Store) -> Result<History, StoreError> {
    // Not counted: that would take long where there are many.
    let first = store.reference_outline_list(&ReferenceFilter::default(), None, 1).await?;
    if !first.is_empty() {
        return Ok(History::References);
    }
    let any = store.operation_list(&OperationFilter::default(), None, 1).await?;
    Ok(if any.is_empty() { History::None } else { History::Operations })
}

/// The built-in simulator: a real socket, so that the SDK talks to it as to AWS.
pub(crate) async fn start_simulator(
    state: Option<PathBuf>,
) -> Result<simulator::Running, StartError> {
    let options = Options {
        listen: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0),
        exposure: Exposure::Loopback,
        state,
        settings: Behaviour::default(),
        signatures: Signatures::Read,
        faults: Vec::new(),
    };
    let running = simulator::start(options).await.map_err(StartError::Simulator)?;
    if running.dropped() > 0 {
        // What a crash leaves; no call that was answered is lost by it.
        tracing::warn!(
            bytes = running.dropped(),
            "removed an unfinished write from the simulator's state"
        );
    }
    Ok(running)
}

async fn stop_simulator(simulator: Option<simulator::Running>) {
    if let Some(simulator) = simulator {
        // What could not be written was told to the engine, call by call.
        let _ = simulator.stop().await;
    }
}

fn endpoint_of(aws: &Aws, simulator: Option<&simulator::Running>) -> Result<Endpoint, StartError> {
    let url = match (aws, simulator) {
        (Aws::Real, _) => return Ok(Endpoint::Real),
        (Aws::Custom(url), _) => url.clone(),
        (Aws::Simulator, Some(simulator)) => simulator.url(),
        (Aws::Simulator, None) => {
            return Err(StartError::Setup("the simulator has stopped".to_owned()));
        }
    };
    let url: EndpointUrl = url.parse().map_err(|error| StartError::Setup(format!("{error}")))?;
    Ok(Endpoint::Custom(url))
}

fn scope_of(place: &AwsPlace) -> Result<AwsScope, StartError> {
    let wrong = |mistake: hangar_diag::Diagnostic| StartError::Setup(mistake.message);
    Ok(AwsScope {
        plane: "aws".to_owned(),
        account: AccountId::parse(&place.account).map_err(wrong)?,
        region: Region::parse(&place.region).map_err(wrong)?,
    })
}
