//! The tests over whole inputs.

#[cfg(test)]
mod cloudformation;
#[cfg(test)]
mod damaged;
#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod hcl;
#[cfg(test)]
mod manifests;
mod recipe;
mod yaml_laws;
