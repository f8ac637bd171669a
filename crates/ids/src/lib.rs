//! Every name the system knows.
