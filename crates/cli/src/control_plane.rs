//! The whole control plane in this process: simulator, store, engine and API, started in order and
//! stopped in reverse. `hangar serve` and embedded commands differ only in their settings.

#[cfg(debug_assertions)]
pub(crate) mod die;
mod explain;
mod parts;

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use hangar_engine::{Drives, Engine};
use hangar_simulator::server as simulator;
use hangar_store::StoreError;
use tokio::net::TcpListener;
use uuid::Uuid;

use crate::aws::client::AwsClient;
use crate::aws::{Aws, AwsRate};
use crate::client::Client;
use crate::client::endpoint::{BASE_PATH, Endpoint};
use crate::client::token::Token;
use crate::embedded::data_dir::{AwsFileError, DataDir};
use crate::embedded::lock::Lock;
use crate::embedded::server_file::{Published, Role, ServerFile};
use crate::store_at::StoreAt;
use crate::terraform_host::TerraformHost;
use parts::{Known, Parts};

pub(crate) use parts::{noted_aws, start_simulator};

/// How long an end may take: a call of AWS may take longer, and is as safe as a crash at that moment.
const STOP_WITHIN: Duration = Duration::from_secs(9);

/// How many operations one process drives at once.
pub(crate) const DEFAULT_WORKERS: usize = hangar_engine::CONCURRENCY;

/// How a control plane is to run.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) dir: DataDir,
    /// Proof that no other process runs workers on the directory.
    pub(crate) lock: Lock,
    pub(crate) role: Role,
    pub(crate) listen: SocketAddr,
    /// The store; the directory's SQLite file where there is none.
    pub(crate) store: Option<StoreAt>,
    /// The root key; the directory's where there is none.
    pub(crate) key_file: Option<PathBuf>,
    /// The AWS that was asked for; the directory's where there is none.
    pub(crate) aws: Option<Aws>,
    /// How often AWS may be called; as that AWS wants it where it is not said.
    pub(crate) aws_rate: Option<AwsRate>,
    pub(crate) public_url: Option<String>,
    pub(crate) base_path: String,
    /// How often all groups are looked at for drift.
    pub(crate) drift_every: Option<Duration>,
    /// Which operations are driven.
    pub(crate) drives: Drives,
    /// How many operations are driven at once; with 0 they are accepted and nothing more.
    pub(crate) workers: usize,
    pub(crate) authentication: Authentication,
    /// What recipes are run with.
    pub(crate) terraform: TerraformHost,
    /// How this process calls AWS.
    pub(crate) aws_client: AwsClient,
    /// The call at which the process dies, for tests.
    #[cfg(debug_assertions)]
    pub(crate) die_at: Option<std::sync::Arc<die::Death>>,
}

/// Whether callers must show a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Authentication {
    Token,
    None,
}

impl Settings {
    /// For the time of one command.
    pub(crate) fn embedded(dir: DataDir, lock: Lock, aws: Option<Aws>) -> Self {
        Self {
            dir,
            lock,
            role: Role::Command,
            listen: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0),
            store: None,
            key_file: None,
            aws,
            aws_rate: None,
            public_url: None,
            base_path: BASE_PATH.to_owned(),
            drift_every: None,
            drives: Drives::All,
            workers: DEFAULT_WORKERS,
            authentication: Authentication::Token,
            terraform: TerraformHost::default(),
            aws_client: AwsClient::default(),
            #[cfg(debug_assertions)]
            die_at: None,
        }
    }
}

/// Why a control plane does not start.
#[derive(Debug)]
pub(crate) enum StartError {
    /// The address can be reached from elsewhere.
    NotLoopback { listen: SocketAddr },
    /// The address cannot be taken.
    Listen { listen: SocketAddr, source: io::Error },
    /// The data directory cannot be written.
    Directory { dir: DataDir, source: io::Error },
    /// Recipes cannot have their runs in the data directory.
    Recipes { path: PathBuf, source: io::Error },
    /// The directory's references live in another AWS.
    OtherAws { dir: DataDir, asked: Aws, used: Aws },
    /// The replicas on the store work on another AWS.
    OtherSharedAws { store: StoreAt, asked: Aws, used: Aws },
    /// The directory was used, and what says with which AWS is gone or damaged.
    AwsLost { path: PathBuf, why: String },
    /// The directory was used, and its store is gone or empty.
    StoreLost { store: StoreAt, key: PathBuf },
    /// Replicas that share a store would each have an AWS of their own.
    SharedSimulator { store: StoreAt },
    /// A command runs no replica of its own.
    NeedsServer { store: StoreAt },
    /// The directory is a replica's: a store of its own would know none of its aliases.
    DirectoryOfReplica { dir: DataDir, store: String },
    /// The simulator does not start.
    Simulator(simulator::StartError),
    /// The store cannot be used.
    Store { store: StoreAt, source: StoreError },
    /// The key cannot be used.
    Key { path: PathBuf, why: String, role: Role },
    /// The provider of AWS, or the API, cannot be set up as asked.
    Setup(String),
}

/// A control plane that answers.
#[derive(Debug)]
pub(crate) struct Running {
    endpoint: Endpoint,
    token: Option<String>,
    instance: String,
    aws: Aws,
    // Invariant: dropped in this order. Nobody finds the server before it is stopped, and the lock
    // goes last.
    published: Published,
    parts: Parts,
    lock: Lock,
}

impl Running {
    /// Where it answers.
    pub(crate) fn url(&self) -> String {
        self.endpoint.to_string()
    }

    /// Tells it from any other process on the same port.
    pub(crate) fn instance(&self) -> &str {
        &self.instance
    }

    /// The AWS that it works on.
    pub(crate) fn aws(&self) -> &Aws {
        &self.aws
    }

    /// The engine that drives its operations.
    pub(crate) fn engine(&self) -> Engine {
        self.parts.engine()
    }

    /// A client that may ask it.
    pub(crate) fn client(&self) -> Client {
        Client::new(self.endpoint.clone(), self.token.as_deref().and_then(Token::read))
    }

    /// Ends it: no new call, open calls are answered, leases are let go. What is open stays in the
    /// store and goes on with the next start.
    pub(crate) async fn stop(self) {
        let Self { published, parts, lock, .. } = self;
        drop(published);
        if tokio::time::timeout(STOP_WITHIN, parts.stop()).await.is_err() {
            tracing::warn!(
                "stopped without waiting for an AWS call; the next start checks it again"
            );
        }
        drop(lock);
    }
}

/// Starts a control plane; it answers when this returns.
pub(crate) async fn start(settings: Settings) -> Result<Running, StartError> {
    let listen = settings.listen;
    if !listen.ip().is_loopback() {
        return Err(StartError::NotLoopback { listen });
    }
    refuse_another_store(&settings)?;
    // The address first: where that fails nothing has been written.
    let listener =
        TcpListener::bind(listen).await.map_err(|source| StartError::Listen { listen, source })?;
    let address = listener.local_addr().map_err(|source| StartError::Listen { listen, source })?;
    let instance = Uuid::now_v7().to_string();
    let (parts, Known { token, aws, simulator }) =
        Parts::start(&settings, listener, &instance).await?;
    let file = ServerFile {
        url: format!("http://{address}"),
        pid: std::process::id(),
        instance: instance.clone(),
        base_path: settings.base_path.trim_end_matches('/').to_owned(),
        aws: aws.to_string(),
        role: settings.role,
        simulator,
    };
    let unwritable = |source| StartError::Directory { dir: settings.dir.clone(), source };
    if let Some(token) = &token {
        settings.dir.write_token(token).map_err(unwritable)?;
    }
    if let Some(store) = settings.store.as_ref().filter(|store| store.is_shared()) {
        settings.dir.write_replica_of(&store.to_string()).map_err(unwritable)?;
    }
    let published = file.publish(settings.dir.server()).map_err(unwritable)?;
    let endpoint = file.endpoint().ok_or_else(|| {
        StartError::Setup(format!("{address} with base path `{}` is not a URL", settings.base_path))
    })?;
    Ok(Running { endpoint, token, instance, aws, published, parts, lock: settings.lock })
}

/// A directory that was a replica's has its aliases in the database that replicas share: without that it would
/// begin anew, and make everything a second time.
fn refuse_another_store(settings: &Settings) -> Result<(), StartError> {
    let Settings { dir, store, role, .. } = settings;
    match store.as_ref().filter(|store| store.is_shared()) {
        Some(_) if *role == Role::Serve => Ok(()),
        Some(store) => Err(StartError::NeedsServer { store: store.clone() }),
        None => match dir.read_replica_of() {
            Ok(None) => Ok(()),
            Ok(Some(store)) => Err(StartError::DirectoryOfReplica { dir: dir.clone(), store }),
            Err(source) => Err(StartError::Directory { dir: dir.clone(), source }),
        },
    }
}

/// What a store tells of the AWS that it was used with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum History {
    /// Nothing was ever written through it.
    None,
    /// There were writes, and no reference is left.
    Operations,
    /// It has references, which live in one AWS.
    References,
}

/// The AWS of a directory: the one that was asked for, else the one it was used with, else the one of the
/// environment (`first`), else the simulator. The directory says that (`used`), and where it does not, the store itself (`noted`).
/// While it has references they live in one AWS: in another one every name would stand for something
/// that is missing, and be made again. For the same reason a used directory that does not say which AWS
/// it was used with is not taken for a new one, nor is the word of a directory that the store is not
/// from.
fn aws_of(
    dir: &DataDir,
    asked: Option<&Aws>,
    used: Result<Option<Aws>, AwsFileError>,
    noted: Option<&Aws>,
    history: History,
    first: Option<Aws>,
) -> Result<Aws, StartError> {
    let used = match used {
        Ok(None) => Ok(noted.cloned()),
        used => used,
    };
    let meant = asked.or(used.as_ref().ok().and_then(Option::as_ref));
    let lived_in = noted.or(used.as_ref().ok().and_then(Option::as_ref));
    if let (Some(asked), Some(used), History::References) = (meant, lived_in, history)
        && !asked.is_like(used)
    {
        let (dir, asked, used) = (dir.clone(), asked.clone(), used.clone());
        return Err(StartError::OtherAws { dir, asked, used });
    }
    let lost = |why: String| Err(StartError::AwsLost { path: dir.aws(), why });
    match (asked, used) {
        (Some(asked), _) => Ok(asked.clone()),
        (None, Ok(Some(used))) => Ok(used),
        (None, Ok(None)) if history == History::None => Ok(first.unwrap_or(Aws::Simulator)),
        (None, Ok(None)) => lost("the file is missing, but the store has been used".to_owned()),
        (None, Err(AwsFileError::Damaged)) => {
            lost("it contains neither `simulator`, `real` nor an endpoint".to_owned())
        }
        (None, Err(AwsFileError::Unreadable(error))) => lost(error.to_string()),
    }
}

/// The notice shown when another endpoint is used instead of AWS. It names the simulator's state file only if that
/// file exists: a command that only reads creates none.
pub(crate) fn note_of(dir: &DataDir, aws: &Aws) -> Option<String> {
    match aws {
        Aws::Simulator => {
            let state = dir.simulator();
            let place = state.exists().then(|| format!(" (state in {})", state.display()));
            Some(format!("AWS is the built-in simulator{}", place.unwrap_or_default()))
        }
        Aws::Custom(url) => Some(format!("AWS is {url}")),
        Aws::Real => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_with_references_stays_with_its_aws() {
        let dir = DataDir::new("d");
        let aws = |asked: Option<Aws>, used: Option<Aws>, history| {
            aws_of(&dir, asked.as_ref(), Ok(used), None, history, None)
        };
        let (simulator, real) = (|| Some(Aws::Simulator), || Some(Aws::Real));
        let (none, references) = (History::None, History::References);
        assert_eq!(aws(None, None, none).unwrap(), Aws::Simulator);
        assert_eq!(aws(None, real(), references).unwrap(), Aws::Real);
        assert_eq!(aws(real(), simulator(), none).unwrap(), Aws::Real);
        assert_eq!(aws(real(), simulator(), History::Operations).unwrap(), Aws::Real);
        assert!(matches!(aws(real(), simulator(), references), Err(StartError::OtherAws { .. })));
        let (here, there) = ("http://127.0.0.1:1", "http://127.0.0.1:2");
        let custom = |url: &str| Some(Aws::Custom(url.to_owned()));
        assert_eq!(aws(custom(there), custom(here), references).unwrap().to_string(), there);
    }

    #[test]
    fn a_new_directory_takes_the_endpoint_of_the_environment_and_a_used_one_keeps_its_own() {
        let dir = DataDir::new("d");
        let first = || Some(Aws::Custom("http://127.0.0.1:1".to_owned()));
        let aws = |asked: Option<Aws>, used: Option<Aws>| {
            aws_of(&dir, asked.as_ref(), Ok(used), None, History::None, first()).unwrap()
        };
        assert_eq!(Some(aws(None, None)), first());
        assert_eq!(aws(None, Some(Aws::Simulator)), Aws::Simulator);
        assert_eq!(aws(Some(Aws::Real), None), Aws::Real);
    }

    #[test]
    fn a_used_directory_that_forgot_its_aws_is_not_taken_for_a_new_one() {
        let dir = DataDir::new("d");
        for history in [History::Operations, History::References] {
            let lost = aws_of(&dir, None, Ok(None), None, history, None);
            assert!(matches!(lost, Err(StartError::AwsLost { .. })), "{history:?}");
            let stated = aws_of(&dir, Some(&Aws::Real), Ok(None), None, history, None);
            assert_eq!(stated.unwrap(), Aws::Real);
        }
        let damaged = || Err(AwsFileError::Damaged);
        let refused = aws_of(&dir, None, damaged(), None, History::None, None);
        assert!(matches!(refused, Err(StartError::AwsLost { .. })));
        let stated =
            aws_of(&dir, Some(&Aws::Simulator), damaged(), None, History::References, None);
        assert_eq!(stated.unwrap(), Aws::Simulator);
    }
    #[test]
    fn the_store_says_which_aws_it_is_where_the_directory_does_not_or_is_another_ones() {
        let dir = DataDir::new("d");
        let aws = |asked: Option<Aws>, used: Option<Aws>, history| {
            aws_of(&dir, asked.as_ref(), Ok(used), Some(&Aws::Real), history, None)
        };
        let (simulator, real) = (|| Some(Aws::Simulator), || Some(Aws::Real));
        let references = History::References;
        assert_eq!(aws(None, None, references).unwrap(), Aws::Real);
        for (asked, used) in [(simulator(), None), (simulator(), real()), (None, simulator())] {
            let refused = aws(asked, used, references);
            assert!(matches!(refused, Err(StartError::OtherAws { used: Aws::Real, .. })));
        }
        assert_eq!(aws(real(), simulator(), references).unwrap(), Aws::Real);
        assert_eq!(aws(None, simulator(), History::Operations).unwrap(), Aws::Simulator);
    }
}
