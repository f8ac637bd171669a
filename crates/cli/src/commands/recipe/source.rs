//! Where a recipe's module comes from, as it was typed: a directory that is sent along, or an address that
//! Terraform fetches.

use std::path::{Path, PathBuf};

use hangar_diag::Diagnostic;
use hangar_manifest::recipe::source::{self, SourceKind};
use serde_json::{Map, Value};

use crate::codes;
use crate::failure::Failure;
use crate::pack::{Packed, pack};

/// A module that was found.
#[derive(Debug)]
pub(super) enum Module {
    /// A directory of this machine, read.
    Directory { label: String, packed: Packed },
    /// An address that Terraform fetches.
    Remote { address: String, version: Option<String> },
}

/// Reads a source. What is a directory here is that; an address of a registry looks like one.
pub(super) fn find(
    typed: &str,
    version: Option<&str>,
    data_dir: Option<&Path>,
) -> Result<Module, Failure> {
    let path = Path::new(typed);
    if path.is_dir() {
        // A registry's version does not go with it, which the same check tells.
        let here = if path.is_absolute() { typed.to_owned() } else { format!("./{typed}") };
        source::parse(&here, version).map_err(|error| refused(&error.to_string()))?;
        return Ok(Module::Directory { label: typed.to_owned(), packed: pack(path, data_dir)? });
    }
    let parsed = source::parse(typed, version).map_err(|error| refused(&error.to_string()))?;
    if parsed.kind == SourceKind::Local {
        let why =
            if path.exists() { "it is not a directory" } else { "the directory does not exist" };
        return Err(refused(&format!("cannot use `{parsed}`: {why}")));
    }
    let version = parsed.version().map(str::to_owned);
    Ok(Module::Remote { address: parsed.expose().to_owned(), version })
}

fn refused(message: &str) -> Failure {
    Diagnostic::error(codes::BAD_SOURCE, message)
        .hint("pass a directory, such as --source ./network, or an address: git::…, namespace/name/provider")
        .into()
}

impl Module {
    /// What is sent of it.
    pub(super) fn add_to(&self, properties: &mut Map<String, Value>) {
        match self {
            Self::Directory { label, packed } => {
                properties.insert("files".to_owned(), packed.to_json());
                properties.insert("label".to_owned(), label.as_str().into());
            }
            Self::Remote { address, version } => {
                properties.insert("source".to_owned(), address.as_str().into());
                if let Some(version) = version {
                    properties.insert("version".to_owned(), version.as_str().into());
                }
            }
        }
    }

    /// What it is called where nobody says.
    pub(super) fn name(&self) -> Option<String> {
        match self {
            Self::Directory { label, .. } => {
                let path = std::path::absolute(PathBuf::from(label)).ok()?;
                let path = path.canonicalize().unwrap_or(path);
                path.file_name()?.to_str().map(str::to_owned)
            }
            Self::Remote { address, .. } => name_in(address),
        }
    }
}

/// The name of the module that an address leads to: of its directory, else of the repository, the archive, or
/// the registry's module.
fn name_in(address: &str) -> Option<String> {
    let bare = address.split('?').next().unwrap_or(address);
    if let Ok(parsed) = source::parse(address, None)
        && let SourceKind::Registry { .. } = parsed.kind
    {
        let (module, directory) = bare.split_once("//").unwrap_or((bare, ""));
        let named = directory.rsplit('/').find(|it| !it.is_empty());
        // `namespace/name/provider`: the name, which comes before the provider.
        return named.or_else(|| module.rsplit('/').nth(1)).map(str::to_owned);
    }
    let bare = bare.rsplit("::").next().unwrap_or(bare);
    let path = bare.split_once("://").map_or(bare, |(_, path)| path);
    let last = path.rsplit(['/', ':']).find(|it| !it.is_empty())?;
    let endings = [".git", ".zip", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz"];
    let stem = endings.iter().find_map(|ending| last.strip_suffix(ending)).unwrap_or(last);
    (!stem.is_empty()).then(|| stem.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_named_after_what_it_is() {
        let cases = [
            ("terraform-aws-modules/vpc/aws", "vpc"),
            ("app.terraform.io/acme/network/aws//modules/small", "small"),
            ("git::https://example.com/acme/network.git?ref=v1", "network"),
            ("git::https://example.com/acme/all.git//recipes/queue?ref=v1", "queue"),
            ("git@github.com:acme/network.git", "network"),
            ("github.com/acme/network", "network"),
            ("https://example.com/modules/network.zip", "network"),
            ("s3::https://s3.amazonaws.com/bucket/network.tar.gz", "network"),
        ];
        for (address, name) in cases {
            assert_eq!(name_in(address).as_deref(), Some(name), "{address}");
        }
    }

    #[test]
    fn a_directory_comes_before_an_address_that_looks_like_it() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("net");
        std::fs::create_dir(&at).unwrap();
        let typed = at.to_str().unwrap();
        let module = find(typed, None, None).unwrap();
        assert_eq!(module.name().as_deref(), Some("net"));
        assert!(matches!(module, Module::Directory { .. }));
        assert!(find(typed, Some("1.0"), None).is_err());
        assert!(find("./nothing-of-the-kind", None, None).is_err());
        let remote = find("acme/network/aws", Some("~> 1.0"), None).unwrap();
        let mut sent = Map::new();
        remote.add_to(&mut sent);
        assert_eq!(
            Value::Object(sent),
            serde_json::json!({"source": "acme/network/aws", "version": "~> 1.0"})
        );
    }
}
