//! Every mistake in a template that is told, with its place: `tests/program/problems.txt`.

use std::fmt::Write as _;

use crate::language::problems;

#[test]
fn what_is_wrong_is_told_with_its_place_and_what_to_do() {
    let golden = include_str!("../program/problems.txt");
    let mut again = String::new();
    for (index, case) in golden.split("====\n").enumerate() {
        let (text, _) = case.split_once("--\n").unwrap();
        let separator = if index > 0 { "====\n" } else { "" };
        writeln!(again, "{separator}{text}--").unwrap();
        for line in problems(text) {
            writeln!(again, "{}", line.replace('\n', "⏎")).unwrap();
        }
    }
    if golden != again {
        let path = std::env::temp_dir().join("problems.txt");
        std::fs::write(&path, &again).unwrap();
        let first = golden.lines().zip(again.lines()).find(|(old, new)| old != new);
        panic!("{first:#?}; see {}", path.display());
    }
}
