//! Finds the resource type that a command is about: by name in the catalog, or from a schema file.

mod unquoted;

use std::path::Path;

use hangar_diag::Diagnostic;
use hangar_ids::TypeName;
use hangar_schema::json::Document;
use hangar_schema::{Catalog, CatalogError, Purpose, Source as Origin, TypeSchema, json, validate};

use crate::client::ids::quoted;
use crate::codes;
use crate::failure::Failure;
use crate::input::{Inputs, Source};

/// A type of the catalog, named in either spelling.
pub(crate) fn bundled(name: &str) -> Result<TypeSchema, Failure> {
    let type_name = parse(name)?;
    Catalog::bundled().get(&type_name.cloud_formation()).map_err(|error| unknown(&type_name, error))
}

/// Refuses a type that Cloud Control cannot write, before anything else is said of it.
pub(crate) fn check_handlers(schema: &TypeSchema) -> Result<(), Failure> {
    if !schema.handlers().is_empty() {
        return Ok(());
    }
    let name = our_spelling(schema.name());
    let message = format!("Cloud Control cannot manage {name}: it has no handlers");
    Err(Diagnostic::error(hangar_schema::codes::NO_HANDLERS, message)
        .hint("use CloudFormation or the service's own API for this type")
        .into())
}

/// The schema document of a type of the catalog.
pub(crate) fn bundled_document(name: &str) -> Result<serde_json::Value, Failure> {
    let type_name = parse(name)?;
    let document = Catalog::bundled().schema_document(&type_name.cloud_formation());
    document.map_err(|error| unknown(&type_name, error))
}

/// Our spelling of a CloudFormation type name; as it is where it is none.
pub(crate) fn our_spelling(cloud_formation: &str) -> String {
    TypeName::parse(cloud_formation).map_or_else(|_| cloud_formation.to_owned(), |name| name.ucp())
}

/// A type's name, in either spelling.
pub(crate) fn parse(name: &str) -> Result<TypeName, Failure> {
    TypeName::parse(name).map_err(|mistake| {
        let mistake = if is_part_of_a_type(name) {
            let list = format!("hangar schema list {}", quoted(name));
            mistake.hint(format!("`{list}` lists the types whose names contain it"))
        } else {
            mistake
        };
        Failure::in_source(Source::argument(name), vec![mistake])
    })
}

/// Whether a type of the catalog has the text in its name, such as the name of a service.
fn is_part_of_a_type(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let has_text = |name: &str| {
        let (name, ours) = (name.to_ascii_lowercase(), our_spelling(name).to_ascii_lowercase());
        name.contains(&text) || ours.contains(&text)
    };
    !text.is_empty() && Catalog::bundled().names().any(has_text)
}

fn unknown(name: &TypeName, error: CatalogError) -> Failure {
    let CatalogError::Unknown { nearest, .. } = error else {
        return anyhow::Error::from(error).into();
    };
    let mut diagnostic = Diagnostic::error(
        hangar_schema::codes::UNKNOWN_TYPE,
        format!("the catalog has no type `{}`", name.ucp()),
    );
    if let Some(nearest) = nearest {
        diagnostic = diagnostic.hint(format!("did you mean `{}`?", our_spelling(nearest)));
    }
    diagnostic.hint("`hangar schema list PATTERN` lists the types that exist").into()
}

/// A type from a schema file.
pub(crate) fn from_file(path: &Path, inputs: &mut Inputs) -> Result<TypeSchema, Failure> {
    let (source, document) = read_json(path, inputs)?;
    TypeSchema::compile(document.value(), Origin::File).map_err(|error| {
        let mistake = Diagnostic::error(hangar_schema::codes::NOT_A_SCHEMA, error.to_string())
            .hint("pass a CloudFormation resource type schema, as DescribeType returns it");
        Failure::in_source(source, vec![mistake])
    })
}

/// A JSON file, with its text for the places of mistakes.
pub(crate) fn read_json(path: &Path, inputs: &mut Inputs) -> Result<(Source, Document), Failure> {
    let source = inputs.read(path)?;
    match json::read(&source.text) {
        Ok(document) => Ok((source, document)),
        Err(mistake) => Err(Failure::in_source(source, vec![mistake])),
    }
}

/// A JSON file that holds a document of properties.
pub(crate) fn read_properties(
    path: &Path,
    inputs: &mut Inputs,
) -> Result<(Source, Document), Failure> {
    let source = inputs.read(path)?;
    let document = match json::read(&source.text) {
        Ok(document) => document,
        Err(mistake) => {
            let hidden = unquoted::values(&source.text);
            let mistake = unquoted::without_words(mistake);
            return Err(Failure::in_source(source.masked(hidden), vec![mistake]));
        }
    };
    if document.value().is_object() {
        return Ok((source, document));
    }
    let hidden = unquoted::values(&source.text);
    let source = source.masked(hidden);
    let mut mistake =
        Diagnostic::error(codes::NOT_PROPERTIES, "a document of properties must be a JSON object")
            .pointer("")
            .hint("pass only the properties, such as {\"CidrBlock\": \"10.0.0.0/16\"}");
    if let Some(span) = document.span_of("") {
        mistake = mistake.at(span, "not an object");
    }
    Err(Failure::in_source(source, vec![mistake]))
}

/// The text of a document without the write-only values in it: mistakes are shown in their lines,
/// and a terminal is not the place for a password.
pub(crate) fn without_secrets(schema: &TypeSchema, source: Source, document: &Document) -> Source {
    let mut pointers = hangar_schema::secret_pointers(schema, document.value());
    let found = validate(schema, document.value(), Purpose::Desired);
    pointers.extend(unknown_pointers(&found).map(str::to_owned));
    source.masked(pointers.iter().filter_map(|pointer| document.span_of(pointer)))
}

/// Where properties stand that the schema does not know: each may be a secret one, misspelt.
pub(crate) fn unknown_pointers(found: &[Diagnostic]) -> impl Iterator<Item = &str> {
    let unknown = |found: &&Diagnostic| found.code == hangar_schema::codes::UNKNOWN_PROPERTY;
    found.iter().filter(unknown).filter_map(|found| found.pointer.as_deref())
}
