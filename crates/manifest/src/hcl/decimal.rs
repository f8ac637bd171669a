//! Numbers as they are written: exact decimals of bounded length.
//!
//! Sums, differences, products and remainders are exact. A quotient is exact where it ends within
//! [`QUOTIENT_DIGITS`] digits, and else rounded there to the nearest, to the even one of two; Terraform
//! computes with 512 binary digits, which are about as many.

use std::cmp::Ordering;

use serde_json::Number;

/// Digits of a number, with the zeros that its plain notation needs.
const MOST_DIGITS: usize = 400;

/// Digits of a quotient that does not end.
const QUOTIENT_DIGITS: usize = 154;

/// `±digits × 10^exponent`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Decimal {
    negative: bool,
    // Invariant: the first and the last are not zero, and zero has none and the exponent 0.
    digits: Vec<u8>,
    exponent: isize,
}

impl Decimal {
    /// Reads the notation of JSON; none for anything else, and where it is too long.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = match rest.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => {
                let digits = exponent.strip_prefix('+').unwrap_or(exponent);
                (mantissa, digits.parse::<isize>().ok()?)
            }
            None => (rest, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !is_number(whole) || !is_number(fraction) {
            return None;
        }
        let digits = whole.bytes().chain(fraction.bytes()).map(|byte| byte - b'0').collect();
        Self::new(negative, digits, exponent.checked_sub_unsigned(fraction.len())?)
    }

    pub(super) fn of_number(number: &Number) -> Option<Self> {
        Self::parse(number.as_str())
    }

    pub(super) fn of_integer(integer: usize) -> Self {
        Self::parse(&integer.to_string()).expect("the digits of an integer are few")
    }

    /// None where the number is too long.
    fn new(negative: bool, mut digits: Vec<u8>, mut exponent: isize) -> Option<Self> {
        while digits.last() == Some(&0) {
            digits.pop();
            exponent = exponent.checked_add(1)?;
        }
        let zeros = digits.iter().take_while(|digit| **digit == 0).count();
        digits.drain(..zeros);
        if digits.is_empty() {
            return Some(Self { negative: false, digits, exponent: 0 });
        }
        let length = digits.len().checked_add(exponent.unsigned_abs())?;
        (length <= MOST_DIGITS).then_some(Self { negative, digits, exponent })
    }

    pub(super) fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    pub(super) fn is_integer(&self) -> bool {
        self.exponent >= 0
    }

    pub(super) fn is_negative(&self) -> bool {
        self.negative
    }

    /// How many digits there are to compute with.
    pub(super) fn length(&self) -> usize {
        self.digits.len() + self.exponent.unsigned_abs()
    }

    /// The digits without point and sign, and where the point is: behind so many of them.
    pub(super) fn parts(&self) -> (&[u8], isize) {
        (&self.digits, self.digits.len().cast_signed() + self.exponent)
    }

    /// Plain notation, as Terraform writes numbers into texts.
    pub(super) fn to_text(&self) -> String {
        let sign = if self.negative { "-" } else { "" };
        let (digits, point) = self.parts();
        let letters =
            |digits: &[u8]| digits.iter().map(|d| char::from(b'0' + d)).collect::<String>();
        if digits.is_empty() {
            return "0".to_owned();
        }
        if point <= 0 {
            return format!("{sign}0.{}{}", "0".repeat(point.unsigned_abs()), letters(digits));
        }
        let point = point.unsigned_abs();
        if point >= digits.len() {
            return format!("{sign}{}{}", letters(digits), "0".repeat(point - digits.len()));
        }
        format!("{sign}{}.{}", letters(&digits[..point]), letters(&digits[point..]))
    }

    pub(super) fn to_number(&self) -> Number {
        serde_json::from_str(&self.to_text()).expect("plain notation is a number of JSON")
    }

    /// A whole number that an index can be.
    pub(super) fn to_integer(&self) -> Option<i64> {
        if self.is_integer() { self.to_text().parse().ok() } else { None }
    }

    pub(super) fn negated(&self) -> Self {
        Self { negative: !self.negative && !self.is_zero(), ..self.clone() }
    }

    pub(super) fn absolute(&self) -> Self {
        Self { negative: false, ..self.clone() }
    }

    pub(super) fn plus(&self, other: &Self) -> Option<Self> {
        let (a, b, exponent) = aligned(self, other);
        if self.negative == other.negative {
            return Self::new(self.negative, sum(&a, &b), exponent);
        }
        match compare(&a, &b) {
            Ordering::Less => Self::new(other.negative, difference(&b, &a), exponent),
            _ => Self::new(self.negative, difference(&a, &b), exponent),
        }
    }

    pub(super) fn minus(&self, other: &Self) -> Option<Self> {
        self.plus(&other.negated())
    }

    pub(super) fn times(&self, other: &Self) -> Option<Self> {
        let mut digits = vec![0_u8; self.digits.len() + other.digits.len()];
        for (i, a) in self.digits.iter().enumerate().rev() {
            let mut carry = 0;
            for (j, b) in other.digits.iter().enumerate().rev() {
                let sum = digits[i + j + 1] + a * b + carry;
                digits[i + j + 1] = sum % 10;
                carry = sum / 10;
            }
            digits[i] = carry;
        }
        Self::new(self.negative != other.negative, digits, self.exponent + other.exponent)
    }

    /// None for a divisor of zero, too.
    pub(super) fn divided_by(&self, other: &Self) -> Option<Self> {
        if other.is_zero() {
            return None;
        }
        let mut exponent = self.exponent - other.exponent;
        let (mut quotient, mut rest) = divide(&self.digits, &other.digits);
        strip(&mut quotient);
        while !rest.is_empty() && quotient.len() < QUOTIENT_DIGITS {
            rest.push(0);
            let digit = take_off(&mut rest, &other.digits);
            if digit != 0 || !quotient.is_empty() {
                quotient.push(digit);
            }
            exponent -= 1;
        }
        if !rest.is_empty() {
            let twice = sum(&rest, &rest);
            let is_odd = quotient.last().is_some_and(|digit| digit % 2 == 1);
            match compare(&twice, &other.digits) {
                Ordering::Greater => quotient = sum(&quotient, &[1]),
                Ordering::Equal if is_odd => quotient = sum(&quotient, &[1]),
                _ => {}
            }
        }
        Self::new(self.negative != other.negative, quotient, exponent)
    }

    /// What is left of a division by a number of times, with the sign of the dividend; none for a
    /// divisor of zero.
    pub(super) fn modulo(&self, other: &Self) -> Option<Self> {
        if other.is_zero() {
            return None;
        }
        let (a, b, exponent) = aligned(self, other);
        let (_, rest) = divide(&a, &b);
        Self::new(self.negative, rest, exponent)
    }

    /// The whole number at or below it.
    pub(super) fn floor(&self) -> Self {
        let whole = self.truncated();
        if self.negative && !self.is_integer() {
            return whole.minus(&Self::of_integer(1)).unwrap_or(whole);
        }
        whole
    }

    /// The whole number at or above it.
    pub(super) fn ceil(&self) -> Self {
        self.negated().floor().negated()
    }

    fn truncated(&self) -> Self {
        if self.is_integer() {
            return self.clone();
        }
        let kept = self.digits.len().saturating_sub(self.exponent.unsigned_abs());
        let digits = self.digits[..kept].to_vec();
        Self::new(self.negative, digits, 0).expect("a part of a number is not longer")
    }

    /// With at most so many digits behind the point, to the nearest and of two to the even one.
    pub(super) fn rounded(&self, places: usize) -> Self {
        let dropped = self.exponent.unsigned_abs().saturating_sub(places);
        if self.is_integer() || dropped == 0 {
            return self.clone();
        }
        if dropped > self.digits.len() {
            return Self { negative: false, digits: Vec::new(), exponent: 0 };
        }
        let (kept, cut) = self.digits.split_at(self.digits.len() - dropped);
        let is_odd = kept.last().is_some_and(|digit| digit % 2 == 1);
        let goes_up = match cut[0].cmp(&5) {
            Ordering::Less => false,
            Ordering::Greater => true,
            Ordering::Equal => is_odd || cut[1..].iter().any(|digit| *digit != 0),
        };
        let kept = if goes_up { sum(kept, &[1]) } else { kept.to_vec() };
        Self::new(self.negative, kept, -places.cast_signed()).unwrap_or_else(|| self.clone())
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let (a, b, _) = aligned(self, other);
        match (self.negative, other.negative) {
            (false, false) => compare(&a, &b),
            (true, true) => compare(&b, &a),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}

/// The digits of both at the smaller exponent.
fn aligned(a: &Decimal, b: &Decimal) -> (Vec<u8>, Vec<u8>, isize) {
    let exponent = a.exponent.min(b.exponent);
    let shifted = |it: &Decimal| {
        let mut digits = it.digits.clone();
        // The exponents are within the bound of a number's length, and so is their difference twice.
        if !digits.is_empty() {
            digits.resize(digits.len() + (it.exponent - exponent).unsigned_abs(), 0);
        }
        digits
    };
    (shifted(a), shifted(b), exponent)
}

fn strip(digits: &mut Vec<u8>) {
    let zeros = digits.iter().take_while(|digit| **digit == 0).count();
    digits.drain(..zeros);
}

/// Of whole numbers that may begin with zeros.
fn compare(a: &[u8], b: &[u8]) -> Ordering {
    let significant = |digits: &[u8]| digits.iter().position(|digit| *digit != 0);
    let a = significant(a).map_or(&[][..], |at| &a[at..]);
    let b = significant(b).map_or(&[][..], |at| &b[at..]);
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

fn sum(a: &[u8], b: &[u8]) -> Vec<u8> {
    let length = a.len().max(b.len()) + 1;
    let mut digits = vec![0; length];
    let mut carry = 0;
    for at in 0..length {
        let of = |digits: &[u8]| digits.len().checked_sub(at + 1).map_or(0, |at| digits[at]);
        let sum = of(a) + of(b) + carry;
        digits[length - 1 - at] = sum % 10;
        carry = sum / 10;
    }
    strip(&mut digits);
    digits
}

/// `a - b`, where that is not negative.
fn difference(a: &[u8], b: &[u8]) -> Vec<u8> {
    let mut digits = a.to_vec();
    let mut borrow = 0;
    for at in 0..digits.len() {
        let place = digits.len() - 1 - at;
        let taken = b.len().checked_sub(at + 1).map_or(0, |at| b[at]) + borrow;
        borrow = u8::from(digits[place] < taken);
        digits[place] = digits[place] + 10 * borrow - taken;
    }
    strip(&mut digits);
    digits
}

/// How often the divisor is in the rest (fewer than ten times), which is left with what remains.
fn take_off(rest: &mut Vec<u8>, divisor: &[u8]) -> u8 {
    strip(rest);
    let mut times = 0;
    while compare(rest, divisor) != Ordering::Less {
        *rest = difference(rest, divisor);
        times += 1;
    }
    times
}

/// The whole quotient and what is left.
fn divide(dividend: &[u8], divisor: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let mut rest = Vec::new();
    let mut quotient = Vec::with_capacity(dividend.len());
    for digit in dividend {
        rest.push(*digit);
        quotient.push(take_off(&mut rest, divisor));
    }
    (quotient, rest)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::parse(text).expect(text)
    }

    #[test]
    fn numbers_print_in_plain_notation() {
        for (text, plain) in [
            ("0", "0"),
            ("-0.00", "0"),
            ("0e999999", "0"),
            ("1e3", "1000"),
            ("1.50", "1.5"),
            ("-12.340e-5", "-0.0001234"),
            ("12345678901234567890.123456789", "12345678901234567890.123456789"),
            ("100", "100"),
            ("1E+2", "100"),
        ] {
            assert_eq!(decimal(text).to_text(), plain, "{text}");
        }
        for text in ["", "-", ".5", "1e", "0x1", "1e400", "1e-2000", "١"] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_quotient_is_exact_where_it_ends_and_rounded_where_it_does_not() {
        let quotient = |a: &str, b: &str| decimal(a).divided_by(&decimal(b)).map(|it| it.to_text());
        assert_eq!(quotient("1", "8").as_deref(), Some("0.125"));
        assert_eq!(quotient("-10", "4").as_deref(), Some("-2.5"));
        assert_eq!(quotient("1e30", "1e-3").as_deref(), Some("1000000000000000000000000000000000"));
        assert_eq!(quotient("2", "3"), Some(format!("0.{}7", "6".repeat(153))));
        assert_eq!(quotient("1", "0"), None);
    }

    #[test]
    fn rounding_goes_to_the_nearest_and_of_two_to_the_even_one() {
        for (text, places, rounded) in [
            ("2.5", 0, "2"),
            ("3.5", 0, "4"),
            ("-2.51", 0, "-3"),
            ("0.04", 1, "0"),
            ("0.06", 1, "0.1"),
            ("9.99", 1, "10"),
            ("0.0001", 2, "0"),
            ("12", 3, "12"),
        ] {
            assert_eq!(decimal(text).rounded(places).to_text(), rounded, "{text} {places}");
        }
    }

    proptest! {
        #[test]
        fn arithmetic_agrees_with_that_of_the_machine(a in -1_000_000_000_i64..1_000_000_000, b in -1_000_000_000_i64..1_000_000_000) {
            let (x, y) = (decimal(&a.to_string()), decimal(&b.to_string()));
            prop_assert_eq!(x.plus(&y).unwrap().to_text(), (a + b).to_string());
            prop_assert_eq!(x.minus(&y).unwrap().to_text(), (a - b).to_string());
            prop_assert_eq!(x.times(&y).unwrap().to_text(), (a * b).to_string());
            prop_assert_eq!(x.cmp(&y), a.cmp(&b));
            if b != 0 {
                prop_assert_eq!(x.modulo(&y).unwrap().to_text(), (a % b).to_string());
                let quotient = x.divided_by(&y).unwrap();
                prop_assert_eq!(quotient.floor().to_text(), a.div_euclid(b.abs()).checked_mul(b.signum()).filter(|_| b > 0).unwrap_or_else(|| {
                    let (quotient, rest) = (a / b, a % b);
                    if rest != 0 && (rest < 0) != (b < 0) { quotient - 1 } else { quotient }
                }).to_string());
            }
        }

        #[test]
        fn what_is_divided_by_what_it_was_multiplied_by_is_the_same(a in "-?[1-9][0-9]{0,20}(\\.[0-9]{0,9}[1-9])?", b in "[1-9][0-9]{0,20}(\\.[0-9]{0,9}[1-9])?") {
            let (x, y) = (decimal(&a), decimal(&b));
            prop_assert_eq!(x.times(&y).unwrap().divided_by(&y).unwrap().to_text(), a);
        }

        #[test]
        fn no_text_panics(a in "-?[0-9]{1,30}(\\.[0-9]{1,30})?([eE][+-]?[0-9]{1,4})?", b in "-?[0-9]{1,5}(e-?[0-9]{1,3})?") {
            let (Some(x), Some(y)) = (Decimal::parse(&a), Decimal::parse(&b)) else { return Ok(()) };
            prop_assert_eq!(Decimal::parse(&x.to_text()), Some(x.clone()));
            let _ = (x.plus(&y), x.minus(&y), x.times(&y), x.divided_by(&y), x.modulo(&y), x.floor(), x.ceil(), x.rounded(3));
        }
    }
}
