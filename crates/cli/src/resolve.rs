//! References in other tools' files, replaced by what is deployed.

#[allow(dead_code, reason = "what asks for AWS itself comes with the filter")]
pub(crate) mod aws;
