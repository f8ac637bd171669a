//! Values to text and JSON; nothing here prints.

pub(crate) mod diagnostic;
pub(crate) mod facts;
pub(crate) mod line;
pub(crate) mod table;
pub(crate) mod unified;
pub(crate) mod wrap;

use std::borrow::Cow;

/// The text with control characters escaped, so that no input can steer a terminal; and with those
/// that turn the direction of text or are not seen, so that none can look like another.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_treacherous) {
        return Cow::Borrowed(text);
    }
    let escape =
        |c: char| if is_treacherous(c) { c.escape_default().collect() } else { c.to_string() };
    Cow::Owned(text.chars().map(escape).collect())
}

/// The same of each line of a text; line ends at its end are left out.
pub(crate) fn printable_lines(text: &str) -> Cow<'_, str> {
    if !text.contains('\n') {
        return printable(text);
    }
    let lines: Vec<Cow<'_, str>> = text.trim_end().lines().map(printable).collect();
    Cow::Owned(lines.join("\n"))
}

/// A count and its noun: `1 resource`, `2 resources`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

fn is_treacherous(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_has_the_right_number_of_its_noun() {
        assert_eq!(counted(0, "resource"), "0 resources");
        assert_eq!(counted(1, "resource"), "1 resource");
        assert_eq!(counted(2, "resource"), "2 resources");
    }

    #[test]
    fn what_steers_or_hides_is_shown_as_an_escape() {
        assert_eq!(printable("a\u{202e}b\u{200b}c\u{1b}[1m"), "a\\u{202e}b\\u{200b}c\\u{1b}[1m");
        assert!(matches!(printable("Größe 日本"), Cow::Borrowed(_)));
        assert_eq!(printable_lines("a\u{1b}b\r\n\tc\n"), "a\\u{1b}b\n\\tc");
    }
}
