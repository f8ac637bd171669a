//! What every store must do, as a suite that each implementation runs.
