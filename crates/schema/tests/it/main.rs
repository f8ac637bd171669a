//! Tests of the crate through its public face, against small schemas and the whole catalog.

#[cfg(test)]
mod identifier;
#[cfg(test)]
mod validate;
