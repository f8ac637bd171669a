//! Where a call goes: an account and a region, and a type there.

use hangar_ids::{AccountId, Region, TypeName};

/// An account and a region of a plane.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The plane that the caller named; each has credentials of its own.
    pub plane: String,
    /// The account that the caller named.
    pub account: AccountId,
    /// The region that the caller named.
    pub region: Region,
}

/// A type in a place: what every call on resources is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The account and region.
    pub place: Place,
    /// The resource type.
    pub type_name: TypeName,
}

/// Who a cloud says that the caller is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Twelve digits.
    pub account: String,
    /// The caller's ARN.
    pub arn: String,
}
