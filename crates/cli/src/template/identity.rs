//! Which deployment a template has: its path in the project, and the name that follows from that.
//!
//! The path is never absolute, so that another checkout of the project gives the same name.

use std::path::{Component, Path};

use sha2::{Digest as _, Sha256};

use crate::embedded::locate::{find_repository, folder_of};

/// The longest name of a deployment.
const MAX_NAME_LENGTH: usize = 64;

/// How much of a long name is kept before the digest of its path.
const KEPT_OF_LONG_NAME: usize = 55;

/// A template by its place in its project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TemplateIdentity {
    /// The path, with `/` between its parts: `examples/network/main.bicep`, or `../network/main.bicep` outside.
    pub(crate) path: String,
    /// The default name of its deployment: `examples-network-main`.
    pub(crate) name: String,
    /// The default name in release 0.1.0, the name of the file alone: `main`.
    pub(crate) old_name: String,
}

impl TemplateIdentity {
    /// Whether the path holds for this machine only: there is no folder that it could begin at.
    pub(crate) fn is_of_this_machine(&self) -> bool {
        self.path.starts_with('/')
    }

    /// The identity of the template in a file; nothing if it has no name, as `-` or `..`. The path begins at
    /// the folder that holds the data directory, or at the repository of a template that is not below it. Below
    /// neither, it leads from the one folder to the other, through `..`; if they share nothing, it is the whole path,
    /// and the file alone gives the name.
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
        let below = |root: &Path| {
            root.parent()?;
            folder.strip_prefix(root).map(Path::to_owned).ok()
        };
        let inside = holder.as_deref().and_then(below);
        let inside = inside.or_else(|| find_repository(&folder).and_then(below));
        let beside = || path_between(holder.as_deref()?, &folder);
        let (folders, base) = match (&inside, beside()) {
            (Some(inside), _) => (names_of(inside)?, String::new()),
            (None, Some((up, down))) => (names_of(down)?, "../".repeat(up)),
            // Only the whole path distinguishes two files.
            (None, None) => (Vec::new(), format!("{}/", folder.to_str()?.trim_end_matches('/'))),
        };
        let path = [&folders[..], &[file]].concat().join("/");
        let path = format!("{base}{path}");
        let name = name_of(&[&folders[..], std::slice::from_ref(&stem)].concat(), &path);
        Some(Self { path, name, old_name: stem })
    }
}

/// How one folder is reached from another: how many folders up, and then which way down. Nothing if they share only
/// the root of the file system: the way would be an absolute path.
fn path_between<'a>(from: &Path, to: &'a Path) -> Option<(usize, &'a Path)> {
    let (up, shared) = from.ancestors().enumerate().find(|(_, shared)| to.starts_with(shared))?;
    shared.parent()?;
    Some((up, to.strip_prefix(shared).ok()?))
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
    fn a_template_outside_of_the_project_is_named_by_the_way_that_leads_to_it() {
        let dir = Some("/nowhere/p/.hangar");
        assert_eq!(identity("/nowhere/a/main.bicep", dir), pair("../a/main.bicep", "a-main"));
        assert_eq!(identity("/nowhere/main.bicep", dir), pair("../main.bicep", "main"));
    }

    #[test]
    fn without_any_folder_of_reference_the_whole_path_tells_two_files_apart() {
        let dir = Some("/nowhere/p/.hangar");
        assert_eq!(identity("/elsewhere/app.bicep", dir), pair("/elsewhere/app.bicep", "app"));
        for dir in ["/state", "/state/.hangar"] {
            let whole = pair("/nowhere/p/infra/app.bicep", "app");
            assert_eq!(identity("infra/app.bicep", Some(dir)), whole);
        }
        assert_eq!(identity("infra/app.bicep", None), pair("/nowhere/p/infra/app.bicep", "app"));
        assert_eq!(identity("/x/app.bicep", None), pair("/x/app.bicep", "app"));
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
