//! The patterns of one type, each compiled when it is first asked for and kept then: a schema
//! repeats a few patterns at many places, and its documents come one after the other.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::Pattern;

/// So many are kept; a type has a few dozen at most, and a document needs a few of those.
const MAX_KEPT: usize = 64;

/// Compiled patterns by their source.
#[derive(Debug, Default)]
pub(crate) struct Kept(Mutex<HashMap<Box<str>, Arc<Pattern>>>);

impl Kept {
    /// The compiled pattern.
    pub(crate) fn pattern(&self, source: &str) -> Arc<Pattern> {
        if let Some(known) = self.kept().get(source) {
            return Arc::clone(known);
        }
        // Compiled outside the lock: another thread may do the same, and either result will do.
        let compiled = Arc::new(Pattern::compile(source));
        let mut kept = self.kept();
        if kept.len() >= MAX_KEPT {
            kept.clear();
        }
        kept.insert(source.into(), Arc::clone(&compiled));
        compiled
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, HashMap<Box<str>, Arc<Pattern>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Verdict;

    #[test]
    fn a_pattern_is_compiled_once_and_their_number_is_bounded() {
        let kept = Kept::default();
        let first = kept.pattern("^a$");
        assert!(Arc::ptr_eq(&first, &kept.pattern("^a$")));
        assert_eq!(first.matches("a"), Verdict::Match);
        for number in 0..3 * MAX_KEPT {
            assert_eq!(kept.pattern(&format!("^{number}$")).matches("a"), Verdict::Mismatch);
            assert!(kept.kept().len() <= MAX_KEPT);
        }
    }
}
