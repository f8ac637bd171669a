//! Any text is a type name, an account, a region or an identifier, or is refused at a place.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[allow(dead_code, reason = "each target runs one of the laws")]
#[path = "../../crates/ids/tests/it/laws.rs"]
mod laws;

fuzz_target!(|text: &str| laws::names(text));
