//! An app of cdk8s in a folder of its own, with the packages of `npm/`, and a simulator for its stacks.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::resolve::bench::Said;
use crate::resolve::rig::Rig;

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const APPS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cdk");
const PACKAGES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../npm/node_modules");
/// Written when all of them have been installed.
const STAMP: &str = "installed.json";
/// Constructs of a provider of Terraform, as far as the fixtures use them.
const STUBS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../npm/test/stubs");
const PYTHON: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.tools/python/bin");
const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/fixtures/cdk8s");

/// What a run may inherit from somebody's shell, and must not.
const FOREIGN: [&str; 6] = [
    "NODE_OPTIONS",
    "NODE_PATH",
    "CDK_OUTDIR",
    "CDK8S_OUTDIR",
    "HANGAR_MODE",
    "HANGAR_RESOLVE_ARGS",
];

pub(crate) struct App {
    pub(crate) rig: Rig,
}

impl App {
    /// An empty folder; where the packages are missing, the test is told to be skipped.
    pub(crate) fn new(test: &str) -> Option<Self> {
        let packages = PathBuf::from(PACKAGES);
        if !packages.join(STAMP).exists() {
            println!("skipped: {test} (no npm/node_modules; `cargo xtask setup` installs it)");
            return None;
        }
        let rig = Rig::new();
        std::os::unix::fs::symlink(packages, rig.path().join("node_modules")).unwrap();
        Some(Self { rig })
    }

    /// One of `examples/cdk8s`.
    pub(crate) fn example(test: &str, name: &str) -> Option<Self> {
        let app = Self::new(test)?;
        copy_example(name, app.rig.path());
        Some(app)
    }

    /// One of our own.
    pub(crate) fn own(test: &str) -> Option<Self> {
        let app = Self::new(test)?;
        std::fs::copy(Path::new(APPS).join("manifests.js"), app.path("app.js")).unwrap();
        Some(app)
    }

    /// One of the fixtures, which not every clone has.
    pub(crate) fn fixture(test: &str, name: &str) -> Option<Self> {
        let from = Path::new(FIXTURES).join(name).join("app.js");
        if !from.exists() {
            println!("skipped: {test} (no ../shared/fixtures/cdk8s)");
            return None;
        }
        let app = Self::new(test)?;
        std::fs::copy(from, app.path("app.js")).unwrap();
        Some(app)
    }

    pub(crate) fn path(&self, part: &str) -> PathBuf {
        self.rig.path().join(part)
    }

    pub(crate) fn read(&self, part: &str) -> String {
        std::fs::read_to_string(self.path(part)).unwrap()
    }

    /// Changes a file of the app; what is to be changed must be there.
    pub(crate) fn edit(&self, part: &str, change: impl FnOnce(&str) -> String) {
        let before = self.read(part);
        let after = change(&before);
        assert_ne!(before, after, "{part}: nothing was changed");
        std::fs::write(self.path(part), after).unwrap();
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.rig.command(arguments);
        for name in FOREIGN {
            command.env_remove(name);
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        let paths = std::iter::once(PathBuf::from(PYTHON)).chain(std::env::split_paths(&path));
        command
            .env("PATH", std::env::join_paths(paths).unwrap())
            .env("HOME", self.rig.path())
            .env("NODE_PATH", STUBS)
            // Else the libraries would be unpacked for each app in Python anew.
            .env("JSII_RUNTIME_PACKAGE_CACHE_ROOT", Path::new(PYTHON).join("../jsii"))
            // cdk8s would ask npm whether there is a newer one.
            .env("CDK8S_CHECK_UPGRADE", "false");
        command
    }

    pub(crate) fn hangar(&self, arguments: &[&str]) -> Said {
        self.command(arguments).output().unwrap().into()
    }

    /// `hangar run FLAGS -- COMMAND`, as it ends.
    pub(crate) fn run(&self, flags: &[&str], command: &[&str]) -> Said {
        self.hangar(&[&["run"], flags, &["--"], command].concat())
    }

    /// The same, which ends well.
    pub(crate) fn synthesize(&self, flags: &[&str], command: &[&str]) -> Said {
        let said = self.run(flags, command);
        assert_eq!(said.code, Some(0), "{}{}", said.stdout, said.stderr);
        said
    }

    /// Deploys an assembly of the CDK, and gives what is told of its stacks.
    pub(crate) fn deploy(&self, assembly: &str) -> Value {
        let deploy = ["simulator", "deploy", assembly, "--resources", "-o", "json", "--endpoint"];
        let said = self.hangar(&[&deploy[..], &[self.rig.url()]].concat());
        assert_eq!(said.code, Some(0), "{}", said.stderr);
        serde_json::from_str(&said.stdout).unwrap()
    }

    /// `hangar resolve -f FROM --out TO` with the simulator as AWS.
    pub(crate) fn resolve(&self, from: &str, to: &str) -> Said {
        self.hangar(&["resolve", "--aws", self.rig.url(), "-f", from, "--out", to])
    }

    /// The same, which is refused. Returns each mistake as one line; people see one cause once.
    pub(crate) fn refusals(&self, from: &str, to: &str) -> Vec<String> {
        let aws = self.rig.url();
        let said = self.hangar(&["resolve", "--aws", aws, "-f", from, "--out", to, "-o", "json"]);
        assert_eq!(said.code, Some(1), "{}", said.stderr);
        let told: Value = serde_json::from_str(&said.stderr).unwrap();
        let text = |detail: &Value, name: &str| detail[name].as_str().unwrap().to_owned();
        let details = told["error"]["details"].as_array().unwrap().iter();
        details.map(|it| format!("error[{}]: {}", text(it, "code"), text(it, "message"))).collect()
    }

    /// The same, which ends well; gives the objects.
    pub(crate) fn resolved(&self, from: &str, to: &str) -> Vec<Value> {
        let said = self.resolve(from, to);
        assert_eq!(said.code, Some(0), "{}", said.stderr);
        self.objects(to)
    }

    /// All objects of a folder in the order of its files, as a parser reads them that is not ours.
    pub(crate) fn objects(&self, part: &str) -> Vec<Value> {
        const READ: &str = "const [fs, yaml, folder] = [require('fs'), require('yaml'), process.argv[1]];
            const files = fs.readdirSync(folder).filter((it) => it.endsWith('.yaml')).sort();
            const texts = files.map((it) => fs.readFileSync(`${folder}/${it}`, 'utf8'));
            console.log(JSON.stringify(texts.flatMap((it) => yaml.parseAllDocuments(it).map((one) => one.toJS()))));";
        let mut node = Command::new("node");
        node.args(["-e", READ, part]).current_dir(self.rig.path()).env("NODE_PATH", PACKAGES);
        let said = Said::from(node.output().unwrap());
        assert_eq!(said.code, Some(0), "{}", said.stderr);
        serde_json::from_str(&said.stdout).unwrap()
    }

    /// The bytes of all files of a folder, by their names; none where there is no folder.
    pub(crate) fn files(&self, part: &str) -> BTreeMap<String, Vec<u8>> {
        let Ok(entries) = std::fs::read_dir(self.path(part)) else { return BTreeMap::new() };
        let file = |entry: std::fs::DirEntry| {
            let name = entry.file_name().into_string().unwrap();
            (name, std::fs::read(entry.path()).unwrap())
        };
        entries.map(|entry| file(entry.unwrap())).collect()
    }
}

/// The environment variables of the first container of a `CronJob`.
pub(crate) fn variables(objects: &[Value]) -> BTreeMap<String, Value> {
    let job = objects.iter().find(|it| it["kind"] == "CronJob").unwrap();
    let all = &job["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"][0]["env"];
    let variable = |it: &Value| (it["name"].as_str().unwrap().to_owned(), it["value"].clone());
    all.as_array().unwrap().iter().map(variable).collect()
}

/// The physical id of a resource in what is told of a deployment.
pub(crate) fn physical(deployed: &Value, stack: &str, logical_id: &str) -> String {
    let find = |all: &Value, name: &str, wanted: &str| {
        let found = all.as_array().unwrap().iter().find(|it| it[name] == wanted);
        found.unwrap_or_else(|| panic!("no {wanted} in {all:#}")).clone()
    };
    let stack = find(&deployed["stacks"], "name", stack);
    find(&stack["resources"], "logicalId", logical_id)["physicalId"].as_str().unwrap().to_owned()
}

/// Whether Python has the libraries; where not, the test is told to be skipped.
pub(crate) fn has_python(test: &str) -> bool {
    let is_here = Path::new(PYTHON).join("../requirements.txt").exists();
    if !is_here {
        println!("skipped: {test} (no .tools/python; `cargo xtask setup` makes it)");
    }
    is_here
}

/// Copies the files of an example; folders in it are what somebody made who tried it.
pub(crate) fn copy_example(name: &str, to: &Path) {
    for entry in std::fs::read_dir(Path::new(REPOSITORY).join("examples/cdk8s").join(name)).unwrap()
    {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_file() {
            std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

/// What a fixture has besides apps.
pub(crate) fn fixture_file(test: &str, name: &str) -> Option<String> {
    let read = std::fs::read_to_string(Path::new(FIXTURES).join(name)).ok();
    if read.is_none() {
        println!("skipped: {test} (no ../shared/fixtures/cdk8s)");
    }
    read
}
