//! The provider contract over AWS Cloud Control; the only crate that names the AWS SDK.
//!
//! It decides nothing about what to do next: it makes one call at a time, each with a deadline and
//! none repeated, and says of a failure whether the call can have been accepted.

#![forbid(unsafe_code)]

mod ca_bundle;
mod call;
mod caller;
mod class;
mod clients;
mod clock;
mod delivery;
mod endpoints;
mod failure;
mod far_side;
mod options;
mod progress;
mod provider;
mod query;
mod resource;
mod stacks;
mod transport;
mod whereabouts;

pub use ca_bundle::{CaBundle, CaBundleError};
pub use call::{CallName, CallObserver, CallRecord};
pub use failure::meaning;
pub use far_side::{Exchange, FarSide, Lost};
pub use options::{Endpoint, EndpointError, EndpointUrl, Options, ServiceUrls, Signing, Timeouts};
pub use provider::AwsProvider;
pub use stacks::{
    Export, Exports, Stack, StackEvent, StackEvents, StackOutput, StackParameter, StackResource,
    StackResources, StackUpdate, StackWrite, Stacks, TemplateSource,
};
pub use whereabouts::{RegionFrom, Whereabouts};
