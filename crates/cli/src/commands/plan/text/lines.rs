//! Texts of several lines, and documents that are one text: the lines that differ.

use std::fmt::Write as _;

use clap::builder::styling::{AnsiColor, Style};
use console::truncate_str;
use serde_json::Value;

use super::DIM;
use crate::render::printable;

/// So many lines are shown.
const MOST_LINES: usize = 24;

/// So many comparisons of lines are made; past that the texts are not compared.
const MOST_COMPARISONS: usize = 250_000;

/// A text that is shorter is as well read on one line.
const SHORT: usize = 60;

/// A line of one text or of both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line {
    Same(String),
    Gone(String),
    Come(String),
    /// So many lines that are the same.
    Skipped(usize),
}

/// The lines that differ between two texts, with one of those around them; nothing where they are read on one line.
pub(super) fn between(before: &Value, after: &Value) -> Option<Vec<Line>> {
    let (Value::String(before), Value::String(after)) = (before, after) else { return None };
    let (before, after) = (document(before)?, document(after)?);
    if !before.trim_end().contains('\n') && !after.trim_end().contains('\n') {
        return None;
    }
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    if old.len().saturating_mul(new.len()) > MOST_COMPARISONS {
        return None;
    }
    Some(brief(compare(&old, &new)))
}

/// A document in a text as it is read best; other texts as they are.
fn document(text: &str) -> Option<String> {
    let is_document = text.len() > SHORT && text.trim_start().starts_with(['{', '[']);
    if is_document && let Ok(value) = serde_json::from_str::<Value>(text) {
        return serde_json::to_string_pretty(&value).ok();
    }
    Some(text.to_owned())
}

/// The longest that both have in common stays, the rest goes and comes.
fn compare(old: &[&str], new: &[&str]) -> Vec<Line> {
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
            lines.push(Line::Same(old[at].to_owned()));
            at += 1;
            other += 1;
        } else if at < old.len()
            && (other == new.len()
                || longest[(at + 1) * width + other] >= longest[at * width + other + 1])
        {
            lines.push(Line::Gone(old[at].to_owned()));
            at += 1;
        } else {
            lines.push(Line::Come(new[other].to_owned()));
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

/// Writes them.
pub(super) fn tell(text: &mut String, lines: &[Line], indent: usize, width: Option<usize>) {
    let room = width.map_or(usize::MAX, |width| width.saturating_sub(indent + 2).max(16));
    for line in lines.iter().take(MOST_LINES) {
        let (sign, style, shown) = match line {
            Line::Same(line) => (' ', DIM, line.clone()),
            Line::Gone(line) => ('-', AnsiColor::Red.on_default(), line.clone()),
            Line::Come(line) => ('+', AnsiColor::Green.on_default(), line.clone()),
            Line::Skipped(count) => (' ', DIM, format!("… {count} lines")),
        };
        let style: Style = style;
        let shown = printable(&shown).into_owned();
        let shown = truncate_str(&shown, room, "…");
        let _ = writeln!(text, "{:indent$}{style}{sign} {shown}{style:#}", "");
    }
    if let Some(more @ 1..) = lines.len().checked_sub(MOST_LINES) {
        let _ = writeln!(text, "{:indent$}{DIM}… {more} more lines{DIM:#}", "");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(before: &str, after: &str) -> String {
        let Some(lines) = between(&json!(before), &json!(after)) else {
            return "on one line".to_owned();
        };
        let mut text = String::new();
        tell(&mut text, &lines, 0, None);
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn the_lines_that_differ_are_told() {
        let before = "#!/bin/sh\nset -e\necho a\necho b\necho c\n";
        let after = "#!/bin/sh\nset -e\necho a\necho B\necho c\necho d\n";
        assert_eq!(
            told(before, after),
            "  … 2 lines\n  echo a\n- echo b\n+ echo B\n  echo c\n+ echo d\n"
        );
        assert_eq!(told("a", "b"), "on one line");
    }

    #[test]
    fn a_document_in_a_text_is_read_line_by_line() {
        let text = |action: &str| {
            json!({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": action}]})
                .to_string()
        };
        let told = told(&text("s3:GetObject"), &text("s3:PutObject"));
        assert!(
            told.contains("-       \"Action\": \"s3:GetObject\",\n+       \"Action\""),
            "{told}"
        );
    }

    #[test]
    fn endless_texts_are_not_compared() {
        assert_eq!(told(&"a\n".repeat(600), &"b\n".repeat(600)), "on one line");
        let long = told(&"a\n".repeat(30), &"b\n".repeat(30));
        assert!(long.ends_with("… 36 more lines\n"), "{long}");
    }
}
