//! Arrays: which element is which, and the whole array that is sent when anything in it changed.
//!
//! An element of an unordered or object array is never addressed by index: the service owns the
//! order, and an index that has moved writes one element's value onto another.

use serde_json::Value;

use super::report::{Frame, Segment};
use super::sendable::restore_read_only;
use super::walk::Walk;
use super::{Cause, Rule, Subject, removal};
use crate::class::Class;
use crate::equal;
use crate::node::ArrayType;
use crate::pairing::{self, Pairs};
use crate::secret;
use crate::shape::Order;
use crate::spot::{Rewriting, Spot};
use crate::tagging::{self, TagOwner};

/// What became of one stated element.
enum Fate<'a> {
    /// Live has it; the frame says what changes in it.
    Matched { live: usize, frame: Frame },
    /// Live has another element in its place (ordered arrays), which lends it read-only values.
    InPlaceOf { live: &'a Value },
    /// Live has nothing like it.
    New,
}

impl<'a> Walk<'a> {
    pub(super) fn array(
        &mut self,
        spot: Spot,
        holder: &'a Value,
        desired: &'a Value,
        items: &'a [Value],
        applied: Option<&'a Value>,
        live: Option<&'a Value>,
    ) {
        match live {
            Some(live_value @ Value::Array(shown)) => {
                if self.is_settled_by_transform(spot, holder, desired, live_value) {
                    return;
                }
                self.array_depth += 1;
                let reasons = self.reason_count();
                self.elements(spot, holder, items, applied, shown);
                if self.schema.is_create_only(spot) {
                    // Whatever changed inside, it is the array that cannot change.
                    self.gather_reasons(reasons);
                }
                self.array_depth -= 1;
            }
            Some(other) => {
                if !self.is_alike(spot, holder, desired, other) {
                    self.new_elements(spot, holder, items, applied);
                    self.add(spot, self.sendable(spot, desired), Rule::Set);
                }
            }
            None if items.is_empty() => self.explain(Rule::EmptyIsAbsent),
            None => self.array_that_live_lacks(spot, holder, desired, items, applied),
        }
    }

    /// A transform may say of a whole array or object how the service rewrites it.
    pub(super) fn is_settled_by_transform(
        &mut self,
        spot: Spot,
        holder: &'a Value,
        desired: &'a Value,
        live: &'a Value,
    ) -> bool {
        !matches!(self.schema.rewriting(spot), Rewriting::None)
            && desired != live
            && self.is_alike(spot, holder, desired, live)
    }

    /// Live lacks the array: either all that its elements hold is hidden from reads, or it is new.
    fn array_that_live_lacks(
        &mut self,
        spot: Spot,
        holder: &'a Value,
        desired: &'a Value,
        items: &'a [Value],
        applied: Option<&'a Value>,
    ) {
        let element = self.schema.element(spot);
        let is_hidden =
            items.iter().all(|item| equal::is_wholly_hidden(self.schema, element, item));
        let frames = self.new_elements(spot, holder, items, applied);
        if !is_hidden || frames.iter().any(|frame| !frame.operations.is_empty()) {
            self.add(spot, self.sendable(spot, desired), Rule::ArrayWritten);
        } else if frames.iter().any(|frame| !frame.repeats.is_empty()) {
            self.repeat(self.sendable(spot, desired));
        }
    }

    /// Walks elements that live lacks, for the errors and reasons in them.
    fn new_elements(
        &mut self,
        spot: Spot,
        holder: &'a Value,
        items: &'a [Value],
        applied: Option<&'a Value>,
    ) -> Vec<Frame> {
        let items: Vec<&'a Value> = items.iter().collect();
        let before = elements_of(applied);
        let element = self.schema.element(spot);
        let nothing = vec![None; items.len()];
        let origins = self.origins(element, holder, &items, &before, &nothing);
        let names = self.names(spot, &items);
        self.array_depth += 1;
        let mut frames = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let before = origins[index].map(|at| before[at]);
            let name = names.get(index).cloned();
            frames.push(self.element(element, holder, index, name, item, before, None));
            if !equal::is_wholly_hidden(self.schema, element, item) {
                self.coming_element(element, index, item);
            }
        }
        self.array_depth -= 1;
        frames
    }

    fn elements(
        &mut self,
        spot: Spot,
        holder: &'a Value,
        items: &'a [Value],
        applied: Option<&'a Value>,
        live: &'a [Value],
    ) {
        let element = self.schema.element(spot);
        let is_tags = self.schema.is_tags(spot);
        let stated: Vec<&'a Value> = equal::visible(is_tags, items).collect();
        let shown: Vec<&'a Value> = equal::visible(is_tags, live).collect();
        let before: Vec<&'a Value> = elements_of(applied)
            .into_iter()
            .filter(|item| !is_tags || tagging::owner_of_element(item) == TagOwner::User)
            .collect();
        let is_attributes = self.schema.shape(spot).array_type == ArrayType::AttributeList;
        let order = if is_attributes { Order::Unordered } else { self.schema.order(spot) };
        let pairs = if is_attributes {
            self.attribute_pairs(element, holder, &stated, &before, &shown)
        } else {
            self.live_pairs(order, element, holder, &stated, &shown)
        };
        let partners: Vec<_> = pairs.of_left.iter().map(|pair| pair.map(|at| shown[at])).collect();
        let origins = self.origins(element, holder, &stated, &before, &partners);
        let names = self.names(spot, &stated);

        let mut fates = Vec::with_capacity(stated.len());
        for (index, item) in stated.iter().enumerate() {
            let previous = origins[index].map(|at| before[at]);
            let name = names.get(index).cloned();
            let fate = if let Some(at) = pairs.of_left[index] {
                let live = Some(shown[at]);
                let frame = self.element(element, holder, index, name, item, previous, live);
                Fate::Matched { live: at, frame }
            } else if let Some(other) = neighbour(order, &pairs, index, &shown) {
                self.element(element, holder, index, name, item, previous, Some(other));
                if !removal::states_create_only(self.schema, element, Some(item), other) {
                    self.element_reason(index);
                }
                Fate::InPlaceOf { live: other }
            } else {
                self.element(element, holder, index, name, item, previous, None);
                self.coming_element(element, index, item);
                Fate::New
            };
            fates.push(fate);
        }
        let gone = gone(&pairs, shown.len(), &fates, order);
        let unowned = if is_attributes {
            self.unowned_attributes(element, &stated, &before, &shown, &gone)
        } else {
            Vec::new()
        };
        self.going_elements(element, &shown, &gone, &unowned);
        let is_changed = fates.iter().any(Fate::is_change)
            || gone.len() > unowned.len()
            || (order == Order::Ordered && is_reordered(&fates));
        if is_changed {
            self.explain_change(order, &fates, gone.len() > unowned.len());
            let mut whole = self.whole(element, &stated, &shown, &fates);
            whole.extend(unowned.iter().map(|&at| shown[at].clone()));
            if is_tags {
                let ours = |item: &&Value| tagging::owner_of_element(item) == TagOwner::Marker;
                whole.extend(live.iter().filter(ours).cloned());
            }
            let rule = if pairs.is_too_large { Rule::ArrayTooLarge } else { Rule::ArrayWritten };
            return self.add(spot, Value::Array(whole), rule);
        }
        self.explain_sameness(is_tags, live, &fates, &unowned);
        if fates.iter().any(Fate::has_repeats) && !self.schema.is_create_only(spot) {
            let mut whole = self.whole(element, &stated, &shown, &fates);
            whole.extend(unowned.iter().map(|&at| shown[at].clone()));
            self.repeat(Value::Array(whole));
        }
    }

    /// Ordered arrays of equal length are first tried place by place, which is what they mean.
    fn live_pairs(
        &self,
        order: Order,
        element: Spot,
        holder: &'a Value,
        stated: &[&'a Value],
        shown: &[&'a Value],
    ) -> Pairs {
        let holders = self.holders(holder);
        let in_place = |(desired, live): (&&'a Value, &&'a Value)| {
            desired == live || equal::shows(self.schema, element, holders, desired, Some(live))
        };
        if order == Order::Ordered
            && stated.len() == shown.len()
            && stated.iter().zip(shown).all(in_place)
        {
            let of_left = (0..stated.len()).map(Some).collect();
            return Pairs { of_left, is_too_large: false, is_keyed: false };
        }
        pairing::pair(self.schema, element, holders, stated, shown)
    }

    fn origins(
        &self,
        element: Spot,
        holder: &'a Value,
        stated: &[&'a Value],
        before: &[&'a Value],
        live: &[Option<&'a Value>],
    ) -> Vec<Option<usize>> {
        pairing::origins(self.schema, element, self.holders(holder), stated, before, live)
    }

    /// Names of elements in secret paths; empty where no secret can lie below.
    fn names(&self, spot: Spot, items: &[&Value]) -> Vec<String> {
        if !self.schema.below(spot).is_hidden() {
            return Vec::new();
        }
        secret::element_names(self.schema, self.schema.element(spot), items)
    }

    #[allow(clippy::too_many_arguments)]
    fn element(
        &mut self,
        element: Spot,
        holder: &'a Value,
        index: usize,
        name: Option<String>,
        desired: &'a Value,
        applied: Option<&'a Value>,
        live: Option<&'a Value>,
    ) -> Frame {
        // A scalar element has no place of its own to write to; whether it changed is told by its
        // being matched or not.
        if !desired.is_object() && !desired.is_array() {
            return Frame::default();
        }
        if live == Some(desired) && self.is_quiet(element, desired, applied) {
            return Frame::default();
        }
        self.path.push(Segment::Element(index, name));
        let walk = |walk: &mut Self| walk.value(element, holder, desired, applied, live);
        let frame = if live.is_some() { self.below(walk) } else { self.below_new(walk) };
        self.path.pop();
        frame
    }

    fn attribute_pairs(
        &self,
        element: Spot,
        holder: &'a Value,
        stated: &[&'a Value],
        before: &[&'a Value],
        shown: &[&'a Value],
    ) -> Pairs {
        match pairing::attribute_identity(self.schema, element, &[stated, before, shown]) {
            Some(identity) => pairing::pair_by_identity(&identity, stated, shown),
            None => pairing::pair(self.schema, element, self.holders(holder), stated, shown),
        }
    }

    /// Attributes that nobody ever stated.
    fn unowned_attributes(
        &self,
        element: Spot,
        stated: &[&'a Value],
        before: &[&'a Value],
        shown: &[&'a Value],
        gone: &[usize],
    ) -> Vec<usize> {
        let Some(identity) =
            pairing::attribute_identity(self.schema, element, &[stated, before, shown])
        else {
            return Vec::new();
        };
        let of_shown = pairing::pair_by_identity(&identity, shown, before).of_left;
        gone.iter().copied().filter(|&at| of_shown[at].is_none()).collect()
    }

    fn element_reason(&mut self, index: usize) {
        self.path.push(Segment::Element(index, None));
        self.reason(Cause::CreateOnlyInElement);
        self.path.pop();
    }

    fn going_elements(
        &mut self,
        element: Spot,
        shown: &[&'a Value],
        gone: &[usize],
        unowned: &[usize],
    ) {
        for &at in gone.iter().filter(|at| !unowned.contains(at)) {
            if removal::has_value(self.schema, element, shown[at], Class::CreateOnly) {
                self.element_reason(at);
            }
        }
    }

    fn whole(
        &self,
        element: Spot,
        stated: &[&'a Value],
        shown: &[&'a Value],
        fates: &[Fate<'a>],
    ) -> Vec<Value> {
        let value = |(item, fate): (&&'a Value, &Fate<'a>)| match fate {
            Fate::Matched { live, frame } => frame.applied_to(shown[*live]),
            Fate::InPlaceOf { live } => {
                let mut value = self.sendable(element, item);
                restore_read_only(self.schema, element, &mut value, live);
                value
            }
            Fate::New => self.sendable(element, item),
        };
        stated.iter().zip(fates).map(value).collect()
    }

    fn coming_element(&mut self, element: Spot, index: usize, desired: &'a Value) {
        self.path.push(Segment::Element(index, None));
        self.explain_as(Subject::Within, Rule::ElementAdded);
        self.create_only_reasons(element, desired);
        self.path.pop();
    }

    fn explain_change(&mut self, order: Order, fates: &[Fate<'a>], something_goes: bool) {
        if something_goes {
            self.explain_as(Subject::Within, Rule::ElementsRemoved);
        }
        if order == Order::Ordered && is_reordered(fates) {
            self.explain_as(Subject::Within, Rule::Reordered);
        }
    }

    fn explain_sameness(
        &mut self,
        is_tags: bool,
        live: &[Value],
        fates: &[Fate<'a>],
        unowned: &[usize],
    ) {
        if is_reordered(fates) {
            self.explain(Rule::OrderIgnored);
        }
        if is_tags && live.iter().any(|tag| tagging::owner_of_element(tag) != TagOwner::User) {
            self.explain(Rule::HiddenTag);
        }
        if !unowned.is_empty() {
            self.explain(Rule::AttributeNotOwned);
        }
    }
}

impl Fate<'_> {
    fn is_change(&self) -> bool {
        match self {
            Self::Matched { frame, .. } => !frame.operations.is_empty(),
            Self::InPlaceOf { .. } | Self::New => true,
        }
    }

    fn has_repeats(&self) -> bool {
        matches!(self, Self::Matched { frame, .. } if !frame.repeats.is_empty())
    }
}

fn elements_of(array: Option<&Value>) -> Vec<&Value> {
    array.and_then(Value::as_array).map(|items| items.iter().collect()).unwrap_or_default()
}

/// The live element at the same place, if nothing else was paired with it.
fn neighbour<'a>(
    order: Order,
    pairs: &Pairs,
    index: usize,
    shown: &[&'a Value],
) -> Option<&'a Value> {
    if order != Order::Ordered || pairs.is_keyed || pairs.of_left.contains(&Some(index)) {
        return None;
    }
    shown.get(index).copied()
}

/// Live elements that nothing stated stands for.
fn gone(pairs: &Pairs, shown: usize, fates: &[Fate<'_>], order: Order) -> Vec<usize> {
    let mut stands = vec![false; shown];
    for at in pairs.of_left.iter().flatten() {
        stands[*at] = true;
    }
    if order == Order::Ordered {
        for (index, fate) in fates.iter().enumerate() {
            if matches!(fate, Fate::InPlaceOf { .. }) {
                stands[index] = true;
            }
        }
    }
    (0..shown).filter(|&at| !stands[at]).collect()
}

fn is_reordered(fates: &[Fate<'_>]) -> bool {
    fates.iter().enumerate().any(|(index, fate)| match fate {
        Fate::Matched { live, .. } => *live != index,
        Fate::InPlaceOf { .. } | Fate::New => false,
    })
}
