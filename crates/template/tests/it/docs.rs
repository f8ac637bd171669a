//! What the documentation promises, held to.

use std::collections::HashSet;

use hangar_template::codes;

#[test]
fn every_code_is_explained_in_docs_errors() {
    let page = include_str!("../../../../docs/errors.md");
    for (code, _) in codes::ALL {
        assert!(page.contains(&format!("| `{code}` |")), "docs/errors.md does not explain {code}");
    }
    let unique: HashSet<_> = codes::ALL.iter().map(|(code, _)| code).collect();
    assert_eq!(unique.len(), codes::ALL.len(), "a code is used twice");
}
