//! What is played from an expression, checked against a real engine.

use super::*;

#[test]
fn what_is_played_fits_the_expression() {
    let expressions = [
        r"^arn:(aws[a-zA-Z-]*)?:iam::\d{12}:role/?[a-zA-Z_0-9+=,.@\-_/]+$",
        r"^[a-z][a-z0-9-]{1,61}[a-z0-9]$",
        r"^(?!aws:)[a-zA-Z+-=._:/]+$",
        r"^(\d{1,3}\.){3}\d{1,3}/([0-9]|[12][0-9]|3[0-2])$",
        r"^(?:(?:one|two)-)+[^\x00-\x1f]*$",
        r"^[\w-.]{3,}?$",
        r"^([\p{L}\p{Z}\p{N}_.:/=+\-@]*)$",
        r"(?i)^a{2}b{,3}\bc?$",
        r"^[[:alpha:]]{2}[]x]$",
        r"^\{\{resolve:[a-z]+\}\}$",
    ];
    let mut random = Random::new(3, "expression");
    for text in expressions {
        let expression = Expression::read(text).unwrap();
        let spelled =
            text.replace("{,3}", "{0,3}").replace("[]x]", r"[\]x]").replace(r"[\w-.]", r"[\w\-.]");
        let regex = fancy_regex::Regex::new(&spelled).unwrap();
        let fits = (0..40)
            .any(|stretch| regex.is_match(&expression.play(&mut random, stretch)).unwrap_or(false));
        assert!(fits, "{text}: {}", expression.play(&mut random, 4));
    }
}

#[test]
fn what_is_not_an_expression_is_refused_and_a_deep_one_does_not_exhaust_the_stack() {
    for text in ["(", "[a", "a)", r"(a)\1", r"\x{zz}", "(?<name"] {
        assert_eq!(Expression::read(text), None, "{text}");
    }
    assert_eq!(Expression::read(&"(".repeat(100_000)), None);
}

#[test]
fn a_huge_repetition_is_cut() {
    let expression = Expression::read("((a{9999}){9999}){9999}").unwrap();
    assert!(expression.play(&mut Random::new(1, ""), 0).len() <= MAX_STEPS);
}
