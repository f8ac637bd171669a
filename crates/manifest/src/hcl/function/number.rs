//! Functions of numbers.

use std::cmp::Ordering;

use super::super::decimal::Decimal;
use super::super::value::Datum;
use super::argument::Arguments;
use super::{Problem, Ran};

/// As many as Terraform makes.
const LONGEST_RANGE: usize = 1024;

pub(super) fn abs(arguments: &mut Arguments) -> Ran {
    Ok(Datum::number(&arguments.number(0)?.absolute()))
}

pub(super) fn ceil(arguments: &mut Arguments) -> Ran {
    Ok(Datum::number(&arguments.number(0)?.ceil()))
}

pub(super) fn floor(arguments: &mut Arguments) -> Ran {
    Ok(Datum::number(&arguments.number(0)?.floor()))
}

pub(super) fn max(arguments: &mut Arguments) -> Ran {
    furthest(arguments, Ordering::Greater)
}

pub(super) fn min(arguments: &mut Arguments) -> Ran {
    furthest(arguments, Ordering::Less)
}

fn furthest(arguments: &Arguments, side: Ordering) -> Ran {
    let mut best = arguments.number(0)?;
    for at in 1..arguments.count() {
        let number = arguments.number(at)?;
        if number.cmp(&best) == side {
            best = number;
        }
    }
    Ok(Datum::number(&best))
}

pub(super) fn sum(arguments: &mut Arguments) -> Ran {
    let items = arguments.list(0)?;
    if items.is_empty() {
        return Err(Problem::Wrong("the list is empty".to_owned()));
    }
    let mut sum = Decimal::of_integer(0);
    for item in items {
        let Some(number) = item.to_decimal() else {
            return Err(Problem::Wrong("argument 1 must be a list of numbers".to_owned()));
        };
        sum = sum.plus(&number).ok_or_else(too_long)?;
    }
    Ok(Datum::number(&sum))
}

/// `range(end)`, `range(start, end)`, `range(start, end, step)`; the end is not in it.
pub(super) fn range(arguments: &mut Arguments) -> Ran {
    let (zero, one) = (Decimal::of_integer(0), Decimal::of_integer(1));
    let (start, end) = match arguments.count() {
        1 => (zero.clone(), arguments.number(0)?),
        _ => (arguments.number(0)?, arguments.number(1)?),
    };
    let step = match arguments.count() {
        3 => arguments.number(2)?,
        _ if end < start => one.negated(),
        _ => one,
    };
    let is_upward = step > zero;
    if step.is_zero() || (is_upward && end < start) || (!is_upward && end > start) {
        return Err(Problem::Wrong("the step must lead from the start to the end".to_owned()));
    }
    let mut all = Vec::new();
    let mut next = start;
    while if is_upward { next < end } else { next > end } {
        if all.len() == LONGEST_RANGE {
            let problem = format!("it returns at most {LONGEST_RANGE} numbers");
            return Err(Problem::Wrong(problem));
        }
        all.push(Datum::number(&next));
        next = next.plus(&step).ok_or_else(too_long)?;
    }
    Ok(Datum::list(all))
}

fn too_long() -> Problem {
    Problem::Wrong("the number has too many digits".to_owned())
}
