//! Building a tree from its leaves: tokens and finished nodes wait on a stack for their parent.
//!
//! A parent may be decided on after its first child was read, and what was read may end up in an
//! [`NodeKind::Error`]: both are a matter of where on the stack the node begins.

use super::cursor::index;
use super::{Element, NodeData, NodeId, TokenId, Tree};
use crate::syntax::NodeKind;
use crate::syntax::token::{Token, Trivia};

/// A place on the stack: a node finished from here takes everything that was added since.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark(usize);

#[derive(Default)]
pub(crate) struct Builder {
    waiting: Vec<Element>,
    nodes: Vec<NodeData>,
    children: Vec<Element>,
}

impl Builder {
    pub(crate) fn mark(&self) -> Mark {
        Mark(self.waiting.len())
    }

    pub(crate) fn token(&mut self, at: usize) {
        self.waiting.push(Element::Token(TokenId(index(at))));
    }

    /// Makes a node of everything since `mark`; `here` is where an empty one stands.
    pub(crate) fn finish(&mut self, kind: NodeKind, mark: Mark, tokens: &[Token], here: u32) {
        let begin = mark.0.min(self.waiting.len());
        let own = &self.waiting[begin..];
        let start_byte = own.first().map_or(here, |first| self.bytes_of(*first, tokens).0);
        let end_byte = own.last().map_or(here, |last| self.bytes_of(*last, tokens).1);
        let first = index(self.children.len());
        self.children.extend(self.waiting.drain(begin..));
        let end = index(self.children.len());
        let id = NodeId(index(self.nodes.len()));
        self.nodes.push(NodeData { kind, first, end, start_byte, end_byte });
        self.waiting.push(Element::Node(id));
    }

    fn bytes_of(&self, element: Element, tokens: &[Token]) -> (u32, u32) {
        match element {
            Element::Node(id) => {
                let node = &self.nodes[id.0 as usize];
                (node.start_byte, node.end_byte)
            }
            Element::Token(id) => {
                let token = &tokens[id.0 as usize];
                (token.start, token.end)
            }
        }
    }

    /// The tree; its last node is the file.
    pub(crate) fn into_tree(self, text: &str, tokens: Vec<Token>, trivia: Vec<Trivia>) -> Tree {
        Tree { text: text.into(), tokens, trivia, nodes: self.nodes, children: self.children }
    }
}
