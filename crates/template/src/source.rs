//! The files that a template is made of, and what is wrong with them.

use std::collections::BTreeMap;
use std::sync::Arc;

use hangar_diag::{Diagnostic, Span};

use crate::path;
use crate::resource_types::{ResourceTypeSource, ResourceTypes};

/// Files by their path below the root of the project, `/` between its parts: all that a template can read.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// Shared: every file of a program has all of them.
    files: Arc<BTreeMap<String, Arc<[u8]>>>,
    types: ResourceTypeSource,
}

impl PartialEq for Sources {
    fn eq(&self, other: &Self) -> bool {
        self.files == other.files
    }
}

impl Eq for Sources {}

impl Sources {
    /// One file alone.
    pub fn of(path: impl Into<String>, content: impl Into<Arc<[u8]>>) -> Self {
        let mut sources = Self::default();
        sources.insert(path, content);
        sources
    }

    /// The same files, with a source of the types of AWS's resources for `resourceInput<…>`. Without one these types
    /// are not checked.
    #[must_use]
    pub fn with_resource_types(mut self, types: Arc<dyn ResourceTypes>) -> Self {
        self.types = ResourceTypeSource(Some(types));
        self
    }

    pub(crate) const fn resource_types(&self) -> &ResourceTypeSource {
        &self.types
    }

    /// Adds a file, or takes its place.
    pub fn insert(&mut self, path: impl Into<String>, content: impl Into<Arc<[u8]>>) {
        Arc::make_mut(&mut self.files).insert(path.into(), content.into());
    }

    /// The content of a file.
    pub fn get(&self, path: &str) -> Option<&Arc<[u8]>> {
        self.files.get(path)
    }

    /// The text of a file, if it is text.
    pub fn text(&self, path: &str) -> Option<&str> {
        std::str::from_utf8(self.files.get(path)?).ok()
    }

    /// The files right in a folder, by their paths relative to that of `file`, in their order. Nothing if the folder,
    /// which `file` names, is outside of the project.
    pub(crate) fn folder(&self, file: &str, folder: &str) -> Option<Vec<String>> {
        let folder = path::resolve_folder(file, folder)?;
        let is_in = |it: &&str| it.rsplit_once('/').map_or("", |(folder, _)| folder) == folder;
        let paths = self.files.keys().map(String::as_str).filter(is_in);
        Some(paths.map(|it| path::relative(file, it)).collect())
    }

    /// All files in the order of their paths.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Arc<[u8]>)> {
        self.files.iter().map(|(path, content)| (path.as_str(), content))
    }
}

/// A place in one of the files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The path of the file.
    pub file: Arc<str>,
    /// The bytes in it.
    pub span: Span,
}

/// Something to tell about one of the files; the places of the diagnostic are in that file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The path of the file.
    pub file: Arc<str>,
    /// What is wrong in it.
    pub diagnostic: Diagnostic,
}

impl Problem {
    /// Whether it stops the work.
    pub fn is_error(&self) -> bool {
        self.diagnostic.is_error()
    }
}

/// Adds problems to others, each once; after so many, one more tells nothing.
pub(crate) fn add(problems: &mut Vec<Problem>, more: Vec<Problem>) {
    const MOST: usize = 500;
    for problem in more {
        if problems.len() >= MOST {
            return;
        }
        if !problems.contains(&problem) {
            problems.push(problem);
        }
    }
}
