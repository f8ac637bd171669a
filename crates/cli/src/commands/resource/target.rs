//! The one resource that a command is about: a type and an alias, or an id.

use clap::Args;
use hangar_diag::Diagnostic;
use hangar_ids::{Kind, ResourceId, TypeName};

use super::GroupArg;
use crate::client::ids;
use crate::codes;
use crate::commands::types;
use crate::failure::Failure;
use crate::input::Source;

/// A type and an alias, or an id.
#[derive(Debug, Args)]
pub(super) struct TargetArgs {
    /// Resource type, or the id of a reference or AWS resource
    #[arg(value_name = "TYPE|ID")]
    type_or_id: String,
    /// Alias of the resource, after a type
    #[arg(value_name = "ALIAS")]
    alias: Option<String>,
    /// Alias of the resource, as an option
    #[arg(long = "alias", value_name = "ALIAS", conflicts_with = "alias")]
    named: Option<String>,
    #[command(flatten)]
    group: GroupArg,
}

/// A type and an alias, or an id; and a word besides, which comes last.
#[derive(Debug, Args)]
pub(super) struct TargetWordArgs {
    /// Resource type, or the id of a reference
    #[arg(value_name = "TYPE|ID")]
    type_or_id: String,
    /// Alias of the resource, after a type
    #[arg(value_name = "ALIAS")]
    first: String,
    /// Last argument
    #[arg(value_name = "WORD")]
    second: Option<String>,
    /// Alias of the resource, as an option
    #[arg(long = "alias", value_name = "ALIAS", conflicts_with = "second")]
    named: Option<String>,
    #[command(flatten)]
    group: GroupArg,
}

impl TargetWordArgs {
    /// The group that an alias is in.
    pub(super) fn group(&self) -> &str {
        &self.group.group
    }

    /// The resource that is meant, and the word. `missing` says what is asked for where there is none.
    pub(super) fn find(&self, missing: &str) -> Result<(Target, &str), Failure> {
        let (alias, word) = match (&self.second, &self.named) {
            (Some(word), _) => (Some(&self.first), word),
            (None, Some(alias)) => (Some(alias), &self.first),
            (None, None) if self.type_or_id.starts_with('/') => (None, &self.first),
            (None, None) => {
                let hint = "pass the type, the alias and this argument; the alias can also be set with --alias ALIAS";
                let mistake = Diagnostic::error(codes::USAGE, missing);
                return Err(mistake.hint(hint).into());
            }
        };
        let alias = alias.map(String::as_str);
        let target = find(&self.type_or_id, alias, &self.group.group)?;
        if target.is == Is::Reference {
            return Ok((target, word));
        }
        let mistake = Diagnostic::error(codes::UNFIT_ID, "the id is not the id of a reference")
            .hint("an id looks like /planes/radius/local/resourceGroups/GROUP/providers/AWS.EC2/VPC:reference/ALIAS");
        Err(Failure::in_source(Source::argument(&*self.type_or_id), vec![mistake]))
    }
}

/// One resource, by its id.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) id: String,
    /// For people: the type, and the name in quotes.
    pub(crate) label: String,
    pub(crate) is: Is,
}

/// What an id is that of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Is {
    Reference,
    AwsResource,
}

impl Target {
    /// The type of the resource.
    pub(super) fn type_name(&self) -> Result<TypeName, Failure> {
        let parsed = ResourceId::parse(&self.id).ok().and_then(|id| id.aws_type());
        // It was made from a type, or read as one.
        parsed.ok_or_else(|| anyhow::anyhow!("no type in {}", self.id).into())
    }
}

impl TargetArgs {
    /// The group that an alias is in.
    pub(super) fn group(&self) -> &str {
        &self.group.group
    }

    /// The resource that is meant.
    pub(super) fn find(&self) -> Result<Target, Failure> {
        let alias = self.alias.as_deref().or(self.named.as_deref());
        find(&self.type_or_id, alias, &self.group.group)
    }

    /// The reference that is meant.
    pub(super) fn find_reference(&self) -> Result<Target, Failure> {
        let target = self.find()?;
        if target.is == Is::Reference {
            return Ok(target);
        }
        let mistake = Diagnostic::error(codes::UNFIT_ID, "the id is not the id of a reference")
            .hint("pass the type and the alias: `hangar resource list` shows them");
        Err(Failure::in_source(Source::argument(&*self.type_or_id), vec![mistake]))
    }
}

/// The resource that a type and an alias name, or an id.
pub(crate) fn find(text: &str, alias: Option<&str>, group: &str) -> Result<Target, Failure> {
    match (text.starts_with('/'), alias) {
        (true, None) => by_id(text),
        (true, Some(alias)) => {
            let message = format!("`{alias}` is redundant: the id already contains the alias");
            let hint = "pass a type and an alias, or only an id";
            Err(Diagnostic::error(codes::USAGE, message).hint(hint).into())
        }
        (false, Some(alias)) => {
            let type_name = types::parse(text)?;
            let id = ids::reference(group, &type_name, alias)?;
            let label = format!("{} `{alias}`", type_name.ucp());
            Ok(Target { id, label, is: Is::Reference })
        }
        (false, None) => {
            let type_name = types::parse(text)?.ucp();
            let message = format!("the alias of the {type_name} is missing");
            let hint =
                format!("`hangar resource list --type {type_name}` lists the aliases of this type");
            Err(Diagnostic::error(codes::USAGE, message).hint(hint).into())
        }
    }
}

fn by_id(text: &str) -> Result<Target, Failure> {
    let wrong = |mistake| Failure::in_source(Source::argument(text), vec![mistake]);
    let id = ResourceId::parse(text).map_err(wrong)?;
    let type_name = id.aws_type().filter(|_| id.kind() == Kind::Resource);
    let (Some(type_name), Some(name)) = (type_name, id.name()) else {
        let message = "the id is neither the id of a reference nor of an AWS resource";
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
        super::find(type_or_id, alias, "g")
    }

    #[test]
    fn a_word_comes_last_however_the_resource_is_named() {
        let id = "/planes/radius/local/resourceGroups/g/providers/AWS.EC2/VPC:reference/net";
        let found = |words: &[&str], named: Option<&str>| {
            let args = TargetWordArgs {
                type_or_id: words[0].to_owned(),
                first: words[1].to_owned(),
                second: words.get(2).map(|word| (*word).to_owned()),
                named: named.map(str::to_owned),
                group: GroupArg { group: "g".to_owned() },
            };
            args.find("what?").map(|(target, word)| (target.id, word.to_owned()))
        };
        let expected = (id.to_owned(), "new".to_owned());
        assert_eq!(found(&["AWS.EC2/VPC", "net", "new"], None).unwrap(), expected);
        assert_eq!(found(&["AWS.EC2/VPC", "new"], Some("net")).unwrap(), expected);
        assert_eq!(found(&[id, "new"], None).unwrap(), expected);
        assert!(found(&["AWS.EC2/VPC", "new"], None).is_err());
        let aws = "/planes/aws/aws/accounts/1/regions/us-east-1/providers/AWS.EC2/VPC/vpc-1";
        assert!(found(&[aws, "new"], None).is_err());
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
