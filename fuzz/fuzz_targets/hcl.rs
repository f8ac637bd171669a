//! Any text is an expression, a template, an address and a path, or is refused at a place.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/manifest/tests/it/hcl/laws.rs"]
mod laws;

fuzz_target!(|text: &str| laws::laws(text));
