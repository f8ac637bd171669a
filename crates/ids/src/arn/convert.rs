//! The resource id of an ARN: always one type and one name below an account and a region.

use hangar_diag::{Diagnostic, Span};

use super::{Arn, Part};
use crate::{ResourceId, codes};

impl Arn {
    /// The id of the resource that this ARN names.
    ///
    /// The partition is the plane's name; an empty region becomes `global`; an empty account
    /// becomes `default_account`. A resource without a type takes the one that its service
    /// implies. The rest of the ARN after the type is one name, so that
    /// `role/team/svc` is a role and not a parent with a child.
    ///
    /// ```
    /// use hangar_ids::Arn;
    ///
    /// let id = Arn::parse("arn:aws:s3:::logs")?.to_resource_id(Some("123456789012"))?;
    /// assert_eq!(
    ///     id.to_string(),
    ///     "/planes/aws/aws/accounts/123456789012/regions/global/providers/AWS.s3/bucket/logs",
    /// );
    /// # Ok::<(), hangar_diag::Diagnostic>(())
    /// ```
    pub fn to_resource_id(&self, default_account: Option<&str>) -> Result<ResourceId, Diagnostic> {
        let account = match (self.account(), default_account) {
            ("", Some(account)) if !account.is_empty() => account,
            ("", _) => return Err(self.no_account()),
            (account, _) => account,
        };
        let region = if self.region().is_empty() { "global" } else { self.region() };
        let (resource_type, name) = self.type_and_name()?;
        ResourceId::planes()
            .append_scope("aws", self.partition())?
            .append_scope("accounts", account)
            .map_err(not_of_the_arn)?
            .append_scope("regions", region)?
            .append_type(&format!("AWS.{}/{resource_type}", self.service()))
            .map_err(|diagnostic| self.pointing_at_type(diagnostic, resource_type))?
            .append_name(name)
    }

    fn type_and_name(&self) -> Result<(&str, &str), Diagnostic> {
        let parts = self.parts();
        let resource_type = match parts.resource_type {
            Some("") => return Err(self.no_type()),
            Some(resource_type) => resource_type,
            None => implied_type(self.service()).ok_or_else(|| self.no_type())?,
        };
        if parts.name.is_empty() {
            return Err(self.no_name(resource_type));
        }
        Ok((resource_type, parts.name))
    }

    /// An append speaks of the text it was given; this ARN is what the caller has.
    fn pointing_at_type(&self, mut diagnostic: Diagnostic, resource_type: &str) -> Diagnostic {
        let at = self.span(Part::Resource).start + usize::from(self.resource().starts_with('/'));
        diagnostic.labels.clear();
        diagnostic.at(Span::new(at, at + resource_type.len()), "cannot be a type")
    }

    fn no_account(&self) -> Diagnostic {
        Diagnostic::error(codes::ARN_NO_ACCOUNT, format!("the ARN `{self}` has no account"))
            .at(self.span(Part::Account), "empty")
            .hint("pass the account with `--account`")
    }

    fn no_type(&self) -> Diagnostic {
        let message = format!(
            "the ARN `{self}` has no resource type, and the service `{}` does not imply one",
            self.service()
        );
        Diagnostic::error(codes::ARN_NO_TYPE, message)
            .at(self.span(Part::Resource), "no resource type here")
            .hint("use the resource id instead; this ARN cannot be converted to one")
    }

    fn no_name(&self, resource_type: &str) -> Diagnostic {
        let end = self.span(Part::Resource).end;
        Diagnostic::error(
            codes::ARN_NO_NAME,
            format!("the `{resource_type}` of the ARN `{self}` has no name"),
        )
        .at(Span::new(end, end), "a name is missing here")
        .hint(format!("write the name of the `{resource_type}` at the end of the ARN"))
    }
}

/// Only a default account can be refused as a scope, and it is not in the ARN's text.
fn not_of_the_arn(mut diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.labels.clear();
    diagnostic.hint("pass an account of 1 to 12 digits with `--account`")
}

/// The type of the services whose ARNs hold only a name.
fn implied_type(service: &str) -> Option<&'static str> {
    match service {
        "s3" => Some("bucket"),
        "sns" => Some("topic"),
        "sqs" => Some("queue"),
        "codecommit" => Some("repository"),
        "codepipeline" => Some("pipeline"),
        _ => None,
    }
}
