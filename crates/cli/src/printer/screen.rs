//! The terminal as moving lines see it: they leave room at its right edge for the `^C` that it echoes.
//!
//! indicatif fills each line up to the edge with blanks, so that the next one begins by itself. An echo there begins a
//! line, too: the count of lines is off by one, and the first line stays behind when the lines are cleared. Here a line
//! ends with a line break, and the last one has none.

use std::io;
use std::sync::{Mutex, PoisonError};

use console::{Term, measure_text_width};
use indicatif::{ProgressDrawTarget, TermLike};

/// Columns that stay empty: `^C` twice.
const MARGIN: u16 = 4;

/// How often a second the lines are drawn at most.
const DRAWS_PER_SECOND: u8 = 20;

/// The width that moving lines may use.
pub(super) fn width() -> u16 {
    let (_, columns) = Term::stderr().size_checked().unwrap_or((24, 80));
    columns.saturating_sub(MARGIN).max(20)
}

/// Where moving lines are drawn.
pub(super) fn draw_target() -> ProgressDrawTarget {
    let screen = Screen { term: Term::buffered_stderr(), next: Mutex::new(Next::FirstLine) };
    ProgressDrawTarget::term_like_with_hz(Box::new(screen), DRAWS_PER_SECOND)
}

/// What indicatif writes next: it writes each line, and then the blanks that fill it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    FirstLine,
    Line,
    Blanks,
}

impl Next {
    /// What of a text is written, and what follows it.
    fn after(self, text: &str, width: usize) -> (String, Self) {
        match self {
            _ if text == "\r" => (text.to_owned(), self),
            Self::Blanks => (String::new(), Self::Line),
            Self::FirstLine => (wrapped(text, width), Self::Blanks),
            Self::Line => (format!("\n{}", wrapped(text, width)), Self::Blanks),
        }
    }
}

/// A line broken where indicatif counts that it is.
fn wrapped(line: &str, width: usize) -> String {
    if measure_text_width(line) <= width || line.contains('\u{1b}') {
        return line.to_owned();
    }
    let (mut text, mut column) = (String::new(), 0);
    for character in line.chars() {
        let wide = measure_text_width(character.encode_utf8(&mut [0; 4]));
        if column + wide > width {
            text.push('\n');
            column = 0;
        }
        text.push(character);
        column += wide;
    }
    text
}

/// Standard error.
#[derive(Debug)]
struct Screen {
    term: Term,
    next: Mutex<Next>,
}

impl Screen {
    /// What is written next is the first line again.
    fn restart(&self) {
        *self.next.lock().unwrap_or_else(PoisonError::into_inner) = Next::FirstLine;
    }
}

impl TermLike for Screen {
    fn width(&self) -> u16 {
        width()
    }

    fn height(&self) -> u16 {
        self.term.size().0
    }

    fn move_cursor_up(&self, count: usize) -> io::Result<()> {
        self.restart();
        self.term.move_cursor_up(count)
    }

    fn move_cursor_down(&self, count: usize) -> io::Result<()> {
        self.term.move_cursor_down(count)
    }

    fn move_cursor_right(&self, count: usize) -> io::Result<()> {
        self.term.move_cursor_right(count)
    }

    fn move_cursor_left(&self, count: usize) -> io::Result<()> {
        self.term.move_cursor_left(count)
    }

    fn write_line(&self, line: &str) -> io::Result<()> {
        self.term.write_line(line)
    }

    fn write_str(&self, text: &str) -> io::Result<()> {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let (written, after) = next.after(text, width().into());
        *next = after;
        self.term.write_str(&written)
    }

    fn clear_line(&self) -> io::Result<()> {
        self.term.clear_line()
    }

    fn flush(&self) -> io::Result<()> {
        self.restart();
        self.term.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_break_stands_between_lines_and_no_blanks_behind_them() {
        let (mut next, mut text) = (Next::FirstLine, String::new());
        for written in ["\r", "one", "   ", "", "      ", "three is long", "     "] {
            let (part, after) = next.after(written, 9);
            text.push_str(&part);
            next = after;
        }
        assert_eq!(text, "\rone\n\nthree is \nlong");
    }
}
