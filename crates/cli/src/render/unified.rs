//! Two texts as a unified diff, line by line.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::printable;

/// Lines around a change that are shown with it.
const CONTEXT: usize = 3;

/// So many pairs of lines are compared; what is larger is shown as replaced as a whole.
const MOST_PAIRS: usize = 4_000_000;

/// One line of both texts, or of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line<'a> {
    Same(&'a str),
    Gone(&'a str),
    New(&'a str),
}

/// What changes in a file; nothing where the texts are the same.
pub(crate) fn unified(name: &str, old: &str, new: &str) -> String {
    let lines = compare(&split(old), &split(new));
    let is_change = |at: usize| !matches!(lines[at], Line::Same(_));
    let changes: Vec<usize> = (0..lines.len()).filter(|at| is_change(*at)).collect();
    let mut text = String::new();
    let Some(first) = changes.first() else { return text };
    let name = printable(name);
    // Writing to a string does not fail.
    let _ = write!(text, "--- {name}\n+++ {name}\n");
    let (mut start, mut end) = (first.saturating_sub(CONTEXT), *first);
    for at in &changes {
        if *at > end + 2 * CONTEXT + 1 {
            hunk(&mut text, &lines, start, (end + CONTEXT + 1).min(lines.len()));
            start = at.saturating_sub(CONTEXT);
        }
        end = *at;
    }
    hunk(&mut text, &lines, start, (end + CONTEXT + 1).min(lines.len()));
    text
}

fn hunk(text: &mut String, lines: &[Line<'_>], start: usize, end: usize) {
    let count = |of: &[Line<'_>]| {
        let old = of.iter().filter(|it| !matches!(it, Line::New(_))).count();
        let new = of.iter().filter(|it| !matches!(it, Line::Gone(_))).count();
        (old, new)
    };
    let (old_before, new_before) = count(&lines[..start]);
    let (old, new) = count(&lines[start..end]);
    let range = |before: usize, count: usize| match count {
        0 => format!("{before},0"),
        1 => format!("{}", before + 1),
        _ => format!("{},{count}", before + 1),
    };
    let _ = writeln!(text, "@@ -{} +{} @@", range(old_before, old), range(new_before, new));
    for line in &lines[start..end] {
        let (sign, line) = match line {
            Line::Same(line) => (' ', line),
            Line::Gone(line) => ('-', line),
            Line::New(line) => ('+', line),
        };
        let _ = write!(text, "{sign}{}", shown(line));
        if !line.ends_with('\n') {
            text.push_str("\n\\ No newline at end of file\n");
        }
    }
}

/// A line without what steers a terminal; tabs and line ends are as they are.
fn shown(line: &str) -> Cow<'_, str> {
    let content = line.trim_end_matches(['\r', '\n']);
    let parts: Vec<Cow<'_, str>> = content.split('\t').map(printable).collect();
    if parts.iter().all(|it| matches!(it, Cow::Borrowed(_))) {
        return Cow::Borrowed(line);
    }
    Cow::Owned(parts.join("\t") + &line[content.len()..])
}

/// The lines with their ends.
fn split(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// The lines of both: as many as can be are the same.
fn compare<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old_mid, new_mid) =
        (&old_rest[..old_rest.len() - tail], &new_rest[..new_rest.len() - tail]);
    let mut lines: Vec<Line<'a>> = old[..head].iter().map(|it| Line::Same(it)).collect();
    if old_mid.len().saturating_mul(new_mid.len()) > MOST_PAIRS {
        lines.extend(old_mid.iter().map(|it| Line::Gone(it)));
        lines.extend(new_mid.iter().map(|it| Line::New(it)));
    } else {
        lines.extend(longest(old_mid, new_mid));
    }
    lines.extend(old[old.len() - tail..].iter().map(|it| Line::Same(it)));
    lines
}

/// The longest common subsequence, by the table of its lengths.
fn longest<'a>(old: &[&'a str], new: &[&'a str]) -> Vec<Line<'a>> {
    let width = new.len() + 1;
    let mut lengths = vec![0_u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            lengths[i * width + j] = if old[i] == new[j] {
                lengths[(i + 1) * width + j + 1] + 1
            } else {
                lengths[(i + 1) * width + j].max(lengths[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut lines = Vec::with_capacity(old.len() + new.len());
    while i < old.len() || j < new.len() {
        let is_gone = j == new.len()
            || i < old.len() && lengths[(i + 1) * width + j] >= lengths[i * width + j + 1];
        if i < old.len() && j < new.len() && old[i] == new[j] {
            lines.push(Line::Same(old[i]));
            (i, j) = (i + 1, j + 1);
        } else if is_gone {
            lines.push(Line::Gone(old[i]));
            i += 1;
        } else {
            lines.push(Line::New(new[j]));
            j += 1;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_shown_with_the_lines_around_it() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n";
        let new = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n11\n12\n13\n15\n";
        insta::assert_snapshot!(unified("a.bicep", old, new), @"
        --- a.bicep
        +++ a.bicep
        @@ -2,7 +2,7 @@
         2
         3
         4
        -5
        +five
         6
         7
         8
        @@ -11,5 +11,4 @@
         11
         12
         13
        -14
         15
        ");
    }

    #[test]
    fn a_missing_end_of_line_is_told_and_what_steers_a_terminal_is_not_sent() {
        let diff = unified("a", "a \u{1b}[1m", "a\n");
        let wanted = "--- a\n+++ a\n@@ -1 +1 @@\n-a \\u{1b}[1m\n\\ No newline at end of file\n+a\n";
        assert_eq!(diff, wanted);
        assert_eq!(unified("a", "", "b\n"), "--- a\n+++ a\n@@ -0,0 +1 @@\n+b\n");
        assert_eq!(unified("a", "b\n", "b\n"), "");
    }

    #[test]
    fn what_is_applied_to_the_old_text_gives_the_new_one() {
        let cases =
            [("a\nb\nc\n", "b\nc\nd\n"), ("", "a\n"), ("a\nb\n", ""), ("a\na\nb\n", "b\na\na\n")];
        for (old, new) in cases {
            let lines = compare(&split(old), &split(new));
            let of = |keep: fn(&Line<'_>) -> bool| -> String {
                let text = |it: &Line<'_>| match it {
                    Line::Same(it) | Line::Gone(it) | Line::New(it) => (*it).to_owned(),
                };
                lines.iter().filter(|it| keep(it)).map(text).collect()
            };
            assert_eq!(of(|it| !matches!(it, Line::New(_))), old);
            assert_eq!(of(|it| !matches!(it, Line::Gone(_))), new);
        }
    }
}
