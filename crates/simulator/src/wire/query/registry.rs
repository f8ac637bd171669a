//! CloudFormation's registry, which holds the catalog's types as AWS's public ones and no others.

mod page;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use hangar_schema::{Catalog, CatalogError};

use super::Circumstances;
use super::call::{Category, DeprecatedStatus, DescribeType, Kind, ListTypes, Visibility};
use super::caller::Caller;
use super::error::QueryError;
use super::xml::Document;
use crate::core::instant::iso8601;

/// The catalog, and what has been learnt of its types. To be kept from call to call.
#[derive(Debug)]
pub struct TypeIndex {
    catalog: Catalog,
    provisionings: OnceLock<BTreeMap<&'static str, Provisioning>>,
}

/// What can be done with the resources of a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provisioning {
    /// Nothing: there are no handlers.
    NonProvisionable,
    /// They are made and deleted, but not changed.
    Immutable,
    /// They are changed too.
    FullyMutable,
}

impl Provisioning {
    /// All of them, in the order of AWS's model.
    pub(super) const ALL: [Self; 3] = [Self::NonProvisionable, Self::Immutable, Self::FullyMutable];

    /// In AWS's words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NonProvisionable => "NON_PROVISIONABLE",
            Self::Immutable => "IMMUTABLE",
            Self::FullyMutable => "FULLY_MUTABLE",
        }
    }
}

impl TypeIndex {
    /// An index that has yet to learn.
    pub fn new(catalog: Catalog) -> Self {
        Self { catalog, provisionings: OnceLock::new() }
    }

    /// The catalog.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// What can be done with a type, from its handlers.
    pub fn provisioning(&self, name: &str) -> Result<Provisioning, CatalogError> {
        if let Some(known) = self.provisionings.get().and_then(|all| all.get(name)) {
            return Ok(*known);
        }
        let schema = self.catalog.get(name)?;
        let handlers = schema.handlers();
        // AWS's documentation: whatever lacks one of these three cannot be provisioned.
        let is_provisionable =
            handlers.create.is_some() && handlers.read.is_some() && handlers.delete.is_some();
        Ok(match handlers.update {
            _ if !is_provisionable => Provisioning::NonProvisionable,
            None => Provisioning::Immutable,
            Some(_) => Provisioning::FullyMutable,
        })
    }

    /// Whether a type is of a provisioning; the first question compiles the whole catalog, which
    /// takes a fraction of a second.
    fn is(&self, name: &str, provisioning: Provisioning) -> bool {
        let all = self.provisionings.get_or_init(|| {
            let names = self.catalog.names();
            names.filter_map(|name| Some((name, self.provisioning(name).ok()?))).collect()
        });
        all.get(name) == Some(&provisioning)
    }

    /// The type of exactly this name. AWS minds the case, the catalog does not.
    fn find(&self, name: &str) -> Option<&'static str> {
        self.catalog.spelling(name).filter(|spelling| *spelling == name)
    }
}

/// Writes the members of `DescribeTypeResult`.
pub(super) fn describe(
    call: &DescribeType,
    index: &TypeIndex,
    circumstances: &Circumstances<'_>,
    document: &mut Document,
) -> Result<(), QueryError> {
    let caller = &circumstances.caller;
    let (asked, found) = match call {
        DescribeType::Named { name, kind: Kind::Resource } => (name, index.find(name)),
        DescribeType::Named { name, kind: Kind::Module | Kind::Hook } => (name, None),
        DescribeType::Arn(arn) => (arn, name_in(arn, caller).and_then(|name| index.find(&name))),
    };
    let name = found.ok_or_else(|| QueryError::TypeNotFound { name: asked.clone() })?;
    let schema = index.catalog.schema_document(name).map_err(|_| QueryError::Internal)?;
    let provisioning = index.provisioning(name).map_err(|_| QueryError::Internal)?;
    let registered_at = iso8601(circumstances.registered_at);

    document.leaf("Arn", &arn_of(name, caller));
    document.leaf("Type", "RESOURCE");
    document.leaf("TypeName", name);
    document.leaf("IsDefaultVersion", "true");
    document.leaf("Description", &description_of(name));
    document.leaf("Schema", &schema.to_string());
    document.leaf("ProvisioningType", provisioning.as_str());
    document.leaf("DeprecatedStatus", "LIVE");
    document.leaf("Visibility", "PUBLIC");
    document.leaf("LastUpdated", &registered_at);
    document.leaf("TimeCreated", &registered_at);
    Ok(())
}

/// Writes the members of `ListTypesResult`.
pub(super) fn list(
    call: &ListTypes,
    index: &TypeIndex,
    circumstances: &Circumstances<'_>,
    document: &mut Document,
) -> Result<(), QueryError> {
    let registered_at = iso8601(circumstances.registered_at);
    let page =
        page::cut(call, index.catalog.names().filter(|name| is_asked_for(name, call, index)))?;
    document.open("TypeSummaries");
    for name in page.names {
        document.open("member");
        document.leaf("Type", "RESOURCE");
        document.leaf("TypeName", name);
        document.leaf("TypeArn", &arn_of(name, &circumstances.caller));
        document.leaf("LastUpdated", &registered_at);
        document.leaf("Description", &description_of(name));
        document.close();
    }
    document.close();
    if let Some(token) = page.next_token {
        document.leaf("NextToken", &token);
    }
    Ok(())
}

/// Whether a type of the catalog, which is public, live, Amazon's and a resource, is listed.
fn is_asked_for(name: &str, call: &ListTypes, index: &TypeIndex) -> bool {
    call.visibility == Visibility::Public
        && call.deprecated_status != Some(DeprecatedStatus::Deprecated)
        && matches!(call.kind, None | Some(Kind::Resource))
        && matches!(call.category, None | Some(Category::AwsTypes))
        && call.publisher.is_none()
        && call.prefix.as_ref().is_none_or(|prefix| name.starts_with(prefix))
        // Last, as it is the dear one.
        && index.is(name, call.provisioning)
}

/// The ARN of a public type belongs to no account.
fn arn_of(name: &str, caller: &Caller<'_>) -> String {
    let (partition, region) = (caller.partition(), caller.region);
    format!("arn:{partition}:cloudformation:{region}::type/resource/{}", name.replace("::", "-"))
}

/// The name in an ARN, if it is that of a public resource type of the caller's region.
fn name_in(arn: &str, caller: &Caller<'_>) -> Option<String> {
    let (_, dashed) = arn.rsplit_once('/')?;
    let name = dashed.replace('-', "::");
    (arn_of(&name, caller) == arn).then_some(name)
}

/// What AWS says of most types; the catalog keeps no descriptions.
fn description_of(name: &str) -> String {
    format!("Resource Type definition for {name}")
}
