//! A PostgreSQL server of one's own, for the conformance suite, tests and load runs.
//!
//! It lives in a temporary directory, listens on loopback without a password, and never outlives its
//! process: a guardian (`guardian`) stops it and removes the directory when that is gone, however it
//! went. Everything here blocks.

mod guardian;
mod programs;

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use guardian::Guardian;
use programs::Programs;

/// Who owns every database of it; no password is asked for.
const USER: &str = "hangar";

/// Below the ports that the system gives to connections that go out: a port stays free while the server
/// is stopped.
const PORTS: std::ops::Range<u16> = 20_000..32_000;

/// How many ports are tried: another may take one between the look and the start.
const TRIES: u32 = 20;

/// How a server is set.
#[derive(Debug, Clone, Default)]
pub struct ClusterOptions {
    /// Whether what is committed is on disk when it is answered. Without it a crash of this machine
    /// loses it, a crash of the server does not.
    pub durable: bool,
    /// Settings of `postgresql.conf`, by name and value.
    pub settings: Vec<(String, String)>,
}

/// How a server is asked to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// When its clients have gone.
    Smart,
    /// At once, with what runs undone.
    Fast,
    /// As a crash would: the next start recovers.
    Immediate,
    /// By `kill -9` of the process that all others belong to.
    Kill,
}

impl Stop {
    /// What it is called by `pg_ctl`, which does not kill.
    fn word(self) -> Option<&'static str> {
        match self {
            Self::Smart => Some("smart"),
            Self::Fast => Some("fast"),
            Self::Immediate => Some("immediate"),
            Self::Kill => None,
        }
    }
}

/// Why there is no server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClusterError {
    /// PostgreSQL is not installed.
    #[error(
        "`{0}` is neither on the path nor under /usr/lib/postgresql: `cargo xtask setup` installs PostgreSQL"
    )]
    Missing(&'static str),
    /// PostgreSQL refuses to run as root, and nobody else can be found to run it.
    #[error(
        "PostgreSQL does not run as root, and there is neither a user `postgres` nor `nobody`, or neither \
         `setpriv` nor `runuser` to become one"
    )]
    OnlyRoot,
    /// A program of PostgreSQL failed.
    #[error("cannot {doing} PostgreSQL: {why}")]
    Failed {
        /// What was being done.
        doing: &'static str,
        /// What it said.
        why: String,
    },
}

/// A server. Dropping it stops it and removes all that it wrote.
#[derive(Debug)]
pub struct Cluster {
    directory: PathBuf,
    port: u16,
    databases: AtomicU32,
    guardian: Mutex<Guardian>,
}

impl Cluster {
    /// Makes and starts one.
    pub fn start(options: ClusterOptions) -> Result<Self, ClusterError> {
        let programs = Programs::find()?;
        let directory = make_directory().map_err(|error| failed("make a directory for", error))?;
        let mut guardian = Guardian::start(&directory, &programs)?;
        guardian.init(USER)?;
        configure(&directory, options).map_err(|error| failed("configure", error))?;
        let mut tried = 0;
        let port = loop {
            let port = free_port(tried).map_err(|error| failed("find a port for", error))?;
            match guardian.start_server(port) {
                Ok(()) => break port,
                Err(error) if tried == TRIES || !is_taken(&error) => return Err(error),
                Err(_) => tried += 1,
            }
        };
        let (databases, guardian) = (AtomicU32::new(0), Mutex::new(guardian));
        Ok(Self { directory, port, databases, guardian })
    }

    /// The one of this process, for tests that do not stop it; quick rather than durable.
    pub fn shared() -> Result<&'static Self, ClusterError> {
        static SHARED: OnceLock<Result<Cluster, ClusterError>> = OnceLock::new();
        SHARED.get_or_init(|| Self::start(ClusterOptions::default())).as_ref().map_err(Clone::clone)
    }

    /// The URL of a database of it.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://{USER}@127.0.0.1:{}/{database}", self.port)
    }

    /// The port that it listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Makes an empty database; gives its URL.
    pub fn create_database(&self) -> Result<String, ClusterError> {
        let number = self.databases.fetch_add(1, Ordering::Relaxed);
        let name = format!("store_{number}");
        self.run(&format!("CREATE DATABASE {name} TEMPLATE template0"))?;
        Ok(self.url(&name))
    }

    /// Runs a statement as the owner of everything, outside of the databases of stores.
    pub fn run(&self, sql: &str) -> Result<(), ClusterError> {
        self.run_in("postgres", sql)
    }

    /// The same in one of the databases.
    pub fn run_in(&self, database: &str, sql: &str) -> Result<(), ClusterError> {
        let (url, sql) = (self.url(database), sql.to_owned());
        // A thread of its own: the caller may or may not be within a runtime.
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .map_err(|error| failed("ask", error))?;
            runtime.block_on(async move {
                let connected = tokio_postgres::connect(&url, tokio_postgres::NoTls).await;
                let (client, connection) = connected.map_err(|error| failed("ask", error))?;
                let asked = async { client.batch_execute(&sql).await };
                tokio::select! {
                    answer = asked => answer.map_err(|error| failed("ask", super::fault::fault(&error))),
                    ended = connection => Err(failed("ask", format!("{ended:?}"))),
                }
            })
        });
        thread.join().unwrap_or_else(|_| Err(failed("ask", "the thread that asked panicked")))
    }

    /// Stops it; what it holds stays.
    pub fn stop(&self, mode: Stop) -> Result<(), ClusterError> {
        match mode.word() {
            Some(word) => self.guardian().stop_server(word),
            None => self.guardian().kill_server(),
        }
    }

    /// Starts it after a stop, on the same port.
    pub fn start_again(&self) -> Result<(), ClusterError> {
        self.guardian().start_server(self.port)
    }

    /// Stops it and starts it, on the same port.
    pub fn restart(&self, mode: Stop) -> Result<(), ClusterError> {
        self.stop(mode)?;
        self.start_again()
    }

    /// Where its files are.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    fn guardian(&self) -> std::sync::MutexGuard<'_, Guardian> {
        // It is asked and it answers, whole: one that panicked in between has ended its test.
        self.guardian.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn failed(doing: &'static str, why: impl std::fmt::Display) -> ClusterError {
    ClusterError::Failed { doing, why: why.to_string() }
}

fn is_taken(error: &ClusterError) -> bool {
    matches!(error, ClusterError::Failed { why, .. } if why.contains("Address already in use"))
}

/// A directory that nobody had before.
fn make_directory() -> io::Result<PathBuf> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("hangar-postgres-{}-{}-{number}", std::process::id(), since.as_micros());
    let directory = std::env::temp_dir().join(name);
    fs::create_dir(&directory)?;
    Ok(directory)
}

fn configure(directory: &Path, options: ClusterOptions) -> io::Result<()> {
    let onoff = if options.durable { "on" } else { "off" };
    let sockets = directory.display().to_string();
    let defaults = [
        ("listen_addresses", "127.0.0.1"),
        ("unix_socket_directories", sockets.as_str()),
        ("max_connections", "200"),
        ("fsync", onoff),
        ("log_min_messages", "warning"),
        ("lc_messages", "C"),
    ];
    let defaults = defaults.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let path = directory.join(guardian::DATA).join("postgresql.conf");
    let mut file = OpenOptions::new().append(true).open(path)?;
    for (name, value) in defaults.into_iter().chain(options.settings) {
        writeln!(file, "{name} = '{}'", value.replace('\'', "''"))?;
    }
    Ok(())
}

/// A port on which nobody listens; another one for each try.
fn free_port(tried: u32) -> io::Result<u16> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let seed = std::process::id().wrapping_mul(7919) ^ since.subsec_nanos().wrapping_add(tried);
    let span = u32::from(PORTS.end - PORTS.start);
    let mut last = io::Error::from(io::ErrorKind::AddrInUse);
    for step in 0..span {
        let offset = seed.wrapping_add(step) % span;
        let port = PORTS.start + u16::try_from(offset).unwrap_or_default();
        match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
            Ok(_) => return Ok(port),
            Err(error) => last = error,
        }
    }
    Err(last)
}
