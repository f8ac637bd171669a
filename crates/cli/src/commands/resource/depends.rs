//! `--depends-on`: what must be there before a resource, and goes after it.

use clap::Args;
use hangar_diag::Diagnostic;
use hangar_ids::{Kind, ResourceId, TypeName};

use crate::client::ids;
use crate::codes;
use crate::commands::types;
use crate::failure::Failure;
use crate::input::Source;

/// What a resource depends on.
#[derive(Debug, Args)]
pub(super) struct DependsArgs {
    /// Resource that it depends on (repeatable)
    ///
    /// An alias of the same type, TYPE/ALIAS, or the id of a reference. When the group is deleted,
    /// this resource is deleted first. '' removes all dependencies.
    ///
    /// [default: the dependencies are kept]
    #[arg(long, value_name = "REF", num_args = 1..)]
    depends_on: Vec<String>,
}

impl DependsArgs {
    /// The ids of the references; nothing where none was named.
    pub(super) fn ids(
        &self,
        group: &str,
        type_name: &TypeName,
    ) -> Result<Option<Vec<String>>, Failure> {
        if self.depends_on.is_empty() {
            return Ok(None);
        }
        let named = self.depends_on.iter().filter(|text| !text.is_empty());
        named.map(|text| id_of(text, group, type_name)).collect::<Result<_, _>>().map(Some)
    }
}

fn id_of(text: &str, group: &str, type_name: &TypeName) -> Result<String, Failure> {
    if text.starts_with('/') {
        let wrong = |mistake| Failure::in_source(Source::argument(text), vec![mistake]);
        let id = ResourceId::parse(text).map_err(wrong)?;
        if id.is_reference() && id.kind() == Kind::Resource {
            return Ok(id.to_string());
        }
        let message =
            "a resource can only depend on references, and this is not the id of a reference";
        return Err(wrong(
            Diagnostic::error(codes::UNFIT_ID, message)
                .hint("pass an alias, TYPE/ALIAS, or …/providers/AWS.EC2/VPC:reference/ALIAS"),
        ));
    }
    // A type has a slash itself, an alias has none.
    match text.rsplit_once('/') {
        Some((of_type, alias)) => ids::reference(group, &types::parse(of_type)?, alias),
        None => ids::reference(group, type_name, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(given: &[&str]) -> Result<Option<Vec<String>>, Failure> {
        let depends_on = given.iter().map(|text| (*text).to_owned()).collect();
        DependsArgs { depends_on }.ids("g", &TypeName::parse("AWS.EC2/Subnet").unwrap())
    }

    #[test]
    fn a_dependency_is_named_by_alias_by_type_or_by_id() {
        let group = "/planes/radius/local/resourceGroups/g/providers";
        let other = "/planes/radius/local/resourceGroups/h/providers/AWS.EC2/VPC:reference/x";
        let found = ids(&["a", "AWS.EC2/VPC/net", "AWS::EC2::VPC/b", other]).unwrap().unwrap();
        let expected = [
            format!("{group}/AWS.EC2/Subnet:reference/a"),
            format!("{group}/AWS.EC2/VPC:reference/net"),
            format!("{group}/AWS.EC2/VPC:reference/b"),
            other.to_owned(),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn none_is_not_the_same_as_left_out() {
        assert_eq!(ids(&[]).unwrap(), None);
        assert_eq!(ids(&[""]).unwrap(), Some(Vec::new()));
    }

    #[test]
    fn what_names_no_reference_is_refused() {
        let vpc = "/planes/aws/aws/accounts/1/regions/us-east-1/providers/AWS.EC2/VPC/vpc-1";
        for text in [vpc, "VPC/net", "AWS.EC2/VPC/", "/planes/radius/local/resourceGroups/g"] {
            assert!(ids(&[text]).is_err(), "{text}");
        }
    }
}
