//! What may be done with each property: read-only, create-only, write-only and the like.
//!
//! Pointers become a tree that is walked beside a document. Classes are inherited downwards:
//! below a read-only pointer everything is read-only. A step costs one search among siblings.

use crate::pointer::{PropertyPointer, Step};

/// One thing that a schema, or an override, says of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Returned by reads, never set by a caller.
    ReadOnly,
    /// Set at creation only.
    CreateOnly,
    /// Set by a caller, never returned.
    WriteOnly,
    /// Can be updated under conditions that only the service knows.
    ConditionalCreateOnly,
    /// Still accepted, perhaps ignored, perhaps not returned.
    Deprecated,
    /// Used, but not visible; treated as write-only.
    NonPublic,
    /// The resource's tags.
    Tags,
    /// The array is ordered in truth, whatever the schema says (override).
    Ordered,
    /// A write-only value that must not be sent again unchanged (override).
    NoResend,
    /// The array is unordered in truth, whatever the schema says (override).
    Unordered,
    /// AWS or other resources add elements or keys here, which are not ours (override).
    Shared,
    /// The service changes the letter case (override).
    LetterCase,
    /// The service adds or drops a trailing `.` or `/` (override).
    TrailingMark,
    /// The service changes white space, or adds a comment at the end (override).
    WhiteSpace,
    /// The service returns an ARN for a name, or a name for an ARN (override).
    NameOrArn,
    /// The service completes a version: `8.0` becomes `8.0.35` (override).
    VersionPrefix,
    /// The service writes an interval in another unit: `rate(60 minutes)` (override).
    Interval,
    /// The service writes a boolean as `0` or `1` (override).
    BooleanDigit,
    /// A read does not return the value, although the schema does not say so (override).
    NotReturned,
    /// The value is left out of an update if AWS's own validation refuses it (override).
    DropIfInvalid,
    /// The service accepts a removal and keeps the value (override).
    RemovalIgnored,
}

/// A set of classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ClassSet(u32);

impl ClassSet {
    pub(crate) const NONE: Self = Self(0);

    /// Whether the set holds `class`.
    pub const fn has(self, class: Class) -> bool {
        self.0 & (1 << class as u32) != 0
    }

    /// Whether the value is never returned by a read.
    pub const fn is_hidden(self) -> bool {
        self.has(Class::WriteOnly) || self.has(Class::NonPublic)
    }

    /// The classes of a list.
    pub(crate) fn of(classes: &[Class]) -> Self {
        classes.iter().fold(Self::NONE, |set, class| set.with(*class))
    }

    /// Whether some class allows another spelling of a text.
    pub(crate) fn has_spelling(self) -> bool {
        let spellings = [
            Class::LetterCase,
            Class::TrailingMark,
            Class::WhiteSpace,
            Class::NameOrArn,
            Class::VersionPrefix,
            Class::Interval,
            Class::BooleanDigit,
        ];
        self.0 & Self::of(&spellings).0 != 0
    }

    const fn with(self, class: Class) -> Self {
        Self(self.0 | 1 << class as u32)
    }

    pub(crate) const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What a place passes on to what lies below it.
    const fn heritage(self) -> Self {
        let own = 1 << Class::Tags as u32
            | 1 << Class::Ordered as u32
            | 1 << Class::Unordered as u32
            | 1 << Class::Shared as u32;
        Self(self.0 & !own)
    }
}

/// All classes of a type, by place.
#[derive(Debug, Clone)]
pub(crate) struct Classes {
    branches: Vec<Branch>,
}

#[derive(Debug, Clone, Default)]
struct Branch {
    own: ClassSet,
    /// What is said of places strictly below.
    below: ClassSet,
    members: Vec<(Box<str>, usize)>,
    each: Option<usize>,
    /// Index of a property transform.
    transform: Option<usize>,
    /// Index of a default to write in place of a removal.
    removal: Option<usize>,
    /// Index of a word that the service replaces by a value.
    keyword: Option<usize>,
}

/// A place in a document as the classes see it; cheap to copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    branch: Option<usize>,
    inherited: ClassSet,
}

impl Classes {
    pub(crate) fn new() -> Self {
        Self { branches: vec![Branch::default()] }
    }

    /// Says `class` of the places at `pointer`.
    pub(crate) fn mark(&mut self, pointer: &PropertyPointer, class: Class) {
        let mut at = 0;
        for step in pointer.steps() {
            self.branches[at].below = self.branches[at].below.with(class);
            at = self.grow(at, step);
        }
        self.branches[at].own = self.branches[at].own.with(class);
    }

    /// Attaches a property transform, by its index, to the places at `pointer`.
    pub(crate) fn set_transform(&mut self, pointer: &PropertyPointer, transform: usize) {
        let at = self.branch_at(pointer);
        self.branches[at].transform = Some(transform);
    }

    /// Attaches a default that is written where a removal would be ignored.
    pub(crate) fn set_removal(&mut self, pointer: &PropertyPointer, default: usize) {
        let at = self.branch_at(pointer);
        self.branches[at].removal = Some(default);
    }

    /// Attaches a word that the service replaces by a value.
    pub(crate) fn set_keyword(&mut self, pointer: &PropertyPointer, keyword: usize) {
        let at = self.branch_at(pointer);
        self.branches[at].keyword = Some(keyword);
    }

    fn branch_at(&mut self, pointer: &PropertyPointer) -> usize {
        pointer.steps().iter().fold(0, |at, step| self.grow(at, step))
    }

    fn grow(&mut self, at: usize, step: &Step) -> usize {
        let new = self.branches.len();
        let branch = &mut self.branches[at];
        let existing = match step {
            Step::Each => branch.each,
            Step::Member(name) => branch.find(name),
        };
        if let Some(next) = existing {
            return next;
        }
        match step {
            Step::Each => branch.each = Some(new),
            Step::Member(name) => branch.members.push((name.clone(), new)),
        }
        self.branches.push(Branch::default());
        new
    }

    /// To be called once, after the last mark: a named member of a map also obeys what is said of
    /// each member, so that a walk needs to follow one branch only.
    pub(crate) fn finish(&mut self) {
        let mut at = 0;
        while at < self.branches.len() {
            if let Some(each) = self.branches[at].each {
                for (_, member) in self.branches[at].members.clone() {
                    self.copy_onto(each, member, 0);
                }
            }
            self.branches[at].members.sort_by(|a, b| a.0.cmp(&b.0));
            at += 1;
        }
    }

    fn copy_onto(&mut self, from: usize, onto: usize, depth: usize) {
        // Depth is that of a pointer, which `pointer::resolve` limits; this only guards the stack.
        if depth > 64 {
            return;
        }
        let source = self.branches[from].clone();
        let target = &mut self.branches[onto];
        target.own = target.own.union(source.own);
        target.below = target.below.union(source.below);
        target.transform = target.transform.or(source.transform);
        target.removal = target.removal.or(source.removal);
        target.keyword = target.keyword.or(source.keyword);
        if let Some(each) = source.each {
            let next = self.grow(onto, &Step::Each);
            self.copy_onto(each, next, depth + 1);
        }
        for (name, member) in source.members {
            let next = self.grow(onto, &Step::Member(name));
            self.copy_onto(member, next, depth + 1);
        }
    }

    /// The root of a document.
    pub(crate) const ROOT: Place = Place { branch: Some(0), inherited: ClassSet::NONE };

    /// The member `name` of the object at `place`.
    pub(crate) fn member(&self, place: Place, name: &str) -> Place {
        self.next(place, |branch| branch.find_sorted(name).or(branch.each))
    }

    /// Any element of the array at `place`.
    pub(crate) fn element(&self, place: Place) -> Place {
        self.next(place, |branch| branch.each)
    }

    fn next(&self, place: Place, child: impl Fn(&Branch) -> Option<usize>) -> Place {
        let Some(at) = place.branch else { return place };
        let branch = &self.branches[at];
        Place { branch: child(branch), inherited: place.inherited.union(branch.own.heritage()) }
    }

    /// What holds at `place`: said of it or of what it lies in.
    pub(crate) fn at(&self, place: Place) -> ClassSet {
        self.own(place).union(place.inherited)
    }

    /// What is said of places strictly below.
    pub(crate) fn below(&self, place: Place) -> ClassSet {
        place.branch.map_or(ClassSet::NONE, |at| self.branches[at].below)
    }

    /// What is said of exactly this place.
    pub(crate) fn own(&self, place: Place) -> ClassSet {
        place.branch.map_or(ClassSet::NONE, |at| self.branches[at].own)
    }

    /// Whether a create-only pointer begins here, strictly below a write-only one.
    pub(crate) fn is_create_only_within_secret(&self, place: Place) -> bool {
        self.own(place).has(Class::CreateOnly)
            && place.inherited.is_hidden()
            && !place.inherited.has(Class::CreateOnly)
    }

    pub(crate) fn transform(&self, place: Place) -> Option<usize> {
        place.branch.and_then(|at| self.branches[at].transform)
    }

    pub(crate) fn removal(&self, place: Place) -> Option<usize> {
        place.branch.and_then(|at| self.branches[at].removal)
    }

    pub(crate) fn keyword(&self, place: Place) -> Option<usize> {
        place.branch.and_then(|at| self.branches[at].keyword)
    }
}

impl Branch {
    fn find(&self, name: &str) -> Option<usize> {
        self.members.iter().find(|(key, _)| key.as_ref() == name).map(|(_, next)| *next)
    }

    fn find_sorted(&self, name: &str) -> Option<usize> {
        let at = self.members.binary_search_by(|(key, _)| key.as_ref().cmp(name)).ok()?;
        Some(self.members[at].1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{node, pointer, shape};
    use serde_json::json;

    fn classes(marks: &[(&str, Class)]) -> Classes {
        let schema = json!({"properties": {
            "A": {"type": "object", "properties": {"B": {"type": "string"}, "C": {"type": "object"}}},
            "L": {"type": "array", "items": {"type": "object", "properties": {"X": {}, "Y": {}}}},
            "M": {"type": "object", "patternProperties": {".+": {"type": "object", "properties": {"V": {}}}}}
        }});
        let (nodes, root, _) = node::read(schema.as_object().unwrap());
        let (shapes, root) = shape::merge(&nodes, root);
        let mut classes = Classes::new();
        for (text, class) in marks {
            classes.mark(&pointer::resolve(text, &shapes, root).unwrap(), *class);
        }
        classes.finish();
        classes
    }

    #[test]
    fn a_class_holds_at_its_place_and_below_it_and_is_foreseen_above_it() {
        let classes = classes(&[("/properties/A/C", Class::ReadOnly)]);
        let a = classes.member(Classes::ROOT, "A");
        let c = classes.member(a, "C");
        let below = classes.member(classes.member(c, "deep"), "er");
        assert!(!classes.at(a).has(Class::ReadOnly));
        assert!(classes.below(a).has(Class::ReadOnly));
        assert!(classes.at(c).has(Class::ReadOnly));
        assert!(classes.at(below).has(Class::ReadOnly));
        assert!(!classes.at(classes.member(a, "B")).has(Class::ReadOnly));
    }

    #[test]
    fn a_star_holds_for_elements_and_for_members_of_a_map() {
        let classes = classes(&[
            ("/properties/L/*/X", Class::WriteOnly),
            ("/properties/M/*/V", Class::CreateOnly),
        ]);
        let element = classes.element(classes.member(Classes::ROOT, "L"));
        assert!(classes.at(classes.member(element, "X")).is_hidden());
        assert!(!classes.at(classes.member(element, "Y")).is_hidden());
        let member = classes.member(classes.member(Classes::ROOT, "M"), "any/key");
        assert!(classes.at(classes.member(member, "V")).has(Class::CreateOnly));
    }

    #[test]
    fn a_named_member_of_a_map_also_obeys_the_star() {
        let classes = classes(&[
            ("/properties/M/*/V", Class::ReadOnly),
            ("/properties/M/k/V", Class::WriteOnly),
        ]);
        let k = classes.member(classes.member(Classes::ROOT, "M"), "k");
        let both = classes.at(classes.member(k, "V"));
        assert!(both.has(Class::ReadOnly) && both.is_hidden());
        assert!(classes.below(k).has(Class::ReadOnly));
    }
}
