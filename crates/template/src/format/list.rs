//! Items on lines of their own: the statements of a file, and what stands in braces and brackets.

use super::document::{Break, Document, Sequence};
use super::layout::{Layout, comments_before, token};
use crate::syntax::{Element, Node, SyntaxToken, TokenKind};

/// The lines of a list as far as they are read.
#[derive(Default)]
struct Lines<'t> {
    /// Comments on the line of the opening bracket.
    opening: Sequence<'t>,
    entries: Vec<Entry<'t>>,
    /// Line breaks since the last entry.
    breaks: usize,
    has_new_line: bool,
}

/// An item, or a comment that stands alone; with the comments after it on its line.
struct Entry<'t> {
    content: Sequence<'t>,
    has_empty_line_before: bool,
}

impl<'t> Layout<'t> {
    /// The whole file.
    pub(super) fn file(&self) -> Sequence<'t> {
        let mut lines = Lines { breaks: 1, ..Lines::default() };
        for element in self.tree.root().elements() {
            self.entry(&mut lines, element);
        }
        let mut file = Sequence::default();
        if self.tree.text().starts_with('\u{feff}') {
            file.text("\u{feff}");
        }
        for (at, entry) in lines.entries.into_iter().enumerate() {
            if at > 0 {
                let has_empty_line = entry.has_empty_line_before;
                file.push(Document::Break(Break { flat: None, has_empty_line }));
            }
            file.append(entry.content);
        }
        file
    }

    /// What stands between two brackets; `padding` is what stands inside of them on one line.
    pub(super) fn list(&self, node: Node<'t>, padding: &'static str) -> Document<'t> {
        let mut lines = Lines::default();
        let (mut open, mut close) = (Sequence::default(), "");
        for (at, element) in node.elements().enumerate() {
            match element {
                Element::Token(id) if at == 0 => token(&mut open, self.tree.token(id)),
                Element::Token(id) if is_close(self.tree.token(id)) => {
                    let token = self.tree.token(id);
                    lines.comments(token);
                    close = token.text();
                }
                _ => self.entry(&mut lines, element),
            }
        }
        lines.into_document(open, close, padding)
    }

    fn entry(&self, lines: &mut Lines<'t>, element: Element) {
        let token = match element {
            Element::Node(id) => {
                let mut content = Sequence::default();
                content.push(self.node(self.tree.node(id)));
                lines.add(content);
                return;
            }
            Element::Token(id) => self.tree.token(id),
        };
        lines.comments(token);
        if token.kind() == TokenKind::NewLine {
            lines.has_new_line = true;
            lines.breaks += line_breaks(token.text());
        }
    }
}

impl<'t> Lines<'t> {
    fn add(&mut self, content: Sequence<'t>) {
        let has_empty_line_before = self.breaks > 1;
        self.entries.push(Entry { content, has_empty_line_before });
        self.breaks = 0;
    }

    /// The comments before a token that is not printed: on the line of what is before them, or on their own.
    fn comments(&mut self, token: SyntaxToken<'t>) {
        for comment in comments_before(token) {
            if self.breaks == 0 {
                let last = self.entries.last_mut().map(|it| &mut it.content);
                let last = last.unwrap_or(&mut self.opening);
                last.text(" ");
                last.text(comment);
            } else {
                let mut content = Sequence::default();
                content.text(comment);
                self.add(content);
            }
        }
    }

    fn into_document(
        self,
        open: Sequence<'t>,
        close: &'t str,
        padding: &'static str,
    ) -> Document<'t> {
        let mut list = open;
        let has_comment = !self.opening.parts.is_empty();
        list.append(self.opening);
        if self.entries.is_empty() {
            if has_comment && self.has_new_line {
                list.new_line();
            } else if has_comment {
                list.text(" ");
            }
            list.text(close);
            return Document::Sequence(list);
        }
        let mut inside = Sequence::default();
        for (at, entry) in self.entries.into_iter().enumerate() {
            let flat = Some(if at == 0 { padding } else { ", " });
            let has_empty_line = at > 0 && entry.has_empty_line_before;
            inside.push(Document::Break(Break { flat, has_empty_line }));
            inside.append(entry.content);
        }
        list.push(Document::Indent(inside));
        list.may_break(padding);
        list.text(close);
        list.must_break |= self.has_new_line;
        Document::Group(list)
    }
}

fn is_close(token: SyntaxToken<'_>) -> bool {
    matches!(token.kind(), TokenKind::RightBrace | TokenKind::RightSquare)
}

/// How many lines end in a text of line breaks.
fn line_breaks(text: &str) -> usize {
    let pairs = text.matches("\r\n").count();
    text.len() - pairs
}
