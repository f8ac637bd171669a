//! Where a block scalar begins and ends, and how far it is indented.
//!
//! The parser tells where a block's content is, up to the next token; its `|` or `>` is found here.

use hangar_diag::Span;

use super::scalar::Scalar;

const BLANK: [char; 2] = [' ', '\t'];
const BREAK: [char; 2] = ['\r', '\n'];

/// From the `|` or `>` to the last line that is not blank. `after` is where what stands before it ends, and
/// `content` what the parser told.
pub(super) fn span(text: &str, after: usize, content: Span) -> Span {
    let Some((header, length)) = header(text, after, content.end) else { return content };
    // Of a block without a line the parser tells the header as its content.
    let line = text[header..].find(BREAK).map_or(text.len(), |end| header + end);
    let start = content.start.max(line);
    let body = text.get(start..content.end).unwrap_or("");
    let filled = body.trim_end_matches([' ', '\t', '\r', '\n']).len();
    if filled == 0 {
        return Span::new(header, header + length);
    }
    let line = body[filled..].find(BREAK).map_or(body.len(), |end| filled + end);
    Span::new(header, start + line)
}

/// The first word between the two places that is a header, and its length.
fn header(text: &str, after: usize, end: usize) -> Option<(usize, usize)> {
    let window = text.get(after..end)?;
    let mut at = after;
    for line in window.split_inclusive(BREAK) {
        let mut column = 0;
        for word in line.split(|c: char| c.is_ascii_whitespace()) {
            if word.starts_with('#') && (column > 0 || at > after) {
                break;
            }
            if is_header(word) {
                return Some((at + column, word.len()));
            }
            column += word.len() + 1;
        }
        at += line.len();
    }
    None
}

fn is_header(word: &str) -> bool {
    word.starts_with(['|', '>'])
        && word.len() <= 3
        && word[1..].bytes().all(|byte| matches!(byte, b'1'..=b'9' | b'+' | b'-'))
}

/// A block scalar taken apart.
pub(super) struct Block<'t> {
    /// `|-`.
    pub(super) header: &'t str,
    /// What follows it on its line: space and a comment.
    pub(super) remark: &'t str,
    /// What ends its lines.
    pub(super) line_break: &'t str,
    /// Where its content begins in the text; the first line's indent is a part of it.
    pub(super) start: usize,
    /// How many spaces stand before each line.
    pub(super) indent: usize,
}

impl<'t> Block<'t> {
    /// Takes a scalar apart; none where it has no line.
    pub(super) fn of(text: &'t str, scalar: &Scalar<'_>) -> Option<Self> {
        let raw = text.get(scalar.span.start..scalar.span.end)?;
        let first = raw.find(BREAK)?;
        let length = raw[..first].find(BLANK).unwrap_or(first);
        let (header, remark) = (&raw[..length], &raw[length..first]);
        if !is_header(header) {
            return None;
        }
        let line_break = if raw[first..].starts_with("\r\n") { 2 } else { 1 };
        let content = &raw[first + line_break..];
        let spaces = |line: &str| line.len() - line.trim_start_matches(' ').len();
        let filled = |line: &&str| !line.trim_matches(BLANK).is_empty();
        let written = spaces(content.split(BREAK).find(filled)?);
        let meant = spaces(scalar.text.split('\n').find(filled)?);
        Some(Self {
            header,
            remark: remark.trim_end_matches(BLANK),
            line_break: &raw[first..first + line_break],
            start: scalar.span.start + first + line_break,
            indent: written.checked_sub(meant)?,
        })
    }

    /// Whether the header says how far it is indented, so that the first line may begin with a space.
    pub(super) fn is_indent_given(&self) -> bool {
        self.header.bytes().any(|byte| byte.is_ascii_digit())
    }
}
