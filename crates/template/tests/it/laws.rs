//! What holds for every text; panics where it does not.
//!
//! The fuzz target includes this file, so it uses nothing but the crate.

use hangar_template::format::{FormatError, format};
use hangar_template::lint::{Config, lint};
use hangar_template::syntax::{Dialect, Element, Tree, parse};

/// What holds for every text.
pub(crate) fn laws(text: &str) {
    for dialect in [Dialect::Template, Dialect::Parameters] {
        let parsed = parse(text, dialect);
        assert_eq!(parsed.tree.print(), text, "the tree does not print back");
        each_token_once(&parsed.tree);
        for diagnostic in &parsed.diagnostics {
            let span = diagnostic.span().expect("every mistake has a place");
            assert!(text.get(span.start..span.end).is_some(), "{diagnostic} is at {span:?}");
            assert!(!diagnostic.message.is_empty(), "{diagnostic:?}");
        }
        formats(text, dialect);
        for found in lint(text, dialect, &Config::default()) {
            let span = found.span().expect("every finding has a place");
            assert!(text.get(span.start..span.end).is_some(), "{found} is at {span:?}");
        }
    }
}

/// A text without a mistake is formatted once and for all; that nothing of it is lost, the formatter sees to itself.
pub(crate) fn formats(text: &str, dialect: Dialect) {
    match format(text, dialect) {
        Ok(once) => assert_eq!(format(&once, dialect).as_deref(), Ok(&*once), "from {text:?}"),
        Err(FormatError::Mistakes(found)) => assert!(!found.is_empty(), "{text:?}"),
        Err(FormatError::Unfaithful) => panic!("not the same template as {text:?}"),
    }
}

/// The leaves of the tree are its tokens, each once and in order, and spans hold those below them.
fn each_token_once(tree: &Tree) {
    let mut next = 0;
    let mut open = vec![Element::Node(tree.root().id())];
    while let Some(element) = open.pop() {
        match element {
            Element::Node(id) => {
                let node = tree.node(id);
                for child in node.children() {
                    assert!(node.span().start <= child.span().start);
                    assert!(child.span().end <= node.span().end);
                }
                open.extend(node.elements().rev());
            }
            Element::Token(id) => {
                assert_eq!(tree.position_of_token(id), next, "a token is out of its place");
                next += 1;
            }
        }
    }
    assert_eq!(next, tree.tokens().len(), "a token is missing");
}
