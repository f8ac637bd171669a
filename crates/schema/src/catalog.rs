//! The bundled catalog: every public resource type, each compressed on its own and compiled only
//! when it is asked for.

mod archive;

use serde_json::Value;

pub use archive::{Archive, ArchiveError};

use crate::advice;
use crate::type_schema::{CompileError, Source, TypeSchema};

/// The committed catalog, made by `cargo xtask schemas` and described in `data/README.md`.
pub const BUNDLED: &[u8] = include_bytes!("../data/catalog.bin");

/// Resource types by name.
#[derive(Debug, Clone, Copy)]
pub struct Catalog {
    archive: Archive,
}

/// Why a type cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CatalogError {
    /// No such type.
    #[error("the resource type {name} does not exist in the catalog")]
    Unknown {
        /// What was asked for.
        name: String,
        /// The type that was perhaps meant.
        nearest: Option<&'static str>,
    },
    /// The entry cannot be read.
    #[error("the catalog entry of {name} cannot be read")]
    Unreadable {
        /// The type.
        name: String,
        /// What is wrong with the archive.
        source: ArchiveError,
    },
    /// The entry is not JSON.
    #[error("the catalog entry of {name} is not JSON: {detail}")]
    NotJson {
        /// The type.
        name: String,
        /// What the JSON reader says.
        detail: String,
    },
    /// The entry is not a schema.
    #[error("the catalog entry of {name} is not a schema")]
    NotASchema {
        /// The type.
        name: String,
        /// What is missing.
        source: CompileError,
    },
}

impl Catalog {
    /// The catalog that is part of the program.
    pub fn bundled() -> Self {
        Self {
            archive: Archive::open(BUNDLED).expect("the committed catalog is tested to be whole"),
        }
    }

    /// The names of all types in CloudFormation's spelling, sorted.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.archive.names()
    }

    /// How many types there are.
    pub fn len(&self) -> usize {
        self.archive.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.archive.is_empty()
    }

    /// The catalog's spelling of a type name given in any case.
    pub fn spelling(&self, name: &str) -> Option<&'static str> {
        self.archive.spelling(name)
    }

    /// Compiles a type, by its name in CloudFormation's spelling (`AWS::EC2::VPC`, in any case).
    pub fn get(&self, name: &str) -> Result<TypeSchema, CatalogError> {
        let mut document = self.document(name)?;
        let advice = document.get_mut("advice").map(Value::take).unwrap_or_default();
        let source = match document.get("source").and_then(Value::as_str) {
            Some("cfnlint") => Source::CfnLint,
            _ => Source::Aws,
        };
        let template = document.get("arnTemplate").and_then(Value::as_str).map(str::to_owned);
        let mut schema = document.get_mut("schema").map(Value::take).unwrap_or_default();
        advice::put_into(&mut schema, &advice);
        TypeSchema::compile(&schema, source)
            .map(|schema| schema.with_arn_template(template))
            .map_err(|source| CatalogError::NotASchema { name: name.to_owned(), source })
    }

    /// The schema text of a type as a document, descriptions left out.
    pub fn schema_document(&self, name: &str) -> Result<Value, CatalogError> {
        let mut document = self.document(name)?;
        Ok(document.get_mut("schema").map(Value::take).unwrap_or_default())
    }

    fn document(&self, name: &str) -> Result<Value, CatalogError> {
        let bytes = self.archive.find(name).ok_or_else(|| CatalogError::Unknown {
            name: name.to_owned(),
            nearest: hangar_diag::nearest(name, self.names()),
        })?;
        let bytes =
            bytes.map_err(|source| CatalogError::Unreadable { name: name.to_owned(), source })?;
        serde_json::from_slice(&bytes).map_err(|error| CatalogError::NotJson {
            name: name.to_owned(),
            detail: error.to_string(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_found_in_any_case_and_a_near_name_is_suggested() {
        let catalog = Catalog::bundled();
        assert_eq!(catalog.get("aws::ec2::vpc").unwrap().name(), "AWS::EC2::VPC");
        let error = catalog.get("AWS::EC2::VCP").unwrap_err();
        assert_eq!(
            error,
            CatalogError::Unknown { name: "AWS::EC2::VCP".into(), nearest: Some("AWS::EC2::VPC") }
        );
    }
}
