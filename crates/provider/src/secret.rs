//! A text that is not printed, and is wiped when it is dropped.

use std::fmt;

use zeroize::Zeroizing;

/// A secret: `Debug` shows none of it, and its memory is wiped when it is dropped.
#[derive(Clone)]
pub struct SecretText(Zeroizing<String>);

impl SecretText {
    /// Hides a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(Zeroizing::new(text.into()))
    }

    /// The text itself: whoever calls this answers for where it goes.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("«secret»")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_given_and_not_shown() {
        let secret = SecretText::new("hunter2");
        assert_eq!(secret.clone().expose(), "hunter2");
        assert_eq!(format!("{secret:?}"), "«secret»");
        assert!(!format!("{:#?}", Some(secret)).contains("hunter2"));
    }
}
