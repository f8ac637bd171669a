//! The tests over whole inputs.

#[cfg(test)]
mod damaged;
#[cfg(test)]
mod fixtures;
mod hcl;
mod recipe;
