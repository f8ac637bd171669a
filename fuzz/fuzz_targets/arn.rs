//! Any text is an ARN that keeps the laws or is refused at a place.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[allow(dead_code, reason = "each target runs one of the laws")]
#[path = "../../crates/ids/tests/it/laws.rs"]
mod laws;

fuzz_target!(|text: &str| laws::arn(text));
