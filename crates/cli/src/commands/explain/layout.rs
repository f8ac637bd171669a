//! Entries as text for a terminal.

use console::Term;

use super::page::Entry;
use crate::render::wrap::wrap;

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
        text.push_str("\nExample that raises it:\n\n");
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

#[cfg(test)]
mod tests {
    use console::measure_text_width;

    use super::super::page::entries;
    use super::*;

    fn longest_line(text: &str) -> usize {
        text.lines().map(measure_text_width).max().unwrap_or(0)
    }

    #[test]
    fn text_for_a_pipe_has_at_most_80_columns() {
        for found in entries() {
            let shown = entry(found, "", Width::Other);
            let text = shown.split("\nExample that raises it:").next().unwrap_or_default();
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
