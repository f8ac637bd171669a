//! Tests of the schema crate through its public API: tables for each rule and laws over the
//! whole catalog.

#[cfg(test)]
mod laws;
#[cfg(test)]
mod patch_arrays;
#[cfg(test)]
mod patch_objects;
#[cfg(test)]
mod patch_secrets;
#[cfg(test)]
mod patch_seeds;
#[cfg(test)]
mod patch_spelling;
#[cfg(test)]
mod verdict;
