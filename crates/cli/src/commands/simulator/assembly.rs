//! A cloud assembly, as `cdk synth` leaves it: which stacks are in it, where they go, and in which order.
//!
//! Files are read through a function, and nothing else is touched.

pub(crate) mod asset;
mod order;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hangar_diag::Diagnostic;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::codes;
use crate::failure::Failure;
use asset::Asset;

/// Stages nest; nobody nests them so deep.
const MAX_DEPTH: usize = 16;

/// The file that makes a folder an assembly.
pub(super) const MANIFEST: &str = "manifest.json";

/// A stack of an assembly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AssemblyStack {
    /// The name that it is deployed under.
    pub(crate) name: String,
    /// Other names that people may know it by: its artifact's, and the path of its construct.
    pub(super) aliases: Vec<String>,
    /// The account that its environment names.
    pub(crate) account: Option<String>,
    /// The region that its environment names.
    pub(crate) region: Option<String>,
    /// The role that reads what is there, as the assembly writes it.
    pub(crate) lookup_role: Option<String>,
    /// The file of its template.
    pub(super) template: PathBuf,
    /// Parameters that the assembly gives values to.
    pub(super) parameters: Vec<(String, String)>,
    pub(super) tags: Vec<(String, String)>,
    /// What goes with it.
    pub(super) assets: Vec<Asset>,
    /// The stacks that come before it, by their places in the list.
    pub(super) after: Vec<usize>,
}

impl AssemblyStack {
    /// Whether it is meant by a name.
    pub(super) fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.iter().any(|alias| alias == name)
    }
}

/// Reads files, by their path.
pub(crate) type Read<'a> = dyn FnMut(&Path) -> Result<String, Failure> + 'a;

#[derive(Debug, Deserialize)]
struct Manifest {
    #[serde(default)]
    artifacts: BTreeMap<String, Artifact>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Artifact {
    #[serde(rename = "type")]
    kind: String,
    environment: Option<String>,
    #[serde(default)]
    properties: Value,
    #[serde(default)]
    dependencies: Vec<String>,
    display_name: Option<String>,
}

/// Reads an object: a list would do for a structure too, whose members may all be missing.
fn object<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    let members: Map<String, Value> = serde_json::from_str(text)?;
    serde_json::from_value(Value::Object(members))
}

const STACK: &str = "aws:cloudformation:stack";
const ASSEMBLY: &str = "cdk:cloud-assembly";

impl Artifact {
    fn is_deployed(&self) -> bool {
        [STACK, ASSEMBLY].contains(&self.kind.as_str())
    }

    fn property(&self, name: &str) -> Option<&str> {
        self.properties.get(name).and_then(Value::as_str)
    }

    /// A map of texts, in the order of its keys.
    fn pairs(&self, name: &str) -> Vec<(String, String)> {
        let map = self.properties.get(name).and_then(Value::as_object).into_iter().flatten();
        map.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect()
    }
}

/// All stacks of an assembly and of those in it, each after what it depends on.
pub(crate) fn stacks(folder: &Path, read: &mut Read<'_>) -> Result<Vec<AssemblyStack>, Failure> {
    let mut all = Vec::new();
    collect(folder, read, &mut all, &[], 0)?;
    Ok(all)
}

/// Adds the stacks of a folder; `before` are those that all of them come after. Gives their places.
fn collect(
    folder: &Path,
    read: &mut Read<'_>,
    all: &mut Vec<AssemblyStack>,
    before: &[usize],
    depth: usize,
) -> Result<Vec<usize>, Failure> {
    let path = folder.join(MANIFEST);
    if depth > MAX_DEPTH {
        return Err(wrong(&path, "assemblies are nested too deeply"));
    }
    let text = read(&path)?;
    let manifest: Manifest = object(&text).map_err(|error| wrong(&path, &error.to_string()))?;
    let deployed = manifest.artifacts.iter().filter(|(_, it)| it.is_deployed());
    let edges = deployed.map(|(id, it)| (id.as_str(), it.dependencies.as_slice()));
    let ordered = order::ordered(edges)
        .map_err(|id| wrong(&path, &format!("artifact `{id}` depends on itself")))?;
    // What stands for an artifact: the places of the stacks that it is or has.
    let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut own = Vec::new();
    for id in ordered {
        let Some(artifact) = manifest.artifacts.get(id) else { continue };
        let named = artifact.dependencies.iter().filter_map(|id| places.get(id.as_str()));
        let mut after: Vec<usize> = before.iter().chain(named.flatten()).copied().collect();
        after.sort_unstable();
        after.dedup();
        let added = match artifact.kind.as_str() {
            STACK => {
                let stack = stack(folder, id, artifact, &manifest, after, read)?;
                all.push(stack);
                vec![all.len() - 1]
            }
            ASSEMBLY => {
                let name = artifact.property("directoryName");
                let name = name.ok_or_else(|| {
                    wrong(&path, &format!("artifact `{id}` has no `directoryName`"))
                })?;
                collect(&folder.join(name), read, all, &after, depth + 1)?
            }
            _ => continue,
        };
        own.extend_from_slice(&added);
        places.insert(id, added);
    }
    Ok(own)
}

fn stack(
    folder: &Path,
    id: &str,
    artifact: &Artifact,
    manifest: &Manifest,
    after: Vec<usize>,
    read: &mut Read<'_>,
) -> Result<AssemblyStack, Failure> {
    let template = artifact.property("templateFile").ok_or_else(|| {
        wrong(&folder.join(MANIFEST), &format!("stack `{id}` has no `templateFile`"))
    })?;
    let (account, region) = environment(artifact.environment.as_deref().unwrap_or_default());
    let mut assets = Vec::new();
    for id in &artifact.dependencies {
        let manifest = manifest.artifacts.get(id).filter(|it| it.kind == "cdk:asset-manifest");
        let Some(file) = manifest.and_then(|it| it.property("file")) else { continue };
        let path = folder.join(file);
        // Copies of an assembly often lack them; what their templates say is enough mostly.
        if let Ok(text) = read(&path) {
            assets.extend(asset::of_manifest(folder, &text).map_err(|why| wrong(&path, &why))?);
        }
    }
    let lookup_role = artifact.properties.get("lookupRole").and_then(|role| role.get("arn"));
    let aliases = [Some(id.to_owned()), artifact.display_name.clone()];
    Ok(AssemblyStack {
        name: artifact.property("stackName").unwrap_or(id).to_owned(),
        aliases: aliases.into_iter().flatten().collect(),
        account,
        region,
        lookup_role: lookup_role.and_then(Value::as_str).map(str::to_owned),
        template: folder.join(template),
        parameters: artifact.pairs("parameters"),
        tags: artifact.pairs("tags"),
        assets,
        after,
    })
}

/// The account and region of `aws://ACCOUNT/REGION`, where they are known.
fn environment(text: &str) -> (Option<String>, Option<String>) {
    let known =
        |part: &str| (!part.is_empty() && !part.starts_with("unknown-")).then(|| part.to_owned());
    match text.strip_prefix("aws://").and_then(|rest| rest.split_once('/')) {
        Some((account, region)) => (known(account), known(region)),
        None => (None, None),
    }
}

/// The stacks that are called so, and all that they need; all of them where no name is given.
pub(super) fn chosen(
    all: Vec<AssemblyStack>,
    names: &[String],
) -> Result<Vec<AssemblyStack>, Failure> {
    if names.is_empty() {
        return Ok(all);
    }
    let mut is_wanted = vec![false; all.len()];
    for name in names {
        let mut found = false;
        for (stack, is_wanted) in all.iter().zip(&mut is_wanted) {
            if stack.is_called(name) {
                (*is_wanted, found) = (true, true);
            }
        }
        if !found {
            let known: Vec<&str> = all.iter().map(|stack| stack.name.as_str()).collect();
            let message = format!("the assembly has no stack `{name}`");
            return Err(Diagnostic::error(codes::SIMULATOR_ASSEMBLY, message)
                .hint(format!("it has: {}", known.join(", ")))
                .into());
        }
    }
    // What a stack comes after stands before it, so that one pass backwards finds all of it.
    for at in (0..all.len()).rev() {
        if is_wanted[at] {
            for before in &all[at].after {
                is_wanted[*before] = true;
            }
        }
    }
    Ok(all.into_iter().zip(is_wanted).filter_map(|(stack, is)| is.then_some(stack)).collect())
}

fn wrong(path: &Path, why: &str) -> Failure {
    let message = format!("cannot use `{}`: {why}", path.display());
    Diagnostic::error(codes::SIMULATOR_ASSEMBLY, message)
        .hint("pass the folder that `cdk synth` wrote (`cdk.out`); if it is outdated, synthesize again")
        .into()
}
