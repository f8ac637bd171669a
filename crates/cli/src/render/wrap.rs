//! Breaks sentences into lines for a terminal, which would break them in the middle of a word.

use console::measure_text_width;

/// The columns by which notes, hints and titles of errors are indented after their first line.
const MESSAGE_INDENT: &str = "      ";

/// Fewer columns leave no room for indented text; such a terminal breaks the lines itself.
const MIN_COLUMNS: usize = 20;

/// Breaks a message, such as a note or a hint, if its reader is a terminal; `columns` is the width of that terminal.
pub(crate) fn wrap_message(text: &str, columns: Option<usize>) -> String {
    match columns.filter(|columns| *columns >= MIN_COLUMNS) {
        Some(columns) => {
            let lines = text.split('\n').map(|line| wrap(line, columns, MESSAGE_INDENT));
            lines.collect::<Vec<_>>().join("\n")
        }
        None => text.to_owned(),
    }
}

/// Breaks a line at blanks; every line but the first is indented. Code between backticks stays on one line if it fits.
/// A word that is too long keeps its line. Escape sequences have no width.
pub(crate) fn wrap(text: &str, columns: usize, indent: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in words(text, columns.saturating_sub(indent.len())) {
        let end = measure_text_width(&line) + measure_text_width(word.trim_end());
        if end > columns && !line.trim().is_empty() {
            lines.push(line.trim_end().to_owned());
            indent.clone_into(&mut line);
        }
        line.push_str(word);
    }
    lines.push(line.trim_end().to_owned());
    lines.join("\n")
}

/// The words of a text, each with the blank after it. Code is one word, unless it is wider than `room`.
fn words(text: &str, room: usize) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    let is_break = move |letter: char| {
        is_code ^= letter == '`';
        letter == ' ' && !is_code
    };
    text.split_inclusive(is_break).flat_map(move |word| {
        let is_too_wide = measure_text_width(word.trim_end()) > room;
        word.split_inclusive(move |letter| is_too_wide && letter == ' ')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_blanks_and_are_indented() {
        assert_eq!(wrap("a  bb ccc dddd", 9, "  "), "a  bb ccc\n  dddd");
        assert_eq!(wrap("unbreakable word", 4, ""), "unbreakable\nword");
        assert_eq!(wrap("é é é", 3, ""), "é é\né");
    }

    #[test]
    fn code_stays_on_one_line_if_it_fits() {
        assert_eq!(wrap("use `a b` or c", 8, ""), "use\n`a b` or\nc");
        assert_eq!(wrap("run `hangar deploy main` now", 12, ""), "run `hangar\ndeploy main`\nnow");
        assert_eq!(wrap("one ` backtick only", 9, ""), "one `\nbacktick\nonly");
    }

    #[test]
    fn a_message_is_broken_for_a_terminal_and_for_nothing_else() {
        let note = "note: 3 operations are open; `hangar operation list --running` shows them";
        assert_eq!(
            wrap_message(note, Some(40)),
            "note: 3 operations are open;\n      `hangar operation list --running`\n      shows them"
        );
        assert_eq!(wrap_message(note, None), note);
        assert_eq!(wrap_message(note, Some(0)), note);
        let long = "\u{1b}[1mnote\u{1b}[0m: 123456789 12345 1234\nnext line";
        let narrow = "\u{1b}[1mnote\u{1b}[0m: 123456789 12345\n      1234\nnext line";
        assert_eq!(wrap_message(long, Some(22)), narrow);
    }
}
