//! Text counted and cut in UTF-16 units, and compared without regard to case, as .NET does.
//!
//! A cut never falls into a character: one that the cut would split belongs whole to the part before.

/// How long a text is.
pub(super) fn length(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// The byte at which a text is cut so that `units` units, or one more, lie before.
pub(super) fn cut(text: &str, units: usize) -> usize {
    let mut before = 0;
    for (at, character) in text.char_indices() {
        if before >= units {
            return at;
        }
        before += character.len_utf16();
    }
    text.len()
}

/// A text in capitals, character by character: one that would become several stays as it is.
pub(super) fn upper(text: &str) -> String {
    text.chars().map(upper_character).collect()
}

/// A text in small letters, character by character.
pub(super) fn lower(text: &str) -> String {
    text.chars().map(|it| only(it.to_lowercase(), it)).collect()
}

pub(super) fn is_same_ignoring_case(a: &str, b: &str) -> bool {
    a.chars().map(upper_character).eq(b.chars().map(upper_character))
}

/// The units before the first place where `needle` begins, whatever its case.
pub(super) fn find_ignoring_case(text: &str, needle: &str) -> Option<usize> {
    let (text, needle) = (upper(text), upper(needle));
    text.find(&needle).map(|at| length(&text[..at]))
}

/// The units before the last place where `needle` begins, whatever its case.
pub(super) fn find_last_ignoring_case(text: &str, needle: &str) -> Option<usize> {
    let (text, needle) = (upper(text), upper(needle));
    text.rfind(&needle).map(|at| length(&text[..at]))
}

fn upper_character(character: char) -> char {
    only(character.to_uppercase(), character)
}

/// The one character of a mapping that takes as much room as before, so that places stay the same.
fn only(mut mapped: impl Iterator<Item = char>, original: char) -> char {
    match (mapped.next(), mapped.next()) {
        (Some(one), None) if one.len_utf16() == original.len_utf16() => one,
        _ => original,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_cut_never_splits_a_character() {
        assert_eq!((cut("😀a", 0), cut("😀a", 1), cut("😀a", 2), cut("😀a", 3)), (0, 4, 4, 5));
        assert_eq!(cut("", 7), 0);
        assert_eq!(length("a😀é"), 4);
    }

    #[test]
    fn case_is_ignored_one_character_at_a_time() {
        assert!(is_same_ignoring_case("Grüße", "GRÜßE"));
        assert_eq!(upper("straße"), "STRAßE");
        assert_eq!(find_ignoring_case("x😀Abc", "aB"), Some(3));
        assert_eq!(find_last_ignoring_case("abcABC", "b"), Some(4));
    }

    proptest! {
        #[test]
        fn two_parts_make_the_whole(text: String, units in 0_usize..20) {
            let at = cut(&text, units);
            prop_assert!(text.is_char_boundary(at));
            prop_assert!(length(&text[..at]) <= units + 1);
        }
    }
}
