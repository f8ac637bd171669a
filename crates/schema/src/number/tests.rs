use proptest::prelude::*;

use super::*;

fn number(text: &str) -> Number {
    parse(text).unwrap_or_else(|| panic!("`{text}` is a number"))
}

#[test]
fn one_value_has_many_spellings() {
    for group in [
        &["1", "1.0", "10e-1", "0.1e1", "1E+0", "0.0001e4"][..],
        &["0", "-0", "0.000", "0e99999999999999999999999999999999999999999999", "-0.0e-5"],
        &["1e999999999999999999999", "10e999999999999999999998", "0.1e1000000000000000000000"],
        &[
            "1e99999999999999999999999999999999999999999",
            "10e99999999999999999999999999999999999999998",
        ],
        &[
            "-1e-10000000000000000000000000000000000000000",
            "-0.01e-9999999999999999999999999999999999999998",
        ],
    ] {
        for a in group {
            for b in group {
                assert!(equal(&number(a), &number(b)), "{a} = {b}");
                assert_eq!(canonical(&number(a)), canonical(&number(b)), "{a} = {b}");
            }
        }
    }
}

#[test]
fn order_is_exact_where_floats_are_not() {
    let ascending = [
        "-1e99999999999999999999999999999999999999999",
        "-1e400",
        "-9007199254740993",
        "-9007199254740992",
        "-0.1",
        "-1e-99999999999999999999999999999999999999999",
        "0",
        "1e-99999999999999999999999999999999999999999",
        "1e-400",
        "0.1",
        "0.10000000000000000000001",
        "9007199254740992",
        "9007199254740993",
        "9.1e15",
        "1e400",
        "1e99999999999999999999999999999999999999998",
        "1e99999999999999999999999999999999999999999",
    ];
    for (i, a) in ascending.iter().enumerate() {
        for (j, b) in ascending.iter().enumerate() {
            assert_eq!(compare(&number(a), &number(b)), i.cmp(&j), "{a} {b}");
        }
    }
}

#[test]
fn integers_are_told_by_value() {
    for text in ["0", "-0.0", "1.0", "150e-1", "1e400"] {
        assert!(is_integer(&number(text)), "{text}");
    }
    for text in ["0.5", "15e-1", "1e-99999999999999999999999999999999999999999"] {
        assert!(!is_integer(&number(text)), "{text}");
    }
}

#[test]
fn multiples_are_exact_in_decimal() {
    for (value, step, expected) in [
        ("0.3", "0.1", Some(true)),
        ("0.35", "0.1", Some(false)),
        ("1e400", "7", Some(false)),
        ("7e400", "7", Some(true)),
        ("-6", "3", Some(true)),
        ("6", "-3", Some(true)),
        ("0", "3", Some(true)),
        ("1", "0", None),
        ("1", "123456789012345678901", None),
        ("1e99999999999999999999999999999999999999999", "3", None),
        ("5", "10", Some(false)),
    ] {
        assert_eq!(is_multiple_of(&number(value), &number(step)), expected, "{value} % {step}");
    }
}

#[test]
fn only_json_numbers_are_parsed() {
    for text in
        ["", "-", "+1", "01", "1.", ".5", "1e", "1e+", "1 ", "0x1", "1_000", "-.1", "1.e3", "١"]
    {
        assert!(parse(text).is_none(), "{text}");
    }
}

/// The integer written with a random shift of its point, which keeps the value.
fn spelled(value: i128, zeros: u32, capital: bool) -> String {
    let e = if capital { "E" } else { "e" };
    let sign = if value < 0 { "-" } else { "" };
    let digits = value.unsigned_abs().to_string();
    match zeros {
        0 => value.to_string(),
        3.. if value == 0 => format!("-0{e}-7"),
        1 => format!("{value}.000"),
        2 => format!("{sign}0.00{digits}{e}{}", digits.len() + 2),
        more => format!("{value}{}{e}-{more}", "0".repeat(more as usize)),
    }
}

proptest! {
    #[test]
    fn comparison_agrees_with_integers(
        a in any::<i64>(), b in any::<i64>(), x in 0u32..6, y in 0u32..6, capital: bool,
    ) {
        // Products reach past 64 bits; small values meet often enough to test equality.
        for (a, b) in [(i128::from(a) * 1_000_003, i128::from(b)), (i128::from(a % 5), i128::from(b % 5))] {
            let (left, right) = (number(&spelled(a, x, capital)), number(&spelled(b, y, !capital)));
            prop_assert_eq!(compare(&left, &right), a.cmp(&b));
            prop_assert_eq!(equal(&left, &right), a == b);
            prop_assert_eq!(canonical(&left) == canonical(&right), a == b);
            prop_assert!(is_integer(&left));
        }
    }

    #[test]
    fn multiples_agree_with_integers(a in any::<i64>(), b in 1i64..1_000_000, shift in 0u32..30) {
        let (value, step) = (i128::from(a), i128::from(b));
        let scaled = |it: i128| number(&format!("{it}e-{shift}"));
        prop_assert_eq!(is_multiple_of(&scaled(value), &scaled(step)), Some(value % step == 0));
        prop_assert_eq!(is_multiple_of(&scaled(value * step), &scaled(step)), Some(true));
    }

    #[test]
    fn canonical_text_is_the_same_number(text in "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,9})?([eE][+-]?[0-9]{1,50})?") {
        let original = number(&text);
        prop_assert!(equal(&original, &number(&canonical(&original))));
    }

    #[test]
    fn parse_accepts_what_serde_json_accepts(text in "[-+0-9.eE ]{0,8}") {
        let oracle = serde_json::from_str::<Number>(&text).is_ok() && text.trim() == text;
        prop_assert_eq!(parse(&text).is_some(), oracle);
    }

    #[test]
    fn unchecked_numbers_never_panic(a in "\\PC{0,12}", b in "\\PC{0,12}") {
        let (a, b) = (Number::from_string_unchecked(a), Number::from_string_unchecked(b));
        prop_assert_eq!(compare(&a, &b), compare(&b, &a).reverse());
        canonical(&a);
        is_integer(&a);
        is_multiple_of(&a, &b);
    }
}
