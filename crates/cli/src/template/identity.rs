//! Which deployment a template has: its path in the project, and the name that follows from that.
//!
//! The path is never absolute, so that another checkout of the project gives the same name.

use std::path::{Component, Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::embedded::locate::{find_repository, folder_of};

/// The longest name of a deployment.
const MAX_NAME_LENGTH: usize = 64;

/// How much of a long name is kept before the digest of its path.
const KEPT_OF_LONG_NAME: usize = 55;

/// A template by its place in its project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TemplateIdentity {
    /// The path, with `/` between its parts: `examples/network/main.bicep`.
    pub(crate) path: String,
    /// The default name of its deployment: `examples-network-main`.
    pub(crate) name: String,
    /// The default name in release 0.1.0, the name of the file alone: `main`.
    pub(crate) old_name: String,
}

impl TemplateIdentity {
    /// The identity of the template in a file; nothing if it has no name, as `-` or `..`. The path begins at
    /// the folder that holds the data directory, or at the repository of a template that is not below it.
    pub(crate) fn of(
        template: &Path,
        data_dir: Option<&Path>,
        working_directory: &Path,
    ) -> Option<Self> {
        if template == Path::new("-") {
            return None;
        }
        let folder = folder_of(template, working_directory);
        let file = template.file_name()?.to_str()?.to_owned();
        let stem = template.file_stem()?.to_str()?.to_owned();
        let holder = data_dir.map(|dir| folder_of(dir, working_directory));
        // From the root of the file system a path would be absolute in all but its first character.
        let below = |root: PathBuf| {
            root.parent()?;
            folder.strip_prefix(&root).map(Path::to_owned).ok()
        };
        let repository = || find_repository(&folder).map(Path::to_owned);
        let inside = holder.and_then(below).or_else(|| repository().and_then(below));
        let folders = names_of(&inside.unwrap_or_default())?;
        let mut path = folders.clone();
        path.push(file);
        let mut words = folders;
        words.push(stem.clone());
        Some(Self { name: name_of(&words, &path.join("/")), path: path.join("/"), old_name: stem })
    }
}

fn names_of(path: &Path) -> Option<Vec<String>> {
    let name = |part: Component<'_>| part.as_os_str().to_str().map(str::to_owned);
    path.components().map(name).collect()
}

/// A name that the control plane takes: every other character is written as `-`.
fn name_of(words: &[String], path: &str) -> String {
    let is_allowed = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '(' | ')');
    let name: String =
        words.join("-").chars().map(|c| if is_allowed(c) { c } else { '-' }).collect();
    let name = name.trim_end_matches('.');
    if name.chars().count() <= MAX_NAME_LENGTH && !name.is_empty() {
        return name.to_owned();
    }
    let digest = hangar_store::hex::encode(&Sha256::digest(path.as_bytes())[..4]);
    let kept: String = name.chars().take(KEPT_OF_LONG_NAME).collect();
    format!("{}-{digest}", kept.trim_end_matches(['-', '.']))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(template: &str, data_dir: Option<&str>) -> (String, String) {
        let found = TemplateIdentity::of(
            Path::new(template),
            data_dir.map(Path::new),
            Path::new("/nowhere/p"),
        );
        let found = found.unwrap();
        (found.path, found.name)
    }

    fn pair(path: &str, name: &str) -> (String, String) {
        (path.to_owned(), name.to_owned())
    }

    #[test]
    fn two_files_are_two_deployments() {
        let dir = Some("/nowhere/p/.hangar");
        assert_eq!(identity("main.bicep", dir), pair("main.bicep", "main"));
        assert_eq!(
            identity("examples/network/main.bicep", dir),
            pair("examples/network/main.bicep", "examples-network-main")
        );
        assert_eq!(
            identity("examples/service/main.bicep", dir),
            pair("examples/service/main.bicep", "examples-service-main")
        );
    }

    #[test]
    fn a_template_outside_of_the_project_is_named_by_its_file() {
        assert_eq!(identity("/elsewhere/app.bicep", Some("/nowhere/p/.hangar")).1, "app");
        assert_eq!(identity("infra/app.bicep", None).1, "app");
        assert_eq!(identity("infra/app.bicep", Some("/state")).1, "app");
    }

    #[test]
    fn every_path_gives_a_name_that_can_be_used() {
        let dir = Some("/nowhere/p/.hangar");
        assert_eq!(identity("my app/a&b.bicep", dir).1, "my-app-a-b");
        let long = format!("{}/main.bicep", "x".repeat(80));
        let name = identity(&long, dir).1;
        assert!(name.len() <= MAX_NAME_LENGTH && name.starts_with("xxxx"), "{name}");
        let other = format!("{}/main.bicep", "x".repeat(81));
        assert_ne!(identity(&other, dir).1, name);
    }

    #[test]
    fn what_has_no_name_has_no_identity() {
        for template in ["-", "..", "/"] {
            let found = TemplateIdentity::of(Path::new(template), None, Path::new("/nowhere/p"));
            assert_eq!(found, None, "{template}");
        }
    }
}
