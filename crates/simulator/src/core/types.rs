//! The types that calls name: compiled when they are asked for, the last ones kept.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use hangar_schema::{Catalog, TypeSchema};

use super::refusal::{Exception, Refusal};

/// So many compiled types are kept.
const MAX_KEPT: usize = 256;

/// The types of the catalog.
#[derive(Debug)]
pub struct Types {
    catalog: Catalog,
    kept: HashMap<Arc<str>, Arc<TypeSchema>>,
    order: VecDeque<Arc<str>>,
}

/// What can be done with a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Makes a resource.
    Create,
    /// Reads one.
    Read,
    /// Changes one.
    Update,
    /// Deletes one.
    Delete,
    /// Lists them.
    List,
}

impl Action {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Read => "READ",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
            Self::List => "LIST",
        }
    }
}

impl Types {
    /// The types of a catalog.
    pub fn new(catalog: Catalog) -> Self {
        Self { catalog, kept: HashMap::new(), order: VecDeque::new() }
    }

    /// A type, by its name in AWS's spelling; AWS tells upper from lower case.
    pub fn get(&mut self, name: &str) -> Result<Arc<TypeSchema>, Refusal> {
        if let Some(kept) = self.kept.get(name) {
            return Ok(Arc::clone(kept));
        }
        let unknown =
            || Refusal::new(Exception::TypeNotFound, format!("The type '{name}' cannot be found."));
        if self.catalog.spelling(name) != Some(name) {
            return Err(unknown());
        }
        let compiled = Arc::new(self.catalog.get(name).map_err(|_| unknown())?);
        if self.order.len() >= MAX_KEPT
            && let Some(oldest) = self.order.pop_front()
        {
            self.kept.remove(&oldest);
        }
        let name: Arc<str> = name.into();
        self.order.push_back(Arc::clone(&name));
        self.kept.insert(name, Arc::clone(&compiled));
        Ok(compiled)
    }

    /// A type of which this can be done.
    pub fn get_for(&mut self, name: &str, action: Action) -> Result<Arc<TypeSchema>, Refusal> {
        let schema = self.get(name)?;
        let handlers = schema.handlers();
        let can = match action {
            Action::Create => handlers.create.is_some(),
            Action::Read => handlers.read.is_some(),
            Action::Update => handlers.update.is_some(),
            Action::Delete => handlers.delete.is_some(),
            Action::List => handlers.list.is_some(),
        };
        if can {
            return Ok(schema);
        }
        let message = format!("Resource type {name} does not support {} action", action.as_str());
        Err(Refusal::new(Exception::UnsupportedAction, message))
    }
}
