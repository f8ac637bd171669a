//! What holds for all names, and for the real ones in the shared fixtures.

#[cfg(test)]
mod generated;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod shared;
