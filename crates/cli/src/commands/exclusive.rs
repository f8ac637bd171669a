//! A data directory for one command alone: no control plane runs on it meanwhile.

use hangar_diag::Diagnostic;

use crate::codes;
use crate::embedded::data_dir::DataDir;
use crate::embedded::lock::{Attempt, Lock};
use crate::failure::Failure;
use crate::session::explain::unusable;

/// Takes the directory's lock, or tells who has it and what to do about that.
pub(super) fn take_lock(dir: &DataDir, hint: &str) -> Result<Lock, Failure> {
    match Lock::try_take(&dir.lock()).map_err(|error| unusable(dir, &error))? {
        Attempt::Taken(lock) => Ok(lock),
        Attempt::Held(process) => {
            let who =
                process.map_or_else(|| "another process".to_owned(), |id| format!("process {id}"));
            let message = format!("{who} is running the control plane of {dir}");
            Err(Diagnostic::error(codes::DATA_DIR_SERVED, message).hint(hint).into())
        }
    }
}
