//! Every name the system knows: parse it, print it, compare it.
//!
//! Names are parsed once at the edge; a value of a type of this crate cannot be wrong. What a
//! person got wrong comes back as a [`hangar_diag::Diagnostic`] which points at the bytes and says
//! what to do next. The crate is pure: it reads no file, clock or environment.
//!
//! ```
//! use hangar_ids::{Kind, ResourceId};
//!
//! let id: ResourceId =
//!     "/planes/aws/aws/accounts/123456789012/regions/us-east-1/providers/AWS.EC2/VPC/vpc-1".parse()?;
//! assert_eq!(id.kind(), Kind::Resource);
//! assert_eq!(id.aws_type().map(|name| name.cloud_formation()).as_deref(), Some("AWS::EC2::VPC"));
//! # Ok::<(), hangar_diag::Diagnostic>(())
//! ```
#![forbid(unsafe_code)]

mod account;
mod arn;
mod arn_template;
pub mod codes;
mod encoding;
mod identifier;
mod place;
mod region;
mod resource_id;
mod terraform;
mod type_name;

pub use account::AccountId;
pub use arn::{Arn, ArnResource, ArnRole, ArnShape};
pub use arn_template::ArnTemplate;
pub use encoding::{decode, encode_identifier, encode_name};
pub use identifier::{Identifier, IdentifierSet, NamedIdentifier};
pub use region::Region;
pub use resource_id::{Kind, ResourceId, Segment};
pub use terraform::{InstanceKey, ModuleCall, ModulePath, ResourceMode, TerraformAddress};
pub use type_name::TypeName;
