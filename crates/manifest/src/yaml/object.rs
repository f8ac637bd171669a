//! The object of Kubernetes that a scalar belongs to, told well enough to find it.

use std::fmt;

use hangar_diag::Span;

/// One object: a document, or an item of a list of objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    /// `apps/v1`.
    pub api_version: Option<String>,
    /// `Deployment`.
    pub kind: Option<String>,
    /// The namespace, where it names one.
    pub namespace: Option<String>,
    /// The name; an object with `generateName` has none yet.
    pub name: Option<String>,
    /// Which document of the text it is in, from 0 on.
    pub document: usize,
    /// Its place in the text.
    pub span: Span,
}

impl Object {
    pub(super) fn new(document: usize, span: Span) -> Self {
        Self { api_version: None, kind: None, namespace: None, name: None, document, span }
    }

    /// Whether it is a list whose items are objects: `List`, `ResourceList`, `DeploymentList`.
    pub(super) fn is_list(&self) -> bool {
        self.kind.as_deref().is_some_and(|kind| kind.ends_with("List"))
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(kind) = &self.kind else {
            return write!(f, "document {}", self.document + 1);
        };
        match (&self.namespace, &self.name) {
            (Some(namespace), Some(name)) => write!(f, "{kind} {namespace}/{name}"),
            (None, Some(name)) => write!(f, "{kind} {name}"),
            (_, None) => write!(f, "{kind} in document {}", self.document + 1),
        }
    }
}
