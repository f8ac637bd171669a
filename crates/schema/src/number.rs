//! Exact comparison of JSON numbers by their text, with no detour through `f64`.
//!
//! A number is read as a sign, significant digits and a decimal exponent of any size, so that
//! `1e999999999999` costs no more than its text is long.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::Write as _;

use serde_json::Number;

/// Whether two numbers have the same value, however they are spelled.
///
/// ```
/// # use hangar_schema::number::{equal, parse};
/// let number = |text| parse(text).unwrap();
/// assert!(equal(&number("1"), &number("10e-1")));
/// assert!(!equal(&number("9007199254740993"), &number("9007199254740992")));
/// ```
pub fn equal(a: &Number, b: &Number) -> bool {
    a.as_str() == b.as_str() || compare(a, b).is_eq()
}

/// The exact order of two numbers.
///
/// ```
/// # use hangar_schema::number::{compare, parse};
/// let number = |text| parse(text).unwrap();
/// assert!(compare(&number("-1e400"), &number("0.1")).is_lt());
/// ```
pub fn compare(a: &Number, b: &Number) -> Ordering {
    match (Decimal::read(a.as_str()), Decimal::read(b.as_str())) {
        (Some(a), Some(b)) => a.compare(&b),
        // Only a `Number` made unchecked by hand comes here; any total order will do.
        (None, None) => a.as_str().cmp(b.as_str()),
        (None, Some(_)) => Ordering::Less,
        (Some(_), None) => Ordering::Greater,
    }
}

/// Whether the value has no fraction, as JSON Schema's `integer` asks: `1.0` and `1e3` have none.
///
/// ```
/// # use hangar_schema::number::{is_integer, parse};
/// assert!(is_integer(&parse("1.50e1").unwrap()));
/// assert!(!is_integer(&parse("1.5").unwrap()));
/// ```
pub fn is_integer(number: &Number) -> bool {
    Decimal::read(number.as_str()).is_some_and(|decimal| {
        decimal.digits.is_empty() || decimal.scale >= Scale::from(decimal.digits.len() as i128)
    })
}

/// Whether `value` is a whole multiple of `step`, or `None` when that cannot be decided: a step of
/// zero, or one with more significant digits than 64 bits hold.
///
/// ```
/// # use hangar_schema::number::{is_multiple_of, parse};
/// let number = |text| parse(text).unwrap();
/// assert_eq!(is_multiple_of(&number("0.3"), &number("0.1")), Some(true));
/// assert_eq!(is_multiple_of(&number("7"), &number("0")), None);
/// ```
pub fn is_multiple_of(value: &Number, step: &Number) -> Option<bool> {
    let value = Decimal::read(value.as_str())?;
    let step = Decimal::read(step.as_str())?;
    let divisor: u64 = step.digits.parse().ok()?;
    if value.digits.is_empty() {
        return Some(true);
    }
    // Both are digits × 10^power; neither run of digits ends in zero, so a value with a smaller
    // power than its step would have to hold a factor ten that it does not have.
    let shift = value.power()?.checked_sub(step.power()?)?;
    let Ok(shift) = u128::try_from(shift) else {
        return Some(false);
    };
    let divisor = u128::from(divisor);
    let digits = value
        .digits
        .bytes()
        .fold(0, |rest, digit| (rest * 10 + u128::from(digit - b'0')) % divisor);
    Some((digits * power_modulo(10, shift, divisor)).is_multiple_of(divisor))
}

/// Reads a text that is wholly one JSON number, with nothing around it.
///
/// ```
/// # use hangar_schema::number::parse;
/// assert_eq!(parse("1.50").unwrap().as_str(), "1.50");
/// assert!(parse(" 1").is_none() && parse("01").is_none() && parse("NaN").is_none());
/// ```
pub fn parse(text: &str) -> Option<Number> {
    Parts::read(text)?;
    Some(Number::from_string_unchecked(text.to_owned()))
}

/// One spelling for each value, for hashing: equal numbers, and only they, give equal text.
///
/// ```
/// # use hangar_schema::number::{canonical, parse};
/// assert_eq!(canonical(&parse("12.0e1").unwrap()), "120");
/// assert_eq!(canonical(&parse("0.05").unwrap()), "5e-2");
/// ```
pub fn canonical(number: &Number) -> String {
    let Some(decimal) = Decimal::read(number.as_str()) else {
        return number.as_str().to_owned();
    };
    if decimal.digits.is_empty() {
        return "0".to_owned();
    }
    let mut text = String::from(if decimal.negative { "-" } else { "" });
    text.push_str(&decimal.digits);
    let power = decimal.scale.plus(-(decimal.digits.len() as i128));
    if let Some(zeros @ 0..=MAX_PLAIN_ZEROS) = power.small() {
        text.extend((0..zeros).map(|_| '0'));
    } else {
        let sign = if power.negative { "-" } else { "" };
        // Writing to a `String` does not fail.
        let _ = write!(text, "e{sign}{}", power.magnitude);
    }
    text
}

/// An integer with more zeros at its end than this is spelled with an exponent.
const MAX_PLAIN_ZEROS: i128 = 40;

/// The value `±0.digits × 10^scale`: no leading and no trailing zeros among the digits, which are
/// empty for zero.
struct Decimal<'a> {
    negative: bool,
    digits: Cow<'a, str>,
    scale: Scale,
}

impl<'a> Decimal<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let parts = Parts::read(text)?;
        let digits = if parts.fraction.is_empty() {
            Cow::Borrowed(parts.whole)
        } else {
            Cow::Owned(format!("{}{}", parts.whole, parts.fraction))
        };
        let leading = digits.len() - digits.trim_start_matches('0').len();
        let digits = match digits {
            Cow::Borrowed(digits) => Cow::Borrowed(digits.trim_matches('0')),
            Cow::Owned(digits) => Cow::Owned(digits.trim_matches('0').to_owned()),
        };
        if digits.is_empty() {
            return Some(Self { negative: false, digits, scale: Scale::from(0) });
        }
        let point = parts.whole.len() as i128 - leading as i128;
        Some(Self { negative: parts.negative, digits, scale: parts.exponent.plus(point) })
    }

    /// The exponent when the digits are read as an integer, if it is of a size to compute with.
    fn power(&self) -> Option<i128> {
        self.scale.small()?.checked_sub(self.digits.len() as i128)
    }

    fn compare(&self, other: &Self) -> Ordering {
        let sign = |it: &Self| match (it.digits.is_empty(), it.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        };
        let signs = sign(self).cmp(&sign(other));
        if signs.is_ne() || self.digits.is_empty() {
            return signs;
        }
        let magnitude = self.scale.cmp(&other.scale).then_with(|| self.digits.cmp(&other.digits));
        if self.negative { magnitude.reverse() } else { magnitude }
    }
}

/// The pieces of a JSON number as they are written.
struct Parts<'a> {
    negative: bool,
    whole: &'a str,
    fraction: &'a str,
    exponent: Scale,
}

impl<'a> Parts<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, rest) = digits(rest);
        if whole.is_empty() || (whole.len() > 1 && whole.starts_with('0')) {
            return None;
        }
        let (fraction, rest) = match rest.strip_prefix('.') {
            Some(rest) => digits(rest),
            None => ("", rest),
        };
        if text.contains('.') && fraction.is_empty() {
            return None;
        }
        let exponent = match rest.strip_prefix(['e', 'E']) {
            Some(exponent) => Scale::read(exponent)?,
            None if rest.is_empty() => Scale::from(0),
            None => return None,
        };
        Some(Self { negative, whole, fraction, exponent })
    }
}

/// Splits the leading ASCII digits off.
fn digits(text: &str) -> (&str, &str) {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    text.split_at(end)
}

/// An exponent of any size: its decimal digits without leading zeros, empty for zero, which is
/// never negative.
#[derive(PartialEq, Eq)]
struct Scale {
    negative: bool,
    magnitude: String,
}

/// As many decimal digits as always fit an `i128` with room to add a length.
const SMALL_DIGITS: usize = 37;

impl Scale {
    /// Reads what follows the `e`: an optional sign and digits.
    fn read(text: &str) -> Option<Self> {
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (magnitude, rest) = digits(text);
        if magnitude.is_empty() || !rest.is_empty() {
            return None;
        }
        let magnitude = magnitude.trim_start_matches('0').to_owned();
        Some(Self { negative: negative && !magnitude.is_empty(), magnitude })
    }

    /// The exponent as an integer, unless it is astronomically large.
    fn small(&self) -> Option<i128> {
        if self.magnitude.is_empty() {
            return Some(0);
        }
        if self.magnitude.len() > SMALL_DIGITS {
            return None;
        }
        let magnitude: i128 = self.magnitude.parse().ok()?;
        Some(if self.negative { -magnitude } else { magnitude })
    }

    /// The sum with an offset no larger than a text is long.
    fn plus(&self, offset: i128) -> Self {
        match self.small() {
            Some(small) => Self::from(small + offset),
            None => self.plus_large(offset),
        }
    }

    /// Adds digit by digit, from the right: the magnitude is larger than the offset.
    fn plus_large(&self, offset: i128) -> Self {
        let mut rest = if self.negative { -offset } else { offset };
        let mut reversed = String::with_capacity(self.magnitude.len() + 1);
        for digit in self.magnitude.bytes().rev() {
            let sum = i128::from(digit - b'0') + rest;
            reversed.push(decimal_digit(sum.rem_euclid(10)));
            rest = sum.div_euclid(10);
        }
        while rest > 0 {
            reversed.push(decimal_digit(rest % 10));
            rest /= 10;
        }
        let magnitude: String = reversed.chars().rev().collect();
        Self { negative: self.negative, magnitude: magnitude.trim_start_matches('0').to_owned() }
    }
}

/// The digit as a character; the caller passes 0 to 9.
fn decimal_digit(digit: i128) -> char {
    u32::try_from(digit).ok().and_then(|digit| char::from_digit(digit, 10)).unwrap_or('0')
}

impl From<i128> for Scale {
    fn from(exponent: i128) -> Self {
        let magnitude = match exponent.unsigned_abs() {
            0 => String::new(),
            magnitude => magnitude.to_string(),
        };
        Self { negative: exponent < 0, magnitude }
    }
}

impl Ord for Scale {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (negative, _) => {
                let longer = self.magnitude.len().cmp(&other.magnitude.len());
                let magnitude = longer.then_with(|| self.magnitude.cmp(&other.magnitude));
                if negative { magnitude.reverse() } else { magnitude }
            }
        }
    }
}

impl PartialOrd for Scale {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// `base^exponent mod modulus`, for a modulus under 2^64.
fn power_modulo(base: u128, mut exponent: u128, modulus: u128) -> u128 {
    let mut result = 1 % modulus;
    let mut square = base % modulus;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * square % modulus;
        }
        square = square * square % modulus;
        exponent >>= 1;
    }
    result
}

#[cfg(test)]
mod tests;
