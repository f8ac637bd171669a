//! The text of `Fn::Sub`, taken apart.

/// A piece of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    Text(&'a str),
    /// What stands between `${` and `}`.
    Hole(&'a str),
}

/// The pieces in order. `${!Name}` is the text `${Name}`; what is not closed is text.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let Some(length) = rest[start..].find('}') else { break };
        let (before, hole) = (&rest[..start], &rest[start + 2..start + length]);
        if !before.is_empty() {
            found.push(Piece::Text(before));
        }
        match hole.strip_prefix('!') {
            Some(literal) => {
                found.extend([Piece::Text("${"), Piece::Text(literal), Piece::Text("}")]);
            }
            None => found.push(Piece::Hole(hole)),
        }
        rest = &rest[start + length + 1..];
    }
    if !rest.is_empty() {
        found.push(Piece::Text(rest));
    }
    found
}

/// Whether a hole can be a name at all.
pub(super) fn is_name(hole: &str) -> bool {
    let is_allowed = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '.' | ':');
    !hole.is_empty() && hole.chars().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_literals_and_what_is_not_closed_are_told_apart() {
        use Piece::{Hole, Text};
        assert_eq!(pieces("a${B}c"), [Text("a"), Hole("B"), Text("c")]);
        assert_eq!(pieces("${!B}"), [Text("${"), Text("B"), Text("}")]);
        assert_eq!(pieces("$ ${open"), [Text("$ ${open")]);
        assert_eq!(pieces("${A.B}${AWS::Region}"), [Hole("A.B"), Hole("AWS::Region")]);
        assert_eq!(pieces("${}"), [Hole("")]);
        assert_eq!(pieces(""), []);
    }

    #[test]
    fn names_have_no_blanks() {
        assert!(is_name("AWS::Region") && is_name("A.B_c1"));
        assert!(!is_name("") && !is_name(" A") && !is_name("ä"));
    }
}
