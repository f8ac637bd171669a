//! Numbers that a schema allows: in range, a multiple of a step, whole where it says so.

use serde_json::{Number, Value};

use super::demand::{Demand, Limit};
use super::random::Random;
use crate::number;

/// A number within the demand's range; the nearest that we can make where the range holds none.
pub(super) fn integer(random: &mut Random, demand: &Demand<'_>) -> Value {
    let step = demand.multiple_of.and_then(whole).filter(|step| *step > 0).unwrap_or(1);
    let least = demand.least.and_then(|limit| first_above(limit, step));
    let most = demand.most.and_then(|limit| last_below(limit, step));
    let (least, most) = match (least, most) {
        (Some(least), Some(most)) => (least, most.max(least)),
        (Some(least), None) => (least, least.saturating_add(100)),
        (None, Some(most)) => (most.saturating_sub(100).max(0).min(most), most),
        (None, None) => (1, 100),
    };
    let spread = usize::try_from((most - least).min(1000)).unwrap_or(0);
    let chosen = least.saturating_add(random.below(spread + 1) as i128).saturating_mul(step);
    number_of(&chosen.to_string())
}

/// Like [`integer`], sometimes with a fraction.
pub(super) fn number(random: &mut Random, demand: &Demand<'_>) -> Value {
    let whole = integer(random, demand);
    let is_in_range = |value: &Value| {
        let Value::Number(number) = value else { return false };
        demand.least.is_none_or(|limit| is_beyond(number, limit, std::cmp::Ordering::Greater))
            && demand.most.is_none_or(|limit| is_beyond(number, limit, std::cmp::Ordering::Less))
            && demand
                .multiple_of
                .is_none_or(|step| number::is_multiple_of(number, step) != Some(false))
    };
    let half = number_of(&format!("{whole}.5"));
    let fraction = number_of(&format!("0.{}", random.below(9) + 1));
    let step = demand.multiple_of.map_or(Value::Null, |step| Value::Number(step.clone()));
    let choices = if random.once_in(3) {
        [half, whole, fraction, step]
    } else {
        [whole, half, fraction, step]
    };
    choices.iter().find(|value| is_in_range(value)).unwrap_or(&choices[0]).clone()
}

fn is_beyond(number: &Number, limit: Limit<'_>, side: std::cmp::Ordering) -> bool {
    let order = number::compare(number, limit.number);
    order == side || (order.is_eq() && !limit.is_exclusive)
}

/// The first multiple at or above a limit, in steps.
fn first_above(limit: Limit<'_>, step: i128) -> Option<i128> {
    let floor = floor(limit.number)?;
    let is_whole = number::is_integer(limit.number);
    let least = if is_whole && !limit.is_exclusive { floor } else { floor.checked_add(1)? };
    Some(least.div_euclid(step) + i128::from(least.rem_euclid(step) != 0))
}

/// The last multiple at or below a limit, in steps.
fn last_below(limit: Limit<'_>, step: i128) -> Option<i128> {
    let floor = floor(limit.number)?;
    let is_whole = number::is_integer(limit.number);
    let most = if is_whole && limit.is_exclusive { floor.checked_sub(1)? } else { floor };
    Some(most.div_euclid(step))
}

/// The greatest whole number that is not greater; none for numbers beyond any use.
fn floor(limit: &Number) -> Option<i128> {
    if let Some(whole) = whole(limit) {
        return Some(whole);
    }
    let text = limit.as_f64()?.floor();
    // Limits are written by people; one that needs more than 15 digits is treated as absent.
    (text.abs() < 1e15).then(|| format!("{text:.0}").parse().ok()).flatten()
}

fn whole(number: &Number) -> Option<i128> {
    number.as_str().parse::<i128>().ok().filter(|value| value.unsigned_abs() < 1 << 100)
}

fn number_of(text: &str) -> Value {
    number::parse(text).map_or(Value::Null, Value::Number)
}
