//! Any text is read as YAML or refused, and is changed only where it is edited.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/manifest/tests/it/yaml_laws.rs"]
mod yaml_laws;

fuzz_target!(|text: &str| yaml_laws::yaml_laws(text));
