//! What the documentation promises, held to.

use std::collections::HashSet;

use hangar_template::codes;
use hangar_template::functions::{self, Namespace};

#[test]
fn every_code_is_explained_in_docs_errors() {
    let page = include_str!("../../../../docs/errors.md");
    for (code, _) in codes::ALL {
        assert!(page.contains(&format!("| `{code}` |")), "docs/errors.md does not explain {code}");
    }
    let unique: HashSet<_> = codes::ALL.iter().map(|(code, _)| code).collect();
    assert_eq!(unique.len(), codes::ALL.len(), "a code is used twice");
}

#[test]
fn every_function_that_is_evaluated_is_listed_in_docs_templates() {
    let page = include_str!("../../../../docs/templates.md");
    let is_of_azure = |it: &&functions::Function| it.description == "Available only in Azure.";
    for function in functions::all().filter(|it| !is_of_azure(it)) {
        let namespace = if function.namespace == Namespace::Aws { "aws." } else { "" };
        let name = format!("`{namespace}{}`", function.name);
        assert!(page.contains(&name), "docs/templates.md does not list {name}");
    }
}
