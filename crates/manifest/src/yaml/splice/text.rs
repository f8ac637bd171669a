//! Parts of a text replaced where they stand, all else of the scalar as it is written.

use std::ops::Range;

use super::super::block::Block;
use super::super::scalar::{Scalar, Style};
use super::super::write;
use super::Patch;

/// The parts as patches; none where they cannot be found, or their texts not stand there.
pub(super) fn in_place(
    text: &str,
    scalar: &Scalar<'_>,
    parts: &[(Range<usize>, String)],
    new: &str,
) -> Option<Vec<Patch>> {
    if parts.is_empty() {
        return None;
    }
    let (start, end) = (scalar.span.start, scalar.span.end);
    let inner = match scalar.style {
        Style::Plain => start..end,
        Style::SingleQuoted | Style::DoubleQuoted => start + 1..end.checked_sub(1)?,
        Style::Literal | Style::Folded => Block::of(text, scalar)?.start..end,
    };
    let raw = text.get(inner.clone())?;
    let has_lines = raw.contains(['\n', '\r']);
    // At the end of a line, space is no part of the value.
    let is_snug = |with: &str| {
        !with.is_empty() && !with.starts_with([' ', '\t']) && !with.ends_with([' ', '\t'])
    };
    let is_one_line = |with: &str| with.chars().all(write::is_printable);
    let fits = |check: &dyn Fn(&str) -> bool| parts.iter().all(|(_, with)| check(with));
    let may = match scalar.style {
        Style::Plain if has_lines => {
            write::fits_plain(&new.replace('\n', " "), scalar.in_flow) && fits(&is_snug)
        }
        Style::Plain => write::fits_plain(new, scalar.in_flow),
        Style::SingleQuoted => fits(&is_one_line) && (!has_lines || fits(&is_snug)),
        Style::DoubleQuoted => !has_lines || fits(&is_snug),
        Style::Literal => block_body(&Block::of(text, scalar)?, &scalar.text, new).is_some(),
        Style::Folded => {
            block_body(&Block::of(text, scalar)?, &scalar.text, new).is_some()
                && fits(&is_one_line)
                && fits(&is_snug)
        }
    };
    if !may {
        return None;
    }
    let written = |with: &str| match scalar.style {
        Style::Plain | Style::Folded => with.to_owned(),
        Style::SingleQuoted => with.replace('\'', "''"),
        Style::DoubleQuoted => {
            let mut out = String::with_capacity(with.len());
            write::escape(with, &mut out);
            out
        }
        Style::Literal => match Block::of(text, scalar).filter(|_| with.contains('\n')) {
            Some(block) => indented(with, &block),
            None => with.to_owned(),
        },
    };
    let mut patches = Vec::with_capacity(parts.len());
    let (mut at, mut done) = (0, 0);
    for (range, with) in parts {
        let found = locate(raw, at, &scalar.text, done, range)?;
        patches.push(Patch {
            range: inner.start + found..inner.start + found + range.len(),
            text: written(with),
        });
        (at, done) = (found + range.len(), range.end);
    }
    Some(patches)
}

/// Where a part of the text stands in what is written, from `at` on: as often as its words come before it in the
/// text since `done`, so often they are passed over there. What this finds wrongly, the guard refuses.
fn locate(raw: &str, at: usize, text: &str, done: usize, range: &Range<usize>) -> Option<usize> {
    let needle = text.get(range.clone()).filter(|needle| !needle.is_empty())?;
    let before = text.get(done..range.start)?.matches(needle).count();
    raw.get(at..)?.match_indices(needle).nth(before).map(|(found, _)| at + found)
}

/// A text within a line of a block, its own lines indented as that one.
fn indented(with: &str, block: &Block<'_>) -> String {
    let mut out = String::with_capacity(with.len() + block.indent);
    let mut lines = with.split('\n').peekable();
    let mut is_first = true;
    while let Some(line) = lines.next() {
        if !is_first {
            out.push_str(block.line_break);
        }
        // What follows the last line is on the same line, so that it needs the indent in any case.
        if !is_first && (!line.is_empty() || lines.peek().is_none()) {
            out.extend(std::iter::repeat_n(' ', block.indent));
        }
        out.push_str(line);
        is_first = false;
    }
    out
}

/// The new text of a block without the line breaks at its end; none where the block cannot hold it.
pub(super) fn block_body<'n>(block: &Block<'_>, old: &str, new: &'n str) -> Option<&'n str> {
    let body = new.trim_end_matches('\n');
    let ending = |text: &str| text.len() - text.trim_end_matches('\n').len();
    let lines = || body.split('\n');
    let is_blank = |line: &str| line.trim_matches([' ', '\t']).is_empty();
    let first = lines().find(|line| !is_blank(line))?;
    let holds = ending(old) == ending(new)
        && new.chars().all(|c| c == '\n' || write::is_printable(c))
        && !lines().next_back().is_some_and(is_blank)
        // The indent is told by the first line that is not blank.
        && (block.is_indent_given()
            || (!first.starts_with([' ', '\t']) && lines().take_while(|line| is_blank(line)).all(str::is_empty)))
        && (block.indent > 0 || !lines().any(|line| line.starts_with("---") || line.starts_with("...")));
    holds.then_some(body)
}
