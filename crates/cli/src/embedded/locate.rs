//! Where the data directory is: looked up from a template's folder, then from the working directory, as git
//! looks up `.git`. It only reads; a directory is created by the command that writes to it.

use std::path::{Path, PathBuf};

use super::data_dir::DataDir;

/// The name of a data directory that is not named by a flag or by the environment.
pub(crate) const NAME: &str = ".hangar";

/// Finds the data directory of a template, or of the working directory. If there is none yet, returns where a
/// command creates it: in the nearest folder above the template that has `.git`, else beside the template;
/// without a template in the working directory.
pub(crate) fn locate(template: Option<&Path>, working_directory: &Path) -> DataDir {
    let folder = template.map(|template| folder_of(template, working_directory));
    let found = folder.as_deref().and_then(find_upwards);
    let found = found.or_else(|| find_upwards(working_directory));
    let at = found.unwrap_or_else(|| {
        let folder = folder.as_deref().map(|folder| find_repository(folder).unwrap_or(folder));
        folder.unwrap_or(working_directory).join(NAME)
    });
    // A path below the working directory is shown as a person would type it.
    let shown = at.strip_prefix(working_directory).map(Path::to_owned);
    DataDir::new(shown.unwrap_or(at))
}

/// The folder of a file, from the root, with links resolved as far as it exists.
pub(crate) fn folder_of(file: &Path, working_directory: &Path) -> PathBuf {
    let folder = working_directory.join(file.parent().unwrap_or(Path::new("")));
    folder.canonicalize().unwrap_or(folder)
}

/// The nearest folder, this one or above it, that is the root of a repository.
pub(crate) fn find_repository(folder: &Path) -> Option<&Path> {
    // In a worktree and in a submodule `.git` is a file.
    folder.ancestors().find(|folder| folder.join(".git").exists())
}

/// The nearest folder, this one or above it, that holds a data directory or is the root of a repository.
pub(crate) fn find_project(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|folder| folder.join(NAME).exists() || folder.join(".git").exists())
}

/// The data directory in this folder, or in the nearest one above it.
fn find_upwards(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().map(|folder| folder.join(NAME)).find(|path| path.exists())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    struct Project(tempfile::TempDir);

    impl Project {
        fn with(folders: &[&str]) -> Self {
            let root = tempfile::tempdir().unwrap();
            for folder in folders {
                fs::create_dir_all(root.path().join(folder)).unwrap();
            }
            Self(root)
        }

        fn root(&self) -> PathBuf {
            self.0.path().canonicalize().unwrap()
        }

        /// The data directory of a template, below the root of the project.
        fn locate(&self, template: Option<&str>, working_directory: &str) -> String {
            let root = self.root();
            let from = root.join(working_directory);
            let found = locate(template.map(Path::new), &from);
            let found = from.join(found.path());
            found.strip_prefix(&root).unwrap().display().to_string()
        }
    }

    #[test]
    fn one_template_has_one_directory_wherever_the_command_runs() {
        let project = Project::with(&["network", "sub"]);
        assert_eq!(project.locate(Some("network/main.bicep"), ""), "network/.hangar");
        assert_eq!(project.locate(Some("../network/main.bicep"), "sub"), "network/.hangar");
        assert_eq!(project.locate(Some("main.bicep"), "network"), "network/.hangar");
    }

    #[test]
    fn a_new_directory_is_in_the_repository_of_the_template() {
        let project = Project::with(&[".git", "a/b", "inner/.git", "inner/c"]);
        assert_eq!(project.locate(Some("a/b/main.bicep"), "a"), ".hangar");
        assert_eq!(project.locate(Some("inner/c/main.bicep"), ""), "inner/.hangar");
        assert_eq!(project.locate(None, "a"), "a/.hangar");
    }

    #[test]
    fn an_existing_directory_is_found_from_the_template_first() {
        let project = Project::with(&[".git", ".hangar", "a/.hangar", "a/b", "c"]);
        assert_eq!(project.locate(Some("../a/b/main.bicep"), "c"), "a/.hangar");
        assert_eq!(project.locate(Some("main.bicep"), "c"), ".hangar");
        assert_eq!(project.locate(None, "a/b"), "a/.hangar");
        let apart = Project::with(&["work/.hangar", "templates"]);
        assert_eq!(apart.locate(Some("../templates/main.bicep"), "work"), "work/.hangar");
    }

    #[test]
    fn a_directory_below_the_working_directory_is_shown_as_typed() {
        let project = Project::with(&[".hangar", "a"]);
        let root = project.root();
        assert_eq!(locate(None, &root).path(), Path::new(".hangar"));
        assert_eq!(locate(None, &root.join("a")).path(), root.join(".hangar"));
    }
}
