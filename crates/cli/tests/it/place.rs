//! A data directory of a test's own, and commands on it.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::hangar;

/// A folder to work in; `.hangar` in it is the data directory.
pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn dir(&self) -> PathBuf {
        self.folder.path().join(".hangar")
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.dir().join(name)
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = hangar(arguments);
        command.current_dir(self.folder.path());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// What a command that succeeds prints.
    pub(crate) fn stdout(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {said}");
        String::from_utf8(output.stdout).unwrap()
    }

    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let text = self.stdout(&[arguments, &["-o", "json"]].concat());
        serde_json::from_str(&text).unwrap()
    }

    /// Puts a VPC and gives what is printed.
    pub(crate) fn put(&self, alias: &str, more: &[&str]) -> String {
        self.stdout(&put(alias, more))
    }
}

/// The arguments that put a VPC.
pub(crate) fn put<'a>(alias: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let put = ["resource", "put", "AWS.EC2/VPC", "--alias", alias];
    let properties = ["--properties", "CidrBlock=10.0.0.0/16"];
    [&put[..], &properties, more].concat()
}

/// A command that runs until something is seen of it.
pub(crate) struct Running {
    pub(crate) child: Child,
    stderr: BufReader<std::process::ChildStderr>,
    said: String,
}

impl Running {
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        Self { child, stderr, said: String::new() }
    }

    /// Waits until a line on stderr holds this.
    pub(crate) fn until(&mut self, what: &str) {
        while !self.said.contains(what) {
            let read = self.stderr.read_line(&mut self.said).unwrap();
            assert!(read > 0, "it ended without `{what}`:\n{}", self.said);
        }
    }

    pub(crate) fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
    }

    /// Waits for its end; gives its exit code and all that it said on stderr.
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let mut rest = String::new();
        self.stderr.read_to_string(&mut rest).unwrap();
        let status = self.child.wait().unwrap();
        (status.code(), format!("{}{rest}", self.said))
    }
}
