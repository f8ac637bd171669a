//! One way to write a template: spaces, line breaks and indentation, and nothing else.
//!
//! What the author broke over lines stays broken (objects, lists, ternaries, unions), what is too long for a line
//! is broken, and all else is on one line. Strings and comments are never touched. A text with a mistake is refused:
//! nobody knows what its author meant.

mod document;
mod layout;
mod list;
mod printer;

use hangar_diag::Diagnostic;

use crate::syntax::{Dialect, TokenKind, Tree, TriviaKind, parse, parse_mended};
use layout::Layout;

/// How long a line may be before it is broken.
const WIDTH: usize = 120;

/// Why a text is left as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FormatError {
    /// The text has mistakes: these.
    Mistakes(Vec<Diagnostic>),
    /// The result would not have been the same template. That is a defect of ours.
    Unfaithful,
}

/// A text as it is to be written.
///
/// ```
/// use hangar_template::{format::format, syntax::Dialect};
///
/// let text = "var a={b:1,c:[ 2 ]}\n\n\n\nvar d = a.b+1 // one more\n";
/// let formatted = format(text, Dialect::Template).unwrap();
/// assert_eq!(formatted, "var a = { b: 1, c: [2] }\n\nvar d = a.b + 1 // one more\n");
/// ```
pub fn format(text: &str, dialect: Dialect) -> Result<String, FormatError> {
    let parsed = parse(text, dialect);
    if parsed.diagnostics.iter().any(Diagnostic::is_error) {
        let found = parse_mended(text, dialect).parsed.diagnostics;
        return Err(FormatError::Mistakes(found));
    }
    let document = Layout::new(&parsed.tree).file();
    let printed = printer::print(&document, line_end(&parsed.tree));
    let again = parse(&printed, dialect);
    let is_faithful = again.diagnostics.is_empty()
        && substance(&again.tree).eq(substance(&parsed.tree))
        && comments(&again.tree).eq(comments(&parsed.tree));
    if is_faithful { Ok(printed) } else { Err(FormatError::Unfaithful) }
}

/// How the lines of a text end: as most of them do. Those in strings and comments do not count: they stay.
fn line_end(tree: &Tree) -> &'static str {
    let tokens = tree.tokens().iter().filter(|it| it.kind == TokenKind::NewLine);
    let (mut windows, mut all) = (0, 0);
    for token in tokens {
        let text = &tree.text()[token.start as usize..token.end as usize];
        windows += usize::from(text.starts_with("\r\n"));
        all += 1;
    }
    if windows * 2 > all { "\r\n" } else { "\n" }
}

/// The tokens that are more than separators: a comma between items may become a new line.
fn substance(tree: &Tree) -> impl Iterator<Item = &str> {
    let tokens = tree.tokens().iter();
    let tokens = tokens.filter(|it| !matches!(it.kind, TokenKind::NewLine | TokenKind::Comma));
    tokens.map(|it| &tree.text()[it.start as usize..it.end as usize])
}

/// All comments and directives, without the spaces at their end.
fn comments(tree: &Tree) -> impl Iterator<Item = &str> {
    let trivia = tree.trivia().iter().filter(|it| it.kind != TriviaKind::Whitespace);
    trivia.map(|it| tree.text()[it.start as usize..it.end as usize].trim_end())
}
