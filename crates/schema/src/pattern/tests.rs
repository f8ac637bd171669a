use proptest::prelude::*;

use super::*;
use Verdict::{Match, Mismatch, Unknown};

fn verdict(pattern: &str, text: &str) -> Verdict {
    Pattern::compile(pattern).matches(text)
}

fn is_checked(pattern: &str) -> bool {
    matches!(Pattern::compile(pattern).certainty(), Certainty::Checked)
}

#[test]
fn patterns_match_as_in_both_dialects() {
    for (pattern, text, expected) in [
        ("b+", "abbc", Match),
        (r"^\d+$", "123", Match),
        (r"^\d+$", "١٢٣", Mismatch),
        (r"^\w+$", "é", Mismatch),
        (r"^\W$", "é", Match),
        (r"^[^\W\d]+$", "abc", Match),
        (r"^[\w-.]+$", "a-b.c", Match),
        (r"^[\w-.]+$", "a b", Mismatch),
        (r"^[+--]+$", "+,-", Match),
        (r"^[~~a&b]+$", "~&", Match),
        (r"^\/\-\:\_\@\ $", "/-:_@ ", Match),
        (r"^\u0041\x42\cI$", "AB\t", Match),
        (r"^[\uD800\uDC00-\uDBFF\uDFFF]$", "😀", Match),
        (r"^\ud83d\ude00$", "😀", Match),
        (r"^[\u0020-\u007E]*$", "a\tb", Mismatch),
        ("^.*$", "a\nb", Mismatch),
        ("^.*$", "a\rb", Mismatch),
        (r"^[\s\S]*$", "a\nb", Match),
        (r"^(?!aws:)[\p{L}]+$", "abc", Match),
        (r"^(?!aws:).+$", "aws:x", Mismatch),
        (r"^a}$", "a}", Match),
        (r"^a]$", "a]", Match),
        (r"^(?<!b)a{2}?$", "aa", Match),
        ("^()$", "", Match),
        (r"^(?!\.)+a$", "a", Match),
        (r"^[\p{P}\p{S}]+$", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", Match),
        (r"^[^\p{C}\p{Lo}]{1,2048}$", "a b", Match),
        (r"^\P{Zs}+$", "a b", Mismatch),
        (r"\bcat\b", "a cat", Match),
        (r"\bcat\b", "cats", Mismatch),
    ] {
        assert!(is_checked(pattern), "{pattern} is certain");
        assert_eq!(verdict(pattern, text), expected, "{pattern} on {text:?}");
    }
}

#[test]
fn texts_on_which_the_dialects_differ_are_unknown() {
    for (pattern, text) in [
        ("^a$", "a\n"),
        ("^(?!a$)", "a\n"),
        (r"^\s+$", "\u{a0}"),
        (r"^\S+$", "a\u{3000}"),
        ("^.$", "\u{85}"),
        (r"\bé", "é"),
        (r"^\p{L}+$", "é1"),
    ] {
        assert!(is_checked(pattern), "{pattern} is certain");
        assert_eq!(verdict(pattern, text), Unknown, "{pattern} on {text:?}");
    }
    // The same constructs on other texts are certain.
    assert_eq!(verdict("^[^ ]*$", "a\n"), Match);
    assert_eq!(verdict(r"^[\s\S]+$", "\u{a0}"), Match);
    assert_eq!(verdict(r"^\S+$", "é"), Match);
}

#[test]
fn what_only_java_means_is_advisory() {
    for (pattern, text, expected) in [
        (r"\Aab\Z", "ab", Match),
        (r"\Aab\z", "abc", Mismatch),
        (r"(?s)^.+$", "a\nb", Match),
        (r"^(?s:.)$", "\n", Match),
        (r"^(?:(?s).)$|^(.)$", "\n", Match),
        (r"^(?!(?i)aws)\w+$", "AWSx", Mismatch),
        (r"^(?i)a(?-i)b$", "Ab", Match),
        (r"^(?i:a)b$", "AB", Mismatch),
        (r"^[\p{Print}&&[^|:/]]+$", "abc", Match),
        (r"^[\p{Print}&&[^|:/]]+$", "a:c", Mismatch),
        (r"^\p{Alpha}+$", "abc", Match),
        (r"^[a[]+$", "a[", Match),
        (r"^[]a]+$", "]a", Match),
        (r"^a{x}$", "a{x}", Match),
        (r"^\x{60}$", "`", Match),
        (r"^\h$", "\u{a0}", Match),
        (r"^a++$", "aaa", Match),
        (r"^(?>ab?)$", "ab", Match),
        (r"^(a|b)\1$", "aa", Match),
        (r"^(a|b)\1$", "ab", Mismatch),
        (r"^\Qa.b\E$", "a.b", Match),
        (r"^[\b\0]$", "\u{8}", Match),
        (r"^[a\uD800\uDBFF-\uDC00\uDFFF]+$", "a", Match),
    ] {
        let compiled = Pattern::compile(pattern);
        assert!(matches!(compiled.certainty(), Certainty::Advisory(_)), "{compiled:?}");
        assert_eq!(compiled.matches(text), expected, "{compiled:?} on {text:?}");
    }
}

#[test]
fn broken_patterns_are_unchecked_and_say_why() {
    for pattern in [
        "a(",
        "a)",
        "[a",
        "*a",
        "[z-a]",
        "a{3,2}",
        "\\",
        "(?<n",
        "(?y)",
        r"\p{Nope}",
        "(?<=a+)b",
        "^a+{1,9}$",
        "a**",
    ] {
        let compiled = Pattern::compile(pattern);
        assert!(matches!(compiled.certainty(), Certainty::Unchecked(_)), "{compiled:?}");
        assert_eq!(compiled.matches("a"), Unknown, "{pattern}");
        assert_eq!(compiled.matches_whole("a"), Unknown, "{pattern}");
    }
}

#[test]
fn whole_matches_try_every_alternative() {
    let pattern = Pattern::compile("a|ab");
    assert_eq!(pattern.matches_whole("ab"), Match);
    assert_eq!(pattern.matches_whole("abc"), Mismatch);
}

#[test]
fn a_search_without_end_is_given_up() {
    let pattern = Pattern::compile(r"^(?=(a+)+$)(a|aa)+(?!x)$");
    assert_ne!(pattern.matches(&format!("{}b", "a".repeat(5_000))), Match);
    let linear = Pattern::compile("^(a+)+$");
    assert_eq!(linear.matches(&format!("{}b", "a".repeat(1_000_000))), Mismatch);
}

proptest! {
    #[test]
    fn no_pattern_panics(pattern in r"[\[\](){}|?*+^$\\.a-cdDwsSpPxuUQEZ0-9:!<=,&-]{0,16}|\PC{0,12}", text in "\\PC{0,12}") {
        let compiled = Pattern::compile(&pattern);
        compiled.matches(&text);
        compiled.matches_whole(&text);
    }

    #[test]
    fn an_escaped_text_matches_itself_and_nothing_longer(text in "[ -~]{0,12}") {
        let escaped: String = text
            .chars()
            .flat_map(|c| if c.is_ascii_alphanumeric() { vec![c] } else { vec!['\\', c] })
            .collect();
        let pattern = Pattern::compile(&escaped);
        prop_assert_eq!(pattern.certainty(), &Certainty::Checked);
        prop_assert_eq!(pattern.matches_whole(&text), Match);
        prop_assert_eq!(pattern.matches_whole(&format!("{text}x")), Mismatch);
    }
}
