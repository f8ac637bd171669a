//! The tests over whole inputs.

#[cfg(test)]
mod damaged;
#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod manifests;
mod recipe;
mod yaml_laws;
