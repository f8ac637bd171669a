//! What is to be printed, before it is known which lines are broken.

/// A piece of a text with the places where it may be broken.
#[derive(Debug)]
pub(super) enum Document<'t> {
    /// As it is; it may hold line breaks, which are part of a string or of a comment.
    Text(&'t str),
    /// A line break, or a text where the group around it is on one line.
    Break(Break),
    /// One after the other.
    Sequence(Sequence<'t>),
    /// Its line breaks are followed by one more level.
    Indent(Sequence<'t>),
    /// On one line if that is possible; else all breaks that are directly in it are line breaks.
    Group(Sequence<'t>),
    /// What stands in parentheses.
    Arguments(Box<Arguments<'t>>),
}

/// A place where a line may end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Break {
    /// What stands here where the line does not end; nothing where it must.
    pub(super) flat: Option<&'static str>,
    /// Whether an empty line follows.
    pub(super) has_empty_line: bool,
}

/// Documents, and whether a line must end in one of them.
#[derive(Debug, Default)]
pub(super) struct Sequence<'t> {
    pub(super) parts: Vec<Document<'t>>,
    pub(super) must_break: bool,
}

/// What stands in parentheses: on one line, or all but the last item on one line, or each item on its own.
#[derive(Debug, Default)]
pub(super) struct Arguments<'t> {
    /// The items, each a part, with what is between them.
    pub(super) inside: Sequence<'t>,
    /// Which part may be broken while the others are on one line: the last item, if it ends in a bracket.
    pub(super) open_ended: Option<usize>,
    /// What stands before the closing parenthesis.
    pub(super) end: Sequence<'t>,
}

impl<'t> Sequence<'t> {
    pub(super) fn push(&mut self, part: Document<'t>) {
        self.must_break |= part.must_break();
        self.parts.push(part);
    }

    pub(super) fn text(&mut self, text: &'t str) {
        self.push(Document::Text(text));
    }

    /// A line break, or `flat`.
    pub(super) fn may_break(&mut self, flat: &'static str) {
        self.push(Document::Break(Break { flat: Some(flat), has_empty_line: false }));
    }

    pub(super) fn new_line(&mut self) {
        self.push(Document::Break(Break { flat: None, has_empty_line: false }));
    }

    pub(super) fn append(&mut self, other: Self) {
        self.must_break |= other.must_break;
        self.parts.extend(other.parts);
    }
}

impl Document<'_> {
    pub(super) const fn must_break(&self) -> bool {
        match self {
            Document::Text(_) => false,
            Document::Break(it) => it.flat.is_none(),
            Document::Sequence(it) | Document::Indent(it) | Document::Group(it) => it.must_break,
            Document::Arguments(it) => it.inside.must_break || it.end.must_break,
        }
    }
}
