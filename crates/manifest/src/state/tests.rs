//! State in all its forms, and everything that is not one.
