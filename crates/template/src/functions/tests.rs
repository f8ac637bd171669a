//! The table as a whole, and what is handled around it.
