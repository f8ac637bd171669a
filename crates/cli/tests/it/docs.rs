//! What the documentation promises, held to.

use crate::run;

#[test]
fn every_code_is_explained_in_docs_errors() {
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/errors.md"))
            .unwrap();
    let cli =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/codes.rs")).unwrap();
    let own = cli.split("Code::new(\"").skip(1).filter_map(|rest| rest.split('"').next());
    let listed = hangar_ids::codes::ALL.iter().chain(hangar_schema::codes::ALL);
    let codes: Vec<&str> = listed.map(|(code, _)| code.as_str()).chain(own).collect();
    assert!(codes.len() > 50);
    for code in &codes {
        assert!(page.contains(&format!("`{code}`")), "docs/errors.md does not explain {code}");
    }
    let unique: std::collections::HashSet<_> = codes.iter().collect();
    assert_eq!(unique.len(), codes.len(), "a code is used twice");
}

#[test]
fn the_examples_of_docs_errors_that_need_no_file_are_true() {
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/errors.md"))
            .unwrap();
    let blocks = page.split("```text\n").skip(1).filter_map(|rest| rest.split("```").next());
    let mut checked = 0;
    for (command, expected) in
        blocks.filter_map(|block| block.strip_prefix("$ hangar ")?.split_once('\n'))
    {
        // `vcp.json` is the file that is not there.
        if command.contains(".json") && !command.contains("vcp.json") {
            continue;
        }
        let output = run(&command.split_whitespace().collect::<Vec<_>>());
        let shown = String::from_utf8(output.stderr).unwrap();
        assert_eq!(shown.trim(), expected.trim(), "{command}");
        checked += 1;
    }
    assert!(checked >= 6);
}
