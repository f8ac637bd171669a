//! Templates of several files: text in, text out.

use hangar_template::deployment::{Deployment, Inputs};
use hangar_template::program::{Compiled, compile};
use hangar_template::source::{Problem, Sources};
use serde_json::{Value as Json, json};

use crate::language::{FILE, inputs};

/// Files by their paths; `main.bicep` is the template.
pub(crate) struct Project(pub(crate) Sources);

impl Project {
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let mut sources = Sources::default();
        for (path, text) in files {
            sources.insert(*path, text.as_bytes());
        }
        Self(sources)
    }

    pub(crate) fn compiled(&self) -> Compiled {
        compile(&self.0, FILE)
    }

    /// The deployment of a template that is right.
    pub(crate) fn deployed(&self, parameters: &Json) -> Deployment {
        self.started(&inputs(parameters)).unwrap_or_else(|lines| panic!("{lines:#?}"))
    }

    pub(crate) fn started(&self, inputs: &Inputs) -> Result<Deployment, Vec<String>> {
        let compiled = self.compiled();
        let mut lines = self.told(&compiled.problems);
        let Some(program) = compiled.program else { return Err(lines) };
        let started = program.start(inputs);
        lines.extend(self.told(&started.problems));
        started.deployment.ok_or(lines)
    }

    /// What is wrong, at compilation or at the start.
    pub(crate) fn problems(&self) -> Vec<String> {
        self.problems_with(&json!({}))
    }

    pub(crate) fn problems_with(&self, parameters: &Json) -> Vec<String> {
        let compiled = self.compiled();
        let mut lines = self.told(&compiled.problems);
        if let Some(program) = compiled.program {
            lines.extend(self.told(&program.start(&inputs(parameters)).problems));
        }
        lines
    }

    /// One line each: file, severity, code, message, the text it is about, hints.
    pub(crate) fn told(&self, problems: &[Problem]) -> Vec<String> {
        let lines = problems.iter().map(|problem| {
            let text = self.0.text(&problem.file).unwrap_or_default();
            let line = crate::language::told(text, std::slice::from_ref(problem)).concat();
            format!("{}: {line}", problem.file)
        });
        lines.collect()
    }
}
