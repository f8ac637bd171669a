//! Texts in, texts out.

mod laws;
mod objects;
mod read;
mod splice;
