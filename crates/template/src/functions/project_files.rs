//! The files of the project as a context of functions: for calls of `load…` before anything else is known.

use std::sync::Arc;

use super::{Context, Fault};
use crate::deployment::Inputs;
use crate::path;
use crate::source::Sources;
use crate::value::Value;

const ONLY_INSIDE: &str = "only files inside the project folder can be read";

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
            let fault = Fault::call(format!("`{path}` is outside the project"));
            return Err(fault.hint(ONLY_INSIDE));
        };
        let content = self.sources.get(&resolved).cloned();
        content.ok_or_else(|| {
            let fault = Fault::call(format!("the file `{resolved}` was not found"));
            fault.hint("correct the path, which is relative to this file, or add the file")
        })
    }

    fn folder(&self, path: &str) -> Result<Vec<String>, Fault> {
        let files = self.sources.folder(self.file, path);
        files.ok_or_else(|| {
            Fault::call(format!("`{path}` is outside the project")).hint(ONLY_INSIDE)
        })
    }

    fn next_guid(&self) -> Value {
        Value::string("")
    }
}
