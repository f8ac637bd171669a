//! What resolving must know of resource types, from the bundled schemas.

use std::cell::RefCell;
use std::collections::HashMap;

use hangar_manifest::resolve::{TypeFacts, Types};
use hangar_schema::{Catalog, PropertyPointer, TypeSchema};

/// The types of the catalog, each compiled once.
#[derive(Debug)]
pub(crate) struct CatalogTypes {
    catalog: Catalog,
    known: RefCell<HashMap<String, Option<TypeFacts>>>,
}

impl CatalogTypes {
    pub(crate) fn bundled() -> Self {
        Self { catalog: Catalog::bundled(), known: RefCell::default() }
    }
}

impl Types for CatalogTypes {
    fn facts(&self, type_name: &str) -> Option<TypeFacts> {
        if let Some(known) = self.known.borrow().get(type_name) {
            return known.clone();
        }
        let facts = self.catalog.get(type_name).ok().map(|schema| facts_of(&schema));
        self.known.borrow_mut().insert(type_name.to_owned(), facts.clone());
        facts
    }
}

fn facts_of(schema: &TypeSchema) -> TypeFacts {
    let handlers = schema.handlers();
    let names = |pointers: &[PropertyPointer]| -> Vec<String> {
        pointers.iter().filter_map(|it| Some(it.member_names()?.join("/"))).collect()
    };
    TypeFacts {
        identifier: names(schema.primary_identifier()),
        read_only: names(&schema.lists().read_only),
        is_readable: handlers.read.is_some(),
        is_listable: handlers.list.is_some(),
        listed_under: handlers.list.as_ref().map(|list| list.parents.clone()).unwrap_or_default(),
        arn_template: schema.arn_template().map(str::to_owned),
        permissions: handlers.read.as_ref().map(|it| it.permissions.clone()).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests;
