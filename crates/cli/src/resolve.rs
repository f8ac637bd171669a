//! References in other tools' files, replaced by what is deployed.

pub(crate) mod aws;
mod cloud;
mod control_plane;
pub(crate) mod external;
pub(crate) mod homes;
pub(crate) mod how;
pub(crate) mod manifests;
mod pace;
pub(crate) mod run;
mod silence;
pub(crate) mod states;
pub(crate) mod types;
pub(crate) mod whole;
