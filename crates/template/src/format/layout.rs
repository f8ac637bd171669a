//! From the tree to a document: what stands between tokens, and where lines may be broken.
//!
//! A new line of the text is a token of the tree, and stands where the language lets a line end. It is not printed;
//! the comments before it are, each with a line break after it: so what is printed is as valid as what was read.

use std::collections::VecDeque;

use super::document::{Arguments, Document, Sequence};
use crate::syntax::{Element, Node, NodeKind, SyntaxToken, TokenKind, Tree, TriviaKind};

pub(super) struct Layout<'t> {
    pub(super) tree: &'t Tree,
}

/// What stands between two parts of a node.
#[derive(Clone, Copy)]
enum Between {
    Nothing,
    Space,
    /// A line break, or this.
    Break(&'static str),
    NewLine,
}

/// New lines that were passed, for their comments.
type Passed<'t> = Vec<SyntaxToken<'t>>;

impl<'t> Layout<'t> {
    pub(super) const fn new(tree: &'t Tree) -> Self {
        Self { tree }
    }

    pub(super) fn node(&self, node: Node<'t>) -> Document<'t> {
        match node.kind() {
            NodeKind::String => string(node),
            NodeKind::Object | NodeKind::TypeObject | NodeKind::ImportList => self.list(node, " "),
            NodeKind::Array | NodeKind::TypeTuple => self.list(node, ""),
            NodeKind::Call
            | NodeKind::MethodCall
            | NodeKind::Parenthesized
            | NodeKind::TypeParenthesized
            | NodeKind::FuncParams
            | NodeKind::LambdaVariables
            | NodeKind::LoopVariables => self.with_parentheses(node),
            NodeKind::Loop => self.repeat(node),
            NodeKind::Ternary => self.ternary(node),
            NodeKind::TypeUnion => self.union(node),
            NodeKind::Decorator => self.decorator(node),
            _ => self.plain(node),
        }
    }

    fn element(&self, into: &mut Sequence<'t>, element: Element) {
        match element {
            Element::Node(id) => into.push(self.node(self.tree.node(id))),
            Element::Token(id) => token(into, self.tree.token(id)),
        }
    }

    /// Parts one after the other, with spaces where there belong some.
    fn plain(&self, node: Node<'t>) -> Document<'t> {
        let mut whole = Sequence::default();
        self.run(&mut whole, node.kind(), &node.elements().collect::<Vec<_>>());
        Document::Sequence(whole)
    }

    /// Some parts of a node, one after the other.
    fn run(&self, into: &mut Sequence<'t>, kind: NodeKind, elements: &[Element]) {
        let mut passed = Passed::new();
        let mut last = None;
        for element in elements {
            if let Some(new_line) = self.new_line(*element) {
                passed.push(new_line);
                continue;
            }
            let between = match last {
                Some(last) => self.between(kind, last, *element),
                None => Between::Nothing,
            };
            gap(into, &mut passed, between);
            self.element(into, *element);
            last = Some(*element);
        }
    }

    fn new_line(&self, element: Element) -> Option<SyntaxToken<'t>> {
        let Element::Token(id) = element else { return None };
        let token = self.tree.token(id);
        (token.kind() == TokenKind::NewLine).then_some(token)
    }

    fn token_kind(&self, element: Element) -> Option<TokenKind> {
        let Element::Token(id) = element else { return None };
        Some(self.tree.token(id).kind())
    }

    fn node_kind(&self, element: Element) -> Option<NodeKind> {
        let Element::Node(id) = element else { return None };
        Some(self.tree.node(id).kind())
    }

    fn between(&self, kind: NodeKind, last: Element, next: Element) -> Between {
        let next_token = self.token_kind(next);
        // A decorator ends its line itself.
        if self.node_kind(last) == Some(NodeKind::Decorator)
            || self.node_kind(next) == Some(NodeKind::FuncParams)
            || matches!(next_token, Some(TokenKind::Colon | TokenKind::Comma))
        {
            return Between::Nothing;
        }
        match kind {
            NodeKind::TypeParameterized if self.token_kind(last) == Some(TokenKind::Comma) => {
                Between::Space
            }
            NodeKind::Spread
            | NodeKind::Unary
            | NodeKind::Member
            | NodeKind::MethodCall
            | NodeKind::Call
            | NodeKind::Index
            | NodeKind::NestedResource
            | NodeKind::NonNull
            | NodeKind::TypeLiteral
            | NodeKind::TypeArray
            | NodeKind::TypeNullable
            | NodeKind::TypeNonNull
            | NodeKind::TypeMember
            | NodeKind::TypeOtherMembers
            | NodeKind::TypeItem
            | NodeKind::TypeItems
            | NodeKind::TypeParameterized
            | NodeKind::Decorator => Between::Nothing,
            _ => Between::Space,
        }
    }

    /// A decorator and the end of its line.
    fn decorator(&self, node: Node<'t>) -> Document<'t> {
        let mut whole = Sequence::default();
        let elements: Vec<Element> = node.elements().collect();
        let end = elements.iter().position(|it| self.new_line(*it).is_some());
        let (parts, new_lines) = elements.split_at(end.unwrap_or(elements.len()));
        self.run(&mut whole, NodeKind::Decorator, parts);
        let mut passed: Passed<'t> = new_lines.iter().filter_map(|it| self.new_line(*it)).collect();
        gap(&mut whole, &mut passed, Between::NewLine);
        Document::Sequence(whole)
    }

    /// What ends in parentheses with items in them.
    fn with_parentheses(&self, node: Node<'t>) -> Document<'t> {
        let elements: Vec<Element> = node.elements().collect();
        let is_open = |it: &Element| self.token_kind(*it) == Some(TokenKind::LeftParen);
        let open = elements.iter().position(is_open).unwrap_or(elements.len());
        let (head, rest) = elements.split_at((open + 1).min(elements.len()));
        let mut whole = Sequence::default();
        self.run(&mut whole, NodeKind::Call, head);
        let mut arguments = Arguments::default();
        let mut close = Sequence::default();
        let mut passed = Passed::new();
        let is_whole = self.is_whole(rest);
        let mut between = if is_whole { Between::Nothing } else { Between::Break("") };
        for element in rest {
            match (self.new_line(*element), self.token_kind(*element)) {
                (Some(new_line), _) => passed.push(new_line),
                (_, Some(TokenKind::Comma)) => {
                    gap(&mut arguments.inside, &mut passed, Between::Nothing);
                    self.element(&mut arguments.inside, *element);
                    between = Between::Break(" ");
                }
                (_, Some(TokenKind::RightParen)) => {
                    if comments(&mut arguments.inside, &mut passed) {
                        arguments.open_ended = None;
                        arguments.end.new_line();
                    } else if !arguments.inside.parts.is_empty() && !is_whole {
                        arguments.end.may_break("");
                    }
                    self.element(&mut close, *element);
                }
                _ => {
                    gap(&mut arguments.inside, &mut passed, between);
                    arguments.open_ended =
                        self.is_open_ended(*element).then_some(arguments.inside.parts.len());
                    self.element(&mut arguments.inside, *element);
                }
            }
        }
        whole.push(Document::Arguments(Box::new(arguments)));
        whole.append(close);
        Document::Sequence(whole)
    }

    /// Whether only one text or name stands in parentheses: no line gets much shorter by breaking around it.
    fn is_whole(&self, elements: &[Element]) -> bool {
        let mut items = elements.iter().filter_map(|it| self.node_kind(*it));
        let is_one = matches!(
            items.next(),
            Some(NodeKind::String | NodeKind::Literal | NodeKind::Variable | NodeKind::Name)
        );
        is_one && items.next().is_none()
    }

    /// Whether an item ends in a bracket that can be closed on a later line.
    fn is_open_ended(&self, element: Element) -> bool {
        let Element::Node(id) = element else { return false };
        let node = self.tree.node(id);
        match node.kind() {
            NodeKind::Object | NodeKind::Array | NodeKind::Loop => true,
            NodeKind::Lambda => {
                !node.tokens().any(|it| comments_before(it).next().is_some())
                    && node.elements().next_back().is_some_and(|it| self.is_open_ended(it))
            }
            NodeKind::Call | NodeKind::MethodCall | NodeKind::Parenthesized => {
                let mut children = node.children();
                let last = children.next_back();
                // The name of a call is a child, too.
                last.is_some_and(|it| {
                    it.kind() != NodeKind::Name && self.is_open_ended(Element::Node(it.id()))
                })
            }
            _ => false,
        }
    }

    /// `[for item in list: body]`.
    fn repeat(&self, node: Node<'t>) -> Document<'t> {
        let elements: Vec<Element> = node.elements().collect();
        let mut whole = Sequence::default();
        let mut inside = Sequence::default();
        let (mut passed, mut last) = (Passed::new(), None);
        for (at, element) in elements.iter().enumerate() {
            if let Some(new_line) = self.new_line(*element) {
                passed.push(new_line);
            } else if at == 0 {
                self.element(&mut whole, *element);
            } else if at + 1 == elements.len() {
                let must_end = comments(&mut inside, &mut passed);
                whole.push(Document::Indent(std::mem::take(&mut inside)));
                if must_end {
                    whole.new_line();
                } else {
                    whole.may_break("");
                }
                self.element(&mut whole, *element);
            } else {
                let between = match last {
                    Some(last) => self.between(NodeKind::Loop, last, *element),
                    None => Between::Break(""),
                };
                gap(&mut inside, &mut passed, between);
                self.element(&mut inside, *element);
                last = Some(*element);
            }
        }
        Document::Group(whole)
    }

    /// `condition ? a : b`; what is on later lines is moved past the `? `.
    fn ternary(&self, node: Node<'t>) -> Document<'t> {
        let (mut whole, mut branches) = (Sequence::default(), Sequence::default());
        let mut passed = Passed::new();
        let mut is_broken = false;
        let mut is_branch = false;
        for element in node.elements() {
            if let Some(new_line) = self.new_line(element) {
                is_broken = true;
                passed.push(new_line);
            } else if self.token_kind(element).is_some() {
                gap(&mut branches, &mut passed, Between::Break(" "));
                self.element(&mut branches, element);
                branches.text(" ");
                is_branch = true;
            } else if is_branch {
                let mut branch = Sequence::default();
                gap(&mut branch, &mut passed, Between::Nothing);
                self.element(&mut branch, element);
                branches.push(Document::Indent(branch));
            } else {
                self.element(&mut whole, element);
            }
        }
        whole.push(Document::Indent(branches));
        whole.must_break |= is_broken;
        Document::Group(whole)
    }

    /// `a | b`: each member on its own line where one is; else objects may be broken within a line.
    fn union(&self, node: Node<'t>) -> Document<'t> {
        let is_broken = node.tokens().any(|it| it.kind() == TokenKind::NewLine);
        // Once for each: what is nested deep would be looked at again and again.
        let mut members = VecDeque::new();
        for member in node.children() {
            members.push_back(self.node(member));
        }
        let is_compact = !is_broken && members.iter().any(Document::must_break);
        let (mut whole, mut others) = (Sequence::default(), Sequence::default());
        let mut passed = Passed::new();
        for (at, element) in node.elements().enumerate() {
            if let Some(new_line) = self.new_line(element) {
                passed.push(new_line);
            } else if self.token_kind(element).is_some() {
                let between = match () {
                    () if at == 0 => Between::Nothing,
                    () if is_broken => Between::NewLine,
                    () if is_compact => Between::Space,
                    () => Between::Break(" "),
                };
                gap(&mut others, &mut passed, between);
                self.element(&mut others, element);
                others.text(" ");
            } else if let Some(member) = members.pop_front() {
                let into = if others.parts.is_empty() { &mut whole } else { &mut others };
                gap(into, &mut passed, Between::Nothing);
                into.push(member);
            }
        }
        if is_compact {
            whole.append(others);
            return Document::Sequence(whole);
        }
        whole.push(Document::Indent(others));
        Document::Group(whole)
    }
}

/// A token with the comments before it.
pub(super) fn token<'t>(into: &mut Sequence<'t>, token: SyntaxToken<'t>) {
    let (before, after) = if is_tight(token.kind()) { (" ", "") } else { ("", " ") };
    for comment in comments_before(token) {
        into.text(before);
        into.text(comment);
        into.text(after);
    }
    into.text(token.text());
}

/// A string as it is, with its holes.
fn string(node: Node<'_>) -> Document<'_> {
    let mut string = Sequence::default();
    for comment in node.tokens().next().into_iter().flat_map(comments_before) {
        string.text(comment);
        string.text(" ");
    }
    string.text(node.text());
    Document::Sequence(string)
}

/// What stands between two parts, with the comments of the new lines that were passed.
fn gap<'t>(into: &mut Sequence<'t>, passed: &mut Passed<'t>, between: Between) {
    if comments(into, passed) {
        into.new_line();
        return;
    }
    match between {
        Between::Nothing => {}
        Between::Space => into.text(" "),
        Between::Break(flat) => into.may_break(flat),
        Between::NewLine => into.new_line(),
    }
}

/// The comments of the new lines that were passed; whether there are any, so that the line must end after them.
fn comments<'t>(into: &mut Sequence<'t>, passed: &mut Passed<'t>) -> bool {
    let mut must_end = false;
    for (at, new_line) in passed.drain(..).enumerate() {
        let mut begins_line = at > 0;
        for comment in comments_before(new_line) {
            must_end = true;
            if begins_line {
                into.new_line();
            } else {
                into.text(" ");
            }
            into.text(comment);
            begins_line = false;
        }
    }
    must_end
}

/// The comments and directives before a token, without the spaces at their end.
pub(super) fn comments_before(token: SyntaxToken<'_>) -> impl Iterator<Item = &str> {
    let trivia = token.trivia().iter().filter(|it| it.kind != TriviaKind::Whitespace);
    trivia.map(move |it| token.text_of(it).trim_end())
}

/// Whether nothing stands before a token of this kind.
const fn is_tight(kind: TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::RightParen
            | TokenKind::RightSquare
            | TokenKind::RightBrace
            | TokenKind::LeftParen
            | TokenKind::Comma
            | TokenKind::Colon
            | TokenKind::Dot
    )
}
