//! The codes of mistakes at the command line. A code is never used again for another mistake.

use hangar_diag::Code;

/// The command line is wrong.
pub(crate) const USAGE: Code = Code::new("CLI0001");
/// A file is not there.
pub(crate) const FILE_MISSING: Code = Code::new("CLI0002");
/// A folder stands where a file should.
pub(crate) const FILE_IS_FOLDER: Code = Code::new("CLI0003");
/// A file is not UTF-8.
pub(crate) const FILE_NOT_TEXT: Code = Code::new("CLI0004");
/// A file is larger than we read.
pub(crate) const FILE_TOO_LARGE: Code = Code::new("CLI0005");
/// A file is there and cannot be read.
pub(crate) const FILE_UNREADABLE: Code = Code::new("CLI0006");
/// Standard input is asked for twice.
pub(crate) const STDIN_TWICE: Code = Code::new("CLI0007");
/// Standard output cannot be written.
pub(crate) const OUTPUT_LOST: Code = Code::new("CLI0008");
/// Something that cannot be the user's doing.
pub(crate) const UNEXPECTED: Code = Code::new("CLI0009");
/// A file of properties does not hold an object.
pub(crate) const NOT_PROPERTIES: Code = Code::new("CLI0010");

/// The simulator was asked to listen where other machines reach it.
pub(crate) const SIMULATOR_EXPOSED: Code = Code::new("SIM0001");
/// The simulator cannot listen on its address.
pub(crate) const SIMULATOR_ADDRESS: Code = Code::new("SIM0002");
/// The simulator's state file cannot be opened, read or written.
pub(crate) const SIMULATOR_STATE: Code = Code::new("SIM0003");
/// Another simulator uses the state file.
pub(crate) const SIMULATOR_STATE_IN_USE: Code = Code::new("SIM0004");
/// The file is not one that a simulator wrote.
pub(crate) const SIMULATOR_STATE_FOREIGN: Code = Code::new("SIM0005");
/// The state file is damaged.
pub(crate) const SIMULATOR_STATE_DAMAGED: Code = Code::new("SIM0006");
/// An unfinished write was taken off the end of the state file.
pub(crate) const SIMULATOR_STATE_CUT: Code = Code::new("SIM0007");
