//! The values in a text that is not JSON, though it was meant as a document of properties: no schema
//! can say which of them are secret, so none is shown.

use hangar_diag::{Diagnostic, Span};
use hangar_schema::codes;

/// Where values stand: every string that is no key, and every word that is not JSON's.
pub(super) fn values(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let end = match first {
            '"' => at + end_of_string(&text[at..]),
            c if is_structure(c) => at + c.len_utf8(),
            _ => at + text[at..].find(|c| c == '"' || is_structure(c)).unwrap_or(text.len() - at),
        };
        let is_shown = match first {
            '"' => text[end..].trim_start().starts_with(':'),
            c if is_structure(c) => true,
            _ => is_plain(&text[at..end]),
        };
        if !is_shown {
            found.push(Span::new(at, end));
        }
        at = end;
    }
    found
}

/// A mistake without the words of the text that its message quotes.
pub(super) fn without_words(mut mistake: Diagnostic) -> Diagnostic {
    if matches!(mistake.code, codes::JSON_SYNTAX | codes::JSON_BAD_NUMBER) {
        let parts = mistake.message.split('`').enumerate();
        let parts = parts.map(|(at, part)| {
            let is_word = at % 2 == 1 && part.chars().count() > 1;
            if is_word { "…" } else { part }
        });
        mistake.message = parts.collect::<Vec<_>>().join("`");
    }
    mistake
}

fn is_structure(c: char) -> bool {
    c.is_whitespace() || "{}[]:,".contains(c)
}

fn is_plain(word: &str) -> bool {
    matches!(word, "true" | "false" | "null") || word.parse::<f64>().is_ok()
}

/// How long a string is, with its quotes; one that is not closed ends with its line.
fn end_of_string(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return at,
            '"' if !is_escaped => return at + 1,
            _ => is_escaped = c == '\\' && !is_escaped,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Source;

    fn shown(text: &str) -> String {
        Source::argument(text).masked(values(text)).text
    }

    #[test]
    fn keys_and_structure_are_shown_and_values_are_not() {
        assert_eq!(
            shown(r#"{"Name": "db", "Size": 12, "Password": "hun\"ter:2", "On": true,}"#),
            r#"{"Name": ****, "Size": 12, "Password": ************, "On": true,}"#
        );
        assert_eq!(shown("{\"Password\": \"hunter2\n}"), "{\"Password\": ********\n}");
        assert_eq!(shown("{\"Password\": hunter2}"), "{\"Password\": *******}");
        assert_eq!(shown("{'Password': 'pä'}"), "{**********: *****}");
    }

    #[test]
    fn a_message_does_not_quote_a_word() {
        let mistake = hangar_schema::json::read("{\"Password\": hunter2}").unwrap_err();
        assert!(mistake.message.contains("hunter2"));
        assert!(!without_words(mistake).message.contains("hunter2"));
    }
}
