//! A copy of what the commands of docs/references.md work on, with a stack in a simulator, and a shell in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::hangar;

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A folder like the repository's, as far as the page goes; `bin` in it comes first on the path.
pub(crate) struct Bench {
    folder: TempDir,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let bench = Self { folder: tempfile::tempdir().unwrap() };
        for part in ["examples/references", "integrations"] {
            copy(&Path::new(REPOSITORY).join(part), &bench.path(part));
        }
        std::fs::create_dir(bench.path("bin")).unwrap();
        bench.put_on_path("hangar", Path::new(env!("CARGO_BIN_EXE_hangar")));
        let plugin = bench.path("integrations/kubectl/kubectl-hangar");
        bench.put_on_path("kubectl-hangar", &plugin);
        bench
    }

    /// With the bucket and the queue of the examples deployed.
    pub(crate) fn deployed() -> Self {
        let bench = Self::new();
        let template = "examples/references/stack.template.json";
        let deploy =
            ["simulator", "deploy", template, "--stack", "Storage", "--data-dir", ".hangar"];
        let output = hangar(&deploy).current_dir(bench.folder.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        bench
    }

    pub(crate) fn path(&self, part: &str) -> PathBuf {
        self.folder.path().join(part)
    }

    pub(crate) fn write(&self, part: &str, text: &str) {
        let path = self.path(part);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub(crate) fn put_on_path(&self, name: &str, program: &Path) {
        std::os::unix::fs::symlink(program, self.path("bin").join(name)).unwrap();
    }

    /// A program of a test's own on the path.
    pub(crate) fn script(&self, name: &str, text: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        let path = self.path("bin").join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// A command in this folder, without what the machine configures for the tools.
    pub(crate) fn command(&self, program: &str) -> Command {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let paths = std::iter::once(self.path("bin")).chain(std::env::split_paths(&path));
        let path = std::env::join_paths(paths).unwrap();
        let mut command = Command::new(program);
        command
            .current_dir(self.folder.path())
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.folder.path())
            .env("HANGAR_DATA_DIR", self.path(".hangar"))
            .env("KUBECONFIG", self.path("kubeconfig"))
            .env("CHECKPOINT_DISABLE", "1")
            .env("TF_CLI_CONFIG_FILE", "/dev/null")
            .stdin(Stdio::null());
        // The version managers of a machine find their programs by their own variables.
        for name in ["PYENV_ROOT", "PYENV_VERSION"] {
            command.envs(std::env::var_os(name).map(|value| (name, value)));
        }
        command
    }

    pub(crate) fn sh(&self, script: &str) -> Output {
        self.command("sh").args(["-c", script]).output().unwrap()
    }

    /// The value that the stack has for the bucket.
    pub(crate) fn bucket(&self) -> String {
        let output = self.sh("echo 'b: ${cfn:Storage/Bucket}' | hangar resolve");
        let text = String::from_utf8(output.stdout).unwrap();
        text.trim().strip_prefix("b: ").unwrap().to_owned()
    }
}

/// What another tool says, in text.
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Said {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Self {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

/// A tool that may be on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    Kubectl,
    Helm3,
    Helm4,
    Kustomize,
    Python,
}

impl Tool {
    /// The name that commands call it by.
    fn name(self) -> &'static str {
        match self {
            Self::Kubectl => "kubectl",
            Self::Helm3 | Self::Helm4 => "helm",
            Self::Kustomize => "kustomize",
            Self::Python => "python3",
        }
    }

    /// The names that it may have, and what its version begins with.
    fn known_by(self) -> (&'static [&'static str], &'static [&'static str], &'static str) {
        match self {
            Self::Kubectl => (&["kubectl"], &["version", "--client"], "Client Version: "),
            Self::Helm3 => (&["helm", "helm3"], &["version", "--short"], "v3."),
            Self::Helm4 => (&["helm", "helm4"], &["version", "--short"], "v4."),
            Self::Kustomize => (&["kustomize"], &["version"], "v5."),
            Self::Python => (&["python3"], &["--version"], "Python 3."),
        }
    }

    /// Puts the tool into a bench; where there is none, the test is told to be skipped.
    pub(crate) fn put_into(self, bench: &Bench, test: &str) -> bool {
        let (names, ask, answer) = self.known_by();
        for name in names {
            let found = format!("command -v {name}");
            let found = Said::from(bench.sh(&found)).stdout;
            let Some(path) = Some(found.trim()).filter(|path| path.starts_with('/')) else {
                continue;
            };
            let Ok(told) = bench.command(path).args(ask).output() else { continue };
            if !Said::from(told).stdout.starts_with(answer) {
                continue;
            }
            if *name != self.name() {
                bench.put_on_path(self.name(), Path::new(path));
            }
            return true;
        }
        println!("skipped: {test} (no {} on the PATH)", names.join(" or "));
        false
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
