//! Any text is a tree that prints back, and its mistakes have places.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/template/tests/it/laws.rs"]
mod laws;

fuzz_target!(|text: &str| laws::laws(text));
