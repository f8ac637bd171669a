//! Who sets a member: the caller or AWS. Decides what is refused and what is demanded.

use super::Purpose;
use crate::class::Class;
use crate::spot::Spot;
use crate::type_schema::TypeSchema;

/// Whether only AWS sets what is at `member`, a member of the object at `holder`.
///
/// What lies in a read-only object and is listed as create-only or write-only can be set, and so
/// its holder can be stated.
pub(super) fn is_set_by_aws(schema: &TypeSchema, holder: Spot, member: Spot) -> bool {
    let (at, own, below) = (schema.at(member), schema.own(member), schema.below(member));
    let is_excepted =
        schema.is_read_only(holder) && (own.has(Class::CreateOnly) || own.is_hidden());
    at.has(Class::ReadOnly) && !is_excepted && !below.has(Class::CreateOnly) && !below.is_hidden()
}

/// Whether a required member that is not stated is missed.
pub(super) fn is_demanded(
    schema: &TypeSchema,
    purpose: Purpose,
    holder: Spot,
    name: &str,
) -> Demand {
    let member = schema.member(holder, name);
    let is_hidden = schema.at(member).is_hidden() || schema.below(member).is_hidden();
    if schema.is_read_only(member) || is_wholly_read_only(schema, member) {
        return Demand::No;
    }
    // A read returns nothing of it, so a merged document may lack it.
    if purpose == Purpose::Merged && is_hidden {
        return Demand::No;
    }
    // A name that the schema requires and does not describe is more likely its own mistake.
    let holder = schema.shape(holder);
    let is_described = holder.find_named(name).is_some() || holder.is_map();
    let is_certain = is_described && !is_from_live(schema, purpose, member);
    if is_certain { Demand::Yes } else { Demand::Perhaps }
}

/// Whether a value was perhaps merged from live: then nobody stated it, and it is not sent.
pub(super) fn is_from_live(schema: &TypeSchema, purpose: Purpose, spot: Spot) -> bool {
    purpose == Purpose::Merged && schema.is_create_only(spot)
}

/// How surely a member must be stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Demand {
    Yes,
    Perhaps,
    No,
}

/// Whether an object has members, and all of them are read-only.
fn is_wholly_read_only(schema: &TypeSchema, spot: Spot) -> bool {
    let shape = schema.shape(spot);
    schema.below(spot).has(Class::ReadOnly)
        && shape.find_other().is_none()
        && !shape.is_map()
        && shape.members().all(|(name, _)| schema.is_read_only(schema.member(spot, name)))
}
