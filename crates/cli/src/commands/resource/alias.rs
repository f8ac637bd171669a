//! A name to propose for a resource that nobody has named yet: pure.

use std::collections::HashSet;

use hangar_schema::{IdentifierChoice, TypeSchema};
use serde_json::Value;

/// As long as a proposal gets: an alias may be longer, nobody wants to type it.
const LONGEST: usize = 80;

/// What a resource is called by its properties: by its `Name` tag, or by a property that names it.
pub(super) fn named_by_properties(schema: &TypeSchema, properties: &Value) -> Option<String> {
    name_tag(schema, properties).or_else(|| name_property(schema, properties))
}

/// A name made of what AWS calls it: without what all of its kind have in common.
pub(super) fn named_by_identifier(identifier: &str) -> String {
    let is_path = identifier.starts_with("arn:") || identifier.contains("://");
    if !is_path {
        return identifier.to_owned();
    }
    let last = identifier.rsplit(['/', ':']).find(|part| !part.is_empty());
    last.unwrap_or(identifier).to_owned()
}

/// Whether properties say anything of tags.
pub(super) fn shows_tags(schema: &TypeSchema, properties: &Value) -> bool {
    tags(schema, properties).is_some()
}

fn tags<'a>(schema: &TypeSchema, properties: &'a Value) -> Option<&'a Value> {
    let names = schema.tag_property()?.member_names()?;
    names.iter().try_fold(properties, |at, name| at.get(*name))
}

/// The value of the tag `Name`: tags are a list of pairs, or a map.
fn name_tag(schema: &TypeSchema, properties: &Value) -> Option<String> {
    let value = match tags(schema, properties)? {
        Value::Array(pairs) => {
            let is_name = |pair: &&Value| pair.get("Key").and_then(Value::as_str) == Some("Name");
            pairs.iter().find(is_name)?.get("Value")?
        }
        tags => tags.get("Name")?,
    };
    value.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned)
}

/// The value of `Name`, of `BucketName` for a bucket, or of what its caller chose to be known by.
fn name_property(schema: &TypeSchema, properties: &Value) -> Option<String> {
    let thing = schema.name().rsplit("::").next().unwrap_or_default();
    let chosen = (schema.identifier_choice() != Some(IdentifierChoice::Generated))
        .then(|| schema.primary_identifier().last()?.member_names())
        .flatten();
    let chosen = chosen.and_then(|names| match names.as_slice() {
        [one] => Some((*one).to_owned()),
        _ => None,
    });
    let names = [Some("Name".to_owned()), Some(format!("{thing}Name")), chosen];
    let values = names.iter().flatten().filter_map(|name| properties.get(name)?.as_str());
    values
        .map(str::trim)
        .find(|text| !text.is_empty() && !text.starts_with("arn:"))
        .map(str::to_owned)
}

/// Names that are valid aliases and not taken.
#[derive(Debug, Default)]
pub(super) struct Aliases {
    /// In lower case: aliases compare without case.
    taken: HashSet<String>,
}

impl Aliases {
    /// Notes an alias that is in use.
    pub(super) fn take(&mut self, type_name: &str, alias: &str) {
        self.taken.insert(key(type_name, alias));
    }

    /// A free alias that is as much like the name as it can be.
    pub(super) fn propose(&mut self, type_name: &str, name: &str) -> String {
        let valid = valid(name);
        let numbered = (2..).map(|number| format!("{valid}-{number}"));
        let mut candidates = std::iter::once(valid.clone()).chain(numbered);
        let free = candidates.find(|alias| !self.taken.contains(&key(type_name, alias)));
        let alias = free.unwrap_or(valid);
        self.take(type_name, &alias);
        alias
    }
}

fn key(type_name: &str, alias: &str) -> String {
    format!("{type_name}/{alias}").to_ascii_lowercase()
}

/// A name with what an alias cannot hold, or a shell would stumble over, turned into dashes.
fn valid(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let mut valid = String::new();
    for c in name.chars().take(LONGEST) {
        match c {
            c if is_plain(c) => valid.push(c),
            _ if valid.ends_with('-') => {}
            _ => valid.push('-'),
        }
    }
    let valid = valid.trim_matches(['-', '.']);
    if valid.is_empty() { "unnamed".to_owned() } else { valid.to_owned() }
}

#[cfg(test)]
mod tests {
    use hangar_schema::Catalog;
    use serde_json::json;

    use super::*;

    fn named(type_name: &str, properties: &Value) -> Option<String> {
        named_by_properties(&Catalog::bundled().get(type_name).unwrap(), properties)
    }

    #[test]
    fn a_name_tag_comes_before_a_name_property() {
        let tags = json!([{"Key": "team", "Value": "a"}, {"Key": "Name", "Value": "web"}]);
        let group = "AWS::EC2::SecurityGroup";
        assert_eq!(named(group, &json!({"GroupName": "g", "Tags": tags})).as_deref(), Some("web"));
        assert_eq!(named("AWS::EC2::VPC", &json!({"VpcId": "vpc-1"})), None);
        assert_eq!(
            named("AWS::S3::Bucket", &json!({"BucketName": "logs"})).as_deref(),
            Some("logs")
        );
        assert_eq!(
            named("AWS::IAM::Role", &json!({"RoleName": "svc", "Tags": []})).as_deref(),
            Some("svc")
        );
    }

    #[test]
    fn a_name_is_made_of_the_end_of_an_arn_or_a_url() {
        for (identifier, name) in [
            ("vpc-1", "vpc-1"),
            ("arn:aws:sns:us-east-1:1:topic", "topic"),
            ("arn:aws:elasticloadbalancing:us-east-1:1:loadbalancer/app/x/50dc", "50dc"),
            ("https://sqs.us-east-1.amazonaws.com/1/jobs", "jobs"),
            ("a|b", "a|b"),
        ] {
            assert_eq!(named_by_identifier(identifier), name);
        }
    }

    #[test]
    fn a_proposal_is_valid_and_free() {
        let mut aliases = Aliases::default();
        aliases.take("AWS.EC2/VPC", "Net");
        let mut propose = |name: &str| aliases.propose("AWS.EC2/VPC", name);
        assert_eq!(propose("net"), "net-2");
        assert_eq!(propose("net"), "net-3");
        assert_eq!(propose("a|b / c"), "a-b-c");
        assert_eq!(propose("/?."), "unnamed");
        assert_eq!(aliases.propose("AWS.EC2/Subnet", "net"), "net");
    }
}
