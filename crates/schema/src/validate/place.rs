//! Where in the document a walker stands, and how that place is named and ordered.

use crate::pointer;

/// The way from the root to a value, as a list on the stack: a walk that finds nothing pays for no
/// pointer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Path<'p> {
    parent: Option<&'p Path<'p>>,
    segment: Segment<'p>,
    /// The position among siblings, in the order of the document.
    index: usize,
}

#[derive(Debug, Clone, Copy)]
enum Segment<'p> {
    Root,
    Member(&'p str),
    Element,
}

impl<'p> Path<'p> {
    pub(super) const ROOT: Self = Self { parent: None, segment: Segment::Root, index: 0 };

    pub(super) fn member<'c>(&'c self, index: usize, name: &'c str) -> Path<'c>
    where
        'p: 'c,
    {
        Path { parent: Some(self), segment: Segment::Member(name), index }
    }

    pub(super) fn element<'c>(&'c self, index: usize) -> Path<'c>
    where
        'p: 'c,
    {
        Path { parent: Some(self), segment: Segment::Element, index }
    }

    /// The place as a value that outlives the walk.
    pub(super) fn place(&self) -> Place {
        let mut steps = Vec::new();
        let mut at = Some(self);
        while let Some(path) = at {
            steps.push((path.segment, path.index));
            at = path.parent;
        }
        let mut place = Place { order: Vec::with_capacity(steps.len()), pointer: String::new() };
        for (segment, index) in steps.into_iter().rev() {
            match segment {
                Segment::Root => continue,
                Segment::Member(name) => {
                    place.pointer.push('/');
                    place.pointer.push_str(&pointer::escape(name));
                }
                Segment::Element => {
                    place.pointer.push('/');
                    place.pointer.push_str(&index.to_string());
                }
            }
            place.order.push(index);
        }
        place
    }
}

/// A place in the document. Places order as the document does, a holder before what it holds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    order: Vec<usize>,
    pointer: String,
}

impl Place {
    /// The JSON pointer (RFC 6901).
    pub(crate) fn pointer(&self) -> &str {
        &self.pointer
    }

    /// The place in words: `` `Tags/0/Key` ``, or what the whole document is.
    pub(super) fn name(&self) -> String {
        match self.pointer.strip_prefix('/') {
            Some(path) => format!("`{path}`"),
            None => "the properties document".to_owned(),
        }
    }

    /// The positions that lead here, which tell places of one document apart.
    pub(super) fn order(&self) -> &[usize] {
        &self.order
    }

    /// The positions that lead to what holds this.
    pub(super) fn order_of_holder(&self) -> &[usize] {
        self.order.split_last().map_or(&[], |(_, holder)| holder)
    }

    /// Whether this is `other` or lies in it.
    pub(super) fn is_at_or_below(&self, other: &Self) -> bool {
        self.order.starts_with(&other.order)
    }

    /// Whether this is a member or an element of `other` itself.
    pub(super) fn is_child_of(&self, other: &Self) -> bool {
        self.order.len() == other.order.len() + 1 && self.is_at_or_below(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_an_escaped_pointer_and_the_order_of_the_document() {
        let root = Path::ROOT;
        let (list, key) = (root.member(1, "a/b"), root.member(0, "z"));
        let element = list.element(3);
        assert_eq!(element.place().pointer(), "/a~1b/3");
        assert_eq!(root.place().pointer(), "");
        assert!(key.place() < list.place() && list.place() < element.place());
        assert!(element.place().is_child_of(&list.place()));
        assert!(element.place().is_at_or_below(&root.place()));
        assert!(!list.place().is_at_or_below(&key.place()));
    }
}
