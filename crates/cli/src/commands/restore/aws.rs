//! Which AWS a restored store goes on with: its references live in one, and in another one every name
//! would stand for something that is missing, and be made again.

use std::path::Path;

use hangar_diag::Diagnostic;

use super::incoming::Known;
use crate::aws::Aws;
use crate::codes;
use crate::embedded::data_dir::DataDir;
use crate::failure::Failure;

/// Why a store is not restored.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum AwsError {
    /// Neither the copy, the directory nor the caller says which AWS it was used with.
    Unknown,
    /// It has references in one AWS, and the caller or the directory names another.
    Other { meant: Aws, noted: Aws },
}

/// The AWS that was asked for, else the directory's, else what the copy says; none for a store that was
/// never used.
pub(super) fn aws_of(
    asked: Option<&Aws>,
    known: &Known,
    used: Option<Aws>,
) -> Result<Option<Aws>, AwsError> {
    let meant = asked.cloned().or(used);
    match (meant, &known.noted) {
        (Some(meant), Some(noted)) if known.contents.references > 0 && !meant.is_like(noted) => {
            Err(AwsError::Other { meant, noted: noted.clone() })
        }
        (Some(meant), _) => Ok(Some(meant)),
        (None, Some(noted)) => Ok(Some(noted.clone())),
        (None, None) if known.was_used() => Err(AwsError::Unknown),
        (None, None) => Ok(None),
    }
}

impl AwsError {
    pub(super) fn explain(&self, dir: &DataDir, file: &Path) -> Failure {
        let file = file.display();
        match self {
            Self::Unknown => {
                let message = format!(
                    "neither `{file}` nor `{dir}` records which AWS the store was used with"
                );
                Diagnostic::error(codes::AWS_LOST, message)
                    .hint("pass it: --aws real, --aws simulator or --aws http://HOST:PORT")
                    .into()
            }
            Self::Other { meant, noted } => {
                let message = format!(
                    "the references in `{file}` belong to --aws {noted}, but `{dir}` uses --aws {meant}"
                );
                Diagnostic::error(codes::OTHER_AWS, message)
                    .hint(format!(
                        "pass --aws {noted}, or restore into another directory: --data-dir DIR"
                    ))
                    .into()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use hangar_store::sqlite::Contents;

    use super::*;

    fn known(references: u64, noted: Option<Aws>) -> Known {
        let contents =
            Contents { migration: 4, groups: 0, references, operations: 1, written_at: None };
        Known { contents, open: Vec::new(), check: None, noted }
    }

    #[test]
    fn a_store_goes_on_with_the_aws_that_its_references_live_in() {
        let (simulator, real) = (|| Some(Aws::Simulator), || Some(Aws::Real));
        let at = |url: &str| Some(Aws::Custom(url.to_owned()));
        let (used, old) = (known(1, real()), known(1, None));
        assert_eq!(aws_of(None, &used, None), Ok(real()));
        assert_eq!(aws_of(real().as_ref(), &used, simulator()), Ok(real()));
        for (asked, found) in [(None, simulator()), (simulator(), real())] {
            let refused = aws_of(asked.as_ref(), &used, found);
            assert_eq!(refused, Err(AwsError::Other { meant: Aws::Simulator, noted: Aws::Real }));
        }
        // An endpoint may have moved since.
        assert_eq!(aws_of(None, &known(1, at("http://a")), at("http://b")), Ok(at("http://b")));
        assert_eq!(aws_of(None, &old, None), Err(AwsError::Unknown));
        assert_eq!(aws_of(None, &old, real()), Ok(real()));
        assert_eq!(aws_of(simulator().as_ref(), &known(0, real()), None), Ok(simulator()));
    }
}
