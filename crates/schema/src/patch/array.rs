//! Arrays: the whole array is sent when anything in it changed.
//!
//! An element is never addressed by index: the service owns the order, and an index that has
//! moved writes one element's value onto another.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::elements::{Elements, Fate, is_reordered, items_of};
use super::report::{Frame, Segment};
use super::sendable::keep_stated;
use super::walk::{Site, Walk};
use super::{Cause, Rule, Subject, removal};
use crate::class::Class;
use crate::equal;
use crate::pairing::Pairs;
use crate::secret;
use crate::shape::Order;
use crate::spot::Spot;

impl<'a> Walk<'a> {
    pub(super) fn array(&mut self, site: Site<'a>) {
        match site.live {
            Some(live @ Value::Array(_)) => {
                if self.is_settled_by_transform(site, live) {
                    return;
                }
                let reasons = self.reason_count();
                self.array_depth += 1;
                self.elements(site);
                self.array_depth -= 1;
                if self.schema.is_create_only(site.spot) {
                    // Whatever changed inside, it is the array that cannot change.
                    self.gather_reasons(reasons);
                }
            }
            Some(other) => {
                if !self.is_alike(site, other) && !self.would_overwrite(site) {
                    self.new_elements(site);
                    self.add(site.spot, self.sendable(site.spot, site.desired), Rule::Set);
                }
            }
            None if items_of(Some(site.desired)).is_empty() => self.explain(Rule::EmptyIsAbsent),
            None => self.array_that_live_lacks(site),
        }
    }

    /// Live lacks the array: either all that its elements hold is hidden from reads, or it is new.
    fn array_that_live_lacks(&mut self, site: Site<'a>) {
        let element = self.schema.element(site.spot);
        let is_hidden = items_of(Some(site.desired))
            .iter()
            .all(|item| equal::is_wholly_hidden(self.schema, element, item));
        let frames = self.new_elements(site);
        let whole = if self.schema.at(site.spot).is_hidden() {
            // A secret in parts: the parts that may be sent.
            let part = |(item, frame): (&Value, &Frame)| match item {
                Value::Object(_) => frame.applied_to(&Value::Object(Map::new())),
                _ => self.sendable(element, item),
            };
            items_of(Some(site.desired)).iter().zip(&frames).map(part).collect()
        } else {
            self.sendable(site.spot, site.desired)
        };
        if !is_hidden || frames.iter().any(|frame| !frame.operations.is_empty()) {
            self.add(site.spot, whole, Rule::ArrayWritten);
        } else if frames.iter().any(|frame| !frame.repeats.is_empty()) {
            self.repeat(whole);
        }
    }

    /// Walks elements that live lacks, for the errors and reasons in them.
    fn new_elements(&mut self, site: Site<'a>) -> Vec<Frame> {
        let elements = Elements::of(self.schema, Site { live: None, ..site });
        let holders = self.holders(site.holder);
        let pairs = elements.pairs(self.schema, holders);
        let origins = elements.origins(self.schema, holders, &pairs);
        let names = self.names(elements.spot, &elements.stated);
        let mut frames = Vec::with_capacity(elements.stated.len());
        self.array_depth += 1;
        for (index, desired) in elements.stated.iter().copied().enumerate() {
            let (spot, holder, applied) = (elements.spot, site.holder, origins[index]);
            let inner = Site { spot, holder, desired, applied, live: None };
            frames.push(self.element(inner, index, &names));
            if !equal::is_wholly_hidden(self.schema, spot, desired) {
                self.coming_element(spot, index, desired);
            }
        }
        self.array_depth -= 1;
        frames
    }

    fn elements(&mut self, site: Site<'a>) {
        let elements = Elements::of(self.schema, site);
        let holders = self.holders(site.holder);
        let pairs = elements.pairs(self.schema, holders);
        let origins = elements.origins(self.schema, holders, &pairs);
        let fates = self.fates(site.holder, &elements, &pairs, &origins);
        let left = left_in_live(&elements, &fates);
        let unowned = elements.unowned(self.schema, holders, &left);
        self.going_elements(&elements, &left, &unowned);
        let something_goes = left.len() > unowned.len();
        let is_changed = something_goes
            || fates.iter().any(Fate::is_change)
            || (elements.order == Order::Ordered && is_reordered(&fates));
        if !elements.hidden.is_empty() || elements.states_hidden {
            self.explain(Rule::HiddenTag);
        }
        if !unowned.is_empty() {
            let is_shared = self.schema.is_shared(site.spot);
            self.explain(if is_shared { Rule::AddedByOthers } else { Rule::AttributeNotOwned });
        }
        if is_changed {
            self.explain_change(elements.order, &fates, something_goes);
            let rule = if pairs.is_too_large { Rule::ArrayTooLarge } else { Rule::ArrayWritten };
            return self.add(site.spot, self.whole(&elements, &fates, &unowned), rule);
        }
        if is_reordered(&fates) {
            let is_unordered = elements.order == Order::Unordered;
            self.explain(if is_unordered { Rule::OrderIgnored } else { Rule::OrderOfService });
        }
        if fates.iter().any(Fate::has_repeats) && !self.schema.is_create_only(site.spot) {
            self.repeat(self.whole(&elements, &fates, &unowned));
        }
    }

    fn fates(
        &mut self,
        holder: &'a Value,
        elements: &Elements<'a>,
        pairs: &Pairs,
        origins: &[Option<&'a Value>],
    ) -> Vec<Fate<'a>> {
        let names = self.names(elements.spot, &elements.stated);
        let neighbours = neighbours(elements, pairs);
        let mut fates = Vec::with_capacity(elements.stated.len());
        for (index, desired) in elements.stated.iter().copied().enumerate() {
            let (spot, applied) = (elements.spot, origins[index]);
            let inner = |live| Site { spot, holder, desired, applied, live };
            fates.push(if let Some(at) = pairs.of_left[index] {
                let frame = self.element(inner(Some(elements.shown[at])), index, &names);
                Fate::Matched { live: at, frame }
            } else if let Some(live) = neighbours.get(index).copied().flatten() {
                let explained = self.explanations.len();
                let frame = self.element(inner(Some(live)), index, &names);
                // What live has beside does not stay here.
                self.forget(explained, Rule::NotStated);
                if frame.operations.is_empty() && desired.is_object() && live.is_object() {
                    // All that kept them apart is a value that live does not return.
                    Fate::Matched { live: index, frame }
                } else {
                    if !removal::states_create_only(self.schema, spot, Some(desired), live) {
                        self.element_reason(index);
                    }
                    self.create_only_reasons_at(spot, index, desired, live);
                    Fate::InPlaceOf { live, frame }
                }
            } else {
                self.element(inner(None), index, &names);
                self.coming_element(spot, index, desired);
                Fate::New
            });
        }
        fates
    }

    /// Names of elements in secret paths; empty where no secret can lie below.
    fn names(&self, element: Spot, items: &[&Value]) -> Vec<String> {
        if !secret::holds_secrets(self.schema, element) {
            return Vec::new();
        }
        secret::element_names(self.schema, element, items)
    }

    fn element(&mut self, site: Site<'a>, index: usize, names: &[String]) -> Frame {
        // A scalar element has no place of its own to write to; whether it changed is told by its
        // being matched or not.
        let is_scalar = !site.desired.is_object() && !site.desired.is_array();
        if is_scalar || self.is_quiet(site) {
            return Frame::default();
        }
        self.path.push(Segment::Element(index, names.get(index).cloned()));
        let frame = match site.live {
            Some(_) => self.below(|walk| walk.value(site)),
            None => self.below_new(|walk| walk.value(site)),
        };
        self.path.pop();
        frame
    }

    fn coming_element(&mut self, element: Spot, index: usize, desired: &'a Value) {
        self.path.push(Segment::Element(index, None));
        self.explain_as(Subject::Within, Rule::ElementAdded);
        self.create_only_reasons(element, desired);
        self.path.pop();
    }

    /// An element that is written in the place of another brings its create-only members along.
    fn create_only_reasons_at(
        &mut self,
        element: Spot,
        index: usize,
        desired: &'a Value,
        live: &'a Value,
    ) {
        if !removal::states_create_only(self.schema, element, Some(live), desired) {
            self.path.push(Segment::Element(index, None));
            self.create_only_reasons(element, desired);
            self.path.pop();
        }
    }

    fn going_elements(&mut self, elements: &Elements<'a>, left: &[usize], unowned: &[usize]) {
        let unowned: HashSet<&usize> = unowned.iter().collect();
        for at in left.iter().filter(|at| !unowned.contains(at)) {
            let live = elements.shown[*at];
            if removal::has_value(self.schema, elements.spot, live, Class::CreateOnly) {
                self.element_reason(*at);
            }
        }
    }

    fn element_reason(&mut self, index: usize) {
        self.path.push(Segment::Element(index, None));
        self.reason(Cause::CreateOnlyInElement);
        self.path.pop();
    }

    /// The array that is written: matched elements keep what live has beside what is stated.
    fn whole(&self, elements: &Elements<'a>, fates: &[Fate<'a>], unowned: &[usize]) -> Value {
        let value = |(desired, fate): (&&'a Value, &Fate<'a>)| match fate {
            Fate::Matched { live, frame } => frame.applied_to(elements.shown[*live]),
            Fate::InPlaceOf { live, frame } if desired.is_object() && live.is_object() => {
                let mut value = frame.applied_to(live);
                keep_stated(self.schema, elements.spot, &mut value, desired);
                value
            }
            Fate::InPlaceOf { .. } | Fate::New => self.sendable(elements.spot, desired),
        };
        let owned = elements.stated.iter().zip(fates).map(value);
        let kept = unowned.iter().map(|&at| elements.shown[at]).chain(elements.kept_tags());
        Value::Array(owned.chain(kept.cloned()).collect())
    }

    fn explain_change(&mut self, order: Order, fates: &[Fate<'a>], something_goes: bool) {
        if something_goes {
            self.explain_as(Subject::Within, Rule::ElementsRemoved);
        }
        if order == Order::Ordered && is_reordered(fates) {
            self.explain_as(Subject::Within, Rule::Reordered);
        }
    }
}

/// In an ordered array, the live element at each place that nothing else was paired with.
fn neighbours<'a>(elements: &Elements<'a>, pairs: &Pairs) -> Vec<Option<&'a Value>> {
    if elements.order == Order::Unordered || pairs.is_keyed {
        return Vec::new();
    }
    let mut neighbours: Vec<_> = elements.shown.iter().copied().map(Some).collect();
    for at in pairs.of_left.iter().flatten() {
        neighbours[*at] = None;
    }
    neighbours
}

/// The live elements that nothing stated stands for.
fn left_in_live(elements: &Elements<'_>, fates: &[Fate<'_>]) -> Vec<usize> {
    let mut is_left = vec![true; elements.shown.len()];
    for (index, fate) in fates.iter().enumerate() {
        match fate {
            Fate::Matched { live, .. } => is_left[*live] = false,
            Fate::InPlaceOf { .. } => is_left[index] = false,
            Fate::New => {}
        }
    }
    (0..is_left.len()).filter(|&at| is_left[at]).collect()
}
