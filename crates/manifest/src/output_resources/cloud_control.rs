//! The link from an instance to the resource that Cloud Control knows it as.
//!
//! `tables` is the data, `identifier` the rules by which an identifier is made of attributes, `names` turns names
//! of AWS into those of Terraform. The Terraform type leads: an ARN alone does not tell a cluster of RDS from one
//! of Neptune.

mod identifier;
mod names;
mod tables;

use std::borrow::Cow;

use hangar_ids::{AccountId, Arn, Identifier, Region, TypeName, encode_identifier};
use serde::Serialize;

use super::subject::Subject;
pub(super) use tables::Tables;

/// How Cloud Control names a resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CloudControl {
    /// The type: `AWS.EC2/VPC`.
    pub type_name: String,
    /// The primary identifier, parts joined with `|`.
    pub identifier: String,
    /// How sure it is.
    pub confidence: Confidence,
    /// The resource's id on the AWS plane, where account and region are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// How sure a link is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Confidence {
    /// The type and the identifier by names that are alike.
    Likely,
    /// The type by a table that people made, the identifier by a rule that states it.
    High,
    /// The provider is made of Cloud Control: its ids are the identifiers.
    Exact,
}

/// The plane of the AWS accounts; regions tell the partitions apart.
const PLANE: &str = "aws";

impl Tables {
    /// The link of an instance of hashicorp/aws.
    pub(super) fn link(&self, subject: &Subject<'_, '_>) -> Option<CloudControl> {
        let row = self.aws_type(&subject.instance.type_name)?;
        let (identifier, confidence) = identifier::of_attributes(&row, subject)?;
        Some(link(row.cloud_formation, &identifier, confidence, subject))
    }

    /// The link of an instance of hashicorp/awscc.
    pub(super) fn awscc_link(&self, subject: &Subject<'_, '_>) -> Option<CloudControl> {
        let cloud_formation = self.awscc_type(&subject.instance.type_name)?;
        let identifier = Identifier::parse(&subject.text(&["id"])?).ok()?;
        Some(link(cloud_formation, &identifier, Confidence::Exact, subject))
    }
}

fn link(
    cloud_formation: &str,
    identifier: &Identifier,
    confidence: Confidence,
    subject: &Subject<'_, '_>,
) -> CloudControl {
    let type_name = TypeName::parse(cloud_formation).map(|name| name.ucp());
    let type_name = type_name.unwrap_or_else(|_| cloud_formation.to_owned());
    let id = plane_id(&type_name, identifier, subject);
    CloudControl { type_name, identifier: identifier.as_str().to_owned(), confidence, id }
}

/// The id on the AWS plane; what is in no region is read through the environment's.
fn plane_id(type_name: &str, identifier: &Identifier, subject: &Subject<'_, '_>) -> Option<String> {
    let arn = subject.text(&["arn"]).and_then(|text| Arn::parse(&text).ok());
    let stated = |part: Option<&str>| {
        part.filter(|part| !part.is_empty()).map(|part| Cow::Owned(part.to_owned()))
    };
    let account = stated(arn.as_ref().map(Arn::account)).or_else(|| subject.account())?;
    let region = stated(arn.as_ref().map(Arn::region)).or_else(|| subject.region())?;
    // One that is masked, or AWS's own, cannot be asked. Of what is left no part needs a check or an escape but the
    // identifier, so that the id is written at once: a large state has a hundred thousand of them.
    AccountId::parse(&account).ok()?;
    Region::parse(&region).ok()?;
    let name = encode_identifier(identifier.as_str());
    Some(format!(
        "/planes/aws/{PLANE}/accounts/{account}/regions/{region}/providers/{type_name}/{name}"
    ))
}
