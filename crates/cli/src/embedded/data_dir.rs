//! The names of what a data directory holds, and how the directory is made.

use std::fmt;
use std::fs::{self, DirBuilder};
use std::io::{self, ErrorKind};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use super::private;
use crate::aws::Aws;
use crate::client::token::Token;

const IGNORE_ALL: &str = "*\n";

/// Why the AWS of a directory cannot be told.
#[derive(Debug)]
pub(crate) enum AwsFileError {
    /// The file cannot be read.
    Unreadable(io::Error),
    /// It names no AWS.
    Damaged,
}

/// A directory with all that a control plane keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DataDir(PathBuf);

impl DataDir {
    pub(crate) fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// Held by the process that runs the control plane.
    pub(crate) fn lock(&self) -> PathBuf {
        self.0.join("lock")
    }

    /// Where that process answers.
    pub(crate) fn server(&self) -> PathBuf {
        self.0.join("server.json")
    }

    /// What it asks its callers for.
    pub(crate) fn token(&self) -> PathBuf {
        self.0.join("token")
    }

    /// The root key, unless another file is named.
    pub(crate) fn key(&self) -> PathBuf {
        self.0.join("key")
    }

    /// The store, unless another file is named.
    pub(crate) fn store(&self) -> PathBuf {
        self.0.join("hangar.db")
    }

    /// The built-in simulator's state.
    pub(crate) fn simulator(&self) -> PathBuf {
        self.0.join("simulator.db")
    }

    /// Where runs of recipes have their directories.
    pub(crate) fn recipes(&self) -> PathBuf {
        self.0.join("recipes")
    }

    /// Which AWS its references live in.
    pub(crate) fn aws(&self) -> PathBuf {
        self.0.join("aws")
    }

    /// Which store that replicas share it was served with.
    fn replica_of(&self) -> PathBuf {
        self.0.join("replica-of")
    }

    /// The store that replicas share, where the directory is one's.
    pub(crate) fn read_replica_of(&self) -> io::Result<Option<String>> {
        match fs::read_to_string(self.replica_of()) {
            Ok(text) => Ok(Some(text.trim().to_owned())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Remembers that the directory is a replica's.
    pub(crate) fn write_replica_of(&self, store: &str) -> io::Result<()> {
        private::write(&self.replica_of(), format!("{store}\n").as_bytes())
    }

    /// Whether a control plane has run on it: each of these is written after the store has its key.
    pub(crate) fn was_used(&self) -> bool {
        [self.token(), self.aws(), self.simulator()].iter().any(|path| path.exists())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Makes the directory where there is none, for its owner only: it holds a key and a token.
    pub(crate) fn make(&self) -> io::Result<()> {
        if self.0.is_dir() {
            self.keep_out_of_repositories();
            return Ok(());
        }
        if let Some(parent) = self.0.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            fs::create_dir_all(parent)?;
        }
        match DirBuilder::new().mode(0o700).create(&self.0) {
            // Another process was quicker.
            Err(error) if error.kind() == ErrorKind::AlreadyExists && self.0.is_dir() => Ok(()),
            made => made.and_then(|()| fs::write(self.0.join(".gitignore"), IGNORE_ALL)),
        }
    }

    /// It often lies in a repository, where a key must not be committed. One of another name may hold
    /// files of others, and is left as it is.
    fn keep_out_of_repositories(&self) {
        let ignored = self.0.join(".gitignore");
        let is_named_so = self.0.file_name().is_some_and(|name| name == ".hangar");
        let is_ours = || [self.key(), self.store(), self.lock()].iter().any(|path| path.exists());
        if is_named_so && !ignored.exists() && is_ours() {
            // A directory that cannot be written is found out by whoever has to write to it.
            let _ = fs::write(ignored, IGNORE_ALL);
        }
    }

    /// The token, if there is one.
    pub(crate) fn read_token(&self) -> io::Result<Option<Token>> {
        match fs::read_to_string(self.token()) {
            Ok(text) => Ok(Token::read(&text)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Leaves the token for callers, for the directory's owner only.
    pub(crate) fn write_token(&self, token: &str) -> io::Result<()> {
        private::write(&self.token(), format!("{token}\n").as_bytes())
    }

    /// The AWS that the directory's references live in, once it is known.
    pub(crate) fn read_aws(&self) -> Result<Option<Aws>, AwsFileError> {
        match fs::read_to_string(self.aws()) {
            Ok(text) => text.trim().parse().map(Some).map_err(|_| AwsFileError::Damaged),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) if error.kind() == ErrorKind::InvalidData => Err(AwsFileError::Damaged),
            Err(error) => Err(AwsFileError::Unreadable(error)),
        }
    }

    /// Remembers the AWS that the directory's references live in.
    pub(crate) fn write_aws(&self, aws: &Aws) -> io::Result<()> {
        private::write(&self.aws(), format!("{aws}\n").as_bytes())
    }
}

impl fmt::Display for DataDir {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.display().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_made_directory_is_its_owners_and_out_of_repositories() {
        let folder = tempfile::tempdir().unwrap();
        let dir = DataDir::new(folder.path().join("a/b"));
        dir.make().unwrap();
        dir.make().unwrap();
        assert_eq!(mode(dir.path()), 0o700);
        assert_eq!(fs::read_to_string(dir.path().join(".gitignore")).unwrap(), "*\n");
    }

    #[test]
    fn a_directory_that_was_there_is_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        DataDir::new(folder.path()).make().unwrap();
        assert!(!folder.path().join(".gitignore").exists());
    }

    #[test]
    fn a_dot_hangar_with_our_files_is_kept_out_of_repositories_later_too() {
        let folder = tempfile::tempdir().unwrap();
        let dir = DataDir::new(folder.path().join(".hangar"));
        fs::create_dir(dir.path()).unwrap();
        dir.make().unwrap();
        assert!(!dir.path().join(".gitignore").exists());
        fs::write(dir.key(), "k").unwrap();
        dir.make().unwrap();
        assert_eq!(fs::read_to_string(dir.path().join(".gitignore")).unwrap(), "*\n");
        fs::write(dir.path().join(".gitignore"), "key\n").unwrap();
        dir.make().unwrap();
        assert_eq!(fs::read_to_string(dir.path().join(".gitignore")).unwrap(), "key\n");
    }

    #[test]
    fn a_token_is_its_owners() {
        let folder = tempfile::tempdir().unwrap();
        let dir = DataDir::new(folder.path());
        assert_eq!(dir.read_token().unwrap(), None);
        dir.write_token("secret").unwrap();
        assert_eq!(mode(&dir.token()), 0o600);
        assert_eq!(dir.read_token().unwrap(), Token::read("secret"));
    }

    #[test]
    fn the_aws_of_a_directory_is_remembered() {
        let folder = tempfile::tempdir().unwrap();
        let dir = DataDir::new(folder.path());
        assert_eq!(dir.read_aws().unwrap(), None);
        for aws in [Aws::Simulator, Aws::Custom("http://127.0.0.1:4566".to_owned())] {
            dir.write_aws(&aws).unwrap();
            assert_eq!(dir.read_aws().unwrap(), Some(aws));
        }
        for damaged in [&b""[..], b"reel", b"\xff"] {
            fs::write(dir.aws(), damaged).unwrap();
            assert!(matches!(dir.read_aws(), Err(AwsFileError::Damaged)), "{damaged:?}");
        }
    }
}
