//! The lossless tree: an arena of nodes over the tokens of a text.
//!
//! Three flat lists hold it: tokens, nodes, and the children of all nodes one after the other.
//! Invariant: every token is a child of exactly one node, in the order of the text, so the tree
//! prints back byte for byte whatever the text was.

mod builder;
mod cursor;

use super::NodeKind;
use super::token::{Token, Trivia};

pub(crate) use builder::{Builder, Mark};
pub use cursor::{Node, SyntaxToken};

/// A node of one tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(crate) u32);

/// A token of one tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TokenId(pub(crate) u32);

/// A child of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Element {
    /// A node with children of its own.
    Node(NodeId),
    /// A token.
    Token(TokenId),
}

#[derive(Debug, Clone, Copy)]
struct NodeData {
    kind: NodeKind,
    /// Its children in the list of all children.
    first: u32,
    end: u32,
    /// Its bytes without the trivia before its first token.
    start_byte: u32,
    end_byte: u32,
}

/// A text, its tokens, and what they mean together.
#[derive(Debug, Clone)]
pub struct Tree {
    text: Box<str>,
    tokens: Vec<Token>,
    trivia: Vec<Trivia>,
    nodes: Vec<NodeData>,
    children: Vec<Element>,
}

impl Tree {
    /// The text that was read.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The node that holds all others.
    pub fn root(&self) -> Node<'_> {
        // The file is the last node that is finished.
        Node::new(self, NodeId(cursor::index(self.nodes.len().saturating_sub(1))))
    }

    /// The node of an id of this tree.
    pub fn node(&self, id: NodeId) -> Node<'_> {
        Node::new(self, id)
    }

    /// The token of an id of this tree.
    pub const fn token(&self, id: TokenId) -> SyntaxToken<'_> {
        SyntaxToken::new(self, id)
    }

    /// All tokens in their order.
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// Which of [`Tree::tokens`] an id of this tree names.
    pub const fn position_of_token(&self, id: TokenId) -> usize {
        id.0 as usize
    }

    /// All trivia in their order, directives among them.
    pub fn trivia(&self) -> &[Trivia] {
        &self.trivia
    }

    /// The text again, from the leaves of the tree and their trivia.
    pub fn print(&self) -> String {
        let mut printed = String::with_capacity(self.text.len());
        // A stack of ours and not the thread's: printing works at any depth.
        let mut open = vec![Element::Node(self.root().id())];
        while let Some(element) = open.pop() {
            match element {
                Element::Node(id) => open.extend(self.children_of(id).iter().rev()),
                Element::Token(id) => {
                    for trivia in self.trivia_before(id) {
                        printed.push_str(self.slice(trivia.start, trivia.end));
                    }
                    let token = self.token_data(id);
                    printed.push_str(self.slice(token.start, token.end));
                }
            }
        }
        printed
    }

    fn node_data(&self, id: NodeId) -> &NodeData {
        &self.nodes[id.0 as usize]
    }

    fn token_data(&self, id: TokenId) -> &Token {
        &self.tokens[id.0 as usize]
    }

    fn children_of(&self, id: NodeId) -> &[Element] {
        let node = self.node_data(id);
        &self.children[node.first as usize..node.end as usize]
    }

    fn trivia_before(&self, id: TokenId) -> &[Trivia] {
        let first = self.token_data(id).trivia as usize;
        let next = self.tokens.get(id.0 as usize + 1);
        let end = next.map_or(self.trivia.len(), |token| token.trivia as usize);
        &self.trivia[first..end]
    }

    fn slice(&self, start: u32, end: u32) -> &str {
        &self.text[start as usize..end as usize]
    }
}
