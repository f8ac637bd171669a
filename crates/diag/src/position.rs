//! From a byte offset to the line and column that a person and an editor count.

/// A place as editors show it: both counted from one, the column in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// The position of byte `offset` in `text`; an offset past the end is the end, one inside a
/// character is that character.
pub fn position_of(text: &str, offset: usize) -> Position {
    let mut end = offset.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = &text[..end];
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    Position {
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_lines_and_characters_from_one() {
        let text = "é\nab\n";
        assert_eq!(position_of(text, 0), Position { line: 1, column: 1 });
        assert_eq!(position_of(text, 1), Position { line: 1, column: 1 });
        assert_eq!(position_of(text, 2), Position { line: 1, column: 2 });
        assert_eq!(position_of(text, 4), Position { line: 2, column: 2 });
        assert_eq!(position_of(text, 99), Position { line: 3, column: 1 });
    }
}
