//! Any text in place of a property pointer leaves a schema that works.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[allow(dead_code, reason = "each target runs one of the laws")]
#[path = "../../crates/schema/tests/it/laws/total.rs"]
mod total;

fuzz_target!(|text: &str| total::pointer(text));
