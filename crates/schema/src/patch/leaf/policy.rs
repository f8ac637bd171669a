//! What differs between two policy documents in meaning: statements that come, go or change.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::{Place, Search, Segment};
use crate::policy;
use crate::spot::Spot;

const STATEMENT: &str = "Statement";

/// Past so many comparisons the statements count as one value.
const MOST_COMPARISONS: usize = 4096;

/// Whether both are policy documents.
pub(super) fn are_policies(before: &Value, after: &Value) -> bool {
    policy::looks_like_policy(before) && policy::looks_like_policy(after)
}

impl<'a> Search<'a> {
    pub(super) fn policy(&mut self, place: Place<'a>, before: &'a Value, after: &'a Value) {
        if policy::equal(before, after) {
            return;
        }
        let (old, new) = (statements(before), statements(after));
        if old.len().saturating_mul(new.len()) > MOST_COMPARISONS {
            return self.leaf(place);
        }
        let found = self.leaves.len();
        let applied = place.applied;
        let rest = |value: &'a Value| value.as_object().into_iter().flatten();
        let names = rest(after).map(|(name, _)| name.as_str());
        let gone = rest(before).map(|(name, _)| name.as_str());
        let gone = gone.filter(|name| after.get(name).is_none());
        for name in names.chain(gone).filter(|name| *name != STATEMENT) {
            let of = |document: &'a Value| document.get(name);
            let inner = Place {
                spot: self.schema.member(place.spot, name),
                holder: after,
                before: of(before),
                after: of(after),
                applied: applied.and_then(of),
            };
            self.within(named(name), |search| search.value(inner));
        }
        let spot = self.schema.element(self.schema.member(place.spot, STATEMENT));
        let was: Vec<&'a Value> = applied.map(statements).unwrap_or_default();
        let (of_new, is_left) = pairs(&new, &old);
        self.within(named(STATEMENT), |search| {
            for (at, after) in new.iter().copied().enumerate() {
                let before = of_new[at].map(|pair| old[pair]);
                search.statement(spot, at, before, Some(after), &was);
            }
            for (at, before) in old.iter().copied().enumerate().filter(|(at, _)| is_left[*at]) {
                search.statement(spot, at, Some(before), None, &was);
            }
        });
        if self.leaves.len() == found {
            // What differs is not in any one part.
            self.leaf(place);
        }
    }

    fn statement(
        &mut self,
        spot: Spot,
        index: usize,
        before: Option<&'a Value>,
        after: Option<&'a Value>,
        was: &[&'a Value],
    ) {
        let Some(shown) = after.or(before) else { return };
        let applied = was.iter().copied().find(|it| is_same(it, shown));
        let applied = applied.or_else(|| was.iter().copied().find(|it| has_the_sid(it, shown)));
        let key = sid(shown).map(|sid| format!("Sid={sid}"));
        let segment = Segment { name: Cow::Owned(index.to_string()), key };
        let holder = shown;
        let whole = Place { spot, holder, before, after, applied };
        self.within(segment, |search| {
            let (Some(Value::Object(old)), Some(Value::Object(new))) = (before, after) else {
                return search.leaf(whole);
            };
            let gone = old.keys().filter(|name| !new.contains_key(*name));
            for name in new.keys().chain(gone).filter(|name| !means_the_same(name, old, new)) {
                let inner = Place {
                    spot: search.schema.member(spot, name),
                    holder,
                    before: old.get(name),
                    after: new.get(name),
                    applied: applied.and_then(|it| it.get(name)),
                };
                search.within(named(name), |search| search.leaf(inner));
            }
        });
    }
}

fn named(name: &str) -> Segment<'_> {
    Segment { name: Cow::Borrowed(name), key: None }
}

fn statements(document: &Value) -> Vec<&Value> {
    match document.get(STATEMENT) {
        Some(Value::Array(items)) => items.iter().collect(),
        Some(one) => vec![one],
        None => Vec::new(),
    }
}

fn sid(statement: &Value) -> Option<&str> {
    statement.get("Sid").and_then(Value::as_str).filter(|sid| !sid.is_empty())
}

fn has_the_sid(one: &Value, other: &Value) -> bool {
    sid(one).is_some() && sid(one) == sid(other)
}

fn is_same(one: &Value, other: &Value) -> bool {
    policy::equal(&json!({ STATEMENT: [one] }), &json!({ STATEMENT: [other] }))
}

/// Whether a member of two statements means the same, however it is spelled.
fn means_the_same(name: &str, old: &Map<String, Value>, new: &Map<String, Value>) -> bool {
    let mut mixed = new.clone();
    match old.get(name) {
        Some(value) => drop(mixed.insert(name.to_owned(), value.clone())),
        None => drop(mixed.remove(name)),
    }
    is_same(&Value::Object(mixed), &Value::Object(new.clone()))
}

/// Which old statement each new one is: the same one, else one of the same name, else where one comes and one
/// goes that one; and which old ones are left.
fn pairs(new: &[&Value], old: &[&Value]) -> (Vec<Option<usize>>, Vec<bool>) {
    let mut of_new = vec![None; new.len()];
    let mut is_left = vec![true; old.len()];
    for fits in [is_same, has_the_sid] {
        for (at, statement) in
            new.iter().enumerate().filter(|(at, _)| of_new[*at].is_none()).collect::<Vec<_>>()
        {
            let pair = (0..old.len()).find(|&it| is_left[it] && fits(statement, old[it]));
            if let Some(pair) = pair {
                of_new[at] = Some(pair);
                is_left[pair] = false;
            }
        }
    }
    let coming: Vec<usize> = (0..new.len()).filter(|at| of_new[*at].is_none()).collect();
    let going: Vec<usize> = (0..old.len()).filter(|at| is_left[*at]).collect();
    if let ([one], [other]) = (coming.as_slice(), going.as_slice()) {
        of_new[*one] = Some(*other);
        is_left[*other] = false;
    }
    (of_new, is_left)
}
