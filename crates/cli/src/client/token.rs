//! The token that a server asks for: a secret, so it does not print.

use std::fmt;

/// What proves to a server that its caller may ask.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Token(String);

impl Token {
    /// A token as a file holds it: blanks around it are not part of it.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        // What cannot stand in a header cannot be a token.
        let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        is_plain.then(|| Self(text.to_owned()))
    }

    /// The value of the `Authorization` header; the one place where it is shown.
    pub(crate) fn to_authorization(&self) -> String {
        format!("Bearer {}", self.0)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("«secret»")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_one_word_that_does_not_print() {
        let token = Token::read("abc\n").unwrap();
        assert_eq!(token.to_authorization(), "Bearer abc");
        assert_eq!(format!("{token:?}"), "«secret»");
        assert_eq!(Token::read(" \n"), None);
        assert_eq!(Token::read("a\nb: c"), None);
    }
}
