//! Walking a tree: cheap handles to its nodes and tokens.

use std::fmt;

use hangar_diag::Span;

use super::{Element, NodeId, TokenId, Tree};
use crate::syntax::NodeKind;
use crate::syntax::token::{TokenKind, Trivia};

/// A node of a tree, ready to be asked.
#[derive(Clone, Copy)]
pub struct Node<'t> {
    tree: &'t Tree,
    id: NodeId,
}

impl<'t> Node<'t> {
    pub(super) const fn new(tree: &'t Tree, id: NodeId) -> Self {
        Self { tree, id }
    }

    /// Which node it is.
    pub const fn id(self) -> NodeId {
        self.id
    }

    /// What it is.
    pub fn kind(self) -> NodeKind {
        self.tree.node_data(self.id).kind
    }

    /// Its bytes, from its first token to its last, without the trivia before the first.
    pub fn span(self) -> Span {
        let data = self.tree.node_data(self.id);
        Span::new(data.start_byte as usize, data.end_byte as usize)
    }

    /// The text of its span.
    pub fn text(self) -> &'t str {
        let data = self.tree.node_data(self.id);
        self.tree.slice(data.start_byte, data.end_byte)
    }

    /// Its children: nodes and tokens in the order of the text.
    pub fn elements(self) -> impl DoubleEndedIterator<Item = Element> + 't {
        self.tree.children_of(self.id).iter().copied()
    }

    /// Those of its children that are nodes.
    pub fn children(self) -> impl DoubleEndedIterator<Item = Node<'t>> + 't {
        self.elements().filter_map(move |element| match element {
            Element::Node(id) => Some(Node::new(self.tree, id)),
            Element::Token(_) => None,
        })
    }

    /// Those of its children that are tokens.
    pub fn tokens(self) -> impl DoubleEndedIterator<Item = SyntaxToken<'t>> + 't {
        self.elements().filter_map(move |element| match element {
            Element::Token(id) => Some(SyntaxToken { tree: self.tree, id }),
            Element::Node(_) => None,
        })
    }

    /// The first child of a kind.
    pub fn child(self, kind: NodeKind) -> Option<Node<'t>> {
        self.children().find(|child| child.kind() == kind)
    }

    /// The first token of a kind among its children.
    pub fn token(self, kind: TokenKind) -> Option<SyntaxToken<'t>> {
        self.tokens().find(|token| token.kind() == kind)
    }
}

/// The kinds of the tree below, one node a line: what a test reads.
impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut open = vec![(Element::Node(self.id), 0)];
        while let Some((element, depth)) = open.pop() {
            write!(f, "{:depth$}", "", depth = depth * 2)?;
            match element {
                Element::Node(id) => {
                    let node = Node::new(self.tree, id);
                    writeln!(f, "{:?}", node.kind())?;
                    open.extend(node.elements().rev().map(|child| (child, depth + 1)));
                }
                Element::Token(id) => {
                    let token = SyntaxToken { tree: self.tree, id };
                    writeln!(f, "{:?} {:?}", token.kind(), token.text())?;
                }
            }
        }
        Ok(())
    }
}

/// A token of a tree, ready to be asked.
#[derive(Clone, Copy)]
pub struct SyntaxToken<'t> {
    tree: &'t Tree,
    id: TokenId,
}

impl<'t> SyntaxToken<'t> {
    pub(super) const fn new(tree: &'t Tree, id: TokenId) -> Self {
        Self { tree, id }
    }

    /// Which token it is.
    pub const fn id(self) -> TokenId {
        self.id
    }

    /// What it is.
    pub fn kind(self) -> TokenKind {
        self.tree.token_data(self.id).kind
    }

    /// Its bytes.
    pub fn span(self) -> Span {
        let token = self.tree.token_data(self.id);
        Span::new(token.start as usize, token.end as usize)
    }

    /// Its text.
    pub fn text(self) -> &'t str {
        let token = self.tree.token_data(self.id);
        self.tree.slice(token.start, token.end)
    }

    /// The text of one of its trivia.
    pub(crate) fn text_of(self, trivia: &Trivia) -> &'t str {
        self.tree.slice(trivia.start, trivia.end)
    }

    /// The comments, spaces and directives right before it.
    pub fn trivia(self) -> &'t [Trivia] {
        self.tree.trivia_before(self.id)
    }
}

impl fmt::Debug for SyntaxToken<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {:?}", self.kind(), self.text())
    }
}

/// A position in one of the lists, none of which is longer than the text allows.
pub(super) fn index(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
