//! Any text is a tree that prints back, its mistakes have places, and it is compiled and started without a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/template/tests/it/laws.rs"]
mod laws;
#[path = "../../crates/template/tests/it/program_laws.rs"]
mod program_laws;

fuzz_target!(|text: &str| {
    laws::laws(text);
    program_laws::program_laws(text);
});
