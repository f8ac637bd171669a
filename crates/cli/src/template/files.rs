//! The files of a template: the one that was named, its modules and imports, and those that they load.
//!
//! A template reads nothing outside of its root: the current directory, or else the folder that it is in; if it names
//! files above that, the project that it is in.

use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use hangar_diag::Diagnostic;
use hangar_plan::resource_types::CatalogTypes;
use hangar_template::deployment::{Deployment, NothingKnown};
use hangar_template::parameters_file::{ListedFolder, environment_of, folders_of};
use hangar_template::recipe::Module;
use hangar_template::source::{Problem, Sources};

use crate::codes;
use crate::embedded::locate::{find_project, folder_of};
use crate::failure::{Failure, Report};
use crate::input::{Inputs, Source};
use crate::pack::pack;

/// What a file without a name is called among the sources, by the language that it is written in.
const STDIN: [&str; 2] = ["stdin.bicep", "stdin.json"];

/// As much as the server takes, encoded and all.
const MOST_BYTES: usize = 4 << 20;

/// How many files of a folder a template may list.
const MOST_LISTED: usize = 1_000;

/// A template's files.
#[derive(Debug, Clone)]
pub(crate) struct Files {
    /// All that was read, by the path below the root.
    pub(crate) sources: Sources,
    /// The path of the file that was named.
    pub(crate) entry: String,
    /// What is written before a path below the root to name the file as a person would.
    prefix: String,
    /// What such a path begins with if the file is below the current directory, which then needs no prefix.
    here: String,
    root: PathBuf,
    /// What is beside a recipe's module and was not read: values of variables.
    pub(crate) left_out: Vec<String>,
}

impl Files {
    /// Reads the file and all that it loads.
    pub(crate) fn read(file: &Path, inputs: &mut Inputs) -> Result<Self, Failure> {
        let source = inputs.read(file)?;
        if file == Path::new("-") {
            let name = STDIN[usize::from(source.text.trim_start().starts_with('{'))];
            return Self::read_from(Root::here(name.to_owned()), source.text);
        }
        let root = placed(file);
        if let Some(project) = project_of(file, &root)
            && let Ok(files) = Self::read_from(project.root, source.text.clone())
            && files.sources.iter().any(|(path, _)| !path.starts_with(&project.narrow))
        {
            return Ok(files);
        }
        Self::read_from(root, source.text)
    }

    fn read_from(root: Root, text: String) -> Result<Self, Failure> {
        let Root { folder, prefix, here, entry } = root;
        let sources = Sources::of(entry.as_str(), text.into_bytes())
            .with_resource_types(Arc::new(CatalogTypes::default()));
        let mut files = Self { sources, entry, prefix, here, root: folder, left_out: Vec::new() };
        files.check_size()?;
        files.follow(files.entry.clone())?;
        files.check_size()?;
        Ok(files)
    }

    /// Refuses what no server takes.
    fn check_size(&self) -> Result<(), Failure> {
        let bytes: usize = self.sources.iter().map(|(_, content)| content.len()).sum();
        if bytes <= MOST_BYTES {
            return Ok(());
        }
        let what = match self.sources.iter().count() {
            1 => format!("`{}` has", self.name_of(&self.entry)),
            count => format!("the {count} files of the template have"),
        };
        let message = format!("{what} {bytes} bytes; the limit is {MOST_BYTES}");
        let hint = "store large files elsewhere, for example in a bucket, and refer to them";
        Err(Diagnostic::error(codes::TEMPLATE_TOO_LARGE, message).hint(hint).into())
    }

    /// Reads what a file loads, and what that loads.
    fn follow(&mut self, path: String) -> Result<(), Failure> {
        let mut open = VecDeque::from([path]);
        while let Some(path) = open.pop_front() {
            if !is_template(&path) {
                continue;
            }
            let Some(text) = self.sources.text(&path) else { continue };
            for needed in hangar_template::parameters_file::files_of(text, &path) {
                if self.sources.get(&needed).is_none() && self.load(&needed)? {
                    open.push_back(needed);
                }
            }
            let Some(text) = self.sources.text(&path) else { continue };
            for folder in folders_of(text, &path) {
                self.load_folder(&folder)?;
            }
        }
        Ok(())
    }

    /// Reads the files that a folder is listed for. One that is missing is told where it is named.
    fn load_folder(&mut self, folder: &ListedFolder) -> Result<(), Failure> {
        let at = self.root.join(&folder.path);
        if at.canonicalize().is_err() {
            return Ok(());
        }
        let real = self.check_inside(&folder.path, &at)?;
        let unreadable = |error: io::Error| self.unreadable(&folder.path, &error.to_string());
        let mut names = Vec::new();
        for entry in fs::read_dir(&real).map_err(unreadable)? {
            let name = entry.map_err(unreadable)?.file_name();
            names.extend(name.to_str().filter(|name| folder.lists(name)).map(str::to_owned));
        }
        if names.len() > MOST_LISTED {
            let why = format!("it has more than {MOST_LISTED} matching files");
            return Err(self.unreadable(&folder.path, &why));
        }
        for name in names {
            let path =
                if folder.path.is_empty() { name } else { format!("{}/{name}", folder.path) };
            if self.sources.get(&path).is_none() {
                self.load(&path)?;
                self.check_size()?;
            }
        }
        Ok(())
    }

    /// Reads the directories of a deployment's recipes: all that is sent along of a module. One that is missing is
    /// told where it is named.
    pub(crate) fn add_recipes(
        &mut self,
        deployment: &Deployment,
        data_dir: Option<&Path>,
    ) -> Result<(), Failure> {
        let mut directories = BTreeSet::new();
        for node in 0..deployment.nodes().len() {
            if let Ok(Some(recipe)) = deployment.recipe(node, &NothingKnown)
                && let Some(Module::Directory { path, .. }) = recipe.module
            {
                directories.insert(path);
            }
        }
        for path in directories {
            let at = self.root.join(&path);
            if !at.is_dir() {
                continue;
            }
            self.check_inside(&path, &at)?;
            let packed = pack(&at, data_dir)?;
            for (name, content) in packed.files {
                self.sources.insert(format!("{path}/{name}"), content);
            }
            let left_out = packed.left_out.iter().map(|name| format!("{path}/{name}"));
            self.left_out.extend(left_out);
        }
        self.check_size()
    }

    /// The environment variables that files of parameters ask for, those that are extended too.
    pub(crate) fn environment(&self) -> Vec<String> {
        let files = self.sources.iter().filter(|(path, _)| is_parameters_file(Path::new(path)));
        let texts = files.filter_map(|(path, _)| self.sources.text(path));
        texts.flat_map(environment_of).collect()
    }

    /// Refuses what leads out of the root.
    fn check_inside(&self, path: &str, at: &Path) -> Result<PathBuf, Failure> {
        let away = |error: io::Error| self.unreadable(path, &error.to_string());
        let real = at.canonicalize().map_err(away)?;
        let root = self.root.canonicalize().map_err(away)?;
        if real.starts_with(&root) {
            return Ok(real);
        }
        let why = format!("it is outside of `{}`", self.root.display());
        Err(self.unreadable(path, &why))
    }

    /// Reads one file; says whether it is there. One that is missing is told where it is named.
    fn load(&mut self, path: &str) -> Result<bool, Failure> {
        let at = self.root.join(path);
        if at.canonicalize().is_err() {
            return Ok(false);
        }
        let real = self.check_inside(path, &at)?;
        if real.is_dir() {
            return Ok(false);
        }
        let content = fs::read(&real).map_err(|error| self.unreadable(path, &error.to_string()))?;
        if content.len() > MOST_BYTES {
            return Err(self.unreadable(path, "it is larger than 4 MiB"));
        }
        self.sources.insert(path, content);
        Ok(true)
    }

    fn unreadable(&self, path: &str, why: &str) -> Failure {
        let message = format!("cannot read `{}`: {why}", self.name_of(path));
        Diagnostic::error(codes::FILE_UNREADABLE, message)
            .hint("a template can only read files in its own folder or in the current directory")
            .into()
    }

    /// Whether a file is one of them, by whatever name.
    pub(crate) fn holds(&self, file: &Path) -> bool {
        self.sources.iter().any(|(path, _)| is_same_file(&self.root.join(path), file))
    }

    /// A file as a person would name it.
    pub(crate) fn name_of(&self, path: &str) -> String {
        if STDIN.contains(&path) {
            return "<stdin>".to_owned();
        }
        match path.strip_prefix(&self.here) {
            Some(below) if !self.here.is_empty() => below.to_owned(),
            _ => format!("{}{path}", self.prefix),
        }
    }

    /// The folder that a file is in.
    pub(crate) fn folder_of(&self, path: &str) -> PathBuf {
        let at = self.root.join(path);
        at.parent().map(Path::to_path_buf).unwrap_or_default()
    }

    /// A file with its text, to show places in.
    pub(crate) fn source_of(&self, path: &str) -> Source {
        let text = self.sources.text(path).unwrap_or_default().to_owned();
        Source { name: Some(self.name_of(path)), text }
    }

    /// Problems with the texts that they are in; those of one file stay together.
    pub(crate) fn reports(&self, problems: Vec<Problem>) -> Vec<Report> {
        let mut reports: Vec<(String, Report)> = Vec::new();
        for problem in problems {
            if let Some((_, report)) = reports.iter_mut().find(|(file, _)| **file == *problem.file)
            {
                report.diagnostics.push(problem.diagnostic);
            } else {
                let source = Some(self.source_of(&problem.file));
                let report = Report { source, diagnostics: vec![problem.diagnostic] };
                reports.push((problem.file.to_string(), report));
            }
        }
        reports.into_iter().map(|(_, report)| report).collect()
    }
}

/// Whether two paths lead to one file that is there.
pub(crate) fn is_same_file(one: &Path, other: &Path) -> bool {
    let of = |path: &Path| fs::metadata(path).ok().map(|it| (it.dev(), it.ino()));
    of(one).is_some_and(|it| of(other) == Some(it))
}

/// Whether a file may load others.
fn is_template(path: &str) -> bool {
    let extension = Path::new(path).extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|it| it.eq_ignore_ascii_case("bicep") || is_parameters_extension(it))
}

/// Whether a file gives values to parameters and is written in Bicep.
pub(crate) fn is_parameters_file(path: &Path) -> bool {
    path.extension().and_then(|it| it.to_str()).is_some_and(is_parameters_extension)
}

fn is_parameters_extension(extension: &str) -> bool {
    extension.eq_ignore_ascii_case("bicepparam")
}

/// What a template may read, and how its files are named.
#[derive(Debug)]
struct Root {
    folder: PathBuf,
    /// As in `Files`.
    prefix: String,
    /// As in `Files`.
    here: String,
    /// The path of the template below it.
    entry: String,
}

impl Root {
    /// The current directory.
    fn here(entry: String) -> Self {
        Self { folder: PathBuf::from("."), prefix: String::new(), here: String::new(), entry }
    }
}

/// The current directory, if the template is below it, else the template's folder.
fn placed(file: &Path) -> Root {
    if let Some(below) = below_here(file) {
        return Root::here(below);
    }
    let entry = file.file_name().map(|name| name.to_string_lossy().into_owned());
    let folder = file.parent().map(Path::to_path_buf).unwrap_or_default();
    let prefix = format!("{}/", folder.display()).replace("//", "/");
    Root { folder, prefix, here: String::new(), entry: entry.unwrap_or_default() }
}

/// The project of a template, which is more than its root.
#[derive(Debug)]
struct Project {
    root: Root,
    /// What a path in the project begins with if it is below the narrower root.
    narrow: String,
}

/// The folder above a template's root that holds the data directory or is a repository.
fn project_of(file: &Path, narrow: &Root) -> Option<Project> {
    let working_directory = fs::canonicalize(".").ok()?;
    let folder = folder_of(file, &working_directory);
    let project = find_project(&folder)?;
    // The root of the file system is not a project.
    project.parent()?;
    let below = |path: &Path| {
        let below = path.strip_prefix(project).ok()?.to_str()?;
        Some(if below.is_empty() { String::new() } else { format!("{below}/") })
    };
    let narrow = below(&narrow.folder.canonicalize().ok()?).filter(|it| !it.is_empty())?;
    let entry = format!("{}{}", below(&folder)?, file.file_name()?.to_str()?);
    let root = if let Some(here) = below(&working_directory) {
        let prefix = "../".repeat(here.matches('/').count());
        Root { folder: PathBuf::from(&prefix), prefix, here, entry }
    } else {
        let prefix = format!("{}/", project.to_str()?);
        Root { folder: project.to_owned(), prefix, here: String::new(), entry }
    };
    Some(Project { root, narrow })
}

/// The path below the current directory, if it is below it, `/` between its parts.
fn below_here(file: &Path) -> Option<String> {
    let here = fs::canonicalize(".").ok()?;
    let whole = if file.is_absolute() { file.strip_prefix(&here).ok()? } else { file };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.components() {
        match part {
            Component::CurDir => {}
            Component::Normal(name) => parts.push(name.to_str()?),
            Component::ParentDir => {
                parts.pop()?;
            }
            Component::Prefix(_) | Component::RootDir => return None,
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_below_the_current_directory_has_it_as_its_root() {
        assert_eq!(below_here(Path::new("./a/b/../main.bicep")).as_deref(), Some("a/main.bicep"));
        assert_eq!(below_here(Path::new("../main.bicep")), None);
        let root = placed(Path::new("../x/main.bicep"));
        assert_eq!(root.folder, PathBuf::from("../x"));
        assert_eq!((&*root.prefix, &*root.entry), ("../x/", "main.bicep"));
    }
}
