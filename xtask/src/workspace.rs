//! Where the repository is, how cargo is called in it, and what `cargo metadata` says of it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// The root of the repository.
pub(crate) struct Root {
    path: PathBuf,
}

impl Root {
    /// The folder above this package, as cargo names it at run time.
    pub(crate) fn find() -> Result<Self> {
        let package = std::env::var_os("CARGO_MANIFEST_DIR")
            .context("not started by cargo; run `cargo xtask …`")?;
        let path = Path::new(&package).parent().context("xtask has no parent folder")?;
        Ok(Self { path: path.to_owned() })
    }

    /// A path below the root.
    pub(crate) fn join(&self, path: impl AsRef<Path>) -> PathBuf {
        self.path.join(path)
    }

    /// The path as a reader of the repository would write it.
    pub(crate) fn relative<'a>(&self, path: &'a Path) -> &'a Path {
        path.strip_prefix(&self.path).unwrap_or(path)
    }

    /// A program that runs at the root.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&self.path);
        command
    }

    /// The cargo that started us.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
        self.command(&cargo, arguments)
    }
}

/// Runs to the end with the terminal as its output; a failure says what was run.
pub(crate) fn stream(mut command: Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start {}", shown(&command)))?;
    if !status.success() {
        bail!("{} failed ({status})", shown(&command));
    }
    Ok(())
}

/// Runs to the end and gives what it wrote on stdout; stderr goes to the terminal.
pub(crate) fn capture(mut command: Command) -> Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start {}", shown(&command)))?;
    if !output.status.success() {
        bail!("{} failed ({})", shown(&command), output.status);
    }
    String::from_utf8(output.stdout).with_context(|| format!("{}: not UTF-8", shown(&command)))
}

/// A command as one would type it.
pub(crate) fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default();
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

/// What cargo knows of every package that the workspace is built from.
pub(crate) struct Metadata {
    /// Every package by its id.
    pub(crate) packages: BTreeMap<String, Package>,
    /// The ids of our own packages.
    pub(crate) members: BTreeSet<String>,
}

/// One package.
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) licence: Option<String>,
    /// The files that are the roots of its library and binaries.
    pub(crate) roots: Vec<PathBuf>,
    /// What its manifest asks for, by package name.
    pub(crate) asks: Vec<(String, Kind)>,
    /// The ids of the packages that a normal build of it links or runs.
    pub(crate) links: Vec<String>,
}

/// What a dependency is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Normal,
    Dev,
    Build,
}

impl Metadata {
    pub(crate) fn read(root: &Root) -> Result<Self> {
        let text = capture(root.cargo(&["metadata", "--format-version", "1"]))?;
        let value: Value = serde_json::from_str(&text).context("cargo metadata is not JSON")?;
        Self::from_json(&value).context("cargo metadata has an unknown format")
    }

    /// Our own packages, in order of name.
    pub(crate) fn own(&self) -> impl Iterator<Item = &Package> {
        self.members.iter().filter_map(|id| self.packages.get(id))
    }

    fn from_json(value: &Value) -> Option<Self> {
        let mut packages = BTreeMap::new();
        for package in value["packages"].as_array()? {
            packages.insert(text(&package["id"])?, Package::from_json(package)?);
        }
        for node in value["resolve"]["nodes"].as_array()? {
            let links = node["deps"].as_array()?.iter().filter(|link| is_normal(link));
            let links = links.map(|link| text(&link["pkg"])).collect::<Option<_>>()?;
            packages.get_mut(node["id"].as_str()?)?.links = links;
        }
        let members = value["workspace_members"].as_array()?.iter().map(text);
        Some(Self { packages, members: members.collect::<Option<_>>()? })
    }
}

impl Package {
    fn from_json(value: &Value) -> Option<Self> {
        let is_product = |target: &Value| {
            let kinds = target["kind"].as_array().into_iter().flatten();
            kinds.filter_map(Value::as_str).any(|kind| kind == "lib" || kind == "bin")
        };
        let targets = value["targets"].as_array()?.iter().filter(|target| is_product(target));
        let asks = value["dependencies"].as_array()?.iter();
        Some(Self {
            name: text(&value["name"])?,
            version: text(&value["version"])?,
            licence: text(&value["license"]),
            roots: targets
                .map(|target| text(&target["src_path"]).map(PathBuf::from))
                .collect::<Option<_>>()?,
            asks: asks
                .map(|ask| Some((text(&ask["name"])?, Kind::from_json(&ask["kind"]))))
                .collect::<Option<_>>()?,
            links: Vec::new(),
        })
    }
}

impl Kind {
    fn from_json(value: &Value) -> Self {
        match value.as_str() {
            Some("dev") => Self::Dev,
            Some("build") => Self::Build,
            _ => Self::Normal,
        }
    }
}

fn is_normal(link: &Value) -> bool {
    let kinds = link["dep_kinds"].as_array().into_iter().flatten();
    kinds.map(|kind| Kind::from_json(&kind["kind"])).any(|kind| kind == Kind::Normal)
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}
