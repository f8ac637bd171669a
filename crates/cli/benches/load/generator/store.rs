//! The stores that a server is measured on: where their files are, and how a server is told of them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use super::options::{Options, StoreKind};
use super::server::Server;

/// One kind of store, for one run.
#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) kind: StoreKind,
    /// What is kept from run to run.
    folder: PathBuf,
    log_level: String,
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
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keep {
    ForTheNextRun,
    ForThisMeasurement,
}

impl Store {
    pub(crate) async fn open(kind: StoreKind, options: &Options) -> Result<Self> {
        if kind == StoreKind::Postgres {
            bail!("hangar serve has no PostgreSQL yet; measure with --store sqlite");
        }
        let folder = Options::rooted(&options.folder).join(format!(
            "{}-{}",
            kind.name(),
            options.references
        ));
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let folder = folder.canonicalize().context("no path to the folder")?;
        Ok(Self { kind, folder, log_level: options.log_level.clone() })
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
        let database = Database::File(dir.join("hangar.db"));
        Place { dir, database, log_level: self.log_level.clone(), keep: Keep::ForTheNextRun }
    }

    /// Forgets the filled place.
    pub(crate) async fn clear(&mut self) -> Result<()> {
        remove(&self.folder.join("filled"))?;
        fs::create_dir_all(self.folder.join("filled")).context("cannot make a folder")
    }

    /// A copy of the filled place, to be changed and thrown away.
    pub(crate) async fn copy(&self) -> Result<Place> {
        let place = self.scratch("copy")?;
        for entry in fs::read_dir(self.folder.join("filled")).context("nothing was filled")? {
            let entry = entry.context("cannot read a folder")?;
            if entry.path().extension().is_none_or(|it| it != "log") {
                fs::copy(entry.path(), place.dir.join(entry.file_name()))
                    .with_context(|| format!("cannot copy {}", entry.path().display()))?;
            }
        }
        Ok(place)
    }

    /// A place with nothing in it.
    pub(crate) async fn empty(&self) -> Result<Place> {
        self.scratch("empty")
    }

    fn scratch(&self, name: &str) -> Result<Place> {
        let dir = self.folder.join(name);
        remove(&dir)?;
        fs::create_dir_all(&dir).context("cannot make a folder")?;
        let database = Database::File(dir.join("hangar.db"));
        let (log_level, keep) = (self.log_level.clone(), Keep::ForThisMeasurement);
        Ok(Place { dir, database, log_level, keep })
    }

    /// Ends what was started for it.
    pub(crate) async fn close(self) -> Result<()> {
        Ok(())
    }
}

impl Place {
    pub(crate) fn log(&self) -> PathBuf {
        self.dir.join("server.log")
    }

    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    /// The arguments of a server on this place.
    pub(crate) fn arguments(&self, aws: &str, more: &[&str]) -> Vec<String> {
        let Database::File(path) = &self.database;
        let (dir, store) = (self.dir.display().to_string(), format!("sqlite:{}", path.display()));
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
