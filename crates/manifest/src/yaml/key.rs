//! The way from an object's root to a value in it.

use std::fmt;

/// The way from an object's root to one value; that to a key is the way to its value.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Key(pub(super) Vec<Step>);

/// One step of a way.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// Into a map.
    Name(String),
    /// Into a list.
    Index(usize),
}

impl Key {
    /// The steps, from the root on.
    pub fn steps(&self) -> &[Step] {
        &self.0
    }

    /// The way as a JSON pointer (RFC 6901); that of the root is empty.
    pub fn pointer(&self) -> String {
        let mut pointer = String::new();
        for step in &self.0 {
            pointer.push('/');
            match step {
                Step::Name(name) => pointer.push_str(&name.replace('~', "~0").replace('/', "~1")),
                Step::Index(index) => pointer.push_str(&index.to_string()),
            }
        }
        pointer
    }

    /// The steps as texts, an index in digits: `["spec", "ports", "0"]`.
    pub fn names(&self) -> Vec<String> {
        self.0.iter().map(ToString::to_string).collect()
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Index(index) => write!(f, "{index}"),
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.pointer())
    }
}
