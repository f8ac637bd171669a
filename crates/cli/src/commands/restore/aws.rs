//! Which AWS a restored store goes on with: its references live in one, and in another one every name
//! would stand for something that is missing, and be made again.

use std::path::Path;

use hangar_diag::Diagnostic;

use super::incoming::Known;
use crate::aws::Aws;
use crate::codes;
use crate::embedded::data_dir::{AwsFileError, DataDir};
use crate::failure::Failure;

/// Why a store is not restored.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum AwsError {
    /// Neither the copy, the directory nor the caller says which AWS it was used with.
    Unknown,
}

/// The AWS that was asked for, else the directory's; none for a store that was never used.
pub(super) fn aws_of(
    asked: Option<&Aws>,
    known: &Known,
    used: Result<Option<Aws>, AwsFileError>,
) -> Result<Option<Aws>, AwsError> {
    match (asked, used) {
        (Some(asked), _) => Ok(Some(asked.clone())),
        (None, Ok(Some(used))) => Ok(Some(used)),
        (None, _) if known.was_used() => Err(AwsError::Unknown),
        (None, _) => Ok(None),
    }
}

impl AwsError {
    pub(super) fn explain(&self, dir: &DataDir, file: &Path) -> Failure {
        match self {
            Self::Unknown => {
                let message = format!(
                    "cannot tell which AWS `{}` was used with, and `{dir}` does not say",
                    file.display()
                );
                Diagnostic::error(codes::AWS_LOST, message)
                    .hint("say it: --aws real, --aws simulator or --aws http://HOST:PORT")
                    .into()
            }
        }
    }
}
