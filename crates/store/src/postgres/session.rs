//! Sessions with the server: how each is set, what is refused, and the pool of them.

use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{
    ClientWrapper, Hook, HookError, Manager, ManagerConfig, Object, Pool, PoolError,
    RecyclingMethod, Runtime, TimeoutType,
};
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::{Client, Config, NoTls};

use super::fault::fault;
use crate::StoreError;

/// How long the server may take to let us in; on a busy machine that takes a while.
const CONNECT_WITHIN: Duration = Duration::from_secs(5);

/// How long one who asks waits for a session that is free.
const WAIT_FOR: Duration = Duration::from_secs(5);

/// The oldest server that tells what has become of a transaction and knows all that we ask for.
const OLDEST: i32 = 13;

// A statement ends, one way or the other, and so does a transaction whose client is gone. Every query of ours
// has an index: a plan that was made while a table was small must not read the whole of it later.
const SETTINGS: &str = "-c statement_timeout=10s -c lock_timeout=5s \
    -c idle_in_transaction_session_timeout=10s -c default_transaction_isolation=read\\ committed \
    -c client_min_messages=warning -c bytea_output=hex -c jit=off \
    -c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_bitmapscan=off \
    -c enable_hashjoin=off -c enable_mergejoin=off";

// What a configuration file says later does not move what a session has set itself.
const CHECK: &str = "SELECT current_setting('server_version_num')::int / 10000 AS version,
    pg_is_in_recovery() AS standby,
    current_setting('default_transaction_read_only') = 'on' AS read_only,
    set_config('synchronous_commit', current_setting('synchronous_commit'), false) AS durable,
    current_setting('fsync') = 'off' AS unsynced,
    current_setting('full_page_writes') = 'off' AS torn";

/// The other end of a session: it does the work of one.
pub(super) type Connection =
    tokio_postgres::Connection<tokio_postgres::Socket, tokio_postgres::tls::NoTlsStream>;

/// Where the database is and who we are there; nothing of it is ever printed but the place.
#[derive(Clone)]
pub(super) struct Address {
    pub(super) config: Config,
    /// For messages.
    pub(super) place: Arc<str>,
}

impl Address {
    /// Reads a URL. What is wrong with it is told without the URL, which may hold a password.
    pub(super) fn parse(url: &str) -> Result<Self, StoreError> {
        let unreadable = |why: &dyn std::fmt::Display| {
            let form = "postgres://USER:PASSWORD@HOST:PORT/DATABASE";
            StoreError::Unavailable(format!(
                "the URL of the database is not valid ({why}); write it as {form}"
            ))
        };
        let mut config: Config = url.parse().map_err(|error: tokio_postgres::Error| {
            let source = std::error::Error::source(&error).map(ToString::to_string);
            unreadable(&source.unwrap_or_default())
        })?;
        if config.get_hosts().is_empty() {
            return Err(unreadable(&"it has no host"));
        }
        if config.get_ssl_mode() == SslMode::Require {
            let why = "the URL requests TLS (sslmode=require), which this version does not \
                       support: remove `sslmode`, and connect to PostgreSQL only over loopback or \
                       a private network";
            return Err(StoreError::Unavailable(why.to_owned()));
        }
        let options = config.get_options().unwrap_or_default().to_owned();
        config
            .options(format!("{options} {SETTINGS}").trim_start())
            .application_name("hangar")
            .ssl_mode(SslMode::Disable)
            .connect_timeout(CONNECT_WITHIN)
            .tcp_user_timeout(Duration::from_secs(10))
            .keepalives(true)
            .keepalives_idle(Duration::from_secs(10))
            .keepalives_interval(Duration::from_secs(5))
            .keepalives_retries(3);
        let place = place(&config).into();
        Ok(Self { config, place })
    }

    /// A session of its own, outside of the pool.
    pub(super) async fn connect(&self) -> Result<(Client, Connection), StoreError> {
        match tokio::time::timeout(CONNECT_WITHIN, self.config.connect(NoTls)).await {
            Ok(Ok(connected)) => Ok(connected),
            Ok(Err(error)) => Err(self.unreachable(&error)),
            Err(_) => Err(self.silent()),
        }
    }

    fn unreachable(&self, error: &tokio_postgres::Error) -> StoreError {
        match fault(error) {
            StoreError::Unavailable(why) => {
                StoreError::Unavailable(format!("cannot connect to {}: {why}", self.place))
            }
            other => other,
        }
    }

    fn silent(&self) -> StoreError {
        let within = CONNECT_WITHIN.as_secs();
        StoreError::Unavailable(format!("{} did not answer within {within} s", self.place))
    }
}

/// Host, port and database, for people.
fn place(config: &Config) -> String {
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(host)) => host.clone(),
        Some(Host::Unix(path)) => path.display().to_string(),
        None => "?".to_owned(),
    };
    let port = config.get_ports().first().copied().unwrap_or(5432);
    let database = config.get_dbname().or(config.get_user()).unwrap_or_default();
    format!("{host}:{port}/{database}")
}

/// The sessions, for those who need one.
#[derive(Clone)]
pub(super) struct Sessions {
    pool: Pool,
    address: Address,
}

impl Sessions {
    pub(super) fn new(address: Address, connections: usize) -> Result<Self, StoreError> {
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let manager = Manager::from_config(address.config.clone(), NoTls, recycling);
        let check = Hook::async_fn(|client: &mut ClientWrapper, _| {
            Box::pin(async move {
                let checked = check(client).await.map_err(HookError::Backend)?;
                checked.refusal.map_or(Ok(()), |why| Err(HookError::message(why)))
            })
        });
        let pool = Pool::builder(manager)
            .max_size(connections.max(2))
            .wait_timeout(Some(WAIT_FOR))
            .create_timeout(Some(CONNECT_WITHIN))
            .recycle_timeout(Some(CONNECT_WITHIN))
            .runtime(Runtime::Tokio1)
            .post_create(check)
            .build()
            .map_err(|error| {
                StoreError::Unavailable(format!("cannot create a pool of sessions: {error}"))
            })?;
        Ok(Self { pool, address })
    }

    /// A session that is free.
    pub(super) async fn get(&self) -> Result<Object, StoreError> {
        self.pool.get().await.map_err(|error| match error {
            PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)) => {
                self.address.unreachable(&error)
            }
            PoolError::PostCreateHook(HookError::Message(why)) => {
                StoreError::Unavailable(why.into_owned())
            }
            PoolError::Timeout(TimeoutType::Wait) => StoreError::Unavailable(format!(
                "all {} sessions with {} are busy",
                self.pool.status().max_size,
                self.address.place
            )),
            PoolError::Timeout(_) => self.address.silent(),
            PoolError::Closed | PoolError::NoRuntimeSpecified => {
                StoreError::Unavailable("the store is closed".to_owned())
            }
        })
    }

    /// A session that was not there when another broke: that one's neighbours may be broken too.
    pub(super) async fn get_fresh(&self) -> Result<Object, StoreError> {
        let now = std::time::Instant::now();
        loop {
            let session = self.get().await?;
            if Object::metrics(&session).created >= now {
                return Ok(session);
            }
            drop(Object::take(session));
        }
    }

    pub(super) fn close(&self) {
        self.pool.close();
    }
}

/// What was found of a session.
#[derive(Default)]
struct Checked {
    /// Why it is not used.
    refusal: Option<String>,
    /// What is not refused, and should be known.
    warnings: Vec<String>,
}

async fn check(client: &tokio_postgres::Client) -> Result<Checked, tokio_postgres::Error> {
    let row = client.query_one(CHECK, &[]).await?;
    let version: i32 = row.try_get("version")?;
    let mut checked = Checked::default();
    if version < OLDEST {
        let why = format!("PostgreSQL {version} is too old: it must be {OLDEST} or newer");
        checked.refusal = Some(why);
    } else if row.try_get("standby")? {
        let why = "the server is a standby, which is read-only: use the primary";
        checked.refusal = Some(why.to_owned());
    } else if row.try_get("read_only")? {
        let why = "`default_transaction_read_only` is on for this database or role: ALTER DATABASE … \
                   (or ROLE …) RESET default_transaction_read_only";
        checked.refusal = Some(why.to_owned());
    } else if row.try_get::<_, &str>("durable")? == "off" {
        let why = "`synchronous_commit` is off for this database or role, so a committed write \
                   could be lost; ALTER DATABASE … (or ROLE …) SET synchronous_commit = on, or \
                   change postgresql.conf";
        checked.refusal = Some(why.to_owned());
    }
    if row.try_get("unsynced")? {
        let why = "`fsync` is off: a crash of the database's machine can lose or damage everything";
        checked.warnings.push(why.to_owned());
    }
    if row.try_get("torn")? {
        let why = "`full_page_writes` is off: a crash of the database's machine can damage rows";
        checked.warnings.push(why.to_owned());
    }
    Ok(checked)
}

/// What is worth knowing about a server that is not refused.
pub(super) async fn warnings(client: &tokio_postgres::Client) -> Result<Vec<String>, StoreError> {
    check(client).await.map(|checked| checked.warnings).map_err(|error| fault(&error))
}
