//! Where recipes are tried: a data directory of a test's own, the real Terraform, and what either leaves behind.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use super::rig::Binary;
use crate::place::{Place, Running};
use crate::serving::Server;

/// A module of two resources, one after the other, which tells in a file what it makes and takes its time.
pub(crate) const SLOW: &str = r#"
variable "file" { type = string }
variable "seconds" {
  type    = number
  default = 0
}
variable "secret" {
  type      = string
  default   = ""
  sensitive = true
}
resource "terraform_data" "first" {
  input = var.secret
  provisioner "local-exec" { command = "echo first >> ${var.file}; exec sleep ${var.seconds}" }
}
resource "terraform_data" "second" {
  depends_on = [terraform_data.first]
  provisioner "local-exec" { command = "echo second >> ${var.file}" }
}
"#;

pub(crate) struct Kitchen {
    place: Place,
    binary: Binary,
}

impl Kitchen {
    /// One with a binary; where there is none, the test is told to be skipped.
    pub(crate) fn open(test: &str) -> Option<Self> {
        Some(Self::with(Binary::find_or_skip(test)?))
    }

    pub(crate) fn with(binary: Binary) -> Self {
        Self { place: Place::new(), binary }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    /// Writes a module into a folder of this name.
    pub(crate) fn module(&self, name: &str, main: &str) {
        fs::create_dir(self.path(name)).unwrap();
        fs::write(self.path(name).join("main.tf"), main).unwrap();
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.place.command(arguments);
        command.env("HANGAR_TERRAFORM", &self.binary.path).env("HOME", self.place.path());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    pub(crate) fn start(&self, arguments: &[&str]) -> Running {
        Running::start(&mut self.command(arguments))
    }

    /// What a command that succeeds prints.
    pub(crate) fn stdout(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let stdout = String::from_utf8(output.stdout).unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}:\n{stdout}{said}");
        stdout
    }

    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.stdout(&[arguments, &["-o", "json"]].concat())).unwrap()
    }

    pub(crate) fn serve(&self, arguments: &[&str]) -> Serving<'_> {
        self.serve_at("127.0.0.1:0", arguments)
    }

    pub(crate) fn serve_at(&self, address: &str, arguments: &[&str]) -> Serving<'_> {
        let listen = ["serve", "--listen", address, "-o", "json"];
        let command = self.command(&[&listen[..], arguments].concat());
        Serving { server: Server::of(&self.place, command), kitchen: self }
    }

    /// Where runs have their directories.
    pub(crate) fn runs(&self) -> PathBuf {
        self.place.file("recipes")
    }

    /// What is in there beside what every start makes.
    pub(crate) fn left_behind(&self) -> Vec<String> {
        let entries = fs::read_dir(self.runs()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name != "host" && name != "providers").collect()
    }

    /// Every file of the test's folder.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let mut folders = vec![self.place.path().to_owned()];
        let mut files = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() { &mut folders } else { &mut files }.push(path);
            }
        }
        files
    }
}

/// A server on a kitchen's directory, until it is dropped.
pub(crate) struct Serving<'a> {
    server: Server,
    kitchen: &'a Kitchen,
}

impl Serving<'_> {
    pub(crate) fn url(&self) -> &str {
        self.server.url()
    }

    pub(crate) fn address(&self) -> &str {
        self.server.address()
    }

    /// Ends it as a person does.
    pub(crate) fn stop(&mut self) {
        self.server.signal("-TERM");
        assert_eq!(self.server.end().0, Some(0));
    }

    /// Ends it with nothing done.
    pub(crate) fn kill(&mut self) {
        self.server.signal("-KILL");
        self.server.end();
    }

    /// Asks as a stranger with the token does; gives the status.
    pub(crate) fn ask(&self, method: &str, path: &str, body: &Value) -> u16 {
        let token = fs::read_to_string(self.kitchen.place.file("token")).unwrap();
        let mut stream = TcpStream::connect(self.address()).unwrap();
        let body = body.to_string();
        let request = format!(
            "{method} /apis/api.ucp.dev/v1alpha3{path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\
             authorization: Bearer {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            self.address(),
            token.trim(),
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap()
    }
}

pub(crate) fn lines(file: &Path) -> Vec<String> {
    fs::read_to_string(file).unwrap().lines().map(str::to_owned).collect()
}

/// The processes, as folders of `/proc`, that work in a folder or below it.
pub(crate) fn processes_below(folder: &Path) -> Vec<PathBuf> {
    let folder = folder.canonicalize().unwrap();
    let entries = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let works_below = |process: &PathBuf| {
        fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd.starts_with(&folder))
    };
    entries.map(|entry| entry.path()).filter(works_below).collect()
}
