//! What every provider must do, as a suite that each implementation runs.
