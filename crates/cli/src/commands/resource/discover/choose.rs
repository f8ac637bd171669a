//! Which types are listed, and which cannot be.

use hangar_diag::Diagnostic;
use hangar_ids::TypeName;
use hangar_schema::{Catalog, TypeSchema};
use serde::Serialize;

use crate::codes;
use crate::commands::types;
use crate::failure::Failure;

/// One type that is listed.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) type_name: TypeName,
    /// What it is listed below.
    pub(super) parent: Vec<(String, String)>,
}

/// One type that is not listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Skipped {
    pub(super) r#type: String,
    /// What it would be listed below; nothing where it cannot be listed at all.
    pub(super) parents: Vec<String>,
}

/// What is listed and what is not.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    pub(super) asked: Vec<Asked>,
    pub(super) skipped: Vec<Skipped>,
}

/// Every type of the catalog that Cloud Control can manage.
pub(super) fn all() -> Result<Chosen, Failure> {
    let catalog = Catalog::bundled();
    let mut chosen = Chosen::default();
    for name in catalog.names() {
        let schema = catalog.get(name).map_err(anyhow::Error::from)?;
        if schema.handlers().is_empty() {
            continue;
        }
        let type_name = types::parse(name)?;
        match &schema.handlers().list {
            Some(list) if list.parents.is_empty() => {
                chosen.asked.push(Asked { type_name, parent: Vec::new() });
            }
            list => {
                let parents = list.as_ref().map(|list| list.parents.clone()).unwrap_or_default();
                chosen.skipped.push(Skipped { r#type: type_name.ucp(), parents });
            }
        }
    }
    Ok(chosen)
}

/// The types that were named.
pub(super) fn named(names: &[String], parent: &[(String, String)]) -> Result<Chosen, Failure> {
    if let (true, [(key, _), ..]) = (names.len() > 1, parent) {
        let message = format!("--parent {key}=… was passed with {} types", names.len());
        return Err(Diagnostic::error(codes::USAGE, message)
            .hint("a parent belongs to one type: discover one type at a time")
            .into());
    }
    let mut chosen = Chosen::default();
    for name in names {
        let schema = types::bundled(name)?;
        check(&schema, parent)?;
        let type_name = types::parse(schema.name())?;
        if chosen.asked.iter().all(|asked: &Asked| asked.type_name != type_name) {
            chosen.asked.push(Asked { type_name, parent: parent.to_vec() });
        }
    }
    Ok(chosen)
}

/// Refuses what cannot be listed, and says what a list needs.
fn check(schema: &TypeSchema, parent: &[(String, String)]) -> Result<(), Failure> {
    types::check_handlers(schema)?;
    let name = types::our_spelling(schema.name());
    let Some(list) = &schema.handlers().list else {
        let message = format!("Cloud Control cannot list resources of {name}");
        return Err(Diagnostic::error(codes::NOT_LISTED, message)
            .hint("import known resources: `hangar resource import TYPE IDENTIFIER --alias NAME`")
            .into());
    };
    let is_given = |wanted: &String| parent.iter().any(|(key, _)| key == wanted);
    let lacking: Vec<&String> = list.parents.iter().filter(|wanted| !is_given(wanted)).collect();
    if lacking.is_empty() {
        return Ok(());
    }
    let flags: Vec<String> = lacking.iter().map(|name| format!("--parent {name}=…")).collect();
    let message = format!("{name} can only be listed below a parent");
    Err(Diagnostic::error(codes::NOT_LISTED, message)
        .hint(format!("pass the parent: {}", flags.join(" ")))
        .into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_types_are_listed_that_need_no_parent() {
        let Chosen { asked, skipped } = all().unwrap();
        assert!(asked.len() > 1000 && skipped.len() > 300, "{} {}", asked.len(), skipped.len());
        let stage = skipped.iter().find(|it| it.r#type == "AWS.ApiGateway/Stage").unwrap();
        assert_eq!(stage.parents, ["RestApiId"]);
        assert!(asked.iter().any(|asked| asked.type_name.ucp() == "AWS.EC2/VPC"));
    }

    #[test]
    fn a_named_type_needs_its_parent() {
        let names = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        let parent = [("RestApiId".to_owned(), "a1".to_owned())];
        assert!(named(&names(&["AWS.ApiGateway/Stage"]), &[]).is_err());
        assert!(named(&names(&["AWS.ApiGateway/Stage"]), &parent).is_ok());
        assert!(named(&names(&["AWS.ApiGateway/Stage", "AWS.EC2/VPC"]), &parent).is_err());
        let twice = named(&names(&["AWS.EC2/VPC", "aws::ec2::vpc"]), &[]).unwrap();
        assert_eq!(twice.asked.len(), 1);
    }
}
