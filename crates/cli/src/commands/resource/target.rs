//! The one resource that a command is about: a type and an alias, or an id.

use clap::Args;
use hangar_diag::Diagnostic;
use hangar_ids::{Kind, ResourceId};

use super::GroupArg;
use crate::client::ids;
use crate::codes;
use crate::commands::types;
use crate::failure::Failure;
use crate::input::Source;

/// A type and an alias, or an id.
#[derive(Debug, Args)]
pub(super) struct TargetArgs {
    /// The resource type, `AWS.EC2/VPC`; or the id of a reference or of an AWS resource
    #[arg(value_name = "TYPE|ID")]
    type_or_id: String,
    /// The alias, where a type is given
    #[arg(value_name = "ALIAS")]
    alias: Option<String>,
    #[command(flatten)]
    group: GroupArg,
}

/// One resource, by its id.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) id: String,
    /// For people: the type, and the name in quotes.
    pub(super) label: String,
    pub(super) is: Is,
}

/// What an id is that of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Is {
    Reference,
    AwsResource,
}

impl TargetArgs {
    /// The group that an alias is in.
    pub(super) fn group(&self) -> &str {
        &self.group.group
    }

    /// The resource that is meant.
    pub(super) fn find(&self) -> Result<Target, Failure> {
        let text = self.type_or_id.as_str();
        match (text.starts_with('/'), &self.alias) {
            (true, None) => by_id(text),
            (true, Some(alias)) => {
                let message = format!("`{alias}` is given besides an id, which says it all");
                let hint = "give a type and an alias, or an id";
                Err(Diagnostic::error(codes::USAGE, message).hint(hint).into())
            }
            (false, Some(alias)) => {
                let type_name = types::parse(text)?;
                let id = ids::reference(&self.group.group, &type_name, alias)?;
                let label = format!("{} `{alias}`", type_name.ucp());
                Ok(Target { id, label, is: Is::Reference })
            }
            (false, None) => {
                let type_name = types::parse(text)?.ucp();
                let message = format!("which {type_name} is meant? its alias is missing");
                let hint =
                    format!("`hangar resource list --type {type_name}` shows those there are");
                Err(Diagnostic::error(codes::USAGE, message).hint(hint).into())
            }
        }
    }
}

fn by_id(text: &str) -> Result<Target, Failure> {
    let wrong = |mistake| Failure::in_source(Source::argument(text), vec![mistake]);
    let id = ResourceId::parse(text).map_err(wrong)?;
    let type_name = id.aws_type().filter(|_| id.kind() == Kind::Resource);
    let (Some(type_name), Some(name)) = (type_name, id.name()) else {
        let message = "the id is neither that of a reference nor that of an AWS resource";
        return Err(wrong(
            Diagnostic::error(codes::UNFIT_ID, message)
                .hint("an id looks like /planes/radius/local/resourceGroups/GROUP/providers/AWS.EC2/VPC:reference/ALIAS"),
        ));
    };
    let is = if id.is_reference() { Is::Reference } else { Is::AwsResource };
    Ok(Target { label: format!("{} `{name}`", type_name.ucp()), id: id.to_string(), is })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(type_or_id: &str, alias: Option<&str>) -> Result<Target, Failure> {
        let group = GroupArg { group: "g".to_owned() };
        let (type_or_id, alias) = (type_or_id.to_owned(), alias.map(str::to_owned));
        TargetArgs { type_or_id, alias, group }.find()
    }

    #[test]
    fn a_type_and_an_alias_name_what_an_id_names() {
        let id = "/planes/radius/local/resourceGroups/g/providers/AWS.EC2/VPC:reference/net";
        let label = "AWS.EC2/VPC `net`".to_owned();
        let target = Target { id: id.to_owned(), label, is: Is::Reference };
        assert_eq!(find("AWS::EC2::VPC", Some("net")).unwrap(), target);
        assert_eq!(find(id, None).unwrap(), target);
        let aws = "/planes/aws/aws/accounts/1/regions/us-east-1/providers/AWS.EC2/VPC/vpc-1";
        let aws = find(aws, None).unwrap();
        assert_eq!((aws.label.as_str(), aws.is), ("AWS.EC2/VPC `vpc-1`", Is::AwsResource));
    }

    #[test]
    fn what_names_no_one_resource_is_refused() {
        let group = "/planes/radius/local/resourceGroups/g";
        let all = format!("{group}/providers/AWS.EC2/VPC:reference");
        for (type_or_id, alias) in [
            ("AWS.EC2/VPC", None),
            ("AWS.EC2/VPC", Some("")),
            ("AWS.EC2/VPC", Some("a/b")),
            ("VPC", Some("net")),
            (group, None),
            (&all, None),
            (&all, Some("net")),
        ] {
            assert!(find(type_or_id, alias).is_err(), "{type_or_id} {alias:?}");
        }
    }
}
