//! The crate, tested from the outside.
#![forbid(unsafe_code)]

#[cfg(test)]
mod arm;
#[cfg(test)]
mod arm_templates;
mod build_output;
#[cfg(test)]
mod build_params;
#[cfg(test)]
mod compiles;
#[cfg(test)]
mod corpus;
#[cfg(test)]
mod depends_on;
#[cfg(test)]
mod docs;
#[cfg(test)]
mod facts;
#[cfg(test)]
mod format;
#[cfg(test)]
mod grammar;
#[cfg(test)]
mod hints;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod imports;
#[cfg(test)]
mod language;
#[cfg(test)]
mod large;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod lint;
#[cfg(test)]
mod load;
#[cfg(test)]
mod module_laws;
#[cfg(test)]
mod module_problems;
#[cfg(test)]
mod modules;
#[cfg(test)]
mod moments;
#[cfg(test)]
mod operators;
#[cfg(test)]
mod parameters;
#[cfg(test)]
mod problems;
#[cfg(test)]
mod program_laws;
#[cfg(test)]
mod project;
#[cfg(test)]
mod recipes;
#[cfg(test)]
mod resources;
#[cfg(test)]
mod snapshots;
#[cfg(test)]
mod types;
#[cfg(test)]
mod views;
#[cfg(test)]
mod written;
