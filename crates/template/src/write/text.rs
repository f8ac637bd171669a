//! Texts as literals: in single quotes with escapes, or in triple quotes as they are; and comments.

use std::fmt::Write as _;

/// A text as a literal; in triple quotes where it has lines and these say exactly what it says.
pub fn string(text: &str) -> String {
    if reads_well_in_triple_quotes(text) {
        // The line break behind the opening quotes is not part of the value.
        return format!("'''\n{text}'''");
    }
    quoted(text)
}

/// A text as lines of a comment, each begun with `// `.
pub fn comment(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let line: String = line.chars().map(|it| if is_hidden(it) { ' ' } else { it }).collect();
        let _ = writeln!(out, "{}", format!("// {line}").trim_end());
    }
    out
}

/// A text in single quotes.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('\'');
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\'' => out.push_str("\\'"),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '$' if characters.peek() == Some(&'{') => out.push_str("\\$"),
            it if is_hidden(it) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(it));
            }
            it => out.push(it),
        }
    }
    out.push('\'');
    out
}

/// Whether nothing in it would be lost, end the text early, or be overlooked by a reader.
fn reads_well_in_triple_quotes(text: &str) -> bool {
    let inner = text.trim_end_matches('\n');
    inner.contains('\n')
        && text.len() - inner.len() <= 1
        && !text.contains("'''")
        && !text.ends_with('\'')
        && !text.contains(" \n")
        && text.chars().all(|it| it == '\n' || !is_hidden(it))
}

/// Characters that are not seen, or that change how those beside them are shown.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            u32::from(character),
            0x00AD | 0x200B..=0x200F | 0x2028..=0x202E | 0x2060..=0x206F | 0xFEFF | 0xFFF9..=0xFFFB
                | 0xE0000..=0xE007F
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_where_they_must_be() {
        for (text, expected) in [
            ("", "''"),
            ("it's", r"'it\'s'"),
            (r"a\b", r"'a\\b'"),
            ("${x} $ $$ {", r"'\${x} $ $$ {'"),
            ("a\n", r"'a\n'"),
            ("\u{7}\u{202e}", r"'\u{7}\u{202e}'"),
            ("tab\there", r"'tab\there'"),
            ("a\nb", "'''\na\nb'''"),
            ("a\nb\n", "'''\na\nb\n'''"),
            ("\na\nb", "'''\n\na\nb'''"),
            ("a\r\nb", r"'a\r\nb'"),
            ("a\n'''b", r"'a\n\'\'\'b'"),
            ("a\nb'", r"'a\nb\''"),
        ] {
            assert_eq!(string(text), expected);
        }
    }

    #[test]
    fn a_comment_stays_one_whatever_its_text() {
        assert_eq!(comment("a\nresource\r\n\u{2028}b\rc"), "// a\n// resource\n//  b c\n");
        assert_eq!(comment(""), "");
    }
}
