//! What a walk has found: operations, reasons, explanations, and the path they speak of.

use std::fmt::Write as _;

use hangar_diag::Diagnostic;
use serde_json::Value;

use super::operation::{Operation, perform};
use super::walk::Walk;
use super::{Cause, Explanation, Outcome, Patch, Reason, Rule, Subject};
use crate::class::Class;
use crate::equal::{Against, Holders};
use crate::pointer;
use crate::secret;
use crate::spot::Spot;

/// A step of the path to where the walk stands.
#[derive(Debug, Clone)]
pub(super) enum Segment<'a> {
    Member(&'a str),
    /// An element: its index in desired, and its name in secret paths where it needs one.
    Element(usize, Option<String>),
}

/// Operations gathered below one base: the document, or an array element, which is written as
/// part of its array and so never addressed by operations of the patch itself.
#[derive(Debug, Default)]
pub(super) struct Frame {
    pub(super) base: usize,
    pub(super) operations: Vec<Operation>,
    /// Unchanged write-only values, sent again only if something else changes.
    pub(super) repeats: Vec<Operation>,
}

impl Frame {
    /// `document` after the operations and the repeated values.
    pub(super) fn applied_to(&self, document: &Value) -> Value {
        let mut document = document.clone();
        for operation in self.operations.iter().chain(&self.repeats) {
            perform(&mut document, operation);
        }
        document
    }
}

impl<'a> Walk<'a> {
    pub(super) fn finish(mut self, is_immutable: bool) -> Result<Patch, Vec<Diagnostic>> {
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        if is_immutable {
            let changed = self.frame.operations.iter();
            self.reasons.extend(changed.map(|operation| Reason {
                path: operation.path().to_owned(),
                cause: Cause::Immutable,
            }));
        }
        let outcome = if !self.reasons.is_empty() {
            Outcome::ReplaceRequired
        } else if self.frame.operations.is_empty() {
            Outcome::Noop
        } else {
            Outcome::Update
        };
        let repeats = std::mem::take(&mut self.frame.repeats);
        let (mut operations, mut besides) = (Vec::new(), Vec::new());
        if outcome == Outcome::ReplaceRequired {
            besides = std::mem::take(&mut self.frame.operations);
        }
        if outcome == Outcome::Update {
            operations = std::mem::take(&mut self.frame.operations);
            for repeat in repeats {
                self.explanations.push(Explanation {
                    path: repeat.path().to_owned(),
                    subject: Subject::Add,
                    rule: Rule::WriteOnlyRepeated,
                });
                operations.push(repeat);
            }
        } else {
            // No operation is made: what would have been one is a difference that is left.
            for explanation in &mut self.explanations {
                explanation.subject = Subject::Suppressed;
            }
            self.explanations.extend(repeats.into_iter().map(|repeat| Explanation {
                path: repeat.path().to_owned(),
                subject: Subject::Suppressed,
                rule: Rule::WriteOnlySame,
            }));
        }
        let explanations = self.explanations;
        Ok(Patch { outcome, operations, besides, reasons: self.reasons, explanations })
    }

    /// Walks in a frame of its own, based where the walk stands: what it finds is part of the
    /// value around it.
    pub(super) fn below(&mut self, walk: impl FnOnce(&mut Self)) -> Frame {
        let inner = Frame { base: self.path.len(), ..Frame::default() };
        let outer = std::mem::replace(&mut self.frame, inner);
        let explained = self.explanations.len();
        walk(self);
        for explanation in &mut self.explanations[explained..] {
            if explanation.subject != Subject::Suppressed {
                explanation.subject = Subject::Within;
            }
        }
        std::mem::replace(&mut self.frame, outer)
    }

    /// The same for a value that is sent as desired states it: every member is new, and saying so
    /// of each would be noise.
    pub(super) fn below_new(&mut self, walk: impl FnOnce(&mut Self)) -> Frame {
        let explained = self.explanations.len();
        let frame = self.below(walk);
        let inside = self.explanations.split_off(explained);
        let kept = inside.into_iter().filter(|inner| inner.subject == Subject::Suppressed);
        self.explanations.extend(kept);
        frame
    }

    pub(super) fn add(&mut self, spot: Spot, value: Value, rule: Rule) {
        if self.schema.is_create_only(spot) {
            return self.reason(Cause::CreateOnly);
        }
        self.explain_may_replace(spot);
        self.explain_as(Subject::Add, rule);
        let path = self.relative_pointer();
        self.frame.operations.push(Operation::Add { path, value });
    }

    pub(super) fn remove(&mut self, spot: Spot, rule: Rule) {
        self.explain_may_replace(spot);
        self.explain_as(Subject::Remove, rule);
        let path = self.relative_pointer();
        self.frame.operations.push(Operation::Remove { path });
    }

    fn explain_may_replace(&mut self, spot: Spot) {
        let conditional = Class::ConditionalCreateOnly;
        if self.schema.at(spot).has(conditional) || self.schema.below(spot).has(conditional) {
            self.explain(Rule::MayReplace);
        }
    }

    /// Takes back what was said by `rule` since there were `count` explanations.
    pub(super) fn forget(&mut self, count: usize, rule: Rule) {
        let since = self.explanations.split_off(count);
        self.explanations.extend(since.into_iter().filter(|one| one.rule != rule));
    }

    pub(super) fn repeat(&mut self, value: Value) {
        let path = self.relative_pointer();
        self.frame.repeats.push(Operation::Add { path, value });
    }

    pub(super) fn reason(&mut self, cause: Cause) {
        let reason = Reason { path: self.pointer(), cause };
        if !self.reasons.contains(&reason) {
            self.reasons.push(reason);
        }
    }

    pub(super) fn reason_count(&self) -> usize {
        self.reasons.len()
    }

    /// Puts one reason, for where the walk stands, in place of those given since `count`.
    pub(super) fn gather_reasons(&mut self, count: usize) {
        if self.reasons.len() > count {
            self.reasons.truncate(count);
            self.reason(Cause::CreateOnly);
        }
    }

    pub(super) fn explain(&mut self, rule: Rule) {
        self.explain_as(Subject::Suppressed, rule);
    }

    /// A remark on the document as a whole.
    pub(super) fn remark(&mut self, rule: Rule) {
        self.explain(rule);
    }

    pub(super) fn explain_as(&mut self, subject: Subject, rule: Rule) {
        let path = self.pointer();
        self.explanations.push(Explanation { path, subject, rule });
    }

    pub(super) fn holders(&self, nearest: &'a Value) -> Holders<'a> {
        Holders { nearest, root: self.root, against: Against::Read }
    }

    pub(super) fn pointer(&self) -> String {
        render(&self.path)
    }

    fn relative_pointer(&self) -> String {
        render(&self.path[self.frame.base..])
    }

    pub(super) fn secret_path(&self) -> String {
        let mut path = String::new();
        for segment in &self.path {
            match segment {
                Segment::Member(name) => secret::push_member(&mut path, name),
                Segment::Element(_, Some(name)) => path.push_str(name),
                Segment::Element(index, None) => {
                    let _ = write!(path, "[{index}]");
                }
            }
        }
        path
    }
}

fn render(segments: &[Segment<'_>]) -> String {
    let mut text = String::with_capacity(segments.len() * 16);
    for segment in segments {
        text.push('/');
        match segment {
            Segment::Member(name) => text.push_str(&pointer::escape(name)),
            Segment::Element(index, _) => text.push_str(&index.to_string()),
        }
    }
    text
}
