//! The error `ScopeMismatch` in terms of the command line: the API names ids, a user types an alias and two flags.
//!
//! Only the ids in the message are read, in their order; its wording may change.

use hangar_ids::ResourceId;

use super::shape::AwsPlace;

/// An alias and the two places that the refusal names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ScopeMismatch {
    alias: Option<String>,
    /// The place of the alias.
    is_in: AwsPlace,
    /// The place that the command asked for.
    asked: Option<AwsPlace>,
}

impl ScopeMismatch {
    /// Reads the ids in the message of an error with the code `ScopeMismatch`: the reference, the place that it is in,
    /// and the place of the request.
    pub(crate) fn parse(message: &str) -> Option<Self> {
        let is_end = |c: char| c.is_whitespace() || matches!(c, '`' | ';' | ',' | ')');
        let words = || message.split(is_end).filter(|word| word.starts_with("/planes/"));
        let mut places = words().filter_map(AwsPlace::of);
        let is_in = places.next()?;
        let asked = places.next();
        Some(Self { alias: words().find_map(alias_of), is_in, asked })
    }

    /// What happened, as one clause.
    pub(crate) fn message(&self) -> String {
        let alias = self.alias.as_deref().unwrap_or("the alias");
        let AwsPlace { account, region } = &self.is_in;
        let asked = match &self.asked {
            Some(asked) => {
                format!("; the command asks for account {}, region {}", asked.account, asked.region)
            }
            None => String::new(),
        };
        format!("`{alias}` is in account {account}, region {region}{asked}")
    }

    /// What to type instead.
    pub(crate) fn hint(&self) -> String {
        let AwsPlace { account, region } = &self.is_in;
        format!("add --aws-account {account} --aws-region {region}, or use another alias")
    }
}

/// The alias that an id of a reference ends with.
fn alias_of(id: &str) -> Option<String> {
    let id = ResourceId::parse(id).ok().filter(ResourceId::is_reference)?;
    Some(id.name()?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_alias_and_both_places_are_named_as_they_are_typed() {
        let message = "the reference \
             /planes/radius/local/resourceGroups/default/providers/AWS.SQS/Queue:reference/one is in \
             /planes/aws/aws/accounts/000000000000/regions/us-east-1 and cannot move to \
             /planes/aws/aws/accounts/000000000042/regions/eu-west-1; use another alias there";
        let mismatch = ScopeMismatch::parse(message).unwrap();
        assert_eq!(
            mismatch.message(),
            "`one` is in account 000000000000, region us-east-1; the command asks for account \
             000000000042, region eu-west-1"
        );
        assert_eq!(
            mismatch.hint(),
            "add --aws-account 000000000000 --aws-region us-east-1, or use another alias"
        );
        assert_eq!(ScopeMismatch::parse("another sentence"), None);
    }
}
