//! What holds for any bytes taken as a module.

use hangar_manifest::recipe::module::outline;
use proptest::prelude::*;

fn laws(bytes: &[u8]) {
    for name in ["main.tf", "main.tf.json", "override.tf"] {
        let read = outline(&[(name, bytes)]);
        assert_eq!(read, outline(&[(name, bytes)]), "the same bytes are the same outline");
        let lines = bytes.split(|&byte| byte == b'\n').count();
        for problem in &read.problems {
            assert!((1..=lines).contains(&problem.line), "{problem:?} of {lines} lines");
            assert_eq!(problem.file, name);
        }
        for (name, variable) in &read.variables {
            assert_eq!(*name, variable.name);
            assert_eq!(variable.required, variable.default_text.is_none());
            assert!(!(variable.required && variable.default.is_some()));
        }
    }
}

/// Pieces that make texts which are nearly a configuration.
const PIECES: &[&str] = &[
    "variable",
    "output",
    "terraform",
    "required_providers",
    "resource",
    " ",
    "\n",
    "\"a\"",
    "\"",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "=",
    "<<EOT\n",
    "<<-X\n",
    "EOT\n",
    "X",
    "${",
    "%{",
    "$${",
    "\\",
    "#",
    "//",
    "/*",
    "*/",
    "default",
    "source",
    "1",
    "-",
    ".",
    ",",
    ":",
    "é",
    "\r\n",
    "null",
    "true",
    "aws.east",
];

proptest! {
    #[test]
    fn any_bytes_have_an_outline(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        laws(&bytes);
    }

    #[test]
    fn any_near_configuration_has_an_outline(
        pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..60),
    ) {
        laws(pieces.concat().as_bytes());
    }
}

#[test]
fn nesting_exhausts_nobody() {
    for piece in ["a {\n", "a = [", "a = {b=", "a = \"${", "a = (", "{\"variable\":", "["] {
        laws(piece.repeat(50_000).as_bytes());
    }
    laws(format!("x = {}{}", "[".repeat(50_000), "]".repeat(50_000)).as_bytes());
    laws(
        format!("variable \"a\" {{ default = {}{} }}", "[".repeat(5_000), "]".repeat(5_000))
            .as_bytes(),
    );
}
