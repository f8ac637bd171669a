//! The calls that are served, read from a form.

use super::assume::{self, WebToken};
use super::constraint::{Constraint, Reader};
use super::error::QueryError;
use super::form::Form;
use super::registry::Provisioning;
use super::stack;
use crate::core::session::Assumption;
use crate::core::stack::call::StackCall;

/// A call with parameters that satisfy their constraints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QueryCall {
    /// One type of the registry, with its schema.
    DescribeType(DescribeType),
    /// The types of the registry.
    ListTypes(ListTypes),
    /// Who the caller is.
    GetCallerIdentity,
    /// A session of a role, for whoever signs.
    AssumeRole(Assumption),
    /// A session of a role, for whoever shows a token.
    AssumeRoleWithWebIdentity {
        /// Which session.
        ask: Assumption,
        /// The token.
        token: WebToken,
    },
    /// A call about stacks.
    Stack(StackCall),
}

/// A service that speaks this protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Service {
    /// CloudFormation.
    CloudFormation,
    /// The security token service.
    Sts,
}

/// Which type to describe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DescribeType {
    /// By name and kind.
    Named {
        /// The name, `AWS::EC2::VPC`.
        name: String,
        /// The kind.
        kind: Kind,
    },
    /// By ARN.
    Arn(String),
}

/// Which types to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListTypes {
    /// Whose types.
    pub visibility: Visibility,
    /// Only those that can be changed so.
    pub provisioning: Provisioning,
    /// Only those of this status.
    pub deprecated_status: Option<DeprecatedStatus>,
    /// Only those of this kind.
    pub kind: Option<Kind>,
    /// Only those from there.
    pub category: Option<Category>,
    /// Only those of this third party.
    pub publisher: Option<String>,
    /// Only those whose name begins so.
    pub prefix: Option<String>,
    /// At most so many on a page.
    pub max_results: usize,
    /// Where the page before ended.
    pub next_token: Option<String>,
}

/// What an extension of CloudFormation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A resource type.
    Resource,
    /// A module.
    Module,
    /// A hook.
    Hook,
}

/// Whether types are everybody's or the account's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    /// Everybody's.
    Public,
    /// The account's own, and those it has activated.
    Private,
}

/// Whether a type may still be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeprecatedStatus {
    /// It may.
    Live,
    /// It may not.
    Deprecated,
}

/// Where a type comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Category {
    /// Registered in the account.
    Registered,
    /// Public, and activated in the account.
    Activated,
    /// From other publishers than Amazon.
    ThirdParty,
    /// From Amazon.
    AwsTypes,
}

const KINDS: [(&str, Kind); 3] =
    [("RESOURCE", Kind::Resource), ("MODULE", Kind::Module), ("HOOK", Kind::Hook)];
const CATEGORIES: [(&str, Category); 4] = [
    ("REGISTERED", Category::Registered),
    ("ACTIVATED", Category::Activated),
    ("THIRD_PARTY", Category::ThirdParty),
    ("AWS_TYPES", Category::AwsTypes),
];

const TYPE_NAME: Constraint = Constraint {
    shortest: 10,
    longest: 204,
    pattern: Some("[A-Za-z0-9]{2,64}::[A-Za-z0-9]{2,64}::[A-Za-z0-9]{2,64}(::MODULE){0,1}"),
};
const TYPE_ARN: Constraint = Constraint {
    shortest: 0,
    longest: 1024,
    pattern: Some(
        "arn:aws[A-Za-z0-9-]{0,64}:cloudformation:[A-Za-z0-9-]{1,64}:([0-9]{12})?:type/.+",
    ),
};
/// The service is known to accept more than its published model, whose pattern ends earlier.
const TYPE_NAME_PREFIX: Constraint = Constraint {
    shortest: 1,
    longest: 204,
    pattern: Some("([A-Za-z0-9]{2,64}::){0,2}([A-Za-z0-9]{2,64}:?){0,1}(:[A-Za-z0-9:]{2,64}){0,1}"),
};
const PUBLISHER: Constraint =
    Constraint { shortest: 1, longest: 40, pattern: Some("[0-9a-zA-Z]{12,40}") };
const NEXT_TOKEN: Constraint = Constraint { shortest: 1, longest: 1024, pattern: None };
/// The longest page, and the page of a caller who does not say.
const PAGE: usize = 100;

impl QueryCall {
    /// Reads the call that a form makes: a body, or the query string of a `GET`.
    ///
    /// Parameters that the action does not have are passed over.
    pub fn parse(form: &[u8]) -> Result<Self, QueryError> {
        let form = Form::parse(form)?;
        let action = form.get("Action").filter(|action| !action.is_empty());
        let action = action.ok_or(QueryError::MissingAction)?;
        let version = form.get("Version");
        match (version.and_then(Service::of_version), action) {
            (Some(Service::CloudFormation), "DescribeType") => {
                DescribeType::read(&form).map(Self::DescribeType)
            }
            (Some(Service::CloudFormation), "ListTypes") => {
                ListTypes::read(&form).map(Self::ListTypes)
            }
            (Some(Service::CloudFormation), action) if stack::is_action(action) => {
                stack::read(action, &form).map(Self::Stack)
            }
            (Some(Service::Sts), "GetCallerIdentity") => Ok(Self::GetCallerIdentity),
            (Some(Service::Sts), "AssumeRole") => assume::read(&form).map(Self::AssumeRole),
            (Some(Service::Sts), "AssumeRoleWithWebIdentity") => assume::read_with_token(&form)
                .map(|(ask, token)| Self::AssumeRoleWithWebIdentity { ask, token }),
            _ => Err(QueryError::InvalidAction {
                action: action.to_owned(),
                version: version.map(str::to_owned),
            }),
        }
    }

    /// The name of the action.
    pub fn action(&self) -> &'static str {
        match self {
            Self::DescribeType(_) => "DescribeType",
            Self::ListTypes(_) => "ListTypes",
            Self::GetCallerIdentity => "GetCallerIdentity",
            Self::AssumeRole(_) => "AssumeRole",
            Self::AssumeRoleWithWebIdentity { .. } => "AssumeRoleWithWebIdentity",
            Self::Stack(call) => call.name().as_str(),
        }
    }

    /// The service that is called.
    pub fn service(&self) -> Service {
        match self {
            Self::DescribeType(_) | Self::ListTypes(_) | Self::Stack(_) => Service::CloudFormation,
            Self::GetCallerIdentity
            | Self::AssumeRole(_)
            | Self::AssumeRoleWithWebIdentity { .. } => Service::Sts,
        }
    }
}

impl Service {
    const ALL: [Self; 2] = [Self::CloudFormation, Self::Sts];

    /// The service that a version of an API belongs to.
    pub fn of_version(version: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|service| service.version() == version)
    }

    /// The service that signatures name so.
    pub fn of_signing_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|service| service.signing_name() == name)
    }

    /// The version of its API.
    pub fn version(self) -> &'static str {
        match self {
            Self::CloudFormation => "2010-05-15",
            Self::Sts => "2011-06-15",
        }
    }

    /// Its name in a signature.
    pub fn signing_name(self) -> &'static str {
        match self {
            Self::CloudFormation => "cloudformation",
            Self::Sts => "sts",
        }
    }

    /// The XML namespace of its answers.
    pub fn namespace(self) -> &'static str {
        match self {
            Self::CloudFormation => "http://cloudformation.amazonaws.com/doc/2010-05-15/",
            Self::Sts => "https://sts.amazonaws.com/doc/2011-06-15/",
        }
    }
}

impl DescribeType {
    fn read(form: &Form) -> Result<Self, QueryError> {
        let mut reader = Reader::new(form, Service::CloudFormation);
        let kind = reader.choice("Type", "type", &KINDS);
        let name = reader.text("TypeName", "typeName", &TYPE_NAME);
        let arn = reader.text("Arn", "arn", &TYPE_ARN);
        reader.finish()?;
        match (arn, name, kind) {
            (Some(arn), _, _) => Ok(Self::Arn(arn.to_owned())),
            (None, Some(name), Some(kind)) => Ok(Self::Named { name: name.to_owned(), kind }),
            (None, _, _) => Err(QueryError::NoType),
        }
    }
}

impl ListTypes {
    fn read(form: &Form) -> Result<Self, QueryError> {
        const VISIBILITIES: [(&str, Visibility); 2] =
            [("PUBLIC", Visibility::Public), ("PRIVATE", Visibility::Private)];
        const STATUSES: [(&str, DeprecatedStatus); 2] =
            [("LIVE", DeprecatedStatus::Live), ("DEPRECATED", DeprecatedStatus::Deprecated)];
        let provisionings =
            Provisioning::ALL.map(|provisioning| (provisioning.as_str(), provisioning));

        let mut reader = Reader::new(form, Service::CloudFormation);
        let visibility = reader.choice("Visibility", "visibility", &VISIBILITIES);
        // AWS's documentation gives this default, so that a plain list shows no immutable type.
        let provisioning = reader
            .choice("ProvisioningType", "provisioningType", &provisionings)
            .unwrap_or(Provisioning::FullyMutable);
        let deprecated_status = reader.choice("DeprecatedStatus", "deprecatedStatus", &STATUSES);
        let kind = reader.choice("Type", "type", &KINDS);
        let category = reader.choice("Filters.Category", "filters.category", &CATEGORIES);
        let publisher = reader.text("Filters.PublisherId", "filters.publisherId", &PUBLISHER);
        let prefix =
            reader.text("Filters.TypeNamePrefix", "filters.typeNamePrefix", &TYPE_NAME_PREFIX);
        let max_results = reader.number("MaxResults", "maxResults", 1, PAGE);
        let next_token = reader.text("NextToken", "nextToken", &NEXT_TOKEN);
        reader.finish()?;
        Ok(Self {
            visibility: visibility.unwrap_or(Visibility::Private),
            provisioning,
            deprecated_status,
            kind,
            category,
            publisher: publisher.map(str::to_owned),
            prefix: prefix.map(str::to_owned),
            max_results: max_results.unwrap_or(PAGE),
            next_token: next_token.map(str::to_owned),
        })
    }
}
