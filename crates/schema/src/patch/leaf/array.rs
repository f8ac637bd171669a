//! The elements of an array that come, go or change.

use std::borrow::Cow;

use serde_json::Value;

use super::{Place, Search, Segment};
use crate::node::ArrayType;
use crate::pairing::{self, Identity};
use crate::shape::Order;
use crate::spot::Spot;
use crate::tagging::{self, TagOwner};

/// The elements of one side that take part, with their places in the array.
type Side<'a> = Vec<(usize, &'a Value)>;

impl<'a> Search<'a> {
    pub(super) fn array(&mut self, place: Place<'a>, old: &'a [Value], new: &'a [Value]) {
        let Place { spot, holder, applied, .. } = place;
        let is_tags = self.schema.is_tags(spot);
        let side = |items: &'a [Value]| -> Side<'a> {
            let is_ours =
                |item: &Value| !is_tags || tagging::owner_of_element(item) == TagOwner::User;
            items.iter().enumerate().filter(|(_, item)| is_ours(item)).collect()
        };
        let (old, new) = (side(old), side(new));
        let applied =
            side(applied.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default());
        let element = self.schema.element(spot);
        let is_attributes = self.schema.shape(spot).array_type == ArrayType::AttributeList;
        let is_ordered = !is_attributes && self.schema.order(spot) != Order::Unordered;
        let (mut of_new, is_keyed) = self.pairs(spot, holder, &new, &old);
        if is_ordered && !is_keyed {
            pair_by_place(&mut of_new, &new, &old);
        } else if !is_keyed {
            pair_the_only_ones(&mut of_new, &new, &old);
        }
        // What was applied states no more than either side shows.
        let of_applied = |side: &Side<'a>| {
            let mut origins = vec![None; side.len()];
            for (at, pair) in self.pairs(spot, holder, &applied, side).0.into_iter().enumerate() {
                if let Some(pair) = pair {
                    origins[pair] = Some(applied[at].1);
                }
            }
            origins
        };
        let (origin_of_new, origin_of_old) = (of_applied(&new), of_applied(&old));
        let identity = self.identity(spot, &new, &old);
        let key_of = |item: &Value| identity.as_ref().map(|identity| identity.describe(item));
        let found = self.leaves.len();
        let mut is_left = vec![true; old.len()];
        for (at, (index, item)) in new.iter().enumerate() {
            let before = of_new[at].map(|pair| old[pair].1);
            if let Some(pair) = of_new[at] {
                is_left[pair] = false;
            }
            let applied = origin_of_new[at].or_else(|| of_new[at].and_then(|it| origin_of_old[it]));
            let after = Some(*item);
            let inner = Place { spot: element, holder, before, after, applied };
            self.element(*index, key_of(item), inner);
        }
        for (at, (index, item)) in old.iter().enumerate().filter(|(at, _)| is_left[*at]) {
            let (before, applied) = (Some(*item), origin_of_old[at]);
            let inner = Place { spot: element, holder, before, after: None, applied };
            self.element(*index, key_of(item), inner);
        }
        let is_moved = !of_new.iter().flatten().is_sorted();
        if self.leaves.len() == found && is_ordered && is_moved {
            self.leaf(place);
        }
    }

    fn element(&mut self, index: usize, key: Option<String>, place: Place<'a>) {
        let name = Cow::Owned(index.to_string());
        self.within(Segment { name, key }, |search| search.value(place));
    }

    /// Which element of `right` each of `left` is, and whether a key tells.
    fn pairs(
        &self,
        spot: Spot,
        holder: &'a Value,
        left: &Side<'a>,
        right: &Side<'a>,
    ) -> (Vec<Option<usize>>, bool) {
        let element = self.schema.element(spot);
        let (left, right) = (items(left), items(right));
        let is_attributes = self.schema.shape(spot).array_type == ArrayType::AttributeList;
        let identity = is_attributes
            .then(|| pairing::attribute_identity(self.schema, element, &[&left, &right]))
            .flatten();
        let pairs = match identity {
            Some(identity) => pairing::pair_by_identity(&identity, &left, &right),
            None => pairing::pair(self.schema, element, self.holders(holder), &left, &right),
        };
        (pairs.of_left, pairs.is_keyed)
    }

    /// What tells the elements of both sides apart.
    fn identity(&self, spot: Spot, new: &Side<'a>, old: &Side<'a>) -> Option<Identity<'a>> {
        let element = self.schema.element(spot);
        let (new, old) = (items(new), items(old));
        if self.schema.shape(spot).array_type == ArrayType::AttributeList {
            return pairing::attribute_identity(self.schema, element, &[&new, &old]);
        }
        pairing::identity(self.schema, element, &[&new, &old])
    }
}

fn items<'a>(side: &Side<'a>) -> Vec<&'a Value> {
    side.iter().map(|(_, item)| *item).collect()
}

/// In an ordered array, what stands where nothing else was paired with became what stands there now.
fn pair_by_place(of_new: &mut [Option<usize>], new: &Side<'_>, old: &Side<'_>) {
    let mut is_taken = vec![false; old.len()];
    of_new.iter().flatten().for_each(|at| is_taken[*at] = true);
    for at in 0..new.len().min(old.len()) {
        if of_new[at].is_none() && !is_taken[at] {
            of_new[at] = Some(at);
        }
    }
}

/// Where one object comes and one goes, and nothing tells them apart, the one became the other.
fn pair_the_only_ones(of_new: &mut [Option<usize>], new: &Side<'_>, old: &Side<'_>) {
    let mut is_taken = vec![false; old.len()];
    of_new.iter().flatten().for_each(|at| is_taken[*at] = true);
    let mut coming = (0..new.len()).filter(|at| of_new[*at].is_none());
    let mut going = (0..old.len()).filter(|at| !is_taken[*at]);
    if let (Some(one), None, Some(other), None) =
        (coming.next(), coming.next(), going.next(), going.next())
        && new[one].1.is_object()
        && old[other].1.is_object()
    {
        drop(coming);
        of_new[one] = Some(other);
    }
}
