//! Files that are larger than any template.

use hangar_template::syntax::{Dialect, parse};

#[test]
fn a_file_that_is_too_large_is_one_mistake_and_prints_back() {
    let text = "é".repeat((64 << 20) / 2 + 1);
    let parsed = parse(&text, Dialect::Template);
    assert!(parsed.tree.print() == text);
    assert_eq!(parsed.tree.tokens().len(), 2);
    let codes: Vec<&str> = parsed.diagnostics.iter().map(|found| found.code.as_str()).collect();
    assert_eq!(codes, ["TMPL0002", "BCP007"]);
}
