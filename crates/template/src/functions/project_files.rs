//! The files of the project as a context of functions: for calls of `load…` before anything else is known.

use std::sync::Arc;

use super::{Context, Fault};
use crate::deployment::Inputs;
use crate::path;
use crate::source::Sources;
use crate::value::Value;

/// The files of the project, seen from one of them.
pub(crate) struct ProjectFiles<'a> {
    sources: &'a Sources,
    file: &'a str,
    inputs: Inputs,
}

impl<'a> ProjectFiles<'a> {
    /// Paths are relative to `file`.
    pub(crate) fn seen_from(file: &'a str, sources: &'a Sources) -> Self {
        Self { sources, file, inputs: Inputs::default() }
    }
}

impl Context for ProjectFiles<'_> {
    fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    fn file(&self, path: &str) -> Result<Arc<[u8]>, Fault> {
        let Some(resolved) = path::resolve(self.file, path) else {
            return Err(Fault::call(format!("`{path}` is outside the project")));
        };
        let content = self.sources.get(&resolved).cloned();
        content.ok_or_else(|| Fault::call(format!("the file `{resolved}` was not found")))
    }

    fn folder(&self, path: &str) -> Result<Vec<String>, Fault> {
        let files = self.sources.folder(self.file, path);
        files.ok_or_else(|| Fault::call(format!("`{path}` is outside the project")))
    }

    fn next_guid(&self) -> Value {
        Value::string("")
    }
}
