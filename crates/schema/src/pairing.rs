//! Which element of one array is which element of the other, where order says nothing.
//!
//! First by identity key, then by fingerprint where exactly one element fits, the rest by maximum
//! matching while that stays affordable. Linear for keyed arrays and for arrays of equal elements.

mod matching;
mod origin;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;

use serde_json::Value;

use self::matching::Effort;
use crate::class::Class;
use crate::equal::{self, Holders};
use crate::fingerprint;
use crate::spot::{Rewriting, Spot};
use crate::type_schema::TypeSchema;

pub(crate) use origin::origins;

/// Past this many comparisons an array counts as changed, and the explanation says so.
pub(crate) const MATCHING_BUDGET: usize = 65_536;

/// The elements paired, by index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pairs {
    /// For each left element its right one.
    pub(crate) of_left: Vec<Option<usize>>,
    /// Whether the matching was given up as too large.
    pub(crate) is_too_large: bool,
    /// Whether identity told the elements apart: then a stated one with no partner is new.
    pub(crate) is_keyed: bool,
}

/// Pairs the elements of `left` (what is stated) with those of `right` (what is shown).
pub(crate) fn pair<'a>(
    schema: &'a TypeSchema,
    element: Spot,
    holders: Holders<'a>,
    left: &[&'a Value],
    right: &[&'a Value],
) -> Pairs {
    if let Some(identity) = identity(schema, element, &[left, right]) {
        return pair_by_identity(&identity, left, right);
    }
    let mut pairing = Pairing {
        schema,
        element,
        holders,
        left,
        right,
        of_left: vec![None; left.len()],
        taken: vec![false; right.len()],
    };
    pairing.pair_equal();
    let is_too_large = pairing.pair_rest() == Effort::TooMuch;
    pairing.move_equal();
    Pairs { of_left: pairing.of_left, is_too_large, is_keyed: false }
}

/// Pairs elements that an update changes in place: of those left over, the ones that agree in what
/// can only be set at creation, or the only one on each side. Without this a change beside a
/// create-only member would look like one element going and another coming.
pub(crate) fn pair_changed<'a>(
    schema: &'a TypeSchema,
    element: Spot,
    holders: Holders<'a>,
    left: &[&'a Value],
    right: &[&'a Value],
    pairs: &mut Pairs,
) {
    if !schema.below(element).has(Class::CreateOnly) || schema.is_create_only(element) {
        return;
    }
    let taken: HashSet<usize> = pairs.of_left.iter().flatten().copied().collect();
    let mut free: Vec<usize> = (0..right.len()).filter(|at| !taken.contains(at)).collect();
    for (at, stated) in left.iter().enumerate() {
        if pairs.of_left[at].is_some() {
            continue;
        }
        let agrees =
            |other: &usize| agrees_in_create_only(schema, element, holders, stated, right[*other]);
        let found: Vec<usize> = free.iter().copied().filter(agrees).collect();
        if let [other] = found[..] {
            pairs.of_left[at] = Some(other);
            free.retain(|it| *it != other);
        }
    }
}

/// Whether two objects show the same create-only values.
fn agrees_in_create_only<'a>(
    schema: &'a TypeSchema,
    spot: Spot,
    holders: Holders<'a>,
    left: &'a Value,
    right: &'a Value,
) -> bool {
    if schema.is_create_only(spot) {
        return equal::shows(schema, spot, holders, left, Some(right));
    }
    let (Value::Object(stated), Value::Object(shown)) = (left, right) else {
        return !schema.below(spot).has(Class::CreateOnly);
    };
    let members = stated.iter().filter(|(_, member)| !member.is_null());
    members.into_iter().all(|(name, member)| {
        let inner = schema.member(spot, name);
        let is_concerned =
            schema.is_create_only(inner) || schema.below(inner).has(Class::CreateOnly);
        !is_concerned
            || shown
                .get(name)
                .is_some_and(|other| agrees_in_create_only(schema, inner, holders, member, other))
    })
}

/// What tells the elements of an array apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity<'a>(Vec<&'a str>);

impl<'a> Identity<'a> {
    /// The element's own identity; only text names things.
    pub(crate) fn of(&self, item: &'a Value) -> Option<Vec<&'a str>> {
        self.0.iter().map(|name| item.get(name).and_then(Value::as_str)).collect()
    }

    /// The identity in words, for secret paths: `Name=web`.
    pub(crate) fn describe(&self, item: &Value) -> String {
        let text = |name: &&str| item.get(name).and_then(Value::as_str).unwrap_or_default();
        let parts: Vec<_> = self.0.iter().map(|name| format!("{name}={}", text(name))).collect();
        parts.join(",")
    }

    fn is_unique_in(&self, side: &[&'a Value]) -> bool {
        if let [name] = self.0.as_slice() {
            let mut seen = HashSet::with_capacity(side.len());
            return side.iter().all(|item| {
                item.get(name).and_then(Value::as_str).is_some_and(|key| seen.insert(key))
            });
        }
        let mut seen = HashSet::with_capacity(side.len());
        side.iter().all(|item| self.of(item).is_some_and(|key| seen.insert(key)))
    }
}

/// Members that name an element, in the order in which they are tried.
const WELL_KNOWN_KEYS: [&str; 8] =
    ["Key", "Name", "Id", "Arn", "Identifier", "AttributeName", "DeviceName", "Sid"];

/// Endings of members that name an element, where the schema requires them.
const KEY_ENDINGS: [&str; 5] = ["Name", "Id", "Key", "Arn", "Identifier"];

/// The member that tells the elements apart: a text that every element of every side has and
/// that is unique on each side.
///
/// Any such member is a sound key, because desired states it: only an element with the same value
/// can show what desired states.
pub(crate) fn identity<'a>(
    schema: &'a TypeSchema,
    element: Spot,
    sides: &[&[&'a Value]],
) -> Option<Identity<'a>> {
    let first = sides.iter().find_map(|side| side.first())?.as_object()?;
    let shape = schema.shape(element);
    let well_known = WELL_KNOWN_KEYS.into_iter().filter(|name| first.contains_key(*name));
    let required = first.keys().map(String::as_str).filter(|name| {
        KEY_ENDINGS.iter().any(|ending| name.ends_with(ending)) && shape.requires(name)
    });
    well_known
        .chain(required)
        .filter(|name| {
            let spot = schema.member(element, name);
            let classes = schema.at(spot);
            // A name that the service rewrites is not the same on both sides.
            let is_rewritten = !matches!(schema.rewriting(spot), Rewriting::None);
            !classes.is_hidden()
                && !classes.has(Class::ReadOnly)
                && !classes.has_spelling()
                && !is_rewritten
        })
        .map(|name| Identity(vec![name]))
        .find(|identity| sides.iter().all(|side| identity.is_unique_in(side)))
}

/// What tells attributes apart (`arrayType: AttributeList`): one member, or all texts but the
/// value (Elastic Beanstalk names an option by namespace and name).
pub(crate) fn attribute_identity<'a>(
    schema: &'a TypeSchema,
    element: Spot,
    sides: &[&[&'a Value]],
) -> Option<Identity<'a>> {
    if let Some(identity) = identity(schema, element, sides) {
        return Some(identity);
    }
    let first = sides.iter().find_map(|side| side.first())?.as_object()?;
    let is_everywhere = |name: &str| {
        sides
            .iter()
            .all(|side| side.iter().all(|item| item.get(name).is_some_and(Value::is_string)))
    };
    let names: Vec<&str> = first
        .keys()
        .map(String::as_str)
        .filter(|name| !name.ends_with("Value") && is_everywhere(name))
        .collect();
    let identity = Identity(names);
    let is_sound = !identity.0.is_empty() && sides.iter().all(|side| identity.is_unique_in(side));
    is_sound.then_some(identity)
}

/// Pairs elements of the same identity.
pub(crate) fn pair_by_identity<'a>(
    identity: &Identity<'a>,
    left: &[&'a Value],
    right: &[&'a Value],
) -> Pairs {
    let of_left = match identity.0.as_slice() {
        // One name is the usual case, and needs no list of parts for each element.
        [name] => pair_by(left, right, |item| item.get(name).and_then(Value::as_str)),
        _ => pair_by(left, right, |item| identity.of(item)),
    };
    Pairs { of_left, is_too_large: false, is_keyed: true }
}

fn pair_by<'a, K: Hash + Eq>(
    left: &[&'a Value],
    right: &[&'a Value],
    key: impl Fn(&'a Value) -> Option<K>,
) -> Vec<Option<usize>> {
    let mut by_key: HashMap<K, usize> = HashMap::with_capacity(right.len());
    for (at, item) in right.iter().enumerate() {
        if let Some(key) = key(item) {
            by_key.insert(key, at);
        }
    }
    left.iter().map(|item| key(item).and_then(|key| by_key.get(&key).copied())).collect()
}

struct Pairing<'a, 's> {
    schema: &'a TypeSchema,
    element: Spot,
    holders: Holders<'a>,
    left: &'s [&'a Value],
    right: &'s [&'a Value],
    of_left: Vec<Option<usize>>,
    taken: Vec<bool>,
}

impl Pairing<'_, '_> {
    /// Elements that are equal whole. Such a pair never stands in the way of another: whatever
    /// shows what the one states, shows what the other states.
    fn pair_equal(&mut self) {
        let mut by_print: HashMap<u64, Vec<usize>> = HashMap::with_capacity(self.right.len());
        for (at, item) in self.right.iter().enumerate().rev() {
            let print = fingerprint::of_readable(self.schema, self.element, item);
            by_print.entry(print).or_default().push(at);
        }
        for at in 0..self.left.len() {
            let print = fingerprint::of_readable(self.schema, self.element, self.left[at]);
            let Some(candidates) = by_print.get_mut(&print) else { continue };
            if candidates.last().is_some_and(|&other| self.fits(at, other)) {
                let other = candidates.pop().expect("the last candidate was just looked at");
                self.join(at, other);
            }
        }
    }

    /// The rest: first where exactly one element fits by its spelling, then by maximum matching,
    /// which may move those again. Says whether it could be afforded.
    fn pair_rest(&mut self) -> Effort {
        let (left, right) = (self.unpaired_left(), self.unpaired_right());
        if left.is_empty() || right.is_empty() {
            return Effort::Spent;
        }
        let mut of_right: Vec<Option<usize>> = vec![None; right.len()];
        // Where not all can be served, those that state most come first, and a claim by one that
        // states little would stand in their way.
        let is_affordable = left.len().saturating_mul(right.len()) <= MATCHING_BUDGET;
        if left.len() <= right.len() || !is_affordable {
            self.claim(&left, &right, &mut of_right);
        }
        let claimed: HashSet<usize> = of_right.iter().copied().flatten().collect();
        let mut open: Vec<usize> = left.into_iter().filter(|at| !claimed.contains(at)).collect();
        if open.len().saturating_mul(right.len()) > MATCHING_BUDGET {
            self.join_all(&of_right, &right);
            return Effort::TooMuch;
        }
        open.sort_by_key(|&at| std::cmp::Reverse(weight(self.left[at])));
        let fits = |at: usize, other: usize| self.fits(at, right[other]);
        let effort = matching::grow(&mut of_right, &open, 2 * MATCHING_BUDGET, fits);
        self.join_all(&of_right, &right);
        effort
    }

    /// Elements that are equal whole may still stand in the way: `{}` equals `{}` and shows
    /// anything, while an empty list is shown only where there is none. So they may be moved.
    fn move_equal(&mut self) {
        let mut open = self.unpaired_left();
        let is_free = self.taken.contains(&false);
        if open.is_empty()
            || !is_free
            || open.len().saturating_mul(self.right.len()) > MATCHING_BUDGET
        {
            return;
        }
        let mut of_right: Vec<Option<usize>> = vec![None; self.right.len()];
        for (at, pair) in self.of_left.iter().enumerate() {
            if let Some(other) = pair {
                of_right[*other] = Some(at);
            }
        }
        open.sort_by_key(|&at| std::cmp::Reverse(weight(self.left[at])));
        let fits = |at: usize, other: usize| self.fits(at, other);
        matching::grow(&mut of_right, &open, 2 * MATCHING_BUDGET, fits);
        let all: Vec<usize> = (0..self.right.len()).collect();
        self.join_all(&of_right, &all);
    }

    fn join_all(&mut self, of_right: &[Option<usize>], right: &[usize]) {
        for (other, owner) in of_right.iter().enumerate() {
            if let Some(at) = owner {
                self.join(*at, right[other]);
            }
        }
    }

    /// Pairs elements of which live shows more than desired states: compared by fingerprint on
    /// what is stated, and claimed where exactly one fits and nobody else claims it.
    fn claim(&self, left: &[usize], right: &[usize], of_right: &mut [Option<usize>]) {
        let mut groups: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for &at in left {
            let outline = fingerprint::of_outline(self.schema, self.element, self.left[at]);
            groups.entry(outline).or_default().push(at);
        }
        if groups.len().saturating_mul(right.len()) > MATCHING_BUDGET {
            return;
        }
        let mut claims: Vec<Vec<usize>> = vec![Vec::new(); right.len()];
        for group in groups.values() {
            let template = self.left[group[0]];
            let mut by_print: HashMap<u64, Vec<usize>> = HashMap::with_capacity(right.len());
            for (other, &at) in right.iter().enumerate() {
                let value = self.right[at];
                let print = fingerprint::of_projection(self.schema, self.element, value, template);
                by_print.entry(print).or_default().push(other);
            }
            for &at in group {
                let print = fingerprint::of_readable(self.schema, self.element, self.left[at]);
                if let Some([other]) = by_print.get(&print).map(Vec::as_slice)
                    && self.fits(at, right[*other])
                {
                    claims[*other].push(at);
                }
            }
        }
        for (other, claimants) in claims.into_iter().enumerate() {
            if let [at] = claimants.as_slice() {
                of_right[other] = Some(*at);
            }
        }
    }

    fn fits(&self, left: usize, right: usize) -> bool {
        self.left[left] == self.right[right] || self.fits_otherwise(left, right)
    }

    fn fits_otherwise(&self, left: usize, right: usize) -> bool {
        equal::shows(
            self.schema,
            self.element,
            self.holders,
            self.left[left],
            Some(self.right[right]),
        )
    }

    fn join(&mut self, left: usize, right: usize) {
        self.of_left[left] = Some(right);
        self.taken[right] = true;
    }

    fn unpaired_left(&self) -> Vec<usize> {
        (0..self.left.len()).filter(|&at| self.of_left[at].is_none()).collect()
    }

    fn unpaired_right(&self) -> Vec<usize> {
        (0..self.right.len()).filter(|&at| !self.taken[at]).collect()
    }
}

/// How much an element states.
fn weight(value: &Value) -> usize {
    match value {
        Value::Object(members) => 1 + members.values().map(weight).sum::<usize>(),
        Value::Array(items) => 1 + items.iter().map(weight).sum::<usize>(),
        Value::Null => 0,
        _ => 1,
    }
}
