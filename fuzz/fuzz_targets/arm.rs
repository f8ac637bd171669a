//! Any text is read as ARM JSON and started without a panic, and any text in brackets is an expression that prints back, or is refused.
#![no_main]

use hangar_template::arm::respell;
use hangar_template::deployment::Inputs;
use hangar_template::program::compile;
use hangar_template::source::Sources;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(spelled) = respell(text) {
        assert_eq!(respell(&spelled).as_ref(), Ok(&spelled));
    }
    let compiled = compile(&Sources::of("main.json", text.as_bytes()), "main.json");
    if let Some(program) = compiled.program {
        let _ = program.start(&Inputs::default());
    }
});
