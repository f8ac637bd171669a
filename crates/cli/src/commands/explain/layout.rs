//! Entries as text for a terminal.

use console::{Term, measure_text_width};

use super::page::Entry;

/// How wide text is where the reader is not a terminal.
const DEFAULT_COLUMNS: usize = 80;

/// Longer lines are hard to read.
const MAX_COLUMNS: usize = 100;

/// The fewest columns for the meaning in a list.
const MIN_MEANING: usize = 24;

/// Where the text is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    Terminal(usize),
    /// A file, a pipe or another program.
    Other,
}

impl Width {
    pub(super) fn of_stdout() -> Self {
        match Term::stdout().size_checked() {
            Some((_, columns)) => Self::Terminal(usize::from(columns)),
            None => Self::Other,
        }
    }

    fn columns(self) -> usize {
        match self {
            Self::Terminal(columns) => columns.clamp(40, MAX_COLUMNS),
            Self::Other => DEFAULT_COLUMNS,
        }
    }
}

/// All that is known of a code.
pub(super) fn entry(entry: &Entry, document: &str, width: Width) -> String {
    let Entry { code, area, meaning, cause, fix, .. } = entry;
    let columns = width.columns();
    let mut text = format!(
        "{code} ({area})\n\n{}\n\n{}\n\n{}\n",
        wrap(meaning, columns, ""),
        wrap(&format!("Cause: {cause}"), columns, ""),
        wrap(&format!("Fix: {fix}"), columns, ""),
    );
    for example in &entry.examples {
        text.push_str("\nExample:\n\n");
        for line in example.lines() {
            text.push_str(format!("    {line}").trim_end());
            text.push('\n');
        }
    }
    text + "\nSee " + document
}

/// One line for each code, which only a terminal wraps: other readers search in lines.
pub(super) fn list(entries: &[&Entry], width: Width) -> String {
    let areas = entries.chunk_by(|one, next| one.area == next.area);
    let lines = areas.flat_map(|area| {
        let longest = area.iter().map(|entry| entry.code.len()).max().unwrap_or(0);
        area.iter().map(move |entry| {
            let line = format!("{:longest$}  {}", entry.code, entry.meaning);
            let indent = longest + 2;
            match width {
                Width::Terminal(columns) if columns >= indent + MIN_MEANING => {
                    wrap(&line, columns, &" ".repeat(indent))
                }
                Width::Terminal(_) | Width::Other => line,
            }
        })
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Breaks text at blanks outside of code; every line but the first is indented. A word that is too long keeps its line.
fn wrap(text: &str, columns: usize, indent: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    let mut is_code = false;
    let is_break = |letter: char| {
        is_code ^= letter == '`';
        letter == ' ' && !is_code
    };
    for word in text.split_inclusive(is_break) {
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

#[cfg(test)]
mod tests {
    use super::super::page::entries;
    use super::*;

    fn longest_line(text: &str) -> usize {
        text.lines().map(measure_text_width).max().unwrap_or(0)
    }

    #[test]
    fn lines_break_at_blanks_and_are_indented() {
        assert_eq!(wrap("a  bb ccc dddd", 9, "  "), "a  bb ccc\n  dddd");
        assert_eq!(wrap("one", 2, ""), "one");
        assert_eq!(wrap("é é é", 3, ""), "é é\né");
        assert_eq!(wrap("use `a b` or c", 8, ""), "use\n`a b` or\nc");
    }

    #[test]
    fn text_for_a_pipe_has_at_most_80_columns() {
        for found in entries() {
            let shown = entry(found, "", Width::Other);
            let text = shown.split("\nExample:").next().unwrap_or_default();
            assert!(longest_line(text) <= DEFAULT_COLUMNS, "{text}");
        }
    }

    #[test]
    fn a_terminal_wraps_the_list_and_a_pipe_does_not() {
        let all: Vec<&Entry> = entries().iter().collect();
        assert!(longest_line(&list(&all, Width::Terminal(80))) <= 80);
        assert_eq!(list(&all, Width::Other).lines().count(), all.len());
        assert_eq!(list(&all, Width::Terminal(20)), list(&all, Width::Other));
    }
}
