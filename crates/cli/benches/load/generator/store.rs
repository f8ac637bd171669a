//! The stores that a server is measured on: where their files are, and how a server is told of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context as _, Result};
use hangar_simulation::history::History;
use hangar_simulation::history::collect::from_store;
use hangar_store::postgres;
use hangar_store::postgres::cluster::{Cluster, ClusterOptions};
use hangar_store::sqlite::Sqlite;

use super::options::{Options, StoreKind};
use super::server::Server;

/// One kind of store, for one run.
#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) kind: StoreKind,
    /// What is kept from run to run.
    folder: PathBuf,
    log_level: String,
    server: Option<Postgres>,
}

/// A PostgreSQL server of this run; what it holds goes with it.
#[derive(Debug)]
struct Postgres {
    cluster: Cluster,
    /// The database with all the references, by name.
    filled: String,
    made: AtomicU32,
}

/// A data directory and the database that goes with it.
#[derive(Debug)]
pub(crate) struct Place {
    dir: PathBuf,
    pub(crate) database: Database,
    log_level: String,
    keep: Keep,
}

/// Where the rows are.
#[derive(Debug, Clone)]
pub(crate) enum Database {
    File(PathBuf),
    Url(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keep {
    ForTheNextRun,
    ForThisMeasurement,
}

impl Store {
    pub(crate) fn open(kind: StoreKind, options: &Options) -> Result<Self> {
        let folder = Options::rooted(&options.folder).join(format!(
            "{}-{}",
            kind.name(),
            options.references
        ));
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let folder = folder.canonicalize().context("no path to the folder")?;
        let server = match kind {
            StoreKind::Sqlite => None,
            StoreKind::Postgres => Some(Postgres::start()?),
        };
        Ok(Self { kind, folder, log_level: options.log_level.clone(), server })
    }

    /// Whether what was filled is there in the next run.
    pub(crate) fn is_kept(&self) -> bool {
        self.server.is_none()
    }

    pub(crate) fn name(&self) -> &'static str {
        self.kind.name()
    }

    /// A file that is kept from run to run.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The place with all the references; nothing that is measured there may change it.
    pub(crate) fn filled(&self) -> Place {
        let dir = self.folder.join("filled");
        let database = match &self.server {
            None => Database::File(dir.join("hangar.db")),
            Some(server) => Database::Url(server.cluster.url(&server.filled)),
        };
        Place { dir, database, log_level: self.log_level.clone(), keep: Keep::ForTheNextRun }
    }

    /// Forgets the filled place.
    pub(crate) fn clear(&mut self) -> Result<()> {
        remove(&self.folder.join("filled"))?;
        fs::create_dir_all(self.folder.join("filled")).context("cannot make a folder")?;
        match &mut self.server {
            None => Ok(()),
            Some(server) => {
                server.filled = server.create("template0")?;
                Ok(())
            }
        }
    }

    /// A copy of the filled place, to be changed and thrown away. Nobody else may be connected to it.
    pub(crate) fn copy(&self) -> Result<Place> {
        let place = self.scratch("copy", self.server.as_ref().map(|it| it.filled.as_str()))?;
        if let (Some(server), Database::Url(url)) = (&self.server, &place.database) {
            // Each measurement has an AWS of its own.
            let name = url.rsplit('/').next().unwrap_or_default();
            let forget = "DELETE FROM note WHERE name = 'aws'";
            server.cluster.run_in(name, forget).context("cannot prepare a copy")?;
        }
        for entry in fs::read_dir(self.folder.join("filled")).context("nothing was filled")? {
            let entry = entry.context("cannot read a folder")?;
            // What recipes keep there is made anew.
            let is_log = entry.path().extension().is_some_and(|it| it == "log");
            if !is_log && !entry.path().is_dir() {
                fs::copy(entry.path(), place.dir.join(entry.file_name()))
                    .with_context(|| format!("cannot copy {}", entry.path().display()))?;
            }
        }
        Ok(place)
    }

    /// A place with nothing in it.
    pub(crate) fn empty(&self) -> Result<Place> {
        self.scratch("empty", self.server.as_ref().map(|_| "template0"))
    }

    fn scratch(&self, name: &str, template: Option<&str>) -> Result<Place> {
        let dir = self.folder.join(name);
        remove(&dir)?;
        fs::create_dir_all(&dir).context("cannot make a folder")?;
        let database = match (&self.server, template) {
            (Some(server), Some(template)) => {
                Database::Url(server.cluster.url(&server.create(template)?))
            }
            _ => Database::File(dir.join("hangar.db")),
        };
        let (log_level, keep) = (self.log_level.clone(), Keep::ForThisMeasurement);
        Ok(Place { dir, database, log_level, keep })
    }
}

impl Postgres {
    /// Durable, as a database of a control plane is; all else as PostgreSQL is installed.
    fn start() -> Result<Self> {
        let options = ClusterOptions { durable: true, ..ClusterOptions::default() };
        let cluster = Cluster::start(options).context("no PostgreSQL to measure on")?;
        Ok(Self { cluster, filled: String::new(), made: AtomicU32::new(0) })
    }

    /// Makes a database from another; gives its name.
    fn create(&self, template: &str) -> Result<String> {
        let name = format!("load_{}", self.made.fetch_add(1, Ordering::Relaxed));
        let sql = format!("CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy");
        // The sessions of a server that was killed end a little later than it.
        let alone = format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{template}'"
        );
        self.cluster.run(&alone).context("cannot end the sessions of a database")?;
        self.cluster.run(&sql).context("cannot make a database")?;
        Ok(name)
    }
}

impl Place {
    /// All that the store tells, for a check of it; no server may use a file any more.
    pub(crate) async fn history(&self) -> Result<History> {
        let history = match &self.database {
            Database::File(path) => from_store(&Sqlite::open(path)?).await,
            Database::Url(url) => {
                from_store(&postgres::Postgres::connect(url, postgres::Options::default()).await?)
                    .await
            }
        };
        history.context("the store cannot be read")
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.dir.join("server.log")
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// The place of another server on the same database; nothing where there can be only one.
    pub(crate) fn replica(&self) -> Result<Option<Self>> {
        if matches!(self.database, Database::File(_)) {
            return Ok(None);
        }
        let dir = self.dir.join("replica");
        fs::create_dir_all(&dir).context("cannot make a folder")?;
        fs::copy(self.dir.join("key"), dir.join("key")).context("cannot copy the key")?;
        let (database, log_level) = (self.database.clone(), self.log_level.clone());
        Ok(Some(Self { dir, database, log_level, keep: Keep::ForThisMeasurement }))
    }

    /// The arguments of a server on this place.
    pub(crate) fn arguments(&self, aws: &str, more: &[&str]) -> Vec<String> {
        let store = match &self.database {
            Database::File(path) => format!("sqlite:{}", path.display()),
            Database::Url(url) => url.clone(),
        };
        let dir = self.dir.display().to_string();
        let mut all = vec!["--data-dir", &dir, "--store", &store, "--aws", aws];
        all.extend(["--log-level", self.log_level.as_str()]);
        all.extend(more);
        all.into_iter().map(str::to_owned).collect()
    }

    /// Starts a server on it, with an empty log.
    pub(crate) fn serve(&self, aws: &str, more: &[&str]) -> Result<Server> {
        fs::write(self.log(), "").context("cannot write a log")?;
        self.serve_at("127.0.0.1:0", aws, more)
    }

    /// Starts a server on it where callers expect one.
    pub(crate) fn serve_at(&self, listen: &str, aws: &str, more: &[&str]) -> Result<Server> {
        Server::start(&self.arguments(aws, more), listen, &self.log())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.keep == Keep::ForThisMeasurement {
            // A folder that stays is removed by the next run.
            let _ = remove(&self.dir);
        }
    }
}

fn remove(dir: &Path) -> Result<()> {
    match fs::remove_dir_all(dir) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", dir.display()))
        }
        _ => Ok(()),
    }
}
