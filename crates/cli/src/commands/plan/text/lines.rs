//! Two values that do not fit on one line: the lines that differ.

use std::fmt::Write as _;

use clap::builder::styling::{AnsiColor, Style};
use serde_json::Value;

use super::DIM;
use super::value::{compact, comparable_lines};

/// More comparisons than this are not made: the old lines go, the new ones come.
const MAX_COMPARISONS: usize = 250_000;

/// A line of one text or of both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line {
    Same(String),
    Gone(String),
    Come(String),
    /// So many lines that are the same.
    Skipped(usize),
}

/// The lines that differ between two values, with one of those around them.
pub(super) fn between(before: &Value, after: &Value) -> Vec<Line> {
    let (old, new) = (comparable_lines(before), comparable_lines(after));
    let gone = |line: &String| Line::Gone(line.clone());
    let come = |line: &String| Line::Come(line.clone());
    // A document and the text that holds it read the same.
    if old == new {
        return vec![Line::Gone(compact(before)), Line::Come(compact(after))];
    }
    if old.len().saturating_mul(new.len()) > MAX_COMPARISONS {
        return old.iter().map(gone).chain(new.iter().map(come)).collect();
    }
    brief(compare(&old, &new))
}

/// The longest that both have in common stays, the rest goes and comes.
fn compare(old: &[String], new: &[String]) -> Vec<Line> {
    let width = new.len() + 1;
    let mut longest = vec![0_usize; (old.len() + 1) * width];
    for at in (0..old.len()).rev() {
        for other in (0..new.len()).rev() {
            longest[at * width + other] = if old[at] == new[other] {
                longest[(at + 1) * width + other + 1] + 1
            } else {
                longest[(at + 1) * width + other].max(longest[at * width + other + 1])
            };
        }
    }
    let (mut at, mut other) = (0, 0);
    let mut lines = Vec::new();
    while at < old.len() || other < new.len() {
        if at < old.len() && other < new.len() && old[at] == new[other] {
            lines.push(Line::Same(old[at].clone()));
            at += 1;
            other += 1;
        } else if at < old.len()
            && (other == new.len()
                || longest[(at + 1) * width + other] >= longest[at * width + other + 1])
        {
            lines.push(Line::Gone(old[at].clone()));
            at += 1;
        } else {
            lines.push(Line::Come(new[other].clone()));
            other += 1;
        }
    }
    lines
}

/// Of the lines that are the same only those beside one that is not.
fn brief(lines: Vec<Line>) -> Vec<Line> {
    let is_same = |line: Option<&Line>| matches!(line, Some(Line::Same(_)) | None);
    let is_kept = |at: usize| {
        !is_same(lines.get(at))
            || !is_same(at.checked_sub(1).and_then(|at| lines.get(at)))
            || !is_same(lines.get(at + 1))
    };
    let kept: Vec<bool> = (0..lines.len()).map(is_kept).collect();
    let mut brief: Vec<Line> = Vec::new();
    let mut skipped: Vec<Line> = Vec::new();
    let end = |brief: &mut Vec<Line>, skipped: &mut Vec<Line>| match skipped.len() {
        // One line takes no more room than that it is left out.
        0 | 1 => brief.append(skipped),
        count => {
            skipped.clear();
            brief.push(Line::Skipped(count));
        }
    };
    for (line, kept) in lines.into_iter().zip(kept) {
        if kept {
            end(&mut brief, &mut skipped);
            brief.push(line);
        } else {
            skipped.push(line);
        }
    }
    end(&mut brief, &mut skipped);
    brief
}

/// Writes them, whole: a line that is wider than the terminal wraps there.
pub(super) fn write_lines(text: &mut String, lines: &[Line], indent: usize) {
    for line in lines {
        let (sign, style, shown) = match line {
            Line::Same(line) => (' ', DIM, line.clone()),
            Line::Gone(line) => ('-', AnsiColor::Red.on_default(), line.clone()),
            Line::Come(line) => ('+', AnsiColor::Green.on_default(), line.clone()),
            Line::Skipped(count) => (' ', DIM, format!("… {count} unchanged lines")),
        };
        let style: Style = style;
        let _ = writeln!(text, "{:indent$}{style}{sign} {shown}{style:#}", "");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(before: &Value, after: &Value) -> String {
        let mut text = String::new();
        write_lines(&mut text, &between(before, after), 0);
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn the_lines_that_differ_are_told() {
        let before = "#!/bin/sh\nset -e\necho a\necho b\necho c\n";
        let after = "#!/bin/sh\nset -e\necho a\necho B\necho c\necho d\n";
        assert_eq!(
            told(&json!(before), &json!(after)),
            "  … 2 unchanged lines\n  echo a\n- echo b\n+ echo B\n  echo c\n+ echo d\n"
        );
        assert_eq!(told(&json!("a"), &json!("b")), "- \"a\"\n+ \"b\"\n");
    }

    #[test]
    fn a_document_in_a_text_is_read_line_by_line() {
        let text = |action: &str| {
            json!({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": action}]})
                .to_string()
        };
        let (before, after) = (json!(text("s3:GetObject")), json!(text("s3:PutObject")));
        let shown = told(&before, &after);
        assert!(
            shown.contains("-       \"Action\": \"s3:GetObject\",\n+       \"Action\""),
            "{shown}"
        );
        let opened: Value = serde_json::from_str(&text("s3:GetObject")).unwrap();
        assert!(told(&opened, &before).contains("\n+ \"{\\\"Statement"), "a type that changes");
    }

    #[test]
    fn no_line_of_long_texts_is_left_out() {
        for count in [30, 600] {
            let shown = told(&json!("a\n".repeat(count)), &json!("b\n".repeat(count)));
            assert_eq!(shown.lines().count(), 2 * count);
        }
    }
}
